"""The naming protocol: one request, what it opens, what it never opens, and how long its prompt is."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_server import move
from plain_building import building
from strategies import HOSTILE

from groundplan.datasets.library import load_set
from groundplan.datasets.scenes import load_scene
from groundplan.domains.pack import load_pack
from groundplan.engines.engine import Engine
from groundplan.language.chat.reader import ModelReader
from groundplan.language.chat.search.name_index import NameIndex
from groundplan.language.chat.search.naming import (
    MAX_ROOMS,
    MAX_THINGS,
    NEAREST,
    Naming,
    constraint,
    read_needs,
    request,
)
from groundplan.language.chat.search.opening import MAX_ROOMS_A_NAME, WHOLE_ROOM
from groundplan.language.chat.search.room_list import MAX_SHOWN, MOST_COMPARED, RoomList
from groundplan.language.chat.servers.model import ServiceError
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.language.english.lexical import Lexical
from groundplan.language.english.phrases import Phrase
from groundplan.language.english.words import alike, content_words, name_words
from groundplan.language.reader import SearchResult
from groundplan.pipeline.hybrid import Request, run
from groundplan.simulator.belief import ground
from groundplan.simulator.scene import Node, Scene
from groundplan.simulator.view import View

OFFICE, PACK = load_scene("office"), load_pack()
SEARCHES = [t for name in ("office-search", "home-search") for t in load_set(name)]

INDEX = NameIndex(OFFICE)
SAYINGS = sorted(
    {w for n in OFFICE.nodes.values() for text in (n.id, *n.classes, *n.attributes) for w in name_words(text)}
    | {
        "refrigerator",
        "trash",
        "coffee",
        "maker",
        "photo",
        "phones",
        "the",
        "of",
        "red",
        "bannana",
        "dispaly",
    }
)


def names(things: list[str], rooms: list[str]) -> str:
    return json.dumps({"things": things, "rooms": rooms})


def search(
    instruction: str, *answers: str, scene: Scene = OFFICE, reason: str = "", view: View | None = None
) -> tuple[SearchResult, ScriptedModel]:
    model = ScriptedModel.of(*answers)
    reader = ModelReader(model, PACK, search_protocol="naming")
    return reader.search(instruction, view or View.first(scene), reason), model


def opened(result: SearchResult) -> list[str]:
    return [s.node for s in result.trace if s.command == "expand"]


@pytest.fixture(autouse=True)
def without_embeddings(monkeypatch):
    """Rooms by the words alone, so that what is opened does not depend on what is installed."""
    monkeypatch.setattr("groundplan.language.english.embedding.installed", lambda: False)


def test_one_request_names_and_the_system_opens() -> None:
    result, model = search("Heat up the kebab.", names(["chicken kebab", "microwave"], ["cafeteria"]))
    assert result.outcome == "found" and len(model.history) == 1
    assert [s.command for s in result.trace] == ["name", "expand", "expand"]
    assert opened(result) == ["cafeteria", "kitchen"] and result.trace[0].tokens > 0
    assert "chicken_kebab" in result.subgraph and "chicken kebab" in result.trace[0].thought


def test_the_two_rooms_nearest_by_embedding_are_opened_as_well() -> None:
    class Likes:
        """Finds a room the more like a task, the longer its name."""

        name = "length"

        def scores(self, query: str, texts: Sequence[str]) -> tuple[float, ...]:
            return tuple(len(t) / 100 for t in texts)

    model = ScriptedModel.of(names(["dust"], ["lobby"]))
    result = Naming(Likes()).search(model, "x", View.first(OFFICE), "", lambda event: None)
    longest = sorted(OFFICE.by_type["room"], key=lambda r: -len(RoomList(OFFICE)._text(OFFICE.nodes[r])))
    assert opened(result) == ["lobby", *longest[:NEAREST]]


def test_a_kind_of_rooms_opens_all_of_it() -> None:
    result, _ = search("Look around.", names(["poster"], ["every meeting_room"]))
    assert {f"meeting_room{n}" for n in range(1, 5)} <= set(opened(result))


@pytest.mark.parametrize(
    ("name", "room"),
    [
        ("K31X", "michaels_office"),
        ("k31x", "michaels_office"),
        ("purple thing", "postdoc_bay2"),
        ("unripe banana", "kitchen"),
        ("Peter's phone", "peters_office"),
        ("cell phone", "peters_office"),
        ("the big terminator poster", "michaels_office"),
    ],
)
def test_names_are_looked_up_in_an_index(name: str, room: str) -> None:
    result, _ = search("Fetch it.", names([name], ["lobby"]))
    assert room in opened(result)


def test_a_common_name_opens_at_most_six_rooms_and_none_beside_a_chosen_one() -> None:
    result, _ = search("Fetch it.", names(["desk"], ["lobby"]))
    assert len(opened(result)) == 1 + MAX_ROOMS_A_NAME
    result, _ = search("Fetch it.", names(["desk"], ["peters_office"]))
    assert opened(result) == ["peters_office"]


def test_what_no_index_has_is_said_and_opens_nothing() -> None:
    result, _ = search("How many unicorns are there?", names(["unicorn"], ["lobby"]))
    assert opened(result) == ["lobby"] and result.reason == "nothing in the scene is called unicorn"


def test_an_answer_that_cannot_be_read_opens_what_the_instruction_says() -> None:
    result, model = search("Bring me the purple frame.", "I cannot help with that.")
    assert [s.command for s in result.trace] == ["rejected", "expand"] and len(model.history) == 1
    assert opened(result) == ["postdoc_bay2"] and result.outcome == "found"


def test_what_was_missing_goes_to_the_index_before_the_model_is_asked_again() -> None:
    first, _ = search("Tidy up.", names(["dust"], ["lobby"]))
    for reason in ("chicken kebab", "chicken_kebab"):
        again, model = search("Tidy up.", reason=reason, view=first.view)
        assert not model.history and opened(again) == ["kitchen"] and "chicken_kebab" in again.subgraph
        assert again.trace[0].command == "name" and again.trace[0].tokens == 0
    again, model = search("Tidy up.", names(["dust"], ["admin"]), reason="a broom", view=first.view)
    assert 'Not found yet: "a broom"' in model.history[0].messages[1].content
    assert opened(again) == ["admin"] and '"lobby"' not in (model.history[0].constraint.gbnf or "")


def test_a_run_searches_at_most_three_times_and_asks_as_often() -> None:
    scripted = [names(["dust"], [room]) for room in ("lobby", "admin", "kitchen")]
    missing = ['(missing "a broom")', '(missing "a mop")', *['(missing "it")'] * 9]
    model = ScriptedModel.of(scripted[0], missing[0], scripted[1], missing[1], scripted[2], *missing[2:])
    reader = ModelReader(model, PACK, search_protocol="naming")
    record = run(Request(ground(OFFICE, PACK), "Tidy up."), Engine.named("pyperplan"), reader)
    assert sum(r.purpose == "search" for r in model.history) == 3
    assert record.outcome == "search-exhausted"
    assert [s["command"] for s in record.trace].count("name") == 3


SHOWN = names(["orange"], ["kitchen"])
"""What opens the office's kitchen, in which orange1 is."""


