"""Semantic search with a scripted model: any hierarchy, any mistake, and an end in any case."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_server import move

from groundplan.datasets.scenes import load_scene
from groundplan.domains.pack import load_pack
from groundplan.engines.engine import Engine
from groundplan.evaluation.search_scaling import search_requests
from groundplan.language.chat.reader import ModelReader
from groundplan.language.chat.search.dialogue import (
    EXTRA_STEPS,
    MAX_BAD,
    STEPS_PER_NODE,
    BadMove,
    read_move,
    semantic_search,
)
from groundplan.language.chat.servers.meter import count_tokens
from groundplan.language.chat.servers.model import ChatRequest
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.language.reader import SearchResult
from groundplan.pipeline.hybrid import Request, run
from groundplan.simulator.belief import ground
from groundplan.simulator.scene import Scene
from groundplan.simulator.scene_json import scene_from_json
from groundplan.simulator.view import View

OFFICE = load_scene("office")


def search(*answers: str, scene: Scene = OFFICE, reason: str = "") -> tuple[SearchResult, ScriptedModel]:
    model = ScriptedModel.of(*answers)
    return semantic_search(model, "find it", View.collapsed(scene), reason), model


def fields(request: ChatRequest) -> dict[str, object]:
    lines = (line.partition(": ") for line in request.messages[1].content.split("\n"))
    return {key: json.loads(value) for key, _, value in lines}


def campus(buildings: int = 2, floors: int = 2, rooms: int = 3, things: int = 2) -> Scene:
    """A campus with buildings, floors and rooms; thing ``b_f_r_t`` lies on the table of its room."""
    nodes: list[dict[str, object]] = [{"id": "campus", "type": "campus"}, {"id": "gate", "type": "pose"}]
    links: list[dict[str, object]] = []
    for b in range(buildings):
        nodes.append({"id": f"building_{b}", "type": "building", "parent": "campus"})
        for f in range(floors):
            nodes.append({"id": f"floor_{b}_{f}", "type": "floor", "parent": f"building_{b}"})
            for r in range(rooms):
                room, table = f"room_{b}_{f}_{r}", f"table_{b}_{f}_{r}"
                nodes.append({"id": room, "type": "room", "parent": f"floor_{b}_{f}"})
                nodes.append(
                    {"id": table, "type": "asset", "parent": room, "relation": "in",
                     "affordances": ["release"], "classes": ["table"]}
                )  # fmt: skip
                links.append({"a": "gate", "b": room, "length": 10.0 + b + f + r})
                nodes += [
                    {"id": f"thing_{b}_{f}_{r}_{t}", "type": "object", "parent": table,
                     "relation": "ontop_of", "affordances": ["pickup"], "classes": ["thing"]}
                    for t in range(things)
                ]  # fmt: skip
    nodes.append({"id": "agent", "type": "agent", "parent": "campus", "at": "gate"})
    raw = {"format": "groundplan-scene", "version": 1, "name": "campus", "nodes": nodes, "links": links}
    return scene_from_json(raw, "campus")


def test_a_search_as_in_the_paper():
    found, model = search(
        move("expand", "kitchen"),
        move("expand", "cafeteria"),
        move("contract", "cafeteria"),
        move("terminate"),
    )
    assert found.outcome == "found"
    assert found.view.expanded == ("kitchen",) and found.view.memory == ("kitchen", "cafeteria")
    assert [(s.command, s.node) for s in found.trace] == [
        ("expand", "kitchen"), ("expand", "cafeteria"), ("contract", "cafeteria"), ("terminate", "")
    ]  # fmt: skip
    assert all(s.tokens > 100 for s in found.trace)
    assert found.trace[0].thought == "…"
    assert [fields(r).get("expanded before") for r in model.history] == [
        None, ["kitchen"], ["kitchen", "cafeteria"], ["kitchen", "cafeteria"]
    ]  # fmt: skip
    assert fields(model.history[0])["scene"] == View.collapsed(OFFICE).as_json()
    assert "fridge" in found.subgraph and "lunch_table" not in found.subgraph


def test_any_depth():
    scene = campus()
    path = [move("expand", n) for n in ("building_1", "floor_1_0", "room_1_0_2")]
    found, model = search(*path, move("terminate"), scene=scene)
    assert found.outcome == "found"
    assert "thing_1_0_2_1" in found.subgraph and "thing_0_0_0_0" not in found.subgraph
    offered = [r.constraint.schema for r in model.history]
    expandable = [
        next(v["properties"]["node"]["enum"] for v in s["properties"]["move"]["anyOf"]
             if v["properties"]["command"]["enum"] == ["expand"])
        for s in offered
    ]  # fmt: skip
    assert expandable[0] == ["building_0", "building_1"], "the campus is the only one, and open"
    assert expandable[1] == ["building_0", "floor_1_0", "floor_1_1"]


def test_a_task_on_a_campus_is_planned():
    scene = campus()
    belief = ground(scene, load_pack())
    goal = "(ontop_of thing_1_0_2_1 table_0_0_0)"
    rooms = ("building_1", "floor_1_0", "room_1_0_2", "building_0", "floor_0_0", "room_0_0_0")
    model = ScriptedModel.of(*(move("expand", n) for n in rooms), move("terminate"), goal)
    record = run(
        Request(belief, "x"),
        Engine.named("pyperplan"),
        ModelReader(model, belief.pack, search_protocol="dialogue"),
    )
    assert record.outcome == "verified" and str(record.goal) == goal


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (move("expand", "kitchn"), "did you mean 'kitchen'"),
        (move("expand", "narnia"), "there is no narnia shown; nodes to expand: "),
        (move("expand", "fridge"), "there is no fridge shown"),
        (move("expand", "agent"), "agent is nothing that can be expanded"),
        (move("expand", "pose1"), "pose1 is nothing that can be expanded"),
        (move("contract", "kitchen"), "kitchen is closed"),
        (move("contract", "narnia"), "there is no narnia shown"),
        (move("expand", ""), "there is no "),
        (move("open", "fridge"), "must be expand, contract or terminate, not open"),
        (move("terminate", "x").replace('"terminate"', "null"), "not None"),
        ('{"command": "expand", "node": ["kitchen"]}', "must be expand"),
        ("expand kitchen", "answer with one JSON object"),
        ("", "answer with one JSON object"),
        ("{" * 50_000 + "}", "answer with one JSON object"),
        (move("expand", "x" * 100_000), "there is no xxx"),
    ],
)
def test_what_is_no_move_is_answered_with_feedback(answer, words):
    found, model = search(answer, move("expand", "kitchen"), move("terminate"))
    assert found.outcome == "found"
    feedback = fields(model.history[1])["feedback"]
    assert words in feedback and len(feedback) < 1500
    assert found.trace[0].command == "rejected" and found.trace[0].thought == feedback
    assert "feedback" not in fields(model.history[2])


def test_opening_what_is_open_is_answered_with_feedback():
    found, model = search(move("expand", "kitchen"), move("expand", "kitchen"), move("terminate"))
    assert found.outcome == "found" and "is expanded already" in fields(model.history[2])["feedback"]


def test_three_answers_in_a_row_that_are_no_moves_end_the_search():
    found, model = search(*[move("expand", "narnia")] * 10)
    assert found.outcome == "search-exhausted" and len(model.history) == MAX_BAD
    assert "were not moves" in found.reason and "narnia" in found.reason


def test_going_in_circles_ends_the_search():
    found, model = search(*[move("expand", "kitchen"), move("contract", "kitchen")] * 20)
    assert found.outcome == "search-exhausted" and found.reason == "the search went in circles"
    assert len(model.history) < 12
    assert any("you have been here" in str(fields(r).get("feedback")) for r in model.history)


def test_a_search_that_never_terminates_ends_at_its_limit():
    scene = campus(1, 1, 6)
    rooms = [f"room_0_0_{r}" for r in range(6)]
    nodes = 3 + len(rooms)
    count = iter(range(1, 1000))

    def wander(request: ChatRequest) -> str:
        """Never the same rooms open (a Gray code), never an end."""
        view = fields(request)["scene"]["nodes"]
        if "room" not in view:
            return move("expand", [n["id"] for kind in view if kind != "agent" for n in view[kind]][-1])
        step = next(count)
        room = rooms[(step & -step).bit_length() - 1]
        is_open = any(a["room"] == room for a in view.get("asset", ()))
        return move("contract" if is_open else "expand", room)

    model = ScriptedModel.always(wander)
    found = semantic_search(model, "x", View.collapsed(scene))
    limit = EXTRA_STEPS + STEPS_PER_NODE * nodes
    assert found.outcome == "search-exhausted"
    assert found.reason == f"the search did not end within {limit} steps"
    assert len(model.history) == limit


def test_exhaustion_is_an_outcome_of_its_own():
    belief = ground(OFFICE, load_pack())
    model = ScriptedModel.of(*["no"] * 9)
    record = run(
        Request(belief, "x"),
        Engine.named("pyperplan"),
        ModelReader(model, belief.pack, search_protocol="dialogue"),
    )
    assert (record.outcome, record.exit_code) == ("search-exhausted", 3)
    assert [t["command"] for t in record.trace] == ["rejected"] * 3
    assert all(isinstance(t["tokens"], int) and t["tokens"] > 0 for t in record.trace)


def test_a_search_that_opens_nothing_is_asked_once_whether_that_is_meant():
    found, model = search(move("terminate"), move("expand", "kitchen"), move("terminate"))
    assert found.outcome == "found" and "fridge" in found.subgraph
    assert [s.command for s in found.trace] == ["rejected", "expand", "terminate"]
    assert "nothing was expanded yet" in model.history[1].messages[1].content
    assert "nothing was expanded yet" not in model.history[2].messages[1].content
    found, model = search(move("terminate"), move("terminate"))
    assert found.outcome == "found" and len(model.history) == 2


def test_prompts_stay_about_as_long_over_a_search_that_contracts():
    """The paper's Figure 3: what is opened without use is closed again."""
    sizes = search_requests(OFFICE, "dialogue").tokens
    closed = sizes[::2]
    assert max(closed) < 1.15 * min(closed)
    assert max(sizes) < 2 * min(sizes)  # the fullest room
    whole = View.collapsed(OFFICE)
    for room in OFFICE.by_type["room"]:
        whole = whole.expand(room)
    assert max(sizes) < count_tokens(json.dumps(whole.as_json(), separators=(",", ":"))) / 2


@given(st.text())
def test_any_text_is_a_move_or_feedback(text):
    view = View.collapsed(OFFICE).expand("kitchen")
    try:
        found = read_move(text, view)
    except BadMove as error:
        assert str(error).isprintable()
    else:
        assert found.command == "terminate" or found.node in view.ids


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
KEYS = st.sampled_from(["command", "node", "chain_of_thought", "move"])
WORDS = st.sampled_from(["expand", "contract", "terminate", "kitchen", "cafeteria", "\ud800", ""])


@given(st.dictionaries(KEYS, JSON | WORDS), st.text(max_size=5))
def test_any_json_is_a_move_or_feedback(raw, around):
    view = View.collapsed(OFFICE).expand("kitchen")
    for value in (raw, {"move": raw}):
        try:
            found = read_move(around + json.dumps(value) + around, view)
        except BadMove as error:
            assert str(error).isprintable()
        else:
            assert found.command in ("expand", "contract", "terminate") and isinstance(found.thought, str)
