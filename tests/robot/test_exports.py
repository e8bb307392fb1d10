"""Exports: every plan reads back identical from every format, whatever the names of a scene are."""

from __future__ import annotations

import ast
import json
import random
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from drawn_exports import generated, source, without_clashes
from golds import TASKS, belief_of, gold_plan
from oracles.tree_rules import broken_rules
from unified_planning.io import PDDLReader

from groundplan import Budget, Engine, ground, load_pack, open_scene, parse_goal, plan_goal
from groundplan.compiler.engine_plan import read_symbols
from groundplan.domains.errors import InputError, PackError
from groundplan.domains.evaluate import evaluate
from groundplan.domains.formula import Atom
from groundplan.domains.pack import Pack
from groundplan.robot import kernels_of
from groundplan.robot.exports import (
    EXPORT_FORMATS,
    ExportSource,
    NotVerified,
    check_tree,
    read_module,
    read_plansys2,
    read_route,
    read_tree,
    read_waypoints,
    route_graph,
    source_of,
    write_export,
    write_tree,
)
from groundplan.robot.exports.poses import poses
from groundplan.robot.exports.tree_nodes import pack_nodes
from groundplan.simulator.belief import Belief
from groundplan.simulator.scene import Link, Node, Scene
from groundplan.simulator.step import read_steps
from groundplan.simulator.verification import watched
from groundplan.simulator.world import World

PACK = load_pack()
WITHOUT_POSITIONS = ("btcpp", "plansys2", "py-trees", "steps", "program")


def planned(goal: str, belief: Belief, seconds: float = 30) -> ExportSource:
    parsed = parse_goal(goal)
    result = plan_goal(parsed, belief, Engine.named("pyperplan"), Budget(seconds))
    assert result.verified, result.reasons
    return source(result, belief, parsed)


def hold(of: ExportSource, names: tuple[str, ...] = tuple(EXPORT_FORMATS)) -> None:
    """Assert that a plan reads back identical from each format, by readers that know nothing of it."""
    steps = of.program.steps()
    files: dict[str, Mapping[str, str]] = {name: write_export(name, of) for name in names}
    texts = {name: next(iter(of_one.values())) for name, of_one in files.items()}
    assert read_steps(texts["steps"]) == read_steps(texts["program"]) == steps
    assert read_module(texts["py-trees"]) == steps
    ast.parse(texts["py-trees"])
    for form in ("sequence", "reactive"):
        xml = write_tree(of, form)
        assert read_tree(xml) == (form, steps)
        assert broken_rules(xml) == []
        assert check_tree(xml) == check_tree(xml, "tree", pack_nodes(of.pack)) == ()
        assert source_of(read_tree(xml)[1], of.belief, of.goal).program.steps() == steps
    ps = files["plansys2"]
    assert read_plansys2(ps["plan.txt"], ps["symbols.json"], of.belief) == of.plan.plan
    assert all(
        re.fullmatch(r"\d+\.\d{3}: \(\S[^()]*\) \[\d+\.\d{3}\]", x) for x in ps["plan.txt"].splitlines()
    )
    assert re.fullmatch(r"(set (instance|predicate|goal) \S.*\n)*", ps["knowledge.txt"])
    if "nav2-route" in names:
        assert read_route(texts["nav2-route"]) == route_graph(of.belief)
        driven = [
            s
            for s, c, pose in zip(steps, of.program.commands, poses(of), strict=True)
            if of.skill(c).pose in ("stop", "before") and pose.numbers
        ]
        assert [stop.step for stop in read_waypoints(texts["nav2-waypoints"])] == driven


def check_kernels(of: ExportSource) -> None:
    """Assert that each kernel holds where its step is done, and that the goal's facts hold at the end."""

    assert of.goal is not None
    kernels = kernels_of(of.program)
    world = World(of.belief, watched(of.goal.formula, of.belief))
    for kernel in kernels.steps:
        if not hasattr(kernel.doing, "printed"):
            continue  # an event comes at once
        assert [f for f in kernel.before if not evaluate(f, world)] == [], kernel.doing
        world.apply(read_steps(kernel.doing.printed)[0])
    assert [f for f in kernels.goal if not evaluate(f, world)] == []


@pytest.mark.parametrize("task", TASKS, ids=lambda t: t.id)
def test_gold_plans_read_back_from_every_format(task) -> None:
    result = gold_plan(task.id)
    of = source(result, belief_of(task.id), parse_goal(task.gold.goal))
    hold(of)
    check_kernels(of)


