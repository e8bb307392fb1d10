from .drift import drifted
from .entailment import Entailment, entails, equivalent
from .relation import GoalRelation, relate

__all__ = ["Entailment", "GoalRelation", "drifted", "entails", "equivalent", "relate"]
