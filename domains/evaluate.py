"""Truth of a formula in a state: the definition that everything else is checked against.

Quantifiers are loops and nothing is indexed; it must stay plain rather than become fast. Tests compare the
compiled goal, the planner and the simulator's faster paths with it. A state may be known in part only: then a
formula may be true, may be false, or both. A new kind of formula gets its meaning in :func:`possible` first,
and then in ``compiler/normal``. Must stay: whatever becomes known, what was decided before stays as it was.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Protocol, cast

from .deadline import check_time
from .formula import (
    And,
    Atom,
    Cardinality,
    Count,
    Equal,
    Exists,
    Forall,
    Formula,
    GroundAtom,
    Imply,
    Not,
    Or,
    Sometime,
    Term,
    TrajectoryConstraint,
    TypedVar,
    Var,
    conjunction,
    conjuncts,
    denied,
    named,
    substitute,
)

Part = tuple[Formula, bool, Mapping[str, str]]
"""A formula, the value that it is to have, and the binding of its variables."""


class State(Protocol):
    """Interface of a world that formulas can be evaluated in."""

    def holds(self, predicate: str, args: tuple[str, ...]) -> bool:
        """Return whether a ground atom is true now."""

    def happened(self, literal: Formula) -> bool:
        """Return whether a ground literal was true in some state up to now, this one included.

        Of a :class:`TrajectoryConstraint`, return whether it holds of the run up to now.
        """

    def members(self, type_or_class: str) -> Sequence[str]:
        """Return the names that a type or class ranges over, in a fixed order."""


class OpenState(Protocol):
    """Interface of a state of which only a part is known; ``None`` stands for what is open.

    Of a state that inherits it without more, no run is known and no facts exclude each other.
    """

    def holds(self, predicate: str, args: tuple[str, ...]) -> bool | None:
        """Return whether a ground atom is true."""

    def happened(self, literal: Formula) -> bool | None:
        """Return whether a literal was true in some state up to this one, or a constraint holds of them."""
        return None

    def members(self, type_or_class: str) -> Sequence[str]:
        """Return the names that a type or class ranges over, in a fixed order."""

    def rivals(self, predicate: str, args: tuple[str, ...]) -> Hashable:
        """Return a name for a set of facts, this one included, of which at most one is true; or ``None``."""
        return None


def evaluate(formula: Formula, state: State, binding: Mapping[str, str] | None = None) -> bool:
    """Decide a formula in a state.

    Raises ``KeyError`` for a variable that is neither bound nor quantified.
    """
    # Nothing is open in such a state, so nothing asks it for the rivals of an open fact.
    return possible(formula, True, cast(OpenState, state), binding or {})


def truth(formula: Formula, state: OpenState, binding: Mapping[str, str] | None = None) -> bool | None:
    """Decide a formula as far as a state is known; ``None`` where it may be true and may be false.

    Open facts count as independent of each other, apart from rivals in counts: what is decided is so in every
    state of which this is a part, and ``None`` does not say that there is one of each value.
    """
    bound = binding or {}
    if not possible(formula, True, state, bound):
        return False
    return None if possible(formula, False, state, bound) else True


def possible(formula: Formula, value: bool, state: OpenState, bound: Mapping[str, str]) -> bool:
    """Return whether a formula may have a value, as far as a state is known."""
    match formula:
        case Atom(predicate, args):
            now = state.holds(predicate, tuple([named(a, bound) for a in args]))
            return now is None or now == value
        case Equal(left, right):
            return (named(left, bound) == named(right, bound)) == value
        case Not(part):
            return possible(part, not value, state, bound)
        case Sometime(watched) | (TrajectoryConstraint() as watched):
            ground: dict[str, Term] = dict(bound)
            now = state.happened(substitute(watched, ground))
            return now is None or now == value
        case Count(kind, number, _, _) | Cardinality(kind, number, _):
            return _countable(formula, kind, number, value, state, bound)
    each = (possible(part, sign, state, b) for part, sign, b in parts(formula, value, state, bound))
    return all(each) if conjunctive(formula, value) else any(each)


_Rival = tuple[Hashable, Hashable]
"""A fact, and a name for the facts of which it is the only true one, where it is true."""


def _countable(
    formula: Formula, kind: str, number: int, value: bool, state: OpenState, bound: Mapping[str, str]
) -> bool:
    """Return whether the number of true parts may be as a count says, or may not be so."""
    true = most = resting = 0
    more = (kind == "at-least") == value
    numbers: dict[Hashable, Counter[Hashable]] = {}
    for index, (part, _, b) in enumerate(parts(formula, True, state, bound)):
        if not possible(part, True, state, b):
            continue
        if not possible(part, False, state, b):
            true += 1
        else:
            resting += 1
            rest: list[_Rival] = _rivals(part, state, b) or [(index, (index,))]
            for fact, rivals in dict.fromkeys(rest):
                numbers.setdefault(rivals, Counter())[fact] += 1
        # One at most of facts that are rivals is true, and with it all parts that rest on it.
        most = true + min(resting, sum(max(facts.values()) for facts in numbers.values()))
        if true > number or (more and most > number):
            break
    if kind == "exactly":
        return true <= number <= most if value else true != number or most != number
    return most >= number + (not value) if more else true <= number - (not value)


def _rivals(formula: Formula, state: OpenState, bound: Mapping[str, str]) -> list[_Rival]:
    """Return facts one of which is true wherever a formula is, each with its rivals; none if unknown."""
    if isinstance(formula, Atom):
        names = tuple([named(a, bound) for a in formula.args])
        rivals = state.rivals(formula.predicate, names)
        return [((formula.predicate, *names), rivals)] if rivals is not None else []
    if isinstance(formula, And):
        return next(filter(None, (_rivals(part, state, bound) for part in formula.parts)), [])
    facts: list[_Rival] = []
    if isinstance(formula, Or | Exists):
        for part, _, b in parts(formula, True, state, bound):
            if possible(part, True, state, b):
                some = _rivals(part, state, b)
                if not some:
                    return []
                facts += some
    return facts


_Bounds = tuple[Counter[Formula], int, int]
"""Ground parts, and how many of them are true at least and at most."""


def counts_clash(required: Sequence[Part], state: OpenState) -> bool:
    """Return whether two counts that are to have their values contradict each other in numbers alone.

    At least five of seven and at most four of the same; at least two of them and six that are not so; three
    in one room and five in another.
    """
    counts = [bounds for part in required for bounds in _bounds(part, state)]
    for (some, least, _), (others, least_others, most_others) in itertools.permutations(counts, 2):
        if least > most_others + (some - others).total():
            return True
        together = Cardinality("at-least", least + least_others, (*some.elements(), *others.elements()))
        if least and least_others and not possible(together, True, state, {}):
            return True
    return False


def _bounds(part: Part, state: OpenState) -> Iterator[_Bounds]:
    """Yield the open parts of a count, and then their negations, with how many of each are true."""
    formula, value, bound = part
    if not isinstance(formula, Count | Cardinality) or (formula.kind == "exactly" and not value):
        return
    each: Counter[Formula] = Counter()
    number = formula.number
    for body, _, b in parts(formula, True, state, bound):
        if not possible(body, False, state, b):
            number -= 1
        elif possible(body, True, state, b):
            ground: dict[str, Term] = dict(b)
            open_parts = [p for p in conjuncts(substitute(body, ground)) if possible(p, False, state, {})]
            each[conjunction(open_parts)] += 1
    total = each.total()
    least, most = number, number
    if formula.kind != "exactly":
        more = (formula.kind == "at-least") == value
        least, most = (number + (not value), total) if more else (0, number - (not value))
    yield each, least, most
    yield Counter({denied(p): n for p, n in each.items()}), total - most, total - least


def conjunctive(formula: Formula, value: bool) -> bool:
    """Return whether all parts of a formula must have their values for it to have one, or else any."""
    match formula:
        case Not():
            return True
        case And() | Forall():
            return value
        case Or() | Exists() | Imply():
            return not value
    return False


def parts(formula: Formula, value: bool, state: OpenState, bound: Mapping[str, str]) -> Iterator[Part]:
    """Yield the parts of a formula, for each binding of its variables, with the values that give it one."""
    match formula:
        case Not(part):
            yield part, not value, bound
        case And(some) | Or(some) | Cardinality(_, _, some):
            for part in some:
                yield part, value, bound
        case Imply(left, right):
            yield left, not value, bound
            yield right, value, bound
        case Exists(variables, body) | Forall(variables, body) | Count(_, _, variables, body):
            implies = isinstance(formula, Forall) and isinstance(body, Imply)
            guard = body.left if implies and isinstance(body, Imply) else body
            guards = () if isinstance(formula, Forall) and not implies else conjuncts(guard)
            for choice in bindings(variables, state, bound, guards if len(variables) > 1 else ()):
                yield body, value, choice


def bindings(
    variables: tuple[TypedVar, ...],
    state: State | OpenState,
    bound: Mapping[str, str],
    guards: Sequence[Formula] = (),
) -> Iterator[dict[str, str]]:
    """Yield every extension of a binding to the variables.

    None are tried for further variables where one of the atoms among ``guards`` is false already. A name that
    is declared once more, here or further out, counts as bound by its last declaration alone.
    """
    check_time("evaluating a formula")
    if not variables:
        yield dict(bound)
        return
    first, rest = variables[0], variables[1:]
    # What a name stands for now is no value of the variable of that name that is still to be bound.
    later = {v.name for v in rest} if guards else set()
    for name in state.members(first.type):
        choice = {**bound, first.name: name}
        settled = {n: value for n, value in choice.items() if n not in later} if guards else choice
        if not (rest and guards and _ruled_out(guards, cast(OpenState, state), settled)):
            yield from bindings(rest, state, choice, guards)


def compare(kind: str, count: int, number: int) -> bool:
    """Return whether a count is ``exactly``, ``at-least`` or ``at-most`` a number."""
    if kind == "exactly":
        return count == number
    return count >= number if kind == "at-least" else count <= number


def _ruled_out(guards: Sequence[Formula], state: OpenState, choice: Mapping[str, str]) -> bool:
    atoms = (g for g in guards if isinstance(g, Atom))
    bound = (g for g in atoms if all(a.name in choice for a in g.args if isinstance(a, Var)))
    return any(not possible(g, True, state, choice) for g in bound)


def required_parts(
    formula: Formula, value: bool, state: OpenState, bound: Mapping[str, str]
) -> Iterator[Part]:
    """Yield the parts that must all have their values for a formula to have one."""
    if conjunctive(formula, value):
        for part, sign, b in parts(formula, value, state, bound):
            yield from required_parts(part, sign, state, b)
    else:
        yield formula, value, bound


def open_atoms(
    formula: Formula, value: bool, state: OpenState, bound: Mapping[str, str]
) -> Iterator[GroundAtom]:
    """Yield the open atoms that the first way for a formula to have a value rests on."""
    match formula:
        case Atom(predicate, args):
            names = tuple(named(a, bound) for a in args)
            if state.holds(predicate, names) is None:
                yield Atom(predicate, names)
        case Count() | Cardinality():
            for part, _, b in parts(formula, True, state, bound):
                if possible(part, True, state, b) and possible(part, False, state, b):
                    yield from open_atoms(part, True, state, b)
        case _ if conjunctive(formula, value):
            for part, sign, b in parts(formula, value, state, bound):
                yield from open_atoms(part, sign, state, b)
        case _:
            ways = parts(formula, value, state, bound)
            for part, sign, b in ways:
                if possible(part, sign, state, b):
                    yield from open_atoms(part, sign, state, b)
                    break
