"""States as numbers: the facts that some actions change, where things are, and what can be done next.

A set of facts is an integer with a bit for each fact; with the robot's place it is a state. Driving is no
action of its own: each action brings the robot to where it is done, by the shortest route. Which facts get a
bit may be changed. Events happen as far as they are among the actions; what really happens only a world says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...domains.action import GroundAction, PlanAction
from ...domains.deadline import check_time
from ...domains.formula import Atom, Formula, GroundAtom
from ...simulator.belief import Belief
from ...simulator.facts import Facts
from ...simulator.trajectory import BROKEN, Kind, after, matched
from ...simulator.world import WorldState

WORK = "searching through states"


@dataclass(frozen=True, slots=True)
class StateOperator:
    """An action on sets of facts; ``where`` is where the robot has to be, ``there`` where it is then."""

    needs: int
    adds: int
    deletes: int
    cost: int
    where: str | None
    there: str | None
    action: PlanAction


Truth = Callable[[int, str], bool]
"""Truth in a state, given as a set of facts and the robot's place."""


@dataclass(frozen=True, slots=True)
class WatchedRun:
    """Memory of a search for one condition or constraint on the run: its automaton's state, as two bits."""

    kind: Kind
    first: int
    second: int
    parts: tuple[Truth, ...]

    def memory(self, state: int) -> int:
        """Return the automaton's state; that which no run leaves has both bits."""
        bits = bool(state & self.first) + 2 * bool(state & self.second)
        return BROKEN if bits == 3 else bits

    def after(self, state: int, place: str) -> int:
        """Return a set of facts with the memory of one more state of the run."""
        memory = self.memory(state)
        if memory == BROKEN or (self.kind == "sometime" and memory):
            return state
        now = after(self.kind, memory, tuple([part(state, place) for part in self.parts]))
        if now == memory:
            return state
        bits = 3 if now == BROKEN else now
        return state & ~(self.first | self.second) | self.first * (bits & 1) | self.second * (bits >> 1)


