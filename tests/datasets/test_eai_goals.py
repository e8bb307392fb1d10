"""EAI's goals for VirtualHome: what they mean in the pack virtualhome, and plans for them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from oracles.eai_package import final_graph

from groundplan.commands import datasets
from groundplan.compiler.goals.goal import parse_goal
from groundplan.datasets.grasif import eai
from groundplan.datasets.grasif.eai import character_task, eai_goal, eai_scene, stored_tasks, wanted_goals
from groundplan.datasets.grasif.goal_graphs import wrong_nodes
from groundplan.datasets.prepared import character_goal
from groundplan.datasets.task import Gold, Task
from groundplan.domains.errors import SceneError
from groundplan.domains.findings.review import review
from groundplan.domains.pack import load_pack
from groundplan.engines.base import Budget
from groundplan.engines.engine import Engine
from groundplan.evaluation.graphs import goal_graph
from groundplan.planners.classical import plan_goal
from groundplan.simulator.belief import ground
from groundplan.simulator.step import read_step
from groundplan.simulator.world import Refusal, World


def node(number: int, name: str, category: str, properties: str = "", states: str = "") -> dict[str, object]:
    return {
        "id": number, "class_name": name, "category": category, "properties": properties.split(),
        "states": states.split(), "bounding_box": None,
    }  # fmt: skip


def edge(source: int, relation: str, target: int) -> dict[str, object]:
    return {"from_id": source, "relation_type": relation, "to_id": target}


GRAPH = {
    "nodes": [
        node(1, "home_office", "Rooms"),
        node(2, "bedroom", "Rooms"),
        node(65, "character", "Characters"),
        node(3, "sofa", "Furniture", "SITTABLE LIEABLE SURFACES", "CLEAN"),
        node(4, "television", "Electronics", "HAS_SWITCH HAS_PLUG LOOKABLE", "OFF PLUGGED_OUT"),
        node(5, "table", "Furniture", "SURFACES"),
        node(6, "mug", "Props", "GRABBABLE RECIPIENT"),
        node(7, "novel", "Props", "GRABBABLE READABLE"),
    ],
    "edges": [
        edge(65, "INSIDE", 2), *(edge(n, "INSIDE", 1) for n in (3, 4, 5, 6, 7)),
        edge(6, "ON", 5), edge(7, "ON", 5),
    ],
}  # fmt: skip


def meant(*goal: dict[str, object], actions: tuple[str, ...] = ()) -> tuple[str, tuple[str, ...]]:
    translated = eai_goal({"goal": list(goal), "actions": list(actions)}, GRAPH, "test")
    return str(translated.formula), translated.lacking


def state(number: int, word: str) -> dict[str, object]:
    return {"id": number, "class_name": "any", "state": word}


def test_the_pack_has_no_findings_and_all_its_groups_are_shown() -> None:
    pack = load_pack("virtualhome")
    assert not list(review(pack)) and not pack.invariants.unshown


@pytest.mark.parametrize(
    ("goal", "actions", "ours"),
    [
        (
            [state(4, "ON"), state(4, "PLUGGED_IN")],
            (),
            "(and (turned_on television4) (plugged_in television4))",
        ),
        ([edge(6, "ON", 3)], (), "(and (ontop_of mug6 sofa3))"),
        ([edge(65, "HOLDS_RH", 6), edge(65, "HOLDS_LH", 7)], (), "(and (holding mug6) (held_left novel7))"),
        ([state(65, "SITTING"), edge(65, "ON", 3)], (), "(and (sitting_on sofa3) (robot_at sofa3))"),
        (
            [edge(65, "ON", 3), edge(65, "FACING", 4)],
            ("LOOKAT|WATCH",),
            "(and (has_looked) (or (sitting_on sofa3) (lying_on sofa3)) (facing_from television4 sofa3)"
            " (robot_at sofa3))",
        ),
        ([], ("READ|LOOKAT",), "(and (or (has_read) (has_looked)))"),
        ([], ("GRAB",), "(and (sometime (not (hand_free))))"),
    ],
)
def test_goals_in_the_words_of_the_pack(
    goal: list[dict[str, object]], actions: tuple[str, ...], ours: str
) -> None:
    assert meant(*goal, actions=actions) == (ours, ())
    assert str(parse_goal(ours).formula) == ours


def test_what_the_pack_cannot_say_is_named() -> None:
    assert meant(edge(6, "CLOSE", 7), actions=("SWITCHOFF",))[1] == (
        "CLOSE of things",
        "the action SWITCHOFF",
    )
    with pytest.raises(SceneError):
        eai_goal({"goal": "sit"}, GRAPH, "test")


def test_who_watches_from_the_sofa_has_plugged_in_what_is_on() -> None:
    belief = ground(eai_scene(GRAPH, "test", "flat"), load_pack("virtualhome"))
    goal, _ = meant(
        state(65, "SITTING"), edge(65, "ON", 3), edge(65, "FACING", 4), state(4, "ON"),
        edge(65, "HOLDS_LH", 6), edge(65, "HOLDS_RH", 7), actions=("WATCH", "READ"),
    )  # fmt: skip
    planned = plan_goal(parse_goal(goal), belief, Engine.named("pyperplan"), Budget(30))
    assert planned.verified, planned.reasons
    steps = [str(step) for step in planned.steps]
    assert steps.index("plug_in(television4)") < steps.index("turn_on(television4)")
    assert steps.index("sit(sofa3)") < steps.index("turn_seated(television4)")
    assert any(step.startswith("look_at(") for step in steps) and "read(novel7)" in steps
    world = World(belief)
    for step in planned.steps:
        assert not isinstance(world.apply(step), Refusal)
    edges = final_graph(GRAPH, world)["edges"]
    assert all(
        edge(65, *rest) in edges for rest in (("ON", 3), ("FACING", 4), ("HOLDS_LH", 6), ("HOLDS_RH", 7))
    )


def test_a_seated_character_rises_before_it_reaches_for_things() -> None:
    world = World(ground(eai_scene(GRAPH, "test", "flat"), load_pack("virtualhome")))
    for text in ("goto(home_office1)", "access(sofa3)", "sit(sofa3)", "access(table5)"):
        assert not isinstance(world.apply(read_step(text, "test")), Refusal)
    refused = world.apply(read_step("pickup(mug6)", "test"))
    assert isinstance(refused, Refusal) and "stand" in refused.message
    assert not isinstance(world.apply(read_step("rise(sofa3)", "test")), Refusal)
    assert not isinstance(world.apply(read_step("pickup(mug6)", "test")), Refusal)


def test_a_plan_of_ours_is_kept_where_it_reaches_the_goal(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = {"goal": [edge(6, "ON", 3)]}
    reaches = ("goto(home_office1)", "access(table5)", "pickup(mug6)", "access(sofa3)", "release(mug6)")
    for plan, kept in ((reaches, reaches), (reaches[:-1], ()), (("release(mug6)",), ())):
        monkeypatch.setattr(eai, "_plans", lambda plan=plan: {"7_1": plan})
        task = character_task("7_1", "Tidy", wanted, json.dumps({"init_graph": GRAPH}))
        assert task.plan == kept
        assert character_task("7_2", "Tidy", wanted, json.dumps({"init_graph": GRAPH})).plan == ()
    assert all(plan for plan in eai._plans().values())


def test_a_goal_graph_has_facts_that_no_word_of_a_scene_says() -> None:
    """A scene has no word for where the robot sits and what it faces."""
    scene = eai_scene(GRAPH, "test", "test")
    plan = ("goto(home_office1)", "access(sofa3)", "sit(sofa3)")
    gold = Gold("(sitting_on sofa3)", "", "", plan=plan)
    task = Task("rest", "eai", scene.name, "Rest", gold, base=scene, pack=eai.PACK)
    reached = goal_graph(task, ground(scene, load_pack(eai.PACK)))
    assert reached is not None and wrong_nodes(World(ground(scene, load_pack(eai.PACK))), reached) == (
        "sofa3",
    )


def test_tasks_are_stored_and_read_back(tmp_path: Path) -> None:
    goals = wanted_goals(
        json.dumps({"scene_1": {"Rest": {"7_1": {"vh_goal": {"goal": [edge(65, "ON", 3)]}}}}})
    )
    title, goal = goals["7_1"]
    task = character_task("7_1", title, goal, json.dumps({"init_graph": GRAPH}))
    path = tmp_path / "tasks.jsonl"
    path.write_text(json.dumps(task.as_json()) + "\n")
    (again,) = stored_tasks(path)
    assert (again.name, again.title, again.goal, again.scene) == ("7_1", "Rest", task.goal, task.scene)
    path.write_text('{"name": "a", "title": "b", "goal": 3}\n')
    with pytest.raises(SceneError, match="goal"):
        list(stored_tasks(path))
    path.write_text(json.dumps(replace(task, plan=("a()", "a()")).as_json()) + "\n")
    assert next(stored_tasks(path)).plan == ("a()", "a()"), "a plan may do a step twice"
    path.write_text(json.dumps({**task.as_json(), "plan": "a()"}) + "\n")
    with pytest.raises(SceneError, match="plan"):
        list(stored_tasks(path))


def test_an_export_leaves_out_a_task_whose_goal_has_an_error_and_names_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    initial = json.dumps({"init_graph": GRAPH})
    lost, held = (
        character_goal(character_task(name, "Move the mug", {"goal": [edge(6, "ON", where)]}, initial))
        for name, where in (("415_1", 65), ("7_1", 3))
    )
    monkeypatch.setattr(datasets, "load_set", lambda name, folder: (lost, held))
    out = tmp_path / "tasks.jsonl"
    export = ["export", "eai-virtualhome", "--out", str(out)]
    ended = CliRunner().invoke(datasets.command, export)
    assert ended.exit_code == 0, ended.output
    assert [json.loads(line)["name"] for line in out.read_text().splitlines()] == [held.id]
    words = " ".join(ended.output.split())
    assert f"no plan: {lost.id} is left out, its goal has an error" in words and "character65" in words
