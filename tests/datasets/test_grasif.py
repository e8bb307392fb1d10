"""GRASIF's office tasks, its records in JSONL and pickles, and what must not happen with them."""

from __future__ import annotations

import gzip
import json
import os
import pickle
from functools import cache
from pathlib import Path

import numpy
import pytest

from groundplan.compiler.goals.goal import parse_goal
from groundplan.datasets.formats.stanford.program import KEPT, MAX_TEXT
from groundplan.datasets.formats.stanford.unpickle import decoded
from groundplan.datasets.grasif.goal_graphs import goal_of_pair
from groundplan.datasets.grasif.records import goal_graph, read_records
from groundplan.datasets.library import find_task, load_set
from groundplan.datasets.prepared import record_task, task_record
from groundplan.datasets.task import Task
from groundplan.domains.errors import SceneError
from groundplan.domains.evaluate import evaluate
from groundplan.domains.pack import load_pack
from groundplan.simulator.belief import ground
from groundplan.simulator.scene import Scene
from groundplan.simulator.scene_json import scene_to_json
from groundplan.simulator.step import read_step
from groundplan.simulator.verification import verify_plan

PAPER = Path(__file__).resolve().parents[3] / "shared" / "papers" / "lookplangraph.txt"
OFFICE = load_set("grasif-office")


# The office


def test_twenty_five_tasks_in_the_papers_order() -> None:
    assert [t.id for t in OFFICE] == [f"grasif-office-{i:02}" for i in range(1, 26)]
    assert find_task("grasif-office-07") == OFFICE[6]
    assert all(t.scene == "office" and t.set == "grasif-office" for t in OFFICE)


def test_instructions_are_those_of_table_5() -> None:
    if not PAPER.exists():
        pytest.skip("the paper is not beside the repository")
    text = PAPER.read_text(encoding="utf-8").partition("Table 5: SayPlanOffice Tasks")[2]
    stated = [line.strip().replace("\u2019", "'") for line in text.splitlines() if line.strip()][1:]
    assert [t.instruction for t in OFFICE] == stated


@pytest.mark.parametrize("task", OFFICE, ids=lambda t: t.id)
def test_each_comes_with_a_plan_that_reaches_its_goal(task: Task) -> None:
    belief = ground(task.load(), load_pack())
    steps = [read_step(s, task.id) for s in task.gold.plan]
    outcome = verify_plan(steps, belief, parse_goal(task.gold.goal).formula)
    assert outcome.verified, outcome.feedback()


@pytest.mark.parametrize("task", OFFICE, ids=lambda t: t.id)
def test_the_goal_graph_differs_and_its_own_goal_holds_where_the_plan_ends(task: Task) -> None:
    pack = load_pack()
    record = task_record(task, task.gold.plan, pack)
    belief = ground(record.init, pack)
    goal = goal_of_pair(belief, record.goal)
    steps = [read_step(s, task.id) for s in record.actions]
    assert verify_plan(steps, belief, goal).verified
    # Only what happened on the way tells "check that it works" from doing nothing.
    assert (str(goal) == "(and)") == (task.id == "grasif-office-12")


def test_a_plan_that_cannot_be_done_gives_no_goal_graph() -> None:
    with pytest.raises(SceneError, match="step 1"):
        goal_graph(OFFICE[0].load(), ("pickup(orange1)",), load_pack(), "x")


# Records


@cache
def record_json() -> dict[str, object]:
    return task_record(OFFICE[1], OFFICE[1].gold.plan, load_pack()).as_json()


