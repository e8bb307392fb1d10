from .drift import drifted
from .entailment import Entailment, entails

__all__ = ["Entailment", "drifted", "entails"]
