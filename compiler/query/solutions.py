"""Solutions of conjunctive queries: the bindings of variables that make a formula true in the scene as it is.

The method is backtracking with the smallest domain first and may be changed; the meaning is that of
``domains.evaluate``, and tests compare the two. Quantifiers do not loop over a whole class where something
else says what a variable can be (the facts about what is bound already, classes, attributes, equality), the
variable with the fewest candidates is bound next, and a condition is tested as soon as its variables are
bound. A body is taken apart into such conditions by :func:`_conditions`; a name is declared once, which the
check of a question sees to. A quantified formula whose free variables have the same values is decided once.
Steps are counted up to ``MAX_STEPS``, so that a question about all pairs of things ends with a message.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from ...domains.deadline import check_time
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
    TrajectoryConstraint,
    TypedVar,
    Var,
    free_variables,
    named,
)
from ...simulator.belief import Belief
from .lookup import Lookup

MAX_STEPS = 1_000_000
"""Most atoms, connectives and candidates that one question may look at."""

FEW = 16
"""Most values of a quantified variable that are tried out to find what another variable can be."""

Binding = Mapping[str, str]


class Condition(NamedTuple):
    """A formula that must hold, or must not if ``sign`` is false; ``names`` are its variables to bind."""

    formula: Formula
    sign: bool
    names: frozenset[str]


class ConjunctiveQuery(NamedTuple):
    """Variables with their classes, and conditions that must all hold, each as soon as it can be tested."""

    declared: Mapping[str, str]
    conditions: tuple[Condition, ...]


class Search:
    """Truth and solutions in the initial state of a belief.

    Every method may raise :class:`GoalError`: the question is too large.
    """

    def __init__(self, belief: Belief) -> None:
        self.lookup = Lookup(belief)
        self.steps = 0
        # By id, which is quick where hashing a formula is not; formulas are kept so that ids stay theirs.
        self._formulas: list[Formula] = []
        self._free: dict[int, tuple[str, ...]] = {}
        self._queries: dict[int, ConjunctiveQuery] = {}
        self._decided: dict[tuple[int, tuple[str, ...]], bool] = {}

    def step(self) -> None:
        """Count one step. Raises :class:`GoalError` beyond ``MAX_STEPS``, and at a time limit."""
        check_time("answering the question")
        self.steps += 1
        if self.steps > MAX_STEPS:
            hint = "give the variables narrower classes, or say what connects them"
            raise GoalError("query", f"a question of at most {MAX_STEPS} steps", "more", hint)

    def free(self, node: Formula) -> tuple[str, ...]:
        """Return the names of the free variables of a formula, sorted."""
        if id(node) not in self._free:
            self._free[id(node)] = tuple(sorted(free_variables(node)))
        return self._free[id(node)]

    def over(self, variables: Sequence[TypedVar], body: Formula, sign: bool = True) -> ConjunctiveQuery:
        """Return the query for the bindings of variables under which a formula holds, or does not."""
        self._formulas.append(body)
        declared = {v.name: v.type for v in variables}
        conditions = (
            Condition(node, sign, frozenset(self.free(node)) & declared.keys())
            for node, sign in _conditions(body, sign)
        )
        return ConjunctiveQuery(declared, tuple(conditions))

    # Truth

    def holds(self, node: Formula, binding: Binding) -> bool:
        """Return whether a formula holds under a binding of its free variables."""
        self.step()
        match node:
            case Atom(predicate, args):
                return self.lookup.holds(predicate, tuple([named(a, binding) for a in args]))
            case Equal(left, right):
                return named(left, binding) == named(right, binding)
            case Not(part):
                return not self.holds(part, binding)
            case And(parts) | Or(parts):
                neutral = isinstance(node, And)
                for part in parts:  # no all() or any(): formulas are deep, and each would be a frame more
                    if self.holds(part, binding) != neutral:
                        return not neutral
                return neutral
            case Imply(left_part, right_part):
                return not self.holds(left_part, binding) or self.holds(right_part, binding)
            case Cardinality(kind, number, parts):
                return compare(kind, sum([self.holds(p, binding) for p in parts]), number)
            case Sometime(body):
                return self.holds(body, binding)
            case TrajectoryConstraint():
                raise ValueError(f"no question is about a run, got {node}")
        key = id(node), tuple([binding[name] for name in self.free(node)])
        if key not in self._decided:
            enough = node.number + 1 if isinstance(node, Count) else 1
            if id(node) not in self._queries:  # that of ``forall`` looks for a counterexample
                self._queries[id(node)] = self.over(node.variables, node.body, not isinstance(node, Forall))
            solution_count = len(list(islice(self.solutions(self._queries[id(node)], binding), enough)))
            if isinstance(node, Count):
                self._decided[key] = compare(node.kind, solution_count, node.number)
            else:
                self._decided[key] = (solution_count > 0) == isinstance(node, Exists)
        return self._decided[key]

    # Solutions

    def solutions(self, query: ConjunctiveQuery, binding: Binding) -> Iterator[Binding]:
        """Yield every way to bind the variables of a query on top of what is bound."""
        outer = {n: v for n, v in binding.items() if n not in query.declared}
        for condition in query.conditions:
            if not condition.names and self.holds(condition.formula, outer) != condition.sign:
                return
        stack = [iter([(outer, tuple(query.declared))])]
        while stack:
            step = next(stack[-1], None)
            if step is None:
                stack.pop()
            elif step[1]:
                stack.append(self.extensions(query, *step))
            else:
                self.step()
                yield step[0]

    def extensions(
        self, query: ConjunctiveQuery, binding: dict[str, str], rest: tuple[str, ...]
    ) -> Iterator[tuple[dict[str, str], tuple[str, ...]]]:
        """Bind the variable with the fewest candidates, in every way that breaks no condition."""
        name, pool = "", None
        for one in rest:
            candidates = self.candidates(query, one, binding)
            if pool is None or len(candidates) < len(pool):
                name, pool = one, candidates
            if len(candidates) < 2:
                break
        left = tuple([n for n in rest if n != name])
        ready = [c for c in query.conditions if name in c.names and c.names.isdisjoint(left)]
        for value in pool or ():
            extended = {**binding, name: value}
            for condition in ready:
                if self.holds(condition.formula, extended) != condition.sign:
                    break
            else:
                self.step()
                yield extended, left

    def candidates(self, query: ConjunctiveQuery, name: str, binding: Binding) -> Collection[str]:
        """Return the domain of a variable: the members of its class, or fewer if a condition names fewer."""
        members = self.lookup.members(query.declared[name])
        pools = [self.pool(name, c.formula, c.sign, binding) for c in query.conditions if name in c.names]
        pool = _smallest(pools)
        if pool is None or len(pool) >= len(members):
            return members
        member_set = self.lookup.member_set(query.declared[name])
        return [p for p in dict.fromkeys(pool) if p in member_set]

    def pool(
        self, name: str, node: Formula, sign: bool, binding: Binding, far: bool = True
    ) -> Collection[str] | None:
        """Return a superset of a variable's values where a formula holds, or does not; ``None`` for anything.

        ``far`` says whether to try out the values of one quantified variable.
        """
        self.step()
        match node:
            case Atom(predicate, args) if sign and Var(name) in args:
                values = [_value(a, binding) for a in args]
                return self.lookup.matching(predicate, args.index(Var(name)), values)
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
                pools = [self.pool(name, part, side, binding, far) for part, side in sides]
                return _union(pools) if sign else _smallest(pools)
            case Exists() | Forall() if isinstance(node, Exists) == sign:
                return self.within(name, node, sign, binding, far)
            case Count(kind, number, _, _) if (kind == "at-most") != sign and (number > 0 or not sign):
                return self.within(name, node, True, binding, far)
        return None

    def within(
        self, name: str, node: Exists | Forall | Count, sign: bool, binding: Binding, far: bool
    ) -> Collection[str] | None:
        """Return the pool of the body of a quantifier, whose own variables are not bound yet.

        Where one of them can only be a few things, it is the pools for each of those together: with a desk in
        question, what else lies where the book lies.
        """
        own = {v.name: v.type for v in node.variables}
        if name not in self.free(node):
            return None
        inner = {n: v for n, v in binding.items() if n not in own}
        for one, kind in own.items() if far else ():
            values: Collection[str] = self.lookup.members(kind)
            if len(values) > FEW:
                pool = self.pool(one, node.body, sign, inner, False)
                values = values if pool is None else pool
            if len(values) <= FEW:
                pools = [self.pool(name, node.body, sign, {**inner, one: v}, False) for v in values]
                return _union(pools)
        return self.pool(name, node.body, sign, inner, False)


def _value(term: Term, binding: Binding) -> str | None:
    return binding.get(term.name) if isinstance(term, Var) else term


def _smallest(pools: Sequence[Collection[str] | None]) -> Collection[str] | None:
    return min((p for p in pools if p is not None), key=len, default=None)


def _union(pools: Sequence[Collection[str] | None]) -> Collection[str] | None:
    bounded = [p for p in pools if p is not None]
    if len(bounded) < len(pools):
        return None
    return dict.fromkeys(name for pool in bounded for name in pool)


def _conditions(node: Formula, sign: bool) -> Iterator[tuple[Formula, bool]]:
    """Yield the formulas that must all hold, or must not, for a formula to hold, or not."""
    stack = [(node, sign)]
    while stack:
        node, sign = stack.pop()
        match node:
            case Not(part):
                stack.append((part, not sign))
            case And(parts) if sign:
                stack += [(p, True) for p in reversed(parts)]
            case Or(parts) if not sign:
                stack += [(p, False) for p in reversed(parts)]
            case Imply(left, right) if not sign:
                stack += [(right, False), (left, True)]
            case _:
                yield node, sign
