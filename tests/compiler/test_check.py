"""The static check of goals: every code once, with its place and its fix; and what is compiled how."""

from __future__ import annotations

import pytest

from groundplan.compiler.goals.checker import check
from groundplan.compiler.goals.goal import GoalSyntaxError, parse_goal
from groundplan.compiler.normal import normal_form
from groundplan.compiler.pddl import render
from groundplan.compiler.problem import build, denied_to_events
from groundplan.datasets.scenes import load_scene
from groundplan.domains.ending import Ending
from groundplan.domains.errors import GoalError
from groundplan.domains.formula import Atom
from groundplan.domains.pack import load_pack
from groundplan.engines.engine import Engine
from groundplan.planners.classical import plan_goal
from groundplan.simulator.belief import Belief, ground

OFFICE = ground(load_scene("office"), load_pack())


def found(goal: str, belief: Belief = OFFICE) -> list[tuple[str, str, str, tuple[str, ...]]]:
    report = check(parse_goal(goal), belief)
    return [
        (d.code, d.severity, goal[d.span.start : d.span.end] if d.span else "", tuple(map(str, d.fixes)))
        for d in report.diagnostics
    ]


@pytest.mark.parametrize(
    ("goal", "code", "severity", "text", "fix"),
    [
        ("(closed frigde)", "unknown-node", "error", "frigde", "fridge"),
        ("(closd fridge)", "unknown-predicate", "error", "(closd fridge)", "closed"),
        ("(closed Fridge)", "unknown-node", "error", "Fridge", "fridge"),
        ("(exists (?f - frige) (closed ?f))", "unknown-class", "error", None, "fridge"),
        ("(exists (?food - fridge) (closed ?foot))", "unbound-variable", "error", "?foot", "?food"),
        ("(closed ?x)", "unbound-variable", "error", "?x", ""),
        ("(closed fridge orange1)", "arity", "error", "(closed fridge orange1)", ""),
        ("(fridge)", "arity", "error", "(fridge)", ""),
        ("(holding fridge)", "type", "error", "fridge", ""),
        ("(in_room orange1 fridge)", "type", "error", "fridge", ""),
        ("(exists (?r - room) (holding ?r))", "type", "error", "?r", ""),
        ("(turned_on fridge)", "affordance", "error", "(turned_on fridge)", ""),
        (
            "(and (inside_of orange1 fridge) (holding orange1))",
            "contradiction",
            "error",
            "(holding orange1)",
            "",
        ),
        ("(and (holding orange1) (hand_free))", "contradiction", "error", "(hand_free)", ""),
        ("(and (open fridge) (not (open fridge)))", "contradiction", "error", None, ""),
        ("(and (open fridge) (closed fridge))", "contradiction", "error", "(closed fridge)", ""),
        ("(exactly 99 (?f - fridge) (open ?f))", "count", "error", None, ""),
        ("(sometime (and (open fridge) (hand_free)))", "sometime-literal", "error", None, ""),
        ("(not (sometime (open fridge)))", "unsupported", "error", None, ""),
        ("(and (open fridge) (open fridge))", "redundant", "warning", "(open fridge)", ""),
        ("(closed fridge)", "already-true", "warning", "(closed fridge)", ""),
        ("(and)", "vacuous", "warning", "(and)", ""),
        ("(or)", "vacuous", "warning", "(or)", ""),
        ("(not (and))", "vacuous", "warning", "(not (and))", ""),
        ("(and (not (and)) (open fridge))", "vacuous", "warning", None, ""),
        ("(imply (and) (or))", "vacuous", "warning", "(imply (and) (or))", ""),
        ("(at-most 99 (?f - fridge) (open ?f))", "vacuous", "warning", None, ""),
    ],
)
def test_findings_have_code_place_and_fix(
    goal: str, code: str, severity: str, text: str | None, fix: str
) -> None:
    matching = [f for f in found(goal) if f[0] == code]
    assert matching, found(goal)
    got = matching[0]
    assert got[1] == severity
    assert got[2] == (text if text is not None else got[2])
    assert not fix or fix in got[3]
    report = check(parse_goal(goal), OFFICE)
    assert report.ok == (severity == "warning")
    if severity == "error":
        with pytest.raises(GoalError):
            report.raise_errors()


def test_a_negation_that_nothing_undoes_gets_its_fix() -> None:
    dirty = next(n.id for n in OFFICE.scene.nodes.values() if "dirty" in n.state)
    (finding,) = found(f"(not (dirty {dirty}))")
    assert finding == ("irreversible", "error", f"(not (dirty {dirty}))", (f"(clean {dirty})",))


@pytest.mark.parametrize(
    "goal",
    [
        "(inside_of orange1 fridge)",
        "(exists (?f - fridge) (inside_of orange1 ?f))",
        "(forall (?c - cabinet) (closed ?c))",
        "(and (robot_at kitchen) (holding orange1))",
        "(exactly 1 (?f - fridge) (open ?f))",
        "(imply (open fridge) (hand_free))",
        "(sometime (open fridge))",
    ],
)
def test_good_goals_have_no_errors(goal: str) -> None:
    assert check(parse_goal(goal), OFFICE).ok


