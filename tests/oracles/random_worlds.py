"""Random small worlds and goals by seed: rooms, furniture, machines, things, movable containers, tools.

A seed gives the same scene and goals on every machine and in every run: failures are named by it. What is
drawn may be extended at will, but that changes what every seed means, so figures of earlier runs end there.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from groundplan.compiler.goals.goal import Goal, parse_goal
from groundplan.domains.evaluate import evaluate
from groundplan.domains.pack import Pack, load_pack
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.scene import Link, Node, Scene
from groundplan.simulator.verification import watched
from groundplan.simulator.world import World

PACKS = ("household", "household-locks", "foundry")
DOOR = ("open", "close")
SWITCH = ("turn_on", "turn_off")


@dataclass(frozen=True, slots=True)
class Furniture:
    """A class of assets: affordances that all of its members have, and those that some have."""

    name: str
    always: tuple[str, ...]
    sometimes: tuple[str, ...] = ()


FURNITURE = (
    Furniture("table", ("release",)),
    Furniture("desk", ("release",)),
    Furniture("shelf", (), ("release",)),
    Furniture("cabinet", ("release", *DOOR)),
    Furniture("cupboard", ("release", *DOOR)),
    Furniture("fridge", ("release", *DOOR)),
    Furniture("microwave", ("release", *DOOR, *SWITCH), ("interlocked",)),
    Furniture("dishwasher", ("release", *DOOR, *SWITCH), ("interlocked",)),
    Furniture("stove", ("release", *SWITCH)),
    Furniture("coffee_machine", ("release", *SWITCH)),
    Furniture("lamp", SWITCH),
    Furniture("sink", ("release", "contain")),
)
BENCHES = (
    Furniture("rack", ("release",)),
    Furniture("scale", ("release",)),
    Furniture("bench", ("release", "counted")),
    Furniture("bench", ("release", "counted")),
    Furniture("locker", ("release", *DOOR, "sealable")),
    Furniture("bucket", ("release",)),
    Furniture("table", ("release",)),
)
THINGS = ("apple", "banana", "mug", "plate", "sponge", "book", "vase")
FOUNDRY_THINGS = ("brush", "brush", "block", "block", "apple", "sponge")
CARRIERS = {
    "crate": ("release", "contain"),
    "box": ("release", *DOOR),
    "toolbox": ("release", *DOOR),
    "bag": ("release", "contain"),
    "tray": ("release",),
}
FRUIT = ("apple", "banana")
MACHINES = {"hot": {"microwave", "stove"}, "clean": {"dishwasher"}, "cold": {"fridge"}}
"""What machines of these classes achieve."""
LOCKS = ("brass_lock", "steel_lock", "card_lock")
KEYS = ("brass_key", "steel_key", "key_card")


@dataclass(frozen=True, slots=True)
class RandomGoal:
    """A goal with the kind that it was drawn as."""

    kind: str
    goal: Goal

    def __str__(self) -> str:
        return str(self.goal.formula)


@dataclass(frozen=True, slots=True)
class RandomWorld:
    """A world of a seed with its goals."""

    seed: int
    pack: str
    belief: Belief
    goals: tuple[RandomGoal, ...]


@cache
def pack_of(name: str) -> Pack:
    return load_pack(str(Path(__file__).parent / "foundry") if name == "foundry" else name)


def random_world(seed: int, pack: str = "household", goals: int = 5) -> RandomWorld:
    """Return the world of a seed, with goals of different kinds."""
    rng = random.Random(f"{pack} {seed}")
    belief = ground(SceneBuilder(rng, pack).scene(seed), pack_of(pack))
    draw = GoalDrawer(rng, belief)
    kinds = rng.sample(list(KINDS), min(goals, len(KINDS)))
    return RandomWorld(seed, pack, belief, tuple(RandomGoal(k, draw.fresh(k)) for k in kinds))


class SceneBuilder:
    """A scene, node by node."""

    def __init__(self, rng: random.Random, pack: str) -> None:
        self.rng, self.pack = rng, pack
        self.nodes: list[Node] = []

    def chance(self, of: float) -> bool:
        return self.rng.random() < of

    def scene(self, seed: int) -> Scene:
        rooms = [f"room{i}" for i in range(self.rng.choice((3, 3, 3, 4, 4, 5, 6)))]
        for room in rooms:
            floor = ("release",) if self.chance(0.2) else ()
            self.nodes.append(
                Node(room, "room", classes=("room", self.rng.choice(("hall", "office"))), affordances=floor)
            )
        links = self._links(rooms)
        for number in range(self.rng.choice((2, 2, 3, 3, 4))):
            self._asset(number, self.rng.choice(rooms))
        if self.chance(0.05):  # a shelf outside of all rooms, which nobody can reach
            self.nodes.insert(0, Node("site", "building", classes=("building",)))
            self.nodes.append(Node("shelf9", "asset", "site", "in", ("shelf", "furniture"), ("release",)))
        where = self.rng.choice([n.id for n in self.nodes if n.id not in ("site", "shelf9")])
        self.nodes.append(Node("robot", "agent", at=where, classes=("agent",)))
        self._things(rooms)
        return Scene(f"{self.pack}-{seed}", {n.id: n for n in self.nodes}, tuple(links))

    def _links(self, rooms: Sequence[str]) -> list[Link]:
        links = []
        cut = self.chance(0.06)
        for number, room in enumerate(rooms[1:], 1):
            other = rooms[self.rng.randrange(number)]
            length = 0.0 if self.chance(0.05) else self.rng.randint(5, 90) / 10
            if cut and number == len(rooms) - 1:
                continue  # the last room cannot be reached
            if self.chance(0.2):
                pose = f"pose{number}"
                self.nodes.append(Node(pose, "pose", classes=("pose",)))
                links += [Link(other, pose, length), Link(pose, room, 1.0)]
            else:
                links.append(Link(other, room, length))
        if len(rooms) > 3 and self.chance(0.4):
            a, b = self.rng.sample(rooms, 2)
            if not any({x.a, x.b} == {a, b} for x in links) and not cut:
                links.append(Link(a, b, self.rng.randint(5, 90) / 10))
        return links

    def _asset(self, number: int, room: str) -> None:
        pool = (*FURNITURE, *BENCHES, *BENCHES) if self.pack == "foundry" else FURNITURE
        kind = self.rng.choice(pool)
        can = [*kind.always, *(a for a in kind.sometimes if self.chance(0.5))]
        state = []
        if "open" in can:
            state.append(self.rng.choice(("open", "closed", "closed")))
        if "turn_on" in can:
            state.append(self.rng.choice(("on", "off", "off")))
        if "counted" in can:
            state.append("two_left")
        if "sealable" in can and state == ["closed"] and self.chance(0.2):
            state.append("sealed")
        if self.chance(0.15):
            state.append("dirty")
        if self.pack == "household-locks" and "open" in can and self.chance(0.6):
            can.append(self.rng.choice(LOCKS[:2]))
            if "closed" in state and self.chance(0.7):
                state.append("locked")
        name = f"{kind.name}{number}"
        classes = (kind.name, "furniture")
        self.nodes.append(Node(name, "asset", room, "in", classes, tuple(can), tuple(state)))

    def _things(self, rooms: Sequence[str]) -> None:
        assets = [n for n in self.nodes if n.type == "asset"]
        count = self.rng.choice((2, 3, 3, 3, 4))
        held = self.chance(0.15)
        for number in range(count):
            carriers = [n for n in self.nodes if n.type == "object" and n.classes[0] in CARRIERS]
            if number == 0 and held:
                self._thing(number, "robot", "inside_hand")
                continue
            parent = self.rng.choice([*assets, *assets, *assets, *carriers, *carriers])
            if self.chance(0.08):
                self._thing(number, self.rng.choice(rooms), "ontop_of")
                continue
            relation = self._relation(parent)
            if relation is None:
                self._thing(number, rooms[0], "ontop_of")
            else:
                self._thing(number, parent.id, relation)

    def _relation(self, parent: Node) -> str | None:
        """How a thing may be with a parent; ``None`` where there is no room for it."""
        closable = "open" in parent.affordances or "contain" in parent.affordances
        if "counted" in parent.affordances:
            index = next(i for i, n in enumerate(self.nodes) if n.id == parent.id)
            order = ("two_left", "one_left", "none_left")
            now = next(s for s in self.nodes[index].state if s in order)
            if now == "none_left":
                return None
            states = tuple(order[order.index(s) + 1] if s == now else s for s in self.nodes[index].state)
            self.nodes[index] = Node(
                parent.id, "asset", parent.parent, "in", parent.classes, parent.affordances, states
            )
            return "ontop_of"
        if closable and self.chance(0.8):
            return "inside_of"
        if parent.type == "asset" and self.chance(0.1):
            return self.rng.choice(("under", "under", "attached_to"))
        return "ontop_of"

    def _thing(self, number: int, parent: str, relation: str) -> None:
        if self.pack == "household-locks" and self.chance(0.4):
            kind = self.rng.choice(KEYS[:2])
        elif self.chance(0.4):
            kind = self.rng.choice(list(CARRIERS))
        else:
            kind = self.rng.choice(FOUNDRY_THINGS if self.pack == "foundry" else THINGS)
        can = ["pickup"] if self.chance(0.9) else []
        can += CARRIERS.get(kind, ())
        state = [self.rng.choice(("open", "closed"))] if "open" in can else []
        if kind not in CARRIERS and self.chance(0.2):
            state.append(self.rng.choice(("dirty", "hot")))
        if self.pack == "foundry" and self.chance(0.15):
            state.append("painted")
        classes = (kind, *(("fruit",) if kind in FRUIT else ()), "thing")
        colour = (self.rng.choice(("red", "blue")),) if self.chance(0.4) else ()
        self.nodes.append(
            Node(f"{kind}{number}", "object", parent, relation, classes, tuple(can), tuple(state), colour)
        )


class GoalDrawer:
    """Goals of all kinds over the names of one world, as text."""

    def __init__(self, rng: random.Random, belief: Belief) -> None:
        self.rng, self.belief = rng, belief
        nodes = belief.scene.nodes.values()
        self.things = [n.id for n in nodes if n.type == "object"]
        self.assets = [n.id for n in nodes if n.type == "asset"]
        self.rooms = [n.id for n in nodes if n.type == "room"]
        self.carriers = [n.id for n in nodes if n.type == "object" and "release" in n.affordances]

    def goal(self, kind: str) -> Goal:
        return parse_goal(_hidden_names(KINDS[kind](self)))

    def fresh(self, kind: str) -> Goal:
        """A goal of a kind; drawn again, up to four times, where there is nothing to do for it."""
        goal = self.goal(kind)
        for _ in range(4):
            start = World(self.belief, watched(goal.formula, self.belief))
            if not evaluate(goal.formula, start) or self.rng.random() < 0.1:
                break
            goal = self.goal(kind)
        return goal

    def one(self, names: Sequence[str]) -> str:
        return self.rng.choice(list(names))

    def thing_class(self) -> str:
        classes = dict.fromkeys(c for t in self.things for c in self.belief.scene.nodes[t].classes)
        return self.one([*classes, "item", "item"])

    def asset_class(self) -> str:
        classes = dict.fromkeys(c for a in self.assets for c in self.belief.scene.nodes[a].classes)
        return self.one([*classes, "asset"])

    def place(self) -> str:
        return self.one([*self.assets, *self.assets, *self.carriers, *self.rooms])

    def container(self) -> str:
        """Return a place, mostly one that things can be put into."""
        nodes = self.belief.scene.nodes
        inner = [p for p in (*self.assets, *self.carriers) if {"open", "contain"} & set(nodes[p].affordances)]
        return self.one(inner) if inner and self.rng.random() < 0.85 else self.place()

    def about(self, thing: str) -> str:
        """An atom about a thing or a variable over things."""
        options = [
            f"(in_room {thing} {self.one(self.rooms)})",
            f"(in_room {thing} {self.one(self.rooms)})",
            f"(in_room {thing} {self.one(self.rooms)})",
            f"(inside_of {thing} {self.container()})",
            f"(inside_of {thing} {self.container()})",
            f"(ontop_of {thing} {self.place()})",
            f"(ontop_of {thing} {self.place()})",
            f"(holding {thing})",
        ]
        kinds = {c for a in self.assets for c in self.belief.scene.nodes[a].classes}
        for achieved, machines in MACHINES.items():
            if kinds & machines or self.rng.random() < 0.1:
                options.append(f"({achieved} {thing})")
        if "painted" in self.belief.pack.public_predicates():
            others = [f"(weighed {thing} {self.one(self.things)})", f"(weighed {thing} {thing})"]
            own = ("painted", "painted", "dry", "glued", "inspected", "inspected", "loaded")
            options += [*(f"({p} {thing})" for p in own), *others]
        return self.one(options)

    def of_asset(self, asset: str) -> str:
        """An atom about an asset or a variable over assets."""
        own = ["open", "closed", "turned_on", "turned_off", "robot_at", "clean"]
        public = self.belief.pack.public_predicates()
        own += [
            p for p in ("unlocked", "locked", "unlocked", "sealed", "two_left", "none_left") if p in public
        ]
        return f"({self.one(own)} {asset})"

    def atom(self) -> str:
        roll = self.rng.random()
        if roll < 0.55:
            return self.about(self.one(self.things))
        if roll < 0.85:
            return self.of_asset(self.one([*self.assets, *self.carriers]))
        return self.one(["(hand_free)", f"(robot_at {self.one(self.rooms)})"])

    def literal(self) -> str:
        return f"(not {self.atom()})" if self.rng.random() < 0.25 else self.atom()

    def several(self, most: int = 3) -> str:
        return " ".join(self.literal() for _ in range(self.rng.randint(2, most)))

    def body(self, variable: str, thing: bool) -> str:
        atom = self.about(variable) if thing else self.of_asset(variable)
        return f"(not {atom})" if self.rng.random() < 0.3 else atom

    def quantified(self, word: str) -> str:
        thing = self.rng.random() < 0.7
        kind = self.thing_class() if thing else self.asset_class()
        body = self.body("?x", thing)
        if self.rng.random() < 0.3:
            joint = "imply" if word == "forall" else "and"
            body = f"({joint} {self.body('?x', thing)} {body})"
        return f"({word} (?x - {kind}) {body})"

    def nested(self) -> str:
        outer, inner = self.rng.sample(["forall", "exists"], 2)
        over = self.one(["room", self.asset_class(), self.thing_class()])
        kind = self.thing_class()
        if over == "room":
            body = "(in_room ?y ?x)"
        elif over in {c for a in self.assets for c in (*self.belief.scene.nodes[a].classes, "asset")}:
            body = self.one(["(inside_of ?y ?x)", "(ontop_of ?y ?x)"])
        else:
            room = self.one(self.rooms)
            body = self.one(
                [f"(and (in_room ?y {room}) (in_room ?x {room}))", "(or (holding ?x) (holding ?y))"]
            )
        body = f"(not {body})" if self.rng.random() < 0.2 else body
        return f"({outer} (?x - {over}) ({inner} (?y - {kind}) {body}))"

    def count(self) -> str:
        kind, number = self.one(("exactly", "at-least", "at-most")), self.rng.randint(0, 3)
        thing = self.rng.random() < 0.75
        over = self.thing_class() if thing else self.asset_class()
        return f"({kind} {number} (?x - {over}) {self.body('?x', thing)})"

    def rooms_of_things(self) -> str:
        room = self.one(self.rooms)
        parts = [
            f"(in_room {self.one(self.things)} {self.one([room, self.one(self.rooms)])})" for _ in range(2)
        ]
        parts = [f"(not {p})" if self.rng.random() < 0.4 else p for p in parts]
        return f"(and {' '.join(parts)} {self.one(['(hand_free)', f'(robot_at {room})', '(and)'])})"

    def everything_in_room(self) -> str:
        atom = f"(in_room ?x {self.one(self.rooms)})"
        body = self.one([atom, f"(not {atom})", f"(and {atom} (not (holding ?x)))"])
        return f"(forall (?x - {self.thing_class()}) {body})"

    def robot(self) -> str:
        places = [f"(robot_at {self.one([*self.rooms, *self.assets, *self.carriers])})" for _ in range(2)]
        places = [f"(not {p})" if self.rng.random() < 0.4 else p for p in places]
        return f"(and {' '.join(places)} {self.literal()})"

    def sometime(self) -> str:
        return f"(and (sometime {self.literal()}) {self.literal()})"

    def sometime_each(self) -> str:
        over = self.one(["room", "room", self.asset_class()])
        return f"(forall (?x - {over}) (sometime (robot_at ?x)))"

    def sometime_in_room(self) -> str:
        """Something asked of the way that things take, and where one of them ends."""
        thing, room = self.one(self.things), self.one(self.rooms)
        body = self.one(
            [
                f"(sometime (in_room {thing} {room}))",
                f"(exists (?x - {self.thing_class()}) (sometime (in_room ?x {room})))",
                f"(forall (?r - room) (sometime (in_room {thing} ?r)))",
                f"(sometime (not (in_room {thing} {room})))",
            ]
        )
        return f"(and {body} {self.literal()})"

    def pair(self) -> str:
        """Two variables over things, which may be told to differ."""
        one, other = self.thing_class(), self.thing_class()
        relation = self.one(["inside_of", "ontop_of"])
        both = f"(and (in_room ?x {self.one(self.rooms)}) (in_room ?y {self.one(self.rooms)}))"
        return self.one(
            [
                f"(forall (?x - {one} ?y - {other}) (or (= ?x ?y) (not ({relation} ?x ?y))))",
                f"(exists (?x - {one} ?y - {other}) (and (not (= ?x ?y)) ({relation} ?x ?y)))",
                f"(exists (?x - {one} ?y - {other}) (and (not (= ?x ?y)) {both}))",
                f"(exists (?x - {one} ?r - room) (and (in_room ?x ?r) (not (robot_at ?r)) {self.literal()}))",
                f"(forall (?r - room) (at-most 1 (?x - {one}) (in_room ?x ?r)))",
                "(exists (?r - room) (exactly 2 (?x - item) (in_room ?x ?r)))",
            ]
        )

    def tree(self, depth: int = 2) -> str:
        roll = self.rng.random()
        if depth == 0 or roll < 0.15:
            return self.literal()
        below = self.tree(depth - 1), self.tree(depth - 1)
        if roll < 0.35:
            return f"(and {' '.join(below)})"
        if roll < 0.6:
            return f"(or {' '.join(below)})"
        if roll < 0.7:
            return f"(imply {' '.join(below)})"
        if roll < 0.8:
            return f"(not {below[0]})"
        return self.one([self.quantified("forall"), self.quantified("exists"), self.count()])

    def contradiction(self) -> str:
        thing = self.one(self.things)
        return self.one(
            [
                f"(and (holding {thing}) (hand_free))",
                f"(and {self.atom()} (robot_at {self.one(self.rooms)}) (holding {thing}))",
                f"(forall (?x - item) (or (holding ?x) (in_room ?x {self.one(self.rooms)})))",
                f"(and (inside_of {thing} {self.place()}) (ontop_of {thing} {self.place()}))",
                "(forall (?r - room) (exists (?x - item) (in_room ?x ?r)))",
            ]
        )


def _hidden_names(text: str) -> str:
    """Return a goal with quantifiers at times inside another, which declares one of their names as well.

    The goal keeps its meaning: it is closed, and there is always a room. The choice goes by the text.
    """
    names = sorted({n for n in ("?x", "?y", "?r") if f"{n} - " in text})
    rng = random.Random(f"names of {text}")
    if not names or "sometime" in text or rng.random() > 0.25:
        return text
    return f"({rng.choice(['exists', 'forall'])} ({rng.choice(names)} - room) {text})"


KINDS: dict[str, Callable[[GoalDrawer], str]] = {
    "literal": GoalDrawer.atom,
    "negation": lambda g: f"(not {g.atom()})",
    "conjunction": lambda g: f"(and {g.several()})",
    "disjunction": lambda g: f"(or {g.several()})",
    "choices": lambda g: f"(and (or {g.several()}) (or {g.several()}))",
    "implication": lambda g: f"(imply {g.literal()} (and {g.several()}))",
    "exists": lambda g: g.quantified("exists"),
    "forall": lambda g: g.quantified("forall"),
    "nested": GoalDrawer.nested,
    "count": GoalDrawer.count,
    "in_room": GoalDrawer.rooms_of_things,
    "all in_room": GoalDrawer.everything_in_room,
    "robot_at": GoalDrawer.robot,
    "sometime": GoalDrawer.sometime,
    "all sometime": GoalDrawer.sometime_each,
    "sometime in_room": GoalDrawer.sometime_in_room,
    "pair": GoalDrawer.pair,
    "tree": GoalDrawer.tree,
    "impossible": GoalDrawer.contradiction,
}
