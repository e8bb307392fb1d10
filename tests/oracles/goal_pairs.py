"""Small worlds and pairs of goals by seed: half of the pairs are directed, one goal made from the other."""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass
from pathlib import Path

from groundplan.commands.options import HARMLESS
from groundplan.compiler.attainable import Attainable
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
        can = (["pickup"] if rng.random() < 0.97 else []) + list(CARRIERS.get(kind, ()))
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
        a, kind = draw.goal_text(), rng.choice(("directed", "implied", "drawn", "drawn"))
        if kind == "implied":
            a, b = draw.implied()
        else:
            kind, b = draw.directed(a) if kind == "directed" else (kind, draw.goal_text())
        goals = [parse_goal(text) for text in (a, b)]
    except (GoalError, ValueError, IndexError):
        return None
    # A contradiction or a fact that nothing brings about is a goal to compare as well.
    reported = (d for goal in goals for d in check(goal, belief).diagnostics)
    if any(d.severity == "error" and d.code not in HARMLESS for d in reported):
        return None
    return GoalPair(belief, a, b, kind)


def constrained_pair(seed: int, folder: Path) -> GoalPair | None:
    """Return a pair of goals that ask something of the run; ``None`` where one that was drawn is refused."""
    rng = random.Random(f"constrained {seed}")
    pack = PACKS[seed % (len(PACKS) - 1)]
    try:
        belief = small_world(rng, pack, folder)
        draw = PairDrawer(rng, belief)
        a, b = draw.constrained()
        goals = [parse_goal(text) for text in (a, b)]
    except (PackError, SceneError, GoalError, ValueError, IndexError):
        return None
    reported = (d for goal in goals for d in check(goal, belief).diagnostics)
    if any(d.severity == "error" and d.code not in HARMLESS for d in reported):
        return None
    return GoalPair(belief, a, b, "constrained")


