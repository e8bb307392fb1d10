"""Mutual exclusion of facts, as a pack's ``[exclusive]`` table lists it: a thing is in one place.

Goals and scenes are checked with it, branches of goals dropped, and goals compared, so it must call nothing
exclusive that the table does not. It compares pairs of ground facts; invariants over more than two belong
into ``compiler/goals/invariants``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .formula import Atom
from .pack import Pack


@dataclass(frozen=True, slots=True)
class Clash:
    """Two facts of one group that exclude each other."""

    first: Atom
    second: Atom
    group: str


def clash(atom: Atom, others: Sequence[Atom], pack: Pack) -> Clash | None:
    """Return the first of the other facts that cannot hold together with a fact.

    A group's patterns are about one thing, their first argument; ``*`` stands for anything, and then the
    whole group is about the robot. All facts are ground.
    """
    for group, patterns in pack.mapping.exclusive.items():
        pattern = next((p for p in patterns if p.predicate == atom.predicate), None)
        if pattern is None:
            continue
        for other in others:
            other_pattern = next((p for p in patterns if p.predicate == other.predicate), None)
            if other_pattern is None or other == atom:
                continue
            about_robot = any(not p.args or "*" in p.args for p in (pattern, other_pattern))
            if about_robot or atom.args[0] == other.args[0]:
                return Clash(other, atom, group)
    return None


def consistent(atoms: Sequence[Atom], pack: Pack) -> bool:
    """Return whether no two of the facts exclude each other."""
    return all(clash(a, atoms[:i], pack) is None for i, a in enumerate(atoms))
