from .expected_cost import LookingOrder, LookingProblem, best_order
from .exploration import Explorer, SearchRun, search_house

__all__ = [
    "Explorer",
    "LookingOrder",
    "LookingProblem",
    "SearchRun",
    "best_order",
    "search_house",
]