@pytest.mark.parametrize(
    ("form", "look", "last"),
    [
        ("sentences", 'Look for "orange".', "Put orange1 into fridge."),
        ("pddl", '(missing "the orange")', "(inside_of orange1 fridge)"),
    ],
)
def test_looking_for_what_is_shown_opens_nothing_and_the_next_answer_cannot_look(form, look, last) -> None:
    model = ScriptedModel.of(SHOWN, look, last)
    reader = ModelReader(model, PACK, search_protocol="naming", goal_form=form)
    request = Request(ground(OFFICE, PACK), "Put the orange into the fridge.")
    record = run(request, Engine.named("pyperplan"), reader)
    assert record.verified and [r.fault for r in record.goals] == ["shown", ""]
    assert [r.purpose for r in model.history] == ["search", "goal", "repair"]
    assert [s["command"] for s in record.trace].count("name") == 1
    assert "is shown: orange1 is on kitchen_bench" in record.goals[0].feedback[0]
    first, again = (r.constraint for r in model.history[1:])
    assert first is not None and again is not None and first.gbnf is not None and again.gbnf is not None
    words = "Look for" if form == "sentences" else "missing"
    for allowed, may in ((first, True), (again, False)):
        sent = [allowed.sent(kind) for kind in ("gbnf", "lark", "json-schema")]
        assert [words in text for text in sent] == [may] * 3


