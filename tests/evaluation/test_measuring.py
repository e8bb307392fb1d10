"""Measurements of models: kill-safe files, replies paid for once, limits of a run, verdicts by outcome."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from measuring import (
    ROW,
    ROW_BEGINS,
    BudgetSpent,
    Item,
    KeptModel,
    MeasuredRow,
    drawn,
    measured,
    measured_key,
    row_name,
    summaries,
    table,
)
from reading_sets import Instruction

from groundplan.datasets.library import find_task
from groundplan.domains.errors import InputError
from groundplan.domains.pack import load_pack
from groundplan.engines.engine import Engine
from groundplan.evaluation.journal import Journal, read_rows
from groundplan.language.chat.reader import ModelReader
from groundplan.language.chat.servers.model import ChatModel, ChatRequest, Message, ServiceError
from groundplan.language.chat.servers.scripted import ScriptedModel

MEASURED = Path(__file__).parent / "measured" / "qwen2.5-coder-1.5b.jsonl"
NAMES = '{"things": ["orange", "fridge"], "rooms": ["kitchen"]}'


class Clock:
    """Processor seconds that go on by five whenever they are looked at."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 5
        return self.now


def kept(path: Path, *answers: str, budget: float = 1000.0) -> tuple[KeptModel, list[ScriptedModel]]:
    opened: list[ScriptedModel] = []

    def load() -> ChatModel:
        opened.append(ScriptedModel.of(*answers))
        return opened[-1]

    return KeptModel(path, "m", {}, load, budget, Clock()), opened


def request(text: str) -> ChatRequest:
    return ChatRequest((Message("user", text),))


def row(name: str, arm: str = "a", **more: object) -> MeasuredRow:
    fields: dict[str, object] = {
        "outcome": "verified", "shown": True, "verified": True, "right": True, "right_untidied": False,
    }  # fmt: skip
    return MeasuredRow(name, "s", arm, "text", **(fields | more))  # type: ignore[arg-type]


def test_a_reply_is_paid_for_once_and_no_model_is_loaded_for_what_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    first, _ = kept(path, "one", "two")
    assert [first.ask(request(t)).text for t in ("x", "y", "x")] == ["one", "two", "one"]
    assert first.spent == 10 and first.run_cpu == 15  # the one that was kept counts for the run
    with pytest.raises(InputError, match="one in use"):
        kept(path)
    first.close()
    again, opened = kept(path)
    assert again.ask(request("y")).text == "two" and not opened and again.spent == 10


def test_the_budget_is_that_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    one, _ = kept(path, "one")
    one.ask(request("x"))
    one.close()
    spent, _ = kept(path, "two", budget=5)
    assert spent.ask(request("x")).text == "one"
    with pytest.raises(BudgetSpent):
        spent.ask(request("y"))


def test_a_run_ends_at_its_calls_and_its_seconds(tmp_path: Path) -> None:
    model, _ = kept(tmp_path / "replies.jsonl", *"abcd")
    for limits in ((2, 100.0), (100, 10.0)):
        model.begin(*limits)
        assert model.ask(request("1")).text == "a" and model.ask(request("2")).text == "b"
        with pytest.raises(ServiceError, match="the run used its"):
            model.ask(request("3"))


def test_a_measurement_goes_on_where_a_line_was_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    with Journal(path, measured_key, ROW_BEGINS) as rows:
        rows.append(row("1").as_json())
        rows.append(row("2").as_json())
    path.write_bytes(path.read_bytes()[:-9])
    with Journal(path, measured_key, ROW_BEGINS) as resumed:
        assert row_name("1", "a") in resumed and row_name("2", "a") not in resumed
        resumed.append(row("2").as_json())
        with pytest.raises(ValueError, match="1 of a has a row"):
            resumed.append(row("1").as_json())
        resumed.append(row("1", arm="b").as_json())
    kept_rows = read_rows(path, measured_key, ROW_BEGINS)
    assert [(line["arm"], line["id"]) for line in kept_rows] == [("a", "1"), ("a", "2"), ("b", "1")]
    assert summaries(kept_rows) == summaries([row(n).as_json() for n in "12"] + [row("1", "b").as_json()])


