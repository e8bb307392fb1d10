"""The SayPlan home as data: counts, provenance, floors, stairs, and answers of the 30 search instructions.

Everything is checked on the plain JSON, without the package, so that data and code cannot share a mistake.
"""

from __future__ import annotations

import itertools
import json
import math
import re
from collections import Counter
from collections.abc import Callable

import networkx as nx
import pytest
from plain_scene import PlainScene

HOME = PlainScene("home")
scene, nodes, graph, facts = HOME.scene, HOME.nodes, HOME.graph, HOME.facts
of_type, of_class, having, below = HOME.of_type, HOME.of_class, HOME.with_argument, HOME.below
room_of, rooms_of, rooms, inside = HOME.room_of, HOME.rooms_of, HOME.rooms, HOME.inside
nearest = HOME.nearest


# Counts


def test_counts_of_table_5() -> None:
    counts = Counter(n["type"] for n in scene()["nodes"])
    assert counts == {"floor": 3, "room": 28, "asset": 52, "object": 60, "agent": 1, "pose": 37}
    parents = Counter(n["type"] for n in scene()["nodes"] if "parent" in n)
    assert parents == {"room": 28, "pose": 37, "asset": 52, "object": 60, "agent": 1}
    links = len(scene()["links"])
    assert links + sum(parents.values()) == 323
    assert 28 + 52 + 60 + 1 + 323 == 464, "no floors and no poses among the entities"
    assert 28 + 1 + links + parents["room"] + parents["pose"] + parents["agent"] == 240, "collapsed"


def test_categories_of_rooms() -> None:
    assert Counter(nodes()[r]["classes"][0] for r in of_type("room")) == {
        "bathroom": 5, "bedroom": 4, "closet": 2, "corridor": 3, "dining_room": 3, "home_office": 1,
        "kitchen": 2, "living_room": 3, "lobby": 1, "playroom": 1, "staircase": 3,
    }  # fmt: skip
    assert all(re.sub(r"\d+$", "", r) == nodes()[r]["classes"][0] for r in of_type("room"))


def test_rooms_are_the_published_ones() -> None:
    assert set(facts()["rooms"]["named_in_paths"]) <= set(of_type("room"))
    assert Counter(nodes()[r]["classes"][0] for r in of_type("room")) == facts()["rooms"]["category_counts"]
    headline = facts()["headline"]
    assert (headline["assets"], headline["objects"], headline["edges"]) == (52, 60, 323)
    assert set(facts()["poses"]["ids_seen"]) <= set(of_type("pose"))


# Form


def test_classes_form_a_hierarchy() -> None:
    """What is above a class is above it wherever the class occurs."""
    above: dict[str, set[tuple[str, ...]]] = {}
    for node in scene()["nodes"]:
        for index, word in enumerate(node.get("classes", ())):
            above.setdefault(word, set()).add(tuple(node["classes"][index + 1 :]))
    assert {word: len(chains) for word, chains in above.items() if len(chains) > 1} == {}


def test_quotes_in_provenance_are_instructions_of_the_paper() -> None:
    published = {
        i["instruction"] for kind in ("simple_home", "complex_home") for i in facts()["search"][kind]
    }
    quoted = {
        q
        for n in scene()["nodes"]
        for text in n["provenance"].values()
        for q in re.findall(r'"([^"]+)" \(App\.', text)
    }
    assert len(quoted) > 20 and quoted <= published


# Floors, stairs and ways

