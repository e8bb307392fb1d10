"""Invariants of a pack's exclusive groups, for comparing goals.

``domains/exclusive`` tests pairs of facts; :func:`invariants` states the groups for some atoms as a formula
that holds in every reachable state. Other invariants that follow from the pack's actions may be added; each
must hold in every state.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...domains.formula import And, Atom, Cardinality, Formula, GroundAtom, Or
from ...simulator.belief import Belief


def invariants(atoms: Iterable[GroundAtom], belief: Belief) -> Formula:
    """Return the invariants of ground atoms by the exclusive groups, true in every reachable state.

    At most one of a group holds of a thing. Exactly one does where the group is about the thing alone
    (``open`` and ``closed``), one holds now, and every action that deletes one adds another.
    """
    given: list[Formula] = []
    unique = dict.fromkeys(atoms)
    for patterns in belief.exclusive.values():
        robot = {p.predicate for p in patterns if not p.args or "*" in p.args}
        about = {p.predicate for p in patterns} - robot
        shared = [a for a in unique if a.predicate in robot]
        groups: dict[str, list[GroundAtom]] = {}
        for atom in unique:
            if atom.predicate in about:
                groups.setdefault(atom.args[0], []).append(atom)
        given += [
            Cardinality("at-most", 1, (*shared, *own)) for own in groups.values() or [[]] if shared or own
        ]
        if not robot and all(len(p.args) == 1 for p in patterns) and _steady(patterns, belief):
            for name in groups:
                if any(belief.facts.holds(p.predicate, (name,)) for p in patterns):
                    given.append(Or(tuple(Atom(p.predicate, (name,)) for p in patterns)))
    return And(tuple(g for g in given if not isinstance(g, Cardinality) or len(g.parts) > 1))


def _steady(patterns: tuple[Atom, ...], belief: Belief) -> bool:
    """Return whether no action leaves a thing with none of a group."""
    names = {p.predicate for p in patterns}
    for action in belief.pack.domain.actions.values():
        added = {a.args for a in action.add if a.predicate in names}
        if any(d.args not in added for d in action.delete if d.predicate in names):
            return False
    return True
