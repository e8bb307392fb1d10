from .scene import FORMAT

__all__ = ["FORMAT"]
