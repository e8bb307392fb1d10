"""What "unsolvable" and "optimal" rest on: goals for which a shortcut would claim too much.

Each case once had a plan, or a cheaper one, that a narrower problem or a stronger part of the goal hid.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from groundplan.compiler.goals.checker import check
from groundplan.compiler.goals.goal import parse_goal
from groundplan.datasets.scenes import load_scene
from groundplan.domains.ending import Ending
from groundplan.domains.formula import conjuncts
from groundplan.domains.pack import load_pack
from groundplan.engines.engine import Engine
from groundplan.engines.result import PlanResult
from groundplan.planners.classical import plan_goal
from groundplan.planners.proofs.choices import MAX_STATES, MAX_VALUES, FactChoices
from groundplan.planners.proofs.statements import Statements
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.partial_state import PartialState
from groundplan.simulator.scene_json import scene_from_json

PACK = load_pack()
OFFICE = ground(load_scene("office"), PACK)
ENGINE = Engine.named("pyperplan")
TABLE = {"id": "t0", "type": "asset", "parent": "r0", "affordances": ["release"]}


def world(nodes: Sequence[dict[str, object]], links: Sequence[tuple[str, str, float]] = ()) -> Belief:
    rooms = {"r0": None} | {end: None for a, b, _ in links for end in (a, b)}
    raw = {
        "format": "groundplan-scene",
        "version": 1,
        "name": "small",
        "nodes": [
            *({"id": r, "type": "room"} for r in rooms),
            *nodes,
            {"id": "robot", "type": "agent", "parent": "r0"},
        ],
        "links": [{"a": a, "b": b, "length": length} for a, b, length in links],
    }
    return ground(scene_from_json(raw, "small"), PACK)


def item(name: str, parent: str, relation: str = "ontop_of", *affordances: str) -> dict[str, object]:
    can = ["pickup", *affordances]
    return {"id": name, "type": "object", "parent": parent, "relation": relation, "affordances": can}


def planned(goal: str, belief: Belief = OFFICE, engine: Engine = ENGINE) -> PlanResult:
    return plan_goal(parse_goal(goal), belief, engine)


@pytest.mark.parametrize(
    "goal",
    [
        "(and (open fridge) (or (holding banana1) (turned_on printer2)))",
        "(and (open fridge) (or (robot_at cafeteria) (turned_on printer2)))",
        "(and (robot_at kitchen) (exists (?a - fridge) (robot_at ?a)))",
        "(and (robot_at toolbox) (robot_at robot_lounge2))",
        "(sometime (not (in_room banana1 cafeteria)))",
        "(and (not (ontop_of fork lunch_table)) (not (ontop_of knife lunch_table)))",
        "(and (exists (?a - apple) (in_room ?a phd_bay1)) (exists (?a - apple) (in_room ?a phd_bay2))"
        " (exists (?a - apple) (in_room ?a phd_bay3)))",
        "(forall (?x - apple) (in_room ?x kitchen))",
        "(and (in_room apple1 kitchen) (holding apple2))",
    ],
)
def test_what_has_a_plan_is_planned(goal: str) -> None:
    assert planned(goal).verified


@pytest.mark.parametrize(
    "nodes",
    [
        [item("box", "robot", "inside_hand", "contain"), item("nut", "box", "inside_of")],
        [TABLE, item("box", "t0", "under", "contain"), item("nut", "box", "inside_of")],
        [TABLE, item("plate", "t0"), item("nut", "plate")],
        [TABLE, item("tray", "t0", "ontop_of", "release"), item("bowl", "tray"), item("nut", "bowl")],
    ],
    ids=["held box", "box under a table", "on a plate", "on a bowl on a tray"],
)
def test_what_a_movable_thing_carries_can_be_reached(nodes: list[dict[str, object]]) -> None:
    tables = [] if any(n["id"] == "t0" for n in nodes) else [TABLE]
    assert planned("(holding nut)", world([*tables, *nodes])).verified


def test_facts_that_exclude_each_other_are_no_search() -> None:
    result = planned("(and (in_room apple1 aarons_office) (hand_free))")
    assert result.ending is Ending.UNSOLVABLE
    assert result.certificate is not None and result.certificate.kind == "exclusive"


def test_two_conjuncts_alone_prove_a_larger_goal_unsolvable() -> None:
    result = planned("(and (turned_on microwave) (open microwave) (hot bread))")
    assert result.ending is Ending.UNSOLVABLE
    said = "these facts cannot be brought about together: microwave is on; microwave is open"
    assert result.reasons == (said,)


@pytest.mark.parametrize(
    ("goal", "code", "severity"),
    [
        ("(imply (sometime (open fridge)) (closed cabinet5))", "unsupported", "error"),
        ("(exactly 1 (?x - apple) (sometime (holding ?x)))", "unsupported", "error"),
        ("(or (at-least 9 (?x - apple) (in_room ?x kitchen)) (open fridge))", "count", "warning"),
        ("(at-least 9 (?x - apple) (in_room ?x kitchen))", "count", "error"),
        ("(exists (?x - rotten) (holding ?x))", "unknown-class", "error"),
        (
            "(exists (?a ?b ?c ?d - object) (and (holding ?a) (hot ?b) (cold ?c) (filled ?d)))",
            "too-large",
            "error",
        ),
    ],
)
def test_the_check_says_what_planning_could_not(goal: str, code: str, severity: str) -> None:
    found = check(parse_goal(goal), OFFICE).diagnostics
    assert (code, severity) in {(d.code, d.severity) for d in found}


OPTIMAL = [
    # Four apples in a box cost one drive; one by one they cost seven.
    (
        [
            TABLE,
            {"id": "t1", "type": "asset", "parent": "r1", "affordances": ["release"]},
            item("box", "t0", "ontop_of", "release", "contain"),
            *(item(f"a{i}", "t0") for i in range(4)),
        ],
        [("r0", "r1", 100.0)],
        "(and (ontop_of a0 t1) (ontop_of a1 t1) (ontop_of a2 t1) (ontop_of a3 t1))",
        101_800,
    ),
    # The tray may come to the apple.
    (
        [
            {"id": "t1", "type": "asset", "parent": "r1", "affordances": ["release"]},
            {"id": "t2", "type": "asset", "parent": "r2", "affordances": ["release"]},
            {"id": "lamp", "type": "asset", "parent": "r3", "affordances": ["turn_on", "turn_off"]},
            item("tray", "t1", "ontop_of", "release", "contain"),
            item("apple", "t2"),
        ],
        [("r0", "r1", 1.0), ("r1", "r2", 99.0), ("r0", "r3", 150.0)],
        "(or (inside_of apple tray) (turned_on lamp))",
        100_400,
    ),
]


@pytest.mark.parametrize(("nodes", "links", "goal", "cost"), OPTIMAL, ids=["box", "tray"])
def test_optimal_is_said_of_what_is(
    nodes: list[dict[str, object]], links: list[tuple[str, str, float]], goal: str, cost: int
) -> None:
    result = planned(goal, world(nodes, links), Engine.named("fast-downward-opt"))
    assert result.verified
    assert (result.optimal, result.cost_mm, result.bound_mm) == (True, cost, cost)


TILT = """(define (domain tilting)
  (:predicates (tilted ?i - item))
  (:action tilt
    :parameters (?i - item)
    :precondition (and (ontop_of ?i ?i) (hand_free))
    :effect (and (tilted ?i))))
