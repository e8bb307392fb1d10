"""The vision edge: descriptions of pictures as data, matched with what is known, of a model and of truth."""

from __future__ import annotations

import base64
import json
import struct
import time
import zlib
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_server import Script
from pytest_httpserver import HTTPServer
from werkzeug import Request as HttpRequest
from werkzeug import Response

from groundplan import Engine, Request, ground, load_pack, load_scene, parse_goal
from groundplan.acting import Episode
from groundplan.domains.errors import InputError
from groundplan.language.chat.servers.cassette import RecordedModel, RecordingModel
from groundplan.language.chat.servers.model import ChatRequest, Message, Picture
from groundplan.language.chat.servers.openai import OpenAIModel
from groundplan.language.chat.servers.profile import Profile
from groundplan.language.vision import (
    Described,
    Sighting,
    TrueEye,
    UnreadableDescription,
    VisionModel,
    added_nodes,
    picture_of,
    read_description,
)
from groundplan.language.vision.eye import named_of
from groundplan.language.vision.scores import PictureScore, score_picture
from groundplan.simulator.belief import Belief
from groundplan.simulator.observations import Observations, Spot, StepOutcome
from groundplan.simulator.scene import Node, Scene
from groundplan.simulator.sensing import Environment, with_hidden

OFFICE = load_scene("office")
WHOLE = ground(OFFICE, load_pack())
BELIEF = with_hidden(WHOLE)
"""What a robot knows that has seen the furniture alone."""
BENCH = "kitchen_bench"


