from .discounted_order import soonest
from .expected_cost import LookingProblem, best_order
from .likely import LeastExpectedCost, LikeliestFirst, LikeliestPerMetre
from .policy import LookOption, NearestUnlooked, OptimisticNearest, Policy, Priors, Situation, Uniform

__all__ = [
    "LeastExpectedCost",
    "LikeliestFirst",
    "LikeliestPerMetre",
    "LookOption",
    "LookingProblem",
    "NearestUnlooked",
    "OptimisticNearest",
    "Policy",
    "Priors",
    "Situation",
    "Uniform",
    "best_order",
    "soonest",
]
