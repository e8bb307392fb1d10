from .selection import Choices, Selection

__all__ = ["Choices", "Selection"]
