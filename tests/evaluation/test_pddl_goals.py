"""The audit of PDDL problems: layouts of folders, faults planted in problems, and both readers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from groundplan.domains.errors import InputError
from groundplan.evaluation.golds import pddl_goals
from groundplan.evaluation.golds.pddl_goals import PddlGold, audited_problem, pddl_golds

DOMAIN = """; lamps that are lit where there is power
(define (domain lamps)
  (:requirements :strips :typing :negative-preconditions)
  (:types lamp socket - object)
  (:predicates (lit ?l - lamp) (plugged ?l - lamp ?s - socket) (live ?s - socket) (broken ?l - lamp))
  (:action plug :parameters (?l - lamp ?s - socket)
    :precondition (not (plugged ?l ?s)) :effect (plugged ?l ?s))
  (:action light :parameters (?l - lamp ?s - socket)
    :precondition (and (plugged ?l ?s) (live ?s) (not (broken ?l))) :effect (lit ?l))
  (:action quench :parameters (?l - lamp) :precondition (lit ?l) :effect (not (lit ?l))))
"""
PROBLEM = """(define (problem NAME) (:domain lamps)
  (:objects l1 l2 l3 - lamp s1 s2 - socket)
  (:init (live s1) (broken l3) (lit l2))
  (:goal GOAL))
