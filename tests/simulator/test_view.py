"""Search reveals a scene level by level, and hides again exactly what it revealed."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_building import building

from groundplan.datasets.generate.buildings import Sizes, furnished_building
from groundplan.domains.errors import InputError
from groundplan.simulator.scene import Link, Node, Scene
from groundplan.simulator.scene_json import read_scene
from groundplan.simulator.view import MAX_ROOMS, View, ViewError, counts

OFFICE = read_scene(Path(__file__).parents[2] / "datasets" / "scenes" / "office.json")
LEVELS = ("campus", "building", "floor", "room", "asset", "object")


@st.composite
def hierarchies(draw: st.DrawFn) -> Scene:
    """Scenes of any number of levels; every node hangs below one of a higher level, or is a root."""
    sizes = [draw(st.integers(0, 3)) for _ in range(4)]
    sizes = [*sizes[:3], max(1, sizes[3]), draw(st.integers(0, 5)), draw(st.integers(0, 6))]
    nodes: dict[str, Node] = {}
    for level, size in enumerate(sizes):
        kind = LEVELS[level]
        above = [n for n in nodes.values() if n.type != "agent"]
        if kind == "asset":
            above = [n for n in above if n.type in ("room", "floor", "building")]
        if kind == "object":
            above = [n for n in above if n.type in ("room", "asset")]
        for index in range(size):
            must = kind in ("asset", "object")
            parent = draw(st.sampled_from(above)) if above and (must or draw(st.booleans())) else None
            relation = "ontop_of" if kind == "object" else "in"
            name = f"{kind}{index}"
            nodes[name] = Node(name, kind, parent.id if parent else None, relation)
    rooms = [n.id for n in nodes.values() if n.type == "room"]
    links = []
    for index in range(draw(st.integers(0, 4))):
        pose = f"pose{index}"
        nodes[pose] = Node(pose, "pose")
        links.append(Link(pose, draw(st.sampled_from(rooms)), 1.0))
    nodes["agent"] = Node("agent", "agent", draw(st.sampled_from(rooms)))
    if draw(st.booleans()):
        nodes["held"] = Node("held", "object", "agent", "inside_hand")
    return Scene("drawn", nodes, tuple(links))


@st.composite
def views(draw: st.DrawFn) -> View:
    view = View.collapsed(draw(hierarchies()))
    for _ in range(draw(st.integers(0, 8))):
        if not view.closed:
            break
        view = view.expand(draw(st.sampled_from(view.closed)))
    return view


@given(views())
def test_everything_visible_hangs_below_something_visible(view: View) -> None:
    for node in view.visible:
        if node.type == "agent" or "agent" in view.scene.ancestors(node.id):
            continue
        assert set(view.scene.ancestors(node.id)) <= view.ids


@given(views())
def test_contract_undoes_expand_and_memory_remembers(view: View) -> None:
    for name in view.closed:
        opened = view.expand(name)
        assert opened.ids >= view.ids
        assert opened.memory[-1] == name or name in view.memory
        back = opened.contract(name)
        assert back.visible == view.visible
        assert back.memory == opened.memory
        assert view == View(view.scene, view.expanded, view.memory), "a view never changes"


@given(views())
def test_the_text_does_not_depend_on_the_order_of_expansion(view: View) -> None:
    again = View.collapsed(view.scene)
    pending = list(reversed(view.expanded))
    while pending:
        name = next(n for n in pending if n in again.ids)
        again = again.expand(name)
        pending.remove(name)
    assert json.dumps(again.as_json()) == json.dumps(view.as_json())


@given(hierarchies())
def test_expanding_everything_shows_the_whole_scene(scene: Scene) -> None:
    view = View.collapsed(scene)
    while view.closed:
        view = view.expand(view.closed[0])
    inside = {i for i in scene.nodes if "room" in {scene.nodes[a].type for a in (i, *scene.ancestors(i))}}
    assert inside <= view.ids
    assert set(view.ids) == set(scene.nodes)


@given(views(), st.data())
def test_a_subgraph_is_a_scene_with_the_ancestors_of_what_was_chosen(view: View, data: st.DataObject) -> None:
    chosen = data.draw(st.sets(st.sampled_from(sorted(view.ids))))
    part = view.subgraph(chosen)
    assert chosen <= set(part.nodes)
    assert part.agent == view.scene.agent
    assert all(part.nodes[i] == view.scene.nodes[i] for i in part.nodes)
    assert list(part.nodes) == [i for i in view.scene.nodes if i in part.nodes]


def test_the_office_counts_as_in_the_paper() -> None:
    assert counts(OFFICE) == {
        "room": 37,
        "asset": 73,
        "object": 78,
        "agent": 1,
        "pose": 26,
        "edges": 218,
        "entities": 407,
        "collapsed": 105,
    }


def test_the_collapsed_office_shows_rooms_ways_and_the_agent() -> None:
    view = View.collapsed(OFFICE)
    assert {n.type for n in view.visible} == {"room", "pose", "agent"}
    raw = view.as_json()
    assert list(raw["nodes"]) == ["room", "pose", "agent"]
    assert len(raw["links"]) == 67
    assert "mobile_robotics_lab<->agent" in raw["links"]


def test_expanding_a_room_shows_all_that_is_in_it() -> None:
    view = View.collapsed(OFFICE).expand("kitchen")
    assert {"fridge", "orange1", "banana2"} <= view.ids
    assert "desk1" not in view.ids
    entry = next(e for e in view.as_json()["nodes"]["object"] if e["id"] == "banana2")
    assert entry["state"] == "inside_of(fridge)"
    assert view.memory == ("kitchen",)
    assert view.expand("kitchen") is view


def house() -> Scene:
    nodes = [
        Node("ground", "floor"),
        Node("first", "floor"),
        Node("hall", "room", "ground"),
        Node("attic", "room", "first"),
        Node("p", "pose"),
        Node("q", "pose", "first"),
        Node("lamp", "asset", "attic"),
        Node("agent", "agent", "attic"),
    ]
    links = (Link("hall", "p", 1.0), Link("p", "q", 5.0), Link("q", "attic", 1.0))
    return Scene("house", {n.id: n for n in nodes}, links)


def test_a_house_is_collapsed_to_its_rooms_and_a_floor_can_be_hidden() -> None:
    view = View.collapsed(house())
    assert [n.id for n in view.visible] == ["ground", "hall", "first", "attic", "q", "p", "agent"]
    assert view.closed == ("hall", "attic")
    assert view.memory == (), "nobody has looked yet"
    assert view.as_json()["links"][:3] == ["hall<->p", "p<->q", "q<->attic"]
    hidden = view.expand("attic").contract("first")
    assert [n.id for n in hidden.visible] == ["ground", "hall", "first", "p", "agent"]
    assert hidden.closed == ("hall", "first")
    assert hidden.expand("first").visible == view.visible


def test_floors_are_counted_by_their_edges_only() -> None:
    found = counts(house())
    assert (found["floor"], found["pose"], found["edges"]) == (2, 2, 3 + 2 + 1 + 1 + 1)
    assert found["entities"] == 2 + 1 + 1 + found["edges"]
    assert found["collapsed"] == 2 + 1 + (found["edges"] - 1), "all but the edge of the lamp"


def test_one_building_is_open_and_several_are_closed() -> None:
    nodes = [
        Node("campus", "campus"),
        Node("west", "building", "campus"),
        Node("top", "floor", "west"),
        Node("attic", "room", "top"),
        Node("agent", "agent", "attic"),
    ]
    alone = Scene("one", {n.id: n for n in nodes})
    assert View.collapsed(alone).ids == {"campus", "west", "top", "attic", "agent"}
    both = alone.changed(add=[Node("east", "building", "campus")])
    assert View.collapsed(both).ids == {"campus", "west", "east", "agent"}
    assert View.collapsed(both).closed == ("west", "east")


def test_what_the_agent_holds_is_always_visible() -> None:
    held = Node("wrapper", "object", "agent", "inside_hand")
    view = View.collapsed(OFFICE.changed(add=[held]))
    assert "wrapper" in view.ids
    assert {"wrapper", "agent", "pose8"} <= set(view.subgraph([]).nodes)


@pytest.mark.parametrize(
    ("command", "name", "said"),
    [
        ("expand", "kichen", "did you mean 'kitchen'?"),
        ("expand", "fridge", "expand kitchen first"),
        ("expand", "pose1", "type pose"),
        ("expand", "agent", "type agent"),
        ("contract", "kitchen", "an expanded node"),
        ("contract", "nowhere", "a name that the scene does not have"),
        ("expand", "x" * 10_000, "a name that the scene does not have"),
    ],
)
def test_wrong_commands_say_what_to_try(command: str, name: str, said: str) -> None:
    with pytest.raises(ViewError) as caught:
        getattr(View.collapsed(OFFICE), command)(name)
    assert said in str(caught.value)
    assert len(str(caught.value)) < 400
    assert isinstance(caught.value, InputError)


def test_a_subgraph_has_what_the_states_of_its_nodes_name() -> None:
    """A plate covered with a stain is read in a subgraph of the plate: the stain is of its state."""
    nodes = (
        Node("kitchen", "room"),
        Node("shelf", "asset", parent="kitchen", relation="inside_of"),
        Node("plate", "object", parent="shelf", relation="ontop_of", state=("covered stain",)),
        Node("stain", "object", parent="plate", relation="ontop_of"),
        Node("cup", "object", parent="shelf", relation="ontop_of"),
        Node("robot", "agent", at="kitchen"),
    )
    scene = Scene("kitchen", {node.id: node for node in nodes}, ())
    shown = View.collapsed(scene).expand("kitchen")
    assert set(shown.subgraph(["plate"]).nodes) == {"kitchen", "shelf", "plate", "stain", "robot"}


def test_a_subgraph_takes_only_what_was_seen() -> None:
    with pytest.raises(ViewError, match="expand kitchen first"):
        View.collapsed(OFFICE).subgraph(["fridge"])


def test_collapsing_looks_at_the_top_level_only(benchmark) -> None:  # type: ignore[no-untyped-def]
    nodes = {f"r{i}": Node(f"r{i}", "room") for i in range(500)}
    nodes |= {f"a{i}": Node(f"a{i}", "asset", f"r{i % 500}") for i in range(20_000)}
    nodes["agent"] = Node("agent", "agent", "r0")
    scene = Scene("large", nodes, ())
    view = benchmark(lambda: View.collapsed(scene).visible)
    assert len(view) == 501


def test_a_search_of_many_rooms_starts_at_floors():
    small = furnished_building(Sizes(floors=2, rooms=8, assets=8, objects=8))
    assert View.first(small) == View.collapsed(small)
    assert View.first(OFFICE) == View.collapsed(OFFICE)
    large = furnished_building(Sizes(floors=3, rooms=MAX_ROOMS + 1, assets=0, objects=0))
    view = View.first(large)
    assert not [n for n in view.visible if n.type == "room"]
    while view.closed and large.nodes[view.closed[0]].type != "room":
        view = view.expand(view.closed[0])
    assert [n for n in view.visible if n.type == "room"]
    flat = building(MAX_ROOMS + 1, 0, 0)
    assert View.first(flat) == View.collapsed(flat)


def test_what_was_shown_once_is_remembered_after_contracting() -> None:
    first = View.first(OFFICE)
    opened = first.expand("kitchen")
    contracted = opened.contract("kitchen").expand("lobby")
    new = [n.id for n in opened.visible if n.id not in first.ids]
    assert list(opened.ever_shown) == new and "fridge" in new and first.ever_shown == ()
    assert set(contracted.ever_shown) == {*new, *contracted.ids} - first.ids
    assert list(contracted.expand("kitchen").ever_shown) == list(contracted.ever_shown)