STOREY = 3.0
PLAN: dict[str, tuple[int, float, float, float, float]] = {
    "bathroom0": (1, 13.4, 15.8, 0, 5.2),
    "bathroom1": (0, 2.4, 6, 7, 9.8),
    "bathroom2": (2, 7.6, 9.8, 0, 5.2),
    "bathroom3": (2, 0, 2.2, 7, 12),
    "bathroom4": (2, 15.8, 18, 7, 12),
    "bedroom0": (2, 12, 15.8, 7, 12),
    "bedroom1": (2, 9.8, 15.4, 0, 5.2),
    "bedroom2": (2, 3.6, 7.6, 0, 5.2),
    "bedroom3": (2, 2.2, 6, 7, 12),
    "closet0": (1, 15.8, 18, 0, 5.2),
    "closet1": (2, 15.4, 18, 0, 5.2),
    "corridor0": (0, 0, 13.2, 5.2, 7),
    "corridor1": (1, 0, 18, 5.2, 7),
    "corridor2": (2, 0, 18, 5.2, 7),
    "dining_room0": (1, 5.6, 9.6, 0, 5.2),
    "dining_room1": (0, 3.8, 8.2, 0, 5.2),
    "dining_room2": (1, 6, 12, 9.4, 12),
    "home_office0": (2, 0, 3.6, 0, 5.2),
    "kitchen0": (1, 9.6, 13.4, 0, 5.2),
    "kitchen1": (0, 0, 3.8, 0, 5.2),
    "living_room0": (1, 0, 5.6, 0, 5.2),
    "living_room1": (1, 0, 6, 7, 12),
    "living_room2": (0, 8.2, 13.2, 0, 5.2),
    "lobby0": (1, 12, 18, 7, 12),
    "playroom0": (2, 6, 12, 9.4, 12),
    "staircase0": (0, 6, 12, 7, 9.4),
    "staircase1": (1, 6, 12, 7, 9.4),
    "staircase2": (2, 6, 12, 7, 9.4),
}
"""The floor plan behind the positions: floor, and the walls in metres, west, east, south, north."""
STAIRS = {("staircase0", "staircase1"): 5.0, ("staircase1", "staircase2"): 5.0}
REACH = 6.1
"""Poses of one room are linked with each other up to this distance, in metres."""
DOORSTEP = 0.6
"""How far into the corridor the pose of a door may lie, in metres."""


def rooms_at(pose: str) -> set[str]:
    return {r for r in graph()[pose] if nodes()[r]["type"] == "room"}


def stairs() -> list[tuple[str, str]]:
    """The links whose ends are on two floors, the lower end first."""
    found = [(x["a"], x["b"]) for x in scene()["links"]]
    found = [(a, b) for a, b in found if nodes()[a]["parent"] != nodes()[b]["parent"]]
    return [tuple(sorted(x, key=lambda p: nodes()[p]["position"][2])) for x in found]  # type: ignore[misc]


def test_three_floors_hold_everything() -> None:
    assert of_type("floor") == ["floor0", "floor1", "floor2"]
    assert [sum(nodes()[r]["parent"] == f for r in of_type("room")) for f in of_type("floor")] == [6, 10, 12]
    for name, node in nodes().items():
        floor = name
        while "parent" in nodes()[floor]:
            floor = nodes()[floor]["parent"]
        height = node["position"][2] - STOREY * int(floor[-1])
        assert 0 <= height <= 1.5, name
        if node["type"] in ("floor", "room", "pose", "agent"):
            assert height == 0, name


def test_stairs_are_the_only_ways_between_floors() -> None:
    assert len(stairs()) == 2
    for low, high in stairs():
        pair = (*rooms_at(low), *rooms_at(high))
        length = graph()[low][high]["length"] / 1000
        assert length == STAIRS[pair], "3 m up on 4 m: 5 m"
        (x, y, z), (u, v, w) = nodes()[low]["position"], nodes()[high]["position"]
        assert w - z == STOREY and math.hypot(u - x, v - y) == pytest.approx(4.0)
        assert nodes()[low]["type"] == nodes()[high]["type"] == "pose"
    without = graph().copy()
    without.remove_edges_from(stairs())
    parts = sorted(nx.connected_components(without), key=len)
    assert [{nodes()[n]["parent"] for n in part} for part in parts] == [{"floor0"}, {"floor1"}, {"floor2"}]


def test_rooms_do_not_overlap_and_hold_what_is_in_them() -> None:
    assert set(PLAN) == set(of_type("room"))
    for room, (floor, west, east, south, north) in PLAN.items():
        assert nodes()[room]["parent"] == f"floor{floor}"
        x, y, z = nodes()[room]["position"]
        assert (x, y, z) == pytest.approx(((west + east) / 2, (south + north) / 2, STOREY * floor))
    for a, b in itertools.combinations(PLAN, 2):
        (f, w, e, s, n), (g, w2, e2, s2, n2) = PLAN[a], PLAN[b]
        assert f != g or e <= w2 or e2 <= w or n <= s2 or n2 <= s, (a, b)
    for name in (*of_type("asset"), *of_type("object")):
        _, west, east, south, north = PLAN[room_of(name)]
        x, y, _ = nodes()[name]["position"]
        assert west < x < east and south < y < north, name


