"""The format of SayPlan's appendix K, in both directions."""

import json
import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from papers_example import example

from groundplan.datasets.formats.registry import by_name, read
from groundplan.datasets.scenes import load_scene, open_scene
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


def respelled(how: str) -> object:
    """Return the example as other programs write it."""
    raw = json.loads(json.dumps(example()))
    ends = [link.split("<->") for link in raw["links"]]
    match how:
        case "pairs":
            raw["links"] = ends
        case "objects" | "from and to":
            keys = ("source", "target") if how == "objects" else ("from", "to")
            raw["links"] = [dict(zip(keys, pair, strict=True)) for pair in ends]
        case "edges":
            raw["edges"] = raw.pop("links")
        case "by id":
            raw["nodes"] = {t: {n.pop("id"): n for n in group} for t, group in raw["nodes"].items()}
        case "one list":
            raw["nodes"] = [node | {"type": t} for t, group in raw["nodes"].items() for node in group]
        case "loc":
            for node in raw["nodes"]["agent"]:
                node["loc"] = node.pop("location")
        case arrow:
            raw["links"] = [arrow.join(pair) for pair in ends]
    return raw


@pytest.mark.parametrize(
    "how",
    [
        "pairs",
        "objects",
        "from and to",
        "edges",
        "by id",
        "one list",
        "loc",
        "-",
        " \u2194 ",
        "--",
        "<-->",
        " -> ",
    ],
)
def test_links_and_nodes_may_be_spelled_as_other_programs_do(how: str) -> None:
    assert from_sayplan(respelled(how), "example") == from_sayplan(example(), "example")


def test_a_sign_in_a_name_is_no_arrow_where_another_reading_exists() -> None:
    rooms = [{"id": name} for name in ("a-b", "c", "a", "b-c", "d--e")]
    scene = from_sayplan({"nodes": {"room": rooms}, "links": ["a-b-c", "d--e-c", "c - d--e"]}, "x")
    assert [(link.a, link.b) for link in scene.links] == [("a", "b-c"), ("d--e", "c"), ("c", "d--e")]


def test_what_a_node_contains_or_carries_has_its_place_there_and_classes_are_read() -> None:
    raw = {
        "nodes": {
            "room": [{"id": "r1", "class": "kitchen", "contains": ["t1", "f1"]}],
            "agent": [{"id": "agent", "location": "r1", "carries": ["cup1"], "accessing": "t1"}],
            "asset": [
                {"id": "t1", "room": "r1", "affordances": ["release"], "contains": ["pan1"]},
                {"id": "f1", "room": "r1", "affordances": ["open", "close"], "contains": ["milk1"]},
            ],
            "object": [{"id": name, "affordances": ["pickup"]} for name in ("pan1", "milk1", "cup1")],
        },
        "links": [],
    }
    scene = from_sayplan(raw, "x")
    places = {
        name: (scene.nodes[name].parent, scene.nodes[name].relation) for name in ("pan1", "milk1", "cup1")
    }
    assert places == {
        "pan1": ("t1", "ontop_of"),
        "milk1": ("f1", "inside_of"),
        "cup1": ("agent", "inside_hand"),
    }
    assert scene.nodes["r1"].classes == ("kitchen",)


def test_further_keys_are_kept_written_back_and_shown_to_no_model(tmp_path: Path) -> None:
    raw = example()
    more = {"colour_code": "#fff", "weight": {"kg": [1, 2.5]}}
    raw["nodes"]["asset"][0].update(more)  # type: ignore[index]
    name = raw["nodes"]["asset"][0]["id"]  # type: ignore[index]
    (tmp_path / "flat.sayplan.json").write_text(json.dumps(raw))
    scene = open_scene(str(tmp_path / "flat.sayplan.json"))
    assert scene.nodes[name].extra == more and scene.losses == ()
    plain = from_sayplan(example(), "x")
    assert scene.hash == plain.hash and hash(scene.nodes[name]) == hash(plain.nodes[name])
    shown = [to_sayplan(scene), View.collapsed(scene).as_json()]
    assert "colour_code" not in json.dumps(shown), "prompts and counts of tokens are as without them"
    sayplan = by_name("sayplan")
    assert sayplan.write is not None and sayplan.loses is not None
    written = json.loads(sayplan.write(scene))
    assert more.items() <= written["nodes"]["asset"][0].items()
    assert sayplan.loses(scene) == sayplan.loses(plain)
    own = scene_from_json(json.loads(scene_text(scene)), "again")
    assert own.nodes[name].extra == more
    other = by_name("lookplangraph").loses
    assert other is not None and any("other keys" in loss for loss in other(scene))
    wrong = json.loads(scene_text(scene))
    wrong["nodes"][0]["extra"] = "no object"
    with pytest.raises(SceneError, match=r"nodes\[0\]\.extra: expected an object"):
        scene_from_json(wrong, "x")