@pytest.mark.parametrize("line", ['{"format": "other"}', '{"key": "office-planning-long-01"}'])
def test_rows_of_another_format_are_refused(tmp_path: Path, line: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(f"{line}\n")
    with pytest.raises(InputError, match="a file of rows, got one that begins"):
        Journal(path, measured_key, ROW_BEGINS)
    assert path.read_text() == f"{line}\n"


def test_replies_of_another_file_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    path.write_text('{"format": "other"}\n')
    with pytest.raises(InputError, match="a file of rows, got one that begins"):
        kept(path)


@pytest.mark.parametrize(
    ("sentence", "verified", "right"),
    [("Put orange1 into fridge. Close fridge.", True, True), ("Hold orange1.", True, False)],
)
def test_a_plan_is_judged_where_it_ends(tmp_path: Path, sentence: str, verified: bool, right: bool) -> None:
    item = Item.of_task(find_task("office-planning-simple-02"))
    model, _ = kept(tmp_path / "replies.jsonl", NAMES, sentence)
    reader = ModelReader(model, load_pack(), search_protocol="naming", goal_form="sentences")
    done = measured(item, "naming", reader, Engine.named("pyperplan"), lambda: model.run_cpu)
    assert (done.verified, done.right, done.shown) == (verified, right, True)
    assert (done.calls, done.cpu, len(done.named)) == (2, 10, 1) and done.opened >= 1
    json.dumps(done.as_json())


def test_a_search_is_judged_by_what_it_opened(tmp_path: Path) -> None:
    item = Item.of_task(find_task("office-search-simple-06"))  # the answer is an office
    for number, (answer, right) in enumerate((("michaels_office", True), ("kitchen", False))):
        model, _ = kept(tmp_path / f"{number}.jsonl", f'{{"things": ["xyzzy"], "rooms": ["{answer}"]}}')
        reader = ModelReader(model, load_pack(), search_protocol="dialogue")
        reader._protocol = _Opens(answer)
        done = measured(item, "a", reader, Engine.named("pyperplan"), lambda: None)
        assert done.right == right and done.cpu is None and not done.verified


class _Opens:
    """Search that opens one room."""

    name = prompt = ""

    def __init__(self, room: str) -> None:
        self.room = room

    def search(self, model, instruction, view, reason, listen):  # type: ignore[no-untyped-def]
        from groundplan.language.chat.search.opening import opened
        from groundplan.language.reader import SearchResult

        shown, steps = opened(view, [self.room])
        return SearchResult("found", tuple(n.id for n in shown.visible), shown, steps)


def test_an_answer_to_what_should_be_declined_is_no_right_one(tmp_path: Path) -> None:
    item = Item.of_instruction(Instruction("x", "office", "Repair the fridge.", None, "decline"), "s")
    model, _ = kept(tmp_path / "replies.jsonl", NAMES, "Open fridge.")
    reader = ModelReader(model, load_pack(), search_protocol="naming", goal_form="sentences")
    done = measured(item, "naming", reader, Engine.named("pyperplan"), lambda: model.run_cpu)
    assert done.verified and not done.right and not done.gold and done.shown is None


def test_samples_are_drawn_by_a_seed_and_keep_their_order(tmp_path: Path) -> None:
    items = [Item.of_task(find_task(f"office-planning-simple-{n:02}")) for n in range(1, 11)]
    sample = drawn(items, 4, 1)
    assert sample == drawn(items, 4, 1) and sample != drawn(items, 4, 2)
    assert [i.id for i in sample] == sorted(i.id for i in sample) and drawn(items, 20, 1) == items


def test_a_table_counts_what_misleads(tmp_path: Path) -> None:
    rows = [row("1"), row("2", right=False), row("3", verified=False, right=False, shown=None)]
    only = summaries([r.as_json() for r in rows])[0]
    assert (only.tasks, only.right, only.misled, only.answered) == (3, 1, 1, 2)
    assert (only.shown, only.with_names) == (2, 2)
    assert "| 1 of 2 |" in table([only])


def test_rows_that_come_along_are_whole_and_single() -> None:
    rows = read_rows(MEASURED, measured_key, ROW_BEGINS)
    assert len({(r["arm"], r["id"]) for r in rows}) == len(rows) > 100
    assert {r["format"] for r in rows} == {ROW}
    model = {r["id"] for r in rows if r["arm"] == "naming"}
    for control in ("index", "embedded"):  # the same tasks without a model
        assert {r["id"] for r in rows if r["arm"] == control} == model
    sums = [
        s for arm in ("naming", "embedded") for s in summaries([r for r in rows if r["arm"] == arm], "all")
    ]
    assert all(0 < s.right < s.tasks and s.misled < s.answered for s in sums)


def test_a_table_has_intervals_where_there_are_shares() -> None:
    rows = [row(str(n), right=n < 81, shown=None) for n in range(263)]
    line = table(summaries([r.as_json() for r in rows])).splitlines()[-1]
    assert "| 263 | 0/0 | 81 (0.26–0.37) |" in line  # Newcombe 1998, table I
