"""Rules in a robot program: what each command asks for, what is remembered, and what is said."""

from __future__ import annotations

import json
from functools import cache
from xml.etree import ElementTree

import pytest
from golds import engine

from groundplan import Budget, check, ground, load_pack, load_scene, parse_goal, plan_goal, read_steps
from groundplan.compiler.certificates.rules import read_rules
from groundplan.domains.errors import GoalError, InputError
from groundplan.robot import Program, deviations, differences, program_schema, read_program, translate
from groundplan.robot.exports import ExportSource, check_tree, source_of, write_export, write_tree
from groundplan.robot.exports.formats import rules_written
from groundplan.robot.supervision import Advice, Supervisor, read_report
from groundplan.simulator.belief import Belief

OFFICE = ground(load_scene("office"), load_pack())
HEAT = "(and (hot noodles) (turned_off microwave))"


@cache
def source(rules: str, goal: str) -> ExportSource:
    belief, parsed = read_rules(rules, OFFICE) if rules else OFFICE, parse_goal(goal)
    result = plan_goal(parsed, belief, engine("pyperplan"), Budget(30))
    program = read_program(json.dumps(translate(result, belief, parsed).as_json()))
    assert deviations(program, belief) == () == differences(program, OFFICE), "its rules go with it"
    return ExportSource(program, result, belief, parsed)


def program_under(rules: str, goal: str) -> Program:
    return source(rules, goal).program


def told(program: Program, *reports: dict[str, object]) -> Advice:
    """Return the answer to the last of some reports."""
    supervisor = Supervisor(program)
    answers = [supervisor.take(read_report(report, "report")) for report in reports]
    return answers[-1]


def done(program: Program, before: int | None = None) -> list[dict[str, object]]:
    return [{"command": c.step, "status": "done"} for c in program.commands[:before]]


def index_of(program: Program, printed: str) -> int:
    return next(c.step for c in program.commands if c.printed == printed)


@pytest.mark.parametrize(
    ("rule", "goal", "printed", "facts"),
    [
        ("(never (do open ?x) :when (not (hand_free)))", "(open fridge)", "open(fridge)", ["(hand_free)"]),
        (
            "(never (hot orange1))",
            HEAT,
            "turn_on(microwave)",
            ["(not (hot orange1))", "(not (inside_of orange1 microwave))"],
        ),
        ("(never (in_room orange1 lobby))", "(robot_at kitchen)", "goto(kitchen)", ["(hand_free)"]),
        ("(never (do pickup ?x) :when (open microwave))", "(holding orange1)", "pickup(orange1)", None),
    ],
)
def test_a_guard_is_what_the_rule_rests_on_before_the_step(
    rule: str, goal: str, printed: str, facts: list[str] | None
) -> None:
    program = program_under(rule, goal)
    (guard,) = program.commands[index_of(program, printed)].guards
    assert list(map(str, guard.facts)) == (facts or ["(not (open microwave))"])


def test_a_step_that_cannot_touch_a_rule_is_not_guarded() -> None:
    program = program_under("(always (closed fridge))", "(inside_of apple1 cabinet4)")
    assert all(not command.guards for command in program.commands)


def test_a_command_that_might_break_a_rule_is_not_asked_for_and_the_rule_is_named() -> None:
    program = program_under("(never (hot orange1))", HEAT)
    switch = index_of(program, "turn_on(microwave)")
    answer = told(program, *done(program, switch), {"facts": {"(inside_of orange1 microwave)": True}})
    assert answer.word == "replan"
    fact = "(not (inside_of orange1 microwave))"
    rule = "(always (not (hot orange1)))"
    assert answer.reason == f"turn_on(microwave) might break the rule {rule}: {fact} does not hold"
    assert list(map(str, answer.rules)) == [rule]


def test_what_may_be_once_is_not_done_again() -> None:
    program = program_under("(at-most-once (not (hand_free)))", "(inside_of apple1 fridge)")
    pickup = index_of(program, "pickup(apple1)")
    assert told(program, *done(program, pickup)).command == pickup
    lost = {"facts": {"(inside_of apple1 cabinet4)": True, "(hand_free)": True, "(stands_at cabinet4)": True}}
    answer = told(program, *done(program, pickup + 1), lost)
    assert (
        answer.word == "replan" and "might break the rule (at-most-once (not (hand_free)))" in answer.reason
    )
    assert list(map(str, answer.rules)) == ["(always (hand_free))"], "a new plan begins with what has been"