@pytest.mark.parametrize(
    ("goal", "form"),
    [
        ("(and)", "(and)"),
        ("(or)", "(or)"),
        ("(= fridge fridge)", "(and)"),
        ("(fridge fridge)", "(and)"),
        ("(not (fridge fridge))", "(or)"),
        ("(not (and (open fridge) (hand_free)))", "(or (not (open fridge)) (not (hand_free)))"),
        ("(imply (open fridge) (hand_free))", "(or (not (open fridge)) (hand_free))"),
        ("(exists (?f - fridge) (open ?f))", "(open fridge)"),
        ("(in_room fridge kitchen)", "(and)"),
        ("(and (open fridge) (and (open fridge)))", "(open fridge)"),
        ("(at-least 0 (?f - fridge) (open ?f))", "(and)"),
        ("(at-most 0 (?f - fridge) (open ?f))", "(not (open fridge))"),
        ("(robot_at fridge)", "(stands_at fridge)"),
    ],
)
def test_normal_forms(goal: str, form: str) -> None:
    assert str(normal_form(parse_goal(goal).formula, OFFICE)) == form


def test_expansion_is_bounded() -> None:
    goal = "(forall (?a ?b ?c - item) (not (inside_of ?a ?b)))"
    with pytest.raises(GoalError, match="expanded parts"):
        normal_form(parse_goal(goal).formula, OFFICE)


def test_what_an_event_adds_may_be_denied() -> None:
    form = normal_form(parse_goal("(and (holding orange1) (not (cold orange1)))").formula, OFFICE)
    assert [a.predicate for a in build(form, OFFICE).goal] == ["holding", "(not-cold)"]
    assert denied_to_events(form, OFFICE) == (Atom("cold", ("orange1",)),)
    assert plan_goal(parse_goal("(not (cold orange1))"), OFFICE, Engine.named("pyperplan")).cost == 0


def test_what_is_kept_does_not_grow_with_the_scene() -> None:
    form = normal_form(parse_goal("(inside_of orange1 fridge)").formula, OFFICE)
    problem = build(form, OFFICE)
    assert len(problem.objects) <= 5
    assert len(render(problem).problem) < 3000
    assert {"orange1", "fridge", "kitchen_bench"} <= {n for n, _ in problem.objects}
    wider = build(form, OFFICE, extra=["desk1"])
    assert {n for n, _ in wider.objects} == {n for n, _ in problem.objects} | {"desk1"}


@pytest.mark.parametrize(
    ("goal", "proof"),
    [
        ("(or)", "fixed facts"),
        ("(and (open fridge) (= fridge orange1))", "fixed facts"),
        ("(turned_on fridge)", "fixed facts"),
        ("(inside_of orange1 kitchen_bench)", "fixed facts"),
    ],
)
def test_what_cannot_be_is_proved(goal: str, proof: str) -> None:
    planned = plan_goal(parse_goal(goal), OFFICE, Engine.named("pyperplan"))
    assert planned.ending is Ending.UNSOLVABLE
    assert planned.proof and planned.proof.startswith(proof)
    assert planned.reasons


@pytest.mark.parametrize(
    ("goal", "message"),
    [
        ("(robot_at pose13 pose14)", "robot_at takes 1 argument, not 2"),
        ("(in_room apple1)", "in_room takes 2 arguments, not 1"),
        (
            "(and (holding orange1) (hand_free))",
            "(holding orange1) and (hand_free) cannot both hold (exclusive group hand)",
        ),
        ("(not (or))", "the goal is always true: empty conjunctions and disjunctions decide it"),
        ("(not (and))", "the goal is never true: empty conjunctions and disjunctions decide it"),
    ],
)
def test_messages_are_sentences(goal, message):
    try:
        given = check(parse_goal(goal), OFFICE).diagnostics
    except GoalSyntaxError as error:
        given = (error.diagnostic,)
    assert [d.message for d in given] == [message]


@pytest.mark.parametrize(
    ("goal", "part"),
    [
        ("(exists (?x - item) (and (inside_of ?x fridge) (inside_of ?x drawer)))", "cannot both hold"),
        ("(and (open fridge) (exists (?x - item) (and (in_room ?x kitchen) (in_room ?x admin))))", "not in"),
        ("(exists (?x - item) (and (holding ?x) (ontop_of ?x desk1)))", "cannot both hold"),
    ],
)
def test_nothing_can_be_chosen_where_each_choice_contradicts_itself(goal: str, part: str) -> None:
    findings = check(parse_goal(goal), OFFICE).diagnostics
    assert [f.code for f in findings if f.severity == "error"] == ["contradiction"]
    assert "nothing can be chosen" in findings[0].message and part in findings[0].message


@pytest.mark.parametrize(
    "goal",
    [
        "(exists (?r - room) (and (in_room apple1 ?r) (in_room apple1 lobby)))",
        "(exists (?d - desk) (and (ontop_of apple1 ?d) (in_room apple1 kitchen)))",
        "(exists (?x - item ?y - item) (and (inside_of ?x fridge) (inside_of ?y drawer)))",
        "(exists (?x - item) (or (inside_of ?x fridge) (inside_of ?x drawer)))",
        "(exists (?x - item) (and (sometime (inside_of ?x fridge)) (holding ?x)))",
    ],
)
def test_something_can_be_chosen_where_one_choice_will_do(goal: str) -> None:
    assert check(parse_goal(goal), OFFICE).ok


def test_a_part_that_is_no_atom_is_held_against_its_negation_and_itself():
    part = "(exists (?a - apple) (holding ?a))"
    twice, denied = f"(and {part} {part})", f"(and {part} (not {part}))"
    for goal, code in ((denied, "contradiction"), (twice, "redundant")):
        found = check(parse_goal(goal), ground(load_scene("office"), load_pack())).diagnostics
        assert [(one.code, one.span.column) for one in found] == [(code, goal.rindex(part) + 1)]
