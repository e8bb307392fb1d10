"""Exports judged by the programs that they are for, where those are installed: BehaviorTree.CPP and py_trees.

`pip install behaviortreepy py_trees` (MIT, BSD) in an environment of one's own; neither is needed otherwise.
The simple nodes of behaviortreepy take no ports, so trees are loaded from a copy without port attributes.
"""

from __future__ import annotations

import importlib.util
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from behavior_tree import SUCCESS, SimulatedRobot, Tree
from disturbed import broken_by_a_step
from drawn_exports import generated, without_clashes
from drawn_rules import drawn
from golds import TASKS, belief_of, gold_plan

from groundplan import parse_goal
from groundplan.robot import translate
from groundplan.robot.exports import ExportSource, write_export, write_tree
from groundplan.robot.exports.tree_nodes import HOLDS, REPLAN, WAIT_FOR, pack_nodes


def source_of_task(task) -> ExportSource:
    goal, belief, result = parse_goal(task.gold.goal), belief_of(task.id), gold_plan(task.id)
    return ExportSource(translate(result, belief, goal), result, belief, goal)


def without_ports(xml: str) -> str:
    root = ET.fromstring(xml)
    for model in root.findall("TreeNodesModel"):
        root.remove(model)
    for node in root.iter():
        if node.tag not in ("root", "BehaviorTree", "RetryUntilSuccessful", "Script", "ScriptCondition"):
            name = node.get("fact") or node.get("name")
            node.attrib.clear()
            node.attrib |= {"name": name} if name is not None else {}
    return ET.tostring(root, encoding="unicode")


def check_in_library(of: ExportSource) -> None:
    """Assert that the library loads both forms of a plan, and carries the sequence out in its order."""
    library = pytest.importorskip("behaviortreepy")
    for form in ("sequence", "reactive"):
        factory, done = library.BehaviorTreeFactory(), []

        def tick(node, done=done):
            done.append(node.name())
            return library.NodeStatus.SUCCESS

        for name, node in pack_nodes(of.pack).items():
            condition = node.kind == "Condition"
            (factory.register_simple_condition if condition else factory.register_simple_action)(name, tick)
        tree = factory.create_tree_from_text(without_ports(write_tree(of, form)))
        if form == "sequence":
            assert tree.tick_while_running() == library.NodeStatus.SUCCESS
            printed = [c.printed for c in of.program.commands]
            assert [name for name in done if name in printed] == printed


@pytest.mark.parametrize("task", TASKS, ids=lambda t: t.id)
def test_the_library_takes_both_forms_and_runs_a_sequence_in_order(task) -> None:
    check_in_library(source_of_task(task))


def test_the_library_ticks_trees_under_rules_as_our_interpreter_does() -> None:
    """The same steps are done, in worlds that are otherwise, where skills fail and nobody plans again."""
    library = pytest.importorskip("behaviortreepy")
    results = library.NodeStatus
    for case in filter(None, map(drawn, range(12))):
        text = write_tree(case.source, "reactive")
        robot, other = SimulatedRobot(case.world()), SimulatedRobot(case.world())
        factory = library.BehaviorTreeFactory()

        def holds(node, robot=robot):
            return results.SUCCESS if robot.holds(node.name()) else results.FAILURE

        def act(node, robot=robot):
            return results.SUCCESS if robot.act(node.name()) == SUCCESS else results.FAILURE

        looks = {HOLDS: holds, WAIT_FOR: holds, REPLAN: lambda node: results.FAILURE}
        for name, node in pack_nodes(case.belief.pack).items():
            condition = node.kind == "Condition"
            register = factory.register_simple_condition if condition else factory.register_simple_action
            register(name, looks.get(name, act))
        tree, ticks, status = factory.create_tree_from_text(without_ports(text)), 0, results.RUNNING
        while status == results.RUNNING and ticks < 400:
            status, ticks = tree.tick_once(), ticks + 1
        assert (status == results.SUCCESS) == (Tree(text, other).run(400) == SUCCESS), case.seed
        assert robot.done == other.done, case.seed
        assert broken_by_a_step(case.belief, case.truth, robot.environment) == []


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_library_takes_300_plans_of_random_worlds(tmp_path: Path) -> None:
    plans = 0
    for of in generated(170, 2000, tmp_path):
        if without_clashes(of.pack):
            check_in_library(of)
            plans += 1
    print(plans)
    assert plans > 300


@pytest.mark.parametrize("task", TASKS, ids=lambda t: t.id)
def test_a_module_ticks_to_success_though_each_command_fails_once(task, tmp_path: Path) -> None:
    trees = pytest.importorskip("py_trees")
    of = source_of_task(task)
    file = tmp_path / "plan_tree.py"
    file.write_text(write_export("py-trees", of)["plan_tree.py"], encoding="utf-8")
    spec = importlib.util.spec_from_file_location("plan_tree", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    tried: dict[str, int] = {}
    done: list[str] = []

    def execute(command):
        tried[command["printed"]] = tried.get(command["printed"], 0) + 1
        if tried[command["printed"]] % 2:
            return module.Status.FAILURE
        done.append(command["printed"])
        return module.Status.SUCCESS

    tree = trees.trees.BehaviourTree(module.create_root(execute, lambda fact: True))
    tree.setup(timeout=15)
    for _ in range(1000):
        tree.tick()
        if tree.root.status != module.Status.RUNNING:
            break
    assert tree.root.status == module.Status.SUCCESS
    assert done == [c.printed for c in of.program.commands]
