from .environment import Environment, Judgement, Move
from .hiding import unexplored, with_hidden
from .observation import Change, Observations, SeenInPart, Spot, StepOutcome, outcome_from_json
from .open_state import OpenBelief
from .sight import observations_of
from .spots import spots_of

__all__ = [
    "Change",
    "Environment",
    "Judgement",
    "Move",
    "Observations",
    "OpenBelief",
    "SeenInPart",
    "StepOutcome",
    "Spot",
    "observations_of",
    "outcome_from_json",
    "spots_of",
    "unexplored",
    "with_hidden",
]
