"""All states of a small scene that its pack's proved laws allow, and all goals' values over all runs of them.

The judge of comparisons of goals. It shares with the encoder the value domain of facts (``Attainable``) and
the shown groups (``Belief.invariants``); laws, containment, events, runs and truth are its own, over ground
actions and by enumeration.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from groundplan.compiler.attainable import Attainable
from groundplan.domains import formula as f
from groundplan.domains.action import GroundAction
from groundplan.simulator.belief import Belief
from groundplan.simulator.trajectory import START, Kind, Values, accepts, after, holds_on
from oracles.meaning import holds
from oracles.states import Fact, State

Truths = frozenset[Fact]
Row = tuple[Values, ...]
"""The truth of the parts of each constraint in one state of a run."""


class TooMany(Exception):
    """A scene with more states than are to be gone through."""


@dataclass(frozen=True)
class Pair:
    """Whether some run makes two goals true and false, by the value of each."""

    seen: frozenset[tuple[bool, bool]]

    @property
    def relation(self) -> str:
        a_only, b_only, both = (pair in self.seen for pair in ((True, False), (False, True), (True, True)))
        if a_only and b_only:
            return "overlapping" if both else "disjoint"
        return {(False, False): "equal", (False, True): "stronger", (True, False): "weaker"}[a_only, b_only]


class InvariantRuns:
    """The states of a belief's scene, and runs through them. Raises :class:`TooMany`."""

    def __init__(self, belief: Belief, most: int = 4000, tried: int = 200_000) -> None:
        self.belief, self.pack = belief, belief.pack
        self.start: Truths = frozenset(
            (a.predicate, a.args) for a in belief.facts if self._changes(a.predicate)
        )
        self.static: Truths = frozenset(
            (a.predicate, a.args) for a in belief.facts if not self._changes(a.predicate)
        )
        self.may = self._facts()
        self.always = frozenset(fact for fact in self.start if not self._undone(fact))
        self.states = list(self._states(most, tried))
        assert self.start in self.states

    def _changes(self, predicate: str) -> bool:
        actions = self.pack.domain.actions.values()
        return any(predicate == e.predicate for a in actions for e in (*a.add, *a.delete))

    # Facts

    @cached_property
    def names(self) -> list[str]:
        return list(self.belief.scene.nodes)

    def _fillings(self, types: list[str]) -> Iterator[tuple[str, ...]]:
        choices = [[n for n in self.names if self.belief.has_type(n, t)] for t in types]
        return itertools.product(*choices)

    def _facts(self) -> list[Fact]:
        attainable = Attainable(self.belief, self.belief.facts)
        facts = dict.fromkeys(sorted(self.start))
        for name, predicate in self.pack.domain.predicates.items():
            if self._changes(name):
                for args in self._fillings([p.type for p in predicate.parameters]):
                    if attainable.reachable(f.Atom(name, args)):
                        facts[name, args] = None
        return list(facts)

    @cached_property
    def actions(self) -> list[GroundAction]:
        """Ground actions and events whose conditions may each hold."""
        may, ground = frozenset(self.may), []
        for schema in self.pack.domain.actions.values():
            for args in self._fillings([p.type for p in schema.parameters]):
                if not schema.allows(args):
                    continue
                action = schema.ground(args)
                needs = [(c.predicate, c.args) for c in action.precondition]
                if all(need in may if self._changes(need[0]) else need in self.static for need in needs):
                    ground.append(action)
        return ground

    @cached_property
    def events(self) -> list[GroundAction]:
        return [a for a in self.actions if self.pack.mapping.actions[a.name].event]

    def _undone(self, fact: Fact) -> bool:
        """Whether some action takes a fact away, each of whose conditions may hold by itself."""
        name, args = fact
        for schema in self.pack.domain.actions.values():
            for gone in schema.delete:
                if gone.predicate != name or gone in schema.add:
                    continue
                bound: dict[str, str] = {}
                if any(bound.setdefault(str(v), a) != a for v, a in zip(gone.args, args, strict=True)):
                    continue
                kinds = {f"?{p.name}": p.type for p in schema.parameters}
                typed = all(self.belief.has_type(a, kinds[v]) for v, a in bound.items())
                if typed and all(self._may(c, bound) for c in schema.precondition):
                    return True
        return False

    def _may(self, condition: f.Atom, bound: dict[str, str]) -> bool:
        facts = self.may if self._changes(condition.predicate) else self.static
        names = [bound.get(str(v), "") for v in condition.args]
        return any(
            p == condition.predicate and all(n in ("", a) for n, a in zip(names, args, strict=True))
            for p, args in facts
        )

    # Laws

    @cached_property
    def groups(self) -> list[tuple[frozenset[Fact], bool]]:
        """Sets of facts of which one at most holds, and whether one always does."""
        shown, mapping = self.belief.invariants, self.pack.mapping
        sets: dict[frozenset[Fact], bool] = {}
        facts_of = [*self.may, *sorted(self.static)]
        for patterns in shown.groups.values():
            robot = {p.predicate for p in patterns if not p.args or "*" in p.args}
            about = {p.predicate for p in patterns} - robot
            shared = {fact for fact in facts_of if fact[0] in robot}
            things = {fact[1][0] for fact in facts_of if fact[0] in about}
            own = [{x for x in facts_of if x[0] in about and x[1][0] == thing} for thing in things] or [set()]
            for facts in own:
                lasting = not (robot and about) and self._lasts(
                    frozenset(shared | facts), robot | about, not robot
                )
                sets[frozenset(shared | facts)] = lasting
        at = frozenset(fact for fact in facts_of if fact[0] == self.pack.at)
        if shown.contained:
            sets[at] = sets.get(at, False) or shown.stays
        where = (*self.pack.locations, mapping.robot_held.predicate)
        for thing in self.belief.scene.by_type.get("object", ()) if shown.once else ():
            facts = frozenset(x for x in facts_of if x[0] in where and x[1][0] == thing)
            now = bool(facts & (self.start | self.static))
            sets[facts] = sets.get(facts, False) or (
                now and (shown.placed or self._lasts(facts, set(where), True))
            )
        return list(sets.items())

    def _lasts(self, facts: frozenset[Fact], predicates: set[str], about_thing: bool) -> bool:
        """Whether one of the facts holds now, and every action that takes one away brings one."""
        if not facts & (self.start | self.static):
            return False
        for action in self.pack.domain.actions.values():
            for gone in action.delete:
                if gone.predicate in predicates and not any(
                    e.predicate in predicates and (not about_thing or e.args[0] == gone.args[0])
                    for e in action.add
                ):
                    return False
        return True

    def _ring(self, state: Truths) -> bool:
        above = {a[0]: a[1] for p, a in (*state, *self.static) if p in self.pack.locations}
        above |= {a[0]: " robot" for p, a in state if p == self.pack.mapping.robot_held.predicate}
        for at in (a[0] for p, a in state if p == self.pack.at):
            above[" robot"] = at
        for name in above:
            steps, here = 0, name
            while here in above and steps <= len(above):
                here, steps = above[here], steps + 1
            if steps > len(above):
                return True
        return False

    def _happens(self, state: Truths) -> bool:
        """Whether every event whose condition holds has its effect."""
        return all(
            all((e.predicate, e.args) in state for e in event.add)
            for event in self.events
            if all((c.predicate, c.args) in state or (c.predicate, c.args) in self.static
                   for c in event.precondition)
        )  # fmt: skip

    def _states(self, most: int, tried: int) -> Iterator[Truths]:
        left = [fact for fact in self.may if fact not in self.always]
        rows: list[list[tuple[Fact, ...]]] = [[tuple(self.always)]]
        for group, lasting in sorted(self.groups, key=lambda g: -len(g[0])):
            own = [fact for fact in left if fact in group]
            if not own:
                continue
            left = [fact for fact in left if fact not in group]
            rows.append(
                [*(((),) if not lasting or len(own) < len(group) else ()), *((fact,) for fact in own)]
            )
        rows += [[(), (fact,)] for fact in left]
        size = 1
        for row in rows:
            size *= len(row)
        if size > tried:
            raise TooMany(str(size))
        number = 0
        for choice in itertools.product(*rows):
            state = frozenset(itertools.chain.from_iterable(choice))
            whole = state | self.static
            if not all(
                len(whole & group) <= 1 and (whole & group or not last) for group, last in self.groups
            ):
                continue
            if (self.belief.invariants.contained and self._ring(state)) or not self._happens(state):
                continue
            number += 1
            if number > most:
                raise TooMany(str(number))
            yield state

    # Goals

    def _world(self, state: Truths, happened: frozenset[f.Formula]) -> State:
        whole = state | self.static
        return State(self.belief, whole.__contains__, happened.__contains__)

    def pair(self, a: f.Formula, b: f.Formula, watched: list[f.Formula]) -> Pair:
        """Return the values of two goals over all runs; ``watched`` are their constraints, all ground."""
        rows = {state: self._rows(state, watched) for state in self.states}
        last = {state: {self._row(state, watched, None)} for state in self.states}
        seen: set[tuple[bool, bool]] = set()
        for state, memories in self._memories(watched, rows, last).items():
            for memory in memories:
                happened = (accepts(_kind(one), m) for one, m in zip(watched, memory, strict=True))
                true = frozenset(one for one, value in zip(watched, happened, strict=True) if value)
                world = self._world(state, true)
                seen.add((holds(a, world), holds(b, world)))
                if len(seen) == 4:
                    return Pair(frozenset(seen))
        return Pair(frozenset(seen))

    def short(self, a: f.Formula, b: f.Formula, watched: list[f.Formula], most: int, tried: int) -> Pair:
        """Return the values of two goals over runs of so many states after the first, by the definition."""
        rows: dict[tuple[Row, frozenset[Fact]], Truths] = {}
        for state in self.states:
            for row in self._rows(state, watched):
                rows.setdefault((row, self._grown(state)), state)
        ends: dict[tuple[Row, frozenset[Fact]], list[Truths]] = {}
        for state in self.states:
            ends.setdefault((self._row(state, watched, None), self._grown(state)), []).append(state)
        start = self._row(self.start, watched, None), self._grown(self.start)
        seen: set[tuple[bool, bool]] = set()
        runs = (
            (*run, end)
            for number in range(most)
            for run in itertools.product(rows, repeat=number)
            for end in ends
        )
        for run in itertools.islice(runs, tried):
            whole = (start, *run)
            if any(not one[1] <= other[1] for one, other in itertools.pairwise(whole)):
                continue
            true = frozenset(
                one for number, one in enumerate(watched)
                if holds_on(_kind(one), [row[number] for row, _ in whole])
            )  # fmt: skip
            for state in ends[run[-1]]:
                world = self._world(state, true)
                seen.add((holds(a, world), holds(b, world)))
        return Pair(frozenset(seen))

    def _rows(self, state: Truths, watched: list[f.Formula]) -> set[Row]:
        """Return the truth of the parts of all constraints in a state, for each step that is done in it."""
        kinds = {one.parts[0] for one in watched if getattr(one, "kind", "") == "never-do"}
        steps: list[f.Atom | None] = [None]
        for predicate, number in {(k.predicate, len(k.args)) for k in kinds}:
            steps += [f.Atom(predicate, args) for args in itertools.product(self.names, repeat=number)]
        return {self._row(state, watched, step) for step in steps}

    def _row(self, state: Truths, watched: list[f.Formula], step: f.Atom | None) -> Row:
        world = self._world(state, frozenset())
        row = []
        for one in watched:
            if not isinstance(one, f.TrajectoryConstraint):
                row.append((holds(one, world),))
            elif one.kind == "never-do":
                row.append((not self._forbidden(one, world, step),))
            else:
                row.append(tuple(holds(part, world) for part in one.parts))
        return tuple(row)

    def _forbidden(self, one: f.TrajectoryConstraint, world: State, step: f.Atom | None) -> bool:
        pattern, condition = one.parts
        if step is None or pattern.predicate != step.predicate or len(pattern.args) != len(step.args):
            return False
        for args in (step.args, step.args[::-1]) if step.predicate == "do goto" else (step.args,):
            bound: dict[str, str] = {}
            fits = (
                bound.setdefault(mine.name, name) == name if isinstance(mine, f.Var) else mine == name
                for mine, name in zip(pattern.args, args, strict=True)
            )
            if all(list(fits)) and holds(condition, world, bound):
                return True
        return False

    def _grown(self, state: Truths) -> frozenset[Fact]:
        actions = self.pack.domain.actions.values()
        deleted = {e.predicate for a in actions for e in a.delete if e not in a.add}
        return frozenset(x for x in state if x[0] not in deleted)

    def _memories(
        self, watched: list[f.Formula], rows: dict[Truths, set[Row]], last: dict[Truths, set[Row]]
    ) -> dict[Truths, set[tuple[int, ...]]]:
        """Return for each state what automata remember there: facts that nothing takes away never go."""

        def step(memory: tuple[int, ...], row: Row) -> tuple[int, ...]:
            each = zip(watched, memory, row, strict=True)
            return tuple(after(_kind(one), m, values) for one, m, values in each)

        growing = {s: self._grown(s) for s in self.states}
        first = growing[self.start]
        begun = step((START,) * len(watched), self._row(self.start, watched, None))
        by_level: dict[frozenset[Fact], set[tuple[int, ...]]] = {}
        result: dict[Truths, set[tuple[int, ...]]] = {}
        for level in sorted({*growing.values()}, key=len):
            if not first <= level:
                continue
            memories = {m for other, some in by_level.items() if other <= level for m in some}
            if level == first:
                memories.add(begun)
            here = [s for s in self.states if growing[s] == level]
            kinds = {row for s in here for row in rows[s]}
            todo = list(memories)
            while todo:
                memory = todo.pop()
                for row in kinds:
                    if (then := step(memory, row)) not in memories:
                        memories.add(then)
                        todo.append(then)
            by_level[level] = memories
            for state in here:
                result[state] = {step(memory, row) for memory in memories for row in last[state]}
                if state == self.start:
                    result[state].add(begun)
        return result


def _kind(watched: f.Formula) -> Kind:
    """The kind of a constraint; a step that is never done is a condition that always holds of steps."""
    if not isinstance(watched, f.TrajectoryConstraint):
        return "sometime"
    return "always" if watched.kind == "never-do" else watched.kind
