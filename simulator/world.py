"""The simulated world: where facts change, step by step.

A world starts as a belief (the scene as the robot knows it) and changes through :meth:`World.apply` (a
printed step), :meth:`World.perform` (an action by name) and :meth:`World.drive`. Actions are changed in the
pack; nothing of a planner may be called here, so that a world can disagree with one. A printed step is
matched to the ground action that it means: ``pickup(apple3)``, with the apple in cabinet2, is
``(pickup_inside apple3 cabinet2)``; what it leaves out comes from the robot's place, the places of things and
the hand. Where no action applies, the closest one, by a weighted sum of its unmet facts, gives the reason.
``goto``, and ``access`` to anything but a movable thing, are drives and bypass the matching. A pack may have
a step that drives to a room however far (``room_step``), and may let ``access`` be left out of printed steps
(``implied_access``): the robot then goes, within its room, to what a step is done at.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ..domains.action import Action, GroundAction, PlanAction
from ..domains.errors import clip, did_you_mean
from ..domains.formula import PASSING, Atom, Formula, GroundAtom, Var, step_atom
from ..domains.mapping import ROOM
from ..domains.pack import Pack, filled
from .belief import Belief, close_under_events
from .facts import Facts
from .routes import Routes
from .scene import ANCHORS
from .step import Step
from .trajectory import RunSoFar


class WorldState:
    """Facts over the nodes of a belief's scene, and where things and the robot are by them."""

    __slots__ = ("_locations", "belief", "facts", "pack", "scene")

    def __init__(self, belief: Belief, facts: Facts) -> None:
        self.belief, self.facts = belief, facts
        self.pack, self.scene = belief.pack, belief.scene
        self._locations = belief.pack.locations

    def copy(self) -> WorldState:
        """Return a state with facts of its own."""
        # On the belief itself only the difference is stored: a copy would be as large as the building.
        start = self.facts
        return WorldState(self.belief, Facts(start) if start is self.belief.facts else start.copy())

    def holds(self, predicate: str, args: tuple[str, ...]) -> bool:
        """Return the truth of a goal's atom: derived ones by containment, classes and attributes too."""
        meaning = self.pack.mapping.derived.get(predicate)
        if meaning == ROOM:
            return self.room_of(args[0]) == args[1]
        if meaning is not None:
            return args[0] in self.around(self.stands_at)
        if predicate in self.pack.domain.predicates:
            return self.facts.holds(predicate, args)
        return self.belief.classified(predicate, args)

    def members(self, type_or_class: str) -> Sequence[str]:
        return self.belief.members(type_or_class)

    @property
    def stands_at(self) -> str:
        """The place of the robot: a pose, a room, an asset or a movable container."""
        return self.facts.all(self.pack.at)[0][0]

    def around(self, name: str) -> list[str]:
        """Return a node and everything that it is in or on, up to its room; a held thing ends the chain."""
        chain = [name]
        while (above := self.above(chain[-1])) is not None and above not in chain:
            chain.append(above)
        return chain

    def anchor_of(self, name: str) -> str:
        """Return the pose or room from which a node is reached; what is held, for what the robot holds."""
        nodes, chain = self.scene.nodes, self.around(name)
        return next((n for n in chain if nodes[n].type in ANCHORS), chain[-1])

    @property
    def anchor(self) -> str:
        """The pose or room at which the robot's base is."""
        return self.anchor_of(self.stands_at)

    @property
    def here(self) -> str:
        """The room where the robot is, or the pose, where that is in no room."""
        return self.around(self.stands_at)[-1]

    def above(self, name: str) -> str | None:
        """Return the node that a node is in or on now; ``None`` for rooms, poses in none and held things."""
        if self.scene.nodes[name].type != "object":
            return self.scene.above(name)
        for predicate in self._locations:
            for args in self.facts.with_argument(predicate, 0, name):
                return args[1]
        return None

    def room_of(self, name: str) -> str | None:
        """Return the room around a node; a held thing is in the robot's room."""
        top = self.around(name)[-1]
        if self.facts.holds(self.pack.mapping.robot_held.predicate, (top,)):
            top = self.here
        return top if self.scene.nodes[top].type == "room" else None

    def unmet(self, action: GroundAction) -> tuple[GroundAtom, ...]:
        """Return the preconditions that do not hold; a door is worked from beyond without standing at it."""
        unmet = tuple(a for a in action.precondition if not self.facts.holds(a.predicate, a.args))
        if self.scene.doors and unmet and all(a.predicate == self.pack.at for a in unmet):
            effects = (a.predicate for a in (*action.add, *action.delete))
            if self.pack.at not in effects and all(self._is_beyond(a.args[0]) for a in unmet):
                return ()
        return unmet

    def _is_beyond(self, door: str) -> bool:
        """Test whether the robot is at the end of a door's way that is not the room of the door.

        From there it works the door as from its room, if it could be on both sides of it.
        """
        ends = self.scene.door_ends.get(door)
        if ends is None or not self.belief.routes.connected(*ends):
            return False
        at = self.anchor if self.pack.mapping.implied_access else self.stands_at
        return at == ends[1]

    def is_shut(self, here: str, there: str) -> str:
        """Return the door that keeps the robot from going from a place to the next; empty for none."""
        door = self.scene.doors.get((here, there), "")
        passable = self.pack.mapping.passable
        if not door or passable is None or self.facts.holds(passable.predicate, (door,)):
            return ""
        return door


