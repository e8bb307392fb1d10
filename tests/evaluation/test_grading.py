"""Graders of runs, and the agreement of graders by kappas that were computed by hand."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from statsmodels.stats.inter_rater import cohens_kappa

from groundplan.compiler.goals.goal import parse_goal
from groundplan.datasets.library import find_task
from groundplan.domains.pack import load_pack
from groundplan.engines.engine import Engine
from groundplan.evaluation.golds.grading import GRADERS, graded
from groundplan.evaluation.golds.label_agreement import agreement, kappa_interval
from groundplan.simulator.belief import ground
from groundplan.simulator.step import read_steps

TASK = find_task("office-planning-simple-02")
BELIEF = ground(TASK.load(), load_pack())
GOLD = parse_goal(TASK.gold.goal)
ENGINE = Engine.named("pyperplan")
STORED = Path(__file__).parent / "measured" / "qwen2.5-coder-1.5b.jsonl"
SCIKIT_LEARN = 0.4368081180811808


def grades(goal: str | None = None, plan: str | None = None) -> tuple[dict[str, bool | None], str]:
    steps = None if plan is None else read_steps(plan)
    run = graded(("r", TASK.id), goal, steps, GOLD, BELIEF, ENGINE)
    return dict(run.grades), run.relation


@pytest.mark.parametrize(
    ("goal", "expected", "relation"),
    [  # simulator, diff, dnf, f1, exact
        ("(and (inside_of orange1 fridge) (closed fridge))", "yyyyy", "equal"),
        ("(and (closed fridge) (inside_of orange1 fridge))", "yyyyn", "equal"),
        ("(not (or (not (closed fridge)) (not (inside_of orange1 fridge))))", "yyyyn", "equal"),
        ("(and (inside_of orange1 fridge) (not (open fridge)))", "yynnn", "equal"),
        ("(and (inside_of orange1 fridge) (closed fridge) (cold orange1))", "yynnn", "equal"),
        ("(and (inside_of orange1 fridge) (closed fridge) (robot_at kitchen))", "yynnn", "stronger"),
        ("(inside_of orange1 fridge)", "nnnnn", "weaker"),  # its plan leaves the fridge open
        ("(open fridge)", "nnnnn", "disjoint"),
        ("(holding orange1)", "nnnnn", "disjoint"),
        ("(and (inside_of orange1 fridge) (ontop_of orange1 kitchen_bench))", "nnnnn", "stronger"),
        ("(inside_of orange1 fridge", "nnnnn", ""),
        ("(inside_of orange99 fridge)", "nnnnn", ""),
    ],
)
def test_each_grader_says_what_it_looks_at(goal: str, expected: str, relation: str) -> None:
    made, related = grades(goal)
    assert made == dict(zip(GRADERS, (letter == "y" for letter in expected), strict=True))
    assert related == relation


def test_a_plan_is_graded_by_the_simulator_and_a_run_without_a_goal_by_no_other() -> None:
    plan = "goto(pose13)\ngoto(pose14)\ngoto(pose23)\ngoto(pose24)\ngoto(pose25)\ngoto(kitchen)\n"
    whole = f"{plan}access(kitchen_bench)\npickup(orange1)\naccess(fridge)\nopen(fridge)\nrelease(orange1)\n"
    made, _ = grades(plan=f"{whole}close(fridge)")
    assert made == {"simulator": True, "diff": None, "dnf": None, "f1": None, "exact": None}
    assert grades(plan=whole)[0]["simulator"] is False and grades(plan="")[0]["simulator"] is False
    both, _ = grades("(inside_of orange1 fridge", f"{whole}close(fridge)")
    assert both == {"simulator": True, "diff": False, "dnf": False, "f1": False, "exact": False}


def test_a_witness_shows_what_a_weaker_goal_lets_pass() -> None:
    run = graded(("r", TASK.id), "(inside_of orange1 fridge)", None, GOLD, BELIEF, ENGINE, ("diff",))
    assert "(inside_of orange1 fridge)" in run.witness and "(open fridge)" in run.witness
    assert run.grades == {"diff": False} and not run.disputed


def test_quantifiers_are_expanded_for_graders_of_text() -> None:
    gold = parse_goal("(forall (?a - apple) (in_room ?a kitchen))")
    apples = " ".join(f"(in_room {name} kitchen)" for name in BELIEF.members("apple"))
    run = graded(("r", "t"), f"(and {apples})", None, gold, BELIEF, ENGINE, ("dnf", "f1", "exact"))
    assert dict(run.grades) == {"dnf": True, "f1": True, "exact": False} and run.f1 == 1.0
    one = graded(("r", "t"), "(in_room apple1 kitchen)", None, gold, BELIEF, ENGINE, ("f1",))
    assert one.f1 == pytest.approx(2 / (1 + len(BELIEF.members("apple"))))
    every = "(forall (?a - item ?b - item) (or (= ?a ?b) (not (ontop_of ?a ?b))))"
    large = graded(("r", "t"), every, None, gold, BELIEF, ENGINE, ("dnf",))
    assert large.grades == {"dnf": None} and "more than" in large.notes[0]


@pytest.mark.parametrize(
    ("first", "second", "kappa"),
    [
        ("yyyynnnn", "yyyynnnn", 1.0),
        ("yyyynnnn", "yyynnnny", 0.5),  # p = 6/8, e = 1/2
        ("yynnnnnnnn", "ynynnnnnnn", 0.375),  # p = 8/10, e = 0.2 * 0.2 + 0.8 * 0.8 = 0.68
        ("yyyy", "yyyy", None),
        ("ynyn", "nyny", -1.0),
    ],
)
def test_kappas_are_those_computed_by_hand(first: str, second: str, kappa: float | None) -> None:
    labels = [[letter == "y" for letter in one] for one in (first, second)]
    made = agreement(*labels).kappa
    assert made == (None if kappa is None else pytest.approx(kappa))


def test_kappas_of_132_stored_rows_are_those_of_other_programs() -> None:
    """What a run says of itself, and its judgement, as many as of a judge in print (SafeAgentBench, 12).

    scikit-learn 1.9.1, which the tests do not need, gives the constant (``cohen_kappa_score``).
    """
    rows = [json.loads(line) for line in STORED.read_text(encoding="utf-8").splitlines()[:132]]
    first, second = ([row[key] for row in rows] for key in ("verified", "right"))
    made, cells = agreement(first, second), Counter(zip(first, second, strict=True))
    assert (made.cases, made.first, made.second, made.both) == (132, 71, 70, 52)
    table = [[cells[x, y] for y in (True, False)] for x in (True, False)]
    theirs = cohens_kappa(table)
    assert made.kappa == pytest.approx(theirs.kappa, abs=1e-12) == pytest.approx(SCIKIT_LEARN, abs=1e-12)
    ends = kappa_interval(first, second)
    assert ends is not None and ends == pytest.approx((theirs.kappa_low, theirs.kappa_upp), abs=0.02)


def test_the_interval_of_kappa_holds_it_and_narrows_with_cases() -> None:
    first, second = [True, False, True, True, False] * 8, [True, False, False, True, False] * 8
    kappa, ends = agreement(first, second).kappa, kappa_interval(first, second)
    assert ends is not None and kappa is not None and ends[0] < kappa < ends[1]
    wide = kappa_interval(first[:10], second[:10])
    assert wide is not None and wide[1] - wide[0] > ends[1] - ends[0]
    assert kappa_interval(first, second) == ends, "seeded"
    assert kappa_interval([True] * 5, [True] * 5) is None
