"""`plan --relax`: where it is said that a goal was given up in part."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

OFFICE = ("--scene", "office")
BOTH = "(and (hot pepsi) (holding pepsi) (hand_free))"


def test_relaxed_is_said_in_the_terminal_the_page_and_the_picture(cli, tmp_path: Path) -> None:
    page, picture, out = tmp_path / "run.html", tmp_path / "run.svg", tmp_path / "out"
    more = ("--relax", "--view", page, "--svg", picture, "--out", out)
    shown = cli("plan", *OFFICE, "--goal", BOTH, *more)
    assert shown.code == 0
    last = shown.out.strip().splitlines()[-1]
    assert last.startswith('verified for the relaxed goal "Heat pepsi. Empty the hand."')
    assert last.endswith('; relaxed: drop "Hold pepsi."')
    assert "verified, relaxed" in picture.read_text() and "Asked for, and impossible" in picture.read_text()
    assert '"relaxed":"Heat pepsi. Hold pepsi. Empty the hand."' in page.read_text()
    assert json.loads((out / "record.json").read_text())["relaxed"]["goal"] == BOTH
    assert cli("certify", out / "record.json", *OFFICE).code == 0
    assert cli("plan", *OFFICE, "--goal", BOTH, "--relax", "--method", "hybrid").code == 2


def test_a_readers_goal_is_relaxed_once_its_repairs_are_over(cli) -> None:
    pytest.importorskip("onnxruntime")
    words = "Open the microwave and turn on the microwave."
    assert cli("plan", words, *OFFICE, "--json").json["outcome"] == "unsolvable"
    relaxed = cli("plan", words, *OFFICE, "--relax", "--json").json
    assert relaxed["outcome"] == "verified" and relaxed["relaxed"]["given_up"] == 1
    assert relaxed["instruction"] == words and relaxed["reader"]
