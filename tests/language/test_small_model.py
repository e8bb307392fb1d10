"""Recorded runs of a small model on the office: Qwen2.5-Coder-1.5B-Instruct (Q4_K_M) in llama.cpp.

What it wrote is what it wrote. Under the dialogue protocol it goes astray in search; under naming, with goals
in sentences, it comes to plans, not all of them right. What is held here is that the runs play back byte for
byte, without a network, and come to what they came to when the model was there (``make record``).
"""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from groundplan.commands import main
from groundplan.language.embedded import embedding

CASSETTE = Path(__file__).parent / "cassettes" / "qwen2.5-coder-1.5b-dialogue.jsonl"
LIVE = json.loads(CASSETTE.with_suffix(".json").read_text())
NAMING = CASSETTE.with_name("qwen2.5-coder-1.5b-naming.jsonl")
NAMED = json.loads(NAMING.with_suffix(".json").read_text())
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
    for _ in range(2):
        main(["plan", "--task", task, "--reader", f"recorded:{CASSETTE}", "--json"])
        told = json.loads(capsys.readouterr().out)
        assert told.pop("timings")
        said.append(json.dumps(told))
    assert said[0] == said[1]
    live = dict(LIVE[task])
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
    assert {key: told[key] for key in NAMED[subject]} == NAMED[subject]


def test_recordings_are_small_and_some_come_to_a_plan() -> None:
    assert sum(file.stat().st_size for file in CASSETTE.parent.iterdir()) < TOGETHER
    assert len(NAMED) == 20 and sum(run["outcome"] == "verified" for run in NAMED.values()) > 10
