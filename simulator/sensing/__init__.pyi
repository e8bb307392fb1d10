from .environment import Environment, Judgement, Move
from .hiding import unexplored, with_hidden
from .open_state import OpenBelief
from .sight import observations_of
from .spots import spots_of

__all__ = [
    "Environment",
    "Judgement",
    "Move",
    "OpenBelief",
    "observations_of",
    "spots_of",
    "unexplored",
    "with_hidden",
]