@pytest.mark.parametrize("task", [TASKS[0], TASKS[-1]], ids=lambda t: t.id)
def test_unified_planning_reads_what_plansys2_gets(task, tmp_path: Path) -> None:
    """A reader of durative PDDL that is not ours takes the domain, the problem and the plan."""
    result = gold_plan(task.id)
    of = source(result, belief_of(task.id), parse_goal(task.gold.goal))
    for name, text in write_export("plansys2", of).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    reader = PDDLReader()
    problem = reader.parse_problem(str(tmp_path / "domain.pddl"), str(tmp_path / "problem.pddl"))
    plan = reader.parse_plan(problem, str(tmp_path / "plan.txt"))
    assert len(problem.actions) == len(of.pack.domain.actions)
    assert [str(a.action.name) for _, a, _ in plan.timed_actions] == [
        read_symbols_of(tmp_path)[a.name] for a in of.plan.plan or ()
    ]


def read_symbols_of(folder: Path) -> Mapping[str, str]:
    return read_symbols((folder / "symbols.json").read_text(encoding="utf-8")).actions


def with_positions(of: ExportSource) -> ExportSource:
    """Return a plan in the same scene, every node of which has a place on a grid of 3 m."""
    nodes = {
        node.id: replace(node, position=(3.0 * (number % 7), 3.0 * (number // 7), 0.5))
        for number, node in enumerate(of.belief.scene.nodes.values())
    }
    placed = ground(replace(of.belief.scene, nodes=nodes), of.pack)
    return source_of(of.program.steps(), placed, of.goal)


def check_generated(count: int, first: int, folder: Path) -> int:
    plans = 0
    for of in generated(count, first, folder):
        if not without_clashes(of.pack):
            continue
        try:
            hold(of, WITHOUT_POSITIONS)
            hold(with_positions(of))
        except InputError as error:  # a door that is worked from its other side
            assert "before it" in str(error)
            continue
        check_kernels(of)
        plans += 1
    return plans


def test_plans_of_random_worlds_read_back(tmp_path: Path) -> None:
    assert check_generated(10, 0, tmp_path) > 12


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_300_plans_of_random_worlds_read_back(tmp_path: Path) -> None:
    assert check_generated(170, 2000, tmp_path) > 300


HOSTILE = (
    'a"b<c>&d',
    "); import os; os.system('x') #",
    "--> <!-- ]]>",
    "x{y}",
    "tab\there",
    "line\nbreak",
    "quote'\"\\back",
    "ünï çødé 中文 🤖",
    "(goal) ?x ; comment",
    "%s {0} ${HOME} `id`",
    "=cmd",
    "a" * 300,
    "plan.txt: - [1, 2]",
    "true",
    "0.000: (goto a b) [1.000]",
)


def hostile(name: str) -> Belief:
    """Return a kitchen and a hall in which a table, a shelf and a mug have odd names."""
    nodes = (
        Node("kitchen", "room", position=(5.0, 0.0, 0.0)),
        Node("hall", "room", position=(0.0, 0.0, 0.0)),
        Node(f"table {name}", "asset", "kitchen", affordances=("release",), position=(6.0, 1.0, 0.8)),
        Node(f"shelf {name}", "asset", "hall", affordances=("release",), position=(0.0, 2.0, 1.0)),
        Node(name, "object", f"table {name}", "ontop_of", affordances=("pickup",)),
        Node("robot", "agent", at="hall"),
    )
    return ground(Scene(name, {n.id: n for n in nodes}, (Link("hall", "kitchen", 5.0),)), PACK)


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_whatever_nodes_are_called_plans_read_back(name: str) -> None:
    belief = hostile(name)
    of = planned(str(Atom("ontop_of", (name, f"shelf {name}"))), belief)
    hold(of)
    check_kernels(of)
    tables = [
        n
        for n in ast.walk(ast.parse(write_export("py-trees", of)["plan_tree.py"]))
        if isinstance(n, ast.Call)
    ]
    assert not any(isinstance(c.func, ast.Attribute) and c.func.attr == "system" for c in tables)


@pytest.mark.parametrize("name", ["{banana}", "{ }", "=", "bell\x07", "null\x00byte", "\ufffe"])
def test_what_a_tree_cannot_hold_is_refused_with_what_to_do(name: str) -> None:
    belief = hostile(name)
    of = planned(str(Atom("ontop_of", (name, f"shelf {name}"))), belief)
    for form in ("sequence", "reactive"):
        with pytest.raises(InputError, match="give the node another id"):
            write_tree(of, form)
    hold_others = ("plansys2", "py-trees", "nav2-waypoints", "nav2-route", "steps", "program")
    for other in hold_others:
        write_export(other, of)


def test_poses_are_before_things_and_at_stops() -> None:
    of = planned('(ontop_of mug "shelf mug")', hostile("mug"))
    found = [(c.skill, p.ports()) for c, p in zip(of.program.commands, poses(of), strict=True)]
    assert [skill for skill, _ in found] == [
        "navigate",
        "approach",
        "pick",
        "navigate",
        "approach",
        "place_on",
    ]
    assert found[0][1] == {"x": 5.0, "y": 0.0, "yaw": 0.0}
    before = found[1][1]  # 0.8 m before (6, 1), on the way there from (5, 0)
    assert before == {"x": 5.4343, "y": 0.4343, "yaw": 0.7854, "position_of": "table mug"}
    assert found[2][1] == {"x": 6.0, "y": 1.0, "z": 0.8, "position_of": "table mug"}  # the mug has none
    assert found[3][1]["x"] == 0.0
    assert found[4][1] == {"x": 0.0, "y": 1.2, "yaw": 1.5708, "position_of": "shelf mug"}


def located(goal: str, belief: Belief, *without: str) -> dict[str, dict[str, float | str]]:
    """Return the pose of each step of a plan in a scene without the positions of some nodes."""
    bare = belief.scene.changed(change={name: {"position": None} for name in without})
    of = planned(goal, ground(bare, PACK))
    hold(of, WITHOUT_POSITIONS)
    return {c.printed: p.ports() for c, p in zip(of.program.commands, poses(of), strict=True)}


def test_the_base_stands_before_what_has_the_position_and_never_in_it() -> None:
    """A shelf in a rack has no position: the base stands before the rack, not at its centre."""
    belief = hostile("mug")
    board = Node("board", "part", "table mug", affordances=("release",))
    scene = replace(belief.scene, nodes={**belief.scene.nodes, "board": board})
    scene = scene.changed(change={"mug": {"parent": "board"}})
    found = located("(holding mug)", ground(scene, PACK))
    assert found["access(board)"] == {"x": 5.4343, "y": 0.4343, "yaw": 0.7854, "position_of": "table mug"}
    assert found["pickup(mug)"] == {"x": 6.0, "y": 1.0, "z": 0.8, "position_of": "table mug"}


def test_the_base_stands_before_the_edge_of_a_thing_whose_size_is_known() -> None:
    belief = hostile("mug")

    def at_table(size: object) -> tuple[object, object]:
        scene = belief.scene.changed(change={"table mug": {"extra": {"extent": size}}})
        pose = located("(holding mug)", ground(scene, PACK))['access("table mug")']
        return pose["x"], pose["y"]

    centre = (5.4343, 0.4343)  # 0.8 m before (6, 1), on the way there from (5, 0)
    assert at_table([0.4, 2.0, 1.0]) == (5.2343, 0.2343)  # 0.2 m in x are 0.28 m of the way
    assert at_table([3.0, 3.0, 1.0]) == (5.0, 0.0), "it is near enough already"
    for nonsense in (None, [], "wide", [1, 2], ["a", 1, 1], [-1.0, 1.0, 1.0]):
        assert at_table(nonsense) == centre


def test_the_centre_of_a_room_is_not_where_its_things_are() -> None:
    found = located('(ontop_of mug "shelf mug")', hostile("mug"), "table mug", "shelf mug")
    assert found["goto(kitchen)"] == {"x": 5.0, "y": 0.0, "yaw": 0.0}
    assert found['access("table mug")'] == found["pickup(mug)"] == found["release(mug)"] == {}
    bare = {name: {"position": None} for name in ("table mug", "shelf mug")}
    of = planned('(ontop_of mug "shelf mug")', ground(hostile("mug").scene.changed(change=bare), PACK))
    hold(of)
    waypoints = write_export("nav2-waypoints", of)["waypoints.yaml"]
    assert '\n  # access("table mug"): nobody knows where\n' in waypoints


def test_from_where_nobody_knows_there_is_no_pose_before_a_thing() -> None:
    found = located('(ontop_of mug "shelf mug")', hostile("mug"), "kitchen", "hall")
    assert found['access("table mug")'] == {}, "its centre is no place to stand"
    assert found["pickup(mug)"]["x"] == 6.0


def test_a_thing_at_a_place_of_the_robot_is_driven_to_there() -> None:
    belief = hostile("mug")
    spot = Node("spot", "pose", "kitchen", position=(5.5, 0.5, 0.0))
    nodes = {**belief.scene.nodes, "spot": spot}
    links = (*belief.scene.links, Link("kitchen", "spot", 0.7))
    scene = replace(belief.scene, nodes=nodes, links=links)
    scene = scene.changed(change={"table mug": {"parent": "spot", "position": None}})
    found = located("(holding mug)", ground(scene, PACK))
    assert (found['access("table mug")']["x"], found['access("table mug")']["position_of"]) == (5.5, "spot")


def test_without_positions_nothing_is_invented_and_waypoints_say_what_is_missing() -> None:
    belief = hostile("mug")
    bare = belief.scene.changed(change={name: {"position": None} for name in belief.scene.nodes})
    of = planned('(ontop_of mug "shelf mug")', ground(bare, PACK))
    assert all(not pose.ports() for pose in poses(of))
    hold(of, WITHOUT_POSITIONS)
    with pytest.raises(InputError, match=r"goto\(kitchen\): expected a position of where it ends"):
        write_export("nav2-waypoints", of)
    with pytest.raises(InputError, match="a position of every place that links join, got none for hall"):
        write_export("nav2-route", of)


def test_a_plan_of_no_steps_is_a_tree_that_succeeds() -> None:
    of = planned('(ontop_of mug "table mug")', hostile("mug"))
    assert of.program.commands == ()
    hold(of)


def test_only_what_the_simulator_accepts_is_exported() -> None:
    belief = belief_of(TASKS[0].id)
    with pytest.raises(NotVerified, match="cannot access fridge"):
        source_of(read_steps("access(fridge)"), belief, None)
    with pytest.raises(NotVerified, match="a plan for the goal"):
        source_of(read_steps("goto(pose13)"), belief, parse_goal("(robot_at kitchen)"))
    with pytest.raises(InputError, match="reactive tree succeeds where it holds"):
        write_tree(source_of(read_steps("goto(pose13)"), belief, None), "reactive")


@pytest.mark.parametrize("name", ["btcpp", "py-trees", "nav2-waypoints", "nav2-route", "plansys2", "program"])
def test_a_changed_file_is_not_taken_for_the_plan(name: str) -> None:
    """Whatever digit of an export is changed, its check says so."""
    of = planned('(ontop_of mug "shelf mug")', hostile("mug"))
    files = dict(write_export(name, of))
    draw, missed = random.Random(1), []
    for file, text in files.items():
        digits = [m.start() for m in re.finditer(r"\d", text)]
        for place in draw.sample(digits, min(12, len(digits))):
            new = text[:place] + str((int(text[place]) + 1) % 10) + text[place + 1 :]
            try:
                EXPORT_FORMATS[name].check({**files, file: new}, of)
            except InputError:
                continue
            missed.append((file, text[place - 20 : place + 20]))
    assert missed == []


def test_a_skill_that_no_node_can_be_called_after_is_refused() -> None:
    with pytest.raises(PackError, match="a name that no other node has, got Sequence"):
        pack_nodes(replace_skill("pick", "sequence"))
    with pytest.raises(PackError, match="a name that a node can have"):
        pack_nodes(replace_skill("pick", "___"))


def replace_skill(old: str, new: str) -> Pack:
    skills = dict(PACK.mapping.skills)
    skills[new] = replace(skills.pop(old), name=new)
    return replace(PACK, mapping=replace(PACK.mapping, skills=skills))


def test_the_kernels_of_a_goal_with_sometime_ask_for_its_past() -> None:
    of = planned("(and (sometime (holding mug)) (robot_at hall))", hostile("mug"))
    hold(of)
    check_kernels(of)
    kernels = kernels_of(of.program)
    assert "(sometime (holding mug))" in map(str, kernels.goal)
    picked = next(k for k in kernels.steps if getattr(k.doing, "skill", "") == "pick")
    assert not any("sometime" in str(fact) for fact in picked.before)


def test_a_reactive_tree_of_waiting_waits_for_what_the_goal_needs() -> None:
    belief = belief_of(TASKS[0].id)
    of = planned("(and (hot noodles) (turned_off microwave))", belief)
    tree = write_tree(of, "reactive")
    assert tree.count('<WaitFor name="noodles is hot" fact="(hot noodles)"/>') == 1
    assert tree.index("<WaitFor") < tree.index('name="turn_on(microwave)"')  # the last step comes first
    assert json.loads(write_export("program", of)["program.json"])["frame"] == "map"


@pytest.mark.parametrize("skills", [True, False], ids=["with a table of skills", "without one"])
@pytest.mark.parametrize("place", ["domains/template", "examples/greenhouse"])
def test_a_pack_of_ones_own_has_every_export(place: str, skills: bool, tmp_path: Path) -> None:
    folder = Path(__file__).parents[2] / place
    mapping = (folder / "mapping.toml").read_text(encoding="utf-8")
    if not skills:
        tables = re.findall(r"^\[skills\.\w+\]\n(?:[a-z]+ = .*\n)+", mapping, re.M)
        assert len(tables) == 6
        for table in tables:
            mapping = mapping.replace(table, "")
    (tmp_path / "mapping.toml").write_text(mapping, encoding="utf-8")
    (tmp_path / "domain.pddl").write_text((folder / "domain.pddl").read_text("utf-8"), encoding="utf-8")
    belief = ground(open_scene(str(folder / "scene.json")), load_pack(str(tmp_path)))
    template = place == "domains/template"
    goal = "(forall (?v - vial) (measured ?v))" if template else "(forall (?b - bed) (growing ?b))"
    of = planned(goal, belief)
    hold(of, tuple(EXPORT_FORMATS) if template else WITHOUT_POSITIONS)
    check_kernels(of)
