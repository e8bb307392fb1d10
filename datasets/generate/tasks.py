"""Tasks for any scene of the household kind: instructions with gold goals and gold queries, from a seed.

Made for benchmarks and property tests: every goal is false at the start, and can be reached where every place
can and every lock has its key. The answers of questions are found by walking the hierarchy of the scene, not
by the package's own ``find``. Instructions name nodes by their ids, so that nothing has to be guessed.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ...domains.errors import InputError, clip, did_you_mean
from ...domains.formula import And, Atom, Formula, conjunction
from ...simulator.belief import Belief
from ...simulator.scene import Node
from ..task import Gold, Task

SET = "generated"
MAX_THINGS = 3
"""Most things that one task moves."""

TRIES = 30
"""How often a kind may come up with what is there already before it counts as exhausted."""

_Made = tuple[str, Gold]

RATIONALE = "The instruction names every node: the facts that it asks for are the goal."
COUNTED = "Counted by walking the scene."


def pick_and_place(belief: Belief, count: int, seed: int) -> And:
    """``count`` different things, each to a random place that takes it and that it is not at.

    Raises :class:`InputError` where the scene has fewer things, or no place for them.
    """
    return _errands(belief, count, random.Random(seed))


def generated_tasks(belief: Belief, count: int, seed: int = 0, kinds: Sequence[str] = ()) -> tuple[Task, ...]:
    """``count`` different tasks of these kinds (all of :data:`KINDS`) in turn, as far as the scene has them.

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
            found = _another(KINDS[kind], stock, tasks)
            if found is None:
                left.remove(kind)
                continue
            instruction, gold = found
            task_id = f"{name}-{seed}-{len(tasks) + 1:04}-{kind}"
            tasks[instruction] = Task(task_id, SET, name, instruction, gold, base=belief.scene)
        if not left:
            asked = ", ".join(kinds) or "any kind"
            raise InputError(name, f"things for {count} tasks", f"for {len(tasks)}, of {asked}")
    return tuple(tasks.values())


def _another(
    make: Callable[[_Stock], _Made | None], stock: _Stock, known: Mapping[str, Task]
) -> _Made | None:
    """A task that is not known yet, if one turns up."""
    for _ in range(TRIES):
        made = make(stock)
        if made is None or made[0] not in known:
            return made
    return None


@dataclass(frozen=True, slots=True)
class _Stock:
    """What a scene offers, and the chance that chooses from it."""

    belief: Belief
    rng: random.Random

    def any(self, fits: Callable[[Node], bool]) -> Node | None:
        found = [n for n in self.belief.scene.nodes.values() if fits(n)]
        return self.rng.choice(found) if found else None

    def holds(self, predicate: str, *args: str) -> bool:
        return self.belief.facts.holds(predicate, args)

    def things(self) -> list[str]:
        """What lies in or on furniture and can be carried."""
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
        """What takes things: surfaces, and containers with a door that opens at any time."""
        assets = self.belief.scene.by_type.get("asset", ())
        found = [a for a in assets if "release" in self.belief.scene.nodes[a].affordances]
        found = [p for p in found if self.holds("surface", p) or self.holds("can_open", p)]
        return [p for p in found if not self.holds("interlocked", p)]


def _errands(belief: Belief, count: int, rng: random.Random) -> And:
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


def _goal(instruction: str, goal: Formula) -> _Made:
    return instruction, Gold(str(goal), RATIONALE, SET)


def _place(stock: _Stock) -> _Made | None:
    count = min(stock.rng.randint(1, MAX_THINGS), len(stock.things()))
    if not count or len(stock.places()) < 2:
        return None
    goal = _errands(stock.belief, count, stock.rng)
    said = []
    for part in goal.parts:
        assert isinstance(part, Atom)
        said.append(f"{part.args[0]} {'in' if part.predicate == 'inside_of' else 'on'} {part.args[1]}")
    return _goal(f"Put {', and '.join(said)}.", conjunction(goal.parts))


def _set(verb: str, wanted: str, affordance: str, now: str) -> Callable[[_Stock], _Made | None]:
    """A task that changes one state of one piece of furniture."""

    def make(stock: _Stock) -> _Made | None:
        def fits(node: Node) -> bool:
            return node.type == "asset" and affordance in node.affordances and stock.holds(now, node.id)

        found = stock.any(fits)
        return _goal(f"{verb} {found.id}.", Atom(wanted, (found.id,))) if found else None

    return make


def _treat(
    verb: str, wanted: str, machine: str, group: str, state: str = ""
) -> Callable[[_Stock], _Made | None]:
    """A task that has one thing of a group, in a state, treated by a machine."""

    def make(stock: _Stock) -> _Made | None:
        facts = stock.belief.facts
        if not any("release" in stock.belief.scene.nodes[a].affordances for (a,) in facts.all(machine)):
            return None

        def fits(node: Node) -> bool:
            right = group in node.classes and (not state or state in node.state)
            return right and stock.loose(node) and not stock.holds(wanted, node.id)

        found = stock.any(fits)
        return _goal(f"{verb} {found.id}.", Atom(wanted, (found.id,))) if found else None

    return make


def _question(instruction: str, query: str, answers: Sequence[str]) -> _Made:
    return instruction, Gold("", COUNTED, SET, query=query, answers=tuple(answers))


def _find(stock: _Stock) -> _Made | None:
    """Which things of a class are in a room."""
    scene = stock.belief.scene
    found = stock.any(lambda n: n.type == "object" and scene.room_of(n.id) is not None)
    if found is None:
        return None
    kind, room = found.classes[0], scene.room_of(found.id)
    answers = [i for i in scene.by_class[kind] if scene.room_of(i) == room]
    return _question(f"Find every {kind} in {room}.", f"(find (?x - {kind}) (in_room ?x {room}))", answers)


def _lacking(stock: _Stock) -> _Made | None:
    """Which rooms of a class have no furniture of another."""
    scene = stock.belief.scene

    def pure(node: Node) -> bool:
        """Whether only rooms are of the room's class; a question about it would mean other things, too."""
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


KINDS: Mapping[str, Callable[[_Stock], _Made | None]] = {
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
"""The kinds of tasks, and what makes one; ``None`` where a scene has nothing for it."""