def test_other_parts_of_a_document_are_kept_and_its_name_and_description_are_read(tmp_path) -> None:
    path = tmp_path / "own.json"
    more = {"created by": {"a": 1}, "tags": [1, 2], "empty": None}
    document = example() | {"name": "lab", "description": "two rooms", **more}
    path.write_text(json.dumps(document), encoding="utf-8")
    scene, _ = read(path)
    assert (scene.name, scene.description) == ("lab", "two rooms")
    assert scene.nodes == from_sayplan(example(), "x").nodes
    assert scene.extra == more and scene.losses == ()
    again = from_sayplan(to_sayplan(scene, extra=True), "again")
    assert again == scene and "name" not in to_sayplan(scene) and "tags" not in to_sayplan(scene)
    own = scene_from_json(json.loads(scene_text(scene)), "again")
    assert own.extra == more and pickle.loads(pickle.dumps(own)) == own
    assert own.changed(remove=("coffee_mug",)).extra == more
    other = by_name("lookplangraph").loses
    assert other is not None
    assert "other keys of the document (3: created by)" in other(scene)
    with pytest.raises(SceneError, match="extra: expected an object"):
        scene_from_json(json.loads(scene_text(scene)) | {"extra": [1]}, "x")


def test_a_slip_in_a_key_is_refused_and_a_key_that_only_resembles_one_is_a_doubt() -> None:
    raw = json.loads(json.dumps(example()))
    raw |= {"node": 1, "descriptions": ["a"], "description": "a lab"}
    del raw["nodes"]["asset"][0]["affordances"]
    plain = {"names": ["a"], "ids": 1, "lock": True, "room2": "", "glass_type": 1, "states": [1]}
    doubted = {"calories": 3, "affordences": ["open"]}
    raw["nodes"]["asset"][0].update(plain | doubted)
    scene = from_sayplan(raw, "x")
    assert scene.nodes[raw["nodes"]["asset"][0]["id"]].extra == plain | doubted
    assert scene.extra == {"node": 1, "descriptions": ["a"]}
    assert [(loss.kind, loss.id) for loss in scene.losses] == [("doubt", key) for key in doubted]
    assert scene.losses[1].reason == "kept as a further key; did you mean 'affordances'?"
    for wrong in ("positon", "afordances", "Attributes", "clas", "lcoation", "atributes"):
        with pytest.raises(SceneError, match=rf"nodes.room\[0\].{wrong}: expected a known key"):
            from_sayplan({"nodes": {"room": [{"id": "r9", wrong: ["x"]}]}}, "x")


def test_what_a_file_says_twice_is_kept_or_doubted_and_keys_of_links_are_losses() -> None:
    raw = json.loads(json.dumps(example()))
    mug, wardrobe = raw["nodes"]["object"][0], raw["nodes"]["asset"][0]
    mug["name"], raw["nodes"]["room"][0]["states"] = "Tom's mug", "tidy"
    other = next(a for a in raw["nodes"]["asset"] if a["id"] != "wardrobe1")
    other["contains"] = [mug["id"]]
    ends = raw["links"][0].split("<->")
    raw["links"][0] = {"source": ends[0], "target": ends[1], "weight": 2.5, "kind": "door"}
    scene = from_sayplan(raw, "x")
    assert scene.nodes[mug["id"]].extra == {"name": "Tom's mug"} and wardrobe["id"] in scene.nodes
    assert scene.nodes[raw["nodes"]["room"][0]["id"]].extra == {"states": "tidy"}
    assert [(loss.kind, loss.id) for loss in scene.losses] == [
        ("field", "links.weight"),
        ("field", "links.kind"),
        ("doubt", mug["id"]),
    ]
    written = to_sayplan(scene, extra=True)
    assert from_sayplan(written, "x").nodes[mug["id"]].extra == {"name": "Tom's mug"}


@pytest.mark.parametrize("key", ["states", "holding", "located", "related_to", "class_name", "bounding_box"])
@pytest.mark.parametrize("kind", ["room", "asset", "object", "agent"])
def test_a_further_key_with_the_name_of_another_formats_makes_no_other_format(tmp_path, kind, key) -> None:
    raw = json.loads(json.dumps(example()))
    raw["nodes"][kind][0][key] = "x"
    path = tmp_path / "own.json"
    path.write_text(json.dumps(raw))
    scene, known_as = read(path)
    assert known_as.name == "sayplan"
    assert scene.nodes[raw["nodes"][kind][0]["id"]].extra == {key: "x"}


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
            nodes["asset"][0]["afordances"] = nodes["asset"][0].pop("affordances")
        case "misspelt part":
            raw["link"] = raw.pop("links")
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
            links[0] = "bobs_room"
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
        ("misspelt part", "link: expected a known key, got link; did you mean 'links'"),
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
