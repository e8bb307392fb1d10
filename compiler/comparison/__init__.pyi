from .drift import drifted
from .entailment import Entailment, entails
from .equivalence import equivalent

__all__ = ["Entailment", "drifted", "entails", "equivalent"]
