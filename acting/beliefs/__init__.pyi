from .asking import AskedLikelihood
from .likelihood import EqualLikelihood, Likelihood, MeaningLikelihood
from .naming import NamedPlacePriors, task_priors
from .nearness import NearGoalPriors
from .spots import SimilarityPriors, SpotPriors

__all__ = [
    "AskedLikelihood",
    "EqualLikelihood",
    "Likelihood",
    "MeaningLikelihood",
    "NamedPlacePriors",
    "NearGoalPriors",
    "SimilarityPriors",
    "SpotPriors",
    "task_priors",
]
