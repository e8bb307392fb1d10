from .believing import BelievingMover
from .loop import MAX_ACTIONS, MAX_REFUSALS, Mover, NextMove
from .memory import filtered_nodes

__all__ = [
    "MAX_ACTIONS",
    "MAX_REFUSALS",
    "BelievingMover",
    "Mover",
    "NextMove",
    "filtered_nodes",
]
