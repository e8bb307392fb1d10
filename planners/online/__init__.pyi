from .acting import act_in
from .execution import Execution, Finish
from .expected_cost import LookingOrder, LookingProblem, best_order
from .exploration import Explorer, SearchRun, search_house
from .likely import LeastExpectedCost, LikeliestFirst, LikeliestPerMetre
from .log import Intended, LookedAgain, Reported, Unreached, log_from_json, log_to_json
from .policy import LookOption, NearestUnlooked, OptimisticNearest, Policy, Priors, Situation, Uniform
from .priors import SimilarityPriors

__all__ = [
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
    "NearestUnlooked",
    "OptimisticNearest",
    "Policy",
    "Priors",
    "Reported",
    "SearchRun",
    "SimilarityPriors",
    "Situation",
    "Uniform",
    "Unreached",
    "act_in",
    "best_order",
    "log_from_json",
    "log_to_json",
    "search_house",
]
