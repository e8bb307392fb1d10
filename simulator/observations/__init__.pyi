from .observation import Change, Observations, SeenInPart, Spot, StepOutcome, outcome_from_json

__all__ = [
    "Change",
    "Observations",
    "SeenInPart",
    "Spot",
    "StepOutcome",
    "outcome_from_json",
]
