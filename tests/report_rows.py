"""Rows of comparisons made by hand, for tests of reports."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from groundplan.evaluation.bench import Results, RunRow
from groundplan.evaluation.bench.results import FORMAT

HOSTILE = '<script>alert("x")</script>|`*_$%&{}\\~^#\x1b[31m'


def row(method: str, task: int, success: bool = True, **fields: object) -> RunRow:
    measures = {"executable": True, "intent": True, "success": success, "cost": 10.0}
    given = {"engine": "pyperplan", "repeat": 1, "outcome": "verified", "measures": measures, "set": "a-set"}
    given |= {"kind": "plan", "record": {"engine": "pyperplan"}, **fields}
    key = given.pop("key", f"{method} {given['engine']} t{task} {given['repeat']}")
    return RunRow(str(key), method, task=f"t{task}", **given)  # type: ignore[arg-type]


def results(*rows: RunRow, family: list[list[str]] | None = None, reader: str = "openai:m") -> Results:
    """Return results of rows; those that name no reader are of ``reader``."""

    def names(key: str) -> dict[str, str]:
        return dict.fromkeys((getattr(r, key) for r in rows), "")

    manifest: dict[str, Any] = {
        "format": FORMAT, "methods": names("method"), "engines": names("engine"), "tasks": names("task"),
        "runs": len(rows), "family": family or [], "reader": reader, "limits": {}, "version": "0",
    }  # fmt: skip
    named = tuple(replace(row, reader=row.reader or reader) for row in rows)
    manifest["readers"] = {row.reader: {} for row in named} or {reader: {}}
    if len(manifest["readers"]) > 1:
        manifest["systems"] = [list(system) for system in dict.fromkeys(row.system for row in named)]
    return Results(manifest, named)


def hostile() -> Results:
    record = {
        "engine": "x",
        "instruction": HOSTILE,
        "plan": [HOSTILE] * 3,
        "trace": [{"command": "expand", "node": HOSTILE}],
        "goals": [{"goal": HOSTILE, "feedback": [HOSTILE]}],
        "attempts": [{"text": HOSTILE, "feedback": 7}, "no"],
    }
    return results(
        row("m", 1, False, outcome="rejected", record=record, reasons=(HOSTILE,), invented=(HOSTILE,)),
        row(HOSTILE, 2, set=HOSTILE, tokens={"prompt": 9, "completion": 1}, timings={"run": 1.0}),
        reader=HOSTILE,
    )
