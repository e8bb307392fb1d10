from .reader import EmbeddedReader

__all__ = ["EmbeddedReader"]
