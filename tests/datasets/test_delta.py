"""DELTA's scene dictionaries: what becomes what, and that their text is never run."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from groundplan.datasets.formats.registry import read
from groundplan.domains.errors import SceneError
from groundplan.domains.pack import load_pack
from groundplan.simulator.belief import ground
from groundplan.simulator.scene import Link, Scene

SAMPLE = Path(__file__).parent / "formats" / "delta_scenes.txt"


@pytest.fixture(scope="module")
def house() -> Scene:
    scene, form = read(SAMPLE, item="HOUSE_1")
    assert form.name == "delta"
    ground(scene, load_pack())
    return scene


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """A module with two scenes."""
    path = tmp_path / "scenes.py"
    cell = 'CELL = {"name": "cell", "rooms": {"room": {"items": {}, "neighbor": []}}}'
    path.write_text(f"{SAMPLE.read_text(encoding='utf-8')}\n{cell}\n")
    return path


def place(scene: Scene, name: str) -> tuple[str, str | None, str]:
    node = scene.nodes[name]
    return node.type, node.parent, node.relation


def test_things_and_their_places(house: Scene) -> None:
    assert place(house, "fork") == ("object", "kitchen", "ontop_of")
    assert place(house, "microwave") == ("asset", "kitchen", "in")
    assert place(house, "book") == ("object", "shelf", "inside_of")
    assert place(house, "cup") == ("object", "desk_2", "ontop_of")
    assert place(house, "it's a key") == ("object", "cabinet", "inside_of")
    assert house.nodes["desk_2"].classes == ("desk",)
    assert house.agent.at == "hall"


def test_affordances_and_states(house: Scene) -> None:
    nodes = house.nodes
    assert nodes["microwave"].affordances == ("open", "close", "turn_on", "turn_off", "release")
    assert nodes["microwave"].state == ("closed", "off")
    assert nodes["shelf"].affordances == ("pickup", "release", "contain")
    assert nodes["shelf"].attributes == ("loaded",)
    assert nodes["fork"].affordances == ("pickup", "place_on")
    assert (nodes["chair_1"].affordances, nodes["chair_1"].attributes) == ((), ("inaccessible",))
    assert (nodes["plant"].type, nodes["plant"].affordances) == ("object", ())


def test_neighbours_are_links_and_unknown_ones_are_named(house: Scene) -> None:
    assert house.links == (Link("kitchen", "hall", 1.0),)
    assert "misspelt_hall" in house.description


@pytest.mark.parametrize("item", ["HOUSE_1", "house.1"])
def test_an_item_is_a_variable_or_a_name(item: str, two: Path) -> None:
    assert read(two, item=item)[0].name == "house.1"


@pytest.mark.parametrize("item", ["", "RULES", "copy"])
def test_several_scenes_need_an_item(item: str, two: Path) -> None:
    with pytest.raises(SceneError, match="HOUSE_1, CELL"):
        read(two, item=item)


def test_the_same_as_json_is_read(tmp_path: Path) -> None:
    path = tmp_path / "scene.json"
    room = {"items": {"cup": {"accessible": True, "affordance": ["pick"], "state": "free"}}, "neighbor": []}
    path.write_text(json.dumps({"name": "flat", "rooms": {"room": room}}))
    scene, form = read(path)
    assert form.name == "delta" and place(scene, "cup") == ("object", "room", "ontop_of")
    assert scene.agent.at == "room"


ROOM = 'A = {"rooms": {"room": {"neighbor": [], "items": %s}}}\n'


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ('__import__("os").system("touch ran")', ":1:50: expected literals.* got __import__"),
        ('{"a": open("ran", "w")}', "expected literals"),
        ('{"a": [x for x in ()]}', "expected literals"),
        ('{"a": f"{1}"}', "expected literals"),
        ('{"a": 1}()', "expected literals"),
        ('{"a": [1]' + "[1]" * 100_000 + "}", "expected Python"),
        ('{"a": ' + "-" * 100_000 + "1}", "expected Python, got brackets or signs"),
        ('{"a": ' + "[" * 100_000, "expected Python, got too many nested"),
        ('{"a": ' + "[" * 60 + "]" * 60 + "}", "at most 40 nested brackets"),
        ('{"a": 1' + "0" * 100_000 + "}", "expected Python"),
        ('{"a": 0x' + "f" * 100_000 + "}", "a number of at most 64 bits"),
        ('{"a": b"1"}', "expected literals"),
        ('{"a": 1j}', "expected literals"),
        ('{**{}, "a": 1}', "text or a number as a key"),
        ('{"a": "', "expected Python"),
        (r'{"a": "\N{no such name}"}', "expected Python"),
        ('{"a": (1, 2]}', "expected Python"),
        ('{"a"}', "expected literals"),
        ('{"a": 1: 2}', "expected Python"),
        ("{[1]: 2}", "text or a number as a key"),
        ('{"a": 7}', r"rooms.room.items.a: expected an object"),
        ('{"a": {"affordance": 7}}', r"items.a.affordance: expected a list of words"),
        ('{"a": {"accessible": "yes"}}', r"items.a.accessible: expected True or False"),
        ('{"a": {"relation": "near"}}', r"items.a.relation: expected on or in"),
        ('{"a": {"content": {"a": {}}}}', r"items.a.content.a: expected names that are unique"),
        ('{"room": {}}', r"items.room: expected names that are unique"),
    ],
)
def test_what_is_no_scene_is_an_error_with_its_place_and_never_runs(
    items: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "scene.py"
    path.write_text(ROOM % items)
    with pytest.raises(SceneError, match=message):
        read(path)
    assert [p.name for p in tmp_path.iterdir()] == ["scene.py"]


def test_contents_of_contents_are_bounded(tmp_path: Path) -> None:
    thing: dict[str, object] = {}
    for number in range(200):
        thing = {"content": {f"box{number}": thing}}
    path = tmp_path / "scene.json"
    path.write_text(json.dumps({"rooms": {"room": {"neighbor": [], "items": {"box": thing}}}}))
    with pytest.raises(SceneError, match="at most 40 deep"):
        read(path)


@pytest.mark.parametrize(
    ("module", "words"),
    [
        ('R = {"rooms": {"a": {"neighbor": [], "items": {"cup": {}, "mug": {}, "cup": {}}}}}', "cup twice"),
        ('R = {"rooms": {"a": {"neighbor": []},\n "a": {"neighbor": []}}}', "py:2:2: expected keys"),
        ('R = {"rooms": {"a": {"neighbor": [], 1: 0, True: 0}}}', "True twice"),
        ('R = {"rooms": {"a": {"neighbor": []}}}\n' * 2, "R: expected variables that are set once"),
        ('R = {"rooms": {"1": {"neighbor": []}, 1: {"neighbor": []}}}', "rooms: expected names that are"),
    ],
)
def test_a_key_that_is_given_twice_is_refused(module: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "scenes.py"
    path.write_text(module)
    with pytest.raises(SceneError, match=words):
        read(path)


def test_of_many_keys_the_one_that_is_given_twice_is_found_at_once(tmp_path: Path) -> None:
    path = tmp_path / "scenes.py"
    keys = ", ".join(f'"k{n}": 0' for n in range(20_000))
    path.write_text(f'R = {{"rooms": {{"a": {{"neighbor": [], {keys}, "k19999": 1}}}}}}')
    before = time.process_time()
    with pytest.raises(SceneError, match="k19999 twice"):
        read(path)
    assert time.process_time() - before < 10


def test_a_module_without_a_scene_names_what_one_has(tmp_path: Path) -> None:
    path = tmp_path / "scenes.py"
    path.write_text('R = {"rooms": {"neighbor": 0}}\n')
    with pytest.raises(SceneError, match="got 0 scenes; each has rooms with neighbours"):
        read(path)
