"""An independent judge of goals in small worlds: everything that the pack's actions can do is tried.

:meth:`Judge.decide` says whether a goal can be reached, and at what least cost, by Dijkstra's algorithm over
all states (E. W. Dijkstra, 1959). The judge shares with the
package the scene, the pack and the initial state, and nothing of compiler and planners; the truth of a
formula is its own (``meaning``). It takes actions as PDDL means them: two parameters may be the same thing
unless the pack says otherwise, what an action adds stays though the action deletes it, and events fire by
themselves. Driving goes from place to adjacent place, as printed steps do. Costs are millimetres.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from groundplan.domains.action import Action, GroundAction
from groundplan.domains.formula import (
    Atom,
    Count,
    Exists,
    Forall,
    Formula,
    Sometime,
    Term,
    children,
    substitute,
    walk,
)
from groundplan.simulator.belief import Belief
from oracles.meaning import holds
from oracles.states import Fact, State

STATES = 100_000
"""Most states that one verdict may take."""

TOPOLOGY = ("pose", "room")


@dataclass(frozen=True, slots=True)
class Verdict:
    """The truth about a goal; ``solvable`` is ``None`` where the world has too many states."""

    solvable: bool | None
    cost: int | None
    states: int


@dataclass(frozen=True, slots=True)
class Ground:
    """A ground action: what must hold, what it adds and deletes, and what it costs."""

    name: str
    args: tuple[str, ...]
    needs: tuple[Fact, ...]
    adds: tuple[Fact, ...]
    deletes: tuple[Fact, ...]
    cost: int
    event: bool


@dataclass
class Judge:
    """All that can happen in one world. ``states`` bounds the search for each goal.

    Without ``events`` only plans count during which nothing happens by itself.
    """

    belief: Belief
    states: int = STATES
    events: bool = True
    start: frozenset[Fact] = field(init=False)

    def __post_init__(self) -> None:
        self.start = frozenset((a.predicate, a.args) for a in self.belief.facts)

    # What there is

    @cached_property
    def fluents(self) -> frozenset[str]:
        """The predicates that some action changes."""
        actions = self.belief.pack.domain.actions.values()
        return frozenset(a.predicate for action in actions for a in (*action.add, *action.delete))

    @cached_property
    def actions(self) -> tuple[Ground, ...]:
        """Every ground action whose conditions come true if nothing is ever deleted."""
        candidates = [g for schema in self.belief.pack.domain.actions.values() for g in self._ground(schema)]
        reached, kept = set(self.start), dict.fromkeys(range(len(candidates)), False)
        grew = True
        while grew:
            grew = False
            for number, one in enumerate(candidates):
                if not kept[number] and all(f in reached for f in one.needs):
                    kept[number] = grew = True
                    reached.update(one.adds)
        return tuple(one for number, one in enumerate(candidates) if kept[number])

    def _ground(self, schema: Action) -> Iterator[Ground]:
        mapping = self.belief.pack.mapping.actions[schema.name]
        for args in self._arguments(schema):
            ground = schema.ground(args)
            needs, adds, deletes = _facts(ground)
            if any(f[0] not in self.fluents and f not in self.start for f in needs):
                continue
            cost = schema.cost
            if mapping.navigation:
                hop = self.hop(args[0], args[1]) if _plain(schema) else self.length(args[0], args[1])
                if hop is None:
                    continue
                cost = hop
            assert cost is not None
            changing = tuple(f for f in needs if f[0] in self.fluents)
            yield Ground(schema.name, args, changing, adds, deletes, cost, mapping.event)

    def _arguments(self, schema: Action) -> Iterator[tuple[str, ...]]:
        """Every choice of nodes of the right types, narrowed by the facts that never change."""
        distinct = self.belief.pack.mapping.distinct_arguments
        static = [a for a in schema.precondition if a.predicate not in self.fluents]
        choices: list[dict[str, str]] = [{}]
        for parameter in schema.parameters:
            names = [n for n in self.belief.scene.nodes if self.belief.has_type(n, parameter.type)]
            longer = [{**c, parameter.name: n} for c in choices for n in names]
            if distinct:
                longer = [c for c in longer if len(set(c.values())) == len(c)]
            choices = [c for c in longer if self._static_holds(static, c)]
        for choice in choices:
            yield tuple(choice[p.name] for p in schema.parameters)

    def _static_holds(self, static: Sequence[Atom], choice: dict[str, str]) -> bool:
        for atom in static:
            names = [choice.get(a.name) if not isinstance(a, str) else a for a in atom.args]
            if None not in names and (atom.predicate, tuple(map(str, names))) not in self.start:
                return False
        return True

    # Ways

    def anchor(self, place: str) -> str | None:
        """The pose or room through which a place is reached."""
        nodes = self.belief.scene.nodes
        here: str | None = place
        while here is not None and nodes[here].type not in TOPOLOGY:
            here = nodes[here].parent
        return here

    def hop(self, source: str, target: str) -> int | None:
        """The length of one step from place to place, or ``None`` where it takes several or none."""
        nodes = self.belief.scene.nodes
        here, there = self.anchor(source), self.anchor(target)
        if here is None or there is None or source == target:
            return None
        if here == there:
            return 0
        if nodes[source].type in TOPOLOGY and nodes[target].type in TOPOLOGY:
            return self.links.get(here, {}).get(there)
        return None

    @cached_property
    def links(self) -> dict[str, dict[str, int]]:
        """The adjacent places of each with the length of the shortest link."""
        near: dict[str, dict[str, int]] = {}
        for link in self.belief.scene.links:
            for a, b in ((link.a, link.b), (link.b, link.a)):
                length = round(link.length * 1000)
                near.setdefault(a, {})[b] = min(length, near.get(a, {}).get(b, length))
        return near

    def length(self, source: str, target: str) -> int | None:
        """The length of the shortest way, for a pack whose driving is more than a change of place."""
        here, there = self.anchor(source), self.anchor(target)
        if here is None or there is None:
            return None
        queue, best = [(0, here)], {here: 0}
        while queue:
            length, place = heapq.heappop(queue)
            if place == there:
                return length
            for near, more in self.links.get(place, {}).items():
                if length + more < best.get(near, length + more + 1):
                    best[near] = length + more
                    heapq.heappush(queue, (length + more, near))
        return None

    # Goals

    def decide(self, goal: Formula) -> Verdict:
        """Try everything, in the order of cost, until the goal holds or nothing is left."""
        return _Search(self, goal).run()

    def relevant(self, goal: Formula) -> tuple[set[Fact], list[Ground]]:
        """Facts and actions that can have to do with a goal.

        An action that changes none of these facts can be left out of any plan without changing another one.
        """
        facts = self._named(goal)
        if not self.events:
            facts |= {f for a in self.actions if a.event for f in a.adds}
        chosen: list[Ground] = []
        rest = list(self.actions)
        while True:
            apart: list[Ground] = []
            touching: list[Ground] = []
            for action in rest:
                apart_from = facts.isdisjoint(action.adds) and facts.isdisjoint(action.deletes)
                (apart if apart_from else touching).append(action)
            if not touching:
                break
            rest = apart
            chosen += touching
            for action in touching:
                facts.update(action.needs)
        return facts, chosen

    def _named(self, goal: Formula) -> set[Fact]:
        """The facts on which the truth of a goal depends."""
        mapping, pack = self.belief.pack.mapping, self.belief.pack
        predicates = {a.predicate for a in walk(goal) if isinstance(a, Atom)}
        changing = [f for a in self.actions for f in (*a.adds, *a.deletes)]
        named = {f for f in self._atoms(goal, {}) if f[0] in self.fluents}
        if predicates & set(mapping.derived):
            wanted = {*pack.locations, mapping.robot_held.predicate, pack.at}
            named.update(f for f in (*changing, *self.start) if f[0] in wanted)
        return named

    def _atoms(self, goal: Formula, binding: dict[str, Term]) -> Iterator[Fact]:
        match goal:
            case Atom(predicate, _):
                ground = substitute(goal, binding)
                assert isinstance(ground, Atom)
                yield predicate, ground.args
            case Exists(variables, body) | Forall(variables, body) | Count(_, _, variables, body):
                for more in self._bindings(tuple((v.name, v.type) for v in variables), binding):
                    yield from self._atoms(body, more)
            case _:
                for part in children(goal):
                    yield from self._atoms(part, binding)

    def _bindings(
        self, variables: tuple[tuple[str, str], ...], binding: dict[str, Term]
    ) -> Iterator[dict[str, Term]]:
        if not variables:
            yield binding
            return
        (name, kind), rest = variables[0], variables[1:]
        for member in self.belief.members(kind):
            yield from self._bindings(rest, {**binding, name: member})

    def sometimes(self, goal: Formula, binding: dict[str, Term] | None = None) -> Iterator[Formula]:
        """The ground formulas below ``sometime``."""
        bound = dict(binding or {})
        match goal:
            case Sometime(body):
                yield substitute(body, bound)
            case Exists(variables, body) | Forall(variables, body) | Count(_, _, variables, body):
                for more in self._bindings(tuple((v.name, v.type) for v in variables), bound):
                    yield from self.sometimes(body, more)
            case _:
                for part in children(goal):
                    yield from self.sometimes(part, bound)


def _facts(ground: GroundAction) -> tuple[tuple[Fact, ...], tuple[Fact, ...], tuple[Fact, ...]]:
    """Conditions, additions and deletions; what is added as well is not deleted."""
    needs, adds, deletes = (
        tuple(dict.fromkeys((a.predicate, a.args) for a in atoms))
        for atoms in (ground.precondition, ground.add, ground.delete)
    )
    return needs, adds, tuple(f for f in deletes if f not in adds)


def _plain(schema: Action) -> bool:
    """Whether driving only changes the place, so that a way may be driven piece by piece."""
    return len(schema.precondition) == len(schema.add) == len(schema.delete) == 1


@dataclass(frozen=True, slots=True)
class _Move:
    """An action over facts numbered as bits."""

    needs: int
    clear: int
    adds: int
    cost: int


class _Search:
    """Dijkstra's algorithm over states, which are whole numbers with a bit for each fact."""

    def __init__(self, judge: Judge, goal: Formula) -> None:
        self.judge, self.goal, self.belief = judge, goal, judge.belief
        facts, chosen = judge.relevant(goal)
        order = sorted(facts)
        self.bits = {fact: 1 << number for number, fact in enumerate(order)}
        self.watched = tuple(dict.fromkeys(judge.sometimes(goal)))
        self.notes = {w: 1 << (len(order) + number) for number, w in enumerate(self.watched)}
        self.named = self._mask(judge._named(goal)) | sum(self.notes.values())
        places = [b for (p, _), b in self.bits.items() if p == self.belief.pack.at]
        self.places = sum(places)
        self.events = [self._move(a) for a in chosen if a.event]
        self.moves = [self._move(a) for a in chosen if not a.event]
        self._here: dict[int, list[_Move]] = {}
        self._truth: dict[int, bool] = {}
        self._noted: dict[int, int] = {}

    def _mask(self, facts: object) -> int:
        assert isinstance(facts, set | tuple | frozenset)
        return sum(self.bits.get(f, 0) for f in facts)

    def _move(self, action: Ground) -> _Move:
        return _Move(
            self._mask(action.needs), ~self._mask(action.deletes), self._mask(action.adds), action.cost
        )

    def run(self) -> Verdict:
        start = self._after(sum(b for f, b in self.bits.items() if f in self.judge.start))
        queue, best = [(0, start)], {start: 0}
        push, pop = heapq.heappush, heapq.heappop
        while queue:
            cost, state = pop(queue)
            if cost > best[state]:
                continue
            if self._holds(state):
                return Verdict(True, cost, len(best))
            for move in self._possible(state):
                if state & move.needs == move.needs:
                    after = self._after(state & move.clear | move.adds)
                    if after < 0:
                        continue
                    total = cost + move.cost
                    if total < best.get(after, total + 1):
                        best[after] = total
                        push(queue, (total, after))
            if len(best) > self.judge.states:
                return Verdict(None, None, len(best))
        return Verdict(False, None, len(best))

    def _possible(self, state: int) -> list[_Move]:
        """The actions that the robot's place allows."""
        place = state & self.places
        moves = self._here.get(place)
        if moves is None:
            moves = [m for m in self.moves if m.needs & self.places & ~place == 0]
            self._here[place] = moves
        return moves

    def _after(self, state: int) -> int:
        """A state after what happens by itself in it, with what has held up to now.

        Less than nothing where an event happens and none may.
        """
        before = -1
        while before != state:
            before = state
            for event in self.events:
                if state & event.needs == event.needs:
                    if not self.judge.events and event.adds & ~state:
                        return -1
                    state |= event.adds
        if self.watched:
            key = state & self.named
            notes = self._noted.get(key)
            if notes is None:
                now = self._state(state)
                notes = sum(bit for w, bit in self.notes.items() if not key & bit and holds(w, now))
                self._noted[key] = notes
            state |= notes
        return state

    def _holds(self, state: int) -> bool:
        key = state & self.named
        truth = self._truth.get(key)
        if truth is None:
            truth = self._truth[key] = holds(self.goal, self._state(state))
        return truth

    def _state(self, state: int) -> State:
        bits, start = self.bits, self.judge.start

        def is_true(fact: Fact) -> bool:
            bit = bits.get(fact)
            return bool(state & bit) if bit is not None else fact in start

        return State(self.belief, is_true, lambda w: bool(state & self.notes[w]))
