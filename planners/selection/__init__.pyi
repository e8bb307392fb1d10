from .planner import ChoicePlanner, worth_choosing
from .selection import Choices, Selection

__all__ = ["ChoicePlanner", "Choices", "Selection", "worth_choosing"]