def test_records_are_read_back_from_jsonl(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    again = {**record_json(), "name": "again"}
    path.write_text("\n" + json.dumps(record_json()) + "\n\n" + json.dumps(again) + "\n")
    records = read_records(path)
    assert [r.name for r in records] == ["grasif-office-02", "again"]
    assert (records[0].init, records[0].goal) == (records[1].init, records[1].goal)
    assert records[0].init.hash == OFFICE[1].load().hash
    assert records[0].actions == OFFICE[1].gold.plan and records[0].as_json() == record_json()


@pytest.mark.parametrize("shape", ["one", "list", "named"])
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_records_are_read_from_pickles(tmp_path: Path, shape: str, protocol: int) -> None:
    one = {**record_json(), "actions": tuple(OFFICE[1].gold.plan)}
    value = {"one": one, "list": [one], "named": {"refrigerate": one}}[shape]
    path = tmp_path / "tasks.pickle"
    path.write_bytes(pickle.dumps(value, protocol))
    (record,) = read_records(path)
    assert record.goal == read_records_of(tmp_path)[0].goal and record.actions == OFFICE[1].gold.plan


def read_records_of(folder: Path) -> tuple[object, ...]:
    (folder / "plain.jsonl").write_text(json.dumps(record_json()))
    return read_records(folder / "plain.jsonl")


def test_two_records_of_one_name_are_refused_with_both_places(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    path.write_text(json.dumps(record_json()) + "\n\n" + json.dumps(record_json()) + "\n")
    with pytest.raises(SceneError, match=r"line 3: name: expected a name of its own.*line 1"):
        read_records(path)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_long_graphs_as_text_and_compressed_pickles_are_read(tmp_path: Path, protocol: int) -> None:
    one = record_json()
    text = {**one, "init": json.dumps(one["init"]), "goal": json.dumps(one["goal"])}
    assert len(str(text["init"])) > KEPT
    path = tmp_path / "tasks.pickle"
    path.write_bytes(gzip.compress(pickle.dumps([text], protocol), 1))
    assert read_records(path) == read_records_of(tmp_path)


@pytest.mark.parametrize("protocol", range(5))
def test_large_bytes_are_not_kept_however_long_a_text_may_be(protocol: int) -> None:
    for value in (bytes(KEPT + 1), numpy.zeros(KEPT + 1, "u1")):
        assert decoded(pickle.dumps({"x": value}, protocol), "x") == {"x": None}


def test_texts_that_are_shared_are_bounded_together() -> None:
    shared = "x" * (MAX_TEXT // 20)
    with pytest.raises(SceneError, match=f"at most {MAX_TEXT} characters"):
        decoded(pickle.dumps([shared] * 21), "tasks.pickle")
    assert decoded(pickle.dumps([shared] * 3), "tasks.pickle") == [shared] * 3


def test_graphs_may_be_text_and_in_other_formats(tmp_path: Path) -> None:
    graph = {
        "nodes": {
            "room": [{"id": "living_room1"}],
            "asset": [{"id": "sofa1", "located": "living_room1", "states": []}],
            "object": [{"id": "sock1", "relation": "ontop_of", "related_to": "sofa1", "states": []}],
            "agent": [{"id": "agent1", "location": "living_room1", "holding": ""}],
        }
    }
    goal = json.loads(json.dumps(graph))
    goal["nodes"]["object"][0].update(related_to="agent1", relation="inside_hand")
    goal["nodes"]["agent"][0]["holding"] = "sock1"
    path = tmp_path / "lookplangraph.jsonl"
    record = {"name": "1", "human": "Take the sock.", "init": json.dumps(graph), "goal": goal}
    path.write_text(json.dumps(record))
    (found,) = read_records(path)
    task = record_task(found, "grasif")
    assert (task.id, task.instruction, task.gold.goal) == ("grasif-1", "Take the sock.", "(holding sock1)")
    assert (found.init.name, found.goal.name, task.scene) == ("1", "1: goal", "1")


class _Runs:
    """What a pickle would do to whoever unpickles it."""

    def __init__(self, command: str) -> None:
        self.command = command

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, (self.command,)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_with_code_is_refused_and_the_code_does_not_run(tmp_path: Path, protocol: int) -> None:
    witness = tmp_path / "ran"
    path = tmp_path / "tasks.pickle"
    path.write_bytes(pickle.dumps([{**record_json(), "actions": [_Runs(f"touch {witness}")]}], protocol))
    with pytest.raises(SceneError, match="plain data"):
        read_records(path)
    assert not witness.exists()


def test_pickled_objects_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "scene.pickle"
    path.write_bytes(pickle.dumps([{"name": "a", "init": OFFICE[0].gold, "goal": 1}]))
    with pytest.raises(SceneError, match="got groundplan"):
        read_records(path)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("[]", "line 1: expected an object"),
        ("{}", "the field name"),
        ('{"name": "a", "init": 1}', "the field goal"),
        ('{"name": "", "init": {}, "goal": {}}', "name: expected text"),
        ('{"name": "a", "human": 3, "init": {}, "goal": {}}', "human: expected text"),
        ('{"name": "a", "init": {}, "goal": {}, "actions": "x"}', "actions: expected a list"),
        ('{"name": "a", "init": {}, "goal": {}}', "init: expected"),
        ('{"name": "a", "init": "{", "goal": {}}', "init"),
        ('{"name": "a"', "line 1:1:13"),
    ],
)
def test_a_damaged_record_gets_its_place(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "tasks.jsonl"
    path.write_text(line)
    with pytest.raises(SceneError) as caught:
        read_records(path)
    assert said in str(caught.value)


def test_an_unchanged_graph_is_read_back_as_it_was() -> None:
    scene = OFFICE[0].load()
    from groundplan.simulator.sensing.snapshot import scene_now
    from groundplan.simulator.world import World

    again = scene_now(World(ground(scene, load_pack())))
    assert evaluate(
        goal_of_pair(ground(scene, load_pack()), again, "whole"), World(ground(scene, load_pack()))
    )
    assert isinstance(again, Scene) and len(scene_to_json(again)["nodes"]) == len(scene.nodes)  # type: ignore[arg-type]
