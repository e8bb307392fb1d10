"""PDDL problems over the Taskography domains: reading, writing, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundplan.datasets.formats.registry import read
from groundplan.datasets.formats.taskography import reader
from groundplan.datasets.formats.taskography.reader import FORMAT
from groundplan.datasets.scenes import load_scene
from groundplan.domains.errors import SceneError
from groundplan.domains.pack import load_pack
from groundplan.simulator.belief import ground
from groundplan.simulator.scene import Link, Node, Scene

SAMPLE = Path(__file__).parent / "formats" / "taskography.pddl"
HEAD = "(define (problem p) (:domain taskographyv2) "


@pytest.fixture(scope="module")
def scene() -> Scene:
    found, form = read(SAMPLE)
    assert form.name == "taskography"
    ground(found, load_pack())
    return found


def test_receptacles_and_items(scene: Scene) -> None:
    fridge, apple = scene.nodes["receptacle1_refrigerator"], scene.nodes["item1_apple_smallitem"]
    assert (fridge.type, fridge.parent, fridge.classes) == ("asset", "room1_kitchen", ("refrigerator",))
    assert (fridge.affordances, fridge.state) == (("open", "close", "release"), ("closed",))
    assert (apple.parent, apple.relation, apple.attributes) == (fridge.id, "inside_of", ("small",))
    phone, vase = scene.nodes["item2_cell_phone_smallitem"], scene.nodes["item3_vase_mediumitem"]
    assert (phone.parent, phone.relation) == ("receptacle2_couch", "ontop_of")
    assert phone.classes == ("cell_phone",), "from the name, since no itemClass says it"
    assert (vase.parent, vase.relation) == ("room2_living_room", "ontop_of")
    assert scene.agent.at == "room2_living_room"
    assert scene.links == (Link("room1_kitchen", "room2_living_room", 1.0),)


def test_the_goal_is_the_description(scene: Scene) -> None:
    assert scene.description == (
        "goal: (and (inside_of item3_vase_mediumitem receptacle1_refrigerator) "
        "(ontop_of item1_apple_smallitem receptacle2_couch))"
    )


def problem(objects: str, init: str, tmp_path: Path) -> Scene:
    path = tmp_path / "problem.pddl"
    path.write_text(f"{HEAD}(:objects {objects}) (:init {init}))")
    return read(path)[0]


def test_a_problem_without_rooms_has_one(tmp_path: Path) -> None:
    found = problem(
        "robot - agent l1 l2 - location r - receptacle i j - item",
        "(atLocation robot l1) (receptacleAtLocation r l1) (itemAtLocation i l2) (holds robot j)",
        tmp_path,
    )
    assert found.by_type["room"] == ("house",) and found.nodes["r"].parent == "house"
    assert found.nodes["i"].parent == "house" and found.nodes["j"].relation == "inside_hand"


@pytest.mark.parametrize(
    ("objects", "init", "message"),
    [
        ("a - chair", "", r":1:59: expected a type of the Taskography domains, got chair"),
        ("a - item a - item", "", "names that are unique"),
        ("A a - item", "", "PDDL ignores case"),
        ("a -", "", "expected a type"),
        ("a", "", "a type for each object"),
        ("(a) - item", "", "the name of an object, got brackets"),
        ("a - item", "(inReceptacles a a)", r"did you mean 'inreceptacle'"),
        ("a - item", "(inReceptacle a)", "2 arguments of inreceptacle, got 1"),
        ("a b - item", "(inReceptacle a b)", "an object of type receptacle, got b, item"),
        ("a - item", "(inReceptacle a b)", "which is not declared"),
        ("a - item", "a", "a fact in brackets"),
        ("a - item r q - room", "", "itemAtLocation"),
        ("a - item s - bagslot", "(inSlot a s)", "the robot has one hand"),
        ("a - item", "(itemAtLocation a b", "matching brackets"),
        ("a - item", "(" * 2000 + ")" * 2000, "nested brackets"),
        ("a - item", "(= (cost) 1)", "a predicate of the Taskography domains"),
    ],
)
def test_what_is_wrong_is_an_error_with_line_and_column(
    objects: str, init: str, message: str, tmp_path: Path
) -> None:
    with pytest.raises(SceneError, match=message):
        problem(objects, init, tmp_path)


def test_words_are_counted_and_not_the_blanks_between_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "MAX_WORDS", 40)
    assert set(problem("a\n" + " " * 100 + "b - item r - room", "", tmp_path).nodes) >= {"a", "b", "r"}
    with pytest.raises(SceneError, match="at most 40 words and lists of PDDL"):
        problem("\n".join(f"a{n}" for n in range(30)) + " - item", "", tmp_path)


def test_a_written_problem_is_read_back(scene: Scene, tmp_path: Path) -> None:
    assert FORMAT.write is not None and FORMAT.loses is not None
    path = tmp_path / "again.pddl"
    path.write_bytes(FORMAT.write(scene))
    again, form = read(path)
    assert form.name == "taskography" and set(again.nodes) == set(scene.nodes)
    lost = FORMAT.loses(scene)
    assert [line.split(" (")[0] for line in lost] == ["attributes", "the scene's description"]


def test_a_written_problem_fits_the_domain(tmp_path: Path) -> None:
    """Every object has a type of the domain, every fact its predicate: the reader checks both."""
    office = load_scene("office")
    assert FORMAT.write is not None
    path = tmp_path / "office.pddl"
    path.write_bytes(FORMAT.write(office))
    again = read(path)[0]
    assert len(again.by_type["room"]) == 37 and len(again.by_type["asset"]) == 73
    assert len(again.by_type["object"]) == 78
    connected = {frozenset((x.a, x.b)) for x in again.links}
    assert frozenset(("kitchen", "cafeteria")) in connected


def test_rooms_are_connected_through_poses_and_not_through_rooms(tmp_path: Path) -> None:
    rooms = {r: Node(r, "room", classes=("room",)) for r in "abcd"}
    poses = {p: Node(p, "pose", classes=("pose",)) for p in "pq"}
    ways = (Link("a", "p", 1), Link("p", "q", 1), Link("q", "b", 1), Link("b", "c", 1), Link("d", "d2", 1))
    nodes = {**rooms, **poses, "d2": Node("d2", "pose"), "agent": Node("agent", "agent", at="p")}
    assert FORMAT.write is not None
    path = tmp_path / "scene.pddl"
    path.write_bytes(FORMAT.write(Scene("s", nodes, ways)))
    again = read(path)[0]
    assert {frozenset((x.a, x.b)) for x in again.links} == {frozenset("ab"), frozenset("bc")}
    assert again.agent.at == "a"


def test_held_and_nested_things_and_names_that_pddl_forbids(tmp_path: Path) -> None:
    nodes = {
        "2nd floor": Node("2nd floor", "room"),
        "place x": Node(
            "place x", "asset", "2nd floor", classes=("box",), affordances=("open",), state=("open",)
        ),
        "x": Node("x", "object", "place x", "inside_of"),
        "X": Node("X", "object", "x", "ontop_of"),
        "agent": Node("agent", "agent", "2nd floor"),
        "init": Node("init", "object", "agent", "inside_hand"),
    }
    assert FORMAT.write is not None and FORMAT.loses is not None
    path = tmp_path / "scene.pddl"
    path.write_bytes(FORMAT.write(Scene("s", nodes)))
    again = read(path)[0]
    assert sorted(n.type for n in again.nodes.values()) == sorted(n.type for n in nodes.values())
    held = [n for n in again.nodes.values() if n.relation == "inside_hand"]
    assert len(held) == 1
    box = next(n for n in again.nodes.values() if n.type == "asset")
    assert box.state == ("open",)
    assert sum(n.parent == box.id for n in again.nodes.values()) == 2
    assert any(line.startswith("ids") for line in FORMAT.loses(Scene("s", nodes)))
