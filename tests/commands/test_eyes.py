"""Eyes on the command line: a comparison with and without one, what is kept of it, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from groundplan.evaluation.bench.results import load_results
from groundplan.evaluation.report.search_tables import eyes

FAULTY = "true:missed=0.3,renamed=0.3,relation=0.3"
BENCH = ("bench", "--methods", "nearest-unlooked", "--tasks", "house-hidden-01,house-hidden-02")


def rows_of(folder: Path) -> list[dict[str, Any]]:
    """Return the rows of a comparison without times."""
    rows = list(map(json.loads, (folder / "rows.jsonl").read_text().splitlines()))
    for row in rows:
        row["timings"] = {}
        row["record"].pop("timings", None)
    return rows


@pytest.mark.usefixtures("inline")
def test_an_eye_that_errs_in_nothing_gives_the_rows_of_none(cli: Callable[..., Any], tmp_path: Path) -> None:
    assert cli(*BENCH, "--out", tmp_path / "plain").code == 0
    assert cli(*BENCH, "--eye", "true:", "--out", tmp_path / "true").code == 0
    assert rows_of(tmp_path / "plain") == rows_of(tmp_path / "true")


@pytest.mark.usefixtures("inline")
def test_a_comparison_with_an_eye_goes_on_replays_and_has_a_table(
    cli: Callable[..., Any], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    with_eyes = (*BENCH, "--eye", "true:", "--eye", FAULTY, "--out", out)
    assert cli(*with_eyes).code == 0
    rows = (out / "rows.jsonl").read_bytes()
    again = cli(*with_eyes)
    assert "4 of 4 runs are there already" in again.err and (out / "rows.jsonl").read_bytes() == rows
    results = load_results(out)
    assert f"nearest-unlooked with eye {FAULTY}" in results.manifest["methods"]
    told = [row.record["eye"] for row in results.rows]
    assert [one == {} for one in told] == [True, False, True, False] and told[1]["eye"] == FAULTY
    table = eyes(results)
    assert table is not None and [row[5] for row in table.rows] == ["true:", FAULTY]
    (_, exact), (_, faulty) = ((row[5], row[6]) for row in table.rows)
    assert exact == 1 and isinstance(faulty, float) and faulty < 1
    assert "Success by what an eye says" in cli("report", out).out
    assert cli("replay", out).code == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("openai:gpt", "true:missed=.."),
        ("true", "true:missed=.."),
        ("true:mised=.1", "did you mean 'missed'"),
        ("true:missed=7", "missed is a probability"),
    ],
)
def test_what_is_no_eye_is_refused(cli: Callable[..., Any], tmp_path: Path, text: str, words: str) -> None:
    refused = cli(*BENCH, "--out", tmp_path / "out", "--eye", text)
    assert refused.code == 2 and words in refused.err and not (tmp_path / "out").exists()


def test_an_eye_needs_a_method_that_sees(cli: Callable[..., Any], tmp_path: Path) -> None:
    arguments = ("bench", "--methods", "gold", "--tasks", "house-hidden-01", "--out", tmp_path / "out")
    refused = cli(*arguments, "--eye", "true:missed=.1")
    assert refused.code == 2 and "a method that acts by what it sees" in refused.err
