"""Plans in the text of planners: one reader of lines, for files and for answers of engines."""

from __future__ import annotations

import pytest

from groundplan.compiler.engine_plan import ActionLines, action_lines, is_engine_plan
from groundplan.domains.errors import InputError
from groundplan.domains.pack import load_pack


def test_lines_are_actions_in_lower_case_by_their_number() -> None:
    text = "\ufeff(a B c)\r\n\n  (d) ; why not\n; cost = 3\n"
    assert action_lines(text) == ActionLines(((1, ("a", "b", "c")), (3, ("d",))), 3)
    assert action_lines("") == ActionLines((), None)


@pytest.mark.parametrize("line", ["0.001: (a b) [1.000]", "0: (A b)[1]", "1.: (a B) [D:1.0]"])
def test_times_and_durations_are_passed_over(line: str) -> None:
    assert action_lines(line).actions == (("a", "b"),)


@pytest.mark.parametrize("text", ["()", "(a (b))", "a b", "(a", "(a) b", "[1.0]", "a: b", "goto(", "4 (a)"])
def test_what_is_no_action_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(InputError, match=r"\Aits plan:2: expected an action in parentheses"):
        action_lines(f"(fine)\n{text}", "its plan")


@pytest.mark.parametrize("cost", ["-3", "many", "9" * 5000, ""])
def test_a_cost_that_is_none_is_only_a_comment(cost: str) -> None:
    assert action_lines(f"(a)\n; cost = {cost}").cost is None
    assert action_lines(f"; cost = 2\n(a)\n; COST=7 (unit cost)\n; cost = {cost}").cost == 7


def test_printed_steps_are_no_plan_of_a_planner() -> None:
    pack = load_pack()
    for text in (
        "; of lama\n0: (a b)",
        "(broken",
        "step 0: GOTO A B\n",
        "goto(a, b)",
        "[open(x), goto(a, b)]",
    ):
        assert is_engine_plan(text, pack), text
    for text in ("goto(pose1)\nopen(fridge)", "", "1. goto(pose1)", "- open(fridge)\n", "fly(a, b)"):
        assert not is_engine_plan(text, pack), text


FORMS = {
    "FF": "step    0: GOTO A B\n        1: OPEN-IT C\n",
    "unified-planning": "SequentialPlan:\n    goto(a, b)\n    open-it(c)\n",
    "its repr": "[goto(a, b), open-it(c)]",
    "a line of calls": "goto(a, b), open-it(c),",
    "a fence": "Here is the plan:\n```pddl\n(goto a b)\n(open-it c)\n```",
    "a list": "1. (goto a b)\n2) open-it(c)",
    "bullets": "- (goto a b) [1]\n* (open-it c)[D:1; C:0.1]",
    "times": "0.5: (goto a b) [1]\n1.5: (open-it c)",
}


@pytest.mark.parametrize("form", FORMS)
def test_plans_are_read_in_the_forms_that_planners_and_models_print(form: str) -> None:
    assert action_lines(FORMS[form]).actions == (("goto", "a", "b"), ("open-it", "c"))


@pytest.mark.parametrize("second", ["1.0", "0.5", "0"])
def test_times_that_do_not_rise_are_refused(second: str) -> None:
    with pytest.raises(InputError, match=rf"plan:3: expected a time later than 1.0,.* got {second};"):
        action_lines(f"; two robots\n1.0: (a b)\n{second}: (c d)")