@dataclass(frozen=True, slots=True)
class Refusal:
    """Reason why a step cannot be done: the unmet facts, and a sentence for people and models."""

    unmet: tuple[GroundAtom, ...]
    message: str


@dataclass(frozen=True, slots=True)
class Effect:
    """Outcome of a step: the pack's actions that happened (events marked) and the millimetres driven."""

    actions: tuple[PlanAction, ...]
    length: int = 0


class World:
    """The true state (``state``), and what its run so far is to be remembered for (``memory``).

    ``watched`` are conditions that may have held (``sometime``), and constraints. The run has a state for the
    start, one after each action with its events, and one for each pose or room that a drive passes. It starts
    from the belief's initial state, or from ``facts`` that differ from it.
    """

    def __init__(self, belief: Belief, watched: Sequence[Formula] = (), facts: Facts | None = None) -> None:
        self.belief, self.pack, self.scene = belief, belief.pack, belief.scene
        self.state = WorldState(belief, facts if facts is not None else belief.facts).copy()
        self.memory = RunSoFar(watched, belief.pack.mapping.derived)
        self.memory.note(self, self.state)

    def fork(self) -> World:
        """Return a copy with its own facts and the same memory of watched conditions."""
        other = World.__new__(World)
        other.__dict__.update(self.__dict__)
        other.state, other.memory = self.state.copy(), self.memory.copy()
        return other

    def resumed(self, memory: Mapping[Formula, int]) -> World:
        """Take up what an earlier world of the same run remembers; the state of now is one more of it."""
        self.memory.states.update((c, state) for c, state in memory.items() if c in self.memory.states)
        self.memory.note(self, self.state)
        return self

    def holds(self, predicate: str, args: tuple[str, ...]) -> bool:
        """Return the truth of a goal's atom now."""
        return self.state.holds(predicate, args)

    def happened(self, literal: Formula) -> bool:
        """Return whether a watched literal has held, or a constraint holds of the run up to now.

        Raises ``KeyError`` for what is not watched.
        """
        return self.memory.happened(literal)

    def members(self, type_or_class: str) -> Sequence[str]:
        return self.belief.members(type_or_class)

    # Steps and actions

    def apply(self, step: Step) -> Effect | Refusal:
        """Perform one printed step, or say why not; a refused step changes nothing."""
        if step.name == "done" and not step.args:
            return Effect(())
        for name in step.args:
            if name not in self.scene.nodes:
                hint = did_you_mean(name, self.scene.nodes)
                return Refusal((), f"there is no {clip(name)}" + (f"; {hint}" if hint else ""))
        match step:
            case Step("goto", (target,)):
                return self._goto(target)
            case Step("access", (target,)) if self.scene.nodes[target].type != "object":
                return self._access(target)
            case Step(name, (target,)) if name == self.pack.mapping.room_step:
                return self._go_to_room(target)
        effect = self._manipulate(step)
        if isinstance(effect, Effect) or not self.pack.mapping.implied_access:
            return effect
        elsewhere = any(a.predicate == self.pack.at for a in effect.unmet)
        return self._manipulate_in_room(step, effect) if elsewhere else effect

    def _manipulate(self, step: Step) -> Effect | Refusal:
        action = _action_of(step, self.state)
        return action if isinstance(action, Refusal) else self._perform(action)

    def _manipulate_in_room(self, step: Step, refusal: Refusal) -> Effect | Refusal:
        """Perform a step after access to what it is done at, where that is in the robot's room.

        Otherwise return why not: what the step lacks beside the robot's place, or ``refusal``.
        """
        here = self.state.anchor
        reason = None
        for place in dict.fromkeys((*_left_out(step.args, self.state), *step.args)):
            if place == self.state.stands_at or self.state.anchor_of(place) != here:
                continue
            trial = self.fork()
            went = trial._approach(place)
            effect = went if isinstance(went, Refusal) else trial._manipulate(step)
            if isinstance(effect, Effect) and isinstance(went, Effect):
                self.state, self.memory = trial.state, trial.memory
                return Effect((*went.actions, *effect.actions), went.length + effect.length)
            if isinstance(effect, Refusal) and all(a.predicate != self.pack.at for a in effect.unmet):
                reason = reason or (effect if effect.unmet else None)
        return reason or refusal

    def _approach(self, place: str) -> Effect | Refusal:
        """Access what stands in the robot's room, one after the other down to a place."""
        actions: list[PlanAction] = []
        for name in reversed(self.state.around(place)):
            movable = self.scene.nodes[name].type == "object"
            effect = self._manipulate(Step("access", (name,))) if movable else self._drive(name, 0)
            if isinstance(effect, Refusal):
                return effect
            actions += effect.actions
        return Effect(tuple(actions))

    def perform(self, action: PlanAction) -> Effect | Refusal:
        """Perform one action of the pack by name; an event by name is accepted and changes nothing more."""
        return self.perform_ground(self.pack.domain.actions[action.name].ground(action.args))

    def perform_ground(self, action: GroundAction) -> Effect | Refusal:
        """Perform one action of the pack that is bound already."""
        schema = self.pack.domain.actions[action.name]
        wrong = "" if schema.allows(action.args) else "its arguments must differ"
        for parameter, name in zip(schema.parameters, action.args, strict=True):
            if not wrong and not self.belief.has_type(name, parameter.type):
                wrong = f"{clip(name)} is no {parameter.type}"
        if wrong:
            return Refusal((), f"cannot {_verb_of(action, self.pack)}: {wrong}")
        unmet = self.state.unmet(action)
        if unmet:
            return _refusal(action, unmet, self.pack)
        length = 0
        if self.pack.mapping.actions[action.name].navigation:
            source, target = action.args
            if not self.belief.routes.connected(source, target):
                return _no_route(source, target)
            route = self.belief.routes.route(source, target)
            self._pass_by(route.hops)
            length = route.length
        return self._perform(action, length)

    def _goto(self, target: str) -> Effect | Refusal:
        here = self.state.anchor
        node_type = self.scene.nodes[target].type
        if node_type not in ANCHORS:
            return Refusal((), f"cannot go to {target}: it is no pose or room; go to its room and access it")
        near = self.scene.neighbours.get(here, {})
        if target != here and target not in near:
            return Refusal((), f"cannot go to {target}: it is not next to {here}")
        if door := self.state.is_shut(here, target):
            return _shut_door(door, target, self.pack)
        return self._drive(target, near.get(target, 0), (target,) if target != here else ())

    def _go_to_room(self, target: str) -> Effect | Refusal:
        here = self.state.anchor
        if self.scene.nodes[target].type != "room":
            return Refusal((), f"cannot go to {target}: it is no room")
        if not self.belief.routes.connected(here, target):
            return _no_route(here, target)
        if not self.scene.doors:
            return self.drive(target)
        shut = frozenset(ends for ends in self.scene.doors if self.state.is_shut(*ends))
        routes = Routes(self.scene, shut | self.belief.shut_ways)
        if not routes.connected(here, target):
            hops = (here, *self.belief.routes.route(here, target).hops)
            return _shut_door(
                next(filter(None, itertools.starmap(self.state.is_shut, pairwise(hops)))), target, self.pack
            )
        route = routes.route(here, target)
        return self._drive(target, route.length, route.hops)

    def _access(self, target: str) -> Effect | Refusal:
        here = self.state.anchor
        anchor = self.scene.anchor_of(target)
        if anchor is None:
            return Refusal((), f"cannot access {target}: it is in no room")
        if anchor != here:
            unmet = Atom(self.pack.standing, (anchor,))
            preposition = "in" if self.scene.nodes[anchor].type == "room" else "at"
            it = f"it is {preposition} {anchor}, the robot is at {here}"
            why = it if target != anchor else f"the robot is at {here}, not {preposition} {anchor}"
            return Refusal((unmet,), f"cannot access {target}: {why}")
        return self._drive(target, 0)

    def drive(self, target: str) -> Effect | Refusal:
        """Go to a place by the shortest route, leaving a movable container first."""
        here = self.state.anchor
        if not self.belief.routes.connected(here, target):
            return _no_route(here, target)
        route = self.belief.routes.route(here, target)
        return self._drive(target, route.length, route.hops)

    def _drive(self, target: str, length: int, hops: Sequence[str] = ()) -> Effect | Refusal:
        """Go to a place over the poses and rooms of a route."""
        source = next(
            (n for n in self.state.around(self.state.stands_at) if self.scene.nodes[n].type != "object"), None
        )
        for parameter, name in zip(self.pack.navigation.parameters, (source, target), strict=True):
            if name is not None and source != target and not self.belief.has_type(name, parameter.type):
                return Refusal((), f"cannot go from {source} to {target}: {name} is no {parameter.type}")
        left = self._leave()
        if isinstance(left, Refusal):
            return left
        if (here := self.state.stands_at) == target:
            return Effect(left, length)
        self._pass_by(hops)
        driven = self._perform(self.pack.navigation.ground((here, target)), length)
        return Effect((*left, *driven.actions), length)

    def _pass_by(self, hops: Sequence[str]) -> None:
        """Remember what holds at the poses and rooms of a route, but for the last, where the drive ends."""
        state, memory, at = self.state, self.memory, self.pack.at
        if not memory.watched or not hops:
            return
        start = state.stands_at
        for here, there in pairwise((state.anchor, *hops)):
            memory.note_step(step_atom(PASSING, (here, there)), self)
            memory.note_step(step_atom(PASSING, (there, here)), self)  # a way is forbidden in both directions
        for hop in hops[:-1]:
            gone = state.stands_at
            state.facts.discard(at, (gone,))
            state.facts.add(at, (hop,))
            memory.note(self, self.state, [Atom(at, (gone,)), Atom(at, (hop,))])
        if hops[:-1]:
            state.facts.discard(at, (state.stands_at,))
            state.facts.add(at, (start,))

    def _leave(self) -> tuple[PlanAction, ...] | Refusal:
        """Step back from a movable container to the place that carries it, where the pack has a way."""
        if self.scene.nodes[self.state.stands_at].type != "object":
            return ()
        actions: list[PlanAction] = []
        above = self.state.above(self.state.stands_at)
        nested = above is not None and self.scene.nodes[above].type == "object"
        before = self.fork() if nested else None
        while self.scene.nodes[here := self.state.stands_at].type == "object":
            leaving = _leaving_action(self.state)
            if leaving is None:
                if before is not None:  # a refused step changes nothing
                    self.state, self.memory = before.state, before.memory
                return Refusal((), f"cannot leave {here}: no action leads from it back to what carries it")
            actions += self._perform(leaving).actions
        return tuple(actions)

    def _perform(self, action: GroundAction, length: int = 0) -> Effect:
        facts, memory = self.state.facts, self.memory
        if memory.prohibitions and (printed := self.pack.printed(action.name, action.args)) is not None:
            memory.note_step(printed, self)
        undone = [a for a in action.delete if facts.discard(a.predicate, a.args)]
        new = [a for a in action.add if facts.add(a.predicate, a.args)]
        fired = close_under_events(facts, self.belief, new, undone)
        if memory.watched:
            made = [a for e, args in fired for a in e.ground(args).add]
            memory.note(self, self.state, [*action.add, *action.delete, *made])
        event = self.pack.mapping.actions[action.name].event
        happened = [PlanAction(action.name, action.args, event)]
        return Effect((*happened, *(PlanAction(e.name, args, True) for e, args in fired)), length)


