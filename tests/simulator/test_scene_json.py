"""Scene files: reading and writing are inverse, and every broken file is refused with a place and a hint."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from draws import draws
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from strategies import HOSTILE, scenes

from groundplan.domains.errors import SceneError
from groundplan.domains.pack import load_pack
from groundplan.simulator.belief import ground
from groundplan.simulator.scene import Link, Loss, Node, Scene
from groundplan.simulator.scene_json import parse_json, read_scene, scene_from_json, scene_text, scene_to_json

GOOD: dict[str, Any] = {
    "format": "groundplan-scene",
    "version": 1,
    "name": "two rooms",
    "nodes": [
        {"id": "house", "type": "building"},
        {"id": "kitchen", "type": "room", "parent": "house", "position": [0, 0, 0]},
        {"id": "hall", "type": "pose", "position": [3, 4, 0]},
        {"id": "fridge", "type": "asset", "parent": "kitchen", "affordances": ["open", "close", "release"]},
        {"id": "apple1", "type": "object", "parent": "fridge", "relation": "inside_of"},
        {"id": "me", "type": "agent", "at": "hall"},
    ],
    "links": [{"a": "kitchen", "b": "hall"}],
}


def test_reading_fills_in_what_is_not_said() -> None:
    scene = scene_from_json(GOOD, "here")
    assert scene.links == (Link("kitchen", "hall", 5.0),)
    assert scene.nodes["apple1"].classes == ("apple",)
    belief = ground(scene, load_pack())
    assert belief.facts.holds("closed", ("fridge",))
    assert belief.facts.holds("unclosed", ("kitchen",))
    assert scene.room_of("apple1") == "kitchen"
    assert [*scene.ancestors("apple1")] == ["fridge", "kitchen", "house"]


@draws(80, suppress_health_check=list(HealthCheck))
@given(scenes(hostile=None, connected=False))
def test_writing_and_reading_are_inverse(scene: Scene) -> None:
    text = scene_text(scene)
    again = scene_from_json(json.loads(text), "again")
    assert again == scene
    assert again.hash == scene.hash
    assert scene_text(again) == text


@draws(60, suppress_health_check=list(HealthCheck))
@given(scenes(hostile=None), st.randoms())
def test_the_hash_does_not_depend_on_order(scene: Scene, random: Any) -> None:
    ids = list(scene.nodes)
    random.shuffle(ids)
    turned = tuple(Link(x.b, x.a, x.length) for x in reversed(scene.links))
    assert Scene(scene.name, {i: scene.nodes[i] for i in ids}, turned).hash == scene.hash
    one = scene.nodes[ids[0]]
    other = scene.changed(change={one.id: {"attributes": (*one.attributes, "new")}})
    assert other.hash != scene.hash


def changed(path: str, value: object) -> dict[str, Any]:
    """The good scene with one value replaced; the last key may be new."""
    raw = copy.deepcopy(GOOD)
    *keys, last = path.split("/")
    at: Any = raw
    for key in keys:
        at = at[int(key)] if isinstance(at, list) else at[key]
    if isinstance(at, list):
        at[int(last)] = value
    else:
        at[last] = value
    return raw


@pytest.mark.parametrize(
    ("path", "value", "place", "said"),
    [
        ("format", "sayplan", "format", "groundplan-scene"),
        ("version", 2, "version", "expected 1"),
        ("nods", [], "nods", "did you mean 'nodes'"),
        ("nodes", {}, "nodes", "a list"),
        ("links", None, "links", "a list"),
        ("name", 3, "name", "a string"),
        ("nodes/0", 5, "nodes[0]", "an object"),
        ("nodes/0/id", "", "nodes[0].id", "non-empty"),
        ("nodes/0/id", 7, "nodes[0].id", "a string"),
        ("nodes/0/id", None, "nodes[0].id", "a string"),
        ("nodes/0/id", "\0\x000.0", "nodes[0].id", "not begin with two null characters"),
        (
            "nodes/0/id",
            "kitchen",
            "nodes[1].id",
            "kitchen, the id of nodes[0] too; give one of the two another",
        ),
        ("nodes/0/tyep", "room", "nodes[0].tyep", "did you mean 'type'"),
        ("nodes/1/type", "rom", "node kitchen", "did you mean 'room'"),
        ("nodes/1/parent", "hous", "node kitchen", "did you mean 'house'"),
        ("nodes/1/parent", 4, "nodes[1].parent", "a string"),
        ("nodes/1/position", [0, 0], "nodes[1].position", "three numbers"),
        ("nodes/1/position", [0, 0, "x"], "nodes[1].position", "three numbers"),
        ("nodes/1/position", [0, 0, True], "nodes[1].position", "three numbers"),
        ("nodes/1/position", [0, 0, 1e300], "nodes[1].position", "three numbers"),
        ("nodes/1/position", [0, 0, float("nan")], "nodes[1].position", "three numbers"),
        ("nodes/1/position", [0, 0, float("inf")], "nodes[1].position", "three numbers"),
        ("nodes/1/position", [0, 0, 10**400], "nodes[1].position", "three numbers"),
        ("nodes/3/affordances", "open", "nodes[3].affordances", "a list"),
        ("nodes/3/affordances", ["open", ""], "nodes[3].affordances", "non-empty strings"),
        ("nodes/3/affordances", [1], "nodes[3].affordances", "non-empty strings"),
        ("nodes/3/provenance", {"a": 1}, "nodes[3].provenance", "strings"),
        ("nodes/3/parent", None, "node fridge", "a parent"),
        ("nodes/3/parent", "apple1", "node ", ""),
        ("nodes/4/relation", "in_side", "node apple1", "did you mean 'inside_of'"),
        ("nodes/4/relation", "inside_hand", "node apple1", "agent"),
        ("nodes/4/parent", "me", "node apple1", "inside_hand"),
        ("nodes/4/parent", "house", "node apple1", "a room, pose, asset, object or agent"),
        ("nodes/4/parent", "apple1", "node apple1", "give one of them another parent, or none"),
        ("nodes/5/at", "hal", "node me", "did you mean 'hall'"),
        ("nodes/5/at", "apple1", "node me", "a pose, room or asset"),
        ("links/0", [], "links[0]", "a, b and length"),
        ("links/0/a", "kitchn", "link kitchn", "did you mean 'kitchen'"),
        ("links/0/a", "fridge", "link fridge", "poses or rooms"),
        ("links/0/a", "hall", "link hall", "two ends"),
        ("links/0/a", 3, "links[0]", "ids of nodes"),
        ("links/0/length", -1, "link kitchen", "length of 0"),
        ("links/0/length", "5", "links[0].length", "metres"),
        ("links/0/length", True, "links[0].length", "metres"),
        ("links/0/length", float("nan"), "link", "metres"),
        ("links/0/length", 10**400, "links[0].length", "metres"),
        ("links/0/lenght", 5, "links[0]", "a, b and length"),
    ],
)
def test_a_broken_scene_is_refused_with_its_place(path: str, value: object, place: str, said: str) -> None:
    with pytest.raises(SceneError) as caught:
        scene_from_json(changed(path, value), "here")
    assert place in str(caught.value)
    if path != "links/0/length" or value == value:
        assert said in str(caught.value)
    assert len(str(caught.value)) < 500


def test_cycles_are_found_and_shown_short() -> None:
    nodes = [{"id": f"box{i}", "type": "object", "parent": f"box{(i + 1) % 50}"} for i in range(50)]
    raw = changed("nodes", [*GOOD["nodes"], *nodes])
    with pytest.raises(SceneError, match="without cycles") as caught:
        scene_from_json(raw, "here")
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "JSON"),
        (json.dumps(GOOD)[:-40], "(the file may be truncated); get the whole file again"),
        (json.dumps(GOOD)[:-37], "(the file may be truncated); get the whole file again"),
        ("nonsense", "look for a comma, quote or bracket there"),
        (json.dumps(GOOD).replace(",", ",,", 1), "look for a comma, quote or bracket there"),
        ("[]", "an object"),
        ('"scene"', "an object"),
        (json.dumps(GOOD).replace("[0, 0, 0]", "[NaN, 0, 0]"), "NaN"),
        (json.dumps(GOOD).replace("[0, 0, 0]", "[Infinity, 0, 0]"), "Infinity"),
        (json.dumps(GOOD).replace("[0, 0, 0]", f"[{'9' * 5000}, 0, 0]"), ""),
        ("[" * 100_000, "ordinary depth"),
        ('{"a":' * 100_000, "ordinary depth"),
    ],
)
def test_a_broken_file_is_refused(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "scene.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(SceneError) as caught:
        read_scene(file)
    assert str(file) in str(caught.value)
    assert said in str(caught.value)
    assert len(str(caught.value)) < 700


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "none.json", tmp_path):
        with pytest.raises(SceneError, match="readable"):
            read_scene(path)
    (tmp_path / "bytes").write_bytes(b'{"format": "\xff"}')
    with pytest.raises(SceneError, match="UTF-8"):
        read_scene(tmp_path / "bytes")


@pytest.mark.parametrize(("value", "number"), [("[],", 20_000_000), ("1,", 40_000_000)])
def test_a_file_of_millions_of_values_is_refused_before_it_is_decoded(
    tmp_path: Path, value: str, number: int
) -> None:
    file = tmp_path / "scene.json"
    file.write_text("[" + value * number + "[]]", encoding="ascii")
    with pytest.raises(SceneError, match=r"scene\.json: expected JSON that needs at most 1300 MB of"):
        read_scene(file)


def test_a_large_scene_of_another_program_is_within_the_bounds() -> None:
    """Read six million values, as a building of 100,000 nodes has them with boxes and positions."""
    assert len(parse_json("[" + "1," * 6_299_999 + "1]", "here")) == 6_300_000  # type: ignore[arg-type]


def test_a_scene_without_a_name_is_named_after_its_file(tmp_path: Path) -> None:
    nameless = {key: value for key, value in GOOD.items() if key != "name"}
    assert scene_from_json(nameless, "flat.json: scene 3").name == "flat.json: scene 3"
    assert scene_from_json(nameless, "flat.json: scene 3", "flat").name == "flat"
    assert scene_from_json(nameless | {"name": "loft"}, "flat.json", "flat").name == "loft"
    (tmp_path / "flat.json").write_text(json.dumps(nameless), encoding="utf-8")
    assert read_scene(tmp_path / "flat.json").name == "flat"


def test_losses_of_the_first_file_stay_with_a_scene() -> None:
    lost = [{"kind": "edge", "id": "CLOSE", "reason": "edges of this kind are not read", "count": 4}]
    scene = scene_from_json(GOOD | {"losses": lost}, "here")
    assert scene.losses == (Loss("edge", "CLOSE", "edges of this kind are not read", 4),)
    assert scene_from_json(json.loads(scene_text(scene)), "again").losses == scene.losses
    assert "losses" not in scene_to_json(scene_from_json(GOOD, "here"))


@pytest.mark.parametrize(
    ("losses", "said"),
    [
        ({}, "here: losses: expected a list"),
        ([{"kind": "edge"}], r"losses\[0\]: expected an object with kind, id, reason and count"),
        ([{"kind": "edge", "id": 4, "reason": "", "count": 1}], r"losses\[0\]: expected kind, id and reason"),
        ([{"kind": "edge", "id": "a", "reason": "", "count": True}], r"losses\[0\].count: expected a whole"),
        ([{"kind": "edge", "id": "a", "reason": "", "count": -1}], r"losses\[0\].count: expected a whole"),
    ],
)
def test_losses_of_another_form_are_refused(losses: object, said: str) -> None:
    with pytest.raises(SceneError, match=said):
        scene_from_json(GOOD | {"losses": losses}, "here")


def test_hostile_ids_are_ids() -> None:
    rooms = [{"id": name, "type": "room"} for name in HOSTILE if name != "fridge"]
    scene = scene_from_json(changed("nodes", [*GOOD["nodes"], *rooms]) | {"links": []}, "here")
    assert set(HOSTILE) <= set(scene.nodes)
    assert scene_from_json(scene_to_json(scene), "again") == scene


@pytest.mark.parametrize(
    ("node", "said"),
    [
        (Node("x", "asset", "kitchen", state=("opne",)), "did you mean 'open'"),
        (Node("x", "object", "kitchen", "in"), "a relation to the parent"),
        (Node("x", "asset", "kitchen", state=("dirty", "open", "closed")), "node x: .* got open and closed"),
        (Node("x", "asset", "kitchen", state=("off", "on")), "got off and on; leave one of them out"),
        (Node("x", "agent", at="hall"), "exactly one node of type agent"),
    ],
)
def test_grounding_refuses_what_the_pack_does_not_know(node: Node, said: str) -> None:
    scene = scene_from_json(GOOD, "here").changed(add=[node])
    with pytest.raises(SceneError, match=said):
        ground(scene, load_pack())


def test_states_that_go_together_may_be_given_together() -> None:
    node = Node("x", "asset", "kitchen", state=("open", "on", "dirty", "hot", "cold"))
    facts = ground(scene_from_json(GOOD, "here").changed(add=[node]), load_pack()).facts
    assert all(facts.holds(name, ("x",)) for name in ("open", "turned_on", "dirty", "hot", "cold"))


def test_at_most_one_thing_is_held() -> None:
    held = [Node(f"h{i}", "object", "me", "inside_hand") for i in range(2)]
    with pytest.raises(SceneError, match="at most one held"):
        ground(scene_from_json(GOOD, "here").changed(add=held), load_pack())


def test_changes_are_checked() -> None:
    scene = scene_from_json(GOOD, "here")
    with pytest.raises(SceneError, match="did you mean 'fridge'"):
        scene.changed(remove=["frige"])
    with pytest.raises(SceneError, match="a new id"):
        scene.changed(add=[Node("fridge", "room")])
    smaller = scene.changed(remove=["kitchen"])
    assert list(smaller.nodes) == ["house", "hall", "me"]
    assert smaller.links == ()


def test_a_scene_is_read_only_and_can_be_copied() -> None:
    scene = scene_from_json(GOOD, "here")
    with pytest.raises(TypeError):
        scene.nodes["other"] = next(iter(scene.nodes.values()))  # type: ignore[index]
    assert pickle.loads(pickle.dumps(scene)) == scene
    assert copy.deepcopy(scene) == scene
