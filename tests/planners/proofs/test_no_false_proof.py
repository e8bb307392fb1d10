"""Goals that have a plan, or a cheaper one, which their compiled form hides: none is called impossible."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from oracles.judge import Judge
from oracles.plans import unified_accepts, val_accepts
from tasks import task_of

from groundplan.compiler.goals.goal import parse_goal
from groundplan.compiler.normal import expanded
from groundplan.compiler.pddl import compile_goal
from groundplan.compiler.problem import build
from groundplan.compiler.relevance import closure
from groundplan.datasets.scenes import load_scene
from groundplan.domains.action import PlanAction
from groundplan.domains.ending import Ending
from groundplan.domains.formula import Atom
from groundplan.domains.pack import Pack, load_pack
from groundplan.engines.base import Budget, PddlText
from groundplan.engines.engine import Engine
from groundplan.engines.fast_downward import FastDownward
from groundplan.engines.result import PlanResult
from groundplan.planners.classical import plan_goal
from groundplan.planners.schedule import plan
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.scene import Scene
from groundplan.simulator.scene_json import read_scene, scene_from_json

ATTACKS = Path(__file__).resolve().parents[3].parent / "shared" / "data" / "attack"
ENGINES = ("pyperplan", "fast-downward-opt")
HOUSEHOLD = load_pack()

DOMAIN = """(define (domain crafts)
  (:requirements :strips :typing :action-costs)
  (:predicates (painted ?i - item) (swept ?x - object) (glued ?i - item) (wired ?i - item))
  (:action paint
    :parameters (?i - item ?x - object)
    :precondition (and (stands_at ?x) (ontop_of ?i ?x))
    :effect (and (painted ?i) (increase (total-cost) 100)))
  (:action sweep
    :parameters (?x - object ?with - item)
    :precondition (and (stands_at ?x))
    :effect (and (swept ?x) (increase (total-cost) 100)))
  (:action glue
    :parameters (?i - item ?to - item)
    :precondition (and (holding ?to) (can_pickup ?i))
    :effect (and (glued ?i) (increase (total-cost) 100))))
