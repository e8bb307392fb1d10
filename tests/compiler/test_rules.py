"""Rules of an operator: their file, and what they do to goals, plans and records."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from groundplan import (
    Engine,
    Request,
    ground,
    load_pack,
    load_scene,
    parse_goal,
    read_steps,
    run,
    verify_plan,
)
from groundplan.commands import main
from groundplan.compiler.certificates.constraints import rules_hash
from groundplan.compiler.certificates.records import recheck
from groundplan.compiler.certificates.rules import read_rules
from groundplan.domains.errors import GroundplanError
from groundplan.simulator.belief import Belief


@pytest.fixture(scope="module")
def office() -> Belief:
    return ground(load_scene("office"), load_pack())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "from 1 to 100 rules"),
        (" ; nothing\n", "from 1 to 100 rules"),
        ("(open fridge)", "rules:1"),
        ("(never (robot_at kitchen))\n (sometime (open fridge))", "rules:2"),
        ("(never (robot_at kitchn))", "rules:1:18"),
        ("\n  (never (open fridge)", "rules:2:22"),
        ("(never (open fridge)))", "rules:1:22"),
        ("(or (never (open fridge)) (open fridge))", "rules:1"),
        ("(never (do gogo ?x))", "rules:1:12"),
        ("(and)", "rules:1"),
        ("(never (hand_free)) " * 101, "from 1 to 100"),
        ("(never (do pickup ?x) :when (hot ?y))", "rules:1:34"),
    ],
)
def test_what_is_no_rule_is_refused_with_its_place(office: Belief, text: str, words: str) -> None:
    with pytest.raises(GroundplanError, match=words):
        read_rules(text, office)


def test_a_plan_that_breaks_a_rule_is_not_verified(office: Belief) -> None:
    ruled = read_rules("(never (robot_at pose5))\n(at-most-once (robot_at pose7))", office)
    steps = read_steps("goto(pose7)\ngoto(pose5)\ngoto(pose2)\ngoto(meeting_room1)")
    goal = parse_goal("(robot_at meeting_room1)").formula
    seen = verify_plan(steps, ruled, goal)
    assert (seen.executable, seen.goal_value, seen.verified) == (True, True, False)
    assert [(one.kept, one.broken_by, one.broken_at) for one in seen.rules] == [
        (False, "robot", 2),
        (True, None, None),
    ]
    assert seen.rules[0].states == ("holds", "holds", "broken", "broken", "broken")
    assert seen.feedback() == ("the rule (always (not (robot_at pose5))) is broken by step 2",)
    assert verify_plan(steps, office, goal).verified
    assert not verify_plan(steps, ruled).verified  # also without a goal


@pytest.mark.parametrize(
    ("rule", "states", "by", "words"),
    [
        ("(sometime-after (open fridge) (closed fridge))", "holds due due", None, "by ending here"),
        ("(never (closed fridge))", "broken broken broken", "start", "before anything is done"),
        ("(at-most-once (closed fridge))", "holds holds holds", None, ""),
        ("(never (do pickup ?x))", "holds holds broken", "robot", "by step 9"),
        ("(forall (?x - fridge) (always (closed ?x)))", "holds broken broken", "robot", "by step 8"),
    ],
)
def test_a_simulation_says_of_each_rule_how_it_stood_after_each_step(
    office: Belief, rule: str, states: str, by: str | None, words: str
) -> None:
    steps = read_steps("goto(pose13)\ngoto(pose14)\ngoto(pose23)\ngoto(pose24)\ngoto(pose25)\ngoto(kitchen)")
    steps += read_steps("access(fridge)\nopen(fridge)\npickup(banana2)")
    (seen,) = verify_plan(steps, read_rules(rule, office)).rules
    assert seen.states[7:] == tuple(states.split()) and set(seen.states[:7]) == {seen.states[0]}
    assert (seen.kept, seen.broken_by) == (seen.states[-1] == "holds", by)
    assert words in "".join(verify_plan(steps, read_rules(rule, office)).feedback())


def test_rules_are_in_the_record_and_change_with_no_goal(office: Belief) -> None:
    ruled = read_rules("(never (robot_at pose13))", office)
    engine = Engine.named("pyperplan")
    record = run(Request(ruled, goal=parse_goal("(holding orange1)")), engine)
    assert record.outcome == "verified"
    assert "goto(pose13)" not in map(str, record.plan)
    raw = record.as_json()
    (rule,) = raw["rules"]
    assert rule == {
        "rule": "(always (not (robot_at pose13)))",
        "kept": True,
        "broken_by": None,
        "broken_at": None,
        "states": ["holds"] * (len(record.plan) + 1),
    }
    assert record.hashes["rules_before"] == record.hashes["rules_after"] == rules_hash(ruled.rules)
    free = run(Request(office, goal=parse_goal("(holding orange1)")), engine)
    assert "rules" not in free.as_json()
    assert "rules_before" not in free.hashes
    assert free.planning.verification.length_mm < record.planning.verification.length_mm


def test_a_goal_that_a_rule_excludes_is_a_goal_error(office: Belief) -> None:
    ruled = read_rules("(never (do goto kitchen ?x))\n(never (robot_at lobby))", office)
    record = run(Request(ruled, goal=parse_goal("(holding orange1)")), Engine.named("pyperplan"))
    assert record.outcome == "goal-error"
    assert "because of the rule (never (do goto kitchen ?x))" in record.diagnostics[-1].message
    assert "lobby" not in record.diagnostics[-1].message
    impossible = parse_goal("(and (open fridge) (closed fridge))")
    other = run(Request(ruled, goal=impossible), Engine.named("pyperplan"))
    assert "rule" not in {one.code for one in other.diagnostics}


RULED = """format = "groundplan-pack"
version = 1
name = "ruled"
extends = "household"