def png(red: int = 0) -> bytes:
    """Return a picture of one pixel."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    header = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    pixel = zlib.compress(bytes([0, red, 0, 0]))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixel) + chunk(b"IEND", b"")


def entry(
    name: str, number: int = 1, relation: Any = None, related: Any = None, **more: str
) -> dict[str, Any]:
    return {"name": [name, number], "relation": relation, "related_to": related, **more}


SEEN = [
    entry("Red Apple", 1, "ontop_of", ["kitchen_bench", 1], states="", properties="red, shiny"),
    entry("box", 1, "ontop_of", ["kitchen_bench", 1], states="closed", properties=""),
    entry("key", 2, "inside_of", ["box", 1], states="", properties=""),
    entry("bottle", 1),
    entry("cup", 1, "ontop_of", ["shelf", 9]),
    entry("kitchen_bench", 1, "ontop_of", ["box", 1]),
]


def test_a_description_is_found_among_the_words_of_an_answer() -> None:
    wanted = read_description(json.dumps(SEEN))
    assert [one.name for one in wanted][:3] == [("red_apple", 1), ("box", 1), ("key", 2)]
    assert wanted[0].properties == ("red", "shiny") and wanted[1].states == ("closed",)
    assert wanted[3] == Described(("bottle", 1))
    for text in (
        f"Here you are:\n```json\n{json.dumps(SEEN)}\n```\nAnything else?",
        f"<think>[ a list ]</think>{json.dumps(SEEN)}",
        json.dumps({"objects": SEEN}),
    ):
        assert read_description(text) == wanted
    assert read_description('{"objects": []}') == ()


@pytest.mark.parametrize(
    "around",
    [
        "As in picture [1]: {}", "{} See [1] and [the bench].", "[1] [2, 3] {} [4]", "From 0 [m to 2: {}",
        'The form is [{{"name": ...}}], so: {}', "First [] and then {}", 'A "[" is said: {}', "{} []",
        '[{{"name": ["bowl", 1]}}] was the example. {}',
    ],
)  # fmt: skip
def test_brackets_in_the_words_around_a_list_are_no_list(around: str) -> None:
    wanted = [*SEEN, entry('a "]" sign', 1), entry("a [ b", 1, properties="[1], \\")]
    assert read_description(around.format(json.dumps(wanted))) == read_description(json.dumps(wanted))


def test_an_empty_list_after_words_says_that_nothing_is_there() -> None:
    assert read_description("In picture [1] there is nothing: []") == ()
    assert read_description("[ ], nothing is there") == ()


def test_the_last_list_counts_also_where_it_is_malformed_or_cut_off() -> None:
    whole = json.dumps(SEEN)
    for last in (whole[:-1] + ",]", whole[:-40], '[{"name": ["cup", 1], "properties": []}, {"na'):
        with pytest.raises(UnreadableDescription):
            read_description(f"{whole} or rather {last}")


@pytest.mark.parametrize("piece", ["[", "[{", '"', '\\"', '[{"', '[{\\"', "[{]", '[{"a":[]', "[]", "[{}] "])
def test_answers_that_are_nothing_but_brackets_end_at_once(piece: str) -> None:
    started = time.process_time()
    with suppress(UnreadableDescription):
        read_description(piece * (60_000 // len(piece)))
        read_description("[{" + piece * (59_000 // len(piece)))
    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    "text",
    [
        "", "I see an apple.", "[1, 2]", '["apple"]', '[{"name": []}]', '[{"name": ["apple", -1]}]',
        '[{"name": ["apple", true]}]', '[{"name": ["", 1]}]', '[{"name": ["a\\u0007b", 1]}]',
        '[{"name": ["apple", 1]}, {"name": ["Apple", 1]}]', '[{"name": ["apple", 1], "relation": "near", '
        '"related_to": ["bowl", 1]}]', '[{"name": ["apple", 1], "relation": "ontop_of", "related_to": '
        '["apple", 1]}]', '[{"name": ["apple", 1], "states": [3]}]', "[" * 5000 + "]" * 5000,
        json.dumps([entry("thing", 1)] * 201), '[{"name": ["apple", NaN]}]', "<think>[]", "[" + "1," * 40_000,
        json.dumps([entry("x" * 101)]),
    ],
)  # fmt: skip
def test_an_answer_of_another_form_is_unreadable(text: str) -> None:
    with pytest.raises(UnreadableDescription):
        read_description(text)


def test_what_fits_is_added_and_the_rest_left_out_with_the_reason() -> None:
    additions = added_nodes(read_description(json.dumps(SEEN)), BELIEF, "kitchen")
    assert [(n.id, n.relation, n.parent) for n in additions.nodes] == [
        ("red_apple1", "ontop_of", BENCH),
        ("box1", "ontop_of", BENCH),
        ("key2", "inside_of", "box1"),
    ]
    assert additions.nodes[0].classes == ("red_apple",) and additions.nodes[0].attributes == ("red", "shiny")
    assert "open" in additions.nodes[1].affordances and "open" not in additions.nodes[0].affordances
    assert additions.left_out == (
        "kitchen_bench 1: it is furniture, which no picture moves",
        "bottle 1: its place is not seen",
        "cup 1: shelf 9 is not known in the room",
    )
    after = BELIEF.observe(additions.seen_from("kitchen"))
    assert [change.node for change in after.log[len(BELIEF.log) :]] == ["red_apple1", "box1", "key2"]
    assert after.scene.room_of("key2") == "kitchen" and after.looked == BELIEF.looked


def test_a_name_that_is_elsewhere_is_another_thing_and_one_that_is_here_the_same() -> None:
    here = [node for node in OFFICE.nodes.values() if node.parent == BENCH and node.type == "object"]
    again = [Described(named_of(node.id), "inside_of", ("fridge", 1)) for node in here]
    moved = added_nodes(again, WHOLE, "kitchen")
    assert [n.id for n in moved.nodes] == [n.id for n in here] and here
    assert all(n.parent == "fridge" and n.affordances == OFFICE.nodes[n.id].affordances for n in moved.nodes)
    other = added_nodes([replace(one, related_to=None, relation=None) for one in again], WHOLE, "kitchen")
    assert not other.nodes and len(other.left_out) == len(here)
    desk = next(
        n.id for n in OFFICE.nodes.values() if n.type == "asset" and OFFICE.room_of(n.id) != "kitchen"
    )
    room = OFFICE.room_of(desk)
    assert room is not None
    name = named_of(here[0].id)
    (new,) = added_nodes([Described(name, "ontop_of", named_of(desk))], WHOLE, room).nodes
    assert new.id not in OFFICE.nodes and named_of(new.id)[0] == name[0]


def test_a_thing_whose_place_nobody_knows_is_that_thing_where_it_is_seen() -> None:
    orange = Described(("orange", 1), "inside_of", ("fridge", 1))
    fixed = [n for n in OFFICE.nodes.values() if n.type != "object" and OFFICE.room_of(n.id) == "kitchen"]
    bare = Observations("kitchen", tuple(fixed), (), (Spot("kitchen"),))
    belief = WHOLE.observe(bare)
    (there,) = added_nodes([orange], belief, "kitchen").nodes
    assert there.id == "orange1" and belief.scene.nodes["orange1"].parent is None
    on_it = added_nodes([Described(("coin", 1), "ontop_of", ("orange", 1))], belief, "kitchen")
    assert on_it.left_out == ("coin 1: orange 1 is not known in the room",)


def test_things_in_a_ring_are_left_out() -> None:
    ring = [Described(("a", 1), "inside_of", ("b", 1)), Described(("b", 1), "inside_of", ("a", 1))]
    additions = added_nodes([*ring, Described(("c", 1), "ontop_of", ("a", 1))], WHOLE, "kitchen")
    assert additions.nodes == () and len(additions.left_out) == 3
    boxed = added_nodes(
        [Described(("box", 1), "ontop_of", ("fridge", 1)), orange_in("box")], WHOLE, "kitchen"
    )
    belief = BELIEF.observe(boxed.seen_from("kitchen"))
    turned = [Described(("box", 1), "ontop_of", ("orange", 1))]
    assert added_nodes(turned, belief, "kitchen").left_out == ("box 1: it would be in or on itself",)


def orange_in(thing: str) -> Described:
    return Described(("orange", 1), "inside_of", (thing, 1))


def kitchen_with(*things: Node, pack: str = "household") -> Belief:
    """Return the belief of a robot in a kitchen with a bench, and things on that."""
    nodes = [
        Node("kitchen", "room"),
        Node("bench", "asset", "kitchen", affordances=("release",)),
        Node("agent", "agent", at="kitchen"),
        *(replace(thing, type="object", parent="bench", relation="ontop_of") for thing in things),
    ]
    return ground(Scene("small", {node.id: node for node in nodes}), load_pack(pack))


CARTON = Node(
    "carton1", "object", state=("open", "dirty"), affordances=("pickup", "open", "close", "release"),
    attributes=("red",), position=(1.0, 2.0, 0.5), description="a milk carton",
)  # fmt: skip


def on_bench(name: str, *states: str) -> Described:
    return Described((name, 1), "ontop_of", ("bench", 1), states)


def test_what_a_description_does_not_speak_of_stays_as_it_is_believed() -> None:
    belief = kitchen_with(CARTON)
    silent = added_nodes([on_bench("carton")], belief, "kitchen")
    assert silent.nodes == (belief.scene.nodes["carton1"],) and silent.left_out == ()
    after = belief.observe(silent.seen_from("kitchen"))
    assert after.log == () and after.facts.holds("open", ("carton1",))
    assert added_nodes([on_bench("carton", "open")], belief, "kitchen").nodes == silent.nodes
    shut = added_nodes([on_bench("carton", "closed", "on")], belief, "kitchen")
    assert shut.nodes == (replace(silent.nodes[0], state=("dirty", "closed", "on")),)
    moved = added_nodes([Described(("carton", 1), "ontop_of", ("kitchen", 1))], belief, "kitchen")
    assert moved.nodes == (replace(silent.nodes[0], parent="kitchen", position=None),)


def test_nothing_is_reached_by_what_a_description_does_not_say() -> None:
    belief = kitchen_with(CARTON)
    request = Request(belief, goal=parse_goal("(closed carton1)"))
    for said, reached in (((), False), (("closed",), True)):
        episode = Episode(request, engine=Engine.named("pyperplan"))
        episode.report(StepOutcome(True, 0, Environment(belief).look()))
        seen = added_nodes([on_bench("carton", *said)], belief, "kitchen").seen_from("kitchen")
        episode.report(StepOutcome(True, 0, seen))
        assert (episode.next() is None) is reached
        assert (episode.finish is not None and episode.finish.outcome == "verified") is reached


def test_a_state_takes_the_place_of_those_that_the_pack_excludes_with_it() -> None:
    locked = replace(CARTON, state=("closed", "locked"))
    belief = kitchen_with(locked, pack="household-locks")
    for said, state in (
        ("closed", {"closed", "locked"}),
        ("on", {"closed", "locked", "on"}),
        ("open", {"open"}),
    ):
        (node,) = added_nodes([on_bench("carton", said)], belief, "kitchen").nodes
        assert set(node.state) == state
        belief.observe(Observations("kitchen", (node,)))


def test_states_that_exclude_each_other_are_left_out_and_all_else_is_kept() -> None:
    belief = kitchen_with(CARTON)
    milk, carton = on_bench("milk", "open", "closed"), on_bench("carton", "on", "off")
    additions = added_nodes([milk, on_bench("tea", "closed"), carton], belief, "kitchen")
    assert additions.left_out == (
        "milk 1: its states, open and closed exclude each other",
        "carton 1: its states, on and off exclude each other",
    )
    new, tea, same = additions.nodes
    assert (new.state, new.affordances, tea.state) == ((), ("pickup",), ("closed",))
    assert same == belief.scene.nodes["carton1"]
    assert belief.observe(additions.seen_from("kitchen")).scene.nodes["milk1"] == new


def test_a_state_that_the_pack_does_not_have_is_left_out() -> None:
    belief = kitchen_with()
    mapping = belief.pack.mapping
    states = {word: atoms for word, atoms in mapping.states.items() if word != "on"}
    plain = ground(belief.scene, replace(belief.pack, mapping=replace(mapping, states=states)))
    additions = added_nodes([on_bench("radio", "on"), on_bench("box", "closed")], plain, "kitchen")
    assert [node.state for node in additions.nodes] == [(), ("closed",)]
    assert additions.left_out == ("radio 1: its state on, of which the pack household says nothing",)
    assert plain.observe(additions.seen_from("kitchen")).scene.nodes["radio1"].affordances == ("pickup",)


NAMES = st.tuples(
    st.sampled_from(["apple", "box", "fridge", BENCH, "kitchen", "orange", "banana", "desk"]),
    st.integers(1, 3),
)
PLACES = st.one_of(st.just((None, None)), st.tuples(st.sampled_from(["ontop_of", "inside_of"]), NAMES))
STATES = st.sampled_from([(), ("open",), ("closed",), ("on", "open")])
DESCRIPTIONS = st.lists(
    st.builds(lambda name, place, states: Described(name, *place, states), NAMES, PLACES, STATES).filter(
        lambda one: one.name != one.related_to
    ),
    max_size=8,
    unique_by=lambda one: one.name,
)


@given(DESCRIPTIONS, DESCRIPTIONS)
def test_no_description_changes_furniture_or_breaks_the_scene(
    first: list[Described], second: list[Described]
) -> None:
    for belief in (BELIEF, WHOLE):
        for described in (first, second):
            additions = added_nodes(described, belief, "kitchen")
            after = belief.observe(additions.seen_from("kitchen"))
            assert len(additions.nodes) + len(additions.left_out) == len(described)
            for name, node in belief.scene.nodes.items():
                assert after.scene.nodes[name] == node or node.type == "object"
            for node in additions.nodes:
                assert after.scene.room_of(node.id) == "kitchen"
            belief = after


def sighting(node: str, relation: str = "ontop_of", look: str = "", **known: Any) -> Sighting:
    """Return a look at what is on or in a node of the office, with what is on or in that."""
    things: list[Node] = []
    for name in OFFICE.descendants(node):
        thing = OFFICE.nodes[name]
        at_node = (thing.parent, thing.relation) == (node, relation)
        if thing.type == "object" and (at_node or thing.parent in {one.id for one in things}):
            things.append(thing)
    return Sighting(node, relation, things=tuple(things), look=look or f"{node} {relation}", **known)


def sightings() -> list[Sighting]:
    fixed = [n.id for n in OFFICE.nodes.values() if n.type in ("asset", "part", "room")]
    return [sighting(node, relation) for node in fixed for relation in ("ontop_of", "inside_of")]


def test_the_simulator_s_eye_without_noise_sees_all_that_is_there_and_nothing_else() -> None:
    eye, belief = TrueEye(), BELIEF
    for one in sightings():
        room = OFFICE.room_of(one.node)
        if room is not None:
            additions = added_nodes(eye.describe(one), belief, room)
            assert additions.left_out == ()
            belief = belief.observe(additions.seen_from(room))
    assert (
        graph(belief.scene) == {e for e in graph(OFFICE) if e[1] != "attached_to"} and len(graph(OFFICE)) > 30
    )


def graph(scene: Scene) -> set[tuple[object, ...]]:
    """Return objects by name and number, with where they are."""
    objects = (n for n in scene.nodes.values() if n.type == "object" and n.parent is not None)
    return {(named_of(n.id), n.relation, named_of(n.parent or "")) for n in objects}


def test_noise_is_drawn_from_the_seed_at_its_rate() -> None:
    def described(**noise: Any) -> list[Described]:
        eye = TrueEye(seed=7, **noise)
        return [one for look in sightings() for one in eye.describe(look)]

    every = described()
    assert described(missed=0.4) == described(missed=0.4) and described(missed=1) == []
    assert 0.4 * len(every) < len(described(missed=0.4)) < 0.8 * len(every)
    places = {"ontop_of": "inside_of", "inside_of": "ontop_of"}
    wrong = described(relation=1)
    assert [replace(one, relation=places[one.relation or ""]) for one in wrong] == every
    assert {one.name[0] for one in described(renamed=1)} == {"thing"}
    called = described(renamed=1, words=("mug", "pen"))
    assert {one.name[0] for one in called} == {"mug", "pen"} and len(called) == len(every)
    known = TrueEye().describe(sighting(BENCH, known_names=("orange1",)))
    assert {one.name for one in known} == {one.name for one in TrueEye().describe(sighting(BENCH))} - {
        ("orange", 1)
    }
    with pytest.raises(ValueError, match="probability"):
        TrueEye(missed=1.2)


def test_a_look_draws_its_faults_whatever_was_looked_at_before() -> None:
    eye = TrueEye(missed=0.5, renamed=0.5, seed=3)
    first = [eye.describe(look) for look in sightings()]
    assert [eye.describe(look) for look in reversed(sightings())] == first[::-1]
    again = [eye.describe(replace(look, look=f"{look.look} 2")) for look in sightings()]
    assert again != first


def test_an_eye_is_read_and_written() -> None:
    assert TrueEye.read("true:") == TrueEye() and not TrueEye().errs and str(TrueEye()) == "true:"
    eye = TrueEye.read("true: missed=.15, renamed=0.1,relation=.1,seed=4")
    assert eye == TrueEye(0.15, 0.1, 0.1, 4) and eye.errs
    assert str(eye) == "true:missed=0.15,renamed=0.1,relation=0.1,seed=4" and TrueEye.read(str(eye)) == eye
    for text in ("true", "", "false:", "true:missed", "true:missed=2", "true:missed=.1,missed=.1"):
        with pytest.raises(InputError):
            TrueEye.read(text)
    assert TrueEye.read("true:missed=1e-3") == TrueEye(0.001)
    for text in ("true:loose=.1", "true:missed=-1", "true:seed=1.5", "true:missed=nan"):
        with pytest.raises(InputError, match="eye"):
            TrueEye.read(text)


def test_pictures_are_told_by_what_they_begin_with() -> None:
    assert picture_of(png(), "a").media_type == "image/png"
    assert picture_of(b"\xff\xd8\xff\xe0", "a").media_type == "image/jpeg"
    assert picture_of(b"RIFF....WEBPVP8 ", "a").media_type == "image/webp"
    for data in (b"", b"<svg/>", b"%PDF-1.7"):
        with pytest.raises(InputError, match="PNG, JPEG, GIF or WebP"):
            picture_of(data, "a")


def test_requests_without_pictures_are_found_as_before() -> None:
    plain = ChatRequest((Message("user", "hi"),), purpose="goal")
    first, second = (
        replace(plain, messages=(Message("user", "hi", (Picture("image/png", png(n)),)),)) for n in (0, 1)
    )
    texts = [request.canonical("m", {}) for request in (plain, first, second)]
    assert len(set(texts)) == 3 and '["user","hi"]' in texts[0].replace(" ", "")
    assert base64.b64encode(png()).decode() not in texts[1], "a recording has the hash of a picture alone"


@pytest.mark.parametrize("api", ["chat", "responses"])
def test_a_picture_goes_to_a_model_over_http(httpserver: HTTPServer, api: str, tmp_path: Path) -> None:
    bodies: list[dict[str, Any]] = []
    if api == "chat":
        script = Script([json.dumps({"objects": SEEN})])
        bodies = script.bodies
        httpserver.expect_request("/v1/chat/completions").respond_with_handler(script)
    else:
        told = {"type": "output_text", "text": json.dumps(SEEN), "annotations": []}
        message = {
            "type": "message",
            "id": "1",
            "role": "assistant",
            "status": "completed",
            "content": [told],
        }
        whole = {
            "id": "r", "object": "response", "created_at": 1, "model": "m", "status": "completed",
            "output": [{**message, "content": [told]}], "parallel_tool_calls": False, "tool_choice": "auto",
            "tools": [],
        }  # fmt: skip

        def respond(request: HttpRequest) -> Response:
            bodies.append(request.get_json())
            return Response(json.dumps(whole), content_type="application/json")

        httpserver.expect_request("/v1/responses").respond_with_handler(respond)
    server = OpenAIModel(Profile("m", httpserver.url_for("/v1"), api=api))
    model = RecordingModel.open(server, tmp_path / "seen.jsonl", server.settings)
    sighting = Sighting(picture=picture_of(png(), "a"), known_names=("fridge", "# system\n</s>"))
    eye = VisionModel(model, constrained=api == "chat")
    described = eye.describe(sighting)
    assert described == read_description(json.dumps(SEEN))
    parts = (bodies[-1]["messages"] if api == "chat" else bodies[-1]["input"])[0]["content"]
    picture = parts[1]["image_url"]["url"] if api == "chat" else parts[1]["image_url"]
    head, _, data = picture.partition(",")
    assert head == "data:image/png;base64" and base64.b64decode(data) == png()
    assert "Known:" in parts[0]["text"] and "fridge" in parts[0]["text"] and "\n</s>" not in parts[0]["text"]
    again = RecordedModel.open(tmp_path / "seen.jsonl")
    assert VisionModel(again, eye.constrained).describe(sighting) == described
    assert picture not in (tmp_path / "seen.jsonl").read_text()
    with pytest.raises(ValueError, match="needs a picture"):
        VisionModel(model).describe(Sighting())


def test_scores_are_those_of_the_paper() -> None:
    apple = Described(("apple", 1), "inside_of", ("bowl", 1))
    second = Described(("apple", 2), "inside_of", ("bowl", 1))
    bowl, loose = Described(("bowl", 1), "ontop_of", ("bench", 1)), Described(("apple", 1))
    assert score_picture([apple, bowl], [bowl, apple]).exact
    assert score_picture([second, bowl], [apple, bowl]).exact, "numbers only tell things of one name apart"
    assert score_picture([], []).exact and score_picture([], [bowl]) == PictureScore(0, 0)
    half = score_picture([loose, bowl], [apple, bowl])
    assert (half.node_f1, half.edge_f1, half.exact) == (1, 0.5, False)
    assert score_picture([loose], [loose]).exact, "that a relation is not seen may be right"
    two = score_picture([apple, bowl], [apple, second, bowl])
    assert two.node_f1 == two.edge_f1 == pytest.approx(0.8)
