"""Search protocols: the names of them, and what sets `dialogue+` apart from the paper's dialogue."""

from __future__ import annotations

import json
from collections.abc import Iterable

import pytest
from model_server import move

from groundplan.commands import main
from groundplan.compiler.goals.goal import parse_goal
from groundplan.compiler.query.answers import find
from groundplan.compiler.query.query import parse_query
from groundplan.datasets.library import load_set
from groundplan.datasets.scenes import load_scene
from groundplan.domains.errors import GoalError, InputError
from groundplan.domains.formula import names as formula_names
from groundplan.domains.pack import load_pack
from groundplan.language.chat.reader import ModelReader
from groundplan.language.chat.search.naming import MAX_ROOMS, MAX_THINGS
from groundplan.language.chat.search.opening import MAX_ROOMS_A_NAME
from groundplan.language.chat.search.protocols import DEFAULT, PROTOCOLS, protocol_named
from groundplan.language.chat.search.query_form import MAX_QUESTIONS
from groundplan.language.chat.search.room_list import RoomList
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.language.reader import SearchResult
from groundplan.pipeline.hybrid import MAX_SEARCHES
from groundplan.simulator.belief import ground
from groundplan.simulator.scene import THINGS, Scene
from groundplan.simulator.view import View

OFFICE, PACK = load_scene("office"), load_pack()
SEARCHES = [t for name in ("office-search", "home-search") for t in load_set(name)]


@pytest.fixture
def without_embeddings(monkeypatch):
    """Rooms by the words alone, so that what is opened does not depend on what is installed."""
    monkeypatch.setattr("groundplan.language.english.embedding.installed", lambda: False)


def search(protocol: str, *answers: str) -> tuple[SearchResult, ScriptedModel]:
    model = ScriptedModel.of(*answers)
    reader = ModelReader(model, PACK, search_protocol=protocol)
    return reader.search("Find the banana.", View.collapsed(OFFICE)), model


def test_protocols_have_the_names_of_the_option() -> None:
    assert [protocol_named(name, PACK).name for name in PROTOCOLS] == list(PROTOCOLS)
    with pytest.raises(InputError, match="did you mean"):
        protocol_named("dialoge", PACK)


def test_a_wrong_protocol_and_one_for_the_embedded_reader_are_refused(capsys) -> None:
    words = ["search", "find the banana", "--scene", "office"]
    assert main([*words, "--reader", "recorded:none", "--search", "nameing"]) == 2
    assert main([*words, "--search", "dialogue"]) == 2
    assert "--search" in capsys.readouterr().err


def test_dialogue_plus_hands_on_every_room_that_it_opened() -> None:
    answers = [move("expand", "kitchen"), move("expand", "lobby"), move("contract", "kitchen"), *["no"] * 3]
    plain, _ = search("dialogue", *answers)
    plus, _ = search("dialogue+", *answers)
    assert plain.outcome == "search-exhausted" and "fridge" not in plain.subgraph
    assert plus.outcome == "found" and {"fridge", "parcel"} <= set(plus.subgraph)
    assert "were not moves" in plus.reason and plus.trace == plain.trace


def test_dialogue_plus_with_nothing_opened_is_exhausted() -> None:
    exhausted, _ = search("dialogue+", *["no"] * 3)
    assert exhausted.outcome == "search-exhausted"


def test_dialogue_plus_withholds_contract_of_the_room_opened_last() -> None:
    answers = [move("expand", "kitchen"), move("contract", "kitchen"), move("expand", "lobby"),
               move("contract", "kitchen"), move("terminate")]  # fmt: skip
    plus, model = search("dialogue+", *answers)
    assert [s.command for s in plus.trace] == ["expand", "rejected", "expand", "contract", "terminate"]
    assert "was opened just now" in plus.trace[1].thought
    offered = [str(r.constraint.schema if r.constraint else "") for r in model.history]
    assert "'contract'" not in offered[1] and "'contract'" in offered[3]
    grammars = [r.constraint.gbnf or "" for r in model.history if r.constraint]
    assert "contract" not in grammars[1]


def test_dialogue_is_as_it_was() -> None:
    answers = [move("expand", "kitchen"), move("contract", "kitchen"), move("terminate")]
    plain, _ = search("dialogue", *answers)
    assert [s.command for s in plain.trace] == ["expand", "contract", "terminate"]


