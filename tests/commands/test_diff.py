"""`diff` of two goals and of many, what it says of each, and of goals that are none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import validate

from groundplan.commands import diff as verb
from groundplan.commands.schema import output_schema
from groundplan.domains.deadline import LimitReached
from groundplan.domains.ending import Ending

OFFICE = ("--scene", "office")
HELD, THERE = "(and (holding pepsi) (robot_at kitchen))", "(in_room pepsi kitchen)"
GOLD = "office-planning-simple-01"


def test_a_relation_comes_with_a_state_for_each_difference(cli) -> None:
    ran = cli("diff", HELD, THERE, *OFFICE, "--json")
    assert ran.code == 0
    assert (ran.json["relation"], ran.json["reachable"]) == ("stronger", None)
    assert ran.json["sides"] == {"a_only": "empty", "b_only": "some", "both": "some"}
    witness, both = ran.json["witnesses"]
    assert (witness["holds"], both["holds"]) == (["b"], ["a", "b"])
    free = {"fact": "(holding pepsi)", "holds": False, "says": "the robot does not hold pepsi"}
    assert free in witness["atoms"]
    assert {"fact": "(holding pepsi)", "holds": True, "says": "the robot holds pepsi"} in both["facts"]
    text = cli("diff", HELD, THERE, *OFFICE)
    assert "A is stronger than B" in text.out and "B without A, for instance:" in text.out
    assert "the robot holds pepsi  (holding pepsi)" in text.out


def test_what_plans_reach_is_kept_apart(cli) -> None:
    ran = cli("diff", "(open microwave)", "(turned_off microwave)", *OFFICE, "--reachable", "--json")
    assert (ran.json["relation"], ran.json["reachable"]["relation"]) == ("overlapping", "stronger")
    sides = ran.json["reachable"]["sides"]
    assert sides["a_only"]["verdict"] == "empty" and "6 states" in sides["a_only"]["why"]
    assert sides["both"]["plan"][-1] == "open(microwave)"
    assert {"fact": "(open microwave)", "holds": True, "says": "microwave is open"} in sides["both"]["facts"]
    text = cli("diff", "(open microwave)", "(turned_off microwave)", *OFFICE, "--reachable").out
    assert "Over what plans reach: A is stronger than B" in text


def test_what_is_asked_of_the_run_is_compared_and_planned_for(cli) -> None:
    """A goal, and the same without its prohibition: the difference is a plan that breaks it."""
    kept = "(and (open cabinet) (never (open fridge)))"
    ran = cli("diff", kept, "(open cabinet)", *OFFICE, "--reachable", "--json")
    validate(ran.json, output_schema("diff"))
    assert (ran.json["relation"], ran.json["reachable"]["relation"]) == ("stronger", "stronger")
    assert "open(fridge)" in ran.json["reachable"]["sides"]["b_only"]["plan"]
    assert ran.json["sides"]["a_only"] == "empty"
    step = cli("diff", "(never (do open fridge))", "(and)", *OFFICE, "--json").json["witnesses"][0]
    assert step["before"] == [
        [{"fact": "(do open fridge)", "holds": True, "says": "the robot does open(fridge)"}]
    ]
    text = cli("diff", "(never (do open ?x))", "(and)", *OFFICE)
    assert "the robot does open(?x)  (do open ?x)" in text.out


def test_a_run_that_was_denied_is_planned_for(cli) -> None:
    once = "(sometime (holding pepsi))"
    ran = cli("diff", once, "(not (ontop_of pepsi desk38))", *OFFICE, "--reachable", "--json")
    assert ran.json["relation"] == "overlapping"
    sides = {name: one["verdict"] for name, one in ran.json["reachable"]["sides"].items()}
    assert sides["a_only"] == sides["both"] == "some" and sides["b_only"] in ("empty", "unknown")


def test_an_unsatisfiable_goal_is_said_first(cli) -> None:
    """Also one that a check refuses: it is a goal, and no state makes it true."""
    lines = cli("diff", "(and (holding pepsi) (hand_free))", "(open fridge)", *OFFICE).out.splitlines()
    said = next(i for i, line in enumerate(lines) if line.startswith("A is unsatisfiable"))
    assert lines[said + 1].startswith("A is stronger than B")
    assert cli("diff", "(closed chair2)", "(open fridge)", *OFFICE, "--json").json["unsatisfiable"] == ["a"]
    either = "(or (open fridge) (closed fridge))"
    assert cli("diff", "(open fridge)", either, *OFFICE, "--json").json["always"] == ["b"]


def test_the_gold_of_a_task_and_its_scene_go_by_its_id(cli, tmp_path: Path) -> None:
    gold = cli("tasks", "show", GOLD, "--json").json["goal"]
    assert cli("diff", GOLD, gold, "--json").json["relation"] == "equal"
    (tmp_path / "mine.pddl").write_text(f"(or {gold} (open fridge))")
    assert cli("diff", GOLD, f"@{tmp_path / 'mine.pddl'}", "--json").json["relation"] == "stronger"


def test_pairs_in_a_file_are_compared_one_by_one(cli, tmp_path: Path) -> None:
    rows = [
        {"id": "one", "a": HELD, "b": THERE, "asked": "Take it there."},
        {"a": "(open fridg)", "b": "(open fridge)"},
        {"id": 7, "a": "(open fridge)", "b": "(closed fridge)"},
    ]
    file = tmp_path / "pairs.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    ran = cli("diff", f"@{file}", *OFFICE, "--json")
    assert ran.code == 2
    pairs = ran.json["pairs"]
    assert [(p["id"], p["line"], p["relation"]) for p in pairs] == [
        ("one", 1, "stronger"), ("2", 2, None), ("7", 3, "disjoint")]  # fmt: skip
    assert [d["code"] for d in pairs[1]["a"]["diagnostics"]] == ["unknown-node"]
    text = cli("diff", f"@{file}", *OFFICE)
    assert text.last == "3 pairs: 1 stronger, 1 not compared, 1 disjoint"
    file.write_text('{"a": 1}\n' + json.dumps(rows[0]) + '\n{"a": "none-1", "b": "(open fridge)"}\n{')
    ran = cli("diff", f"@{file}", *OFFICE, "--json")
    validate(ran.json, output_schema("diff"))
    assert ran.code == 2 and [(p["line"], p["relation"]) for p in ran.json["pairs"]] == [(2, "stronger")]
    places = [fault["place"].removeprefix(str(file)) for fault in ran.json["faults"]]
    assert places == [":1", ":3: a", ":4:2"]
    text = cli("diff", f"@{file}", *OFFICE)
    assert text.last == "1 pair: 1 stronger" and text.err.count("error[bad-line]") == 3
    file.write_text("\n".join(json.dumps(row) for row in rows[::2]))
    ran = cli("diff", f"@{file}", *OFFICE, "--json")
    assert ran.code == 0
    for row, pair in zip(rows[::2], ran.json["pairs"], strict=True):
        alone = cli("diff", row["a"], row["b"], *OFFICE, "--json").json
        assert {key: alone[key] for key in alone if key != "losses"}.items() <= pair.items()


def test_pairs_that_the_time_limit_ends_leave_the_others(cli, tmp_path: Path, monkeypatch) -> None:
    file = tmp_path / "pairs.jsonl"
    file.write_text("\n".join(json.dumps({"a": HELD, "b": THERE}) for _ in range(3)))
    compare = verb.diff

    def once(*arguments, **options):
        monkeypatch.setattr(verb, "diff", cut)
        return compare(*arguments, **options)

    def cut(*arguments, **options):
        raise LimitReached(Ending.TIMED_OUT, "comparing goals", "the time limit of 1 s")

    for form in ((), ("--json",)):
        monkeypatch.setattr(verb, "diff", once)
        ran = cli("diff", f"@{file}", *OFFICE, *form)
        assert ran.code == 1
    assert [pair["relation"] for pair in ran.json["pairs"]] == ["stronger", None, None]
    validate(ran.json, output_schema("diff"))
    assert {pair["a"]["diagnostics"][0]["code"] for pair in ran.json["pairs"][1:]} == {"unchecked"}
    monkeypatch.setattr(verb, "diff", once)
    ran = cli("diff", f"@{file}", *OFFICE)
    assert (
        ran.last == "3 pairs: 1 stronger, 2 not compared" and "from 2 on: the comparison was not" in ran.out
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("(open fridge)", "hello", *OFFICE), "expected a goal, @FILE or the id of a task, got hello"),
        (("hello", "(open fridge)"), "a goal is in brackets"),
        (("(open fridge)", *OFFICE), "give two goals, or @FILE with a JSON line for each pair"),
        (("(open fridge)", "(closed fridge)"), "give --scene NAME_OR_FILE or --task ID"),
        (("(open fridge)", "(closed fridge)", "--scene", "nowhere"), "nowhere"),
        (("(open fridge", "(opn fridge)", *OFFICE), "B:1:1: error[unknown-predicate]"),
        (("(open fridge)", "@missing.pddl", *OFFICE), "missing.pddl"),
        (("(open fridge)", "(closed fridge)", *OFFICE, "--reachable", "--engine", "none"), "engine"),
    ],
)
def test_what_is_wrong_is_said(cli, arguments, message) -> None:
    ran = cli("diff", *arguments)
    assert ran.code == 2 and message in ran.err


@pytest.mark.parametrize(
    "data",
    [
        b"(" * 100_000,
        b"(and " * 50_000 + b")" * 50_000,
        b"(and" + b" (open fridge)" * 60_000 + b")",
        b"(or " + b"(open fridge) " * 13_000 + b")",
        b"(open fri\x00dge)",
        "(open \u202efridge)".encode(),
        b"(open fridge\xff)",
        b"",
        b"(open " + b"f" * 190_000 + b")",
        b'{"a": 3, "b": "(open fridge)"}',
        b'{"a": ' * 50_000,
    ],
)
def test_hostile_files_end_soon_with_a_message(cli, tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "goal"
    file.write_bytes(data)
    for arguments in ((f"@{file}", "(open fridge)"), ("(open fridge)", f"@{file}"), (f"@{file}",)):
        ran = cli("diff", *arguments, *OFFICE, "--timeout", 20)
        assert ran.code == 2 or (ran.code == 0 and b"(or " in data), ran.err
        assert (ran.err or ran.out) and "Traceback" not in ran.err and "\u202e" not in ran.err + ran.out
