"""`groundplan audit`: places, formats, a baseline, and going on where it was ended."""

from __future__ import annotations

import json
import re

import pytest
from jsonschema import validate

from groundplan.commands.schema import output_schema

LINES = (
    {"id": "a", "instruction": "Open it.", "scene": "office", "goal": "(open fridg)"},
    {"id": "b", "instruction": "Open it.", "scene": "office", "goal": "(open fridge"},
    {"id": "c", "instruction": "Open it.", "scene": "nowhere", "goal": "(open fridge)"},
    {"id": "a", "instruction": "Open it.", "scene": "office", "goal": "(open fridge)"},
    {"id": "d", "instruction": "Open it.", "scene": "office", "goal": "(open fridge)"},
    {"id": "e", "scene": "office"},
    {"id": "f", "instruction": "Say it.", "scene": "office"},
    {"id": "g", "instruction": "Open it.", "scene": "office", "goal": " "},
)


@pytest.fixture
def mine(tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_text("\n".join(map(json.dumps, LINES)) + "\n", encoding="utf-8")
    return path


def test_every_line_of_a_file_is_audited_and_named_by_its_place(cli, mine, tmp_path) -> None:
    ran = cli("audit", mine, "--json")
    validate(ran.json, output_schema("audit"))
    assert ran.code == 1 and ran.json["golds"] == 2, "two of the six with a goal cannot be read"
    found = {(one["line"], one["code"]) for one in ran.json["findings"]}
    assert found == {
        *((1, "unknown-node"), (2, "syntax"), (3, "bad-line"), (4, "bad-line"), (6, "bad-line"), (8, "empty"))
    }
    assert f"{mine}:1: goal:1:7: error[unknown-node]" in cli("audit", mine).out
    baseline = tmp_path / "before.json"
    baseline.write_text(ran.out, encoding="utf-8")
    again = cli("audit", mine, "--baseline", baseline)
    assert again.code == 0 and again.last == "2 golds: 0 findings, 6 known before"
    marks = cli("audit", mine, "--format", "github").out.splitlines()
    assert len(marks) == 6 and all(
        re.match(r"::error file=.*mine\.jsonl,line=\d,title=", one) for one in marks
    )
    assert cli("audit", mine, "--baseline", mine).code == cli("audit", mine, "--timeout", "nan").code == 2


def test_goals_of_a_file_need_a_scene_and_have_its_lines(cli, tmp_path) -> None:
    path = tmp_path / "goals.pddl"
    path.write_text("(open fridge)\n; next\n  (and (open fridge)\n    (open fridge))\n", encoding="utf-8")
    assert cli("audit", path).code == 2
    ran = cli("audit", path, "--scene", "office")
    assert ran.code == 0 and f"{path}:4:5: warning[redundant]" in ran.out
    assert cli("audit", "no-such-set").code == 2 and "name a set" in cli("audit", "").err
    path.write_text('{"goal": "(open fridge)"}\n{"goal": 3}\n', encoding="utf-8")
    ran = cli("audit", path, "--scene", "office")
    assert ran.code == 1 and f"{path}:2: error[bad-line]" in ran.out and ran.last == "1 gold: 1 finding"


def test_what_is_named_twice_counts_once(cli, mine) -> None:
    once = cli("audit", "office-planning-simple", mine, "--json").json
    folder = mine.parent / "." / mine.parent.name / ".." / mine.name
    (mine.parent / mine.parent.name).mkdir()
    twice = ("office-planning-simple", "office-planning-simple-01", mine, folder)
    assert cli("audit", *twice, "--json").json == once and once["golds"] == 17


DOMAIN = """(define (domain lamps) (:requirements :strips :typing) (:types lamp)
  (:predicates (lit ?l - lamp) (broken ?l - lamp))
  (:action light :parameters (?l - lamp) :precondition (lit ?l) :effect (lit ?l)))
"""
PROBLEM = "(define (problem p) (:domain lamps)\n (:objects l - lamp)\n (:init (broken l))\n (:goal GOAL))\n"


def test_folders_of_pddl_are_audited_and_gone_on_with(cli, tmp_path) -> None:
    folder = tmp_path / "lamps"
    (folder / "instances").mkdir(parents=True)
    (folder / "domain.pddl").write_text(DOMAIN)
    for number, goal in enumerate(("(and)", "(and (lit l) (lit l))", "(lit m)", "(broken l)"), 1):
        (folder / "instances" / f"instance-{number}.pddl").write_text(PROBLEM.replace("GOAL", goal))
    rows = tmp_path / "rows.jsonl"
    ran = cli("audit", folder, "--out", rows, "--json")
    validate(ran.json, output_schema("audit"))
    codes = [(one["gold"], one["code"], one["line"], one["basis"]) for one in ran.json["findings"]]
    assert codes == [
        ("instances/instance-1", "empty", 4, "proved"),
        ("instances/instance-2", "redundant", 4, "proved"),
        ("instances/instance-2", "impossible", 4, "decided"),
        ("instances/instance-3", "pddl", 4, "proved"),
        ("instances/instance-4", "already-true", 4, "proved"),
    ]
    assert ran.code == 1 and ran.json["golds"] == 4 and ran.json["reader"].startswith("kairos ")
    assert cli("audit", folder, "--out", rows, "--json").out == ran.out
    assert len(rows.read_text().splitlines()) == 5
    one = cli("audit", folder / "instances" / "instance-3.pddl", "--domain", folder / "domain.pddl")
    assert one.code == 1 and "instance-3.pddl:4:" in one.out and "read with kairos" in one.last
    assert cli("audit", folder, "--engine", "none-such").code == 2
    assert cli("audit", tmp_path / "instances").code == 2


def test_lists_of_goals_of_others_are_audited_with_their_lines(cli, tmp_path) -> None:
    path = tmp_path / "pears.txt"
    path.write_text("1\nGoals: IsOn_pear_chest & IsIn_pear_sack\n\n2\nGoals: IsOpen_chest\n")
    ran = cli("audit", path, "--format", "github")
    assert ran.code == 1 and ran.out.startswith(f"::error file={path},line=2,title=contradiction::")
    assert cli("audit", path).last == "2 golds: 1 finding"


@pytest.mark.parametrize(
    "data",
    [
        b"(" * 100_000,
        b"(and " * 50_000 + b")" * 50_000,
        b"(open fri\x00dge)",
        "(open \u202efridge)".encode(),
        b"(open fridge\xff)",
        b"",
        b"(open " + b"f" * 1_000_000 + b")",
        b'{"a": ' * 50_000,
        b'{"goal": 3}\n' * 900,
        b"Goals: " + b"IsOpen_a & " * 90_000 + "IsOpen_\u202eb".encode(),
        b"Goals: " + b"".join(b"IsOn_a%d_b & " % number for number in range(20_000)) + b"IsOn_a1_c",
    ],
    ids=lambda data: f"{data[:8]!r}-{len(data)}",
)
def test_hostile_texts_end_soon_with_a_finding_in_every_form(cli, tmp_path, data: bytes) -> None:
    """As goals with a scene, as a list, as PDDL, and as runs."""
    for name, words in (
        ("goals.txt", ("audit", "--scene", "office")),
        ("goals.txt", ("audit",)),
        ("goal.pddl", ("audit",)),
        ("own.jsonl", ("audit",)),
        ("runs.jsonl", ("grade",)),
    ):
        path = tmp_path / name
        path.write_bytes(data)
        verb, *options = words
        ran = cli(verb, path, *options)
        assert ran.code in (1, 2) and (ran.out or ran.err), words
        assert "\u202e" not in ran.out + ran.err and len(ran.out) < 1_000_000


def test_an_audit_goes_on_where_it_was_ended(cli, mine, tmp_path, monkeypatch) -> None:
    """What it prints in any form is byte for byte what one prints that was not ended."""
    goals, rows = tmp_path / "goals.txt", tmp_path / "audit.jsonl"
    goals.write_text("(open fridg)\n  (and (open fridge) (open fridge))\n", encoding="utf-8")
    tasks = (f"office-planning-simple-0{number}" for number in (1, 2, 3))
    words = ("audit", *tasks, mine, goals, "--scene", "office", "--format")
    printed = {form: cli(*words, form).out for form in ("json", "text", "github")}
    assert {one["span"] is None for one in json.loads(printed["json"])["findings"]} == {True, False}
    cli(*words, "json", "--out", rows)
    whole = rows.read_bytes()
    assert len(whole.splitlines()) == 7
    rows.write_bytes(whole[: len(whole) // 2])
    assert cli(*words, "json", "--out", rows).out == printed["json"]
    assert sorted(rows.read_bytes().splitlines()) == sorted(whole.splitlines())
    monkeypatch.setattr("groundplan.commands.audit.audited", None)  # nothing is made anew
    assert {form: cli(*words, form, "--out", rows).out for form in printed} == printed
    for other in (b'{"a":1}\n', whole.replace(b'"span":{', b'"span":{"x":1,"')):
        (tmp_path / "other.jsonl").write_bytes(other)
        assert cli("audit", mine, "--out", tmp_path / "other.jsonl").code == 2
