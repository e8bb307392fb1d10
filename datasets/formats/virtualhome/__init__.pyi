from .reader import FORMAT

__all__ = ["FORMAT"]
