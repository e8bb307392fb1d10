"""Answers that a large model once wrote, given again by task, whatever the prompt: calls, tokens, plans.

They are not part of the project: without the file the tests are skipped.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest

from groundplan.datasets.library import load_set
from groundplan.domains.pack import load_pack
from groundplan.engines.engine import Engine
from groundplan.evaluation.judging import JudgedTask
from groundplan.language.chat.reader import ModelReader
from groundplan.language.chat.servers.meter import count_tokens
from groundplan.language.chat.servers.model import ChatRequest, Reply, Usage
from groundplan.pipeline.hybrid import Request, run
from groundplan.pipeline.record import Record

FILE = Path(__file__).parents[3] / "shared" / "data" / "strong_model" / "office_planning.jsonl.gz"
PACK = load_pack()
TASKS = {task.id: task for task in load_set("office-planning")}
pytestmark = pytest.mark.skipif(not FILE.exists(), reason="the stored answers are not part of the project")


@cache
def answers() -> Mapping[str, Mapping[str, str]]:
    """The answers by task and schema."""
    by_task: dict[str, dict[str, str]] = {}
    for line in gzip.decompress(FILE.read_bytes()).decode().splitlines():
        row = json.loads(line)
        if row["run"] == "hybrid":
            by_task.setdefault(row["task"], {})[row["schema"]] = row["answer"]
    return by_task


@dataclass
class Stored:
    """A model that answers requests about a task as it once did."""

    task: str
    name: str = "stored"
    history: list[ChatRequest] = field(default_factory=list)

    def ask(self, request: ChatRequest) -> Reply:
        self.history.append(request)
        text = answers()[self.task]["names" if request.purpose == "search" else "goal"]
        prompt = sum(count_tokens(m.content) for m in request.messages)
        return Reply(text, "json-schema", Usage(prompt, count_tokens(text), "counted"))


@cache
def told(name: str) -> Record:
    task = TASKS[name]
    belief = JudgedTask.of(task, PACK).belief
    reader = ModelReader(Stored(name), PACK)
    return run(Request(belief, task.instruction, task=name), Engine.named("pyperplan"), reader)


@pytest.mark.parametrize("task", TASKS)
def test_a_task_ends_with_a_plan(task: str) -> None:
    record = told(task)
    assert record.outcome == "verified", record.reasons
    assert int(str(record.usage["calls"])) <= 3


def test_an_answer_costs_few_calls_and_tokens() -> None:
    usages = [told(task).usage for task in TASKS]
    means = {
        key: sum(float(str(usage[key])) for usage in usages) / len(usages)
        for key in ("calls", "prompt", "schema_tokens")
    }
    assert means["calls"] <= 1.3 and means["prompt"] <= 1100, means
    assert means["schema_tokens"] <= 100, means
