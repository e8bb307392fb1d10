"""The format of SayPlan's appendix K, in both directions."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from papers_example import example

from groundplan.datasets.scenes import load_scene
from groundplan.domains.errors import SceneError
from groundplan.simulator.sayplan_json import from_sayplan, to_sayplan
from groundplan.simulator.scene import Link, Node, Scene, default_class
from groundplan.simulator.scene_json import read_scene, scene_from_json, scene_text
from groundplan.simulator.view import View, counts

OFFICE = read_scene(Path(__file__).parents[2] / "datasets" / "scenes" / "office.json")


def test_the_papers_example_is_read() -> None:
    scene = from_sayplan(example(), "example")
    mug = scene.nodes["coffee_mug"]
    assert (mug.parent, mug.relation, mug.attributes) == ("wardrobe1", "inside_of", ("blue",))
    assert scene.nodes["bed2"].state == ()
    assert scene.nodes["wardrobe2"].classes == ("wardrobe",)
    assert scene.agent.parent == "bobs_room"
    assert len(scene.links) == 10
    assert counts(scene)["edges"] == len(example()["links"])  # type: ignore[arg-type]


def test_the_papers_example_is_written_as_it_was_read() -> None:
    raw = example()
    written = to_sayplan(from_sayplan(raw, "example"))
    assert written["nodes"] == raw["nodes"]
    assert sorted(written["links"]) == sorted(raw["links"])  # type: ignore[call-overload]


def lossy(scene: Scene) -> Scene:
    """A scene without what the format cannot hold."""
    kinds = ("campus", "building", "floor", "room", "pose", "agent", "asset", "part", "object")
    nodes = [
        Node(
            *(n.id, n.type, n.parent, n.relation, (default_class(n.id),)),
            *(n.affordances, n.state, n.attributes),
            at=n.at,
        )
        for kind in kinds
        for n in scene.nodes.values()
        if n.type == kind
    ]  # fmt: skip
    return Scene(scene.name, {n.id: n for n in nodes}, tuple(Link(x.a, x.b, 1.0) for x in scene.links))


def test_the_office_goes_through_and_comes_back() -> None:
    text = json.dumps(to_sayplan(OFFICE))
    back = from_sayplan(json.loads(text), OFFICE.name)
    assert back == lossy(OFFICE)
    assert json.dumps(to_sayplan(back)) == text
    assert counts(back) == counts(OFFICE)


HOSTILE = (
    "a b",
    "a) (goal",
    "x<->y",
    "1",
    "ontop_of(t)",
    "desk, closed",
    'q"',
    "[/bad]",
    "inside_hand",
    "free",
)
names = st.sampled_from(HOSTILE) | st.text("ab)(,<->. ", min_size=1, max_size=6)


@given(
    st.lists(names, min_size=8, max_size=8, unique=True), st.lists(st.sampled_from(["dirty", "hot", "a,b"]))
)
def test_any_names_and_states_survive(ids: list[str], state: list[str]) -> None:
    floor, room, pose, agent, asset_id, mug, box, held = ids
    nodes = [
        Node(floor, "floor"),
        Node(room, "room", floor),
        Node(pose, "pose"),
        Node(agent, "agent", room, at=pose),
        Node(asset_id, "asset", room, state=("closed", "off"), affordances=("open",)),
        Node(
            mug,
            "object",
            asset_id,
            "under",
            state=tuple(dict.fromkeys(state)),
            attributes=("red", "big, old"),
        ),
        Node(box, "object", room, "ontop_of", attributes=("red", "automatic")),
        Node(held, "object", agent, "inside_hand", state=tuple(dict.fromkeys(state))),
    ]
    scene = Scene("hostile", {n.id: n for n in nodes}, (Link(room, pose, 1.0),))
    back = from_sayplan(json.loads(json.dumps(to_sayplan(scene))), "hostile")
    assert back == lossy(scene)


@pytest.mark.parametrize("state", [["open", "open"], ["open, dirty", "dirty", "open"], "open, dirty, open"])
def test_a_state_that_is_said_twice_is_one(state: object) -> None:
    raw = to_sayplan(load_scene("office"))
    fridge = next(n for n in raw["nodes"]["asset"] if n["id"] == "fridge")  # type: ignore[index]
    fridge["state"] = state
    scene = from_sayplan(raw, "x")
    assert scene.nodes["fridge"].state in (("open",), ("open", "dirty"))
    assert scene_from_json(json.loads(scene_text(scene)), "x").hash == scene.hash


def test_a_view_of_the_example_speaks_the_same_format() -> None:
    scene = from_sayplan(example(), "example")
    view = View.collapsed(scene)
    for room in ("toms_room", "kitchen", "jacks_room", "bobs_room"):
        view = view.expand(room)
    view = view.contract("jacks_room")
    assert view.memory == ("toms_room", "kitchen", "jacks_room", "bobs_room")
    assert view.as_json()["nodes"]["object"] == example()["nodes"]["object"]  # type: ignore[index]
    assert from_sayplan(view.as_json(), "again").nodes["coffee_mug"].parent == "wardrobe1"


def test_the_flat_spelling_of_section_3_2_is_read() -> None:
    raw = example()
    raw["nodes"]["asset"][3] = {  # type: ignore[index]
        "name": "coffee_machine",
        "type": "asset",
        "location": "kitchen",
        "affordances": ["turn_on", "turn_off", "release"],
        "state": "off",
        "attributes": ["red", "automatic"],
        "position": [2.34, 0.45, 2.23],
    }
    machine = from_sayplan(raw, "x").nodes["coffee_machine"]
    assert machine.attributes == ("red", "automatic")
    assert machine.position == (2.34, 0.45, 2.23)


def broken(change: str) -> object:
    raw = json.loads(json.dumps(example()))
    nodes, links = raw["nodes"], raw["links"]
    match change:
        case "no nodes":
            return {"links": []}
        case "a list":
            return []
        case "unknown type":
            nodes["assets"] = nodes.pop("asset")
        case "unknown key":
            nodes["asset"][0]["afordances"] = []
        case "unknown parent":
            nodes["object"][0]["state"] = "inside_of(wardrobe3)"
        case "unknown relation":
            nodes["object"][0]["state"] = "insideof(wardrobe1)"
        case "nowhere":
            del nodes["object"][0]["state"]
        case "no room":
            nodes["asset"][0]["room"] = "toms_roon"
        case "duplicate":
            nodes["asset"].append(nodes["asset"][0])
        case "bad link":
            links[0] = "bobs_room->pose1"
        case "unknown end":
            links[0] = "bobs_room<->pose9"
        case "wrong parent":
            links[-1] = "fridge<->coffee_mug"
        case "numbers":
            nodes["asset"][0]["state"] = 3
        case "no id":
            nodes["room"][0] = {"id": ""}
    return raw


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("no nodes", "an object with nodes"),
        ("a list", "an object with nodes"),
        ("unknown type", "did you mean 'asset'?"),
        ("unknown key", "nodes.asset[0].afordances"),
        ("unknown parent", "did you mean 'wardrobe"),
        ("unknown relation", "did you mean 'inside_of'"),
        ("nowhere", "where the object is"),
        ("no room", "did you mean 'toms_room'"),
        ("duplicate", "ids that are unique"),
        ("bad link", "links[0]"),
        ("unknown end", "did you mean 'pose"),
        ("wrong parent", "coffee_mug is in wardrobe1"),
        ("numbers", "nodes.asset[0].state"),
        ("no id", "a non-empty string"),
    ],
)
def test_errors_name_the_place_and_what_to_try(change: str, said: str) -> None:
    with pytest.raises(SceneError) as caught:
        from_sayplan(broken(change), "file.json")
    assert said in str(caught.value)
    assert str(caught.value).startswith("file.json")
