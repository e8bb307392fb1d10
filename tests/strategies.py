"""Hypothesis strategies: small worlds, random steps and actions, random goals; hostile names now and then.

A world has one to three rooms joined by a pose, a few assets with random affordances and states, and a few
objects that lie anywhere, also inside each other and in the robot's hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from hypothesis import strategies as st

from groundplan.compiler.problem import Problem
from groundplan.domains.action import Action, PlanAction
from groundplan.domains.formula import (
    And,
    Atom,
    Count,
    Equal,
    Exists,
    Forall,
    Formula,
    Imply,
    Not,
    Or,
    Sometime,
    Term,
    TypedVar,
    Var,
)
from groundplan.domains.pack import Pack, load_pack
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.scene import Link, Node, Scene
from groundplan.simulator.step import Step
from groundplan.simulator.world import World

PDDL_WORDS = (
    "and or not imply exists forall when either object number define domain problem requirements types"
    " constants predicates functions action parameters precondition effect total-cost distance increase"
    " decrease assign minimize maximize metric goal init objects at over all start end true false sometime"
    " always open close closed holding item room asset pose place goto stands_at route acting ended total-"
    " time preference derived axiom durative-action duration condition process event strips typing no is-"
    " violated = - ? :init"
).split()

HOSTILE = (
    "K31X",
    "k31x",
    "1",
    "-1",
    "1.5",
    "a b",
    "a) (goal",
    "a)(:goal (and))",
    '"quoted"',
    "back\\slash",
    "semi;colon",
    "?x",
    "new\nline",
    "tab\there",
    "fridge",
    "Fridge",
    "FRIDGE",
    "[/bad]",
    "{0}",
    "{i}",
    "../x",
    "ящик",
    "苹果",
    "e\u0301",
    "ı",
    "ſ",
    "İ",
    "K",
    " leading",
    "trailing ",
    "_",
    "__",
    "a_node",
    "x" * 10_000,
    "x" * 10_001,
    *PDDL_WORDS,
)

ASSET_CLASSES = (
    "fridge",
    "microwave",
    "dishwasher",
    "stove",
    "coffee_machine",
    "cabinet",
    "table",
    "shelf",
    "lamp",
)
OBJECT_CLASSES = ("apple", "mug", "sponge", "plate", "toolbox", "crate", "fruit")
ATTRIBUTES = ("red", "rotten", "heavy", "two words")
DOOR = ("open", "close")
SWITCH = ("turn_on", "turn_off")


@cache
def household() -> Pack:
    return load_pack("household")


def names_for(draw: st.DrawFn, plain: Sequence[str], hostile: bool) -> list[str]:
    """The plain names, or some of them replaced by hostile ones; all different."""
    if not hostile:
        return list(plain)
    pool = draw(st.lists(st.sampled_from(HOSTILE), unique=True, min_size=len(plain), max_size=len(plain)))
    return [p if keep else h for p, h, keep in zip(plain, pool, draw_bools(draw, len(plain)), strict=True)]


def draw_bools(draw: st.DrawFn, count: int) -> list[bool]:
    return [draw(st.booleans()) for _ in range(count)]


def subset(draw: st.DrawFn, items: Sequence[str], most: int | None = None) -> tuple[str, ...]:
    chosen = [i for i in items if draw(st.booleans())]
    return tuple(chosen[:most])


def asset(draw: st.DrawFn, name: str, room: str) -> Node:
    kind = draw(st.sampled_from(ASSET_CLASSES))
    affordances = [*(DOOR if draw(st.booleans()) else ()), *(SWITCH if draw(st.booleans()) else ())]
    affordances += ["release"] if draw(st.integers(0, 3)) else []
    if affordances and draw(st.integers(0, 3)) == 0:
        affordances.append("interlocked")
    state = [draw(st.sampled_from(("open", "closed")))] if "open" in affordances else []
    state += [draw(st.sampled_from(("on", "off")))] if "turn_on" in affordances else []
    state += ["dirty"] if draw(st.integers(0, 4)) == 0 else []
    return Node(
        name,
        "asset",
        room,
        "in",
        (kind, *(("furniture",) if draw(st.booleans()) else ())),
        tuple(affordances),
        tuple(state),
        subset(draw, ATTRIBUTES, 2),
    )


def thing(draw: st.DrawFn, name: str, kind: str, parent: str, relation: str) -> Node:
    affordances = ["pickup"] if draw(st.integers(0, 5)) else []
    state: list[str] = []
    if kind in ("toolbox", "crate"):
        affordances.append("release")
        if kind == "toolbox":
            affordances += DOOR
            state.append(draw(st.sampled_from(("open", "closed"))))
        else:
            affordances.append("contain")
    state += subset(draw, ("dirty", "hot"), 1)
    return Node(
        name,
        "object",
        parent,
        relation,
        (kind,),
        tuple(affordances),
        tuple(state),
        subset(draw, ATTRIBUTES, 2),
    )


@st.composite
def scenes(
    draw: st.DrawFn,
    hostile: bool | None = False,
    connected: bool = True,
    rooms: int = 3,
    assets: int = 4,
    objects: int = 4,
) -> Scene:
    """A small scene. ``hostile=None`` decides by itself; without ``connected`` some places are cut off."""
    odd = draw(st.integers(0, 3)) == 0 if hostile is None else hostile
    n_rooms = draw(st.integers(1, rooms))
    n_assets = draw(st.integers(1, assets))
    n_objects = draw(st.integers(1, objects))
    plain = (
        [f"room{i}" for i in range(n_rooms)]
        + [f"place{i}" for i in range(n_assets)]
        + [f"thing{i}" for i in range(n_objects)]
        + ["site", "pose0", "agent"]
    )
    names = names_for(draw, plain, odd)
    room_names, rest = names[:n_rooms], names[n_rooms:]
    asset_names, object_names = rest[:n_assets], rest[n_assets : n_assets + n_objects]
    site, pose, agent = rest[-3:]
    nodes = [Node(r, "room", classes=("room",), affordances=subset(draw, ("release",))) for r in room_names]
    nodes.append(Node(pose, "pose", classes=("pose",)))
    if connected:
        grounds = room_names
    else:
        nodes.insert(0, Node(site, "building", classes=("building",)))
        grounds = [*room_names, *room_names, site]  # an asset in no room cannot be reached
    nodes += [asset(draw, a, draw(st.sampled_from(grounds))) for a in asset_names]
    inside = [n.id for n in nodes if n.type == "asset" and n.parent != site]
    where = draw(st.sampled_from([pose, *room_names, *inside]))
    holding = draw(st.integers(0, 3)) == 0
    nodes.append(Node(agent, "agent", at=where, classes=("agent",)))
    by_name = {n.id: n for n in nodes}
    for index, name in enumerate(object_names):
        kind = draw(st.sampled_from(OBJECT_CLASSES))
        if index == 0 and holding:
            parent, relation = agent, "inside_hand"
        else:
            carriers = [n for n in object_names[:index] if by_name[n].classes[0] in ("toolbox", "crate")]
            parent = draw(st.sampled_from([*asset_names, *asset_names, *carriers, *room_names]))
            closable = "open" in by_name[parent].affordances or "contain" in by_name[parent].affordances
            choices = ["ontop_of", "under"] if parent in asset_names else ["ontop_of"]
            if parent in carriers:
                choices = ["inside_of"]
            relation = draw(st.sampled_from([*choices, *(["inside_of"] * 2 if closable else [])]))
        by_name[name] = thing(draw, name, kind, parent, relation)
        nodes.append(by_name[name])
    links = []
    for index, room in enumerate(room_names):
        if connected or index == 0 or draw(st.integers(0, 3)):
            links.append(Link(pose, room, draw(st.integers(0, 9000)) / 1000))
    return Scene("small", {n.id: n for n in nodes}, tuple(links))


def beliefs(**options: Any) -> st.SearchStrategy[Belief]:
    return scenes(**options).map(lambda s: ground(s, household()))


# Actions and steps


def typed_names(belief: Belief, type_name: str) -> list[str]:
    types, domain = belief.pack.mapping.types, belief.pack.domain
    return [
        n.id for n in belief.scene.nodes.values() if n.type in types and domain.is_a(types[n.type], type_name)
    ]


@st.composite
def actions(draw: st.DrawFn, belief: Belief, world: World | None = None) -> PlanAction:
    """An action of the pack over fitting names; with a world, mostly one that can be done there."""
    pack = belief.pack
    if world is not None and draw(st.integers(0, 4)):
        possible = applicable(world)
        if possible:
            return draw(st.sampled_from(possible))
    schemas = [
        a
        for a in pack.domain.actions.values()
        if not pack.mapping.actions[a.name].event and all(typed_names(belief, p.type) for p in a.parameters)
    ]
    schema = draw(st.sampled_from(schemas))
    args = tuple(draw(st.sampled_from(typed_names(belief, p.type))) for p in schema.parameters)
    return PlanAction(schema.name, args)


def applicable(world: World) -> list[PlanAction]:
    """Every action that can be done, found by trying all fitting names."""
    found = []
    here = world.state.stands_at
    for schema in world.pack.domain.actions.values():
        if world.pack.mapping.actions[schema.name].event:
            continue
        for args in fillings(world.belief, schema, here):
            if len(set(args)) == len(args) and not world.state.unmet(schema.ground(args)):
                found.append(PlanAction(schema.name, args))
    return found


def fillings(belief: Belief, schema: Action, here: str) -> list[tuple[str, ...]]:
    """Fitting arguments; where the robot must stand, only its place."""
    places = {
        str(a.args[0].name)
        for a in schema.precondition
        if a.predicate == belief.pack.at and isinstance(a.args[0], Var)
    }
    choices: list[tuple[str, ...]] = [()]
    for parameter in schema.parameters:
        names = typed_names(belief, parameter.type)
        if parameter.name in places:
            names = [n for n in names if n == here]
        choices = [(*c, n) for c in choices for n in names]
    return choices


@st.composite
def walked(draw: st.DrawFn, belief: Belief, most: int = 8, watched: Sequence[Formula] = ()) -> World:
    """A world after some actions, most of which could be done."""
    world = World(belief, watched)
    for _ in range(draw(st.integers(0, most))):
        action = draw(actions(belief, world))
        if len(set(action.args)) == len(action.args):
            world.perform(action)
    return world


@st.composite
def steps(draw: st.DrawFn, belief: Belief, most: int = 8) -> list[Step]:
    """Printed steps over names of the scene, sensible or not."""
    verbs = ("goto", "access", "pickup", "release", "open", "close", "turn_on", "turn_off")
    names = st.sampled_from(list(belief.scene.nodes))
    return [Step(draw(st.sampled_from(verbs)), (draw(names),)) for _ in range(draw(st.integers(0, most)))]


# Goals


@st.composite
def atoms(draw: st.DrawFn, belief: Belief, variables: Sequence[TypedVar] = ()) -> Atom:
    """Atoms over public predicates, classes and attributes, arguments of the right type."""
    pack = belief.pack
    options: dict[str, list[list[Term]]] = {}
    for name in pack.public_predicates():
        pools = [terms(belief, kind, variables) for kind in parameter_types(pack, name)]
        if all(pools):
            options[name] = pools
    things: list[Term] = [n for n, x in belief.scene.nodes.items() if x.type != "agent"]
    things += [Var(v.name) for v in variables]
    for name in (*belief.scene.by_class, *belief.scene.by_attribute):
        options.setdefault(name, [things])
    predicate = draw(st.sampled_from(list(options)))
    return Atom(predicate, tuple(draw(st.sampled_from(pool)) for pool in options[predicate]))


def parameter_types(pack: Pack, predicate: str) -> list[str]:
    if predicate == "robot_at":
        return ["place"]
    if predicate == "in_room":
        return ["thing", "room"]
    return [p.type for p in pack.domain.predicates[predicate].parameters]


def terms(belief: Belief, kind: str, variables: Sequence[TypedVar]) -> list[Term]:
    domain = belief.pack.domain
    if kind == "thing":
        names = [n.id for n in belief.scene.nodes.values() if n.type in ("asset", "object")]
    elif kind == "place":
        names = [n.id for n in belief.scene.nodes.values() if n.type in ("asset", "room")]
    else:
        names = [n for n in typed_names(belief, kind) if belief.scene.nodes[n].type != "pose"]
    found: list[Term] = list(names)
    mapping = belief.pack.mapping.types
    for variable in variables:
        kinds = {mapping.get(belief.scene.nodes[m].type, "") for m in belief.members(variable.type)}
        wanted = {"thing": ("asset", "item"), "place": ("room", "asset")}.get(kind)
        if kinds and all(k in wanted if wanted else (k and domain.is_a(k, kind)) for k in kinds):
            found += [Var(variable.name)] * 3
    return found


@st.composite
def formulas(
    draw: st.DrawFn,
    belief: Belief,
    depth: int = 3,
    variables: tuple[TypedVar, ...] = (),
    sometime: bool = False,
) -> Formula:
    """Goals in the whole language; ``sometime`` only outermost, where it is not negated."""

    def below(more: tuple[TypedVar, ...] = ()) -> Formula:
        return draw(formulas(belief, depth - 1, (*variables, *more)))

    shapes = "atom atom atom not-atom"
    if depth > 0:
        shapes += " and and or not imply equal exists forall count" + " sometime" * sometime
    match draw(st.sampled_from(shapes.split())):
        case "atom":
            return draw(atoms(belief, variables))
        case "not-atom":
            return Not(draw(atoms(belief, variables)))
        case "and":
            return And(tuple(below() for _ in range(draw(st.integers(0, 3)))))
        case "or":
            return Or(tuple(below() for _ in range(draw(st.integers(0, 3)))))
        case "not":
            return Not(below())
        case "imply":
            return Imply(below(), below())
        case "equal":
            names: list[Term] = [*belief.scene.nodes, *(Var(v.name) for v in variables)]
            return Equal(draw(st.sampled_from(names)), draw(st.sampled_from(names)))
        case "sometime":
            atom = draw(atoms(belief, variables))
            return And((Sometime(draw(st.sampled_from((atom, Not(atom))))), below()))
        case shape:
            variable = TypedVar(f"v{len(variables)}", draw(st.sampled_from(quantifiable(belief))))
            if shape == "count":
                kind = draw(st.sampled_from(("exactly", "at-least", "at-most")))
                return Count(kind, draw(st.integers(0, 3)), (variable,), below((variable,)))
            return (Exists if shape == "exists" else Forall)((variable,), below((variable,)))


def quantifiable(belief: Belief) -> list[str]:
    """Types and classes with members, without the robot."""
    kinds = dict.fromkeys(["room", "asset", "item", "object", *belief.scene.by_class])
    members = {k: belief.members(k) for k in kinds}
    nodes = belief.scene.nodes
    return [k for k, names in members.items() if names and all(nodes[n].type != "agent" for n in names)]


# The whole world as a problem


def whole_problem(belief: Belief, goal: tuple[Atom, ...] = ()) -> Problem:
    """Everything that the scene and the pack have as one problem, without any pruning."""
    pack, scene = belief.pack, belief.scene
    types = pack.mapping.types
    places = typed_names(belief, pack.navigation.parameters[0].type)
    return Problem(
        name=scene.name,
        types=pack.domain.types,
        predicates={n: p.parameters for n, p in sorted(pack.domain.predicates.items())},
        actions=tuple(pack.domain.actions.values()),
        objects=tuple(sorted((n.id, types[n.type]) for n in scene.nodes.values() if n.type in types)),
        constants=frozenset(),
        init=tuple(sorted(belief.facts, key=lambda a: (a.predicate, a.args))),
        goal=goal,
        distances={
            (a, b): belief.routes.distance(a, b)
            for a in places
            for b in places
            if belief.routes.connected(a, b)
        },
        navigation=pack.navigation.name,
        events=frozenset(e.name for e in pack.events),
        artificial=frozenset(),
        complete=True,
    )
