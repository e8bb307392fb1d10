"""Robot programs are enough to drive a robot: positions, expectations, events, motions, and the schema."""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from pathlib import Path

import pytest
from golds import TASKS, belief_of, gold_plan
from jsonschema import Draft202012Validator
from oracles.attack import pack_worlds, worlds
from oracles.random_worlds import RandomWorld

from groundplan import (
    Budget,
    Engine,
    ground,
    load_pack,
    load_scene,
    open_scene,
    parse_goal,
    plan_goal,
    read_steps,
)
from groundplan.domains.action import PlanAction
from groundplan.domains.evaluate import evaluate
from groundplan.domains.formula import Atom, Not, Var, conjuncts
from groundplan.engines.result import PlanResult
from groundplan.robot import Program, deviations, differences, program_schema, read_program, translate
from groundplan.robot.expectations import expectation
from groundplan.simulator.belief import Belief
from groundplan.simulator.scene import Link, Node, Scene
from groundplan.simulator.verification import verify_plan, watched
from groundplan.simulator.world import World

PACK = load_pack()
VALID = Draft202012Validator(program_schema())
OUTPUTS = (Path(__file__).parents[2] / "docs" / "outputs.md").read_text(encoding="utf-8")
PAGE = OUTPUTS.split("## Robot programs\n")[1].split("## Plans from elsewhere\n")[0]


def planned(goal: str, belief: Belief, seconds: float = 30) -> tuple[PlanResult, Program]:
    parsed = parse_goal(goal)
    result = plan_goal(parsed, belief, Engine.named("pyperplan"), Budget(seconds))
    return result, translate(result, belief, parsed) if result.verified else Program((), ())


def check_program(program: Program, result: PlanResult, belief: Belief) -> None:
    """Assert all that must be true of every program of a plan."""
    VALID.validate(program.as_json())
    text = json.dumps(program.as_json())
    assert read_program(text) == program
    assert [c.printed for c in program.commands] == [str(s) for s in result.steps]
    assert deviations(program, belief) == ()
    assert differences(program, belief) == ()
    if program.goal:
        assert all(c.serves is not None and c.serves < len(program.goal) for c in program.commands)
    run = verify_plan(result.steps, belief)
    assert round(sum(c.metres for c in program.commands) * 1000) == run.length_mm
    events = [PlanAction(w.event, w.arguments, True) for c in program.commands for w in c.waits_for]
    assert events == [a for a in run.actions if a.event]
    positioned = {name for name, node in belief.scene.nodes.items() if node.position is not None}
    for command in program.commands:
        assert command.expects.before or command.expects.after
        target = command.target
        assert target is not None
        assert (target.position is None) == (target.position_of is None)
        if target.position_of is not None:
            assert belief.scene.nodes[target.position_of].position == target.position
        elif target.node in positioned:  # what was moved has no other place than that of what carries it
            assert belief.scene.nodes[target.node].type == "object"


@pytest.mark.parametrize("task", TASKS, ids=lambda t: t.id)
def test_every_task_has_a_program_that_drives_a_robot(task) -> None:
    belief, result = belief_of(task.id), gold_plan(task.id)
    assert result.verified
    program = translate(result, belief, parse_goal(task.gold.goal))
    check_program(program, result, belief)
    nodes = belief.scene.nodes
    for command in program.commands:  # every node of the office has a position of its own
        target = command.target
        assert target is not None and target.position is not None
        if nodes[target.node].type != "object":
            assert target.position == nodes[target.node].position and target.position_of == target.node


def with_positions(belief: Belief, seed: int) -> Belief:
    """Return a belief in whose scene every second node has a position."""
    draw = random.Random(seed)
    change = {
        name: {"position": (float(number), draw.random(), 0.5)}
        for number, name in enumerate(belief.scene.nodes)
        if draw.random() < 0.5
    }
    return ground(belief.scene.changed(change=change), belief.pack)


def check_positions(program: Program, belief: Belief) -> None:
    """Assert that positions are of nodes that are where they were, around what a command is about."""
    world, start = World(belief), World(belief)
    for command in program.commands:
        target = command.target
        assert target is not None
        around = world.state.around(target.node)
        if belief.scene.nodes[around[-1]].type == "object":  # it is held
            around += world.state.around(world.state.stands_at)
        if target.position_of is not None:
            assert target.position_of in around
            assert world.state.around(target.position_of) == start.state.around(target.position_of)
        world.apply(read_steps(command.printed)[0])