def test_poses_stand_in_doors_and_at_stairs() -> None:
    foot_or_head = {p for pair in stairs() for p in pair}
    for pose in of_type("pose"):
        x, y, _ = nodes()[pose]["position"]
        rooms = rooms_at(pose)
        assert len(rooms) == (1 if pose in foot_or_head else 2), pose
        for room in rooms:
            _, west, east, south, north = PLAN[room]
            assert west - DOORSTEP <= x <= east + DOORSTEP and south - DOORSTEP <= y <= north + DOORSTEP, pose


def test_poses_of_a_room_are_linked_as_far_as_a_robot_sees() -> None:
    flights = {frozenset(s) for s in stairs()}
    for a, b in itertools.combinations(of_type("pose"), 2):
        near = math.dist(nodes()[a]["position"], nodes()[b]["position"]) <= REACH
        same = bool(rooms_at(a) & rooms_at(b))
        assert graph().has_edge(a, b) == ((near and same) or frozenset((a, b)) in flights), (a, b)


def test_every_room_can_be_reached_and_every_shortest_way_is_the_only_one() -> None:
    assert nx.is_connected(graph())
    assert set(graph()) == set(of_type("room")) | set(of_type("pose"))
    for start in graph():
        before, metres = nx.dijkstra_predecessor_and_distance(graph(), start, weight="length")
        assert all(len(b) <= 1 for b in before.values()), start
        for end in graph()[start]:
            assert metres[end] == graph()[start][end]["length"], "a link is the shortest way between its ends"


def test_the_agent_stands_at_the_entrance() -> None:
    agent = nodes()["agent"]
    assert (agent["parent"], graph().has_edge("lobby0", agent["at"])) == ("lobby0", True)
    assert not [n["id"] for n in scene()["nodes"] if n.get("relation") == "inside_hand"]


# The search instructions of appendix C: what the answer is, computed from the scene


def where(category: str, *wanted: str) -> set[str]:
    """The rooms of a category that have something of each class."""
    return {r for r in rooms(category) if all(inside(r, w) for w in wanted)}


def most(found: list[str], *wanted: str) -> set[str]:
    number = {r: len(inside(r, *wanted)) for r in found}
    return {r for r in found if number[r] == max(number.values())}


def matching_socks() -> set[str]:
    """Rooms of pairs of one colour, one sock in a bedroom and one in a living room."""
    return {
        r
        for a, b in itertools.product(of_class("sock"), repeat=2)
        if room_of(a) in rooms("bedroom") and room_of(b) in rooms("living_room")
        if nodes()[a]["attributes"] == nodes()[b]["attributes"]
        for r in (room_of(a), room_of(b))
    }


WORLD_KNOWLEDGE: dict[str, tuple[str, ...]] = {
    "shows web pages": ("laptop",),
    "electronic devices": ("television", "speaker", "game_console", "radio", "record_player", "laptop"),
    "a lot of potassium": ("banana",),
    "heats food": ("microwave", "oven"),
    "a child's": ("rattle", "teddy_bear"),
    "meat": ("sausages", "pepperoni_pizza"),
}
"""What the complex instructions ask people and models to know; the scene does not say it."""