# A model that knows the answer, under every protocol


def perfect_names(nodes: list[str], scene: Scene) -> list[str]:
    """The answers themselves, or their class where there are many, and their rooms, or the kind of these."""
    rooms = rooms_of(nodes, scene)
    things = [n for n in nodes if scene.nodes[n].type not in ("room", "agent")]
    if len(things) > MAX_THINGS:
        things = list(dict.fromkeys(scene.nodes[n].classes[0] for n in things))[:MAX_THINGS]
    if len(rooms) > MAX_ROOMS:
        kinds = RoomList(scene).kinds
        rooms = [f"every {k}" for k, members in kinds.items() if set(rooms) <= set(members)][:1] or rooms[:4]
    chosen = {"things": things or ["anything"], "rooms": rooms or [scene.by_type["room"][0]]}
    return [json.dumps(chosen)]


def perfect_questions(nodes: list[str], scene: Scene) -> list[str]:
    """Questions whose answers lie in the rooms of the answers: of a whole class, or the nearest room."""
    questions = []
    left = dict.fromkeys(rooms_of(nodes, scene))
    for kind in dict.fromkeys(scene.nodes[n].classes[0] for n in nodes if scene.nodes[n].type in THINGS):
        places = rooms_of(scene.by_class[kind], scene)
        if len(places) <= MAX_ROOMS_A_NAME:
            questions.append(f"(find (?x - {kind}))")
            left = {room: None for room in left if room not in places}
    for room in left:
        kind = scene.nodes[room].classes[0]
        questions.append(f"(find (?x - {kind}) :nearest-to {room} :limit 1)")
    text = "\n".join(questions[:MAX_QUESTIONS] or ["(find (?x - room) :limit 1)"])
    return [text]


def perfect_moves(nodes: list[str], scene: Scene) -> list[str]:
    """The rooms of the answers, one by one, and the end of the search."""
    rooms = rooms_of(nodes, scene) or [scene.by_type["room"][0]]
    return [*(move("expand", room) for room in rooms), move("terminate")]


def rooms_of(nodes: Iterable[str], scene: Scene) -> list[str]:
    return list(dict.fromkeys(r for n in nodes if (r := scene.room_of(n)) is not None))


PERFECT = {
    "naming": perfect_names,
    "query": perfect_questions,
    "dialogue": perfect_moves,
    "dialogue+": perfect_moves,
}


def test_there_is_a_perfect_model_for_every_protocol() -> None:
    assert {*PERFECT, DEFAULT} == set(PROTOCOLS) and len(SEARCHES) == 60


@pytest.mark.parametrize("protocol", PERFECT)
@pytest.mark.parametrize("task", SEARCHES, ids=lambda t: t.id)
def test_a_perfect_model_sees_the_answers(task, protocol, without_embeddings) -> None:
    """The answers are in the subgraph, and the rooms that they are in are open."""
    scene = task.load()
    nodes = list(task.gold.answers)
    script = PERFECT[protocol](nodes, scene)
    model = ScriptedModel.of(*script)
    result = ModelReader(model, PACK, search_protocol=protocol).search(task.instruction, View.first(scene))
    assert result.outcome == "found" and len(model.history) == len(script)
    assert "rejected" not in [step.command for step in result.trace]
    assert set(nodes) <= set(result.subgraph)
    assert set(rooms_of(nodes, scene)) <= set(result.view.expanded)
    admitted(protocol, model)


@pytest.mark.parametrize("protocol", PERFECT)
@pytest.mark.parametrize("task", load_set("office-planning"), ids=lambda t: t.id)
def test_a_perfect_model_sees_what_the_goal_is_about(task, protocol, without_embeddings) -> None:
    """It finds the nodes of the gold goal; what is not shown then is looked up when the goal names it."""
    scene = task.load()
    nodes = [n for n in formula_names(parse_goal(task.gold.goal).formula) if n in scene.nodes]
    model = ScriptedModel.of(*PERFECT[protocol](nodes, scene))
    reader = ModelReader(model, PACK, search_protocol=protocol)
    result = reader.search(task.instruction, View.first(scene))
    asked, searches = len(model.history), 1
    while hidden := [n for n in nodes if n not in result.scene.nodes]:
        assert not protocol.startswith("dialogue") and searches < MAX_SEARCHES
        result, searches = reader.search(task.instruction, result.view, ", ".join(hidden)), searches + 1
        assert result.outcome == "found" and len(model.history) == asked
    admitted(protocol, model)