def check_serves(program: Program, result: PlanResult, goal: str, belief: Belief) -> None:
    """Assert that the action with which a conjunct comes true for good serves it, judging all every time."""
    parts, plan = conjuncts(parse_goal(goal).formula), result.plan or ()
    world = World(belief, [w for part in parts for w in watched(part, belief)])
    truth = [[evaluate(part, world) for part in parts]]
    for action in plan:
        if not action.event:
            world.perform(action)
        truth.append([evaluate(part, world) for part in parts])
    moments = range(1, len(truth))
    came: dict[int, int] = {}
    for index in range(len(parts)):
        if times := [m for m in moments if truth[m][index] and not truth[m - 1][index]]:
            came[times[-1] - 1] = index
    for (source, _), command in zip(result.printed, program.commands, strict=True):
        assert command.serves == came.get(source, command.serves), command


def check_world(world: RandomWorld) -> int:
    """Check the programs of a random world's goals; return how many there are."""
    programs = 0
    belief = with_positions(world.belief, world.seed)
    for goal in world.goals[:3]:
        result, program = planned(str(goal), belief, 2)
        if result.verified:
            check_program(program, result, belief)
            check_positions(program, belief)
            check_serves(program, result, str(goal), belief)
            programs += bool(program.commands)
    return programs


@pytest.mark.parametrize("first", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in (100, 200))])
def test_programs_of_random_worlds_expect_what_happens(first: int, tmp_path: Path) -> None:
    drawn = [*worlds(6, ("household", "household-locks", "foundry"), first), *pack_worlds(2, tmp_path, first)]
    assert sum(map(check_world, drawn)) > 5


def test_a_program_is_held_to_its_steps_where_drives_in_a_row_serve_different_parts() -> None:
    """A world in which two drives of the plan meet, which printed steps do not show."""
    (world,) = worlds(1, ("household-locks",), 1001)
    been = "(sometime (in_room steel_key0 room0)) (sometime (in_room steel_key0 room1))"
    _, program = planned(f"(and {been} (not (robot_at room0)))", world.belief, 5)
    assert {c.serves for c in program.commands if c.skill == "navigate"} == {1, 2}
    assert differences(program, world.belief) == ()
    start = next(c.step for c in program.commands if c.waypoints)
    cut = list(program.commands)
    cut[start] = replace(cut[start], waypoints=cut[start].waypoints[:-1])
    wrong = differences(replace(program, commands=tuple(cut)), world.belief)
    assert {d.key for d in wrong} <= {"waypoints", "serves"} and wrong, "which of the two is a matter of view"


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_programs_of_200_random_worlds_expect_what_happens(tmp_path: Path) -> None:
    packs = ("household", "household-locks", "foundry")
    drawn = [*worlds(200, packs, 1000), *pack_worlds(30, tmp_path, 1000)]
    assert sum(map(check_world, drawn)) > 250


def small(*things: Node, links: tuple[Link, ...] = ()) -> Belief:
    """Return a kitchen and a hall, 5 m apart, with things; the robot is in the hall."""
    rooms = (
        Node("kitchen", "room", affordances=("release",), position=(5.0, 0.0, 0.0)),
        Node("hall", "room", position=(0.0, 0.0, 0.0)),
        Node("robot", "agent", at="hall"),
    )
    nodes = {node.id: node for node in (*rooms, *things)}
    return ground(Scene("small", nodes, links or (Link("hall", "kitchen", 5.0),)), PACK)


TABLE = Node("table", "asset", "kitchen", affordances=("release",), position=(6.0, 1.0, 0.8))
SHELF = Node("shelf", "asset", "hall", affordances=("release",), position=(0.0, 2.0, 1.0))
MUG = Node("mug", "object", "table", "ontop_of", affordances=("pickup",), position=(6.1, 1.0, 0.9))
NOODLES = replace(MUG, id="noodles", position=None)
MICROWAVE = Node(
    "microwave",
    "asset",
    "kitchen",
    classes=("microwave",),
    affordances=("open", "close", "turn_on", "turn_off", "release", "interlocked"),
    position=(4.0, 1.0, 1.1),
)


def targets(program: Program) -> list[tuple[object, ...]]:
    return [
        (c.skill, c.target.node, c.target.position, c.target.position_of)
        for c in program.commands
        if c.target
    ]


def test_a_command_has_the_position_of_what_it_is_about() -> None:
    _, program = planned("(ontop_of mug shelf)", small(TABLE, SHELF, MUG))
    assert targets(program) == [
        ("navigate", "kitchen", (5.0, 0.0, 0.0), "kitchen"),
        ("approach", "table", (6.0, 1.0, 0.8), "table"),
        ("pick", "mug", (6.1, 1.0, 0.9), "mug"),
        ("navigate", "hall", (0.0, 0.0, 0.0), "hall"),
        ("approach", "shelf", (0.0, 2.0, 1.0), "shelf"),
        ("place_on", "shelf", (0.0, 2.0, 1.0), "shelf"),
    ]
    assert [c.pose for c in program.commands] == ["kitchen"] * 3 + ["hall"] * 3
    assert (program.start, program.start_position) == ("hall", (0.0, 0.0, 0.0))


