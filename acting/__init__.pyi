from .acting import act_in
from .beliefs import EqualLikelihood, MeaningLikelihood, SimilarityPriors, SpotPriors
from .execution import Execution
from .expected_cost import LookingOrder, LookingProblem, best_order
from .finish import Finish
from .likely import LeastExpectedCost, LikeliestFirst, LikeliestPerMetre
from .log import Intended, LookedAgain, Recorder, Reported, Unreached, log_from_json, log_to_json
from .observation import Observation
from .policy import LookOption, NearestUnlooked, OptimisticNearest, Policy, Priors, Situation, Uniform
from .supposed import SupposedExecution

__all__ = [
    "EqualLikelihood",
    "Execution",
    "Finish",
    "Intended",
    "LeastExpectedCost",
    "LikeliestFirst",
    "LikeliestPerMetre",
    "LookOption",
    "LookedAgain",
    "LookingOrder",
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
    "SupposedExecution",
    "Uniform",
    "Unreached",
    "act_in",
    "best_order",
    "log_from_json",
    "log_to_json",
]
