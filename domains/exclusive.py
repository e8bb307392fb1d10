"""Facts that cannot be true together, as a pack's ``[exclusive]`` table says: one place a thing."""

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
    """The first of the other facts that cannot hold together with a fact.

    A group's patterns are about one thing, their first argument; ``*`` stands for anything, and then the
    whole group is about the robot. All facts are ground.
    """
    for group, patterns in pack.mapping.exclusive.items():
        mine = next((p for p in patterns if p.predicate == atom.predicate), None)
        if mine is None:
            continue
        for other in others:
            theirs = next((p for p in patterns if p.predicate == other.predicate), None)
            if theirs is None or other == atom:
                continue
            about_robot = not mine.args or "*" in mine.args or not theirs.args or "*" in theirs.args
            if about_robot or atom.args[0] == other.args[0]:
                return Clash(other, atom, group)
    return None


def consistent(atoms: Sequence[Atom], pack: Pack) -> bool:
    """Whether no two of the facts exclude each other."""
    return all(clash(a, atoms[:i], pack) is None for i, a in enumerate(atoms))
