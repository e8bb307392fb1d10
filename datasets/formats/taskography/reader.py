"""PDDL problems over the Taskography domains (Agia et al., CoRL 2021; taskography/taskography-api), v1 to v5.

Types are ``agent room place location receptacle item`` and, by version, ``bagslot rclass iclass``. A thing is
at a location, which is in a place, which is in a room; version 1 has locations only. The problem is read by
the reader of s-expressions that packs use; names of objects ignore case, and every fact is checked against
the predicates of the domains and the types of their arguments, which are fixed (``writer.SIGNATURES``).

Mapping to a scene, which is ours and may be changed together with ``docs/formats.md``:

- rooms: rooms, on which things can be put; ``roomsConnected``: links of 1 m; without rooms one room is made
- receptacles: assets; ``receptacleOpeningType``: open, close, and a state by ``receptacleOpened``
- items: objects that can be picked up, ``inside_of`` opening receptacles, ``ontop_of`` others or the floor
- the agent: the robot, in its room; an item that it ``holds`` is in its hand
- ``itemClass``, ``receptacleClass``, or names as the generator makes them (``item3_apple_smallitem``):
  classes
- ``smallItem``, ``mediumItem``, ``largeItem``: the attributes small, medium, large
- a goal that puts given items into given receptacles: the scene's description, in the language of goals

Losses: places and locations (coordinates of a grid in their names) and facts that are not read, counted; bag
slots, each; a goal of another form. Problems with something in a bag slot are refused: a scene's robot has
one hand.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from ....domains.errors import SceneError, clip, did_you_mean
from ....domains.sexpr import Expression, Word, has_more_words, read
from ....simulator.scene import DOUBT, Link, Loss, Node, Scene, default_class
from ....simulator.scene_json import DEFAULT_LENGTH
from ..assembly import fresh, with_robot
from ..content import Content, Format
from ..losses import differences
from ..unread import counted
from .head import HEAD, is_problem
from .writer import EXTENSIONS, SIGNATURES, TYPES, names, problem_text, write

MAX_BYTES = 32 * 1024 * 1024
MAX_TEXT = 40 * 1024 * 1024
"""Bytes of the text in memory, where one wide character makes every character take two or four."""
MAX_WORDS = 1_800_000
"""Most words and lists, of up to 150 bytes of memory each: a scene of 100,000 nodes has 1.7 million."""

_DOMAIN = re.compile(rb"\(\s*:domain\s+taskography", re.I)
_LOCATED = re.compile(rb"\(\s*(?:receptacle|item)AtLocation\s", re.I)
_INIT = re.compile(rb"\(\s*+:init\b(.{0,%d})" % HEAD, re.I | re.S)
_GOAL = re.compile(rb"\(\s*+:goal\b", re.I)
_FACT = re.compile(rb"\(\s*+([a-z][\w-]*+)", re.I)
_NAMED = re.compile(r"(?:room|receptacle|item)\d+_(.+?)(?:_(?:small|medium|large)item)?", re.I)
PLACES = tuple(
    """inReceptacle itemAtLocation receptacleAtLocation inRoom inPlace atLocation placeInRoom
    locationInPlace""".split()
)
"""Predicates by which the first of two things is in the second."""
NOT_USED = ("classrelation", "slotholdsany")
"""Predicates whose facts a scene does not hold; the others are in its nodes and links, or follow."""
_SIZES = {"smallitem": "small", "mediumitem": "medium", "largeitem": "large"}


def _detect(content: Content) -> bool:
    """Return whether a problem is of a domain named so, or of one that has the predicates of these alone."""
    if is_problem(content, MAX_BYTES, _DOMAIN):
        return True
    if not is_problem(content, MAX_BYTES, _LOCATED):
        return False
    init = _INIT.search(content.data)
    facts = _GOAL.split(init[1], maxsplit=1)[0] if init is not None else b""
    return {name.decode().lower() for name in _FACT.findall(facts)} <= {*SIGNATURES, "not"}


def _read(content: Content) -> Scene:
    if len(content.data) > MAX_BYTES:
        raise SceneError(content.where, f"at most {MAX_BYTES} bytes of PDDL", str(len(content.data)))
    text = content.text
    if sys.getsizeof(text) > MAX_TEXT:
        raise SceneError(content.where, f"at most {MAX_TEXT} bytes of PDDL in memory", "wide characters")
    if has_more_words(text, MAX_WORDS):
        raise SceneError(content.where, f"at most {MAX_WORDS} words and lists of PDDL", "more")
    return problem_scene(read(text, content.where, SceneError), content.where, content.name)


def problem_scene(expressions: tuple[Expression | Word, ...], where: str, default_name: str = "") -> Scene:
    """Build the scene of a parsed problem; ``default_name`` names one that has no name.

    Raises :class:`SceneError` with line and column.
    """
    problem = _Problem(where, default_name or where)
    problem.read(expressions)
    return _Objects(problem).scene()


@dataclass(slots=True)
class _Problem:
    """Objects and facts of a problem, checked."""

    where: str
    name: str
    types: dict[str, str] = field(default_factory=dict)
    spelt: dict[str, str] = field(default_factory=dict)
    facts: dict[str, list[tuple[str, ...]]] = field(default_factory=dict)
    goal: Expression | None = None

    def read(self, expressions: tuple[Expression | Word, ...]) -> None:
        define = expressions[0] if len(expressions) == 1 else None
        if not isinstance(define, Expression) or define.head() != "define":
            raise SceneError(self.where, "one (define (problem NAME) ...)", f"{len(expressions)} expressions")
        sections = {}
        for section in define.items[1:]:
            if not isinstance(section, Expression):
                raise self.fail(section, "a section in brackets", section.text)
            sections[section.head()] = section
        for key in ("problem", ":objects", ":init"):
            if key not in sections:
                raise self.fail(define, f"a section ({key} ...)", clip(", ".join(sections)) or "none")
        title = sections["problem"].items
        self.name = (self.word(title[1], "a name") if len(title) > 1 else "") or self.name
        self.declare(sections[":objects"])
        for item in sections[":init"].items[1:]:
            self.fact(item)
        self.goal = sections.get(":goal")

    def fail(self, at: Expression | Word, expected: str, got: str, hint: str = "") -> SceneError:
        return SceneError(f"{self.where}:{at.line}:{at.column}", expected, clip(got), hint)

    def word(self, at: Expression | Word, expected: str) -> str:
        if not isinstance(at, Word):
            raise self.fail(at, expected, "brackets")
        return at.text

    def declare(self, section: Expression) -> None:
        """Names before a dash are of the type after it."""
        waiting: list[Word] = []
        rest = iter(section.items[1:])
        for item in rest:
            if not isinstance(item, Word):
                raise self.fail(item, "the name of an object", "brackets")
            if item.text != "-":
                waiting.append(item)
                continue
            after = next(rest, item)
            kind = self.word(after, "a type").lower()
            if kind not in TYPES:
                hint = did_you_mean(kind, TYPES) or f"types are {', '.join(TYPES)}"
                raise self.fail(after, "a type of the Taskography domains", kind, hint)
            for word in waiting:
                key = word.text.lower()
                if key in self.types:
                    raise self.fail(word, "names that are unique", word.text, "PDDL ignores case")
                self.types[key], self.spelt[key] = kind, word.text
            waiting = []
        if waiting:
            raise self.fail(waiting[0], "a type for each object", waiting[0].text)

    def fact(self, item: Expression | Word) -> None:
        """Enter one fact of the initial state; negated facts are left out."""
        if not isinstance(item, Expression):
            raise self.fail(item, "a fact in brackets", item.text)
        if item.head() == "not":
            return
        predicate, args = self.checked(item)
        self.facts.setdefault(predicate, []).append(args)

    def checked(self, item: Expression) -> tuple[str, tuple[str, ...]]:
        predicate = item.head()
        signature = SIGNATURES.get(predicate)
        if signature is None:
            hint = did_you_mean(predicate, SIGNATURES)
            raise self.fail(item, "a predicate of the Taskography domains", predicate or "none", hint)
        args = [self.word(a, "the name of an object").lower() for a in item.items[1:]]
        if len(args) != len(signature):
            raise self.fail(item, f"{len(signature)} arguments of {predicate}", str(len(args)))
        for arg, kind, at in zip(args, signature, item.items[1:], strict=True):
            if self.types.get(arg) != kind:
                hint = did_you_mean(arg, self.types) if arg not in self.types else ""
                got = f"{clip(arg)}, {self.types.get(arg, 'which is not declared')}"
                raise self.fail(at, f"an object of type {kind}", got, hint)
        return predicate, tuple(args)


class _Objects:
    """The scene of a problem that was read."""

    def __init__(self, problem: _Problem) -> None:
        self.problem, self.where = problem, problem.where
        self.types, self.spelt, self.facts = problem.types, problem.spelt, problem.facts
        self.opening = self.single("receptacleopeningtype")
        self.goal = self.goal_text()
        self.classes: dict[str, tuple[str, ...]] = {}
        for predicate in ("itemclass", "receptacleclass"):
            for thing, kind in self.facts.get(predicate, ()):
                self.classes[thing] = tuple(dict.fromkeys((*self.classes.get(thing, ()), self.spelt[kind])))

    def losses(self) -> Iterator[Loss]:
        """Yield what the problem has and its scene has not."""
        goal = self.problem.goal
        for _, name in self.of("bagslot"):
            yield Loss("node", name, "a robot has one hand: bag slots are left out")
        used = {fact[1] for p in ("itemclass", "receptacleclass") for fact in self.facts.get(p, ())}
        unused = Counter(k for key, k in self.types.items() if k in ("rclass", "iclass") and key not in used)
        yield from counted("node", unused, "a class that no thing has")
        grid = Counter(kind for kind in self.types.values() if kind in ("place", "location"))
        yield from counted("node", grid, "things are kept in their rooms")
        unread = {p: len(self.facts[p]) for p in NOT_USED if p in self.facts}
        yield from counted("fact", unread, "such facts are not read")
        inside = self.pairs("inreceptacle")
        for predicate in PLACES:
            first = self.pairs(predicate.lower())
            for thing, place in self.facts.get(predicate.lower(), ()):
                if first[thing] != place:
                    fact = f"{predicate} {self.spelt[thing]} {self.spelt[place]}"
                    yield Loss("fact", fact, "a thing has one place")
        located, holders = self.pairs("itematlocation"), self.pairs("receptacleatlocation")
        rooms = self.rooms(None)
        for key, name in self.of("agent"):
            if len(self.rooms_of_agent(key, rooms)) > 1:
                yield Loss(
                    DOUBT, name, "its room, place and location are in different rooms; the first counts"
                )
        apart = 0
        for item, receptacle in inside.items():
            here, there = (rooms.get(at.get(x, "")) for at, x in ((located, item), (holders, receptacle)))
            apart += here != there and None not in (here, there)
        if apart:
            yield Loss(
                DOUBT, "itemAtLocation", "an item is in another room than its receptacle, which counts", apart
            )
        if goal is not None and not self.goal and not _is_empty(goal):
            yield Loss("goal", ":goal", "only goals that put given items into given receptacles are read")

    def goal_text(self) -> str:
        """Translate a conjunction of ``inReceptacle`` to the language of goals; empty for other goals."""
        section = self.problem.goal
        if section is None or len(section.items) != 2:
            return ""
        goal = section.items[1]
        parts = goal.items[1:] if isinstance(goal, Expression) and goal.head() == "and" else (goal,)
        atoms = []
        for part in parts:
            if not isinstance(part, Expression) or part.head() != "inreceptacle":
                return ""
            _, (item, receptacle) = self.problem.checked(part)
            names = self.spelt[item], self.spelt[receptacle]
            if not all(re.fullmatch(r"[\w.-]+", n) for n in names):
                return ""
            atoms.append(f"({self.relation(receptacle)} {' '.join(names)})")
        return f"goal: (and {' '.join(atoms)})" if len(atoms) > 1 else f"goal: {atoms[0]}" if atoms else ""

    def of(self, kind: str) -> Iterator[tuple[str, str]]:
        """Return keys and names of the objects of a type, as declared."""
        return ((key, self.spelt[key]) for key, t in self.types.items() if t == kind)

    def pairs(self, predicate: str) -> dict[str, str]:
        """Map the first argument of a predicate to the second; the first of several."""
        second_of: dict[str, str] = {}
        for first, second in self.facts.get(predicate, ()):
            second_of.setdefault(first, second)
        return second_of

    def single(self, predicate: str) -> frozenset[str]:
        return frozenset(a for (a,) in self.facts.get(predicate, ()))

    def relation(self, receptacle: str) -> str:
        return "inside_of" if receptacle in self.opening else "ontop_of"

    def scene(self) -> Scene:
        nodes: dict[str, Node] = {}
        for key, name in self.of("room"):
            nodes[name] = self.node(key, "room", None, "in", ("release",))
        if not nodes:
            made = fresh("house", self.spelt.values())
            nodes[made] = Node(made, "room", classes=("house",), affordances=("release",))
        only = next(iter(nodes)) if len(nodes) == 1 else None
        room_of = self.rooms(only)
        self.receptacles(nodes, room_of, only)
        self.agents(nodes, room_of)
        self.items(nodes, room_of, only)
        links: dict[frozenset[str], Link] = {}
        for a, b in self.facts.get("roomsconnected", ()):
            if a != b:
                links.setdefault(frozenset((a, b)), Link(self.spelt[a], self.spelt[b], DEFAULT_LENGTH))
        losses = tuple(self.losses())
        return Scene(self.problem.name, with_robot(nodes), tuple(links.values()), self.goal, losses)

    def rooms(self, only: str | None) -> dict[str, str]:
        """Map each location to its room."""
        place_of = self.pairs("placelocation") | self.pairs("locationinplace")
        room_of = self.rooms_of_places()
        rooms = {}
        for location, _ in self.of("location"):
            room = room_of.get(place_of.get(location, ""))
            if room is not None or only is not None:
                rooms[location] = self.spelt[room] if room is not None else str(only)
        return rooms

    def rooms_of_places(self) -> dict[str, str]:
        return self.pairs("roomplace") | self.pairs("placeinroom")

    def receptacles(self, nodes: dict[str, Node], room_of: dict[str, str], only: str | None) -> None:
        located, opened = self.pairs("receptacleatlocation"), self.single("receptacleopened")
        for key, name in self.of("receptacle"):
            room = self.home(key, room_of.get(located.get(key, ""), only), "receptacleAtLocation")
            able = ("open", "close", "release") if key in self.opening else ("release",)
            state = ("open" if key in opened else "closed",) if key in self.opening else ()
            nodes[name] = self.node(key, "asset", room, "in", able, state)

    def agents(self, nodes: dict[str, Node], room_of: dict[str, str]) -> None:
        for key, name in self.of("agent"):
            at = next(iter(self.rooms_of_agent(key, room_of)), None)
            nodes[name] = Node(name, "agent", classes=("agent",), at=at)

    def rooms_of_agent(self, key: str, room_of: dict[str, str]) -> tuple[str, ...]:
        """Return the rooms that facts give an agent: the stated one, that of its place, of its location."""
        place, located = self.pairs("inplace").get(key, ""), self.pairs("atlocation").get(key, "")
        keys = self.pairs("inroom").get(key), self.rooms_of_places().get(place)
        stated = [self.spelt[room] for room in keys if room is not None]
        return tuple(dict.fromkeys([*stated, *([room_of[located]] if located in room_of else [])]))

    def items(self, nodes: dict[str, Node], room_of: dict[str, str], only: str | None) -> None:
        located, inside = self.pairs("itematlocation"), self.pairs("inreceptacle")
        held = {item: agent for agent, item in self.facts.get("holds", ())}
        slots = self.pairs("inslot")
        sizes = [(word, self.single(predicate)) for predicate, word in _SIZES.items()]
        for key, name in self.of("item"):
            if key in slots:
                got = f"{clip(name)} in {clip(self.spelt[slots[key]])}"
                raise SceneError(
                    f"{self.where}: {clip(name)}", "no item in a bag slot: the robot has one hand", got
                )
            if key in held:
                parent, relation = self.spelt[held[key]], "inside_hand"
            elif key in inside:
                parent, relation = self.spelt[inside[key]], self.relation(inside[key])
            else:
                parent = self.home(key, room_of.get(located.get(key, ""), only), "itemAtLocation")
                relation = "ontop_of"
            words = tuple(word for word, members in sizes if key in members)
            nodes[name] = self.node(key, "object", parent, relation, ("pickup",), (), words)

    def home(self, key: str, room: str | None, predicate: str) -> str:
        if room is None:
            hint = f"({predicate} ...) at a location whose place is in a room"
            raise SceneError(f"{self.where}: {clip(self.spelt[key])}", "the room where it is", "none", hint)
        return room

    def node(
        self, key: str, kind: str, parent: str | None, relation: str, able: tuple[str, ...],
        state: tuple[str, ...] = (), attributes: tuple[str, ...] = (),
    ) -> Node:  # fmt: skip
        name = self.spelt[key]
        named = _NAMED.fullmatch(name)
        stem = named.group(1).lower() if named is not None else default_class(name)
        classes = self.classes.get(key, (stem,))
        return Node(name, kind, parent, relation, classes, able, state, attributes)


def _is_empty(goal: Expression) -> bool:
    """Return whether a section has no goal, or an empty conjunction, as problems without a task have."""
    return all(
        isinstance(part, Expression) and part.head() in ("", "and") and len(part.items) < 2
        for part in goal.items[1:]
    )


def _loses(scene: Scene) -> tuple[str, ...]:
    again = problem_scene(read(problem_text(scene), scene.name), scene.name)
    return differences(scene, again, names(scene))


FORMAT = Format("taskography", "PDDL problem over Taskography", _detect, _read, write, _loses, EXTENSIONS)
