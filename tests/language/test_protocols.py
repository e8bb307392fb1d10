"""Search protocols: the names of them, and what sets `dialogue+` apart from the paper's dialogue."""

from __future__ import annotations

import pytest
from model_server import move

from groundplan.commands import main
from groundplan.datasets.library import load_set
from groundplan.datasets.scenes import load_scene
from groundplan.domains.errors import InputError
from groundplan.domains.pack import load_pack
from groundplan.language.chat.reader import ModelReader
from groundplan.language.chat.search.protocols import PROTOCOLS, protocol_named
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.language.reader import SearchResult
from groundplan.simulator.view import View

OFFICE, PACK = load_scene("office"), load_pack()
SEARCHES = [t for name in ("office-search", "home-search") for t in load_set(name)]


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


@pytest.mark.parametrize("protocol", ["dialogue", "dialogue+"])
@pytest.mark.parametrize("task", SEARCHES, ids=lambda t: t.id)
def test_a_perfect_model_sees_the_answers_in_dialogue(task, protocol) -> None:
    """It opens the rooms of the answers, one by one, and ends the search (naming: ``test_naming``)."""
    scene = task.load()
    rooms = list(dict.fromkeys(r for n in task.gold.answers if (r := scene.room_of(n)) is not None))
    steps = [move("expand", room) for room in rooms or [scene.by_type["room"][0]]]
    model = ScriptedModel.of(*steps, move("terminate"))
    reader = ModelReader(model, PACK, search_protocol=protocol)
    result = reader.search(task.instruction, View.first(scene))
    assert result.outcome == "found" and len(model.history) == len(steps) + 1
    assert set(task.gold.answers) <= set(result.subgraph) and set(rooms) <= set(result.view.expanded)
