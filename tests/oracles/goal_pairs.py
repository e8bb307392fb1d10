"""Small worlds and pairs of goals by seed: half of the pairs are directed, one goal made from the other."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

from groundplan.commands.diff import HARMLESS
from groundplan.compiler.goals.checker import check
from groundplan.compiler.goals.goal import parse_goal
from groundplan.domains import formula as f
from groundplan.domains.errors import GoalError, PackError, SceneError
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.scene import Link, Node, Scene
from oracles.random_packs import random_pack
from oracles.random_worlds import CARRIERS, KINDS, LOCKS, GoalDrawer, pack_of

PACKS = ("household", "household", "household-locks", "search", "foundry", "drawn")
ASSETS = {
    "table": ("release",),
    "fridge": ("release", "open", "close"),
    "cabinet": ("release", "open", "close"),
    "microwave": ("release", "open", "close", "turn_on", "turn_off", "interlocked"),
    "stove": ("release", "turn_on", "turn_off"),
    "lamp": ("turn_on", "turn_off"),
    "bench": ("release", "counted"),
}
OWN = {"foundry": ("bench", "table", "fridge"), "search": ("table", "fridge")}


@dataclass(frozen=True)
class GoalPair:
    """Two goals of one small world; ``kind`` says how the second was made."""

    belief: Belief
    a: str
    b: str
    kind: str


def small_world(rng: random.Random, pack: str, folder: Path) -> Belief:
    """Draw a world of one or two rooms, one or two pieces of furniture, and one to three things."""
    rules = random_pack(rng, folder) if pack == "drawn" else pack_of(pack)
    chance = rng.random
    rooms = ["room0", "room1"][: 1 if chance() < 0.2 else 2]
    nodes = [
        Node(r, "room", classes=("room",), affordances=("release",) if chance() < 0.3 else ()) for r in rooms
    ]
    links = [Link("room0", "room1", 2.0)] if len(rooms) > 1 else []
    if chance() < 0.2:
        nodes.append(Node("pose1", "pose", classes=("pose",)))
        links.append(Link("room0", "pose1", 1.0))
    furniture = []
    for number in range(rng.choice((1, 1, 2))):
        kind = rng.choice(OWN.get(pack, tuple(ASSETS)[:-1]))
        can, state = list(ASSETS[kind]), []
        if "open" in can:
            state.append(rng.choice(("open", "closed")))
            if pack == "household-locks" and chance() < 0.6:
                can.append(LOCKS[0])
                if state == ["closed"] and chance() < 0.5:
                    state.append("locked")
        if "turn_on" in can:
            state.append(rng.choice(("on", "off")))
        if "counted" in can:
            state.append("two_left")
        if chance() < 0.1:
            state.append("dirty")
        node = Node(
            f"{kind}{number}", "asset", rng.choice(rooms), "in", (kind, "furniture"), tuple(can), tuple(state)
        )
        furniture.append(node)
    nodes += furniture
    nodes.append(
        Node("robot", "agent", at=rng.choice([*rooms, *(n.id for n in furniture)]), classes=("agent",))
    )
    _add_things(rng, pack, rooms, nodes)
    return ground(Scene(f"small {pack}", {n.id: n for n in nodes}, tuple(links)), rules)


def _add_things(rng: random.Random, pack: str, rooms: list[str], nodes: list[Node]) -> None:
    places = [n.id for n in nodes if n.type == "asset" and "release" in n.affordances]
    nested: list[str] = []
    held = rng.random() < 0.2
    kinds = ("brass_key", "steel_key", "apple", "tray") if pack == "household-locks" else (
        "apple", "mug", "sponge", "tray", "tray", "crate", "box")  # fmt: skip
    for number in range(rng.choice((1, 2, 2, 2, 3))):
        kind = rng.choice(kinds)
        can = (["pickup"] if rng.random() < 0.9 else []) + list(CARRIERS.get(kind, ()))
        state = (rng.choice(("open", "closed")),) if "open" in can else ()
        parent, relation = rng.choice([*places, *nested, *rooms]), "ontop_of"
        if held and number == 0:
            parent, relation = "robot", "inside_hand"
        elif any(n.id == parent and {"open", "contain"} & set(n.affordances) for n in nodes):
            relation = "inside_of" if rng.random() < 0.7 else "ontop_of"
        elif parent in places and rng.random() < 0.05:
            relation = "attached_to"
        if any(n.id == parent and "counted" in n.affordances for n in nodes):
            parent = rooms[0]
        name = f"{kind}{number}"
        nodes.append(Node(name, "object", parent, relation, (kind, "thing"), tuple(can), state))
        if kind in CARRIERS:
            nested.append(name)


def goal_pair(seed: int, folder: Path) -> GoalPair | None:
    """Return the pair of a seed, ``None`` where a pack or a goal that was drawn is refused."""
    rng = random.Random(f"pair {seed}")
    pack = PACKS[seed % len(PACKS)]
    try:
        belief = small_world(rng, pack, folder)
    except (PackError, SceneError):
        return None
    draw = PairDrawer(rng, belief)
    if not draw.things:
        return None
    try:
        a = draw.goal_text()
        kind, b = draw.directed(a) if rng.random() < 0.55 else ("drawn", draw.goal_text())
        goals = [parse_goal(text) for text in (a, b)]
    except (GoalError, ValueError, IndexError):
        return None
    # A contradiction or a fact that nothing brings about is a goal to compare as well.
    reported = (d for goal in goals for d in check(goal, belief).diagnostics)
    if any(d.severity == "error" and d.code not in HARMLESS for d in reported):
        return None
    return GoalPair(belief, a, b, kind)


class PairDrawer(GoalDrawer):
    def goal_text(self) -> str:
        kind = self.rng.choice([k for k in KINDS if k not in ("all sometime",)])
        return KINDS[kind](self)

    def own_atoms(self) -> list[str]:
        """Atoms of the pack's own predicates over nodes that fit."""
        atoms, pack = [], self.belief.pack
        for predicate in pack.mapping.goal_predicates:
            kinds = [p.type for p in pack.domain.predicates[predicate].parameters]
            names = [[n for n in self.belief.scene.nodes if self.belief.has_type(n, k)] for k in kinds]
            if all(names):
                atoms.append(f"({' '.join([predicate, *(self.rng.choice(some) for some in names)])})")
        return atoms

    def atom(self) -> str:
        return self.one(self.own_atoms()) if self.rng.random() < 0.4 else super().atom()

    def directed(self, a: str) -> tuple[str, str]:
        """A goal that is made from another."""
        formula = parse_goal(a).formula
        rng = self.rng
        ways = [
            "more",
            "less",
            "either",
            "denied",
            "replaced",
            "replaced",
            "number",
            "consequence",
            "consequence",
        ]
        kind = rng.choice(ways)
        if kind == "more":
            return kind, f"(and {a} {self.literal()})"
        if kind == "either":
            return kind, f"(or {a} {self.literal()})"
        if kind == "denied":
            return kind, str(f.Not(formula)) if not _has_sometime(formula) or rng.random() < 0.5 else a
        if kind == "less" and isinstance(formula, f.And | f.Or) and len(formula.parts) > 1:
            parts = list(formula.parts)
            parts.pop(rng.randrange(len(parts)))
            return kind, str(type(formula)(tuple(parts)))
        if kind == "number":
            counts = [n for n in f.walk(formula) if isinstance(n, f.Count)]
            if counts:
                old = rng.choice(counts)
                which = rng.choice(("exactly", "at-least", "at-most"))
                new = f.Count(which, max(0, old.number + rng.choice((-1, 0, 1))), old.variables, old.body)
                return kind, a.replace(str(old), str(new))
        if kind == "replaced":
            atoms = [n for n in f.walk(formula) if f.is_ground_atom(n)]
            if atoms:
                return kind, str(formula).replace(str(rng.choice(atoms)), self.literal())
        return "consequence", self.consequence(formula)

    def consequence(self, formula: f.Formula) -> str:
        """Something that follows, nearly follows, or means the same."""
        nodes, rng = self.belief.scene.nodes, self.rng
        options = []
        thing, asset, room = self.one(self.things), self.one(self.assets), self.one(self.rooms)
        here = self.one([*self.carriers, asset])
        where = self.belief.scene.room_of(asset) or room
        options += [
            ("(exists (?x - item) (holding ?x))", "(not (hand_free))"),
            (f"(and (holding {thing}) (robot_at {room}))", f"(in_room {thing} {room})"),
            (f"(holding {thing})", f"(exists (?r - room) (in_room {thing} ?r))"),
            (f"(robot_at {here})", f"(robot_at {where})"),
            (f"(inside_of {thing} {here})", f"(in_room {thing} {where})"),
            (f"(ontop_of {thing} {here})", f"(in_room {thing} {where})"),
            (f"(and (inside_of {thing} {asset}) (closed {asset}))", f"(cold {thing})"),
            (f"(and (inside_of {thing} {asset}) (closed {asset}) (turned_on {asset}))", f"(hot {thing})"),
            (f"(and (ontop_of {thing} {asset}) (turned_on {asset}))", f"(hot {thing})"),
            (f"(open {asset})", f"(not (closed {asset}))"),
            (f"(sometime (hot {thing}))", f"(hot {thing})"),
            (f"(exactly 1 (?r - room) (in_room {thing} ?r))", f"(exists (?r - room) (in_room {thing} ?r))"),
            (f"(robot_at {here})", f"(not (holding {here}))" if nodes[here].type == "object" else "(and)"),
        ]
        for carrier in self.carriers:
            options += [
                (f"(ontop_of {thing} {carrier})", f"(not (ontop_of {carrier} {thing}))"),
                (
                    f"(and (ontop_of {thing} {carrier}) (in_room {carrier} {room}))",
                    f"(in_room {thing} {room})",
                ),
                (
                    f"(and (holding {carrier}) (ontop_of {thing} {carrier}) (robot_at {room}))",
                    f"(in_room {thing} {room})",
                ),
                (f"(robot_at {carrier})", f"(not (holding {carrier}))"),
            ]
        first, second = rng.choice(options)
        public = self.belief.pack.public_predicates()
        if "(sealed" in str(public):
            options.append((f"(sealed {asset})", f"(closed {asset})"))
        if rng.random() < 0.7:
            return (
                f"(imply {first} {second})"
                if rng.random() < 0.4
                else f"(or {formula} (and {first} (not {second})))"
            )
        return f"(and {formula} (or {first} (not {second})))"


def _has_sometime(formula: f.Formula) -> bool:
    return any(isinstance(n, f.Sometime) for n in f.walk(formula))
