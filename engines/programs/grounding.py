"""Grounding: from action schemas to the operators that matter, by joining instead of enumerating.

Conditions are joined over the facts reached so far. That yields only operators that are reachable when
deletions are ignored, and settles many unsolvable tasks on the way. What cannot matter for the goal is
dropped after that. The joins may be made faster; the order of the operators must stay, since it decides which
plan is found. Pyperplan's own grounding takes the product of all objects over an action's parameters: 20 ms
at 15 objects, and names outside `[a-z0-9_-]` are lost.

The input is pyperplan's parsed problem, taken as it is; nothing is imported from it. The package has a search
of its own for facts that nothing adds (`planners/proofs/statements.py`, over patterns of facts) and another
action elimination (`planners/carrying_out.py`, over the simulator's world). They stay apart from these,
which run in a process of their own with the standard library only; tests hold one against the other.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple


class GroundAtom(NamedTuple):
    predicate: str
    arguments: tuple[str, ...]

    def __str__(self) -> str:
        return f"({' '.join([self.predicate, *self.arguments])})"


@dataclass(frozen=True, slots=True)
class Ground:
    """A ground operator; `name` is in Lisp notation, as pyperplan's own operators have it."""

    name: str
    pre: tuple[str, ...]
    add: tuple[str, ...]
    delete: tuple[str, ...]


class SearchLimit(Exception):
    """More work than this phase may do."""


def ground(
    problem: Any, most: int | None = None
) -> tuple[list[Ground], frozenset[str], frozenset[str], str | None]:
    """Operators, initial state and goal over the facts that matter, or with a proof that no plan exists.

    `SearchLimit` when there are more operators than `most`.
    """
    init = dict.fromkeys(GroundAtom(p.name, tuple(o for o, _ in p.signature)) for p in problem.initial_state)
    goal = {str(GroundAtom(p.name, tuple(o for o, _ in p.signature))) for p in problem.goal}
    operators, reached = _reach(problem, init, most)
    if lacking := sorted(goal - reached):
        return [], frozenset(), frozenset(goal), f"relaxed reachability: {lacking[0]} cannot be reached"
    return _relevant(operators, {str(atom) for atom in init}, goal)


def _reach(
    problem: Any, init: Iterable[GroundAtom], most: int | None = None
) -> tuple[list[Ground], set[str]]:
    """Apply actions to the facts reached so far, never deleting, until nothing new comes.

    Facts that no action changes count from the start. Every other fact is taken from the agenda once;
    each action with a precondition that it matches is instantiated with all combinations of facts reached by
    then. So an instance appears when its last precondition does.
    """
    objects = dict(problem.objects) | dict(problem.domain.constants)
    of_type: dict[str, dict[str, None]] = defaultdict(dict)
    for name, kind in objects.items():
        while kind is not None:
            of_type[kind.name][name] = None
            kind = kind.parent
    actions = problem.domain.actions.values()
    changing = {atom.name for a in actions for atom in itertools.chain(a.effect.addlist, a.effect.dellist)}
    facts = _Facts()
    for fact in init:
        if fact.predicate not in changing:
            facts.add(fact)
    schemas = [_Schema(action, of_type, changing) for action in actions]
    consumers = defaultdict(list)
    for schema in schemas:
        for number, atom in enumerate(schema.pre):
            if atom.predicate in changing:
                consumers[atom.predicate].append((schema, number))

    agenda = [fact for fact in init if fact.predicate in changing]
    seen = set(init)
    operators: dict[str, Ground] = {}

    def apply(schema: _Schema, bindings: Iterator[dict[str, str]]) -> None:
        for binding in bindings:
            operator, added = schema.instance(binding)
            if operator.name not in operators:
                operators[operator.name] = operator
                if most is not None and len(operators) > most:
                    raise SearchLimit
                fresh = [atom for atom in added if atom not in seen]
                seen.update(fresh)
                agenda.extend(fresh)

    for schema in schemas:
        if not schema.awaits_change:
            apply(schema, schema.bindings(None, {}, facts))
    for fact in agenda:  # grows while we walk
        facts.add(fact)
        for schema, number in consumers[fact.predicate]:
            if (start := schema.unify(schema.pre[number], fact, {})) is not None:
                apply(schema, schema.bindings(number, start, facts))
    return list(operators.values()), set(map(str, seen))


class _Facts:
    """Facts by predicate, and by predicate and the object at a position."""

    def __init__(self) -> None:
        self.every: dict[str, list[GroundAtom]] = defaultdict(list)
        self.at: dict[tuple[str, int, str], list[GroundAtom]] = defaultdict(list)
        self.all: set[GroundAtom] = set()

    def add(self, fact: GroundAtom) -> None:
        self.all.add(fact)
        self.every[fact.predicate].append(fact)
        for position, name in enumerate(fact.arguments):
            self.at[fact.predicate, position, name].append(fact)

    def matching(self, atom: GroundAtom, binding: dict[str, str]) -> Sequence[GroundAtom]:
        """Facts that an atom may match: exact when all is bound, else narrowed by one bound argument."""
        values = [binding.get(term, term) for term in atom.arguments]
        free = [value.startswith("?") for value in values]
        if not any(free):
            whole = GroundAtom(atom.predicate, tuple(values))
            return [whole] if whole in self.all else []
        for position, value in enumerate(values):
            if not free[position]:
                return self.at[atom.predicate, position, value]
        return self.every[atom.predicate]