@pytest.mark.parametrize(
    ("table", "mug", "expected"),
    [
        (TABLE, replace(MUG, position=None), (TABLE.position, "table")),
        (replace(TABLE, position=None), replace(MUG, position=None), ((5.0, 0.0, 0.0), "kitchen")),
    ],
)
def test_a_thing_without_a_position_is_where_what_carries_it_is(
    table: Node, mug: Node, expected: tuple[object, str]
) -> None:
    _, program = planned("(holding mug)", small(table, mug))
    assert targets(program)[-1] == ("pick", "mug", *expected)


def test_what_was_moved_is_no_longer_at_its_own_position() -> None:
    belief = small(
        TABLE, SHELF, replace(MUG, id="tray", classes=("tray",), affordances=("pickup", "release"))
    )
    result, program = planned("(and (sometime (ontop_of tray shelf)) (ontop_of tray table))", belief)
    picked = [c.target for c in program.commands if c.skill == "pick" and c.target]
    assert [t.position_of for t in picked] == ["tray", "shelf"]
    check_program(program, result, belief)


def test_what_happens_by_itself_between_two_commands_is_waited_for() -> None:
    _, program = planned("(and (hot noodles) (turned_off microwave))", small(TABLE, NOODLES, MICROWAVE))
    skills = [c.skill for c in program.commands]
    on = skills.index("switch_on")
    assert skills[on + 1] == "switch_off"
    waiting = program.commands[on].as_json()["waits_for"]
    assert waiting == [
        {
            "event": "heat",
            "arguments": ["noodles", "microwave"],
            "conditions": ["(turned_on microwave)", "(closed microwave)", "(inside_of noodles microwave)"],
            "facts": ["(hot noodles)"],
            "words": ["noodles is hot"],
            "needed": True,
        }
    ]
    assert not any(c.waits_for for c in program.commands if c.skill != "switch_on")
    assert program.commands[on].expects.as_json() == {
        "before": ["(stands_at microwave)", "(turned_off microwave)", "(closed microwave)"],
        "after": ["(not (turned_off microwave))", "(turned_on microwave)"],
    }


def test_what_nothing_rests_on_need_not_be_waited_for() -> None:
    tap = replace(MICROWAVE, id="tap", classes=("coffee_machine",), affordances=("turn_on", "release"))
    cup = replace(MUG, id="cup", classes=("cup",))
    belief = small(
        TABLE, replace(MICROWAVE, state=("on",), affordances=("open", "close", "release")), NOODLES
    )
    _, program = planned("(and (inside_of noodles microwave) (closed microwave))", belief)
    assert [[w.needed for w in c.waits_for] for c in program.commands if c.waits_for] == [[False]]
    _, program = planned("(exists (?x - object) (filled ?x))", small(TABLE, tap, cup))
    assert [[w.needed for w in c.waits_for] for c in program.commands if c.waits_for] == [[True]]
    result, _ = planned("(filled cup)", small(TABLE, tap, cup))
    without_goal = translate(result, small(TABLE, tap, cup))
    assert [w.needed for c in without_goal.commands for w in c.waits_for] == [True]


def test_what_a_later_command_needs_is_waited_for() -> None:
    """In the greenhouse a can has to be full before a bed is watered; no goal mentions that."""
    folder = Path(__file__).parents[2] / "examples" / "greenhouse"
    belief = ground(open_scene(str(folder / "scene.json")), load_pack(str(folder)))
    domain = belief.pack.domain
    result, program = planned("(forall (?b - bed) (growing ?b))", belief)
    conditions = {f for c in program.commands for f in c.expects.before}
    events = [w for c in program.commands for w in c.waits_for]
    assert events and domain.actions and result.verified
    for waiting in events:
        mentioned = any(f.predicate == "growing" for f in waiting.facts)
        assert waiting.needed or not (mentioned or conditions & set(waiting.facts))


def test_a_fact_that_an_event_brings_back_is_not_expected_to_be_gone() -> None:
    actions = dict(PACK.domain.actions)
    actions["heat"] = replace(actions["heat"], add=(Atom("turned_on", (Var("x"),)),))
    stubborn = replace(PACK, domain=replace(PACK.domain, actions=actions))
    happened = (PlanAction("turn_off", ("oven",)), PlanAction("heat", ("noodles", "oven"), True))
    assert expectation(happened, PACK, "oven").after[0] == Not(Atom("turned_on", ("oven",)))
    assert expectation(happened, stubborn, "oven").after == (Atom("turned_off", ("oven",)),)


