"""Mutual exclusion of facts by groups that are shown: a thing is in one place.

A pack's ``[exclusive]`` table only proposes groups. Goals are checked, branches of goals dropped and goals
compared by those alone that the pack's actions are shown to keep (``Pack.invariants``) and that hold in the
scene (``Belief.exclusive``): what else it calls exclusive may be reached after all. This compares pairs of
ground facts; laws over more than two belong into ``compiler/comparison/laws``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from .checks.induction import about_robot, excludes
from .deadline import check_time
from .formula import Atom, GroundAtom

Groups = Mapping[str, tuple[Atom, ...]]
Name = TypeVar("Name", str, str | None)


@dataclass(frozen=True, slots=True)
class Clash:
    """Two facts of one group that exclude each other."""

    first: GroundAtom
    second: GroundAtom
    group: str


class ExclusionIndex:
    """The groups of facts that exclude each other, looked up by fact."""

    def __init__(self, groups: Groups) -> None:
        self._of: dict[str, list[tuple[str, bool]]] = {}
        for group, patterns in groups.items():
            own = {p.predicate for p in patterns if not about_robot(p)}
            for name in dict.fromkeys(p.predicate for p in patterns):
                self._of.setdefault(name, []).append((group, name not in own))

    def keys(self, predicate: str, args: Sequence[Name]) -> list[tuple[str, str | Name]]:
        """Return the groups that a fact is in, each with what it is about: one fact of each is true.

        Where a group is about the robot, that is the empty text; where it is about anything, ``None``.
        """
        return [(group, "" if robot else args[0]) for group, robot in self._of.get(predicate, ())]

    def rivals(self, atoms: Iterable[GroundAtom]) -> list[list[GroundAtom]]:
        """Return, for each group that has several of some ground facts, these: at most one of them is true.

        The work grows with the facts and not with their pairs.
        """
        alike: dict[tuple[str, str], list[GroundAtom]] = {}
        for atom in dict.fromkeys(atoms):
            for key in self.keys(atom.predicate, atom.args):
                alike.setdefault(key, []).append(atom)
        return [facts for facts in alike.values() if len(facts) > 1]


def clash(atom: GroundAtom, others: Sequence[GroundAtom], groups: Groups) -> Clash | None:
    """Return the first of the other facts that cannot hold together with a fact.

    A group's patterns are about one thing, their first argument; ``*`` stands for anything, and then the
    whole group is about the robot. All facts are ground.
    """
    for group, patterns in groups.items():
        if all(p.predicate != atom.predicate for p in patterns):
            continue
        for other in others:
            if excludes(patterns, other, atom):
                return Clash(other, atom, group)
    return None


def consistent(atoms: Sequence[GroundAtom], groups: Groups) -> bool:
    """Return whether no two of the facts exclude each other."""
    for index, atom in enumerate(atoms):
        check_time("looking for facts that exclude each other")
        if clash(atom, atoms[:index], groups) is not None:
            return False
    return True
