"""Tasks for any scene under the household pack: instructions with gold goals and gold queries, from a seed.

For benchmarks and property tests: every goal is false at the start, and reachable where every place is
reachable and every lock has its key. The answers of questions come from walking the hierarchy of the scene,
not from the package's own ``find``. Instructions name nodes by ids, and classes as the scene spells them, so
that nothing has to be guessed. To add a kind of task, write a function that makes one and name it in
:data:`KINDS`; that, and another order of random draws, changes the tasks of a seed.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from groundplan.datasets.task import Gold, Task
from groundplan.domains.errors import InputError, clip, did_you_mean
from groundplan.domains.formula import And, Atom, Formula, conjunction
from groundplan.simulator.belief import Belief
from groundplan.simulator.scene import Node

SET = "generated"
MAX_THINGS = 3
"""Most things that one task moves."""

TRIES = 30
"""Tries for a task that is not there yet before its kind counts as exhausted."""

_Draft = tuple[str, Gold]
"""An instruction and its gold goal or query."""

RATIONALE = "The instruction names every node: the facts that it asks for are the goal."
COUNTED = "Counted by walking the scene."


def pick_and_place(belief: Belief, count: int, seed: int) -> And:
    """Return a goal for ``count`` different things, each at a random other place that takes it.

    Raises :class:`InputError` where the scene has fewer things, or no place for them.
    """
    return _placements(belief, count, random.Random(seed))


def generated_tasks(belief: Belief, count: int, seed: int = 0, kinds: Sequence[str] = ()) -> tuple[Task, ...]:
    """Return ``count`` different tasks of these kinds (all of :data:`KINDS`) in turn.

    Raises :class:`InputError` for an unknown kind, and where the scene gives fewer tasks of these kinds.
    """
    for kind in kinds:
        if kind not in KINDS:
            raise InputError(
                "kind of task", f"one of {', '.join(KINDS)}", clip(kind), did_you_mean(kind, KINDS)
            )
    stock, name = _Stock(belief, random.Random(seed)), belief.scene.name
    tasks: dict[str, Task] = {}
    left = list(dict.fromkeys(kinds or KINDS))
    while len(tasks) < count:
        for kind in left[: count - len(tasks)]:
            draft = _another(KINDS[kind], stock, tasks)
            if draft is None:
                left.remove(kind)
                continue
            instruction, gold = draft
            task_id = f"{name}-{seed}-{len(tasks) + 1:04}-{kind}"
            tasks[instruction] = Task(task_id, SET, name, instruction, gold, base=belief.scene)
        if not left:
            of_kinds = ", ".join(kinds) or "any kind"
            raise InputError(name, f"things for {count} tasks", f"for {len(tasks)}, of {of_kinds}")
    return tuple(tasks.values())


def _another(
    make: Callable[[_Stock], _Draft | None], stock: _Stock, tasks: Mapping[str, Task]
) -> _Draft | None:
    """Make a task with another instruction than the given tasks, within :data:`TRIES`."""
    for _ in range(TRIES):
        draft = make(stock)
        if draft is None or draft[0] not in tasks:
            return draft
    return None


@dataclass(frozen=True, slots=True)
class _Stock:
    """The nodes of a scene that tasks can be about, and the random numbers that choose among them."""

    belief: Belief
    rng: random.Random

    def any(self, fits: Callable[[Node], bool]) -> Node | None:
        fitting = [n for n in self.belief.scene.nodes.values() if fits(n)]
        return self.rng.choice(fitting) if fitting else None

    def holds(self, predicate: str, *args: str) -> bool:
        return self.belief.facts.holds(predicate, args)

    def things(self) -> list[str]:
        """List the things that lie in or on furniture and can be carried."""
        return [n.id for n in self.belief.scene.nodes.values() if self.loose(n)]

    def loose(self, node: Node) -> bool:
        above = self.belief.scene.nodes.get(node.parent or "")
        if (
            node.type != "object"
            or "pickup" not in node.affordances
            or above is None
            or above.type != "asset"
        ):
            return False
        inside = node.relation == "inside_of"
        return inside or (node.relation == "ontop_of" and not self.holds("container", above.id))

    def places(self) -> list[str]:
        """List the furniture that takes things: surfaces, and containers that can be opened at any time."""
        return [
            asset
            for asset in self.belief.scene.by_type.get("asset", ())
            if "release" in self.belief.scene.nodes[asset].affordances
            and (self.holds("surface", asset) or self.holds("can_open", asset))
            and not self.holds("interlocked", asset)
        ]


def _placements(belief: Belief, count: int, rng: random.Random) -> And:
    stock = _Stock(belief, rng)
    things, places = stock.things(), stock.places()
    if len(things) < count or len(places) < 2:
        got = f"{len(things)} things and {len(places)} places"
        raise InputError(belief.scene.name, f"{count} things to carry between two places", got)
    parts: list[Formula] = []
    for thing in rng.sample(things, count):
        target = rng.choice([p for p in places if p != belief.scene.nodes[thing].parent])
        relation = "inside_of" if stock.holds("container", target) else "ontop_of"
        parts.append(Atom(relation, (thing, target)))
    return And(tuple(parts))


def _goal(instruction: str, goal: Formula) -> _Draft:
    return instruction, Gold(str(goal), RATIONALE, SET)


def _place(stock: _Stock) -> _Draft | None:
    count = min(stock.rng.randint(1, MAX_THINGS), len(stock.things()))
    if not count or len(stock.places()) < 2:
        return None
    goal = _placements(stock.belief, count, stock.rng)
    phrases = []
    for part in goal.parts:
        assert isinstance(part, Atom)
        phrases.append(f"{part.args[0]} {'in' if part.predicate == 'inside_of' else 'on'} {part.args[1]}")
    return _goal(f"Put {', and '.join(phrases)}.", conjunction(goal.parts))


def _set(verb: str, goal_predicate: str, affordance: str, now: str) -> Callable[[_Stock], _Draft | None]:
    """Return a maker of tasks that change one state of one piece of furniture."""

    def make(stock: _Stock) -> _Draft | None:
        def fits(node: Node) -> bool:
            return node.type == "asset" and affordance in node.affordances and stock.holds(now, node.id)

        node = stock.any(fits)
        return _goal(f"{verb} {node.id}.", Atom(goal_predicate, (node.id,))) if node else None

    return make


def _treat(
    verb: str, goal_predicate: str, machine: str, group: str, state: str = ""
) -> Callable[[_Stock], _Draft | None]:
    """Return a maker of tasks in which a machine treats one thing of a group, in a state."""

    def make(stock: _Stock) -> _Draft | None:
        facts = stock.belief.facts
        if not any("release" in stock.belief.scene.nodes[a].affordances for (a,) in facts.all(machine)):
            return None

        def fits(node: Node) -> bool:
            right = group in node.classes and (not state or state in node.state)
            return right and stock.loose(node) and not stock.holds(goal_predicate, node.id)

        node = stock.any(fits)
        return _goal(f"{verb} {node.id}.", Atom(goal_predicate, (node.id,))) if node else None

    return make


def _question(instruction: str, query: str, answers: Sequence[str]) -> _Draft:
    return instruction, Gold("", COUNTED, SET, query=query, answers=tuple(answers))


def _find(stock: _Stock) -> _Draft | None:
    """Ask for the things of a class in a room."""
    scene = stock.belief.scene
    thing = stock.any(lambda n: n.type == "object" and scene.room_of(n.id) is not None)
    if thing is None:
        return None
    kind, room = thing.classes[0], scene.room_of(thing.id)
    answers = [i for i in scene.by_class[kind] if scene.room_of(i) == room]
    return _question(f"Find every {kind} in {room}.", f"(find (?x - {kind}) (in_room ?x {room}))", answers)


def _lacking(stock: _Stock) -> _Draft | None:
    """Ask for the rooms of a class that have no furniture of another class."""
    scene = stock.belief.scene

    def pure(node: Node) -> bool:
        """Return whether a room's class has rooms only, so that a question about it means nothing else."""
        return node.type == "room" and all(
            scene.nodes[i].type == "room" for i in scene.by_class[node.classes[0]]
        )

    room, asset = stock.any(pure), stock.any(lambda n: n.type == "asset" and scene.room_of(n.id) is not None)
    if room is None or asset is None:
        return None
    kind, lacked = room.classes[0], asset.classes[0]
    having = {scene.room_of(a) for a in scene.by_class[lacked]}
    answers = [r for r in scene.by_class[kind] if r not in having]
    query = f"(find (?r - {kind}) (not (exists (?a - {lacked}) (in_room ?a ?r))))"
    return _question(f"Which {kind} has no {lacked}?", query, answers)


KINDS: Mapping[str, Callable[[_Stock], _Draft | None]] = {
    "place": _place,
    "open": _set("Open", "open", "open", "closed"),
    "close": _set("Close", "closed", "close", "open"),
    "switch-on": _set("Turn on", "turned_on", "turn_on", "turned_off"),
    "switch-off": _set("Turn off", "turned_off", "turn_off", "turned_on"),
    "heat": _treat("Heat", "hot", "heats", "food"),
    "wash": _treat("Wash", "clean", "washes", "dishware", "dirty"),
    "find": _find,
    "find-lacking": _lacking,
}
"""The kinds of tasks with the function that makes one, or ``None`` where a scene has nothing for it."""