def admitted(protocol: str, model: ScriptedModel) -> None:
    """The answers are ones that the grammar of the request lets a model write (moves: ``test_prompts``)."""
    llguidance = pytest.importorskip("llguidance")
    if protocol.startswith("dialogue"):
        return
    tokenizer = llguidance.LLTokenizer("byte")
    for request, answer in zip(model.history, model.answers, strict=True):
        assert request.constraint is not None
        grammar = llguidance.LLMatcher.grammar_from_lark(request.constraint.lark)
        matcher = llguidance.LLMatcher(tokenizer, grammar)
        assert not matcher.is_error(), matcher.get_error()
        tokens = tokenizer.tokenize_str(answer)
        assert matcher.try_consume_tokens(tokens) == len(tokens) and matcher.is_accepting(), answer


# Requests that range over rooms


def true_answers(query: str, scene: Scene) -> list[tuple[str, ...]]:
    """The answers to a question; none where it speaks of what the scene does not have."""
    try:
        return [a.nodes for a in find(parse_query(query), ground(scene, PACK)).answers]
    except GoalError:
        return []


RANGING = [
    t for t in SEARCHES
    if any(w in t.instruction.lower() for w in (" not ", " no ", "without", "most ", "closest", "exactly"))
    and "likely" not in t.instruction
]  # fmt: skip


UNHELPFUL = {
    "naming": '{"things": ["dust"], "rooms": ["%s"]}',
    "query": "(find (?x - room) :nearest-to %s :limit 1)",
}


@pytest.mark.parametrize("protocol", UNHELPFUL)
@pytest.mark.parametrize("task", RANGING, ids=lambda t: t.id)
def test_a_ranging_request_has_its_true_answers_whatever_the_model_says(
    task, protocol, without_embeddings
) -> None:
    scene = task.load()
    model = ScriptedModel.of(UNHELPFUL[protocol] % scene.by_type["room"][0])
    result = ModelReader(model, PACK, search_protocol=protocol).search(task.instruction, View.first(scene))
    gold = [(name,) for name in task.gold.answers]
    if task.id == "home-search-complex-02":  # its question names classes that no living room has
        assert set(scene.by_class["living_room"]) <= set(result.view.expanded)
        return
    assert gold and true_answers(task.gold.query, result.scene) == gold


@pytest.mark.parametrize(
    ("instruction", "kind"),
    [
        ("Which office lacks a cabinet?", "office"),
        ("How many chairs are there in the meeting rooms?", "chair"),
        ("Which phd bay is missing a desk?", "phd_bay"),
        ("Find the office with the highest number of staplers.", "office"),
        ("What is the total amount of drones?", "drone"),
        ("Find the emptiest office.", "office"),
        ("Which meeting room hasn't got a table?", "meeting_room"),
        ("Find the chair that is farthest from the kitchen.", "chair"),
    ],
)
@pytest.mark.parametrize("protocol", UNHELPFUL)
def test_all_that_a_request_ranges_over_is_open(instruction, kind, protocol, without_embeddings) -> None:
    model = ScriptedModel.of(UNHELPFUL[protocol] % "lobby")
    result = ModelReader(model, PACK, search_protocol=protocol).search(instruction, View.first(OFFICE))
    members = OFFICE.by_class[kind]
    assert set(rooms_of(members, OFFICE)) <= set(result.view.expanded)
    assert set(members) <= set(result.subgraph)


@pytest.mark.parametrize("protocol", UNHELPFUL)
def test_what_nothing_is_called_opens_nothing_but_what_was_chosen(protocol, without_embeddings) -> None:
    model = ScriptedModel.of(*[UNHELPFUL[protocol] % "lobby"] * 3)
    reader = ModelReader(model, PACK, search_protocol=protocol)
    result = reader.search("How many unicorns are there?", View.first(OFFICE))
    assert result.view.expanded == ("lobby",)


def test_there_are_ranging_requests() -> None:
    assert len(RANGING) >= 10
    assert sum(not t.gold.answers for t in SEARCHES) <= 3  # a FooBar and its like
