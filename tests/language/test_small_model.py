"""Recorded runs of a small model on the office: Qwen2.5-Coder-1.5B-Instruct (Q4_K_M) in llama.cpp.

What it wrote is what it wrote. Under the dialogue protocol it goes astray in search; under naming, with goals
in sentences, it comes to plans, not all of them right. What is held here is that the runs play back byte for
byte, without a network, and come to what they came to when the model was there (``make record``).
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from groundplan.commands import main
from groundplan.evaluation.report.statistics import wilson
from groundplan.language.english import embedding

FOLDER = Path(__file__).parent / "cassettes"
DIALOGUES = [FOLDER / f"qwen2.5-coder-1.5b-{name}.jsonl" for name in ("dialogue", "dialogue-2")]
LIVE = {
    task: (cassette, told)
    for cassette in DIALOGUES
    for task, told in json.loads(cassette.with_suffix(".json").read_text()).items()
}
NAMING = FOLDER / ("qwen2.5-coder-1.5b-naming.jsonl")
NAMED = json.loads(NAMING.with_suffix(".json").read_text())
MEASURED = Path(__file__).parents[1] / "evaluation" / "measured"
SEARCHES = {
    "query": "`query`", "naming": "`naming`", "dialogue": "`dialogue`", "dialogue+": "`dialogue+`",
    "index": "no model", "embedded": "embedded reader",
}  # fmt: skip
"""Arms of the measurement that are searches, with their names in the table."""
TOGETHER = 1_000_000
"""Bytes of all recordings at most."""


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object, **more: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.mark.parametrize("task", LIVE)
def test_a_recorded_run_plays_back(task: str, capsys: pytest.CaptureFixture[str]) -> None:
    said = []
    cassette, recorded = LIVE[task]
    for _ in range(2):
        main(["plan", "--task", task, "--reader", f"recorded:{cassette}", "--json"])
        told = json.loads(capsys.readouterr().out)
        assert told.pop("timings")
        said.append(json.dumps(told))
    assert said[0] == said[1]
    live = dict(recorded)
    assert told["usage"].items() >= live.pop("usage").items()
    assert {key: told[key] for key in live} == live
    assert told["verified"] == (told["outcome"] == "verified")
    assert told["hashes"]["belief_before"] == told["hashes"]["belief_after"]


@pytest.mark.skipif(
    not embedding.installed(), reason="rooms near to a task were opened by the extra 'embedded'"
)
@pytest.mark.parametrize("subject", NAMED)
def test_a_recorded_run_under_naming_plays_back(subject: str, capsys: pytest.CaptureFixture[str]) -> None:
    what = ["--task", subject] if subject.startswith("office-") else [subject, "--scene", "office"]
    said = []
    for _ in range(2):
        main(["plan", *what, "--reader", f"recorded:{NAMING}", "--json"])
        told = json.loads(capsys.readouterr().out)
        assert told.pop("timings")
        said.append(json.dumps(told))
    assert said[0] == said[1]
    live = dict(NAMED[subject])
    assert told["usage"].items() >= live.pop("usage").items()
    assert {key: told[key] for key in live} == live


def test_recordings_are_small_and_some_come_to_a_plan() -> None:
    assert sum(file.stat().st_size for file in FOLDER.iterdir()) < TOGETHER
    assert len(NAMED) == 20 and len(LIVE) == 4
    assert sum(run["outcome"] == "verified" for run in NAMED.values()) > 10


@pytest.mark.parametrize("script", ["record_model.py", "measure_models.py"])
def test_the_scripts_that_ask_the_model_start(script: str) -> None:
    path = Path(__file__).parents[2] / "tools" / script
    ran = subprocess.run([sys.executable, path, "--help"], capture_output=True, text=True, check=False)
    assert ran.returncode == 0 and "model" in ran.stdout, ran.stderr


def search_table() -> str:
    """The table of searches on the page, made from the rows: each block has the same tasks."""
    lines = (MEASURED / "qwen2.5-coder-1.5b-2.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    by = {arm: {r["id"]: r for r in rows if r["arm"] == arm} for arm in SEARCHES}
    held_out = [
        r["id"] for r in by["index"].values() if "declined" not in r["set"] and r["gold"] is not False
    ]
    blocks = [held_out, *(list(by[arm]) for arm in ("query", "dialogue", "dialogue+"))]
    head = "| search | n | shown | right | wrong but verified | rooms opened | calls | tokens | CPU s |"
    table = [head, "|---|---|---|---|---|---|---|---|---|"]
    for ids in blocks:
        for arm, name in SEARCHES.items():
            if set(ids) <= set(by[arm]):
                table.append(_line(arm, name, [by[arm][i] for i in ids]))
    return "\n".join(table)


def _line(arm: str, name: str, rows: list[dict[str, object]]) -> str:
    def number(key: str) -> int:
        return sum(bool(row[key]) for row in rows)

    def mean(*keys: str) -> float:
        return sum(float(str(row[key] or 0)) for row in rows for key in keys) / len(rows)

    answered = number("verified")
    wrong = sum(bool(row["verified"] and not row["right"]) for row in rows)
    shown = _share(number("shown"), sum(row["shown"] is not None for row in rows))
    goals = ["", ""] if arm == "index" else [_share(number("right"), len(rows)), _share(wrong, answered)]
    cost = [f"{mean('calls'):.1f}", f"{mean('prompt', 'completion'):.0f}", f"{mean('cpu'):.0f}"]
    cost = cost if arm not in ("index", "embedded") else ["0", "0", "–"]
    cells = [name, str(len(rows)), shown, *goals, f"{mean('opened'):.1f}", *cost]
    return f"| {' | '.join(cells)} |"


def _share(part: int, whole: int) -> str:
    interval = wilson(part, whole) if whole else None
    return f"{part} of {whole}" + (f" ({interval.low:.2f}–{interval.high:.2f})" if interval else "")


def test_the_table_of_searches_is_that_of_the_rows() -> None:
    page = (Path(__file__).parents[2] / "docs" / "measurements" / "small-model.md").read_text()
    assert search_table() in page