"""
TILTING = """format = "groundplan-pack"
version = 1
name = "tilting"
extends = "household"
domain = "domain.pddl"
[goal]
predicates = ["tilted"]
[actions.tilt]
event = true
"""


def test_nothing_comes_from_a_thing_in_or_on_itself(tmp_path: Path) -> None:
    """Containment is shown of the pack: a thing on itself is no fact that may come true."""
    (tmp_path / "domain.pddl").write_text(TILT, encoding="utf-8")
    (tmp_path / "mapping.toml").write_text(TILTING, encoding="utf-8")
    tray = item("tray", "t0", "ontop_of", "release")
    belief = ground(world([TABLE, tray]).scene, load_pack(str(tmp_path)))
    result = planned("(tilted tray)", belief)
    assert result.ending is Ending.UNSOLVABLE
    assert result.certificate is not None and result.certificate.kind == "states"


FEEDING = """(define (domain feeding)
  (:predicates (gone ?i - item) (jammed ?x - object))
  (:action drink
    :parameters (?i - item)
    :precondition (and (holding ?i))
    :effect (and (gone ?i) (hand_free) (not (holding ?i)) (increase (total-cost) 10)))
  (:action jam
    :parameters (?x - object)
    :precondition (and (stands_at ?x) (hand_free))
    :effect (and (jammed ?x) (not (hand_free)) (increase (total-cost) 10))))
