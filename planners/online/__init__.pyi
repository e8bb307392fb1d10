from .acting import act_in
from .execution import Execution, Finish
from .expected_cost import LookingOrder, LookingProblem, best_order
from .exploration import Explorer, SearchRun, search_house
from .log import Intended, LookedAgain, Reported, Unreached, log_from_json, log_to_json
from .policy import LookOption, NearestUnlooked, OptimisticNearest, Policy, Priors, Situation, Uniform

__all__ = [
    "Execution",
    "Explorer",
    "Finish",
    "Intended",
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
    "Situation",
    "Uniform",
    "Unreached",
    "act_in",
    "best_order",
    "log_from_json",
    "log_to_json",
    "search_house",
]
