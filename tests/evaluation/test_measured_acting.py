"""Acting with a real model in unknown worlds: docs/unknown-worlds.md says what the rows beside say."""

from __future__ import annotations

import re
from pathlib import Path
from statistics import fmean

import pytest
from scipy.stats import wilcoxon

from groundplan.evaluation.bench import load_results
from groundplan.evaluation.bench.results import RunRow
from groundplan.evaluation.report import report_on
from groundplan.evaluation.report.formats import FORMATS

MEASURED = Path(__file__).parent / "measured"
FOLDER = MEASURED / "houses"
TEXT = (Path(__file__).parents[2] / "docs" / "unknown-worlds.md").read_text(encoding="utf-8")
ROW = re.compile(
    r"^\| `([\w-]+)` \| (\d+) \| (\d+) \([\d. to]+\) \| (\d+) of \d+ "
    r"\| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \| (\d+) \|",
    re.MULTILINE,
)


def test_the_table_says_what_the_rows_say() -> None:
    stated = {m[1]: tuple(map(float, m.groups()[1:])) for m in ROW.finditer(TEXT)}
    by_method: dict[str, list[tuple[bool, float, float, float, float, float]]] = {}
    for row in load_results(FOLDER).rows:
        walk, tokens = row.measures, row.tokens
        numbers = (walk["finds"], walk["spl"], walk["metres"], tokens["calls"])
        by_method.setdefault(row.method, []).append(
            (row.succeeded, *numbers, tokens["prompt"] + tokens["completion"])  # type: ignore[arg-type]
        )
    assert set(stated) == set(by_method) and len(stated) == 3
    for method, runs in by_method.items():
        found_all, finds, spl, metres, calls, tokens_used = (list(c) for c in zip(*runs, strict=True))
        counted = (len(runs), sum(found_all), sum(finds))
        means = (round(fmean(spl), 3), round(fmean(metres), 1), round(fmean(calls), 1))
        assert stated[method] == (*counted, *means, round(fmean(tokens_used))), method


def test_the_table_of_hidden_tasks_says_what_the_rows_say() -> None:
    stated = {
        m[1]: tuple(map(float, m.groups()[1:]))
        for m in re.finditer(
            r"^\| `([\w-]+)` \| (\d+) \| (\d+) \([\d. to]+\) \| (\d+) \| ([\d.]+) \| (\d+) "
            r"\| ([\d.]+) \| (\d+) \| [a-z]",
            TEXT,
            re.MULTILINE,
        )
    }
    by_method: dict[str, list[RunRow]] = {}
    for row in load_results(MEASURED / "hidden").rows:
        by_method.setdefault(row.method, []).append(row)
    assert set(stated) == set(by_method) == {"hybrid-looking", "lookplangraph"}
    for method, rows in by_method.items():
        acting = [row.measures["acting"] for row in rows]
        counted = (len(rows), sum(row.succeeded for row in rows), sum(a["false_done"] for a in acting))
        looks, metres = (fmean(a[key] for a in acting) for key in ("looks", "metres"))
        calls = fmean(row.tokens["calls"] for row in rows)
        tokens = fmean(row.tokens["prompt"] + row.tokens["completion"] for row in rows)
        means = (round(looks, 1), round(metres), round(calls, 1), round(tokens))
        assert stated[method] == (*counted, *means), method


def test_the_model_finds_more_by_beliefs_than_by_steps() -> None:
    spl: dict[str, dict[str, float]] = {}
    for row in load_results(FOLDER).rows:
        spl.setdefault(row.method, {})[row.task] = row.measures["spl"]
    ours = spl.pop("least-cost-model")
    p = {m: wilcoxon([ours[task] - other[task] for task in ours]).pvalue for m, other in spl.items()}
    assert round(p["saynav"], 3) == 0.007 and round(p["saynav-memory"], 3) == 0.027
    assert "(9 houses better, 2 worse, p = 0.007, Wilcoxon)" in TEXT and "(7 and 3, p = 0.027;" in TEXT


@pytest.mark.parametrize("name", ["houses", "hidden"])
def test_the_report_beside_the_rows_is_theirs(name: str) -> None:
    """``groundplan report FOLDER > FOLDER/report.md`` where this fails."""
    made = str(FORMATS["md"](report_on(load_results(MEASURED / name))))
    assert (MEASURED / name / "report.md").read_text(encoding="utf-8").strip() == made.strip()