class PairDrawer(GoalDrawer):
    def constrained(self) -> tuple[str, str]:
        """Two goals of which the second is made of what the first is made of, in part."""
        bodies = [self.condition() for _ in range(3)]
        first = [self.constraint(bodies) for _ in range(self.rng.choice((1, 1, 2)))]
        second = [self.constraint(bodies) if self.rng.random() < 0.7 else one for one in first]
        ends = [*bodies, "", ""]
        if self.rng.random() < 0.2:
            second = []
        goals = []
        for some in (first, second):
            parts = [*some, *filter(None, [self.rng.choice(ends)])]
            goals.append(f"(and {' '.join(parts)})")
        return goals[0], goals[1]

    def condition(self) -> str:
        return self.rng.choice(
            (self.literal(), self.literal(), f"(and {self.several(2)})", f"(or {self.several(2)})")
        )

    def constraint(self, bodies: list[str]) -> str:
        one, other = self.rng.choice(bodies), self.rng.choice(bodies)
        kind = self.rng.choice(
            ("always", "never", "sometime", "at-most-once", "after", "before", "before", "do", "each", "or")
        )
        if kind == "or":  # alternatives and other conjuncts may need the same state
            return f"(or (and (sometime {one}) {self.literal()}) (sometime {other}))"
        if kind in ("after", "before"):
            return f"(sometime-{kind} {one} {other})"
        if kind == "sometime":
            return f"(sometime {self.literal()})"
        if kind == "each":
            body = self.body("?x", True)
            return self.rng.choice(
                (f"(forall (?x - item) (always {body}))",
                 f"(forall (?x - item) (sometime-before {body} {one}))")
            )  # fmt: skip
        if kind == "do":
            thing = self.one(self.things)
            opened = f"open {self.one(self.assets)}"
            step = self.rng.choice((f"pickup {thing}", "pickup ?x", "goto ?x room0", opened))
            conditions = [one, other, ""] + (["(hand_free)", "(robot_at ?x)"] if "?x" in step else [])
            when = self.rng.choice(conditions)
            return f"(never (do {step}) :when {when})" if when else f"(never (do {step}))"
        return f"({kind} {one})"

    def goal_text(self) -> str:
        kind = self.rng.choice([k for k in KINDS if k not in ("all sometime",)])
        return KINDS[kind](self)

    def own_atoms(self) -> list[str]:
        """An atom of each predicate of the pack, mostly one that may come true, and of where things are."""
        pack, attainable = self.belief.pack, Attainable(self.belief, self.belief.facts)
        atoms = [f"(in_room {self.one(self.things)} {self.one(self.rooms)})"] * 2
        atoms.append(f"(robot_at {self.one([*self.rooms, *self.assets, *self.carriers])})")
        for predicate in pack.mapping.goal_predicates:
            kinds = [p.type for p in pack.domain.predicates[predicate].parameters]
            names = [[n for n in self.some_names() if self.belief.has_type(n, k)] for k in kinds]
            rows = [f.Atom(predicate, args) for args in itertools.product(*names)]
            some = [atom for atom in rows if attainable.reachable(atom)]
            if some and self.rng.random() < 0.95:
                atoms += map(str, self.rng.sample(some, min(2, len(some))))
            elif rows:
                atoms.append(str(self.rng.choice(rows)))
        return atoms

    def some_names(self) -> list[str]:
        """All nodes of a small scene, some of a large one."""
        names = list(self.belief.scene.nodes)
        return names if len(names) <= 12 else self.rng.sample(names, 12)

    def atom(self) -> str:
        return self.one(self.own_atoms()) if self.rng.random() < 0.8 else super().atom()

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
        """A goal with something that follows from something else, nearly follows, or means the same."""
        first, second = self.implied()
        if self.rng.random() < 0.3:
            return f"(and {formula} (or {first} (not {second})))"
        return self.one([f"(imply {first} {second})", f"(or {formula} (and {first} (not {second})))"])

    def implied(self) -> tuple[str, str]:
        """Two goals of which one follows from the other, or nearly."""
        roll = self.rng.random()
        pairs = self._of_events() if roll < 0.3 else self._of_groups() if roll < 0.45 else []
        if 0.45 <= roll < 0.65:
            pairs = self._of_runs()
        first, second = self.rng.choice(pairs or self._of_places())
        return (second, first) if self.rng.random() < 0.2 else (first, second)

    def _of_events(self) -> list[tuple[str, str]]:
        """What an event needs, and what it brings about; with one condition left out, too."""
        pairs: list[tuple[str, str]] = []
        pack, names = self.belief.pack, self.some_names()
        public = pack.public_predicates()
        for event in pack.events:
            for args in itertools.product(names, repeat=len(event.parameters)):
                typed = all(map(self.belief.has_type, args, (p.type for p in event.parameters)))
                ground = event.ground(args) if typed and event.allows(args) else None
                if ground is None or not all(
                    self.belief.facts.holds(c.predicate, c.args)
                    for c in ground.precondition
                    if c.predicate not in pack.fluents
                ):
                    continue
                needs = [str(c) for c in ground.precondition if c.predicate in public]
                made = [str(e) for e in ground.add if e.predicate in public]
                if not needs or not made:
                    continue
                some = needs if self.rng.random() < 0.7 else needs[1:] or needs
                whole = f"(and {' '.join(some)})"
                pairs += [(whole, made[0]), (f"(and {whole} (sometime (not {made[0]})))", made[0])]
                pairs += [(f"(and {needs[0]} (not {made[0]}))", f"(not {needs[-1]})")]
                if len(needs) == 1:
                    pairs.append((f"(sometime {needs[0]})", made[0]))
        return pairs

    def _of_groups(self) -> list[tuple[str, str]]:
        """Two facts that a pack says exclude each other, whether it is so or not."""
        pairs: list[tuple[str, str]] = []
        for patterns in self.belief.pack.mapping.exclusive.values():
            unary = [p.predicate for p in patterns if len(p.args) == 1 and p.args != ("*",)]
            for one, other in itertools.permutations(unary, 2):
                kind = self.belief.pack.domain.predicates[one].parameters[0].type
                for name in (n for n in self.some_names() if self.belief.has_type(n, kind)):
                    pairs += [(f"({one} {name})", f"(not ({other} {name}))")]
                    pairs += [(f"(not ({one} {name}))", f"({other} {name})")]
        return pairs

    def _of_runs(self) -> list[tuple[str, str]]:
        """What has been, and what is or has been."""
        one, other = self.literal(), self.literal()
        denied = f.Not(parse_goal(one).formula)
        back = str(denied.part.part if isinstance(denied.part, f.Not) else denied)
        return [
            (one, f"(sometime {one})"),
            (f"(sometime {one})", one),
            (f"(and (sometime {one}) (sometime {back}))", f"(sometime {one})"),
            (f"(and (sometime {one}) (sometime {other}))", f"(sometime {other})"),
            (f"(and {back} (sometime {one}))", f"(not {other})"),
            (f"(and (sometime {one}) (not {other}))", f"(not (sometime {other}))"),
            (f"(not (sometime {one}))", back),
        ]

    def _of_places(self) -> list[tuple[str, str]]:
        nodes = self.belief.scene.nodes
        thing, asset, room = self.one(self.things), self.one(self.assets), self.one(self.rooms)
        here = self.one([*self.carriers, asset])
        where = self.belief.scene.room_of(asset) or room
        pairs = [
            ("(exists (?x - item) (holding ?x))", "(not (hand_free))"),
            (f"(and (holding {thing}) (robot_at {room}))", f"(in_room {thing} {room})"),
            (f"(holding {thing})", f"(exists (?r - room) (in_room {thing} ?r))"),
            (f"(robot_at {here})", f"(robot_at {where})"),
            (f"(inside_of {thing} {here})", f"(in_room {thing} {where})"),
            (f"(ontop_of {thing} {here})", f"(in_room {thing} {where})"),
            (f"(exactly 1 (?r - room) (in_room {thing} ?r))", f"(exists (?r - room) (in_room {thing} ?r))"),
            (f"(robot_at {here})", f"(not (holding {here}))" if nodes[here].type == "object" else "(and)"),
        ]
        for carrier in self.carriers:
            carried = f"(ontop_of {thing} {carrier})"
            there = f"(in_room {thing} {room})"
            pairs += [
                (carried, f"(not (ontop_of {carrier} {thing}))"),
                (f"(and {carried} (in_room {carrier} {room}))", there),
                (f"(and (holding {carrier}) {carried} (robot_at {room}))", there),
                (f"(robot_at {carrier})", f"(not (holding {carrier}))"),
                (f"(and (robot_at {carrier}) {carried} {there})", f"(robot_at {room})"),
            ]
        return pairs


def _has_sometime(formula: f.Formula) -> bool:
    return any(isinstance(n, f.Sometime) for n in f.walk(formula))