class _Schema:
    def __init__(self, action: Any, of_type: dict[str, dict[str, None]], changing: set[str]) -> None:
        self.name = action.name
        self.parameters = [name for name, _ in action.signature]
        self.domains = {
            name: dict.fromkeys(itertools.chain.from_iterable(of_type[kind.name] for kind in kinds))
            for name, kinds in action.signature
        }
        self.pre = list(dict.fromkeys(map(_atom, action.precondition)))
        self.add = sorted(
            map(_atom, action.effect.addlist)
        )  # pyperplan keeps them in a set, in no fixed order
        self.delete = sorted(map(_atom, action.effect.dellist))
        self.awaits_change = any(atom.predicate in changing for atom in self.pre)
        self._orders: dict[int | None, list[GroundAtom]] = {}

    def bindings(self, given: int | None, start: dict[str, str], facts: _Facts) -> Iterator[dict[str, str]]:
        """Every binding that widens `start` and makes the other preconditions reached facts."""
        if given not in self._orders:
            self._orders[given] = self._order(given, set(start))
        partial = [start]
        for atom in self._orders[given]:
            partial = [
                wider
                for binding in partial
                for match in facts.matching(atom, binding)
                if (wider := self.unify(atom, match, binding)) is not None
            ]
        return itertools.chain.from_iterable(map(self.complete, partial))

    def _order(self, given: int | None, bound: set[str]) -> list[GroundAtom]:
        """Join first what has fewest unbound variables: it is a test, or narrows most."""
        rest = [atom for number, atom in enumerate(self.pre) if number != given]
        order = []
        while rest:
            atom = min(rest, key=lambda atom: len({t for t in atom.arguments if t[0] == "?"} - bound))
            rest.remove(atom)
            order.append(atom)
            bound.update(atom.arguments)
        return order

    def unify(self, atom: GroundAtom, fact: GroundAtom, binding: dict[str, str]) -> dict[str, str] | None:
        wider = dict(binding)
        for term, value in zip(atom.arguments, fact.arguments, strict=True):
            if not term.startswith("?"):
                if term != value:
                    return None
            elif wider.setdefault(term, value) != value or value not in self.domains[term]:
                return None
        return wider

    def complete(self, binding: dict[str, str]) -> Iterator[dict[str, str]]:
        """Give parameters that no precondition names every object of their type."""
        free = [name for name in self.parameters if name not in binding]
        for values in itertools.product(*(self.domains[name] for name in free)):
            yield binding | dict(zip(free, values, strict=True))

    def instance(self, binding: dict[str, str]) -> tuple[Ground, list[GroundAtom]]:
        def substitute(atoms: list[GroundAtom]) -> list[GroundAtom]:
            return [GroundAtom(a.predicate, tuple([binding.get(t, t) for t in a.arguments])) for a in atoms]

        added = substitute(self.add)
        pre, add = tuple(map(str, substitute(self.pre))), tuple(map(str, added))
        # A fact that is both deleted and added is true afterwards.
        delete = tuple(fact for fact in map(str, substitute(self.delete)) if fact not in add)
        name = str(GroundAtom(self.name, tuple([binding[p] for p in self.parameters])))
        return Ground(name, pre, add, delete), added


def _atom(predicate: Any) -> GroundAtom:
    return GroundAtom(predicate.name, tuple(term for term, _ in predicate.signature))


def _relevant(
    operators: list[Ground], init: set[str], goal: set[str]
) -> tuple[list[Ground], frozenset[str], frozenset[str], str | None]:
    """Drop what always holds, and what no chain of preconditions connects to the goal."""
    changing = {fact for operator in operators for fact in operator.delete}
    always = init - changing
    adders = defaultdict(list)
    for operator in operators:
        for fact in operator.add:
            if fact not in always:
                adders[fact].append(operator)
    matters = goal - always
    agenda = sorted(matters)
    for fact in agenda:
        for operator in adders[fact]:
            fresh = [f for f in operator.pre if f not in always and f not in matters]
            matters.update(fresh)
            agenda.extend(fresh)
    kept = []
    for each in operators:
        pre = tuple(fact for fact in each.pre if fact not in always)
        add = tuple(fact for fact in each.add if fact in matters and fact not in each.pre)
        if add:
            kept.append(Ground(each.name, pre, add, tuple(fact for fact in each.delete if fact in matters)))
    return kept, frozenset(init & matters), frozenset(goal - always), None


def eliminate_redundant_actions(
    names: list[str], operators: list[Ground], init: frozenset[str], goal: frozenset[str]
) -> list[str]:
    """Action elimination (Fink and Yang 1992): drop actions that the goal does not need, first to last.

    An action goes together with those that only it made possible.
    """
    by_name = {operator.name: operator for operator in operators}
    plan = [by_name[name] for name in names]
    position = 0
    while position < len(plan):
        state = set(init)
        kept = []
        for number, operator in enumerate(plan):
            if number == position or (number > position and not state.issuperset(operator.pre)):
                continue
            kept.append(operator)
            state.difference_update(operator.delete)
            state.update(operator.add)
        if state >= goal:
            plan = kept
        else:
            position += 1
    return [operator.name for operator in plan]
