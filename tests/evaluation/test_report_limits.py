"""Reports of folders that anybody made: bad values are said with their place, size and time are bounded."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from report_rows import results, row

from groundplan.commands import main
from groundplan.domains.deadline import LimitReached, limited
from groundplan.domains.errors import InputError
from groundplan.evaluation.bench.results import load_results
from groundplan.evaluation.journal import row_text
from groundplan.evaluation.report.document import report_on
from groundplan.evaluation.report.forms.formats import FORMATS
from groundplan.evaluation.report.statistics import bootstrap, sign_flip

HUGE, SEED = "9" * 400, 3


def folder_of(folder: Path, manifest: dict[str, Any] | None = None) -> tuple[Path, list[dict[str, Any]]]:
    made = results(row("hybrid", 1), row("sayplan", 1, False), row("hybrid", 2), row("sayplan", 2))
    trace = [{"command": "expand", "node": "kitchen", "tokens": 9}]
    full = {"trace": trace, "goals": [{"goal": "g", "feedback": ["f"]}], "attempts": [{"text": "t"}]}
    rows = [replace(one, record={"engine": "x", **full}, timings={"run": 1.0}).as_json() for one in made.rows]
    (folder / "manifest.json").write_text(json.dumps({**made.manifest, **(manifest or {})}))
    (folder / "rows.jsonl").write_text("".join(row_text(one) + "\n" for one in rows))
    return folder, rows


@pytest.mark.parametrize("number", [HUGE, "1e999", "-1e999", "1e300", "9007199254740993"])
@pytest.mark.parametrize(
    "place", ['"repeat":', '"cost":', '"prompt":', '"run":', '"bound":', '"tokens":'], ids=lambda p: p[1:-2]
)
def test_a_number_that_no_table_can_hold_is_refused_with_its_line(
    tmp_path: Path, number: str, place: str
) -> None:
    one = row("m", 1, tokens={"prompt": 7}, timings={"run": 7})
    record = {"bound": 7, "trace": [{"tokens": 7}]}
    text = row_text(replace(one, record=record, repeat=7, measures={"cost": 7}).as_json())
    folder, _ = folder_of(tmp_path)
    before = text.partition(place + "7")
    assert before[1]
    with (folder / "rows.jsonl").open("a") as file:
        file.write(before[0] + place + number + before[2] + "\n")
    with pytest.raises(InputError, match=r"rows\.jsonl:5: expected numbers of at most 9007199254740992"):
        load_results(folder)


def test_long_digits_in_texts_are_no_numbers(tmp_path: Path) -> None:
    folder, rows = folder_of(tmp_path)
    with (folder / "rows.jsonl").open("a") as file:
        file.write(row_text(rows[0] | {"key": HUGE, "reasons": ["1e999", HUGE]}) + "\n")
    assert len(load_results(folder).rows) == 5


@pytest.mark.parametrize(
    "family", [[1], [["a"]], [["a", "b", "c"]], [["a", 1]], ["ab"], [[["a"], "b"]], [{}], [None], "ab", {}]
)
def test_a_family_that_is_none_is_refused(tmp_path: Path, family: object) -> None:
    folder, _ = folder_of(tmp_path, {"family": family})
    with pytest.raises(InputError, match="family"):
        load_results(folder)
    assert main(["report", str(folder)]) == 2


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "  =1", "\uff1d1", "\uff201"])
def test_no_text_of_a_table_is_a_formula(text: str) -> None:
    report = report_on(results(row(text, 1), row("other", 1, False, measures={"success": False, "cost": -1})))
    [line, other] = csv.DictReader(io.StringIO(FORMATS["csv"](report)))
    assert line["method"].startswith("'") and line["method"][1:] == text
    assert other["method"] == "other" and all(not cell.startswith("'") for cell in other.values())


@pytest.mark.parametrize("text", ["[1cm]", "*", "*[2pt]"])
def test_no_row_of_latex_goes_on_with_the_command_before_it(text: str) -> None:
    report = report_on(results(row(text, 1, set=text), row("m", 1, set=text)))
    lines = FORMATS["latex"](report).splitlines()
    assert not [line for line in lines if line.lstrip().startswith(("[", "*"))]
    assert any(line.startswith(("{[}1cm{]}", "{*}")) for line in lines)


@pytest.mark.parametrize(
    "work",
    [
        lambda: bootstrap([[0.0, 1.0]] * 50),
        lambda: sign_flip([0.5, -0.25] * 50),
    ],
)
def test_statistics_end_at_the_limit_of_time(work: Callable[[], object]) -> None:
    with limited(0.0), pytest.raises(LimitReached):
        work()


def test_a_report_is_cut_off_by_its_limit_of_time_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, _ = folder_of(tmp_path)
    assert main(["report", str(folder), "--timeout", "1e-9"]) == 1
    assert "timed-out: reading" in capsys.readouterr().err


def test_rows_that_need_too_much_memory_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, _ = folder_of(tmp_path)
    monkeypatch.setattr("groundplan.domains.files.MAX_MEMORY", 10_000)
    with pytest.raises(InputError, match=r"rows\.jsonl: expected lines that need at most"):
        load_results(folder)


def places_in(value: object) -> list[tuple[Any, Any]]:
    """Return every place in a JSON value: the container, and the key or index."""
    keys = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    below = [pair for key in keys for pair in places_in(value[key])]  # type: ignore[index]
    return [(value, key) for key in keys] + below


WRONG = (None, True, -1, 0, 1.5, "", "x", [], {}, [[]], [{}], ["x"], {"x": []}, {"kitchen": [1]}, 2**53)


def test_whatever_a_value_is_a_report_is_made_or_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each value of manifest and rows in turn becomes another kind of value; no error is one of ours."""
    drawn = random.Random(SEED)
    for number in range(32):
        folder, rows = folder_of(tmp_path)
        manifest = json.loads((folder / "manifest.json").read_text())
        container, key = drawn.choice(places_in([manifest, rows] if number % 3 == 0 else [{}, rows])[2:])
        container[key] = drawn.choice(WRONG)
        (folder / "manifest.json").write_text(json.dumps(manifest))
        (folder / "rows.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))
        code = main(["report", str(folder), "--format", ("html", "md", "csv", "latex")[number % 4]])
        assert code in (0, 2), (container, key, capsys.readouterr().err)
