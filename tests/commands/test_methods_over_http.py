"""Every method end to end over HTTP, with a scripted model that answers rightly."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from perfect_model import PerfectModel

from groundplan.commands.bench import Workshop
from groundplan.commands.readers import ModelOptions
from groundplan.datasets.library import find_task
from groundplan.domains.pack import load_pack
from groundplan.evaluation.bench import Comparison, run_comparison
from groundplan.evaluation.bench.shared import SEARCHES
from groundplan.evaluation.judging import JudgedTask
from groundplan.methods import METHODS
from groundplan.methods.variants import FAMILIES, with_ablations, with_prompts, with_scene_texts

HYBRIDS = [name for name in METHODS if name.startswith(("hybrid", "query", "full-scene"))]
IN_GRASIF = [name for name in METHODS if name.startswith(("sayplan-star", "sayplan-lite"))]
ACTING = [name for name in METHODS if name.startswith("lookplangraph")]
"""Methods that find things by looking: the first alone, since the model that plays them counts its moves."""
BASELINES = [
    name
    for name, method in METHODS.items()
    if getattr(method, "prompts", ()) in FAMILIES.values() and name not in (*IN_GRASIF, *ACTING)
]
ONE_ROOM, TWO_ROOMS = "office-planning-simple-02", "office-planning-simple-10"


def compared(httpserver, folder: Path, methods, task_id: str, pack: str = "household"):
    """Run methods on one task; return the rows by method, and the model."""
    task = find_task(task_id)
    model = PerfectModel(JudgedTask.of(task, load_pack(pack)))
    httpserver.clear()
    httpserver.expect_request("/v1/chat/completions").respond_with_handler(model)
    workshop = Workshop({"openai:m": ModelOptions(base_url=httpserver.url_for("/v1"))}, folder / SEARCHES)
    results = run_comparison(
        Comparison(tuple(methods), (task,), readers=("openai:m",), pack=pack), workshop, folder
    )
    return {row.method: row for row in results.rows}, model


@pytest.mark.parametrize("task", [pytest.param(ONE_ROOM, marks=pytest.mark.slow), TWO_ROOMS])
@pytest.mark.parametrize(
    ("names", "pack"),
    [(HYBRIDS, ""), (BASELINES, ""), (IN_GRASIF, "grasif"), (ACTING[:1], "grasif-looking")],
)
def test_every_method_is_right_where_its_model_is(
    httpserver, tmp_path: Path, names: list[str], pack: str, task: str
) -> None:
    methods = [METHODS[name] for name in names]
    rows, _ = compared(httpserver, tmp_path, methods, task, pack or "household")
    assert set(rows) == set(names) and names
    for name, row in rows.items():
        ending = "verified" if name in HYBRIDS else "executable"
        assert row.outcome == ending, (name, row.reasons)
        assert row.succeeded and row.measures["intent"] and not row.invented, name
        assert row.tokens["calls"] >= 1 and row.tokens["prompt"] > 100, name


def test_the_three_of_sayplan_make_one_search_over_http(httpserver, tmp_path: Path) -> None:
    names = ("sayplan", "llm-as-planner", "llm+p-sayplan")
    rows, model = compared(httpserver, tmp_path, [METHODS[n] for n in names], TWO_ROOMS)
    assert [rows[n].tokens["calls"] for n in names] == [4, 4, 4]
    assert [rows[n].tokens["kept_calls"] for n in names] == [0, 3, 3]
    assert model.asked == ["sayplan-1"] * 6  # three of one search, and a plan for each
    assert len({json.dumps(rows[n].record["trace"]) for n in names}) == 1
    assert len({rows[n].tokens["purposes"]["search"] for n in names}) == 1
    assert len(list((tmp_path / SEARCHES).iterdir())) == 3


def test_every_version_of_every_prompt_reaches_the_model(httpserver, tmp_path: Path) -> None:
    for version in (2, 3):
        for family in FAMILIES:
            packs = {"sayplan-star": "grasif", "sayplan-lite": "grasif", "lookplangraph": "grasif-looking"}
            pack = packs.get(family, "household")
            methods = with_prompts([METHODS[family]], {family: version})
            rows, model = compared(httpserver, tmp_path / f"{family} {version}", methods, ONE_ROOM, pack)
            assert rows[family].succeeded, (family, version, rows[family].reasons)
            assert {f"{name}-{version}" for name in FAMILIES[family]} <= set(model.asked)


def test_variants_run_over_http(httpserver, tmp_path: Path) -> None:
    methods = with_scene_texts([METHODS["hybrid-naming"], METHODS["sayplan"]], ["own", "sayplan", "listing"])
    methods = with_ablations(methods, ("search", "index", "constrained", "check", "repair", "already-so"))
    rows, _ = compared(httpserver, tmp_path, methods, ONE_ROOM)
    assert len(rows) == 4 + 7 and all(row.succeeded for row in rows.values())


@pytest.mark.usefixtures("inline")
def test_the_command_line_has_variants_and_says_what_it_does_not_know(cli, tmp_path: Path) -> None:
    words = (
        "bench",
        "--tasks",
        ONE_ROOM.rsplit("-", 1)[0],
        "--limit",
        "1",
        "--reader",
        f"recorded:{tmp_path / 'empty.jsonl'}",
        "--out",
        tmp_path / "out",
    )
    (tmp_path / "empty.jsonl").write_text("")
    ran = cli(*words, "--methods", "hybrid,sayplan", "--without", "repair,tidy", "--prompt", "sayplan=3")
    assert ran.code == 0
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())["methods"]
    assert list(manifest) == ["hybrid", "hybrid without repair", "hybrid without tidy", "sayplan"]
    assert "without='tidy'" in manifest["hybrid without tidy"] and "variant=3" in manifest["sayplan"]
    text = cli("report", tmp_path / "out").out
    assert "hybrid without repair" in text
    refused = cli(*words, "--methods", "hybrid,sayplan", "--without", "repair")
    assert refused.code == 2 and "methods" in refused.err  # another comparison than that of the folder
    for more, hint in (
        (("--methods", "hybrid", "--without", "repairing"), "did you mean 'repair'"),
        (("--methods", "gold", "--without", "repair"), "a method that has the part repair"),
        (("--methods", "sayplan", "--prompt", "sayplan"), "NAME=N"),
        (("--methods", "sayplan", "--prompt", "sayplan=9"), "1, 2, 3"),
        (("--methods", "hybrid", "--prompt", "sayplan=2"), "a method that uses the prompts"),
        (("--methods", "hybrid", "--scene-text", "lists"), "did you mean 'listing'"),
        (("--methods", "hybrid", "--scene-text", ","), "give at least one name"),
    ):
        ran = cli(*words, *more)
        assert ran.code == 2 and hint in ran.err, ran.err