def _no_route(source: str, target: str) -> Refusal:
    return Refusal((), f"cannot go to {target}: no route leads there from {source}")


def _shut_door(door: str, target: str, pack: Pack) -> Refusal:
    passable = pack.mapping.passable
    unmet = (Atom(passable.predicate, (door,)),) if passable is not None else ()
    return Refusal(unmet, f"cannot go to {target}: {door} is in the way, not open")


# From a printed step to an action


def _action_of(step: Step, state: WorldState) -> GroundAction | Refusal:
    """Return the action that a printed step means in a state, or why there is none that applies."""
    pack = state.pack
    printed = [(a, m) for a in pack.manipulations if (m := pack.mapping_of(a.name).step)]
    schemas = [(a, p) for a, p in printed if p.predicate == step.name and len(p.args) == len(step.args)]
    if not schemas:
        drives = filter(None, ("goto", pack.mapping.room_step, "done"))
        hint = did_you_mean(step.name, [*drives, *dict.fromkeys(p.predicate for _, p in printed)])
        return Refusal((), f"there is no step {clip(str(step))}" + (f"; {hint}" if hint else ""))
    best: tuple[tuple[bool, int, int], GroundAction, tuple[GroundAtom, ...]] | None = None
    for order, (schema, pattern) in enumerate(schemas):
        given = {v.name: a for v, a in zip(pattern.args, step.args, strict=True) if isinstance(v, Var)}
        for args in _arguments(schema, given, _left_out(step.args, state), state.belief):
            ground = schema.ground(args)
            unmet = state.unmet(ground)
            if not unmet:
                return ground
            # Two arguments are seldom meant to be one thing, so that is the last to be explained.
            rank = (len(set(args)) < len(args), sum(_weight(atom, pack) for atom in unmet), order)
            if best is None or rank < best[0]:
                best = (rank, ground, unmet)
    if best is None:
        verb = pack.mapping_of(schemas[0][0].name).verb.partition(" {")[0]
        if schemas[0][0].distinct and len(set(step.args)) < len(step.args):
            return Refusal((), f"cannot {verb} {', '.join(step.args)}: its arguments must differ")
        wrong = ", ".join(f"it is of type {state.scene.nodes[a].type}" for a in step.args)
        return Refusal((), f"cannot {verb} {', '.join(step.args)}: {wrong}")
    return _refusal(best[1], best[2], pack)


