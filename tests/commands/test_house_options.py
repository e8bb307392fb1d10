"""Searches of houses from the command line: who drives, what is seen, and from how far."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from groundplan.methods.houses.house_method import DRIVERS
from tests.commands.conftest import Ran

TASK = ("--task", "multi-object-search-gen_000")


def test_plan_takes_a_driver_for_a_search_of_a_house(cli: Callable[..., Ran]) -> None:
    ran = cli("plan", *TASK, "--method", "nearest-door", "--driver", "optimistic", "--json")
    assert ran.code == 0 and ran.json["house"]["driver"]["name"] == "optimistic"
    assert ran.json["method"] == "nearest-door with driver optimistic"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (("--driver", "optimistic"), "--method"),
        (("--method", "nearest-door", "--driver", "oracle,optimistic"), "one value each"),
        (("--method", "gold", "--driver", "optimistic"), "searches houses"),
        (("--method", "nearest-door", "--driver", "optimist"), "optimistic"),
        (("--method", "nearest-door", "--driver", ","), "at least one"),
        (("--method", "nearest-door", "--reach", "-2"), "metres"),
        (("--method", "nearest-door", "--reach", "0"), "metres"),
        (("--method", "nearest-door", "--perception", "blurred"), "noisy"),
        (("--method", "nearest-door", "Find the vase."), "leave out the INSTRUCTION"),
    ],
)
def test_what_is_no_setting_of_a_search_is_refused(
    cli: Callable[..., Ran], wrong: tuple[str, ...], said: str
) -> None:
    ran = cli("plan", *TASK, *wrong)
    assert ran.code == 2 and said in ran.err


def test_the_help_names_every_driver(cli: Callable[..., Ran]) -> None:
    assert all(name in cli("plan", "--help").out for name in DRIVERS)


@pytest.mark.usefixtures("inline")
def test_bench_has_a_row_for_each_driver_and_perception(cli: Callable[..., Ran], tmp_path: Path) -> None:
    out = tmp_path / "results"
    settings = ("--driver", "oracle,optimistic", "--perception", "exact", "--perception", "noisy:missed=.2")
    tasks = ("--tasks", "multi-object-search-gen_000", "--out", out)
    ran = cli("bench", "--methods", "nearest-door", *settings, "--reach", "1.5", *tasks)
    assert ran.code == 0, ran.err
    rows = [json.loads(line) for line in (out / "rows.jsonl").read_text().splitlines()]
    noise = "noisy:missed=0.2,error=0.1,wrong_door=0.05,seed=0"
    assert {row["method"] for row in rows} == {
        "nearest-door with reach 1.5",
        f"nearest-door with {noise}, reach 1.5",
        "nearest-door with driver optimistic, reach 1.5",
        f"nearest-door with driver optimistic, {noise}, reach 1.5",
    }
    assert {row["record"]["house"]["driver"]["name"] for row in rows} == {"oracle", "optimistic"}
    assert all("graph" not in row["record"]["house"] for row in rows), "a row holds no map"
    manifest = json.loads((out / "manifest.json").read_text())
    assert "driver='optimistic'" in manifest["methods"]["nearest-door with driver optimistic, reach 1.5"]
    assert cli("report", out).code == 0
    assert cli("replay", out).code == 0


def test_no_engine_is_named_for_a_search_that_has_none(
    cli: Callable[..., Ran], tmp_path: Path, inline: None
) -> None:
    out = tmp_path / "results"
    tasks = ("--tasks", "multi-object-search-gen_000", "--out", out)
    assert cli("bench", "--methods", "nearest-door", *tasks).code == 0
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["engines"] == {"none": ""} and manifest["systems"] == [["nearest-door", "none", "none"]]
    assert "pyperplan" not in (out / "rows.jsonl").read_text() + cli("report", out).out


def test_an_episode_is_shown_with_its_start_and_its_shortest_path(cli: Callable[..., Ran]) -> None:
    text = cli("tasks", "show", TASK[1]).out
    for said in ("starts at (3.25, 2.25), heading 0 degrees", "shortest path 18.75 m: teddy bear, then"):
        assert said in text
    episode = cli("tasks", "show", TASK[1], "--json").json["episode"]
    assert episode["start_heading"] == 0 and episode["shortest_path_length"] == 18.75


def test_a_search_is_told_with_the_map_that_the_robot_made(cli: Callable[..., Ran]) -> None:
    text = cli("plan", *TASK, "--method", "nearest-door").out
    for said in ("driven by oracle", "found plate: small|7|22", "the robot's map", "bed 2|1  (7.2, 2.8)"):
        assert said in text
    assert "door|2|7  open, joins room|2 and room|7" in text