class StateSpace:
    """The states that given actions lead to from the facts of a moment.

    ``places`` gives for each thing the facts that say where it is, each as a bit with the place; an empty
    name is the hand. ``watched`` are conditions and constraints that a search remembers the run for;
    ``forbidden`` are patterns of steps, each with what makes the truth of its condition. ``looks`` counts the
    work of a search.
    """

    def __init__(self, belief: Belief, facts: Facts) -> None:
        self.belief, self.facts, self.pack = belief, facts, belief.pack
        self.moment = WorldState(belief, facts)
        self.bits: dict[GroundAtom, int] = {}
        self.places: dict[str, list[tuple[int, str]]] = {}
        self.operators: list[StateOperator] = []
        self.events: list[StateOperator] = []
        self.watched: list[WatchedRun] = []
        self.forbidden: list[tuple[Formula, Callable[[Mapping[str, str]], Truth]]] = []
        self._forbidding: dict[PlanAction, list[Truth]] = {}
        self.held = self.pack.mapping.robot_held.predicate
        self.start_place = facts.all(self.pack.at)[0][0]
        self.looks = 0
        self._needing: list[tuple[int, list[StateOperator]]] = []
        self._lengths: dict[tuple[str, str], int | None] = {}
        self._located_in, self._located_at = (-1, ""), dict[str, str]()

    @property
    def start(self) -> int:
        """The facts of now that have a bit."""
        holding = self.facts.holds
        state = sum(bit for atom, bit in self.bits.items() if holding(atom.predicate, atom.args))
        return self.noted(state, self.start_place)

    # Facts and actions

    def bit(self, atom: GroundAtom) -> int:
        """Return the number that stands for one fact."""
        if atom not in self.bits:
            self.bits[atom] = 1 << len(self.bits)
            args = atom.args
            if atom.predicate in self.pack.locations or atom.predicate == self.held:
                place = args[1] if len(args) > 1 else ""
                self.places.setdefault(args[0], []).append((self.bits[atom], place))
                for name in args:
                    self.settle(name)
        return self.bits[atom]

    def settle(self, thing: str) -> None:
        """Give the facts on where a thing is now their bits."""
        if self.belief.scene.nodes[thing].type == "object":
            for predicate in (*self.pack.locations, self.held):
                for args in self.facts.with_argument(predicate, 0, thing):
                    self.bit(Atom(predicate, args))

    def add_actions(self, actions: Sequence[GroundAction]) -> None:
        """Add the actions whose lasting conditions hold."""
        changing = {e for a in actions for e in (*a.add, *a.delete)}
        for action in actions:
            check_time(WORK)
            operator = self._operator(action, changing)
            if operator is not None:
                self._forbidding[operator.action] = self._conditions(operator.action)
                (self.events if operator.action.event else self.operators).append(operator)
        self._needing = self._by_need()

    def _conditions(self, action: PlanAction) -> list[Truth]:
        """Return conditions under which an action is forbidden."""
        step = self.pack.printed(action.name, action.args) if self.forbidden else None
        matching = ((matched(pattern, step), make) for pattern, make in self.forbidden if step is not None)
        return [make(binding) for binding, make in matching if binding is not None]

    def _operator(self, action: GroundAction, changing: set[GroundAtom]) -> StateOperator | None:
        """Return an action on sets of facts; ``None`` where a condition fails that no action changes."""
        schema = self.pack.domain.actions[action.name]
        elsewhere, here = self._by_place(action.precondition)
        lasting = (a for a in elsewhere if a not in changing)
        if not schema.allows(action.args) or not all(map(self._holds, lasting)):
            return None
        added, there = self._by_place(action.add)
        adds = self._union(added)
        return StateOperator(
            self._union(a for a in elsewhere if a in changing),
            adds,
            self._union(self._by_place(action.delete)[0]) & ~adds,
            schema.cost or 0,
            here,
            there,
            PlanAction(action.name, action.args, self.pack.mapping_of(action.name).event),
        )

    def _by_place(self, atoms: Iterable[GroundAtom]) -> tuple[list[GroundAtom], str | None]:
        """Return the facts that do not say where the robot is, and the place where others say it is."""
        others, place = list[GroundAtom](), None
        for atom in atoms:
            if atom.predicate != self.pack.at:
                others.append(atom)
            elif place is None:
                place = atom.args[0]
        return others, place

    def _holds(self, atom: GroundAtom) -> bool:
        return self.facts.holds(atom.predicate, atom.args)

    def _union(self, atoms: Iterable[GroundAtom]) -> int:
        total = 0
        for atom in atoms:
            total |= self.bit(atom)
        return total

    def _by_need(self) -> list[tuple[int, list[StateOperator]]]:
        """The operators by that fact among their needs which the fewest others need."""
        users: dict[int, int] = {}
        for operator in self.operators:
            for bit in _bits(operator.needs):
                users[bit] = users.get(bit, 0) + 1
        groups: dict[int, list[StateOperator]] = {}
        for operator in self.operators:
            rarest = min(_bits(operator.needs), key=lambda b: (users[b], b), default=0)
            groups.setdefault(rarest, []).append(operator)
        return list(groups.items())

    # Where things are

    def anchor(self, state: int, place: str, name: str) -> str:
        """Return the room or pose around something; what is held is where the robot is."""
        if (state, place) != self._located_in:
            self._located_in, self._located_at = (state, place), {}
        if name not in self._located_at:
            self._located_at[name] = self.chain(state, place, name)[-1]
        return self._located_at[name]

    def chain(self, state: int, place: str, name: str) -> list[str]:
        """Return a node and all that it is in or on; what is held is at the robot's place."""
        names = [name]
        while (options := self.places.get(names[-1])) is not None and len(names) <= len(self.places):
            names.append(next((target or place for bit, target in options if state & bit), ""))
        return [*names[:-1], *self.moment.around(names[-1])] if names[-1] else names

    def drive(self, here: str, there: str) -> int | None:
        """Return the millimetres between two anchors; ``None`` where no route is known."""
        if (here, there) not in self._lengths:
            routes, named = self.belief.routes, here and there
            length = routes.distance(here, there) if named and routes.connected(here, there) else None
            self._lengths[here, there] = length
        return self._lengths[here, there]

    # What can be done

    def noted(self, state: int, place: str) -> int:
        """Let events happen, and remember which watched conditions hold."""
        grown = True
        while grown:
            grown = False
            for event in self.events:
                fires = state & event.needs == event.needs and event.adds & ~state
                if fires and event.where in (None, place):
                    state, grown = (state & ~event.deletes) | event.adds, True
        for one in self.watched:
            state = one.after(state, place)
        return state

    def broken(self, state: int) -> bool:
        """Return whether a run that led to a state has broken a constraint."""
        return any(one.memory(state) == BROKEN for one in self.watched)

    def driven(self, state: int, place: str, there: str) -> int:
        """Return a state after a drive, with the memory of all that it passes."""
        if not self.watched:
            return state
        nodes = self.belief.scene.nodes
        if there != place and nodes[there].type != "object" and nodes[place].type != "object":
            here, target = self.anchor(state, place, place), self.anchor(state, place, there)
            for hop in self.belief.routes.route(here, target).hops[:-1]:
                state = self.noted(state, hop)
            if target != here and target != there:
                state = self.noted(state, target)
        return self.noted(state, there)

    def following(
        self, state: int, place: str, stops: Sequence[str]
    ) -> Iterator[tuple[int, int, str, PlanAction]]:
        """Yield the cost of all that can be done next, the state after it, the robot's place, and the action.

        ``stops`` are places to which it may drive without doing anything there.
        """
        here, nodes = self.anchor(state, place, place), self.belief.scene.nodes
        inside = nodes[place].type == "object"  # of a movable thing, which is left by an action first

        def length(there: str) -> int | None:
            if there == place:
                return 0
            if inside or nodes[there].type == "object":
                return None
            return self.drive(here, self.anchor(state, place, there))

        self.looks += len(self._needing) + len(stops)
        for operator in (o for bit, group in self._needing if state & bit == bit for o in group):
            self.looks += 1
            if state & operator.needs != operator.needs:
                continue
            driven = 0 if operator.where is None else length(operator.where)
            if driven is None:
                continue
            there = operator.where or place
            before = self.driven(state, place, there)
            if any(forbidding(before, there) for forbidding in self._forbidding[operator.action]):
                continue
            changed = (before & ~operator.deletes) | operator.adds
            there = operator.there or there
            changed = self.noted(changed, there)
            if not self.broken(changed):
                yield operator.cost + driven, changed, there, operator.action
        navigation = self.pack.navigation.name
        for stop in stops:
            if stop == place or (driven := length(stop)) is None:
                continue
            passed = self.driven(state, place, stop)
            if not self.broken(passed):
                yield driven, passed, stop, PlanAction(navigation, (place, stop))


def _bits(number: int) -> Iterator[int]:
    while number:
        yield (bit := number & -number)
        number -= bit