def test_what_has_to_come_first_is_done_although_no_fact_rests_on_it() -> None:
    rule = "(sometime-before (holding orange1) (open microwave))"
    program = program_under(rule, "(holding orange1)")
    opens = index_of(program, "open(microwave)")
    assert told(program, *done(program, opens)).command == opens, "driving on would be possible, too"
    skipped = told(program, *done(program, opens), {"facts": {"(open microwave)": True}})
    assert skipped.command != opens, "it was seen open"
    pickup = program.commands[index_of(program, "pickup(orange1)")]
    assert [guard.clear for guard in pickup.guards] == [(0,)]


def test_what_is_due_is_no_success_and_belongs_into_the_goal_of_a_new_plan() -> None:
    rule = "(sometime-after (robot_at kitchen) (closed fridge))"
    program = program_under(rule, "(robot_at kitchen)")
    seen = {"(stands_at kitchen)": True, "(closed fridge)": False, "(open fridge)": True}
    answer = told(program, *done(program), {"facts": seen})
    assert (answer.word, answer.done) == ("replan", False)
    assert answer.reason == f"the rule {rule} leaves something due"
    assert list(map(str, answer.rules)) == ["(sometime (closed fridge))", rule]
    assert told(
        program, *done(program), {"facts": {**seen, "(closed fridge)": True, "(open fridge)": False}}
    ).done


def test_a_rule_that_others_broke_stops_only_what_touches_it() -> None:
    program = program_under("(always (closed fridge))", "(holding orange1)")
    answer = told(program, {"facts": {"(open fridge)": True}})
    assert (answer.word, answer.command) == ("continue", 0)


def test_the_constraints_of_a_goal_are_rules_of_its_program() -> None:
    order = "(sometime-before (holding orange1) (open microwave))"
    made = source("", f"(and (holding orange1) {order} (never (robot_at pose13)))")
    assert [rule.rule for rule in made.program.rules.kept] == [
        order,
        "(always (not (robot_at pose13)))",
    ]
    assert made.program.operator_rules() == ()
    assert told(made.program, *done(made.program), {"facts": {"(holding orange1)": True}}).done
    (text,) = write_export("btcpp", made, "reactive").values()
    assert check_tree(text) == () and rules_written(text) == ()
    with pytest.raises(InputError, match="without constraints on the run"):
        write_export("plansys2", made)


def moved(**change: dict[str, object]) -> Belief:
    return ground(OFFICE.scene.changed(change=change), OFFICE.pack)


def test_the_monitor_stops_before_the_step_that_breaks_a_rule_in_the_world_as_it_is() -> None:
    program = program_under("(never (hot orange1))", HEAT)
    truth = moved(orange1={"parent": "microwave", "relation": "inside_of"})
    *_, last = deviations(program, truth)
    assert (last.when, last.printed, last.fact) == (
        "rule",
        "turn_on(microwave)",
        "(always (not (hot orange1)))",
    )
    rule = "(sometime-after (robot_at kitchen) (closed fridge))"
    found = deviations(program_under(rule, "(robot_at kitchen)"), moved(fridge={"state": ("open",)}))
    assert [(d.when, d.fact, d.message) for d in found] == [("end", rule, f"{rule} is due")]


def test_a_drive_through_many_rooms_remembers_those_that_it_passes() -> None:
    belief = read_rules("(at-most-once (robot_at pose14))", ground(load_scene("office"), load_pack("grasif")))
    goal = parse_goal("(robot_at kitchen)")
    made = source_of(read_steps("go_to(kitchen)"), belief, goal)
    (guard,) = made.program.commands[0].guards
    (passed,) = guard.passes
    assert guard.clear == (0,) and passed.values.count((True,)) == 1 and passed.values[-1] == (False,)
    text = write_tree(made, "reactive")
    assert text.count("what was passed") == 2, "it begins with the skill, and ends once that is confirmed"
    assert check_tree(text, belief.pack) == ()


@pytest.mark.parametrize(
    ("later", "due"),
    [
        ("(closed fridge)", "(sometime (closed fridge))"),
        ("(not (open fridge))", "(sometime (not (open fridge)))"),
        (
            "(or (holding apple1) (open cabinet2))",
            "(or (sometime (holding apple1)) (sometime (open cabinet2)))",
        ),
        ("(exists (?x - fridge) (closed ?x))", "(sometime (closed fridge))"),
        (
            "(or (holding apple1) (and (closed fridge) (open cabinet2)))",
            "(or (sometime (holding apple1)) (and (closed fridge) (open cabinet2)))",
        ),
    ],
)
def test_what_is_due_is_said_as_a_part_that_a_goal_may_have(later: str, due: str) -> None:
    rule = f"(sometime-after (open microwave) {later})"
    seen = {"(open microwave)": True, "(open fridge)": True, "(closed fridge)": False}
    answer = told(program_under(rule, "(holding banana2)"), {"facts": seen})
    assert (answer.word, [*map(str, answer.rules)]) == ("replan", [due, rule])
    goal = parse_goal(f"(and (holding banana2) {due})")
    assert check(goal, OFFICE).ok
    assert plan_goal(goal, OFFICE, engine("pyperplan"), Budget(30)).verified


