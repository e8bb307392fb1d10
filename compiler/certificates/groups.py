"""Groups of facts of which at most one is true, looked up by fact.

They are those of a pack's ``[exclusive]`` that its actions are shown to keep and that the scene begins with
(``Belief.exclusive``). A group that is not shown counts for nothing in a certificate.
"""

from __future__ import annotations

from ...domains.checks.induction import about_robot
from ...domains.exclusive import Groups
from ...domains.formula import Atom
from ...domains.pack import Pack
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
        self.contained = bool(groups) and pack.invariants.contained
        """True if nothing is in itself, through others or not, and the robot stands at nothing it holds."""
        self.placed = self.contained and self.one_place >= 0 and pack.invariants.placed
        """True if each thing is always in a place or in the hand."""
        self.stands = self.contained and self.one_stand >= 0 and _stays(pack)
        """True if the robot is always somewhere."""

    def keys(self, predicate: str, args: tuple[str, ...]) -> list[tuple[int, str]]:
        """Return the groups that a fact is in, each with what it is about: one fact of each is true."""
        return [(group, "" if robot else args[0]) for group, robot in self._of.get(predicate, ())]

    def exclude(self, one: Atom, other: Atom) -> bool:
        """Return whether two ground facts are never true together."""
        keys = self.keys(other.predicate, ground_args(other))
        return one != other and any(k in keys for k in self.keys(one.predicate, ground_args(one)))


def _stays(pack: Pack) -> bool:
    """Return whether every action that takes the robot from a place brings it to one."""
    actions = pack.domain.actions.values()
    moving = (a for a in actions if any(d.predicate == pack.at for d in a.delete))
    return all(any(e.predicate == pack.at for e in action.add) for action in moving)
