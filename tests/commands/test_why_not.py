"""`why-not` of one goal and of many: what is printed, its exit codes, and goals that are none."""

from __future__ import annotations

import json
from pathlib import Path

OFFICE = ("--scene", "office")
BOTH = "(and (hot pepsi) (holding pepsi) (hand_free))"


def test_a_conflict_and_what_can_be_had_are_shown_with_prices(cli) -> None:
    ran = cli("why-not", BOTH, *OFFICE)
    assert ran.code == 1 and "impossible: no plan makes the goal true" in ran.out
    assert "Hold pepsi.  (holding pepsi)\n  Empty the hand.  (hand_free)" in ran.out
    assert '1. nearest: drop "Hold pepsi."\n     81.17 metres and 0.50 for handling, 22 steps' in ran.out
    asked = cli("why-not", BOTH, *OFFICE, "--json")
    assert asked.code == 1 and asked.json["outcome"] == "impossible"
    first = asked.json["corrections"][0]
    assert (first["nearest"], first["given_up"], first["changes"][0]["kind"]) == (True, 1, "drop")
    priced = cli("plan", "--goal", first["goal"], *OFFICE, "--no-tidy", "--json").json
    price = first["price"]
    assert (priced["cost"], priced["verified"]) == (round(price["metres"] + price["effort"], 3), True)
    assert asked.json["conflict"]["minimal"] is True


def test_a_possible_goal_has_a_price_for_each_part(cli) -> None:
    ran = cli("why-not", "--goal", "(and (hot pepsi) (open fridge))", *OFFICE)
    assert ran.code == 0 and "possible: a verified plan" in ran.out
    assert "without it: 32.84 metres and 0.10 for handling, 8 steps, 48.33 metres less" in ran.out


def test_many_goals_are_answered_by_id(cli, tmp_path: Path) -> None:
    file = tmp_path / "goals.jsonl"
    rows = [{"id": "a", "goal": BOTH}, {"id": "b", "goal": "(open fridge)"}]
    file.write_text("\n".join(map(json.dumps, rows)))
    ran = cli("why-not", f"@{file}", *OFFICE, "--json")
    assert ran.code == 1
    assert [(g["id"], g["outcome"]) for g in ran.json["goals"]] == [("a", "impossible"), ("b", "possible")]


def test_goals_that_are_none_are_bad_input(cli) -> None:
    ran = cli("why-not", "(open frige)", *OFFICE)
    assert ran.code == 2 and "try fridge" in ran.err
    assert cli("why-not", "(open frige)", *OFFICE, "--json").json["outcome"] == "goal-error"
    assert cli("why-not", *OFFICE).code == 2
    assert cli("why-not", "(open fridge)", "--goal", "(open fridge)", *OFFICE).code == 2
    assert cli("why-not", "(open fridge)", *OFFICE, "--engine", "no-such").code == 2


def test_rules_are_kept_by_whatever_can_be_had(cli, tmp_path: Path) -> None:
    rules = tmp_path / "rules.txt"
    rules.write_text("(never (robot_at kitchen))")
    goal = "(and (hot pepsi) (holding banana1))"
    asked = cli("why-not", goal, *OFFICE, "--rules", rules, "--json").json
    assert "because of the rule (always (not (robot_at kitchen)))" in asked["conflict"]["reasons"]
    (one,) = asked["corrections"]
    assert one["goal"] == "(holding banana1)" and "goto(kitchen)" not in one["price"]["steps"]
    as_goal = cli("why-not", "(and (never (robot_at kitchen)) (hot pepsi))", *OFFICE, "--json").json
    assert [part["part"] for part in as_goal["conflict"]["parts"]] == [
        "(always (not (robot_at kitchen)))",
        "(hot pepsi)",
    ]
