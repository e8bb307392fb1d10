"""Recorded runs of a small model on office tasks: Qwen2.5-Coder-1.5B-Instruct (Q4_K_M) in llama.cpp.

What it wrote is what it wrote: a model of that size goes astray in search. What is held here is that the runs
play back byte for byte, without a network, and come to what they came to when the model was there.
"""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from groundplan.commands import main

CASSETTE = Path(__file__).parent / "cassettes" / "qwen2.5-coder-1.5b.jsonl"
LIVE = json.loads((CASSETTE.parent / "qwen2.5-coder-1.5b.json").read_text())


@pytest.mark.parametrize("task", LIVE)
def test_a_recorded_run_plays_back(
    task: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: object, **more: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
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
