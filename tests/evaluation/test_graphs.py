"""GRASIF's measures on values worked out by hand, after the formulas of LookPlanGraph, section 6.3."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from wrong_plans import record_of

from groundplan import find_task, load_pack, read_steps
from groundplan.datasets.grasif.goal_graphs import wrong_nodes
from groundplan.datasets.library import load_set
from groundplan.evaluation.graphs import graph_actions, judge_graph, observed_nodes
from groundplan.evaluation.judging import JudgedTask, judge_plan
from groundplan.pipeline.record import Record
from groundplan.simulator.world import World

TASK = "grasif-office-02"  # the orange into the fridge: in the goal graph one node differs, orange1
TO_KITCHEN = [f"goto({p})" for p in ("pose13", "pose14", "pose23", "pose24", "pose25", "kitchen")]
FETCH = [*TO_KITCHEN, "access(kitchen_bench)", "pickup(orange1)", "access(fridge)", "open(fridge)"]


@cache
def case(task_id: str, pack: str = "household") -> JudgedTask:
    return JudgedTask.of(find_task(task_id), load_pack(pack))


def judged(*lines: str, task_id: str = TASK, **fields: object):
    held = case(task_id)
    assert held.goal_graph is not None
    return judge_graph(record_of(read_steps("\n".join(lines)), **fields), held.belief, held.goal_graph)


@pytest.mark.parametrize(
    ("lines", "whole", "changed", "precision", "actions"),
    [
        # one node changed, as in the goal graph. go, pick up, open, put, close: 5 actions of GRASIF
        ([*FETCH, "release(orange1)", "close(fridge)"], True, True, 1.0, 5),
        # orange1 is where it should be and, in an open fridge, not cold; fridge is open: 0 of 2
        ([*FETCH, "release(orange1)"], False, False, 0.0, None),
        # orange1 in the hand and fridge open: 0 of 2
        (FETCH, False, False, 0.0, None),
        # nothing changed, and something was to be
        (TO_KITCHEN, False, False, 0.0, None),
        # orange1 is right, the microwave was opened beside: 1 of 2
        (
            [*FETCH, "release(orange1)", "close(fridge)", "access(microwave)", "open(microwave)"],
            False,
            True,
            0.5,
            None,
        ),
        # what follows a step that is refused does not count: orange1 in the hand, 0 of 1
        ([*FETCH[:-1], "pickup(unicorn)", "release(orange1)"], False, False, 0.0, None),
    ],
)  # fmt: skip
def test_graphs_after_a_plan(
    lines: list[str], whole: bool, changed: bool, precision: float, actions: int | None
) -> None:
    result = judged(*lines)
    assert (result.whole, result.changed, result.actions) == (whole, changed, actions)
    assert result.precision == pytest.approx(precision)


def test_nodes_observed_for_each_node_that_changes() -> None:
    scene = case(TASK).belief.scene
    shown = tuple(scene.descendants("kitchen"))
    rooms, there = len(scene.by_type["room"]), len(shown)
    assert (rooms, there) == (37, 31)
    result = judged(*FETCH, opened=("kitchen",), shown=shown)
    assert result.relevance == pytest.approx((37 + 31) / 1)
    everything = len([n for n in scene.nodes.values() if n.type not in ("pose", "agent")])
    assert judged(*FETCH).relevance == everything == len(observed_nodes(record_of(()), case(TASK).belief))


def test_a_task_that_changes_nothing_has_no_relevance_and_precision_one_if_all_stays() -> None:
    nothing = judged(task_id="grasif-office-12")  # check if the coffee machine is working
    assert nothing.whole and (nothing.precision, nothing.relevance) == (1.0, None)
    held = case("grasif-office-12")
    assert held.goal_graph is not None
    none = judge_graph(Record("not-found"), held.belief, held.goal_graph)
    assert (none.whole, none.changed, none.precision, none.actions) == (False, False, 0.0, None)


@pytest.mark.parametrize("pack", ["household", "grasif"])
@pytest.mark.parametrize("task", load_set("grasif-office"), ids=lambda t: t.id)
def test_the_plans_of_grasif_s_office_lead_to_their_goal_graphs(task, pack: str) -> None:
    held = case(task.id, pack)
    assert held.goal_graph is not None
    if pack == "household":
        result = judge_plan(record_of(read_steps("\n".join(task.gold.plan))), held).graph
        assert result is not None and result.whole and result.changed and result.precision == 1.0
        steps = [s for s in read_steps("\n".join(task.gold.plan)) if s.name not in ("goto", "access")]
        assert result.actions == graph_actions(read_steps("\n".join(task.gold.plan)), held.belief)
        assert result.actions > len(steps), "drives count, each once"


def test_a_task_without_a_plan_has_no_graph() -> None:
    held = case("office-planning-simple-02")
    assert held.goal_graph is None
    assert judge_plan(record_of(()), held).graph is None
    resting = replace(held.task, gold=replace(held.task.gold, plan=("done()",)))
    reached = JudgedTask.of(resting, load_pack()).goal_graph
    assert reached is not None and not wrong_nodes(World(held.belief), reached), "nothing is to be done"
    broken = replace(case(TASK).task, gold=replace(case(TASK).task.gold, plan=("open(fridge)",)))
    assert JudgedTask.of(broken, load_pack()).goal_graph is None