SIMPLE: list[tuple[str, Callable[[], set[str]], set[str]]] = [
    ("Find me a FooBar.", lambda: {room_of("FooBar")}, {"living_room2"}),
    ("Find me a bottle of wine.", lambda: rooms_of(of_class("wine_bottle")), {"dining_room1"}),
    (
        "Find me a plant with thorns.",
        lambda: rooms_of(set(of_class("plant")) & having("thorns")),
        {"bathroom1"},
    ),
    (
        "Find me a plant that needs watering.",
        lambda: rooms_of(set(of_class("plant")) & having("needs_watering")),
        {"living_room2"},
    ),
    (
        "Find me a bathroom with no toilet.",
        lambda: {r for r in rooms("bathroom") if not inside(r, "toilet")},
        {"bathroom1"},
    ),
    (
        "The baby dropped their rattle in one of the rooms. Locate it.",
        lambda: rooms_of(of_class("rattle")),
        {"bedroom3"},
    ),
    (
        "I left my suitcase either in the bedroom or the living room. Which room is it in.",
        lambda: rooms_of(of_class("suitcase")) & {*rooms("bedroom"), *rooms("living_room")},
        {"living_room0"},
    ),
    (
        "Find the room with a ball in it.",
        lambda: {r for r in of_type("room") if inside(r, "ball")},
        {"playroom0"},
    ),
    (
        "I forgot my book on a bed. Locate it.",
        lambda: rooms_of([b for b in of_class("book") if nodes()[b]["parent"] in of_class("bed")]),
        {"bedroom3"},
    ),
    (
        "Find an empty vase that was left next to sink.",
        lambda: rooms_of(
            [
                v
                for v in set(of_class("vase")) & having("empty")
                for s in of_class("sink")
                if nodes()[v]["parent"] == nodes()[s]["parent"]
                and math.dist(nodes()[v]["position"], nodes()[s]["position"]) < 1.2
            ]
        ),
        {"bathroom4"},
    ),
    (
        "Locate the dining room which has a table, chair and a baby monitor.",
        lambda: where("dining_room", "table", "chair", "baby_monitor"),
        {"dining_room1"},
    ),
    (
        "Locate a chair that is not in any dining room.",
        # CONFLICT: the human ends in home_office0, SayPlan in living_room1; both are right. The third room
        # has what the 15 guests need.
        lambda: rooms_of(of_class("chair")) - set(rooms("dining_room")),
        {"home_office0", "living_room1", "living_room2"},
    ),
    (
        "I need to shave. Which room has both a razor and shaving cream.",
        lambda: {r for r in of_type("room") if inside(r, "razor") and inside(r, "shaving_cream")},
        {"bathroom3"},
    ),
    (
        "Find me 2 bedrooms with pillows in them.",
        lambda: where("bedroom", "pillow"),
        {"bedroom1", "bedroom3"},
    ),
    (
        "Find me 2 bedrooms without pillows in them.",
        # CONFLICT: the human takes bedroom0 and bedroom1; but two have pillows, and bedroom2 is empty.
        lambda: set(rooms("bedroom")) - where("bedroom", "pillow"),
        {"bedroom0", "bedroom2"},
    ),
]