def test_drives_in_a_row_are_one_motion_until_another_part_of_the_goal() -> None:
    links = (Link("hall", "p1", 1.0), Link("p1", "p2", 2.0), Link("p2", "kitchen", 2.0))
    stops = (Node("p1", "pose", position=(1.0, 0.0, 0.0)), Node("p2", "pose"))
    _, program = planned("(holding mug)", small(TABLE, MUG, *stops, links=links))
    first, *rest = program.commands
    assert first.as_json()["waypoints"] == [
        {"step": 0, "node": "p1", "position": [1.0, 0.0, 0.0]},
        {"step": 1, "node": "p2", "position": None},
        {"step": 2, "node": "kitchen", "position": [5.0, 0.0, 0.0]},
    ]
    assert not any(c.waypoints for c in rest)
    assert [c.metres for c in program.commands] == [1.0, 2.0, 2.0, 0.0, 0.0]
    _, program = planned("(and (sometime (robot_at p2)) (robot_at kitchen))", small(*stops, links=links))
    assert [(c.serves, len(c.waypoints)) for c in program.commands] == [(0, 2), (0, 0), (1, 0)]


def test_every_command_of_a_shared_load_serves_a_part_of_the_goal() -> None:
    crate = replace(MUG, id="crate", classes=("crate",), affordances=("pickup", "release", "contain"))
    things = [replace(MUG, id=f"mug{n}") for n in range(4)]
    far = (Link("hall", "kitchen", 50.0),)
    belief = small(replace(TABLE, affordances=("release",)), SHELF, crate, *things, links=far)
    result, program = planned(f"(and {' '.join(f'(ontop_of {t.id} shelf)' for t in things)})", belief)
    assert [c.target.node for c in program.commands if c.skill == "place_inside" and c.target] == [
        "crate"
    ] * 4
    check_program(program, result, belief)
    check_positions(program, belief)


def test_putting_down_serves_what_picking_up_did() -> None:
    goal = "(and (in_room mug hall) (in_room cup hall))"  # each is in its room while it is still carried
    _, program = planned(goal, small(TABLE, SHELF, MUG, replace(MUG, id="cup")))
    about = [(c.arguments[0], c.serves) for c in program.commands if c.skill in ("pick", "place_on")]
    assert len(about) > 2  # the first of them is put down, to have the hand for the other
    assert {name: index for name, index in about} == {"mug": 0, "cup": 1} and len(set(about)) == 2
    _, program = planned("(and (not (ontop_of mug table)) (robot_at hall))", small(TABLE, SHELF, MUG))
    assert {c.serves for c in program.commands if c.arguments[0] == "mug"} == {0}


def test_stepping_back_from_a_box_is_part_of_the_drive() -> None:
    box = replace(MUG, id="box", affordances=("release", "contain"))
    spoon = Node("spoon", "object", "box", "inside_of", affordances=("pickup",))
    result, program = planned("(in_room spoon hall)", small(TABLE, SHELF, box, spoon))
    check_program(program, result, small(TABLE, SHELF, box, spoon))
    reach = next(c for c in program.commands if c.skill == "reach")
    assert reach.target is not None and reach.target.node == "box"
    drive = program.commands[reach.step + 2]
    assert drive.printed == "goto(hall)"
    assert [str(f) for f in drive.expects.before] == ["(stands_at box)", "(ontop_of box table)"]
    assert Atom("stands_at", ("hall",)) in drive.expects.after


def test_a_program_of_a_pack_of_ones_own_names_its_skills_and_facts() -> None:
    folder = Path(__file__).parents[2] / "examples" / "greenhouse"
    belief = ground(open_scene(str(folder / "scene.json")), load_pack(str(folder)))
    result, program = planned("(forall (?b - bed) (growing ?b))", belief)
    check_program(program, result, belief)
    watered = [c for c in program.commands if c.waits_for]
    assert watered and all(w.words for c in watered for w in c.waits_for)


def test_the_page_and_the_schema_have_every_key() -> None:
    command = program_schema()["$defs"]["command"]["properties"]  # type: ignore[index]
    _, program = planned("(holding mug)", small(TABLE, MUG))
    document = program.as_json()
    assert list(document) == list(program_schema()["properties"])  # type: ignore[call-overload]
    for one in program.commands:
        assert list(one.as_json()) == list(command)
    cells = " ".join(line.split("|")[1] for line in PAGE.splitlines() if line.startswith("| `"))
    assert re.findall(r"`(\w+)`", cells) == [*document, *command]


def test_an_office_program_has_the_same_bytes_again() -> None:
    task = TASKS[-1]
    texts = set()
    for _ in range(2):
        belief = ground(task.load(), PACK)
        texts.add(json.dumps(planned(task.gold.goal, belief)[1].as_json()))
    assert len(texts) == 1


def test_the_command_on_the_page_is_one_of_the_program_beside_it() -> None:
    shown = json.loads(PAGE.split("```json\n")[1].split("```")[0])
    _, program = planned("(and (hot noodles) (turned_off microwave))", ground(load_scene("office"), PACK))
    assert shown in [c.as_json() for c in program.commands]
