"""Arguments of actions that are, or must not be, the same object: how a problem writes it down.

PDDL lets two parameters be one object, and what an action adds it does not delete. Two cases need more:

- a schema with ``distinct`` asks for different arguments. Engines that know ``=`` get ``(not (= ?a ?b))``;
  for the others :func:`inequalities_as_facts` makes it a static predicate;
- where a predicate has a complement, adding ``(p ?a)`` and deleting ``(p ?b)`` would make both complements
  true with equal arguments. :func:`told_apart` makes of such a schema one for each case.

Another encoding may replace these, as long as no plan is lost and none is let in.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, product

from ..domains.action import Action
from ..domains.checks.instances import comparable
from ..domains.formula import Atom, GroundAtom, TypedVar, Var
from ..domains.pack import Pack
from ..domains.pddl import is_a

# Brackets, which no predicate of a pack can have; the symbols are the words between them.
SAME, DIFFERENT = "(same)", "(different)"
PARAMETERS = (TypedVar("a", "object"), TypedVar("b", "object"))

Pair = tuple[str, str]


def told_apart(action: Action, own_name: str, negated: Collection[str], pack: Pack) -> list[Action]:
    """Split a schema into one for each way in which its effects on ``negated`` predicates can meet.

    Each has static conditions that say which arguments are the same; the one with different arguments keeps
    the name. ``own_name`` is the pack's name of the action, which may be a variant of it. A schema whose
    effects cannot meet is returned as it is.
    """
    meeting = dict.fromkeys(
        pair
        for added in action.add
        for deleted in action.delete
        if added.predicate in negated and (pairs := _unifier(added, deleted))
        if all(_fit(action, pair, pack) for pair in pairs)
        if not pack.never_applies(replace(action.ground_by(_merged(action, pairs)), name=own_name))
        for pair in pairs
    )
    if not meeting or action.distinct:
        return [action]
    variants: list[Action] = []
    for equal in product((False, True), repeat=len(meeting)):
        same = [pair for pair, yes in zip(meeting, equal, strict=True) if yes]
        names = _merged(action, same)
        conditions = [
            Atom(SAME if yes else DIFFERENT, (Var(a), Var(b)))
            for (a, b), yes in zip(meeting, equal, strict=True)
        ]
        added_now = {_renamed(a, names) for a in action.add}
        delete = tuple(d for d in action.delete if _renamed(d, names) not in added_now)
        name = f"{action.name} same {len(variants)}" if same else action.name
        precondition = (*action.precondition, *conditions)
        variants.append(replace(action, name=name, precondition=precondition, delete=delete))
    return variants


def equality_facts(
    actions: Iterable[Action], objects: Sequence[tuple[str, str]], types: Mapping[str, str]
) -> list[GroundAtom]:
    """Return the facts of ``same`` and ``different`` that conditions of some actions ask about."""
    facts: dict[GroundAtom, None] = {}
    for action in actions:
        kinds = {p.name: p.type for p in action.parameters}
        for atom in action.precondition:
            if atom.predicate not in (SAME, DIFFERENT):
                continue
            left, right = (
                [n for n, t in objects if is_a(t, kinds[a.name], types)]
                for a in atom.args
                if isinstance(a, Var)
            )
            equal = atom.predicate == SAME
            pairs = ((a, b) for a in left for b in right if (a == b) == equal)
            facts |= dict.fromkeys(Atom(atom.predicate, pair) for pair in pairs)
    return list(facts)


def equality_predicates(actions: Iterable[Action]) -> dict[str, tuple[TypedVar, ...]]:
    """Return the predicates of :func:`equality_facts` that some actions use."""
    used = {atom.predicate for action in actions for atom in action.precondition}
    return {name: PARAMETERS for name in (DIFFERENT, SAME) if name in used}


def inequalities(action: Action, types: Mapping[str, str]) -> list[Pair]:
    """Return the pairs of parameters that must differ and that their types allow to be the same."""
    if not action.distinct:
        return []
    return [
        (a.name, b.name)
        for a, b in combinations(action.parameters, 2)
        if is_a(a.type, b.type, types) or is_a(b.type, a.type, types)
    ]


def inequalities_as_facts(action: Action, types: Mapping[str, str]) -> Action:
    """Return a schema whose arguments differ by a static predicate, for engines that do not know ``=``."""
    conditions = [Atom(DIFFERENT, (Var(a), Var(b))) for a, b in inequalities(action, types)]
    return replace(action, precondition=(*action.precondition, *conditions), distinct=False)


def _unifier(first: Atom, second: Atom) -> tuple[Pair, ...]:
    """Return the pairs of parameters that are equal where two atoms are one; none if they always are."""
    if first.predicate != second.predicate:
        return ()
    pairs = zip(first.args, second.args, strict=True)
    return tuple(
        (min(a.name, b.name), max(a.name, b.name))
        for a, b in pairs
        if isinstance(a, Var) and isinstance(b, Var) and a != b
    )


def _merged(action: Action, pairs: Iterable[Pair]) -> dict[str, str]:
    """Return for each parameter the first of those that are the same."""
    names = {p.name: p.name for p in action.parameters}
    for a, b in pairs:
        low, high = names[a], names[b]
        names = {name: low if kept == high else kept for name, kept in names.items()}
    return names


def _renamed(atom: Atom, names: Mapping[str, str]) -> Atom:
    return Atom(atom.predicate, tuple(names[a.name] if isinstance(a, Var) else a for a in atom.args))


def _fit(action: Action, pair: Pair, pack: Pack) -> bool:
    """Return whether an object can be of the types of two parameters."""
    kinds = {p.name: p.type for p in action.parameters}
    return comparable(kinds[pair[0]], kinds[pair[1]], pack.domain)
