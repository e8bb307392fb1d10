"""`groundplan scene scaling`: requests of searches by step and by size, SayPlan's figure 3 and appendix H."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from itertools import pairwise
from pathlib import Path

import pytest

from groundplan.commands.scene.scaling import by_size, by_step
from groundplan.datasets.scenes import load_scene
from groundplan.evaluation.report.forms.plots import svg_of
from groundplan.evaluation.search_scaling import ANSWER, CONTEXT, FORMS, building, search_requests

OFFICE = load_scene("office")


def test_contracting_keeps_requests_level_and_a_context_that_is_full_ends_the_search() -> None:
    kept, grown = (search_requests(OFFICE, form) for form in FORMS[:2])
    assert max(kept.tokens) < 0.5 * max(grown.tokens)
    assert (grown.outcome, grown.expanded) == ("answered", 37)
    assert all(a < b for a, b in pairwise(grown.tokens))
    ended = search_requests(building(60), "sayplan without contract")
    assert ended.outcome == "service-failed" and ended.expanded < 60
    assert max(ended.tokens) + ANSWER <= CONTEXT


@pytest.mark.parametrize("form", FORMS)
def test_a_context_that_the_first_request_fills_ends_every_search(form: str) -> None:
    none = search_requests(OFFICE, form, context=ANSWER)
    assert (none.outcome, none.expanded, none.tokens) == ("service-failed", 0, ())


def test_a_building_with_floors_is_searched_floor_by_floor() -> None:
    found = search_requests(building(300), "sayplan without memory")
    assert found.tokens[0] < search_requests(building(200), "sayplan without memory").tokens[0]
    assert found.expanded == 24


def test_a_scene_has_a_line_for_each_search(cli) -> None:
    ran = cli("scene", "scaling", "--scene", "office")
    assert ran.code == 0
    (line,) = (each for each in ran.out.splitlines() if "without contract" in each)
    assert line.split() == "office 37 sayplan without contract 38 2194 7198 37 all rooms expanded".split()


def test_buildings_grow_and_the_largest_request_is_drawn(cli, tmp_path: Path) -> None:
    file = tmp_path / "h.svg"
    ran = cli("scene", "scaling", "--rooms", "5", "--rooms", "9", "--plot", file, "--json")
    assert ran.code == 0, ran.err
    searches = ran.json["searches"]
    assert [(one["rooms"], one["search"]) for one in searches] == [(n, f) for n in (5, 9) for f in FORMS]
    assert ET.fromstring(file.read_text()).tag.endswith("svg")
    assert cli("scene", "scaling", "--rooms", "5", "--plot", file).code == 2, "a file that is there"


def test_charts_have_a_point_for_each_request_and_for_each_building() -> None:
    found = [search_requests(building(n), form) for n in (5, 9) for form in FORMS]
    steps = by_step(found[:4])
    assert [len(series.points) for series in steps.series] == [len(one.tokens) for one in found[:4]]
    sizes = by_size(found)
    largest = [(n, max(one.tokens)) for n, one in ((5, found[0]), (9, found[4]))]
    assert [(p.x, p.y) for p in sizes.series[0].points] == largest
    assert "<svg" in svg_of(by_size([]))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--scene", "office", "--rooms", "4"], "a scene, or --rooms"),
        (["--item", "x"], "--scene"),
        (["--scene", "nowhere"], "nowhere"),
        (["--rooms", "0"], "--rooms"),
        (["--rooms", "100000"], "--rooms"),
    ],
)
def test_what_makes_no_sense_is_refused(cli, words: list[str], message: str) -> None:
    ran = cli("scene", "scaling", *words)
    assert ran.code == 2 and message in ran.err
