from .acting import act_in
from .beliefs import EqualLikelihood, MeaningLikelihood, SimilarityPriors, SpotPriors
from .certainty import Knowledge
from .episode import Episode, Recorder
from .finish import Finish
from .log import Intended, LookedAgain, Reported, Unreached, log_from_json, log_to_json
from .policies import (
    LeastExpectedCost,
    LikeliestFirst,
    LikeliestPerMetre,
    LookingProblem,
    LookOption,
    NearestUnlooked,
    OptimisticNearest,
    Policy,
    Priors,
    Situation,
    Uniform,
    best_order,
)
from .trajectory import Observation, Trajectory

__all__ = [
    "Episode",
    "EqualLikelihood",
    "Finish",
    "Intended",
    "Knowledge",
    "LeastExpectedCost",
    "LikeliestFirst",
    "LikeliestPerMetre",
    "LookOption",
    "LookedAgain",
    "LookingProblem",
    "MeaningLikelihood",
    "NearestUnlooked",
    "Observation",
    "OptimisticNearest",
    "Policy",
    "Priors",
    "Recorder",
    "Reported",
    "SimilarityPriors",
    "Situation",
    "SpotPriors",
    "Trajectory",
    "Uniform",
    "Unreached",
    "act_in",
    "best_order",
    "log_from_json",
    "log_to_json",
]