def test_an_interval_goes_on_where_its_end_is_reported_and_not_seen() -> None:
    rule = "(at-most-once (open fridge))"
    made = source(rule, "(and (holding banana2) (closed fridge))")
    close = index_of(made.program, "close(fridge)")
    still = {"command": close, "status": "done", "facts": {"(open fridge)": True}}
    failed = {"command": close, "status": "failed"}
    assert told(made.program, *done(made.program, close), still).printed == "close(fridge)"
    advice = told(made.program, *done(made.program, close), still, failed, failed)
    assert (advice.word, [*map(str, advice.rules)]) == ("replan", [rule])
    tree = ElementTree.fromstring(write_tree(made, "reactive"))
    (row,) = tree.iterfind(".//Sequence[@name='do close(fridge)']")
    names = [child.get("name", child.tag) for child in row]
    assert names[-4:] == ["Holds", "Holds", "Holds", f"{rule}: what was passed"]
    assert names.count(names[-1]) == 1


def test_a_goal_that_no_reader_of_programs_takes_becomes_no_program() -> None:
    with pytest.raises(GoalError, match="expected sometime over a literal"):
        source("", "(and (holding banana2) (sometime (and (open fridge) (hand_free))))")


def test_a_rule_that_facts_cannot_say_is_refused_by_what_looks_at_facts() -> None:
    rule = "(at-most-once (at-least 5 (?x - item) (in_room ?x kitchen)))"
    made = source(rule, "(robot_at kitchen)")
    assert made.program.rules.kept[0].unsaid == "it comes to too many facts"
    for use in (lambda: Supervisor(made.program), lambda: write_tree(made, "reactive")):
        with pytest.raises(InputError, match="a rule that facts can say") as fault:
            use()
        assert "or carry it out with `run`" in str(fault.value)
    assert write_export("btcpp", made)


def changed(where: list[object], value: object) -> str:
    """Return a program with another value in one place."""
    rules = (
        "(sometime-before (holding orange1) (open microwave))\n(never (do open ?x) :when (not (hand_free)))"
    )
    document = json.loads(json.dumps(program_under(rules, "(holding orange1)").as_json()))
    place = document
    for key in where[:-1]:
        place = place[key]
    place[where[-1]] = value
    return json.dumps(document)


GUARDED = ["commands", -1, "guards", 0]


@pytest.mark.parametrize(
    ("where", "value", "words"),
    [
        (["rules"], [], "rules: expected an object"),
        (["rules", "kept", 0, "constraints", 0, "constraint"], "(open fridge)", "a constraint on the run"),
        (
            ["rules", "kept", 0, "constraints", 0, "parts"],
            ["(open fridge)"],
            "expected 2 conditions of facts",
        ),
        (["rules", "kept", 0, "constraints", 0, "parts"], ["(open ?x)", "(open b)"], "2 conditions of facts"),
        (["rules", "places"], {"inside": {"a": 3}}, "the names of nodes"),
        (["rules", "start"], ["(open"], "rules.start"),
        ([*GUARDED, "rule"], 9, "an index below 2, the rules"),
        ([*GUARDED, "clear"], [4], "an index below 1, the constraints of the rule"),
        ([*GUARDED, "facts"], ["(or (open a) (open b))"], "expected a fact"),
        ([*GUARDED, "passes"], [{"constraint": 0, "values": [[True]]}], "2 values in each state"),
    ],
)
def test_what_is_no_rule_or_guard_is_refused_with_its_place(
    where: list[object], value: object, words: str
) -> None:
    with pytest.raises(InputError) as fault:
        read_program(changed(where, value))
    assert words in str(fault.value)


def test_a_program_without_rules_is_read_as_one_that_has_none() -> None:
    document = program_under("", "(holding orange1)").as_json()
    assert document["rules"] == {"kept": [], "start": [], "places": None}
    del document["rules"]
    assert read_program(json.dumps(document)) == program_under("", "(holding orange1)")
    assert "rules" not in program_schema()["required"]  # type: ignore[operator]


@pytest.mark.parametrize("form", ["program", "btcpp"])
def test_an_exported_plan_says_the_rules_that_it_was_made_under(form: str) -> None:
    rules = ["(always (closed fridge))", "(at-most-once (holding orange1))"]
    (text,) = write_export(form, source("\n".join(rules), "(holding orange1)"), "reactive").values()
    assert " ".join(rules_written(text)) == " ".join(rules)
