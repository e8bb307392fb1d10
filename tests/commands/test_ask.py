"""`plan --ask` without a terminal: the readings are data, and nothing is planned for."""

from __future__ import annotations

from pathlib import Path

import pytest

OFFICE = ("--scene", "office")
NIKO = "Put the book on the desk in Niko's office."


def test_the_readings_are_listed_with_prices(cli) -> None:
    pytest.importorskip("onnxruntime")
    ran = cli("plan", NIKO, *OFFICE, "--ask")
    assert ran.code == 3
    assert "2. book2 is on table4 in mobile_robotics_lab: Put book2 on desk1.  21.62 metres" in ran.err
    assert ran.err.strip().splitlines()[-1].startswith("ambiguous: ")
    data = cli("plan", NIKO, *OFFICE, "--ask", "--json")
    assert (data.code, data.json["outcome"], data.json["clarification"]["answer"]) == (3, "ambiguous", None)
    assert cli("plan", NIKO, *OFFICE).code == 0
    assert cli("plan", "Open the fridge.", *OFFICE, "--ask").code == 0
    assert cli("plan", NIKO, *OFFICE, "--ask", "--method", "hybrid").code == 2
    assert cli("plan", "--goal", "(open fridge)", *OFFICE, "--ask").code == 2


def test_a_person_answers_by_number_or_name(cli, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("onnxruntime")
    from groundplan.commands.console.terminal import Screen

    for words, goal in ((["book2"], "book2"), (["7", "no", "1"], "book1"), ([""], None), ([], None)):
        answers = iter(words)
        monkeypatch.setattr("groundplan.commands.plan.at_terminal", lambda: True)
        monkeypatch.setattr(Screen, "ask", lambda screen, text, given=answers: next(given, None))
        ran = cli("plan", NIKO, *OFFICE, "--ask")
        assert ran.code == (0 if goal else 3)
        assert (f'verified for the goal "Put {goal} on desk1."' in ran.out) is (goal is not None)
        assert (ran.out + ran.err).count('Which is meant by "the book"?') >= 1


def test_a_choice_that_a_rule_excludes_is_told_so(cli, tmp_path: Path) -> None:
    rules = tmp_path / "rules.txt"
    rules.write_text("(never (robot_at living_room3))\n", encoding="utf-8")
    text = "Bring the egg to the living room."
    ran = cli("plan", text, "--scene", "house-5", "--rules", str(rules), "--ask")
    assert ran.code == 3
    excluded = ran.err[ran.err.index("3. living_room3") :]
    assert "unsolvable" in excluded
    assert "because of the rule (always (not (robot_at living_room3)))" in excluded
