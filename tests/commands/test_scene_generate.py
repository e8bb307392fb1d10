"""`groundplan scene generate`: sizes as asked, the same bytes again, refusals that say why."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def counted(text: str) -> Counter[str]:
    return Counter(node["type"] for node in json.loads(text)["nodes"])


def test_a_building_of_the_sizes_asked_for_is_written_and_valid(
    cli: Callable[..., Any], tmp_path: Path
) -> None:
    file = tmp_path / "tower.json"
    options = ("--floors", 3, "--rooms", 12, "--seed", 5)
    made = cli("scene", "generate", *options, "-o", file)
    assert (made.code, made.err) == (0, "")
    found = counted(file.read_text(encoding="utf-8"))
    assert (found["floor"], found["room"], found["asset"], found["object"]) == (3, 12, 48, 120)
    assert f"{sum(found.values())} nodes" in made.out
    assert cli("scene", "generate", *options).out == file.read_text(encoding="utf-8")
    assert cli("scene", "generate", *options[:-1], 6).out != file.read_text(encoding="utf-8")
    checked = cli("scene", "validate", file, "--json")
    assert (checked.code, checked.json["warnings"]) == (0, [])


def test_every_number_can_be_given_and_so_can_the_number_of_nodes(cli: Callable[..., Any]) -> None:
    exact = cli("scene", "generate", "--rooms", 2, "--assets", 12, "--objects", 7, "--locks", 1)
    found = counted(exact.out)
    assert (found["room"], found["asset"], found["object"]) == (2, 12, 8)  # a key comes on top
    assert "locked" in exact.out
    assert sum(counted(cli("scene", "generate", "--nodes", 200).out).values()) == 200


def test_an_existing_file_stays_unless_forced(cli: Callable[..., Any], tmp_path: Path) -> None:
    file = tmp_path / "kept.json"
    file.write_text("mine", encoding="utf-8")
    refused = cli("scene", "generate", "-o", file)
    assert refused.code == 2 and "--force" in refused.err
    assert file.read_text(encoding="utf-8") == "mine"
    assert cli("scene", "generate", "-o", file, "--force").code == 0
    assert counted(file.read_text(encoding="utf-8"))["room"] == 10


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--floors", 0), "a room on every floor"),
        (("--floors", 11), "a room on every floor"),
        (("--rooms", -1), "a room on every floor"),
        (("--objects", -1), "no negative numbers"),
        (("--assets", 0), "furniture for the objects"),
        (("--locks", 40), "plain door"),
        (("--nodes", 3), "at least 20 nodes"),
        (("--nodes", 10**12), "at most"),
        (("--rooms", 10**12), "at most"),
        (("--nodes", 10**30), "at most 2000000 nodes, got more"),
        (("--nodes", 10**4000), "at most 2000000 nodes, got more"),
        (("--rooms", 10**4299), "at most 2000000 nodes, got more"),
        (("--floors", 10**30, "--rooms", 10**30), "at most 2000000 nodes, got more"),
        (("--nodes", 50, "--rooms", 2), "--nodes"),
        (("--rooms", "many"), "many"),
    ],
)
def test_sizes_that_no_building_has_are_refused(
    cli: Callable[..., Any], tmp_path: Path, options: tuple[object, ...], said: str
) -> None:
    refused = cli("scene", "generate", *options, "-o", tmp_path / "none.json")
    assert refused.code == 2
    assert said in refused.err
    assert list(tmp_path.iterdir()) == []
