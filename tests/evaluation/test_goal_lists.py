"""The audit of lists of goals in the notation of behaviour-tree planners."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundplan.evaluation.golds.goal_lists import audited_line, is_goal_list, listed_goals

LIST = """1
Environment: 1
Instruction: put the pear away
Goals: IsIn_pear_chest & IsClose_chest
Optimal Actions: Walk_pear, Grab_pear

2
Goals: {goal}
"""


def findings(goal: str) -> list[tuple[str, str, str]]:
    text = LIST.format(goal=goal)
    assert is_goal_list(text)
    first, second = listed_goals(text, Path("pears.txt"))
    assert (first.id, second.id, second.line) == ("pears:1", "pears:2", 8)
    assert not audited_line(first).findings
    return [(one.diagnostic.code, one.basis, one.place) for one in audited_line(second).findings]


@pytest.mark.parametrize(
    ("goal", "code", "basis", "column"),
    [
        ("", "empty", "proved", 7),
        ("IsOpen_chest & IsNear_self_pear & IsOpen_chest", "redundant", "proved", 42),
        ("IsOpen_chest & & IsNear_self_pear", "syntax", "proved", 23),
        ("IsOpen(chest)", "syntax", "proved", 8),
        ("IsOpen_chest & IsClose_chest", "contradiction", "suspected", 23),
        ("IsSwitchedOff_lamp & IsSwitchedOn_lamp", "contradiction", "suspected", 29),
        ("IsOn_pear_chest & IsIn_pear_sack", "contradiction", "suspected", 26),
        ("On_Pear_Chest & On_Pear_Sack", "contradiction", "suspected", 24),
        ("IsOn_pear_pear", "contradiction", "suspected", 8),
    ],
)
def test_what_is_wrong_with_a_line_is_said_with_its_column(
    goal: str, code: str, basis: str, column: int
) -> None:
    assert findings(goal) == [(code, basis, f"pears.txt:8:{column}")]


@pytest.mark.parametrize(
    "goal",
    [
        "IsOpen_chest & IsClose_sack & IsIn_pear_chest & IsIn_plum_chest",
        "IsNear_self_pear & IsNear_self_chest",
        "On_Pear_Chest & Holding_Plum",
        "Low_ACTemperature",
    ],
)
def test_goals_that_can_hold_together_have_no_finding(goal: str) -> None:
    assert not findings(goal)


def test_what_is_no_list_is_none() -> None:
    assert not is_goal_list("(open fridge)\n; goals: none") and not is_goal_list("")
