"""`--compile` of `plan` and `bench`: what a problem is compiled from, and what of it is refused."""

from __future__ import annotations

import json

import pytest

from groundplan.compiler.goals.goal import parse_goal
from groundplan.compiler.pddl import compile_goal
from groundplan.compiler.shown_part import shown_part
from groundplan.datasets.library import find_task
from groundplan.domains.pack import load_pack
from groundplan.simulator.belief import ground

TASK = "building-planning-36"
"""Staplers are to leave an office, and that office has no other place for them."""


def test_plan_tells_what_is_missing_and_writes_the_problem_of_the_part(cli, tmp_path) -> None:
    out = tmp_path / "out"
    told = cli("plan", "--task", TASK, "--reader", "embedded", "--compile", "subgraph", "--out", out)
    assert told.code == 0 and "needed, and not shown: something that is a surface: counter" in told.out
    assert told.out.count("\nSearch ") == 2 and told.out.count("\nGoal") == 1
    record = json.loads((out / "record.json").read_text())
    assert (record["compile_form"], record["beyond_search"]) == ("subgraph", [])
    problem = (out / "problem.pddl").read_text()
    whole = ground(find_task(TASK).load(), load_pack())
    part = shown_part(whole, record["shown"])
    assert len(part.scene.nodes) < len(whole.scene.nodes)
    assert problem == compile_goal(parse_goal(record["goal"]).formula, part).problem
    certified = cli("certify", out, "--task", TASK, "--json").json
    assert certified["fields"]["beyond_search"]["status"] == "rechecked"
    assert certified["fields"]["files"]["status"] == "rechecked"


def test_plan_with_the_whole_scene_says_what_no_search_showed(cli) -> None:
    told = cli("plan", "--task", TASK, "--reader", "embedded")
    assert told.code == 0 and "no search showed: counter1" in told.out
    record = cli("plan", "--task", TASK, "--reader", "embedded", "--json").json
    assert (record["compile_form"], record["beyond_search"]) == ("scene", ["counter1"])
    forged = json.dumps(record | {"beyond_search": []})
    answer = cli("certify", "-", "--task", TASK, "--json", stdin=forged).json
    assert answer["fields"]["beyond_search"]["status"] == "refused"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("plan", "--task", TASK, "--compile", "scene"), "a goal that is given takes none"),
        (("plan", "--scene", "office", "--goal", "(open fridge)", "--compile", "subgraph"), "takes none"),
        (("plan", "Open the fridge.", "--scene", "office", "--world", "office", "--compile", "subgraph"),
         "with --world the robot plans"),
        (("plan", "Open the fridge.", "--scene", "office", "--compile", "part"), "subgraph"),
        (("plan", "Open the fridge.", "--scene", "office", "--method", "hybrid", "--compile", "scene"),
         "--compile is not for --method"),
        (("bench", "--methods", "hybrid", "--tasks", "office-planning", "--compile", "part", "--out", "x"),
         "what a problem is compiled from"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(cli, arguments, words) -> None:
    told = cli(*arguments)
    assert told.code == 2 and words in " ".join(told.err.split())


@pytest.mark.usefixtures("inline")
def test_bench_runs_both_forms_side_by_side(cli, tmp_path) -> None:
    out = tmp_path / "rows"
    words = ("--methods", "hybrid", "--compile", "subgraph,scene", "--tasks", "office-planning-simple-07")
    assert cli("bench", *words, "--reader", "gold", "--out", out).code == 0
    rows = [json.loads(line) for line in (out / "rows.jsonl").read_text().splitlines()]
    forms = {row["method"]: (row["record"]["compile_form"], row["record"]["beyond_search"]) for row in rows}
    assert forms == {"hybrid": ("subgraph", []), "hybrid-scene": ("scene", ["cupboard1", "paper_towel"])}
