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
from groundplan.simulator.facts import ground_args
from groundplan.simulator.grounding import Belief, ground
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
    "é",
    "e\u0301",
    "ı",
    "ſ",
    "İ",
    "K",
    " leading",
    "trailing ",
    "-",
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
    """A small scene. ``hostile=None`` decides by itself; without ``connected`` a room may be cut off."""
    odd = draw(st.integers(0, 3)) == 0 if hostile is None else hostile
    n_rooms = draw(st.integers(1, rooms))
    n_assets = draw(st.integers(1, assets))
    n_objects = draw(st.integers(1, objects))
    plain = (
        [f"room{i}" for i in range(n_rooms)]
        + [f"place{i}" for i in range(n_assets)]
        + [f"thing{i}" for i in range(n_objects)]
        + ["pose0", "agent"]
    )
    names = names_for(draw, plain, odd)
    room_names, rest = names[:n_rooms], names[n_rooms:]
    asset_names, object_names = rest[:n_assets], rest[n_assets : n_assets + n_objects]
    pose, agent = rest[-2:]
    nodes = [Node(r, "room", classes=("room",), affordances=subset(draw, ("release",))) for r in room_names]
    nodes.append(Node(pose, "pose", classes=("pose",)))
    nodes += [asset(draw, a, draw(st.sampled_from(room_names))) for a in asset_names]
    where = draw(st.sampled_from([pose, *room_names, *asset_names]))
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
    types, domain = belief.pack.mapped.types, belief.pack.domain
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
        if not pack.mapped.actions[a.name].event and all(typed_names(belief, p.type) for p in a.parameters)
    ]
    schema = draw(st.sampled_from(schemas))
    args = tuple(draw(st.sampled_from(typed_names(belief, p.type))) for p in schema.parameters)
    return PlanAction(schema.name, args)


def applicable(world: World) -> list[PlanAction]:
    """Every action that can be done, found by trying all fitting names."""
    found = []
    here = world.stands_at
    for schema in world.pack.domain.actions.values():
        if world.pack.mapped.actions[schema.name].event:
            continue
        for args in fillings(world.belief, schema, here):
            if len(set(args)) == len(args) and not world.unmet(schema.ground(args)):
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


def atoms(belief: Belief, variables: Sequence[TypedVar] = ()) -> st.SearchStrategy[Atom]:
    """Atoms over public predicates, classes and attributes, arguments of the right type."""
    pack = belief.pack
    public = pack.public_predicates()
    options: list[st.SearchStrategy[Atom]] = []
    for name in public:
        kinds = parameter_types(pack, name)
        pools = [terms(belief, kind, variables) for kind in kinds]
        if all(pools):
            options.append(
                st.tuples(*(st.sampled_from(p) for p in pools)).map(lambda args, n=name: Atom(n, args))
            )
    statics = [*belief.scene.by_class, *belief.scene.by_attribute]
    things: list[Term] = [n for n, x in belief.scene.nodes.items() if x.type != "agent"]
    things += [Var(v.name) for v in variables]
    options.append(st.builds(lambda p, x: Atom(p, (x,)), st.sampled_from(statics), st.sampled_from(things)))
    return st.one_of(options)


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
    mapped = belief.pack.mapped.types
    for variable in variables:
        kinds = {mapped[belief.scene.nodes[m].type] for m in belief.members(variable.type)}
        wanted = {"thing": ("asset", "item"), "place": ("room", "asset")}.get(kind)
        if kinds and all(k in wanted if wanted else domain.is_a(k, kind) for k in kinds):
            found += [Var(variable.name)] * 3
    return found


def formulas(
    belief: Belief, depth: int = 3, variables: tuple[TypedVar, ...] = (), sometime: bool = False
) -> st.SearchStrategy[Formula]:
    """Goals in the whole language; ``sometime`` only in positive places."""
    atom = atoms(belief, variables)
    if depth == 0:
        return st.one_of(atom, atom.map(Not))
    below = formulas(belief, depth - 1, variables)
    kinds = ["room", "asset", "item", "object", *belief.scene.by_class]
    kinds = [k for k in kinds if (belief.members(k) and belief.is_type(k)) or k in belief.scene.by_class]
    kinds = [k for k in kinds if not any(belief.scene.nodes[m].type == "agent" for m in belief.members(k))]
    new = TypedVar(f"v{len(variables)}", "")
    quantified = [
        st.sampled_from(kinds).flatmap(
            lambda kind, shape=shape: quantify(
                shape,
                TypedVar(new.name, kind),
                formulas(belief, depth - 1, (*variables, TypedVar(new.name, kind))),
            )
        )
        for shape in ("exists", "forall", "count")
    ]
    names: list[Term] = [*belief.scene.nodes, *(Var(v.name) for v in variables)]
    parts: list[st.SearchStrategy[Formula]] = [
        atom,
        atom,
        atom.map(Not),
        st.lists(below, max_size=3).map(lambda p: And(tuple(p))),
        st.lists(below, max_size=3).map(lambda p: Or(tuple(p))),
        below.map(Not),
        st.builds(Imply, below, below),
        st.builds(Equal, st.sampled_from(names), st.sampled_from(names)),
        *quantified,
    ]
    if sometime:
        literal = st.one_of(atom, atom.map(Not))
        parts.append(st.builds(lambda a, b: And((Sometime(a), b)), literal, below))
    return st.one_of(parts)


def quantify(shape: str, variable: TypedVar, body: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    if shape == "exists":
        return body.map(lambda b: Exists((variable,), b))
    if shape == "forall":
        return body.map(lambda b: Forall((variable,), b))
    return st.builds(
        lambda kind, number, b: Count(kind, number, (variable,), b),
        st.sampled_from(("exactly", "at-least", "at-most")),
        st.integers(0, 3),
        body,
    )


# The whole world as a problem


def whole_problem(belief: Belief, goal: tuple[Atom, ...] = ()) -> Problem:
    """Everything that the scene and the pack have as one problem, without any pruning."""
    pack, scene = belief.pack, belief.scene
    types = pack.mapped.types
    places = typed_names(belief, pack.navigation.parameters[0].type)
    return Problem(
        name=scene.name,
        types=pack.domain.types,
        predicates={n: p.parameters for n, p in sorted(pack.domain.predicates.items())},
        actions=tuple(pack.domain.actions.values()),
        objects=tuple(sorted((n.id, types[n.type]) for n in scene.nodes.values() if n.type in types)),
        constants=frozenset(),
        init=tuple(sorted(belief.facts, key=lambda a: (a.predicate, ground_args(a)))),
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
