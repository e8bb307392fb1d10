from ..methods.houses import Explorer, SearchRun, search_house
from .acting import act_in
from .beliefs import EqualLikelihood, MeaningLikelihood, SimilarityPriors, SpotPriors
from .execution import Execution
from .expected_cost import LookingOrder, LookingProblem, best_order
from .finish import Finish
from .likely import LeastExpectedCost, LikeliestFirst, LikeliestPerMetre
from .log import Intended, LookedAgain, Recorder, Reported, Unreached, log_from_json, log_to_json
from .policy import LookOption, NearestUnlooked, OptimisticNearest, Policy, Priors, Situation, Uniform

__all__ = [
    "EqualLikelihood",
    "Execution",
    "Explorer",
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
    "OptimisticNearest",
    "Policy",
    "Priors",
    "Recorder",
    "Reported",
    "SearchRun",
    "SimilarityPriors",
    "Situation",
    "SpotPriors",
    "Uniform",
    "Unreached",
    "act_in",
    "best_order",
    "log_from_json",
    "log_to_json",
    "search_house",
]
