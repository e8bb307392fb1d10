"""Doubts: what a file says in two ways or is unlikely is listed, whatever its format, and shown by verbs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from groundplan.commands import cli
from groundplan.datasets.formats.doubts import doubts
from groundplan.datasets.formats.registry import read
from groundplan.datasets.scenes import SCENES, load_scene
from groundplan.domains.errors import SceneError
from groundplan.simulator.scene import DOUBT, Link, Node, Scene
from groundplan.simulator.scene_json import scene_to_json

NODES = (
    Node("house", "building"),
    Node("barn", "building"),
    *(Node(name, "room", "house") for name in ("attic", "loft")),
    Node("stable", "room", "barn"),
    Node("gate", "pose"),
    Node("track", "pose"),
    Node("agent", "agent", at="attic"),
)


def made(*links: Link) -> Scene:
    return Scene("farm", {node.id: node for node in NODES}, links)


@pytest.mark.parametrize(
    ("links", "about", "count"),
    [
        ([Link("attic", "loft", 3.0), Link("loft", "attic", 3.5)], "attic - loft", 2),
        ([Link("loft", "gate", 2.0), Link("loft", "gate", 2.0), Link("gate", "loft", 8)], "gate - loft", 2),
        ([Link("attic", "loft", 3000.0), Link("loft", "gate", 250.0)], "attic - loft", 2),
        ([Link("attic", "loft", 3.0), Link("loft", "attic", 3.0)], "", 0),
        ([Link("attic", "stable", 900.0), Link("gate", "track", 2500.0)], "", 0),
    ],
)
def test_two_lengths_of_a_way_and_ways_too_long_for_a_building(
    links: list[Link], about: str, count: int, tmp_path: Path
) -> None:
    scene = made(*links)
    expected = [(about, count)] if count else []
    assert [(loss.id, loss.count) for loss in doubts(scene)] == expected
    file = tmp_path / "farm.json"
    file.write_text(json.dumps(scene_to_json(scene)))
    again = read(file)[0]
    assert [(x.id, x.count) for x in again.losses if x.kind == DOUBT] == expected
    assert again.links == scene.links, "a doubt changes nothing"


@pytest.mark.parametrize("name", list(SCENES))
def test_scenes_that_come_along_are_beyond_doubt(name: str) -> None:
    assert doubts(load_scene(name)) == ()


def test_verbs_say_what_is_doubtful(tmp_path: Path) -> None:
    file = tmp_path / "farm.json"
    file.write_text(json.dumps(scene_to_json(made(Link("attic", "loft", 3.0), Link("loft", "attic", 4.0)))))
    run = CliRunner().invoke
    assert "there are links of 3 and 4 m" in run(cli, ["scene", "validate", str(file)]).output
    assert "doubtful in its file: 2" in run(cli, ["scene", "show", str(file)]).output
    warnings = json.loads(run(cli, ["scene", "validate", str(file), "--json"]).output)["warnings"]
    assert any("the shortest counts" in warning for warning in warnings)
    converted = run(cli, ["scene", "convert", str(file), str(tmp_path / "farm2.json")])
    assert "doubtful in reading: attic - loft (2)" in converted.output


@pytest.mark.parametrize(
    ("a", "b"), [("caf\u00e9", "cafe\u0301"), ("K", "\u212a"), ("\u1e69", "s\u0323\u0307")]
)
def test_ids_that_look_alike_are_refused(a: str, b: str) -> None:
    def scene(*rooms: str) -> Scene:
        return Scene("two", {name: Node(name, "room") for name in rooms})

    assert a in scene(a).nodes and b in scene(b).nodes
    with pytest.raises(SceneError, match="ids that differ to the eye"):
        scene(a, b)


def scenes_of_each_format() -> list[Any]:
    folder = Path(__file__).parent / "formats"
    names = ("groundplan", "node_link", "sayplan", "lookplangraph", "virtualhome", "spark_dsg", "procthor")
    return [json.loads((folder / f"{name}.json").read_text(encoding="utf-8")) for name in names]


def test_a_json_list_of_scenes_of_any_format_is_picked_from(tmp_path: Path) -> None:
    file = tmp_path / "all.json"
    scenes = scenes_of_each_format()
    for number, scene in enumerate(scenes, 1):
        file.write_text(json.dumps(scenes))
        picked = read(file, item=str(number))[0]
        alone = tmp_path / "one.json"
        alone.write_text(json.dumps([scene]))
        assert picked.hash == read(alone)[0].hash
    for item in ("", "0", str(len(scenes) + 1), "nobody"):
        with pytest.raises(SceneError, match=f"a number from 1 to {len(scenes)}"):
            read(file, item=item)