def _leaving_action(state: WorldState) -> GroundAction | None:
    """Return the action that steps back from a movable container to what carries it."""
    pack = state.pack
    here, above = state.stands_at, state.above(state.stands_at) or ""
    moves = Atom(pack.at, (above,))
    for schema in pack.manipulations:
        grounds = (schema.ground(a) for a in _arguments(schema, {}, (here, above), state.belief))
        leaving = next((g for g in grounds if moves in g.add and not state.unmet(g)), None)
        if leaving is not None:
            return leaving
    return None


def _weight(atom: GroundAtom, pack: Pack) -> int:
    """Weigh an unmet fact, to find the action that a step meant: elsewhere weighs more than shut."""
    if len(atom.args) > 1:
        return 10
    return 1 if atom.predicate in pack.fluents else 5


def _left_out(names: tuple[str, ...], state: WorldState) -> tuple[str, ...]:
    """Return the names that a step may leave out: the robot's place, containers, the thing in hand."""
    near = [state.stands_at, *(above for n in names if (above := state.above(n)) is not None)]
    near += [args[0] for args in state.facts.all(state.pack.mapping.robot_held.predicate)]
    return tuple(dict.fromkeys(near))


def _arguments(
    schema: Action, given: dict[str, str], context: tuple[str, ...], belief: Belief
) -> list[tuple[str, ...]]:
    """Return the arguments of a schema: as given, otherwise from the context, by their types."""
    choices: list[tuple[str, ...]] = [()]
    for parameter in schema.parameters:
        names = (given[parameter.name],) if parameter.name in given else context
        fitting = [n for n in names if belief.has_type(n, parameter.type)]
        choices = [(*c, n) for c in choices for n in fitting]
    return sorted(filter(schema.allows, choices), key=lambda c: len(set(c)) < len(c))


def _refusal(action: GroundAction, unmet: tuple[GroundAtom, ...], pack: Pack) -> Refusal:
    """Say what an action lacks: one static fact, which nothing can change, or else all unmet facts."""
    static = [a for a in unmet if a.predicate not in pack.fluents and len(a.args) == 1]
    reasons = static[:1] or list(unmet)
    why = "; ".join(pack.words(a.predicate, a.args, False) for a in reasons)
    return Refusal(unmet, f"cannot {_verb_of(action, pack)}: {why}")


def _verb_of(action: GroundAction, pack: Pack) -> str:
    parameters = pack.domain.actions[action.name].parameters
    names = dict(zip((p.name for p in parameters), action.args, strict=True))
    return filled(pack.mapping_of(action.name).verb or action.name, names)


def visible(belief: Belief, facts: Facts | None = None) -> Iterator[GroundAtom]:
    """Yield the facts of a state that goals can have, except the robot's place, in a fixed order."""
    for predicate in belief.pack.mapping.goal_predicates:
        for args in sorted((facts or belief.facts).all(predicate)):
            yield Atom(predicate, args)
