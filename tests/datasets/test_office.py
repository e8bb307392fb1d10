"""The SayPlan office as data: counts, provenance, geometry, and the answers of the 30 search instructions.

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
from plain_scene import PlainScene, natural

OFFICE = PlainScene("office")
scene, nodes, graph, facts = OFFICE.scene, OFFICE.nodes, OFFICE.graph, OFFICE.facts
of_type, of_class, having, below = OFFICE.of_type, OFFICE.of_class, OFFICE.with_argument, OFFICE.below
room_of, rooms_of, rooms, inside = OFFICE.room_of, OFFICE.rooms_of, OFFICE.rooms, OFFICE.inside
nearest = OFFICE.nearest


# Counts


def test_counts_of_table_4() -> None:
    counts = Counter(n["type"] for n in scene()["nodes"])
    assert counts == {"room": 37, "asset": 73, "object": 78, "agent": 1, "pose": 26}
    kinds = Counter(
        "pose-pose" if all(nodes()[e]["type"] == "pose" for e in (x["a"], x["b"])) else "room-pose"
        for x in scene()["links"]
    )
    assert kinds == {"room-pose": 37, "pose-pose": 29}
    parents = sum("parent" in n for n in scene()["nodes"])
    assert len(scene()["links"]) + parents == 218, "37 + 29 links, 1 agent edge, 151 parent edges"
    assert counts["room"] + counts["agent"] + len(scene()["links"]) + 1 == 105, "collapsed"
    assert sum(counts.values()) - counts["pose"] + 218 == 407, "poses are not counted as entities"


def test_categories_of_rooms() -> None:
    counts = Counter(nodes()[r]["classes"][0] for r in of_type("room"))
    assert counts["office"] == 13 and counts["meeting_room"] == 4 and counts["phd_bay"] == 4
    assert counts["postdoc_bay"] == 3 and counts["printing_zone"] == 2 and counts["robot_lounge"] == 2


def test_what_one_instruction_adds_is_not_in_the_scene() -> None:
    assert not {"compost_bin", "sweet_wrapper"} & set(nodes())
    assert not [n["id"] for n in scene()["nodes"] if n.get("relation") == "inside_hand"]
    assert nodes()["coffee_machine"]["state"] == ["off"]
    assert [o for o in of_type("object") if "dirty" in nodes()[o]["state"]] == ["plate"]


def test_the_agent_belongs_to_the_lab_and_stands_at_its_pose() -> None:
    agent = nodes()["agent"]
    assert (agent["parent"], agent["at"]) == ("mobile_robotics_lab", "pose8")
    assert graph().has_edge("mobile_robotics_lab", "pose8")


# Geometry


def test_links_between_poses_are_nearly_equal_and_poses_apart() -> None:
    poses = of_type("pose")
    for link in scene()["links"]:
        if link["a"] in poses:
            assert abs(link["length"] / 6 - 1) <= 0.04, link
    for a, b in itertools.combinations(poses, 2):
        assert math.dist(nodes()[a]["position"], nodes()[b]["position"]) > 4, (a, b)


def test_shortest_in_metres_is_shortest_in_links_and_unique_for_every_pair() -> None:
    places = sorted(graph(), key=natural)
    for start in places:
        metres = nx.single_source_dijkstra_path_length(graph(), start, weight="length")
        hops = nx.single_source_shortest_path_length(graph(), start)
        for end in places:
            if start < end:
                best = [p for p in nx.all_shortest_paths(graph(), start, end, weight="length")]
                assert [len(p) - 1 for p in best] == [hops[end]], (start, end)
                others = (
                    sum(graph()[u][v]["length"] for u, v in itertools.pairwise(p))
                    for p in nx.all_shortest_paths(graph(), start, end)
                    if p != best[0]
                )
                assert min(others, default=math.inf) > metres[end] + 10, (start, end, "nearly a tie")


def test_rooms_do_not_overlap_and_hold_what_is_in_them() -> None:
    half = 1.6
    for a, b in itertools.combinations(of_type("room"), 2):
        (ax, ay, _), (bx, by, _) = nodes()[a]["position"], nodes()[b]["position"]
        assert max(abs(ax - bx), abs(ay - by)) >= 2 * half, (a, b)
    for name in (*of_type("asset"), *of_type("object")):
        x, y, _ = nodes()[name]["position"]
        rx, ry, _ = nodes()[room_of(name)]["position"]
        assert max(abs(x - rx), abs(y - ry)) <= half, name


# The published facts


def test_topology_is_the_published_one_without_the_contradicted_edge() -> None:
    wanted = {
        frozenset((e["a"], e["b"])) for e in facts()["topology_edges"] if e["confidence"] != "contradicted"
    }
    assert {frozenset((x["a"], x["b"])) for x in scene()["links"]} == wanted
    assert not graph().has_edge("pose17", "pose18")


def test_published_assets_are_as_published() -> None:
    known = {a["name"]: a for a in facts()["assets"] if a["in_figure5"]}
    assert set(known) == set(of_type("asset"))
    for name, fact in known.items():
        node = nodes()[name]
        assert node["parent"] == fact["room"], name
        assert {a for a in fact.get("affordances", ()) if "unknown" not in a} <= set(node["affordances"]), (
            name
        )
        assert node["state"] == fact.get("state", "").split(", ") or "state" not in fact, name


def test_published_objects_are_where_they_are_published() -> None:
    known = {o["name"]: o for o in facts()["objects"] if o["in_figure5"]}
    assert set(known) == set(of_type("object"))
    for name, fact in known.items():
        node = nodes()[name]
        if name == "K31X":
            assert room_of(name) == "michaels_office", "Table 13 against a third-party reading of Fig. 5"
            continue
        assert node["parent"] == fact["parent"], name
        assert node["relation"] == {"in_room": "ontop_of"}.get(fact["relation"], fact["relation"]), name
        for word in fact.get("attributes", ()):
            if re.fullmatch(r"\w+", word):
                assert word in (*node["attributes"], *node["state"]), name


def test_rooms_are_the_published_ones() -> None:
    assert {r["id"] for r in facts()["rooms"]} == set(of_type("room"))
    for room in facts()["rooms"]:
        assert nodes()[room["id"]]["classes"][0] == room["category"]


def test_legs_of_the_printed_plans_are_routes_of_fewest_links() -> None:
    plans = {k: v["sayplan_plan"] for k, v in facts()["planning"]["results"].items() if "sayplan_plan" in v}
    assert len(plans) == 15
    legs = 0
    for instruction, steps in plans.items():
        here, taken = "pose8", 0
        leg_start = here
        for step in steps:
            match = re.fullmatch(r"goto\((\w+)\)", step)
            if match is None:
                continue
            assert graph().has_edge(here, match[1]), (instruction, here, match[1])
            here, taken = match[1], taken + 1
            if nodes()[here]["type"] == "room":
                assert taken == nx.shortest_path_length(graph(), leg_start, here), (instruction, here)
                leg_start, taken, legs = here, 0, legs + 1
        assert taken == 0, instruction
    assert legs == 20


# The search instructions of appendix C: what the answer is, computed from the scene


def neighbours(room: str) -> set[str]:
    """The rooms at the same pose."""
    return {r for pose in graph()[room] for r in graph()[pose] if r != room and nodes()[r]["type"] == "room"}


def cabinets_of_offices() -> list[str]:
    return [c for c in of_class("cabinet") if nodes()[c]["parent"] in rooms("office")]


WORLD_KNOWLEDGE = {
    "non vegetarian": ["chicken_kebab", "salmon_bagel"],
    "sharp": ["scissors", "knife"],
    "board games": ["monopoly", "risk", "janga"],
    "Arnold Schwarzenegger": ["terminator_poster"],
    "paper attachment device": ["stapler"],
}
"""What the complex instructions ask people and models to know; the scene does not say it."""

SIMPLE: list[tuple[str, Callable[[], set[str]], set[str]]] = [
    ("Find me object K31X.", lambda: {room_of("K31X")}, {"michaels_office"}),
    ("Find me a carrot.", lambda: rooms_of(of_class("carrot")), {"kitchen"}),
    (
        "Find me anything purple in the postdoc bays.",
        lambda: rooms_of(having("purple")) & set(rooms("postdoc_bay")),
        {"postdoc_bay2"},
    ),
    (
        "Find me a ripe banana.",
        lambda: rooms_of(set(of_class("banana")) & having("ripe")),
        {"cafeteria"},
    ),
    (
        "Find me something that has a screwdriver in it.",
        lambda: rooms_of([nodes()[s]["parent"] for s in of_class("screwdriver")]),
        {"robot_lounge2"},
    ),
    (
        "One of the offices has a poster of the Terminator. Which one is it?",
        lambda: rooms_of(of_class("terminator_poster")),
        {"michaels_office"},
    ),
    (
        "I printed a document but I don’t know which printer has it. Find the document.",
        lambda: rooms_of([d for d in of_class("document") if nodes()[d]["parent"] in of_class("printer")]),
        {"printing_zone2"},
    ),
    (
        "I left my headphones in one of the meeting rooms. Locate them.",
        lambda: rooms_of(of_class("headphones")),
        {"meeting_room3"},
    ),
    (
        "Find the PhD bay that has a drone in it.",
        lambda: {r for r in rooms("phd_bay") if inside(r, "drone")},
        {"phd_bay3"},
    ),
    (
        "Find the kale that is not in the kitchen.",
        lambda: rooms_of(of_class("kale")) - {"kitchen"},
        {"agriculture_lab"},
    ),
    (
        "Find me an office that does not have a cabinet.",
        lambda: {r for r in rooms("office") if not inside(r, "cabinet")},
        {
            "tobis_office",
            # CONFLICT: the human of the paper passes all of these but aarons_office as if they had a cabinet;
            # the figure has six cabinets for thirteen offices.
            "aarons_office",
            "ajays_office",
            "chris_office",
            "filipes_office",
            "lauriannes_office",
            "luis_office",
        },
    ),
    (
        "Find me an office that contains a cabinet, a desk, and a chair.",
        lambda: {r for r in rooms("office") if all(inside(r, c) for c in ("cabinet", "desk", "chair"))},
        {"nikos_office"},
    ),
    (
        "Find a book that was left next to a robotic gripper.",
        lambda: {
            room_of(b)
            for b in of_class("book")
            for g in of_class("gripper")
            if nodes()[b]["parent"] == nodes()[g]["parent"]
        },
        {"manipulation_lab"},
    ),
    (
        "Luis gave one of his neighbours a stapler. Find the stapler.",
        lambda: rooms_of(of_class("stapler")) & neighbours("luis_office"),
        {"filipes_office"},
    ),
    (
        "There is a meeting room with a chair but no table. Locate it.",
        lambda: {r for r in rooms("meeting_room") if inside(r, "chair") and not inside(r, "table")},
        {"meeting_room2"},
    ),
]

COMPLEX: list[tuple[str, Callable[[], set[str]], set[str]]] = [
    (
        "Find object J64M. J64M should be kept at below 0 degrees Celsius.",
        lambda: {room_of("J64M")} & rooms_of(of_class("fridge")),
        {"kitchen"},
    ),
    (
        "Find me something non vegetarian.",
        lambda: rooms_of(WORLD_KNOWLEDGE["non vegetarian"]),
        {"kitchen"},
    ),
    (
        "Locate something sharp.",
        # CONFLICT: Table 19 has a knife on lunch_table, which the human of Table 14 passes; it is blunt here.
        lambda: rooms_of(set(WORLD_KNOWLEDGE["sharp"]) - having("blunt")),
        {"michaels_office"},
    ),
    (
        "Find the room where people are playing board games.",
        lambda: rooms_of(WORLD_KNOWLEDGE["board games"]),
        {"meeting_room4"},
    ),
    (
        "Find an office of someone who is clearly a fan of Arnold Schwarzenegger.",
        lambda: rooms_of(WORLD_KNOWLEDGE["Arnold Schwarzenegger"]),
        {"michaels_office"},
    ),
    (
        "There is a postdoc that has a pet Husky. Find the desk that’s most likely theirs.",
        lambda: {nodes()[f]["parent"] for f in having("husky_picture")},
        {"desk33"},
    ),
    (
        "One of the PhD students was given more than one complimentary T-shirts. Find his desk.",
        lambda: {
            d
            for d in of_class("desk")
            if nodes()[d]["parent"] in rooms("phd_bay")
            and sum("tshirt" in nodes()[o]["classes"] for o in below(d)) > 1
        },
        {"desk18"},
    ),
    (
        "Find me the office where a paper attachment device is inside an asset that is open.",
        lambda: {
            room_of(s)
            for s in of_class("stapler")
            if nodes()[s]["relation"] == "inside_of" and "open" in nodes()[nodes()[s]["parent"]]["state"]
        },
        {"michaels_office"},
    ),
    (
        "There is an office which has a cabinet containing exactly 3 items in it. Locate the office.",
        lambda: rooms_of([c for c in cabinets_of_offices() if len(below(c)) == 3]),
        {"wills_office"},
    ),
    (
        "There is an office which has a cabinet containing a rotten apple. The cabinet name contains an even "
        "number. Locate the office.",
        lambda: rooms_of(
            [
                c
                for c in cabinets_of_offices()
                if int(re.sub(r"\D", "", c)) % 2 == 0
                and any("apple" in nodes()[o]["classes"] and o in having("rotten") for o in below(c))
            ]
        ),
        {"wills_office"},
    ),
    (
        "Look for a carrot. The carrot is likely to be in a meeting room but I’m not sure.",
        lambda: rooms_of(of_class("carrot")),
        {"kitchen"},
    ),
    (
        "Find me a meeting room with a RealSense camera.",
        lambda: {r for r in rooms("meeting_room") if inside(r, "camera", "realsense_camera", "realsense")},
        set(),
    ),
    (
        "Find the closest fire extinguisher to the manipulation lab.",
        lambda: nearest("manipulation_lab", list(rooms_of(of_class("fire_extinguisher")))),
        {"admin"},
    ),
    (
        "Find me the closest meeting room to the kitchen.",
        lambda: nearest("kitchen", rooms("meeting_room")),
        {"meeting_room3"},
    ),
    (
        "Either Filipe or Tobi has my headphones. Locate it.",
        lambda: rooms_of(of_class("headphones")) & {"filipes_office", "tobis_office"},
        set(),
    ),
]

CONFLICTING = {"Find me an office that does not have a cabinet."}
"""Instructions whose published answer is one of several that the published facts allow."""


@pytest.mark.parametrize(
    ("instruction", "answer", "wanted"), SIMPLE + COMPLEX, ids=[row[0] for row in SIMPLE + COMPLEX]
)
def test_search_instruction_has_its_answer(
    instruction: str, answer: Callable[[], set[str]], wanted: set[str]
) -> None:
    assert answer() == wanted
    assert len(wanted) <= 1 or instruction in CONFLICTING


def test_the_search_instructions_are_the_published_ones() -> None:
    published = facts()["search_instructions"]
    assert [s[0] for s in SIMPLE] == published["simple_office"]
    assert [s[0] for s in COMPLEX] == published["complex_office"]


def test_published_answers_are_among_ours() -> None:
    for instruction, _, wanted in SIMPLE + COMPLEX:
        answer = facts()["search_results"][instruction]["answer"]
        if answer.startswith("none"):
            assert wanted == set(), instruction
        else:
            found = {w for w in wanted if w in answer} | {room_of(w) for w in wanted if room_of(w) in answer}
            assert found, (instruction, answer)


def test_complex_answers_have_to_be_inferred() -> None:
    for node in scene()["nodes"]:
        shown = json.dumps({k: v for k, v in node.items() if k != "provenance"}).casefold()
        for word in (
            "board game",
            "boardgame",
            "game",
            "sharp",
            "vegetarian",
            "schwarzenegger",
            "frozen",
            "realsense",
        ):
            assert word not in shown, (node["id"], word)


def test_what_planning_instructions_need_is_there_once() -> None:
    assert having("largest") == {"meeting_room3"}
    assert having("smelly") == {"salmon_bagel"} and having("alcoholic") == {"vodka"}
    assert having("rotten") == {"apple1", "apple2"} and having("rotting") == {"apple2"}
    assert having("valuable") == {"phone"} and having("dusty") == {"shelf"}
    assert {n for n in nodes() if "clean" in nodes()[n].get("state", ())} == {"plate2", "bowl", "spoon"}
    assert {n for n in nodes() if nodes()[n].get("parent") == "dishwasher"} == {"plate2", "bowl", "spoon"}
    assert not having("healthy") & having("rotten")