"""
GOALS = ("(and (lit l1) (not (lit l2)))", "(plugged l1 s2)", "(and (lit l1) (and (plugged l2 s1)))")


def problem(goal: str, name: str = "p") -> str:
    return PROBLEM.replace("NAME", name).replace("GOAL", goal)


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def codes(folder: Path, text: str, thorough: bool = False) -> list[tuple[str, str, int]]:
    write(folder, {"domain.pddl": DOMAIN, "p.pddl": text})
    golds, faults = pddl_golds(folder)
    assert not faults and [gold.id for gold in golds] == ["domain", "p"]
    domain, one = (audited_problem(gold, thorough, 20) for gold in golds)
    assert not domain.findings and not one.unchecked
    return [(f.diagnostic.code, f.basis, f.line) for f in one.findings]


LAYOUTS = {
    "side by side": ("domain.pddl", "p01.pddl"),
    "instances": ("domain.pddl", "instances/instance-1.pddl"),
    "deep": ("lamps.pddl", "problems/easy/1.pddl"),
    "a folder of domains": ("domains/domain-1.pddl", "instances/instance-1.pddl"),
    "another name": ("lamps-strips.pddl", "p01.pddl"),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_problems_are_read_with_their_domain_in_any_layout(tmp_path: Path, layout: str) -> None:
    domain, one = LAYOUTS[layout]
    write(tmp_path, {domain: DOMAIN, one: problem(GOALS[0])})
    golds, faults = pddl_golds(tmp_path)
    assert not faults and [(gold.path, gold.domain) for gold in golds] == [
        (tmp_path / domain, tmp_path / domain),
        (tmp_path / one, tmp_path / domain),
    ]
    assert not any(audited_problem(gold, False, 20).findings for gold in golds)


@pytest.mark.parametrize("form", ["domain-{}.pddl", "p{:02}-domain.pddl", "domains/d{}.pddl"])
def test_each_problem_has_the_domain_of_its_number(tmp_path: Path, form: str) -> None:
    files = {form.format(n): DOMAIN for n in (1, 2)} | {f"p{n:02}.pddl": problem(GOALS[1]) for n in (1, 2)}
    golds, faults = pddl_golds(write(tmp_path, files))
    assert not faults
    pairs = [(gold.path.name, gold.domain) for gold in golds if gold.path != gold.domain]
    assert pairs == [(f"p{n:02}.pddl", tmp_path / form.format(n)) for n in (1, 2)]


def test_a_domain_that_is_not_there_or_not_one_is_a_finding_of_its_problem(tmp_path: Path) -> None:
    two = {"a.pddl": DOMAIN, "b.pddl": DOMAIN, "p.pddl": problem(GOALS[0]), "notes.pddl": "hello"}
    golds, faults = pddl_golds(write(tmp_path, two))
    assert not golds and [one.place for one in faults] == [f"{tmp_path}/{n}.pddl:1" for n in ("notes", "p")]
    assert {one.diagnostic.code for one in faults} == {"pddl"}
    assert "got a.pddl, b.pddl; name it with --domain" in faults[1].diagnostic.message
    golds, faults = pddl_golds(tmp_path, tmp_path / "b.pddl")
    assert [gold.id for gold in golds] == ["b", "p"] and len(faults) == 1
    golds, faults = pddl_golds(write(tmp_path / "alone", {"p.pddl": problem(GOALS[0])}))
    assert not golds and "the domain lamps, got none" in faults[0].diagnostic.message
    with pytest.raises(InputError, match="expected PDDL problems, got none"):
        pddl_golds(write(tmp_path / "none", {"notes.txt": "hello"}))


PLANTED: dict[str, tuple[Callable[[str], str], tuple[str, str, int]]] = {
    "unreadable": (lambda goal: problem(goal).rstrip()[:-1], ("syntax", "proved", 4)),
    "a bracket too many": (lambda goal: problem(goal) + ")", ("syntax", "proved", 5)),
    "empty": (lambda goal: problem("(and)"), ("empty", "proved", 4)),
    "no goal at all": (lambda goal: problem("()"), ("empty", "proved", 4)),
    "of another type": (lambda goal: problem(f"(and {goal} (lit s1))"), ("type", "proved", 4)),
    "a predicate that is not there": (lambda goal: problem(f"(and {goal} (shut l1))"), ("pddl", "proved", 4)),
    "an object that is not there": (lambda goal: problem(f"(and {goal} (lit l9))"), ("pddl", "proved", 4)),
    "too few arguments": (lambda goal: problem(f"(and {goal} (plugged l1))"), ("pddl", "proved", 4)),
    "repeated": (lambda goal: problem(f"(and {goal} {goal})"), ("redundant", "proved", 4)),
    "contradictory": (
        lambda goal: problem(f"(and {goal} (not (live s1)) (LIVE S1))"),
        ("contradiction", "proved", 4),
    ),
    "never": (lambda goal: problem(f"(and {goal} (lit l3))"), ("impossible", "decided", 4)),
    "true at the start": (
        lambda goal: problem("(and (lit l2) (not (lit l1)))"),
        ("already-true", "proved", 4),
    ),
    "ill-typed at the start": (
        lambda goal: problem(goal).replace("(lit l2)", "(lit s2)"),
        ("type", "proved", 3),
    ),
}


@pytest.mark.parametrize("fault", PLANTED)
@pytest.mark.parametrize("goal", GOALS)
def test_a_planted_fault_is_found_with_its_kind_and_line(tmp_path: Path, fault: str, goal: str) -> None:
    plant, expected = PLANTED[fault]
    assert not codes(tmp_path, problem(goal)), "without it nothing is found"
    made = codes(tmp_path, plant(goal))
    assert expected in made


def test_what_is_no_plain_fact_is_not_said_to_hold_at_the_start(tmp_path: Path) -> None:
    goals = (
        "(exists (?l - lamp) (lit ?l))",
        "(or (lit l2) (lit l1))",
        "(and (lit l2) (forall (?l - lamp) (lit ?l)))",
    )
    needs = DOMAIN.replace(":strips", ":adl :derived-predicates")
    derived = needs.replace("(:action plug", "(:derived (broken ?l - lamp) (not (lit ?l)))\n(:action plug")
    for text, goal in (
        (needs, goals[0]),
        (needs, goals[1]),
        (needs, goals[2]),
        (derived, "(not (broken l1))"),
    ):
        write(tmp_path, {"domain.pddl": text, "p.pddl": problem(goal)})
        gold = PddlGold("p", "s", tmp_path / "p.pddl", tmp_path / "domain.pddl")
        found = audited_problem(gold, False, 20).findings
        assert "already-true" not in {one.diagnostic.code for one in found}, goal


@pytest.mark.parametrize(
    "text",
    [
        "(" * 100_000,
        "(define (problem p) (:domain lamps) (:goal " + "(and " * 50_000 + ")" * 50_000 + "))",
        problem("(and" + " (lit l1)" * 60_000 + ")"),
        problem("(lit \u202el1)"),
        problem("(lit l\x001)"),
    ],
)
def test_hostile_problems_end_soon_with_a_finding(tmp_path: Path, text: str) -> None:
    write(tmp_path, {"domain.pddl": DOMAIN, "p.pddl": text})
    gold = PddlGold("p", "s", tmp_path / "p.pddl", tmp_path / "domain.pddl")
    assert audited_problem(gold, False, 20).findings
    (tmp_path / "p.pddl").write_bytes(b"(define (problem p) \xff)")
    assert "UTF-8" in audited_problem(gold, False, 20).findings[0].diagnostic.message
    assert gold.key(True) != gold.key(False)


def test_unified_planning_reads_where_kairos_is_not_installed(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(pddl_goals, "has_kairos", lambda: False)
    assert pddl_goals.reader_name().startswith("unified-planning ")
    write(tmp_path, {"domain.pddl": DOMAIN, "p.pddl": problem(GOALS[0])})
    golds, _ = pddl_golds(tmp_path, engine="fast-downward")
    assert not any(audited_problem(gold, False, 20).findings for gold in golds)
    for text, code in (
        (problem("(lit s1)"), "type"),
        (problem("(lit l1)")[:-3], "syntax"),
        (problem("(and)"), "empty"),
        (problem("(lit l3)"), "impossible"),
    ):
        write(tmp_path, {"p.pddl": text})
        made = audited_problem(golds[1], False, 20)
        assert [one.diagnostic.code for one in made.findings] == [code], text
