"""Requests one after the other as one goal, which holds at the end and says no order.

What a later one undoes holds at
some time before, where that is all: "open the fridge and close it again". Any other order declines, since the
goal would be true of a plan that does things the other way round: :class:`NoReferent` must be raised.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...domains.formula import (
    Atom,
    Exists,
    Formula,
    Not,
    Or,
    Sometime,
    conjuncts,
    is_ground_atom,
    walk,
)
from ...domains.pack import Pack
from ..english.facts import RequestFacts
from ..english.phrases import NoReferent, several
from .meanings import Meaning

_CONTRARY = (("heat", "cool"), ("cool", "heat"), ("fill", "clean"))
"""Senses of which the later takes back the earlier, whatever the pack says of their facts."""


def ordered(parts: Sequence[Meaning], facts: RequestFacts) -> list[Formula]:
    """The conditions of some parts at the end, and what has to hold at some time before."""
    formulas = joined(parts)
    _check_taken_back(formulas, facts)
    return in_order(formulas, facts.pack)


def joined(parts: Sequence[Meaning]) -> list[Formula]:
    """The formulas of some parts. Raises :class:`NoReferent` where "it" may be another one later."""
    result: list[Formula] = []
    for index, part in enumerate(parts):
        ids = set(part.again.ids) if part.again is not None else set()
        if part.again is None or all(ids.isdisjoint(earlier.nodes) for earlier in parts[:index]):
            result.append(part.formula)
            continue
        if any(isinstance(condition, Exists | Or) for condition in conjuncts(part.formula)):
            raise several(part.again.phrase, part.again.ids)
        result += conjuncts(part.formula)
    return result


def in_order(formulas: Sequence[Formula], pack: Pack) -> list[Formula]:
    """Hold what a later request undoes at some time: once, and of a thing that is not moved.

    What is fetched and then put somewhere need not be mentioned. Raises :class:`NoReferent` where something
    else is asked for in between, which a goal would not hold in between.
    """
    result: list[Formula] = []
    undone: list[Atom] = []
    for index, formula in enumerate(formulas):
        for part in conjuncts(formula):
            at, rival = _rival(part, formulas, index, pack)
            inner = conjuncts(part.body) if isinstance(part, Exists) else ()
            for atom in (a for a in inner if isinstance(a, Atom) and is_ground_atom(a)):
                if (later := _rival(atom, formulas, index, pack)[1]) is not None:
                    raise out_of_order(atom, later)
            if rival is None or not isinstance(part, Atom):
                result.append(part)
            elif part.predicate != pack.mapping.robot_held.predicate and not comes_with(part, formula):
                undone.append(part)
                between = formulas[index + 1 : at]
                if undone[1:] or (part.args[1:] and not between) or not all(_about(part, f) for f in between):
                    raise out_of_order(undone[0], rival)
                result.append(Sometime(part))
    return result


def _about(part: Atom, formula: Formula) -> bool:
    return any(isinstance(a, Atom) and part.args[0] in a.args for a in walk(formula))


def out_of_order(first: Atom, later: Atom) -> NoReferent:
    """The gap of two requests of which the later undoes the first."""
    return NoReferent(f"no goal says that first {first} is to hold and then {later}", final=True)


def _rival(part: Formula, formulas: Sequence[Formula], index: int, pack: Pack) -> tuple[int, Atom | None]:
    """The last of the later requests that undoes a part, and what of it does."""
    for at in reversed(range(index + 1, len(formulas)) if isinstance(part, Atom) else ()):
        positive = (c for c in conjuncts(formulas[at]) if not isinstance(c, Not))
        for atom in (a for c in positive for a in walk(c) if isinstance(a, Atom)):
            if isinstance(part, Atom) and excludes(part, atom, pack):
                return at, atom
    return 0, None


def _check_taken_back(formulas: Sequence[Formula], facts: RequestFacts) -> None:
    """Raise :class:`NoReferent` where a thing is heated and cooled, or put into what is emptied after it."""
    contrary = {(facts.predicate(a), facts.predicate(b)) for a, b in _CONTRARY}
    inside = facts.predicate("inside")
    for index, formula in enumerate(formulas):
        first = [a for a in conjuncts(formula) if isinstance(a, Atom)]
        after = [c for f in formulas[index + 1 :] for c in conjuncts(f)]
        for a, c in ((a, c) for a in first for c in after):
            b = c.part if isinstance(c, Not) else c
            if not isinstance(b, Atom) or not a.args or not b.args:
                continue
            emptied = isinstance(c, Not) and (a.predicate, b.predicate) == (inside, inside)
            if (emptied and a.args[-1] == b.args[-1]) or (
                (a.predicate, b.predicate) in contrary and a.args[0] == b.args[0]
            ):
                raise out_of_order(a, b)


def comes_with(part: Atom, formula: Formula) -> bool:
    """Return whether a state is of where something goes, and was not asked for: "put it into the chest"."""
    conditions = (c.body if isinstance(c, Exists) else c for c in conjuncts(formula))
    others = (a for c in conditions for a in conjuncts(c) if isinstance(a, Atom) and a.args[1:])
    return not part.args[1:] and any(a.args[-1] == part.args[0] for a in others)


def excludes(a: Atom, b: Atom, pack: Pack) -> bool:
    """Return whether two facts about one thing cannot hold together, as the pack says."""
    if a.predicate == b.predicate or not a.args or not b.args or a.args[0] != b.args[0]:
        return False
    groups = ({p.predicate for p in group} for group in pack.mapping.exclusive.values())
    return any({a.predicate, b.predicate} <= group for group in groups)
