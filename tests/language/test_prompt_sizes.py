"""Length of prompts: about the same for any building, and bounded for names of any length."""

from __future__ import annotations

import pytest
from prompt_tokens import GOALS, PACK, SEARCHES, all_tokens, goal_tokens, search_tokens, tokens

from groundplan.datasets.generate.buildings import Sizes, furnished_building
from groundplan.datasets.scenes import load_scene
from groundplan.language.chat.listing import MOST_TOKENS
from groundplan.language.chat.reader import ModelReader
from groundplan.language.chat.search.room_list import MAX_TOKENS
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.simulator.scene import Link, Node, Scene
from groundplan.simulator.view import View

OFFICE = load_scene("office")
MOST = 1.3
"""Most of the office's tokens that a prompt may take for any building."""


@pytest.fixture(autouse=True)
def without_embeddings(monkeypatch):
    """The nearest words and rooms by their letters, so that sizes do not depend on what is installed."""
    monkeypatch.setattr("groundplan.language.english.embedding.installed", lambda: False)


@pytest.fixture(scope="module")
def office() -> dict[str, int]:
    return all_tokens(OFFICE)


@pytest.mark.parametrize("size", [100, 1000, 10_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_prompts_do_not_grow_with_the_building(size: int, office: dict[str, int]) -> None:
    scene = furnished_building(Sizes.of_nodes(size), 0)
    assert len(scene.nodes) == size
    longer = {name: count for name, count in all_tokens(scene).items() if count > MOST * office[name]}
    assert not longer and len(office) == 4


def test_a_long_scene_is_listed_and_says_what_it_leaves_out() -> None:
    scene = furnished_building(Sizes.of_nodes(1000), 0)
    view = View.collapsed(scene)
    for room in scene.by_type["room"]:
        view = view.expand(room)
    model = ScriptedModel.always(lambda request: "(hand_free)")
    ModelReader(model, PACK, search_protocol="dialogue").write("Do it.", view.subgraph())
    text = model.history[0].messages[1].content
    assert text.startswith('scene: ["(a line is a room: ') and "left out: " in text
    assert tokens(model.history[0]) <= MOST_TOKENS + 700


@pytest.mark.parametrize("length", [40, 3000, 100_000])
def test_names_of_any_length_leave_prompts_bounded(length: int) -> None:
    long = "r" * length
    nodes = [Node(f"{long}{n}", "room", position=(n, 0.0, 0.0)) for n in range(3)]
    nodes.append(Node("hall", "room", position=(3.0, 0.0, 0.0)))
    nodes += [
        Node(f"{long}thing", "asset", "hall", "in", ("k" * length,), ("open",), (), ("a" * length,)),
        Node("pose1", "pose", position=(0.0, 0.0, 0.0)),
        Node("agent", "agent", "hall", at="pose1"),
    ]
    links = [Link("pose1", "hall", 1.0), *(Link("hall", n.id, 1.0) for n in nodes[:3])]
    scene = Scene("long", {n.id: n for n in nodes}, tuple(links))
    for protocol in SEARCHES:
        model = ScriptedModel.always(lambda request: "no answer")
        ModelReader(model, PACK, search_protocol=protocol).search("Go to the hall.", View.first(scene))
        request = model.history[0]
        assert "\nhall\n" in request.messages[1].content
        assert search_tokens(protocol, scene) <= search_tokens(protocol, OFFICE) + MAX_TOKENS
        assert request.constraint is not None and '"hall' in (request.constraint.lark or "").replace("\\", "")
    for form in GOALS:
        assert goal_tokens(form, scene) <= MOST * goal_tokens(form, OFFICE)


def test_rooms_with_long_names_only_leave_a_grammar_that_can_be_answered() -> None:
    llguidance = pytest.importorskip("llguidance")
    nodes = [Node("r" * 9000 + str(n), "room", position=(n, 0.0, 0.0)) for n in range(3)]
    scene = Scene("long", {n.id: n for n in [*nodes, Node("agent", "agent", nodes[0].id)]})
    model = ScriptedModel.of('{"things": ["mug"], "rooms": []}')
    result = ModelReader(model, PACK, search_protocol="naming").search("Find it.", View.first(scene))
    assert result.outcome == "found" and result.trace[0].command == "name"
    request = model.history[0]
    assert request.constraint is not None and request.messages[1].content.startswith("Rooms:\n(3 more rooms)")
    tokenizer = llguidance.LLTokenizer("byte")
    matcher = llguidance.LLMatcher(tokenizer, llguidance.LLMatcher.grammar_from_lark(request.constraint.lark))
    written = tokenizer.tokenize_str(str(model.answers[0]))
    assert matcher.try_consume_tokens(written) == len(written) and matcher.is_accepting()
