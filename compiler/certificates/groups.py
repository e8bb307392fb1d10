"""Groups of facts of which at most one is true, looked up by fact.

They are those of a pack's ``[exclusive]`` that its actions are shown to keep and that the scene begins with
(``Belief.exclusive``). A group that is not shown counts for nothing in a certificate.
"""

from __future__ import annotations

from ...domains.checks.induction import about_robot
from ...domains.exclusive import Groups
from ...domains.formula import Atom
from ...simulator.belief import Belief
from ...simulator.facts import ground_args


class Exclusion:
    """The facts that exclude each other in one scene, by the groups that are shown."""

    def __init__(self, belief: Belief, groups: Groups) -> None:
        pack = belief.pack
        self._of: dict[str, list[tuple[int, bool]]] = {}
        self.one_place = self.one_stand = -1
        """The groups by which every thing is in one place, and the robot at one; -1 for none."""
        placed = {*pack.locations, pack.mapping.robot_held.predicate}
        for index, patterns in enumerate(groups.values()):
            own = {p.predicate for p in patterns if not about_robot(p)}
            for name in dict.fromkeys(p.predicate for p in patterns):
                self._of.setdefault(name, []).append((index, name not in own))
            if placed <= own:
                self.one_place = index
            if any(p.predicate == pack.at and about_robot(p) for p in patterns):
                self.one_stand = index

    def keys(self, predicate: str, args: tuple[str, ...]) -> list[tuple[int, str]]:
        """Return the groups that a fact is in, each with what it is about: one fact of each is true."""
        return [(group, "" if robot else args[0]) for group, robot in self._of.get(predicate, ())]

    def exclude(self, one: Atom, other: Atom) -> bool:
        """Return whether two ground facts are never true together."""
        keys = self.keys(other.predicate, ground_args(other))
        return one != other and any(k in keys for k in self.keys(one.predicate, ground_args(one)))
