"""The bindings of variables that make a formula true in the scene as it is.

The meaning is that of ``domains.evaluate``; the tests compare the two. Here quantifiers do not loop over a
whole class where something else says what a variable can be: the facts about what is already bound (what is
in this room, what lies on this desk), classes, attributes and equality. Of several variables the one with the
fewest candidates is bound next, and what is decided is tested at once. A quantified formula whose free
variables have the same values is decided once. What is left to try is counted, so that a question about all
pairs of things ends with a message and not with the patience of whoever asked.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from ...domains.errors import GoalError
from ...domains.evaluate import compare
from ...domains.formula import (
    And,
    Atom,
    Cardinality,
    Count,
    Equal,
    Exists,
    Forall,
    Formula,
    Imply,
    Not,
    Or,
    Sometime,
    Term,
    Var,
)
from ...simulator.belief import Belief
from .lookup import Lookup
from .ranges import Range, Ranges

MAX_STEPS = 1_000_000
"""Most atoms, connectives and candidates that one question may look at."""

FEW = 16
"""Most values of a quantified variable that are tried out to find what another variable can be."""

Binding = Mapping[str, str]


class Search:
    """Truth and solutions in the initial state of a belief.

    Every method may raise :class:`GoalError`: the question is too large.
    """

    def __init__(self, belief: Belief) -> None:
        self.at_hand = Lookup(belief)
        self.steps = 0
        self.ranges = Ranges(self.at_hand)
        self._decided: dict[tuple[int, tuple[str, ...]], bool] = {}

    def step(self) -> None:
        self.steps += 1
        if self.steps > MAX_STEPS:
            hint = "give the variables narrower classes, or say what connects them"
            raise GoalError("query", f"a question of at most {MAX_STEPS} steps", "more", hint)

    # Truth

    def holds(self, node: Formula, binding: Binding) -> bool:
        """Whether a formula holds under a binding of its free variables."""
        self.step()
        match node:
            case Atom(predicate, args):
                return self.at_hand.holds(predicate, tuple([_name(a, binding) for a in args]))
            case Equal(left, right):
                return _name(left, binding) == _name(right, binding)
            case Not(part):
                return not self.holds(part, binding)
            case And(parts) | Or(parts):
                wanted = isinstance(node, And)
                for part in parts:  # no all() or any(): formulas are deep, and each would be a frame more
                    if self.holds(part, binding) != wanted:
                        return not wanted
                return wanted
            case Imply(left_part, right_part):
                return not self.holds(left_part, binding) or self.holds(right_part, binding)
            case Cardinality(kind, number, parts):
                return compare(kind, sum([self.holds(p, binding) for p in parts]), number)
            case Sometime(body):
                return self.holds(body, binding)
        key = id(node), tuple([binding[name] for name in self.ranges.free(node)])
        known = self._decided.get(key)
        if known is None:
            most = node.number + 1 if isinstance(node, Count) else 1
            found = 0
            for _ in self.solutions(self.ranges.of(node), binding):
                found += 1
                if found == most:
                    break
            if isinstance(node, Count):
                known = compare(node.kind, found, node.number)
            else:
                known = (found > 0) == isinstance(node, Exists)
            self._decided[key] = known
        return known

    # Solutions

    def solutions(self, over: Range, binding: Binding) -> Iterator[Binding]:
        """Every way to bind the variables of a range on top of what is bound."""
        outer = {n: v for n, v in binding.items() if n not in over.declared}
        for must in over.musts:
            if not must.names and self.holds(must.formula, outer) != must.sign:
                return
        stack = [iter([(outer, tuple(over.declared))])]
        while stack:
            step = next(stack[-1], None)
            if step is None:
                stack.pop()
            elif step[1]:
                stack.append(self.extensions(over, *step))
            else:
                for _ in range(over.repeats):
                    self.step()
                    yield step[0]

    def extensions(
        self, over: Range, binding: dict[str, str], rest: tuple[str, ...]
    ) -> Iterator[tuple[dict[str, str], tuple[str, ...]]]:
        """One more variable bound, the one with the fewest candidates, in every way that is not yet wrong."""
        name, pool = "", None
        for one in rest:
            found = self.candidates(over, one, binding)
            if pool is None or len(found) < len(pool):
                name, pool = one, found
            if len(found) < 2:
                break
        left = tuple([n for n in rest if n != name])
        ready = [m for m in over.musts if name in m.names and m.names.isdisjoint(left)]
        for value in pool or ():
            extended = {**binding, name: value}
            for must in ready:
                if self.holds(must.formula, extended) != must.sign:
                    break
            else:
                self.step()
                yield extended, left

    def candidates(self, over: Range, name: str, binding: Binding) -> Collection[str]:
        """What a variable can be: the members of its class, or fewer where a condition names fewer."""
        members = self.at_hand.members(over.declared[name])
        pools = [self.pool(name, m.formula, m.sign, binding) for m in over.musts if name in m.names]
        pool = _smallest(pools)
        if pool is None or len(pool) >= len(members):
            return members
        inside = self.at_hand.inside(over.declared[name])
        return [p for p in dict.fromkeys(pool) if p in inside]

    def pool(
        self, name: str, node: Formula, sign: bool, binding: Binding, far: bool = True
    ) -> Collection[str] | None:
        """A superset of what a variable can be where a formula holds, or does not; ``None`` for anything.

        ``far`` says whether to look through what a quantified variable can be.
        """
        self.step()
        match node:
            case Atom(predicate, args) if sign and Var(name) in args:
                values = [_value(a, binding) for a in args]
                return self.at_hand.matching(predicate, args.index(Var(name)), values)
            case Equal(left, right) if sign and Var(name) in (left, right):
                value = _value(right if left == Var(name) else left, binding)
                return (value,) if value is not None else None
            case Not(part):
                return self.pool(name, part, not sign, binding, far)
            case And(parts) | Or(parts):
                pools = [self.pool(name, p, sign, binding, far) for p in parts]
                return _smallest(pools) if isinstance(node, And) == sign else _union(pools)
            case Imply(left_part, right_part):
                sides = ((left_part, not sign), (right_part, sign))
                pools = [self.pool(name, part, wanted, binding, far) for part, wanted in sides]
                return _union(pools) if sign else _smallest(pools)
            case Exists() | Forall() if isinstance(node, Exists) == sign:
                return self.within(name, node, sign, binding, far)
            case Count(kind, number, _, _) if (kind == "at-most") != sign and (number > 0 or not sign):
                return self.within(name, node, True, binding, far)
        return None

    def within(
        self, name: str, node: Exists | Forall | Count, sign: bool, binding: Binding, far: bool
    ) -> Collection[str] | None:
        """The pool of the body of a quantifier, whose own variables are not bound yet.

        Where one of them can only be a few things, the pools for each of those together: with a desk in
        question, what else lies where the book lies.
        """
        own = {v.name: v.type for v in node.variables}
        if name not in self.ranges.free(node):
            return None
        inner = {n: v for n, v in binding.items() if n not in own}
        for one, kind in own.items() if far else ():
            values: Collection[str] = self.at_hand.members(kind)
            if len(values) > FEW:
                found = self.pool(one, node.body, sign, inner, False)
                values = values if found is None else found
            if len(values) <= FEW:
                pools = [self.pool(name, node.body, sign, {**inner, one: v}, False) for v in values]
                return _union(pools)
        return self.pool(name, node.body, sign, inner, False)


def _name(term: Term, binding: Binding) -> str:
    return binding[term.name] if isinstance(term, Var) else term


def _value(term: Term, binding: Binding) -> str | None:
    return binding.get(term.name) if isinstance(term, Var) else term


def _smallest(pools: Sequence[Collection[str] | None]) -> Collection[str] | None:
    return min((p for p in pools if p is not None), key=len, default=None)


def _union(pools: Sequence[Collection[str] | None]) -> Collection[str] | None:
    known = [p for p in pools if p is not None]
    if len(known) < len(pools):
        return None
    return dict.fromkeys(name for pool in known for name in pool)
