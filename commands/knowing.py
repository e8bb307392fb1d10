"""Beliefs of a robot by how much of a scene it knows: all of it, its furniture, or where it is.

``run`` begins with one of these; ``replay`` finds by the first line of a trace which it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from ..simulator.belief import Belief
from ..simulator.sensing.hiding import unexplored, with_hidden

KNOWN: Mapping[str, Callable[[Belief, Iterable[str]], Belief]] = {
    "all": lambda belief, named: belief,
    "furniture": lambda belief, named: with_hidden(belief, named=named),
    "here": unexplored,
}
"""The beliefs of a robot by what it knows: the whole scene, all but movable things, only where it is.

Beside the scene they get the names of things that it knows by name, and not where they are."""
