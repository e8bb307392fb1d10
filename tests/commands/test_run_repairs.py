"""`groundplan run` of an instruction: what the world refutes goes back to the model, and the run goes on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from model_server import DIALOGUE, KITCHEN, Script

from groundplan.commands.schema import output_schema
from groundplan.datasets.scenes import open_scene
from groundplan.simulator.scene_json import scene_text

WRONG, OTHER, REST = "(inside_of orange1 fridge)", "(inside_of orange1 drawer)", "(turned_on coffee_machine)"
BOTH = f"(and {WRONG} {REST})"


def shut(folder: Path) -> Path:
    """Write the office with a fridge that cannot be opened."""
    scene = open_scene("office")
    fridge = replace(scene.nodes["fridge"], affordances=("release",))
    path = folder / "shut.json"
    path.write_text(scene_text(replace(scene, nodes={**scene.nodes, "fridge": fridge})), encoding="utf-8")
    return path


@pytest.fixture
def ran(cli, httpserver, tmp_path):
    """Run an instruction in that office, with a model that gives some answers."""

    def run(*answers: str, options: tuple[str, ...] = ("--json",)):
        script = Script((*KITCHEN, *answers))
        httpserver.expect_request("/v1/chat/completions").respond_with_handler(script)
        reader = (*DIALOGUE, httpserver.url_for("/v1"))
        what = ("run", "Put the orange in the fridge.", "--scene", "office", "--policy", "nearest-unlooked")
        return cli(*what, "--world", shut(tmp_path), *reader, *options), script

    return run


@pytest.mark.parametrize(("answers", "end"), [((WRONG, OTHER), OTHER), ((BOTH, REST), REST)])
def test_the_goal_is_repaired_and_carried_out_from_where_the_robot_is(ran, answers, end) -> None:
    answer, script = ran(*answers)
    assert answer.code == 0 and answer.json["outcome"] == "verified" and answer.json["reached"]
    assert answer.json["goal"].startswith((end, f"(and {end}"))
    assert [one["trigger"] for one in answer.json["goals"]] == [None, "simulator"]
    (dropped,) = answer.json["dropped_as_impossible"]
    assert dropped["parts"] == [WRONG] and dropped["proof"]
    done = answer.json["executed"]
    assert done.count("goto(kitchen)") == 1 or done.index("access(fridge)") > 0
    assert "fridge cannot be opened" in str(script.bodies[-1]["messages"])
    jsonschema.validate(answer.json, output_schema("run"))


def test_it_says_what_the_goal_is_without(ran) -> None:
    answer, _ = ran(BOTH, REST, options=())
    assert answer.code == 0 and answer.last == "in the true world the goal is reached"
    for words in (
        f"goal: {BOTH[:-1]}",
        "but only release",
        f"goal: {REST}",
        "without: orange1 is inside fridge: proved",
    ):
        assert words in answer.out


@pytest.mark.parametrize("answers", [(WRONG, WRONG), (BOTH, OTHER), (WRONG, "no")])
def test_without_another_goal_it_ends_as_the_world_showed(ran, answers) -> None:
    answer, _ = ran(*answers)
    assert answer.code == 1 and not answer.json["reached"]
    assert answer.json["outcome"] == "unsolvable" and "fridge cannot be opened" in answer.json["reasons"][-1]
    assert len(answer.json["goals"]) in (2, 3) and answer.json["dropped_as_impossible"] == []
    jsonschema.validate(answer.json, output_schema("run"))


def test_a_reader_without_another_reading_leaves_the_proof_of_the_first(cli, tmp_path) -> None:
    """The feedback names the fact, so that no other reading of the rules asks for it again."""
    what = ("Put the orange in the fridge.", "--scene", "office", "--world", shut(tmp_path), "--json")
    planned = cli("plan", *what).json
    assert planned["outcome"] == "unsolvable" and planned["certificate"] and planned["executed"]
    assert [one["fault"] for one in planned["goals"]] == ["unsolvable"]
    acted = cli("run", *what, "--policy", "nearest-unlooked").json
    assert acted["outcome"] == "unsolvable" and not acted["reached"]


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (
            "(open microwave) (turned_on microwave)",
            '"microwave is open; microwave is on": proved impossible together',
        ),
        ("(turned_on fridge)", '"fridge is on": proved impossible'),
        ("(open unicorn)", '"(open unicorn)": there is no unicorn in the scene'),
    ],
)
def test_the_last_line_of_a_plan_says_what_was_left_out_and_why(cli, httpserver, more, why) -> None:
    script = Script((*KITCHEN, f"(and {REST} {more})", REST))
    httpserver.expect_request("/v1/chat/completions").respond_with_handler(script)
    reader = (*DIALOGUE, httpserver.url_for("/v1"))
    told = cli("plan", "Turn on the coffee machine.", "--scene", "office", *reader)
    assert told.code == 0 and told.last.startswith("verified for the goal")
    assert told.last.endswith(f"; without {why}")