COMPLEX: list[tuple[str, Callable[[], set[str]], set[str]]] = [
    (
        "I need something to access ChatGPT. Where should I go?",
        lambda: rooms_of(of_class(*WORLD_KNOWLEDGE["shows web pages"])),
        {"home_office0"},
    ),
    (
        "Find the livingroom that contains the most electronic devices.",
        lambda: most(rooms("living_room"), *WORLD_KNOWLEDGE["electronic devices"]),
        {"living_room2"},
    ),
    (
        "Find me something to eat with a lot of potassium.",
        lambda: rooms_of(of_class(*WORLD_KNOWLEDGE["a lot of potassium"])),
        {"kitchen1"},
    ),
    (
        "I left a sock in a bedroom and one in the living room. Locate them. They should match.",
        matching_socks,
        {"bedroom3", "living_room1"},
    ),
    (
        "Find me a potted plant that is most likely a cactus.",
        lambda: rooms_of(set(of_class("potted_plant")) & having("leafless") & having("ribbed")),
        {"living_room2"},
    ),
    (
        "Find the dining room with exactly 5 chairs.",
        lambda: {r for r in rooms("dining_room") if len(inside(r, "chair")) == 5},
        {"dining_room1"},
    ),
    (
        "Find me the bedroom closest to the home office.",
        lambda: nearest("home_office0", rooms("bedroom"), "length"),
        {"bedroom2"},
    ),
    (
        "Find me a bedroom with an unusual amount of bowls.",
        lambda: {r for r in rooms("bedroom") if len(inside(r, "bowl")) > 1},
        {"bedroom1"},
    ),
    (
        "Which bedroom is empty.",
        lambda: {r for r in rooms("bedroom") if not inside(r)},
        {"bedroom2"},
    ),
    (
        "Which bathroom has the most potted plants.",
        lambda: most(rooms("bathroom"), "potted_plant"),
        {"bathroom1"},
    ),
    (
        "The kitchen is flooded. Find somewhere I can heat up my food.",
        lambda: rooms_of(of_class(*WORLD_KNOWLEDGE["heats food"])) - set(rooms("kitchen")),
        {"dining_room0"},
    ),
    (
        "Find me the room which most likely belongs to a child",
        lambda: most(rooms("bedroom"), *WORLD_KNOWLEDGE["a child's"]),
        {"bedroom3"},
    ),
    (
        "15 guests are arriving. Locate enough chairs to seat them.",
        lambda: rooms_of(
            [c for c in of_class("chair") if room_of(c) in (*rooms("dining_room"), *rooms("living_room"))]
        ),
        {"dining_room0", "dining_room1", "dining_room2", "living_room1", "living_room2"},
    ),
    (
        "A vegetarian dinner was prepared in one of the dining rooms. Locate it.",
        lambda: {
            room_of(f)
            for f in set(of_class("food")) - set(of_class(*WORLD_KNOWLEDGE["meat"]))
            if room_of(f) in rooms("dining_room")
        },
        {"dining_room2"},
    ),
    (
        "My tie is in one of the closets. Locate it.",
        lambda: rooms_of(of_class("tie")) & set(rooms("closet")),
        set(),
    ),
]

SEVERAL = {
    "Locate a chair that is not in any dining room.",
    "Find me 2 bedrooms with pillows in them.",
    "Find me 2 bedrooms without pillows in them.",
    "I left a sock in a bedroom and one in the living room. Locate them. They should match.",
    "15 guests are arriving. Locate enough chairs to seat them.",
}
"""Instructions with more than one answer."""


@pytest.mark.parametrize(
    ("instruction", "answer", "wanted"), SIMPLE + COMPLEX, ids=[row[0] for row in SIMPLE + COMPLEX]
)
def test_search_instruction_has_its_answer(
    instruction: str, answer: Callable[[], set[str]], wanted: set[str]
) -> None:
    assert answer() == wanted
    assert len(wanted) <= 1 or instruction in SEVERAL


def test_the_search_instructions_are_the_published_ones() -> None:
    published = facts()["search"]
    assert [s[0] for s in SIMPLE] == [i["instruction"] for i in published["simple_home"]]
    assert [s[0] for s in COMPLEX] == [i["instruction"] for i in published["complex_home"]]


def test_published_answers_agree_with_ours() -> None:
    """Where the facts name rooms, ours are among them, and where they leave a choice, ours is one of it."""
    published = {i["instruction"]: i for kind in facts()["search"].values() for i in kind}
    open_choice = {
        "Find the livingroom that contains the most electronic devices.": "living_room",
        "Find the dining room with exactly 5 chairs.": "dining_room",
        "Find me a bedroom with an unusual amount of bowls.": "bedroom",
        "Which bathroom has the most potted plants.": "bathroom",
    }
    for instruction, _, wanted in SIMPLE + COMPLEX:
        said = published[instruction]["answer"]
        if said.startswith("none"):
            assert wanted == set()
        elif instruction in open_choice:
            last = f"{open_choice[instruction]}{said.split('-')[1][0]}"
            assert said.startswith("one of") and all(
                f"{open_choice[instruction]}0" <= w <= last for w in wanted
            )
        elif instruction == "Find me 2 bedrooms without pillows in them.":
            assert said == "bedroom0 and bedroom1 (human)" and wanted & {"bedroom0", "bedroom1"}
        elif instruction == "15 guests are arriving. Locate enough chairs to seat them.":
            assert said.startswith("dining_room0-2 + living_room0-2"), "living_room0 has no chair"
        else:
            assert {w for w in wanted if w in said}, (instruction, said)


