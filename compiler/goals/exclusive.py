"""Facts that cannot be true together, as a goal's check and the comparison of goals need them.

The rule itself belongs to the packs; :func:`invariants` states it for some atoms as a formula that holds in
every state.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...domains.exclusive import Clash, clash, consistent
from ...domains.formula import And, Atom, Cardinality, Formula, Or
from ...simulator.belief import Belief
from ...simulator.facts import ground_args

__all__ = ["Clash", "clash", "consistent", "invariants"]


def invariants(atoms: Iterable[Atom], belief: Belief) -> Formula:
    """What the pack's exclusive groups say of ground atoms in every state that actions lead to.

    At most one of a group holds of a thing. Exactly one does where the group is about the thing alone
    (``open`` and ``closed``), one holds now, and every action that takes one away gives another.
    """
    given: list[Formula] = []
    known = dict.fromkeys(atoms)
    for patterns in belief.pack.mapping.exclusive.values():
        robot = {p.predicate for p in patterns if not p.args or "*" in p.args}
        about = {p.predicate for p in patterns} - robot
        shared = [a for a in known if a.predicate in robot]
        groups: dict[str, list[Atom]] = {}
        for atom in known:
            if atom.predicate in about:
                groups.setdefault(ground_args(atom)[0], []).append(atom)
        given += [
            Cardinality("at-most", 1, (*shared, *own)) for own in groups.values() or [[]] if shared or own
        ]
        if not robot and all(len(p.args) == 1 for p in patterns) and _steady(patterns, belief):
            for name in groups:
                if any(belief.facts.holds(p.predicate, (name,)) for p in patterns):
                    given.append(Or(tuple(Atom(p.predicate, (name,)) for p in patterns)))
    return And(tuple(g for g in given if not isinstance(g, Cardinality) or len(g.parts) > 1))


def _steady(patterns: tuple[Atom, ...], belief: Belief) -> bool:
    """Whether no action leaves a thing with none of a group."""
    names = {p.predicate for p in patterns}
    for action in belief.pack.domain.actions.values():
        added = {a.args for a in action.add if a.predicate in names}
        if any(d.args not in added for d in action.delete if d.predicate in names):
            return False
    return True
