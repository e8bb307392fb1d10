from .believing import BelievingMover
from .loop import MAX_ACTIONS, MAX_REFUSALS, Mover
from .memory import filtered_nodes
from .moves import NextMove

__all__ = [
    "MAX_ACTIONS",
    "MAX_REFUSALS",
    "BelievingMover",
    "Mover",
    "NextMove",
    "filtered_nodes",
]
