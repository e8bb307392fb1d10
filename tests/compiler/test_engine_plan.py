"""Plans in the text of planners: one reader of lines, for files and for answers of engines."""

from __future__ import annotations

import pytest

from groundplan.compiler.engine_plan import ActionLines, action_lines, is_engine_plan
from groundplan.domains.errors import InputError


def test_lines_are_actions_in_lower_case_by_their_number() -> None:
    text = "\ufeff(a B c)\r\n\n  (d) ; why not\n; cost = 3\n"
    assert action_lines(text) == ActionLines({1: ("a", "b", "c"), 3: ("d",)}, 3)
    assert action_lines("") == ActionLines({}, None)


@pytest.mark.parametrize("line", ["0.001: (a b) [1.000]", "0: (A b)[1]", "1.: (a B) [D:1.0]"])
def test_times_and_durations_are_passed_over(line: str) -> None:
    assert list(action_lines(line).actions.values()) == [("a", "b")]


@pytest.mark.parametrize("text", ["()", "(a (b))", "a b", "(a", "(a) (b)", "[1.0]", "goto(pose1)"])
def test_what_is_no_action_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(InputError, match=r"\Aits plan:2: expected an action in parentheses"):
        action_lines(f"(fine)\n{text}", "its plan")


@pytest.mark.parametrize("cost", ["-3", "many", "9" * 5000, ""])
def test_a_cost_that_is_none_is_only_a_comment(cost: str) -> None:
    assert action_lines(f"(a)\n; cost = {cost}").cost is None
    assert action_lines(f"; cost = 2\n(a)\n; COST=7 (unit cost)\n; cost = {cost}").cost == 7


def test_printed_steps_are_no_plan_of_a_planner() -> None:
    assert is_engine_plan("; of lama\n0: (a b)") and is_engine_plan("(broken")
    assert not is_engine_plan("goto(pose1)\nopen(fridge)") and not is_engine_plan("")
