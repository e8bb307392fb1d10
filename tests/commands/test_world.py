"""`groundplan plan --world`: what is really there differs from what the robot's scene says."""

import json
from dataclasses import replace

from groundplan.datasets.scenes import load_scene
from groundplan.simulator.scene_json import scene_text

GOAL = "(inside_of orange1 fridge)"


def test_the_robot_looks_and_plans_again(cli, tmp_path):
    moved = load_scene("office").changed(
        change={"orange1": {"parent": "coffee_machine", "relation": "ontop_of"}}
    )
    (tmp_path / "world.json").write_text(scene_text(moved))
    arguments = ("plan", "--scene", "office", "--goal", GOAL, "--world", tmp_path / "world.json")
    record = cli(*arguments, "--json").json
    assert record["outcome"] == "verified"
    assert [o["node"] for o in record["observations"]] == ["orange1"]
    assert "access(coffee_machine)" in record["plan"]
    told = cli(*arguments, "--out", tmp_path / "out")
    assert told.code == 0 and "coffee_machine" in told.out
    program = json.loads((tmp_path / "out" / "program.json").read_text())
    assert "coffee_machine" in json.dumps(program)
    assert cli("simulate", "--scene", "office", "--plan", tmp_path / "out" / "plan.txt").code == 1


def test_a_world_that_is_none(cli, tmp_path):
    told = cli("plan", "--scene", "office", "--goal", GOAL, "--world", "offfice")
    assert told.code == 2 and "did you mean 'office'" in told.err


def test_limits_of_a_model_are_checked(cli):
    for option, value in (("--max-calls", "0"), ("--max-tokens", "-1"), ("--max-seconds", "0")):
        told = cli("plan", "Open the fridge.", "--scene", "office", "--reader", "openai:m", option, value)
        assert told.code == 2 and option in told.err
    told = cli("plan", "Open the fridge.", "--scene", "office", "--reader", "embedded", "--max-calls", "3")
    assert told.code == 2 and "openai:MODEL" in told.err


def test_what_is_nowhere_is_said_of_the_world_that_was_seen(cli, tmp_path):
    scene = load_scene("office")
    nodes = {name: node for name, node in scene.nodes.items() if name != "orange1"}
    (tmp_path / "world.json").write_text(scene_text(replace(scene, nodes=nodes)))
    told = cli("plan", "--scene", "office", "--goal", GOAL, "--world", tmp_path / "world.json")
    assert told.code == 1
    assert told.last == "unsolvable: in the world as it was seen there is no plan, and that is proved"
