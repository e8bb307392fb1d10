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
        ("IsIn_pear_sack & IsOn_sack_crate & IsIn_crate_pear", "contradiction", "suspected", 43),
        ("IsHolding_self_pear & IsIn_pear_chest", "contradiction", "suspected", 30),
        ("IsIn_pear_chest & IsLeftHolding_self_pear", "contradiction", "suspected", 26),
        ("IsHolding_self_pear & IsHolding_self_plum", "contradiction", "suspected", 30),
        ("IsRightHolding_self_pear & IsRightHandEmpty_self", "contradiction", "suspected", 35),
        ("Holding_Nothing & Holding_Pear", "contradiction", "suspected", 26),
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
        "IsLeftHolding_self_pear & IsRightHolding_self_plum",
        "IsHolding_anna_pear & IsHolding_bert_plum & IsIn_fig_sack & IsIn_sack_chest & IsIn_nut_sack",
        "IsHolding_self_pear & IsLeftHolding_self_pear & IsRightHandEmpty_self",
        "Low_ACTemperature",
    ],
)
def test_goals_that_can_hold_together_have_no_finding(goal: str) -> None:
    assert not findings(goal)


def test_a_long_chain_of_things_in_things_is_followed_in_time() -> None:
    chain = " & ".join(f"IsIn_a{n}_a{n + 1}" for n in reversed(range(20_000)))
    assert findings(chain) == []
    assert [code for code, *_ in findings(f"{chain} & IsIn_a20000_a0")] == ["contradiction"]


def test_what_is_no_list_is_none() -> None:
    assert not is_goal_list("(open fridge)\n; goals: none") and not is_goal_list("")