"""
MAPPING = """format = "groundplan-pack"
version = 1
name = "crafts"
extends = "household"
domain = "domain.pddl"
[goal]
predicates = ["painted", "swept", "glued", "wired"]
[actions.paint]
step = "paint(?i)"
skill = "paint"
verb = "paint {i}"
[actions.sweep]
step = "sweep(?x, ?with)"
skill = "sweep"
verb = "sweep {x} with {with}"
[actions.glue]
step = "glue(?i, ?to)"
skill = "glue"
verb = "glue {i} to {to}"
[words]
painted = ["{0} is painted", "{0} is not painted"]
swept = ["{0} is swept", "{0} is not swept"]
glued = ["{0} is glued", "{0} is not glued"]
wired = ["{0} is wired", "{0} is not wired"]
"""


@pytest.fixture(scope="module")
def crafts(tmp_path_factory: pytest.TempPathFactory) -> Pack:
    folder = tmp_path_factory.mktemp("crafts")
    (folder / "domain.pddl").write_text(DOMAIN, encoding="utf-8")
    (folder / "mapping.toml").write_text(MAPPING, encoding="utf-8")
    return load_pack(str(folder))


def world(nodes: Sequence[Mapping[str, object]], pack: Pack = HOUSEHOLD) -> Belief:
    """The nodes in two rooms, 3 m apart; the robot is in the office."""
    raw = {
        "format": "groundplan-scene",
        "version": 1,
        "name": "small",
        "nodes": [
            {"id": "kitchen", "type": "room"},
            {"id": "office", "type": "room"},
            *nodes,
            {"id": "robot", "type": "agent", "at": "office"},
        ],
        "links": [{"a": "kitchen", "b": "office", "length": 3}],
    }
    return ground(scene_from_json(raw, "small"), pack)


def asset(name: str, room: str, *affordances: str, state: Sequence[str] = ()) -> dict[str, object]:
    can = list(affordances)
    return {"id": name, "type": "asset", "parent": room, "affordances": can, "state": list(state)}


def item(name: str, parent: str, *affordances: str, relation: str = "ontop_of") -> dict[str, object]:
    can = list(affordances)
    return {"id": name, "type": "object", "parent": parent, "relation": relation, "affordances": can}


def planned(goal: str, belief: Belief, name: str) -> PlanResult:
    return plan_goal(parse_goal(goal), belief, Engine.named(name), Budget(100))  # a busy machine's, too


CRATE = [
    asset("table", "office", "release"),
    asset("shelf", "kitchen"),
    item("crate", "shelf", "release", "contain"),
    item("apple", "table", "pickup"),
    item("pear", "table", "pickup"),
]
NO_OTHER_ROOM = [
    asset("shelf", "office"),
    asset("table", "kitchen", "release"),
    item("crate", "shelf", "release", "contain"),
    item("apple", "table", "pickup"),
    item("pear", "table", "pickup"),
]
CRATE_TO_CARRY = [
    *CRATE[:2],
    item("crate", "table", "release", "contain", "pickup"),
    asset("sink", "kitchen", "release"),
    *CRATE[3:],
]
NESTED = [
    asset("shelf", "kitchen"),
    item("tray", "shelf", "release", "pickup"),
    item("apple", "tray", "pickup"),
    item("crate", "tray", "release", "contain", "pickup"),
]
STEP_BACK = "(and (holding apple) (not (robot_at table)))"
CRATE_ON_TABLE = [asset("table", "kitchen", "release"), item("crate", "table", "release", "contain")]


CARRIED = [
    (CRATE, "(and (in_room apple kitchen) (hand_free))"),
    (CRATE, "(forall (?f - item) (in_room ?f kitchen))"),
    (CRATE, "(and (in_room apple kitchen) (in_room pear kitchen) (hand_free))"),
    (NO_OTHER_ROOM, "(and (not (in_room apple kitchen)) (not (in_room pear kitchen)))"),
    (CRATE_ON_TABLE, "(and (robot_at crate) (robot_at table))"),
    (CRATE_ON_TABLE, "(exists (?c - object) (and (robot_at ?c) (robot_at kitchen)))"),
    (CRATE_ON_TABLE, "(and (robot_at crate) (not (robot_at office)))"),
    (CRATE_TO_CARRY, "(and (in_room apple kitchen) (hand_free))"),
    (CRATE_TO_CARRY, "(and (in_room apple kitchen) (in_room pear kitchen) (not (holding crate)))"),
    (CRATE_ON_TABLE, "(and (not (robot_at kitchen)) (in_room crate kitchen))"),
    ([asset("table", "kitchen", "release"), item("apple", "table", "pickup")], STEP_BACK),
    (CRATE, "(and (sometime (in_room apple kitchen)) (in_room pear kitchen) (hand_free))"),
    (NO_OTHER_ROOM, "(and (sometime (not (in_room apple kitchen))) (in_room apple kitchen) (hand_free))"),
    # Showing that all of it holds costs nothing, in any order: the proof must not try all orders.
    (
        NESTED,
        "(and (forall (?x - item) (not (in_room ?x office))) (inside_of apple crate) (robot_at office))",
    ),
]


@pytest.mark.parametrize(("nodes", "goal"), CARRIED)
def test_what_a_crate_would_do_is_planned(nodes: list[dict[str, object]], goal: str) -> None:
    assert planned(goal, world(nodes), "pyperplan").verified


@pytest.mark.parametrize(("nodes", "goal"), CARRIED)
def test_the_best_that_a_crate_would_do_is_proved(nodes: list[dict[str, object]], goal: str) -> None:
    belief = world(nodes)
    result = planned(goal, belief, "fast-downward-opt")
    assert result.verified and result.optimal
    assert result.cost_mm == result.bound_mm == Judge(belief).decide(parse_goal(goal).formula).cost


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("nodes", "goal"),
    [
        (CRATE, "(and (in_room apple kitchen) (hand_free) (not (in_room crate kitchen)))"),
        (CRATE, "(and (in_room crate office) (in_room apple kitchen))"),
        (NO_OTHER_ROOM, "(and (in_room apple kitchen) (in_room pear office) (hand_free) (robot_at pear))"),
    ],
)
def test_what_no_crate_can_do_is_proved_impossible(
    nodes: list[dict[str, object]], goal: str, engine: str
) -> None:
    belief = world(nodes)
    assert Judge(belief).decide(parse_goal(goal).formula).solvable is False
    assert planned(goal, belief, engine).ending is Ending.UNSOLVABLE


def test_a_thing_is_put_where_an_action_needs_it(crafts: Pack) -> None:
    cabinet = asset("cabinet", "office", "open", "close", "release", state=["open"])
    apple = item("apple", "cabinet", "pickup", relation="inside_of")
    belief = world([cabinet, asset("table", "office", "release"), apple], crafts)
    for goal in ("(painted apple)", "(and (painted apple) (ontop_of apple table))"):
        assert planned(goal, belief, "pyperplan").verified
        best = planned(goal, belief, "fast-downward-opt")
        assert best.optimal and best.cost_mm == Judge(belief).decide(parse_goal(goal).formula).cost


def test_what_can_lie_nowhere_is_proved_to_stay_unpainted(crafts: Pack) -> None:
    cabinet = asset("cabinet", "office", "open", "release", state=["open"])
    belief = world([cabinet, item("apple", "cabinet", "pickup", relation="inside_of")], crafts)
    result = planned("(painted apple)", belief, "pyperplan")
    assert result.ending is Ending.UNSOLVABLE


@pytest.mark.parametrize("engine", ENGINES)
def test_a_parameter_that_nothing_binds_may_be_anything(crafts: Pack, engine: str) -> None:
    nodes = [asset("table", "office", "release"), item("broom", "table", "pickup")]
    result = planned("(swept table)", world(nodes, crafts), engine)
    assert result.verified and result.optimal is (engine == "fast-downward-opt")
    nothing = planned("(swept table)", world(nodes[:1], crafts), engine)
    assert nothing.ending is Ending.UNSOLVABLE


@pytest.mark.parametrize("engine", ENGINES)
def test_another_place_of_the_room_may_be_the_one_that_opens(engine: str) -> None:
    """The cabinet has a lock without a key; what is beside it is open."""
    cabinet = asset("a_cabinet", "office", "open", "close", "release", "brass_lock", state=["locked"])
    box = asset("b_box", "office", "close", "release", state=["open"])
    nut = item("nut", "robot", "pickup", relation="inside_hand")
    belief = world([cabinet, box, nut], load_pack("household-locks"))
    assert planned("(and (hand_free) (not (ontop_of nut a_cabinet)))", belief, engine).verified


@pytest.mark.parametrize("engine", ENGINES)
def test_two_parameters_may_be_one_thing_to_pddl(crafts: Pack, engine: str) -> None:
    belief = world([asset("table", "office", "release"), item("vase", "table", "pickup")], crafts)
    result = planned("(glued vase)", belief, engine)
    assert result.verified
    assert result.plan is not None
    assert result.plan[-1] == PlanAction("glue", ("vase", "vase"))


def test_what_no_action_can_bring_about_here_is_still_proved_impossible(crafts: Pack) -> None:
    """Where no action of the pack has it as an effect, the pack may be at fault, and nothing is proved."""
    belief = world([asset("table", "office", "release"), item("vase", "table")], crafts)
    result = planned("(glued vase)", belief, "pyperplan")
    assert result.ending is Ending.UNSOLVABLE
    assert result.certificate is not None and result.certificate.kind == "facts"
    result = planned("(wired vase)", belief, "pyperplan")
    assert result.ending is Ending.NOT_FOUND and result.certificate is None


def test_what_is_held_may_be_put_down_and_taken_again() -> None:
    nodes = [
        asset("table", "office", "release"),
        asset("fridge", "office", "open", "close"),
        item("nut", "robot", "pickup", relation="inside_hand"),
    ]
    belief = world(nodes, load_pack("household", variant="one-handed"))
    result = plan(task_of("(and (open fridge) (holding nut))", belief))
    done = [a.name for a in result.plan or () if a.name != "goto"]
    assert done == ["release_on", "open", "pickup_on"]


@pytest.mark.parametrize(
    ("nodes", "goal", "exact"),
    [
        (CRATE, "(in_room apple kitchen)", False),
        (CRATE, "(in_room apple office)", True),  # the crate stays in the kitchen
        (CRATE, "(not (in_room apple kitchen))", True),
        (CRATE, "(not (in_room apple office))", False),
        (CRATE, "(in_room crate kitchen)", True),
        (CRATE, "(and (in_room apple kitchen) (inside_of pear crate))", True),  # the crate is named
        (CRATE[:2] + CRATE[3:], "(in_room apple kitchen)", True),
        (CRATE_ON_TABLE, "(and (robot_at crate) (robot_at kitchen))", True),
        (CRATE_ON_TABLE, "(and (robot_at crate) (robot_at table))", False),
        ([*CRATE, item("brick", "table")], "(in_room brick kitchen)", True),  # nothing picks it up
    ],
)
def test_a_form_is_exact_where_no_carrier_is_left_out(
    nodes: list[dict[str, object]], goal: str, exact: bool
) -> None:
    assert expanded(parse_goal(goal).formula, world(nodes)).exact is exact


@pytest.mark.parametrize(
    ("nodes", "goal", "form"),
    [
        (CRATE, "(in_room apple kitchen)", "(in_room apple kitchen)"),
        (CRATE, "(not (in_room apple office))", "(not (in_room apple office))"),
        (CRATE, "(in_room table kitchen)", "(or)"),
        (
            CRATE_ON_TABLE,
            "(and (robot_at crate) (robot_at table))",
            "(and (robot_at crate) (robot_at table))",
        ),
    ],
)
def test_a_whole_form_keeps_what_cannot_be_written_out(
    nodes: list[dict[str, object]], goal: str, form: str
) -> None:
    whole = expanded(parse_goal(goal).formula, world(nodes), whole=True)
    assert whole.exact and str(whole.form) == form


@pytest.mark.parametrize(("nodes", "goal"), CARRIED[:5])
def test_every_judge_accepts_plans_with_marks(nodes: list[dict[str, object]], goal: str) -> None:
    text = compile_goal(parse_goal(goal).formula, world(nodes), whole=True)
    assert any(name.startswith("(mark") for name in text.source.artificial)
    answer = FastDownward().solve_text(PddlText(text.domain, text.problem), Budget(20))
    assert answer.plan is not None
    steps = text.table.scene_names(answer.plan)
    for accepted, said in (val_accepts(text, steps), unified_accepts(text.source, steps)):
        assert accepted, said


@pytest.mark.parametrize("engine", ENGINES)
def test_a_goal_may_deny_what_an_event_could_bring_about(engine: str) -> None:
    microwave = asset(
        "microwave", "office", "open", "close", "turn_on", "turn_off", "release", state=["open"]
    )
    nodes = [asset("table", "office", "release"), microwave, item("soup", "table", "pickup")]
    belief = world(nodes)
    assert planned("(and (turned_on microwave) (not (hot soup)))", belief, engine).verified
    hot = planned(
        "(and (turned_on microwave) (closed microwave) (inside_of soup microwave) (not (hot soup)))",
        belief,
        engine,
    )
    assert not hot.verified and not hot.domain_fault


def test_a_robot_drives_from_what_carries_the_thing_that_it_stands_at() -> None:
    nodes = [
        asset("table", "office", "release"),
        asset("bench", "kitchen", "release"),
        item("crate", "robot", "release", "contain", "pickup", relation="inside_hand"),
        item("apple", "bench", "pickup"),
    ]
    goal = "(and (at-least 1 (?x - item) (robot_at ?x)) (in_room apple office))"
    assert planned(goal, world(nodes), "pyperplan").verified


def test_marks_grow_with_things_times_carriers_times_rooms() -> None:
    """The ways through carriers within carriers would grow with their factorial."""

    def size(carriers: int, things: int, rooms: int) -> int:
        nodes = [asset(f"table{r}", ("kitchen", "office")[r], "release") for r in range(2)]
        nodes += [item(f"crate{c}", "table0", "release", "contain", "pickup") for c in range(carriers)]
        nodes += [item(f"apple{a}", "table1", "pickup") for a in range(things)]
        goals = " ".join(
            f"(in_room apple{a} {room})" for a in range(things) for room in ("kitchen", "office")[:rooms]
        )
        belief = world(nodes)
        form = expanded(parse_goal(f"(or {goals} (hand_free))").formula, belief, whole=True).form
        problem = build(form, belief, nearest=None)
        return len(problem.init) + sum(len(a.args) for a in problem.goal)

    def growth(*sizes: int) -> list[int]:
        return [b - a for a, b in itertools.pairwise(sizes)]

    for by_one in (
        growth(*(size(n, 2, 1) for n in (2, 3, 4))),
        growth(*(size(2, n, 1) for n in (2, 3, 4))),
    ):
        assert by_one[0] == by_one[1]
    assert size(8, 4, 2) <= 8 * 4 * 2 * size(1, 1, 1)


def test_the_office_is_read_exactly_and_wholly() -> None:
    belief = ground(load_scene("office"), HOUSEHOLD)
    for goal in ("(forall (?x - apple) (in_room ?x kitchen))", "(not (in_room banana1 cafeteria))"):
        assert expanded(parse_goal(goal).formula, belief).exact
    for atom in (Atom("hot", ("bread",)), Atom("holding", ("apple1",)), Atom("hand_free")):
        assert closure([(atom, True)], belief, belief.facts, nearest=None).complete, str(atom)


@pytest.mark.skipif(not ATTACKS.exists(), reason="the scenes of the attack are not here")
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("pack", "scene", "goal"),
    [
        ("household", "crate", "(and (in_room apple kitchen) (hand_free))"),
        ("household", "crate", "(forall (?f - fruit) (in_room ?f kitchen))"),
        ("household", "notroom", "(forall (?f - fruit) (not (in_room ?f kitchen)))"),
        ("household", "fuzz_9017", "(not (in_room mug2 room0))"),
        ("workshop", "paint", "(painted apple)"),
        ("workshop", "paint", "(and (painted apple) (ontop_of apple table))"),
        ("workshop", "paint", "(and (painted apple) (painted pear))"),
        ("workshop", "single", "(forall (?x - block) (in_room ?x r2))"),
        ("workshop", "single", "(not (in_room a r1))"),
    ],
)
def test_the_goals_of_the_attack(pack: str, scene: str, goal: str, engine: str) -> None:
    loaded = load_pack(str(ATTACKS / pack)) if pack == "workshop" else HOUSEHOLD
    belief = ground(read_scene(ATTACKS / f"scene_{scene}.json"), loaded)
    result = planned(goal, belief, engine)
    assert result.verified
    if engine == "fast-downward-opt":
        assert result.optimal and result.cost_mm == Judge(belief).decide(parse_goal(goal).formula).cost


def test_no_plan_is_the_best_where_a_pack_has_a_lift(tmp_path: Path) -> None:
    lift = """(define (domain lifts) (:requirements :strips :typing :action-costs)
      (:predicates (odd ?x - object))
      (:action lift :parameters (?x - asset ?y - asset) :precondition (stands_at ?x)
        :effect (and (stands_at ?y) (not (stands_at ?x)) (increase (total-cost) 300))))"""
    tables = '[actions.lift]\nstep = "lift(?x, ?y)"\nskill = "lift"\nverb = "take the lift to {y}"\n'
    head = MAPPING.split("[goal]")[0].replace("crafts", "lifts")
    tmp_path.joinpath("domain.pddl").write_text(lift, encoding="utf-8")
    tmp_path.joinpath("mapping.toml").write_text(head + tables, encoding="utf-8")
    nodes = [asset("door", "office"), asset("cabinet", "kitchen", "open", "close")]
    belief = world(nodes, load_pack(str(tmp_path)))
    lifted = replace(belief.scene.nodes["robot"], at="door")
    scene = Scene("lifts", {**belief.scene.nodes, "robot": lifted}, belief.scene.links)
    result = planned("(open cabinet)", ground(scene, belief.pack), "fast-downward-opt")
    assert result.verified and not result.optimal  # by the lift it would cost 0.4 m
    assert "elsewhere by lift" in result.reasons[0]
    assert belief.rides == ("lift",)