def test_a_model_that_looks_again_for_what_is_shown_ends_the_run() -> None:
    model = ScriptedModel.of(SHOWN, *['(missing "orange")'] * 9)
    reader = ModelReader(model, PACK, search_protocol="naming")
    record = run(
        Request(ground(OFFICE, PACK), "Put the orange into the fridge."), Engine.named("pyperplan"), reader
    )
    assert record.outcome == "search-exhausted" and "is shown" in record.reasons[0]
    assert [r.fault for r in record.goals] == ["shown", "shown"] and len(model.history) == 3


def test_what_only_in_part_fits_a_shown_thing_is_searched_for() -> None:
    first, _ = search("Put the orange away.", SHOWN)
    for reason, asked_for in (("orange", False), ("purple orange", True), ("oranges", False)):
        again, model = search(
            "Put the orange away.", names(["orange"], ["admin"]), reason=reason, view=first.view
        )
        assert bool(model.history) is asked_for and bool(again.shown) is not asked_for, reason


def test_a_service_that_fails_leaves_an_empty_search() -> None:
    model = ScriptedModel([ServiceError("down", "no answer")])
    with pytest.raises(ServiceError) as caught:
        ModelReader(model, PACK, search_protocol="naming").search("x", View.first(OFFICE))
    assert caught.value.partial_search is not None and caught.value.partial_search.trace == ()


def test_a_full_room_is_handed_on_as_furniture_and_what_was_named() -> None:
    scene = building(2, 4, 3 * WHOLE_ROOM, seed=1)
    apple = scene.by_class["apple"][0]
    result, _ = search("Take it.", names([apple], ["room1", "room2"]), scene=scene)
    objects = [i for i in result.subgraph if scene.nodes[i].type == "object"]
    assert apple in objects and len(objects) < 10
    assert set(scene.by_type["asset"]) <= set(result.subgraph)


def test_of_a_room_opened_for_a_name_furniture_and_what_was_named_is_handed_on() -> None:
    result, _ = search("Fetch it.", names(["kebab"], ["lobby"]))
    assert {"parcel", "chicken_kebab", "fridge"} <= set(result.subgraph)  # all of the lobby
    assert "carrot" not in result.subgraph and "carrot" in result.view.ids
    own, _ = search("Slice the carrot.", names(["kebab"], ["lobby"]))
    assert "carrot" in own.subgraph  # named in the instruction
    chosen, _ = search("Fetch it.", names(["kebab"], ["kitchen"]))
    assert "carrot" in chosen.subgraph


def test_what_is_in_a_named_thing_is_handed_on_with_it() -> None:
    inside = [n for n in OFFICE.descendants("fridge") if OFFICE.nodes[n].type == "object"]
    result, _ = search("Empty it.", names(["fridge"], ["lobby"]))
    assert inside and set(inside) <= set(result.subgraph)


def test_what_a_room_in_part_left_out_is_handed_on_when_a_goal_misses_it() -> None:
    model = ScriptedModel.of(names(["kebab"], ["lobby"]))
    reader = ModelReader(model, PACK, search_protocol="naming")
    first = reader.search("Fetch it.", View.first(OFFICE))
    again = reader.search("Fetch it.", first.view, "carrot")
    assert "carrot" in again.subgraph and len(model.history) == 1


def test_what_was_left_out_of_a_full_room_is_handed_on_when_it_is_missing() -> None:
    scene = building(2, 4, 3 * WHOLE_ROOM, seed=1)
    apple, mug = scene.by_class["apple"][0], scene.by_class["mug"][0]
    model = ScriptedModel.of(names([apple], ["room1", "room2"]))
    reader = ModelReader(model, PACK, search_protocol="naming")
    first = reader.search("Take it.", View.first(scene))
    assert mug not in first.subgraph
    again = reader.search("Take it.", first.view, mug)
    assert {apple, mug} <= set(again.subgraph) and len(model.history) == 1
    other = reader.search("Take it.", first.view, mug)
    assert other.outcome == "found" and other.shown == (mug,) and not other.trace  # it is shown already


