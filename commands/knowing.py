"""Beliefs of a robot by how much of a scene it knows: all of it, its furniture, or where it is.

``run`` begins with one of these; ``replay`` finds by the first line of a trace which it was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..compiler.goals.goal import Goal
from ..domains.formula import names
from ..simulator.belief import Belief
from ..simulator.sensing.hiding import unexplored, with_hidden

KNOWN: Mapping[str, Callable[[Belief, Goal], Belief]] = {
    "all": lambda belief, goal: belief,
    "furniture": lambda belief, goal: with_hidden(belief, named=names(goal.formula)),
    "here": lambda belief, goal: unexplored(belief, named=names(goal.formula)),
}
"""The beliefs of a robot by what it knows: the whole scene, all but movable things, only where it is."""
