"""Searches of houses in comparisons: success, SPL, Kendall's tau, the robots that know, and the report."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path

import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from plain_house import two_rooms

from groundplan.commands import main
from groundplan.datasets.episodes.episode import EpisodeTarget, SearchEpisode
from groundplan.datasets.library import load_set
from groundplan.domains.pack import load_pack
from groundplan.evaluation.bench.processes import Inline
from groundplan.evaluation.report.statistics import wilcoxon
from groundplan.evaluation.walking import judge_walk, kendall_tau, path_weighted
from groundplan.methods.houses.house_method import HouseMethod
from groundplan.methods.method import Limits, Tools
from groundplan.pipeline.record import Record
from groundplan.planners.request import Request
from groundplan.simulator.belief import ground
from groundplan.simulator.navigation import HouseSearch, Noise, Stance
from groundplan.simulator.scene import Node, Scene

HOUSES = Path(__file__).parents[1] / "datasets" / "procthor_houses"
EMPTY = Scene("none", {n.id: n for n in (Node("r", "room"), Node("agent", "agent", at="r"))})


def request(*targets: str, closed: bool = False) -> Request:
    search = HouseSearch(two_rooms(closed), Stance((4, 4), 2), targets)
    return Request(ground(EMPTY, load_pack()), "Find them.", search_only=True, house=search)


def episode(*kinds: str) -> SearchEpisode:
    targets = tuple(EpisodeTarget(k, f"{k}1", (0, 0), (0, 0)) for k in kinds)
    return SearchEpisode("e", "h", "generated", 2, targets, Stance((4, 4), 2), kinds, 4.0, 2.0)


def walk(metres: float, **looks: int) -> Record:
    finds = [
        {"target": kind, "id": f"{kind}1", "moves": 0, "metres": 0, "look": n} for kind, n in looks.items()
    ]
    return Record("not-found", house={"finds": finds, "metres": metres, "moves": 9, "looks": 1})


@pytest.mark.parametrize(
    ("shortest", "driven", "spl"), [(4, 8, 0.5), (4, 4, 1), (4, 2, 1), (0, 0, 1), (0, 3, 0), (3, 0, 1)]
)
def test_spl_is_the_share_of_the_longer_way_that_was_needed(
    shortest: float, driven: float, spl: float
) -> None:
    assert path_weighted(True, shortest, driven) == spl
    assert path_weighted(False, shortest, driven) == 0


def test_kendalls_tau_is_that_of_scipy_where_nothing_is_tied() -> None:
    for order in permutations("abc"):
        looks = {name: order.index(name) for name in "abc"}
        expected = scipy.stats.kendalltau([looks[n] for n in "abc"], [0, 1, 2]).statistic
        assert kendall_tau(looks, "abc") == (pytest.approx(expected), 0)
    # Two that one command showed are taken in the order of the truth.
    assert kendall_tau({"a": 1, "b": 1, "c": 0}, "abc") == (pytest.approx(1 - 4 / 3), pytest.approx(1 / 3))


def test_a_walk_is_judged_by_what_was_seen() -> None:
    goal = episode("mug", "vase", "pillow")
    full = judge_walk(walk(8.0, vase=1, mug=2, pillow=3), goal)
    assert (full.success, full.spl, full.finds) == (True, 0.5, 3)
    assert (full.tau, full.tied) == (pytest.approx(1 / 3), 0)
    assert (full.to_tour, full.to_sighting) == (2.0, 4.0)
    part = judge_walk(walk(8.0, vase=1, mug=2), goal)
    assert (part.success, part.spl, part.tau, part.to_tour, part.finds) == (False, 0, None, None, 2)
    assert judge_walk(Record("timed-out"), goal).success is False
    wrong = Record("answered", house={**walk(8.0).house, "finds": [
        {"target": k, "id": "other", "look": 1} for k in ("mug", "vase", "pillow")]})  # fmt: skip
    assert judge_walk(wrong, goal).finds == 0


def test_nobody_drives_less_than_the_robot_that_knows_where_everything_is_seen() -> None:
    asked_for = request("pillow", "mug", "vase")
    explorer = HouseMethod("nearest-door").run(asked_for, Tools(), Limits())
    tour = HouseMethod("known-positions").run(asked_for, Tools(), Limits())
    sight = HouseMethod("known-sightings").run(asked_for, Tools(), Limits())
    assert {r.outcome for r in (explorer, tour, sight)} == {"answered"}
    assert all(sorted(r.subgraph) == ["mug1", "pillow1", "vase1"] for r in (explorer, tour, sight))
    least, *others = (float(str(r.house["metres"])) for r in (sight, tour, explorer))
    assert 0 < least <= min(others)


def test_endings_of_searches_are_endings_of_records() -> None:
    gone = HouseMethod("nearest-door").run(request("unicorn"), Tools(), Limits())
    assert (gone.outcome, gone.subgraph) == ("not-found", ()) and gone.failures
    short = HouseMethod("nearest-door", max_moves=5).run(request("pillow"), Tools(), Limits())
    assert short.outcome == "out-of-budget"
    shut = HouseMethod("known-positions").run(request("pillow", closed=True), Tools(), Limits())
    assert shut.outcome == "not-found"
    late = HouseMethod("nearest-door").run(request("pillow"), Tools(), Limits(seconds=1e-6))
    assert late.outcome == "timed-out" and not late.planning.reproducible
    nowhere = HouseMethod("nearest-door").run(
        Request(ground(EMPTY, load_pack()), "Find it."), Tools(), Limits()
    )
    assert nowhere.outcome == "unsupported"


def test_noise_changes_what_is_seen_and_not_the_house() -> None:
    blind = HouseMethod("nearest-door", noise=Noise(missed=1.0)).run(request("mug"), Tools(), Limits())
    assert blind.outcome == "not-found" and not blind.subgraph
    often = HouseMethod("nearest-door", noise=Noise(0.3, 0.2, 0.1, seed=4)).run(
        request("mug"), Tools(), Limits()
    )
    again = HouseMethod("nearest-door", noise=Noise(0.3, 0.2, 0.1, seed=4)).run(
        request("mug"), Tools(), Limits()
    )
    assert often == again


def test_a_comparison_of_searches_is_run_reported_and_kept_from_those_who_would_see_the_house(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GROUNDPLAN_DATA", str(tmp_path / "data"))
    monkeypatch.setattr("groundplan.commands.bench.LocalProcesses", lambda jobs, seconds: Inline())
    assert main(["datasets", "prepare", "procthor", "--from", str(HOUSES)]) == 0
    methods = "least-cost,nearest-door,known-sightings,saynav-beliefs,hybrid,gold"
    out = tmp_path / "out"
    options = ["--methods", methods, "--tasks", "multi-object-search", "--limit", "2", "--out", str(out)]
    assert main(["bench", *options]) == 0
    rows = [json.loads(line) for line in (out / "rows.jsonl").read_text().splitlines()]
    ways = {row["method"]: row for row in rows if row["task"] == load_set("multi-object-search")[0].id}
    assert ways["nearest-door"]["measures"]["success"] and ways["nearest-door"]["record"]["house"]["finds"]
    assert {ways[m]["outcome"] for m in ("hybrid", "gold")} == {"unsupported"}
    # The robot that knows drives just the shortest path after which everything was seen.
    assert ways["known-sightings"]["measures"]["to_sighting"] in (1.0, None)
    capsys.readouterr()
    assert main(["report", str(out)]) == 0
    report = capsys.readouterr().out
    assert "Searches of unknown houses" in report and "(open all)" not in report
    assert "Published by others: SayNav" in report
    pairs = report.split("## SPL in pairs")[1].split("## ")[0]
    assert "nearest-door" in pairs and "saynav-beliefs" in pairs and "known-sightings" not in pairs


@given(st.lists(st.integers(-6, 6), min_size=1, max_size=40))
def test_wilcoxons_test_is_that_of_scipy(differences: list[int]) -> None:
    if not any(differences):
        assert wilcoxon(differences) == 1
        return
    expected = scipy.stats.wilcoxon(differences, zero_method="wilcox", correction=True, method="approx")
    assert wilcoxon([d / 7 for d in differences]) == pytest.approx(expected.pvalue, abs=1e-9)
