"""Tokens of a scene by kind of entity, next to the paper's tables 4 and 5."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from strategies import scenes

from groundplan.commands.scene.tokens import tokens
from groundplan.datasets.generate.buildings import Sizes, furnished_building
from groundplan.datasets.scenes import load_scene
from groundplan.evaluation.report.papers.published import printed_tokens
from groundplan.language.chat.scene_tokens import scene_tokens
from groundplan.language.chat.servers import meter as metering
from groundplan.language.chat.servers.meter import count_tokens
from groundplan.simulator.scene import Scene
from groundplan.simulator.view import View, counts

TABLE_4, TABLE_5 = (printed_tokens(name).tokens for name in ("office", "home"))


def test_the_office_lies_around_the_papers_figures() -> None:
    rows = {row.kind: row for row in scene_tokens(load_scene("office"))}
    assert [k for k in rows if k in TABLE_4] == list(TABLE_4)
    for kind, paper in TABLE_4.items():
        assert rows[kind].compact < rows[kind].spaced
        assert 0.65 * paper < rows[kind].compact < 1.25 * paper, kind
    assert rows["full"].compact < TABLE_4["full"] < rows["full"].spaced
    # The point of collapsing: a small part of the whole is enough to start from.
    assert rows["collapsed"].compact < rows["full"].compact / 5
    view = View.collapsed(load_scene("office"))
    text = json.dumps(view.as_json(), ensure_ascii=False, separators=(",", ":"))
    assert rows["collapsed-view"].compact == count_tokens(text)


def test_the_home_lies_around_the_papers_figures() -> None:
    rows = {row.kind: row for row in scene_tokens(load_scene("home"))}
    assert (rows["edges"].entities, rows["full"].entities, rows["collapsed"].entities) == (323, 464, 240)
    for kind, paper in TABLE_5.items():
        assert 0.6 * paper < rows[kind].compact < 1.3 * paper, kind
    assert rows["full"].compact < TABLE_5["full"] < rows["full"].spaced
    # Two of three edges of the home are between places, and collapsing keeps them.
    assert rows["collapsed"].compact < 0.42 * rows["full"].compact


@pytest.mark.parametrize("table", [TABLE_4, TABLE_5])
def test_the_papers_figures_add_up(table: dict[str, int]) -> None:
    assert sum(v for k, v in table.items() if k not in ("full", "collapsed")) == table["full"]


@settings(max_examples=15)
@given(scenes(hostile=None))
def test_entities_are_counted_as_everywhere(scene: Scene) -> None:
    rows = {row.kind: row for row in scene_tokens(scene)}
    found = counts(scene)
    for kind in ("room", "asset", "object", "agent", "pose", "edges", "collapsed"):
        assert (rows[kind].entities if kind in rows else 0) == found[kind]
    assert rows["full"].entities == found["entities"]
    parts = sum(r.compact for k, r in rows.items() if k not in ("full", "collapsed", "collapsed-view"))
    assert abs(rows["full"].compact - parts) < 40


def test_floors_are_a_smaller_start_than_rooms() -> None:
    scene = furnished_building(Sizes.usual(40, 4))
    rows = {row.kind: row for row in scene_tokens(scene)}
    assert rows["collapsed-floors"].entities == 4 + 1  # the floors' edges, and the agent
    assert rows["collapsed-floors"].compact < rows["collapsed"].compact / 10
    assert "collapsed-floors" not in {row.kind for row in scene_tokens(load_scene("office"))}


LONG = "".join(f'{{"id":"thing {n}","room":"büro {n % 7}, 苹果"}},\n  ' for n in range(400))


@pytest.mark.parametrize("piece", [40, 41, 57, 1000, 1001, 12_345])
def test_a_long_text_is_counted_in_pieces_and_exactly(piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = count_tokens(LONG)
    assert len(list(metering._pieces(LONG))) == 1
    monkeypatch.setattr(metering, "MAX_PIECE", piece)
    pieces = list(metering._pieces(LONG))
    assert "".join(pieces) == LONG and len(pieces) > 1 and max(map(len, pieces)) <= piece
    assert count_tokens(LONG) == whole


@pytest.mark.parametrize("text", ["x", "1", " ", "苹", "\U0001f600", "\n", "'s"])
def test_no_text_is_too_long(text: str) -> None:
    assert 0 < count_tokens(text * 1_100_000) <= len(text.encode()) * 1_100_000


@pytest.mark.parametrize("text", ["<|endoftext|>", "ящик 苹果 \x00", "", "x" * 3000])
def test_any_text_can_be_counted(text: str) -> None:
    assert 0 <= count_tokens(text) <= len(text.encode())


def test_the_command_prints_table_and_json() -> None:
    shown = CliRunner().invoke(tokens, ["--scene", "office"])
    assert shown.exit_code == 0, shown.output
    assert "6731" in shown.output and "878" in shown.output
    found = json.loads(CliRunner().invoke(tokens, ["--scene", "office", "--json"]).output)
    assert found["scene"] == "office"
    assert {row["kind"]: row["paper"] for row in found["rows"]}["collapsed"] == 878
    shown = CliRunner().invoke(tokens, ["--scene", "home"])
    assert "table 5" in shown.output and "1817" in shown.output
