"""What is alike for all formats: doubts, further robots, stated classes, lists of scenes, other domains."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from groundplan import check, ground, load_pack, parse_goal
from groundplan.commands import cli
from groundplan.datasets.formats.doubts import doubts
from groundplan.datasets.formats.registry import by_name, read
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
    robot = Node("robot", "agent", at=a)
    belief = ground(Scene("one", {a: Node(a, "room"), "robot": robot}), load_pack())
    found = check(parse_goal(f"(robot_at {b})"), belief).diagnostics[0]
    assert "has its accents as other signs" in found.message and [fix.text for fix in found.fixes] == [a]


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


def graph(*more: dict[str, Any], edges: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    nodes = [{"id": "den", "type": "room"}, {"id": "yard", "type": "pose"}, {"id": "nook", "type": "room"}]
    nodes += [{"id": "bench", "type": "asset", "parent": "den", "affordances": ["release"]}]
    return {"directed": True, "nodes": [*nodes, *more], "edges": edges or []}


def read_graph(document: dict[str, Any], tmp_path: Path) -> Scene:
    file = tmp_path / "graph.json"
    file.write_text(json.dumps(document))
    return read(file)[0]


def test_a_second_robot_and_a_second_thing_in_a_hand_are_kept_and_listed(tmp_path: Path) -> None:
    agents = [{"id": f"bot{n}", "type": "robot", "parent": p} for n, p in enumerate(("den", "nook", "yard"))]
    held = [{"id": f"can{n}", "type": "object", "parent": f"bot{n // 2}"} for n in range(4)]
    scene = read_graph(graph(*agents, *held), tmp_path)
    assert scene.agent.id == "bot0" and scene.children["bot0"] == ("can0",)
    assert (scene.nodes["bot1"].type, scene.nodes["bot1"].parent) == ("asset", "nook")
    assert [scene.nodes[i].relation for i in ("can2", "can3")] == ["attached_to", "attached_to"]
    assert (scene.nodes["bot2"].type, scene.nodes["bot2"].parent) == ("asset", "yard")
    assert list(scene.unplaced) == ["can1"], "a robot has one hand"
    listed = {loss.id for loss in scene.losses if "one robot" in loss.reason or "one hand" in loss.reason}
    assert listed == {"bot1", "bot2", "can1"}
    assert ground(scene, load_pack()).facts.holds("holding", ("can0",))


def test_a_second_robot_in_a_file_of_our_own_is_an_error(tmp_path: Path) -> None:
    two = Scene("two", {i: Node(i, "agent" if i != "hall" else "room", at=None if i == "hall" else "hall")
                        for i in ("hall", "a", "b")})  # fmt: skip
    file = tmp_path / "two.json"
    file.write_text(json.dumps(scene_to_json(two)))
    with pytest.raises(SceneError, match="exactly one node of type agent, got 2"):
        ground(read(file)[0], load_pack())


def test_an_edge_to_nobody_is_a_loss(tmp_path: Path) -> None:
    edges = [{"source": "den", "target": "nook"}, {"source": "ghost", "target": "den", "relation": "in"}]
    scene = read_graph(graph(edges=edges), tmp_path)
    assert [(x.a, x.b) for x in scene.links] == [("den", "nook")]
    lost = [loss.id for loss in scene.losses if loss.kind == "edge"]
    assert lost == ["ghost in den", "edges in one direction"]


@pytest.mark.parametrize(
    ("words", "classes"),
    [
        ({"classes": ["catch_22", "Novel"]}, ("catch_22", "novel")),
        ({"class": "b52"}, ("b52",)),
        ({"class": "lamp", "label": "shade_3"}, ("lamp",)),
        ({"label": "Oil Lamp 3"}, ("oil_lamp",)),
        ({}, ("thing",)),
    ],
)
def test_a_stated_class_is_taken_as_it_is_and_a_label_without_its_number(
    words: dict[str, Any], classes: tuple[str, ...], tmp_path: Path
) -> None:
    scene = read_graph(graph({"id": "thing7", "type": "object", "parent": "bench", **words}), tmp_path)
    assert scene.nodes["thing7"].classes == classes


@pytest.mark.parametrize("name", ["node-link", "spark-dsg", "groundplan"])
def test_formats_that_lose_nothing_keep_the_doors_of_ways(name: str, tmp_path: Path) -> None:
    nodes = [Node("den", "room"), Node("nook", "room"), Node("agent", "agent", at="den")]
    nodes.append(Node("hatch", "asset", "den", affordances=("open", "close"), state=("closed",)))
    scene = Scene("s", {node.id: node for node in nodes}, (Link("den", "nook", 2.0, "hatch"),))
    form = by_name(name)
    assert form.write is not None
    file = tmp_path / "written.json"
    file.write_bytes(form.write(scene))
    assert read(file)[0].links == scene.links


ALFRED = """(define (problem plan_1) (:domain {domain}) (:objects agent1 - agent l1 - location mug1 - {sort}
 sink1 - receptacle) (:init (atLocation agent1 l1) (receptacleAtLocation sink1 l1)
 ({sort}AtLocation mug1 l1) {more}) (:goal (and (inReceptacle mug1 sink1))))"""


@pytest.mark.parametrize(
    ("domain", "sort", "more", "known"),
    [
        ("alfred", "object", "(openable sink1)", False),
        ("put_task", "object", "(not (isHot mug1))", False),
        ("put_task", "item", "(isClean mug1)", False),
        ("own", "item", "(not (holdsAny agent1))", True),
        ("taskographyv1", "item", "", True),
    ],
)
def test_a_problem_of_another_domain_with_some_of_the_predicates_is_none_of_taskography(
    domain: str, sort: str, more: str, known: bool, tmp_path: Path
) -> None:
    file = tmp_path / "problem.pddl"
    file.write_text(ALFRED.format(domain=domain, sort=sort, more=more))
    if known:
        assert read(file)[1].name == "taskography"
    else:
        with pytest.raises(SceneError, match="a scene file in a known format"):
            read(file)


def test_a_graph_whose_nodes_have_a_class_name_is_not_one_of_virtualhome_for_that(tmp_path: Path) -> None:
    nodes = [{"id": "den", "type": "room", "class_name": "den"}, {"id": "nook", "type": "room"}]
    for edges in ("edges", "links"):
        file = tmp_path / "graph.json"
        file.write_text(json.dumps({"nodes": nodes, edges: [{"source": "den", "target": "nook"}]}))
        scene, form = read(file)
        assert form.name == "node-link" and len(scene.links) == 1


def test_an_item_at_another_place_than_its_receptacle_is_in_the_receptacle_with_a_doubt(
    tmp_path: Path,
) -> None:
    file = tmp_path / "problem.pddl"
    file.write_text(
        "(define (problem p) (:domain taskographyv2) (:objects r - agent a b - room pa pb - place"
        " la lb - location box - receptacle pen cup - item)"
        " (:init (inRoom r a) (placeInRoom pa a) (placeInRoom pb b) (locationInPlace la pa)"
        " (locationInPlace lb pb) (receptacleAtLocation box la) (itemAtLocation pen lb)"
        " (itemAtLocation cup la) (inReceptacle pen box) (inReceptacle cup box)) (:goal (and)))"
    )
    scene = read(file)[0]
    assert scene.room_of("pen") == "a"
    assert [(x.id, x.count) for x in scene.losses if x.kind == DOUBT] == [("itemAtLocation", 1)]