"""
FEEDING_WORDS = """format = "groundplan-pack"
version = 1
name = "feeding"
extends = "household"
domain = "domain.pddl"
[goal]
predicates = ["gone", "jammed"]
[actions.drink]
step = "drink(?i)"
skill = "drink"
verb = "drink {i}"
[actions.jam]
step = "jam(?x)"
skill = "jam"
verb = "jam {x}"
[words]
gone = ["{0} is gone", "{0} is there"]
jammed = ["{0} is jammed", "{0} is not jammed"]
"""
SHELF = {"id": "s0", "type": "asset", "parent": "r1", "affordances": ["release"]}
NESTED = [
    item("crate", "t0", "ontop_of", "release", "contain"),
    item("box", "crate", "inside_of", "release", "contain", "open", "close"),
    item("apple", "box", "inside_of"),
    item("pear", "s0"),
]
STACKED = [
    item("tray", "s0", "ontop_of", "release"),
    item("bag", "tray", "ontop_of", "release", "contain"),
    item("apple", "tray"),
    item("pear", "bag", "inside_of"),
]


@pytest.mark.parametrize(
    ("items", "goal"),
    [
        (NESTED, "(and (inside_of crate box) (inside_of box crate))"),
        (STACKED, "(and (inside_of tray bag) (ontop_of bag tray))"),
        (STACKED, "(and (gone apple) (ontop_of apple s0))"),
        (STACKED, "(and (gone apple) (gone pear) (or (holding apple) (holding pear)))"),
        (STACKED, "(and (jammed s0) (hand_free))"),
    ],
)
def test_in_a_tiny_world_all_the_places_of_a_thing_are_looked_at(
    tmp_path: Path, items: list[dict[str, object]], goal: str
) -> None:
    """A thing does not come back from a place that the goal says nothing of, nor the hand from one."""
    (tmp_path / "domain.pddl").write_text(FEEDING, encoding="utf-8")
    (tmp_path / "mapping.toml").write_text(FEEDING_WORDS, encoding="utf-8")
    scene = world([TABLE, SHELF, *items], [("r0", "r1", 3.0)]).scene
    result = planned(goal, ground(scene, load_pack(str(tmp_path))))
    assert result.ending is Ending.UNSOLVABLE, result.reasons
    assert result.certificate is not None and result.certificate.kind == "states"


def test_the_last_set_of_facts_is_all_of_a_tiny_world() -> None:
    """In a building there would be too many: they are not even listed there."""
    small = world([TABLE, SHELF, *STACKED], [("r0", "r1", 3.0)])
    for belief, text, sets in (
        (OFFICE, "(and (holding apple1) (hand_free))", 0),
        (small, "(and (holding apple) (hand_free))", 1),
    ):
        goal = parse_goal(text)
        statements = Statements(belief)
        parts = tuple((part, True, {}) for part in conjuncts(goal.formula))
        choices = FactChoices(statements, PartialState(belief, statements, {}), parts)
        last = [c for c in choices.widening(tuple) if c.states == MAX_STATES]
        assert len(last) == sets
        assert all(len(c.facts) <= MAX_VALUES for c in last)
