from .asking import AskedLikelihood
from .houses import HouseBeliefs, UsualPlaces
from .likelihood import EqualLikelihood, Likelihood, MeaningLikelihood
from .nearness import NearGoalPriors
from .spots import SimilarityPriors, SpotPriors

__all__ = [
    "AskedLikelihood",
    "EqualLikelihood",
    "HouseBeliefs",
    "Likelihood",
    "MeaningLikelihood",
    "NearGoalPriors",
    "SimilarityPriors",
    "SpotPriors",
    "UsualPlaces",
]
