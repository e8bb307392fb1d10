"""Equivalence of goals: whether two goals ask for the same, however they are written.

Each must entail the other. What is not decided counts as different: a caller may then take one goal for two,
and never two for one.
"""

from __future__ import annotations

from ...domains.formula import Formula, conjuncts
from ...simulator.belief import Belief
from .conjuncts import renamed
from .entailment import Entailment


def equivalent(first: Formula, second: Formula, belief: Belief) -> bool:
    """Return whether two goals without errors are shown to ask for the same.

    >>> from groundplan import ground, load_pack, load_scene, parse_goal
    >>> from groundplan.compiler.comparison.equivalence import equivalent
    >>> office = ground(load_scene("office"), load_pack())
    >>> texts = ("(and (open fridge) (hot chicken_kebab))", "(and (hot chicken_kebab) (not (closed fridge)))")
    >>> equivalent(*(parse_goal(text).formula for text in texts), office)
    True
    """
    if _written(first) == _written(second):
        return True
    logic = Entailment(belief)
    return logic.entails(first, second) is True and logic.entails(second, first) is True


def _written(goal: Formula) -> frozenset[Formula]:
    """Return the conjuncts of a goal without their order and the names of variables."""
    return frozenset(map(renamed, conjuncts(goal)))