def test_rooms_below_closed_floors_are_named_and_opened() -> None:
    nodes = [Node("house", "building"), *(Node(f"floor{f}", "floor", "house") for f in range(3))]
    nodes += [
        Node(f"room{f}_{r}", "room", f"floor{f}", position=(r, f, 0.0)) for f in range(3) for r in range(80)
    ]
    nodes += [Node("lamp", "object", "room2_79", "in", ("lamp",), ("pickup",)),
              Node("agent", "agent", "room0_0")]  # fmt: skip
    scene = Scene("tower", {n.id: n for n in nodes})
    result, model = search("Bring the lamp.", names(["lamp"], ["room1_1"]), scene=scene)
    assert "lamp" in result.subgraph and "room2_0" in result.view.ids
    assert "on floor0" in model.history[0].messages[1].content


# The request


def test_the_grammars_admit_names_and_rooms_of_the_list_and_nothing_else() -> None:
    llguidance = pytest.importorskip("llguidance")
    rooms = [n for n in dict.fromkeys((*HOSTILE, '"]}', "%ignore /x/", "kitchen", "every office")) if n]
    tokenizer = llguidance.LLTokenizer("byte")
    grammar = llguidance.LLMatcher.grammar_from_lark(constraint(rooms, ["office", "lab"]).lark)

    def accepts(text: str) -> bool:
        matcher = llguidance.LLMatcher(tokenizer, grammar)
        assert not matcher.is_error(), matcher.get_error()
        tokens = tokenizer.tokenize_str(text)
        return matcher.try_consume_tokens(tokens) == len(tokens) and matcher.is_accepting()

    for room in rooms:
        text = names(["ripe banana"], [room])
        assert accepts(text), room
        assert read_needs(text, rooms, ["office"]).rooms == (room,)
    assert accepts(names(["a"] * MAX_THINGS, ["kitchen"] * MAX_ROOMS)) and accepts(
        names(["a"], ["every lab"])
    )
    for things, chosen in ((["a"], ["narnia"]), ([], ["kitchen"]), (["a"] * 7, ["kitchen"]), (["a"], []),
                           (["a"], ["kitchen"] * 5), (["x" * 41], ["kitchen"]),
                           (["a"], ["kitchen", "every lab"])):  # fmt: skip
        assert not accepts(names(things, chosen)), (things, chosen)


def test_the_schema_of_names_is_one_and_small() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    found = constraint(RoomList(OFFICE).rooms, ["office"])
    validator = jsonschema.Draft202012Validator(found.schema)
    validator.check_schema(validator.schema)
    assert validator.is_valid(json.loads(names(["x"], ["every office"])))
    assert not validator.is_valid(json.loads(names(["x"], ["narnia"])))
    assert len(found.gbnf or "") < 4000


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", '{"things": 3, "rooms": {}}', '{"things": [1], "rooms": ["narnia"]}', "{" * 9000,
     '{"things": [], "rooms": []}', "null", '{"things": ["  "]}'],
)  # fmt: skip
def test_other_answers_are_no_names(text: str) -> None:
    from groundplan.language.chat.search.naming import NoNeeds

    with pytest.raises(NoNeeds):
        read_needs(text, ["kitchen"], [])


def test_more_than_was_asked_for_is_dropped() -> None:
    rooms = [f"r{n}" for n in range(9)]
    needs = read_needs(names([f"t{n}" * 30 for n in range(9)], [*rooms, "every lab"]), rooms, [])
    assert len(needs.things) == MAX_THINGS and len(needs.rooms) == MAX_ROOMS
    assert max(map(len, needs.things)) <= 40
    both = read_needs(names(["a"], ["r1", "every lab", "every office"]), rooms, ["office", "lab"])
    assert (both.rooms, both.kind) == (("r1",), "lab")


