"""Gain of repairs: kinds of faults as runs record them, and the table over records."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest
from measuring import Item, measured
from repairs import COLUMNS, count_repairs, repair_table
from report_rows import results
from report_rows import row as made_row

from groundplan.compiler.goals.checker import check
from groundplan.compiler.goals.goal import Missing, parse_goal
from groundplan.datasets.scenes import open_scene
from groundplan.domains.errors import InputError
from groundplan.domains.pack import load_pack
from groundplan.engines.engine import Engine
from groundplan.evaluation.report import report_on
from groundplan.evaluation.report.error_tables import repairs
from groundplan.language.chat.reader import ModelReader
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.language.reader import NotUnderstood, Unreadable
from groundplan.pipeline.faults import TRIGGERS, fault_of
from groundplan.pipeline.hybrid import run
from groundplan.pipeline.record import Record
from groundplan.planners.request import Request
from groundplan.simulator.belief import Belief, ground

HEAT = "(hot chicken_kebab)"


@cache
def office() -> Belief:
    return ground(open_scene("office"), load_pack())


def move(command: str, node: str = "") -> str:
    return json.dumps({"move": {"chain_of_thought": "", "command": command, "node": node}})


def told(*answers: str) -> Record:
    moves = (move("expand", "kitchen"), move("terminate"))
    model = ScriptedModel.of(*moves, *answers)
    reader = ModelReader(model, office().pack, search_protocol="dialogue")
    return run(Request(office(), "Heat up the kebab."), Engine.named("pyperplan"), reader)


# Kinds of faults


@pytest.mark.parametrize(
    ("goal", "fault"),
    [
        ("(hot unicorn7)", "unknown-name"),
        ("(heated bread)", "unknown-name"),
        ("(and (turned_on fridge) (hot unicorn7))", "unknown-name"),
        ("(turned_on fridge)", "affordance"),
        ("(hot fridge)", "type"),
        ("(and (open fridge) (closed fridge))", "contradiction"),
        (HEAT, ""),
    ],
)
def test_the_check_names_the_kind_of_fault(goal: str, fault: str) -> None:
    written = parse_goal(goal)
    report = check(written, office())
    outcome = "verified" if report.ok else "goal-error"
    assert fault_of(written, outcome, report.diagnostics) == fault
    assert fault_of(written, outcome, report.diagnostics, hidden=True) == "hidden-name"


def test_answers_that_are_no_goals_have_kinds_of_their_own() -> None:
    answers = (Unreadable("x", ""), Missing("a fork"), NotUnderstood("x"))
    assert [fault_of(a, "") for a in answers] == ["unreadable", "missing", "not-understood"]


def test_an_outcome_of_planning_is_a_kind_of_fault() -> None:
    goal = parse_goal(HEAT)
    assert [fault_of(goal, o) for o in ("verified", "unsolvable", "goal-drift")] == [
        "",
        "unsolvable",
        "goal-drift",
    ]
    assert fault_of(goal, "goal-error") == "too-large"  # it passed the check, and planning refused it
    already = check(parse_goal("(closed fridge)"), office()).diagnostics
    assert fault_of(parse_goal("(closed fridge)"), "goal-error", already) == "so-already"


def test_every_round_of_a_run_has_its_kind_and_its_origin() -> None:
    record = told("no", "(hot unicorn7)", f"(and {HEAT} (turned_on fridge))", HEAT)
    assert record.verified
    assert [(r.fault, r.by) for r in record.goals] == [
        ("unreadable", "write"),
        ("unknown-name", "repair"),
        ("affordance", "repair"),
        ("", "repair"),
    ]
    entry = record.goals[0].as_json()
    assert (entry["fault"], entry["by"]) == ("unreadable", "write")
    assert record.goals[-1].as_json()["fault"] is None
    drifted = told("(and (open dishwasher) (turned_on fridge))", HEAT)
    assert [r.fault for r in drifted.goals] == ["affordance", "goal-drift"]


def test_a_report_counts_what_repairs_are_for() -> None:
    made = (
        told("no", "(hot unicorn7)", HEAT),
        told(f"(and {HEAT} (dirty fridge))", HEAT),
        told(f"(and {HEAT} (turned_on fridge))", HEAT),
    )
    rows = [made_row("hybrid", number, record=record.as_json()) for number, record in enumerate(made)]
    table = repairs(results(*rows, made_row("gold", 0)))
    assert table is not None and table.columns[-6:] == ("repairs", *TRIGGERS, "left out")
    (line,) = table.rows
    assert line[-6:] == (4, 3, 0, 1, 0, 2)
    assert table.title in [one.title for one in report_on(results(*rows)).tables]
    assert repairs(results(made_row("gold", 0))) is None


# The table


def records() -> list[Record]:
    return [
        told("no", HEAT),
        told("no", "(hot unicorn7)", HEAT),
        told("(hot unicorn7)", "(hot unicorn8)", "(hot unicorn8)"),
        told(HEAT),
    ]


def test_the_table_counts_what_came_of_each_fault() -> None:
    made = records()
    table = count_repairs(record.as_json() for record in made)
    assert (table.runs, table.unread) == (4, 0)
    names, unreadable = table.rows
    assert names.fault == "unknown-name" and unreadable.fault == "unreadable"
    assert (names.answers, names.repairs, names.verified, names.other) == (4, 3, 1, 0)
    assert (names.same, names.repeated, names.voted, names.last, names.in_the_end) == (1, 1, 0, 1, 1)
    assert (unreadable.answers, unreadable.verified, unreadable.other, unreadable.in_the_end) == (2, 1, 1, 2)
    paid = [made[0].goals[1].tokens, made[1].goals[1].tokens]
    assert unreadable.tokens == sum(paid) > 0
    for row in table.rows:
        assert row.answers == row.repairs + row.voted + row.last
        assert row.repairs == row.verified + row.other + row.same + row.repeated


def test_a_reopened_search_is_no_repair() -> None:
    first, second = ((move("expand", room), move("terminate")) for room in ("lobby", "admin"))
    record = told('(missing "a")', *first, '(missing "b")', *second, '(missing "c")', HEAT)
    assert [r.reopened for r in record.goals] == [True, True, False, False]
    (row,) = count_repairs([record.as_json()]).rows
    assert (row.fault, row.answers, row.verified) == ("missing", 1, 1)


def test_records_are_read_from_a_folder(tmp_path: Path) -> None:
    made = [record.as_json() for record in records()]
    for number, record in enumerate(made[:2]):
        (tmp_path / f"run{number}").mkdir()
        (tmp_path / f"run{number}" / "record.json").write_text(json.dumps(record))
        (tmp_path / f"run{number}" / "timings.json").write_text('{"plan": 1.0}')
    strange = made[2] | {"instruction": "one line\u2028that looks like two"}
    lines = [json.dumps({"task": "x", "record": strange}, ensure_ascii=False), "", json.dumps(made[3]), "[1]"]
    (tmp_path / "rows.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "notes.txt").write_text("{")
    table = repair_table(tmp_path)
    assert table == count_repairs(made)
    head, rule, first, _ = table.markdown().splitlines()
    assert head.split(" | ")[0] == "| fault" and rule.count("---") == len(COLUMNS)
    assert first.startswith("| unknown-name | 4 | 3 | 1 (33 %) | 0 | 1 | 1 | 0 | 1 | 1 | - | ")
    assert table.as_json()["runs"] == 4


def test_records_without_kinds_of_faults_are_counted_apart() -> None:
    old = records()[0].as_json()
    goals = [{k: v for k, v in goal.items() if k not in ("fault", "by")} for goal in old["goals"]]  # type: ignore[attr-defined]
    table = count_repairs([old | {"goals": goals}])
    assert (table.rows, table.runs, table.unread) == ((), 0, 1)


def test_what_is_no_folder_of_records_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a folder of records"):
        repair_table(tmp_path / "none")
    (tmp_path / "record.json").write_text("{")
    with pytest.raises(InputError, match=r"record\.json"):
        repair_table(tmp_path)


def test_measured_rows_say_how_many_were_right_in_the_end(tmp_path: Path) -> None:
    heat = parse_goal(HEAT)
    item = Item("x", "set", "See to the guests.", office, lambda belief: (heat,))
    engine = Engine.named("pyperplan")
    with (tmp_path / "rows.jsonl").open("w") as file:
        for wish in (HEAT, "(open fridge)"):
            moves = (move("expand", "kitchen"), move("terminate"))
            reader = ModelReader(
                ScriptedModel.of(*moves, "(hot unicorn7)", wish), office().pack, search_protocol="dialogue"
            )
            row = measured(item, "arm", reader, engine, lambda: None)
            assert [(r["fault"], r["by"]) for r in row.rounds] == [
                ("unknown-name", "write"),
                (None, "repair"),
            ]
            file.write(json.dumps(row.as_json()) + "\n")
        file.write(json.dumps(row.as_json() | {"rounds": None, "goals": ["(open fridge)"]}) + "\n")
    table = repair_table(tmp_path)
    (names,) = table.rows
    assert (names.answers, names.verified, names.in_the_end, names.right, names.judged) == (2, 2, 2, 1, 2)
    assert "| 2 (100 %) | 0 | 0 | 0 | 0 | 0 | 2 | 1 | " in table.markdown()
