"""Compare plans compiled from what a search showed with plans compiled from the whole scene.

`python tools/compile_forms.py DIR ..` prints a table of rows of `groundplan bench --compile subgraph,scene`.
`--stored DIR` runs the verified goals of a hybrid in stored rows again in both forms, with the rooms that the
search of the row had opened. Its reader looks up what is missing in the index of names, as `naming` does.
`--scripted SET` has a model that names the things of the gold goal in a `naming` search and writes that goal.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from groundplan import Engine, Request, ground, load_pack, parse_goal, run
from groundplan.compiler.shown_part import COMPILE_FORMS
from groundplan.datasets.library import find_task, load_set
from groundplan.domains.formula import names
from groundplan.evaluation.gold_reader import open_rooms
from groundplan.evaluation.judging import JudgedTask, judge_run
from groundplan.language.chat.reader import ModelReader
from groundplan.language.chat.search.opening import Indexes
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.language.reader import PLAIN, History, NotUnderstood, ReaderTraits, SearchResult, Written
from groundplan.simulator.view import View

COLUMNS = ("set", "reader", "form", "tasks", "verified", "right", "beyond", "taken up", "rooms", "cost")


@dataclass
class StoredReader:
    """Reader that opens the rooms of a stored run and writes its goal."""

    record: dict[str, Any]
    name: str = "stored"
    traits: ReaderTraits = PLAIN
    meter: None = None
    indexes: Indexes = field(default_factory=lambda: Indexes(None, by_likeness=False))

    def search(self, instruction: str, view: View, reason: str = "") -> SearchResult:
        if not reason:
            view = open_rooms(view, self.record["opened"]).view
            return SearchResult("found", tuple(node.id for node in view.visible), view)
        opening = self.indexes.opening(view, reason, lambda event: None)
        opening.look_up(reason)
        result = opening.result()
        return SearchResult(
            "found", tuple(node.id for node in result.view.visible), result.view, result.trace
        )

    def write(self, instruction: str, subgraph: object) -> Written:
        goals = [one["goal"] for one in self.record["goals"] if not one["reopened"]]
        return parse_goal(goals[-1])

    def repair(self, history: History, feedback: object) -> Written:
        return NotUnderstood("one goal is stored")


def rows_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "rows.jsonl").read_text(encoding="utf-8").splitlines()]


def compared(folder: Path) -> Iterator[tuple[str, str, str, str, bool, dict[str, Any]]]:
    """Yield set, reader, form, task, whether it is right, and the record of each row of a comparison."""
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    for row in rows_of(folder):
        if row["record"].get("compile_form") and row["method"].startswith("hybrid"):
            form, reader = row["record"]["compile_form"], row.get("reader") or manifest["reader"]
            yield row["set"], reader, form, row["task"], bool(row["measures"].get("success")), row["record"]


def again(folder: Path) -> Iterator[tuple[str, str, str, str, bool, dict[str, Any]]]:
    """Yield the same for the verified goals of stored hybrids, each planned for in both forms."""
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    pack, engine = load_pack(manifest["pack"]["name"]), Engine.named("pyperplan")
    for row in rows_of(folder):
        if not row["method"].startswith("hybrid") or row["outcome"] != "verified":
            continue
        task = find_task(row["task"])
        for form in COMPILE_FORMS:
            request = Request(ground(task.load(), pack), task.instruction, task=task.id, compile_form=form)
            record = run(request, engine, StoredReader(row["record"]))
            right = bool(row["measures"].get("success")) and record.verified
            yield row["set"], f"stored goals ({folder.name})", form, task.id, right, record.as_json()


def scripted(name: str) -> Iterator[tuple[str, str, str, str, bool, dict[str, Any]]]:
    """Yield the same for a task set, read by a scripted model."""
    pack, engine = load_pack(), Engine.named("pyperplan")
    for task in load_set(name):
        case, belief = JudgedTask.of(task, pack), ground(task.load(), pack)
        things = [n for n in names(case.gold.formula) if n in belief.scene.nodes]
        needs = json.dumps({"things": things, "rooms": []})
        for form in COMPILE_FORMS:
            reader = ModelReader(
                ScriptedModel.of(needs, *[task.gold.goal] * 3), pack, search_protocol="naming"
            )
            record = run(Request(belief, task.instruction, task=task.id, compile_form=form), engine, reader)
            right = asdict(judge_run(record, case))["success"]
            yield name, "scripted", form, task.id, bool(right), record.as_json()


def table(runs: list[tuple[str, str, str, str, bool, dict[str, Any]]]) -> Iterator[str]:
    """Yield the lines of the table; costs are of tasks that both forms verified, relative to ``scene``."""
    yield "| " + " | ".join(COLUMNS) + " |"
    yield "|---" * len(COLUMNS) + "|"
    groups: dict[tuple[str, str], dict[str, dict[str, tuple[bool, dict[str, Any]]]]] = {}
    for name, reader, form, task, right, record in runs:
        groups.setdefault((name, reader), {}).setdefault(form, {})[task] = right, record
    for (name, reader), forms in groups.items():
        both = [t for t in forms["scene"] if all(one[t][1]["verified"] for one in forms.values())]
        base = sum(forms["scene"][t][1]["cost"] for t in both)
        for form in COMPILE_FORMS:
            of = forms[form]
            records = [record for _, record in of.values()]
            cells = (
                len(of),
                sum(r["verified"] for r in records),
                sum(right for right, _ in of.values()),
                sum(bool(r["beyond_search"]) for r in records),
                sum(any(g["fault"] == "not-shown" for g in r["goals"]) for r in records),
                sum(len(r["opened"]) for r in records),
                f"{sum(of[t][1]['cost'] for t in both) / base:.3f}" if base else "",
            )
            yield "| " + " | ".join(map(str, (name, reader, form, *cells))) + " |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--stored", nargs="*", type=Path, default=[])
    parser.add_argument("--scripted", nargs="*", default=[])
    options = parser.parse_args()
    runs = [run for folder in options.folders for run in compared(folder)]
    runs += [run for folder in options.stored for run in again(folder)]
    runs += [run for name in options.scripted for run in scripted(name)]
    for line in table(runs):
        print(line)


if __name__ == "__main__":
    main()
