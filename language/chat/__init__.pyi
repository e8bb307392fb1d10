from .reader import ModelReader
from .search import semantic_search

__all__ = ["ModelReader", "semantic_search"]
