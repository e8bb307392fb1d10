"""Equivalence of goals: whether two goals ask for the same, however they are written.

Both are brought into a ground form over the scene, with the pack's exclusive groups as background, and each
must entail the other. What is too large to expand, or is not decided within the bound of ``entailment``,
counts as different: a caller may then take one goal for two, and never two for one.
"""

from __future__ import annotations

from ...domains.formula import Formula, conjuncts
from ...simulator.belief import Belief
from .conjuncts import expanded_size, renamed
from .drift import MAX_SIZE
from .entailment import Entailment
from .grounding import ground_forms


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
    if expanded_size(first, belief) + expanded_size(second, belief) > MAX_SIZE:
        return False
    (one, other), given = ground_forms((first, second), belief)
    if one is None or other is None:
        return False
    logic = Entailment(given)
    return logic.entails(one, other) is True and logic.entails(other, one) is True


def _written(goal: Formula) -> frozenset[Formula]:
    """Return the conjuncts of a goal without their order and the names of variables."""
    return frozenset(map(renamed, conjuncts(goal)))