def test_at_most_forty_rooms_are_shown_and_the_named_one_is_among_them() -> None:
    scene = building(2000, 10, 0)
    rooms = RoomList(scene)
    ranked = rooms.ranked("Go to room1234.", Lexical(), rooms.rooms)
    shown, lines = rooms.shown(ranked)
    assert len(shown) == MAX_SHOWN and "room1234" in shown and lines[-1] == "(1960 more rooms)"


def test_of_very_many_names_the_nearest_by_their_letters_are_compared_by_meaning() -> None:
    class Counts(Lexical):
        compared = 0

        def scores(self, query: str, texts: Sequence[str]) -> tuple[float, ...]:
            self.compared = len(texts)
            return super().scores(query, texts)

    letters = [a + b + c for a in "bcdfghjkl" for b in "aeiouxyzqwertp" for c in "mnprstvwaeioubcdfghjklqxyz"]
    names = [f"{x}_{y}" for x in letters[:80] for y in letters[100:180]]
    nodes = [Node(n, "room", position=(i, 0.0, 0.0)) for i, n in enumerate([*names, "sauna"])]
    scene = Scene("many", {n.id: n for n in [*nodes, Node("agent", "agent", names[0])]})
    measure = Counts()
    ranked = RoomList(scene).ranked("Clean the sauna.", measure, scene.by_type["room"])
    assert measure.compared == MOST_COMPARED < len(names)
    assert ranked[0] == "sauna" and len(ranked) == len(names) + 1


def test_rooms_of_any_name_stay_on_their_line() -> None:
    hostile = [n for n in dict.fromkeys(HOSTILE) if n and n != "agent"]
    nodes = [Node(n, "room", position=(i, 0.0, 0.0), description=n) for i, n in enumerate(hostile)]
    scene = Scene("trap", {n.id: n for n in [*nodes, Node("agent", "agent", hostile[0])]})
    rooms = RoomList(scene)
    shown, lines = rooms.shown(rooms.rooms)
    asked = request(lines, shown, [], "do it", "")
    text = asked.messages[1].content
    assert len(text.split("\n")) == len(lines) + 2
    assert all(c.isprintable() or c == "\n" for c in text) and "<|" not in text and "```" not in text


def test_every_search_task_of_the_index_is_deterministic() -> None:
    index = NameIndex(OFFICE)
    assert index.fitting("apple") == NameIndex(OFFICE).fitting("apple")
    assert index.fitting("red unicorn").nodes == () and not index.fitting("").nodes


@given(st.lists(st.sampled_from(SAYINGS), min_size=1, max_size=4), st.integers(0, 40))
def test_the_index_passes_over_no_kind_that_a_name_fits(words: list[str], dropped: int) -> None:
    """Only kinds that share a key with the words are looked at: every other one is not so named."""
    text = " ".join(words)
    tried = tuple(w for part in content_words(text[:dropped] + text[dropped + 1 :]) for w in name_words(part))
    if not tried:
        return
    phrase = Phrase(" ".join(tried), tried)
    looked_at = INDEX._kinds.sharing_a_key(tried)
    for kind in INDEX._kinds.all:
        assert kind in looked_at or not INDEX._names.named(kind[0], phrase), (tried, kind[0].id)
    for word in tried:
        described = {INDEX._kinds.all[n][0].id for n in INDEX._kinds._with_form_of(word)}
        own = {k[0].id for k in INDEX._kinds.all if any(alike(word, w) for w in INDEX._names.words(k[0]))}
        assert described == own


def test_the_version_of_the_prompt_is_in_the_record() -> None:
    model = ScriptedModel.of(names(["banana"], ["kitchen"]), "(holding banana2)")
    reader = ModelReader(model, PACK, search_protocol="naming")
    record = run(Request(ground(OFFICE, PACK), "Take a banana."), Engine.named("pyperplan"), reader)
    assert record.outcome == "verified" and NEAREST == 2
    dialogue = ScriptedModel.of(move("expand", "kitchen"), move("terminate"), "(holding banana2)")
    other = run(Request(ground(OFFICE, PACK), "Take a banana."), Engine.named("pyperplan"),
                ModelReader(dialogue, PACK, search_protocol="dialogue"))  # fmt: skip
    assert record.usage["prompts"] != other.usage["prompts"]
    assert set(record.usage["prompts"]) == {"search", "goal"}