def test_the_printed_paths_of_searches_are_explained() -> None:
    """Nobody passes a room with the answer: rooms before the last of a printed path do not have it.

    Left out are searches that have to see several rooms, and those in which the paper contradicts itself.
    """
    published = {i["instruction"]: i for kind in facts()["search"].values() for i in kind}
    compared = {
        "Find the livingroom that contains the most electronic devices.",
        "Find me a bedroom with an unusual amount of bowls.",
        "Which bathroom has the most potted plants.",
        "Find the dining room with exactly 5 chairs.",  # whoever compares opens all of them
        "Find me a bathroom with no toilet.",  # SayPlan fails: it passes bathroom1
        "Which bedroom is empty.",  # SayPlan fails: it passes bedroom2
    }
    checked = 0
    for instruction, _, wanted in SIMPLE + COMPLEX:
        if "most" in instruction and "living" in instruction:
            assert {published[instruction][p][-1] for p in ("sayplan_path", "human_path")} == wanted
        if instruction in SEVERAL | compared or not wanted:
            continue
        for path in (published[instruction]["sayplan_path"], published[instruction]["human_path"]):
            assert not set(path[:-1]) & wanted, instruction
            assert path[-1] in wanted or instruction == "Find me the bedroom closest to the home office."
            checked += 1
    assert checked == 2 * 18


def test_chairs_explain_both_searches_for_fifteen_seats() -> None:
    number = {r: len(inside(r, "chair")) for r in of_type("room")}
    human = ["dining_room0", "dining_room1", "dining_room2", "living_room0", "living_room1", "living_room2"]
    assert sum(number[r] for r in human) == 17
    assert sum(number[r] for r in human[:-1]) < 15, "the last room is needed"
    failed = ["dining_room0", "dining_room1", "living_room0", "home_office0", "bedroom0", "living_room1"]
    assert sum(number[r] for r in failed) < 15


def test_closest_bedroom_is_closest_in_metres_and_in_links() -> None:
    for weight in ("length", None):
        assert nearest("home_office0", rooms("bedroom"), weight) == {"bedroom2"}
    assert graph().has_edge("home_office0", "pose1206"), "where the paper's model goes on"


def test_near_misses_are_there() -> None:
    """What a search that reads half of an instruction would find instead."""
    assert len(of_class("razor")) == 2 and len(of_class("shaving_cream")) == 1
    assert having("empty") == {"vase1", "vase2"} and room_of("vase2") == "closet0"
    assert room_of("vase0") == "bathroom2" and inside("bathroom2", "sink")
    assert rooms_of(of_class("book")) == {"bedroom3", "home_office0"}
    assert {room_of(s) for s in having("blue")} == {"bedroom3", "living_room1", "closet1"}
    assert [len(inside(f"bathroom{n}", "potted_plant")) for n in range(5)] == [0, 2, 0, 1, 0]
    assert [len(inside(f"bedroom{n}", "bowl")) for n in range(4)] == [1, 5, 0, 0]
    assert [len(inside(f"dining_room{n}", "chair")) for n in range(3)] == [4, 5, 3]
    devices = WORLD_KNOWLEDGE["electronic devices"]
    assert [len(inside(f"living_room{n}", *devices)) for n in range(3)] == [1, 1, 3]
    assert rooms_of(of_class("tie")) == {"bedroom1"}
    assert len(of_class("baby_monitor")) == 2 and len(of_class("pizza")) == 2
    assert not inside("kitchen1", *WORLD_KNOWLEDGE["heats food"]), "whichever kitchen is flooded"


def test_complex_answers_have_to_be_inferred() -> None:
    for node in scene()["nodes"]:
        shown = json.dumps({k: v for k, v in node.items() if k != "provenance"}).casefold()
        for word in (
            "electr",
            "device",
            "potassium",
            "cactus",
            "spine",
            "spik",
            "child",
            "kid",
            "toy",
            "vegetarian",
            "vegan",
            "meat",
            "chatgpt",
            "internet",
            "smart",
            "match",
            "pair",
        ):
            assert word not in shown, (node["id"], word)
    assert len(having("thorns")) == 1
    assert [n for n in of_type("room") if nodes()[n].get("attributes") or nodes()[n].get("description")] == []
