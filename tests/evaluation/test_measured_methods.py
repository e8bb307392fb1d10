"""Runs of methods with a real model: docs/measurements/methods.md says what the rows beside say."""

from __future__ import annotations

import re
from pathlib import Path
from statistics import fmean

import pytest

from groundplan.evaluation.bench import load_results
from groundplan.evaluation.bench.comparison import FAMILY
from groundplan.evaluation.report import report_on
from groundplan.evaluation.report.forms.formats import FORMATS
from groundplan.evaluation.report.statistics import holm

FOLDER = Path(__file__).parent / "measured" / "methods"
TEXT = (Path(__file__).parents[2] / "docs" / "measurements" / "methods.md").read_text(encoding="utf-8")
ROW = re.compile(
    r"^\| `(\S+)` \| `([\w-]+)` \| (\d+) \| (\d+) \| (\d+) \| ([\d.]+) \| (\d+) \|", re.MULTILINE
)
STATED = {(m[1], m[2]): tuple(map(float, m.groups()[2:])) for m in ROW.finditer(TEXT)}


def test_every_folder_is_in_the_table() -> None:
    folders = {path.name for path in FOLDER.iterdir()}
    assert {folder for _, folder in STATED} == folders and len(folders) >= 4


@pytest.mark.parametrize("folder", sorted(path.name for path in FOLDER.iterdir()))
def test_the_table_says_what_the_rows_say(folder: str) -> None:
    results = load_results(FOLDER / folder)
    by_method: dict[str, list[tuple[bool, bool, float, float]]] = {}
    for row in results.rows:
        accepted = row.outcome in ("verified", "executable", "answered")
        tokens = row.tokens["prompt"] + row.tokens["completion"]
        by_method.setdefault(row.method, []).append((row.succeeded, accepted, row.tokens["calls"], tokens))
    for method, runs in by_method.items():
        right, accepted, calls, tokens = (list(column) for column in zip(*runs, strict=True))
        stated = STATED[method, folder]
        assert stated[:3] == (len(runs), sum(right), sum(accepted)), method
        assert stated[3:] == (round(fmean(calls), 1), round(fmean(tokens))), method
    assert {method for method, of in STATED if of == folder} == set(by_method)


@pytest.mark.parametrize("folder", sorted(path.name for path in FOLDER.iterdir()))
def test_the_report_beside_the_rows_is_theirs(folder: str) -> None:
    """``groundplan report FOLDER > FOLDER/report.md`` where this fails."""
    made = str(FORMATS["md"](report_on(load_results(FOLDER / folder))))
    assert (FOLDER / folder / "report.md").read_text(encoding="utf-8").strip() == made.strip()


def test_searches_of_the_hybrid_are_ahead_of_sayplans_dialogue() -> None:
    """McNemar's exact test on the tasks that one of the two solves, as the page of measurements states it."""
    right = {
        method: {
            row.task: row.succeeded for row in load_results(FOLDER / folder).rows if row.method == method
        }
        for method, folder in (
            ("hybrid-naming", "search"),
            ("hybrid-query", "search"),
            ("sayplan", "search-sayplan"),
        )
    }
    for method, p in (("hybrid-naming", "0.016"), ("hybrid-query", "0.008")):
        assert right[method].keys() == right["sayplan"].keys()
        more = sum(right[method][task] > done for task, done in right["sayplan"].items())
        fewer = sum(right[method][task] < done for task, done in right["sayplan"].items())
        assert fewer == 0 and f"{2 * 0.5**more:.3f}" == p and p in TEXT


def test_the_search_result_is_corrected_over_the_whole_family() -> None:
    """A comparison that was fixed beforehand counts as one of all that were, those not run among them."""
    assert len(FAMILY) == 4 and "sayplan" in FAMILY
    corrected = holm([2 * 0.5**7, *[1.0] * (len(FAMILY) - 1)])[0]
    assert f"{corrected:.4f}" in TEXT and corrected > 0.05