[operator]
rules = ["%s"]
"""


def ruled_pack(folder: Path, rule: str) -> str:
    """Write a pack that adds a rule to the household; return its folder."""
    folder.mkdir()
    (folder / "mapping.toml").write_text(RULED % rule, encoding="utf-8")
    (folder / "domain.pddl").write_text("(define (domain ruled))", encoding="utf-8")
    return str(folder)


def test_rules_of_a_pack_hold_beside_those_of_a_file(office: Belief, tmp_path: Path) -> None:
    pack = load_pack(ruled_pack(tmp_path / "own", "(never (do open ?x) :when (not (hand_free)))"))
    belief = ground(office.scene, pack)
    alone, both = read_rules(None, belief), read_rules("(never (robot_at pose5))", belief)
    assert [str(one) for one in alone.rules] == ["(never (do open ?x) :when (not (hand_free)))"]
    assert [str(one) for one in both.rules[1:]] == ["(always (not (robot_at pose5)))"]
    assert both.rules[0] == alone.rules[0]
    assert read_rules("\n".join(map(str, both.rules)), belief).rules == both.rules  # each once
    goal = parse_goal("(and (holding orange1) (open fridge))")
    record = run(Request(alone, goal=goal), Engine.named("pyperplan"))
    steps = list(map(str, record.plan))
    assert record.verified and steps.index("open(fridge)") < steps.index("pickup(orange1)")
    assert read_rules(None, office) is office


def called(*args: str) -> int:
    """Return the exit code of a command."""
    try:
        return main(args)
    except SystemExit as end:
        return int(end.code or 0)


def test_certify_asks_for_the_rules_of_the_run(tmp_path: Path) -> None:
    rules, others, folder = tmp_path / "rules.txt", tmp_path / "others.txt", tmp_path / "run"
    rules.write_text("(never (robot_at pose13))", encoding="utf-8")
    others.write_text("(never (robot_at pose5))", encoding="utf-8")
    asked = ["--goal", "(holding orange1)", "--rules", str(rules), "--out", str(folder)]
    assert called("plan", "--scene", "office", *asked) == 0
    certify = ["certify", str(folder), "--scene", "office"]
    assert called(*certify) == 2
    assert called(*certify, "--rules", str(others)) == 2
    assert called(*certify, "--rules", str(rules)) == 0
    stored = folder / "record.json"
    raw = json.loads(stored.read_text(encoding="utf-8"))
    raw["rules"] = []
    stored.write_text(json.dumps(raw), encoding="utf-8")
    assert called(*certify, "--rules", str(rules)) == 1


@pytest.mark.parametrize(
    ("rule", "goal"),
    [
        ("(never (do goto kitchen ?x))", "(holding orange1)"),
        ("(never (robot_at kitchen))", "(and (robot_at kitchen) (holding banana1))"),
        ("(never (do open fridge))", "(open fridge)"),
        ("(always (closed fridge))", "(and (holding apple1) (open fridge))"),
        ("(never (closed fridge))", "(holding apple1)"),
    ],
)
def test_the_record_of_a_goal_that_a_rule_excludes_is_rechecked(
    tmp_path: Path, office: Belief, rule: str, goal: str
) -> None:
    rules, folder = tmp_path / "rules.txt", tmp_path / "run"
    rules.write_text(rule, encoding="utf-8")
    assert (
        called("plan", "--scene", "office", "--goal", goal, "--rules", str(rules), "--out", str(folder)) == 2
    )
    certify = ["certify", str(folder), "--scene", "office", "--rules", str(rules)]
    assert called(*certify) == 0
    # A proof of less, or another finding, is no proof of this refusal.
    proof, stored = folder / "certificate.json", folder / "record.json"
    text, raw = proof.read_text(encoding="utf-8"), stored.read_text(encoding="utf-8")
    ruled = read_rules(rule, office)
    content, record = json.loads(text), json.loads(raw)
    assert recheck(record, ruled, parse_goal(goal).formula, content)["outcome"].status == "rechecked"
    record["certificate"] = None
    assert recheck(record, ruled, parse_goal(goal).formula)["outcome"].status == "not checked"
    stored.write_text(raw.replace(" because of the rule", ""), encoding="utf-8")
    assert called(*certify) == 1
