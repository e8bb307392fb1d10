"""Beliefs asked of a chat model: parsed, checked, normalized, kept by hash; which source is in the record."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_house import two_rooms

from groundplan.acting import SpotPriors
from groundplan.acting.beliefs import AskedLikelihood
from groundplan.acting.beliefs.asking import DOUBT, likelihood_schema, read_likelihoods
from groundplan.acting.beliefs.likelihood import ROOMS
from groundplan.datasets.scenes import load_scene
from groundplan.domains.pack import load_pack
from groundplan.language.chat.servers.model import ChatRequest, ServiceError
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.methods.houses import UsualPlaces
from groundplan.methods.houses.house_method import HouseMethod
from groundplan.methods.method import Limits, Tools
from groundplan.planners.request import Request
from groundplan.simulator.belief import ground
from groundplan.simulator.navigation import HouseSearch, Stance
from groundplan.simulator.observations.observation import Spot

KITCHEN, BEDROOM = ("kitchen", "bedroom")


def test_an_answer_is_normalized_and_what_is_no_probability_of_what_was_asked_is_counted() -> None:
    text = """Sure: {"fork": {"kitchen": 0.6, "Bed_Room": 0.2, "garage": 0.1, "bedroom": 0.2},
                     "pillow": {"kitchen": -1, "bedroom": true}, "crown": {"kitchen": 1}, "soap": [0.5]}"""
    table = read_likelihoods(text, ("fork", "pillow", "soap"), (KITCHEN, BEDROOM))
    assert table.rows == {"fork": pytest.approx({"kitchen": 0.75, "bedroom": 0.25})}
    assert (table.dropped, table.refused) == (3, 3)


@pytest.mark.parametrize(
    "text", ["", "none", "[0.5]", '{"fork": {"kitchen": NaN}}', '{"fork": {"kitchen": 2}}', "{" * 9000]
)
def test_an_answer_without_usable_numbers_leaves_everything_equally_likely(text: str) -> None:
    asked = AskedLikelihood(ScriptedModel.of(text))
    asked.prepare(["fork"], [KITCHEN, BEDROOM], [])
    assert asked.within("fork", KITCHEN) == asked.within("fork", BEDROOM) == 1
    assert asked.missing == 1 and asked.refused >= 1


@given(st.text() | st.recursive(st.floats() | st.booleans() | st.text(), st.lists).map(json.dumps))
def test_any_text_is_read_as_distributions_or_not_at_all(text: str) -> None:
    table = read_likelihoods(text, ("fork",), (KITCHEN, BEDROOM))
    for row in table.rows.values():
        assert math.isclose(sum(row.values()), 1) and all(0 <= p <= 1 for p in row.values())


def test_a_question_is_asked_once_and_kept_over_runs_by_its_hash(tmp_path: Path) -> None:
    answer = '{"fork": {"kitchen": 0.9, "bedroom": 0.1}}'
    first = AskedLikelihood(ScriptedModel.of(answer), tmp_path)
    first.prepare(["fork"], [KITCHEN, BEDROOM], [])
    first.prepare(["fork"], [KITCHEN, BEDROOM], [])
    assert first.questions == 1
    assert first.within("fork", KITCHEN) == pytest.approx((1 - DOUBT) * 0.9 * 2 + DOUBT)
    again = AskedLikelihood(ScriptedModel.of(), tmp_path)
    again.prepare(["fork"], [KITCHEN, BEDROOM], [])
    assert (again.questions, again.reused) == (0, 1)
    assert again.within("fork", KITCHEN) == first.within("fork", KITCHEN)
    other = AskedLikelihood(ScriptedModel([answer], name="another"), tmp_path)
    other.prepare(["fork"], [KITCHEN, BEDROOM], [])
    assert other.questions == 1  # of another model
    with pytest.raises(ServiceError):  # another question has another hash, and the script no answer
        again.prepare(["spoon"], [KITCHEN, BEDROOM], [])


def test_new_furniture_is_asked_for_with_what_was_known_and_a_thing_keeps_one_distribution() -> None:
    model = ScriptedModel.always(uneven)
    asked = AskedLikelihood(model)
    asked.prepare(["fork"], [], ["table"])
    asked.prepare(["fork"], [], ["table"])
    asked.prepare(["fork"], [], ["table", "shelf"])
    assert len(model.history) == 2
    assert asked.upon("fork", "shelf") + asked.upon("fork", "table") == pytest.approx(2)
    assert asked.upon("fork", "furniture") == 1


def test_the_schema_names_every_pair_and_nothing_else() -> None:
    schema = likelihood_schema(["fork"], [KITCHEN, BEDROOM])
    assert schema["required"] == ["fork"] and schema["additionalProperties"] is False
    (row,) = schema["properties"].values()  # type: ignore[attr-defined]
    assert row["required"] == [KITCHEN, BEDROOM] and row["properties"][KITCHEN]["maximum"] == 1


def uneven(request: ChatRequest) -> str:
    """The last of the places is by far the likeliest, for every thing."""
    fields = dict(line.split(": ", 1) for line in request.messages[1].content.splitlines())
    things, places = json.loads(fields["things"]), json.loads(fields["places"])
    row = {place: 0.1 for place in places[:-1]} | {places[-1]: 0.9}
    return json.dumps(dict.fromkeys(things, row))


def test_a_search_asks_its_model_and_the_record_says_so() -> None:
    search = HouseSearch(two_rooms(), Stance((2, 2), 0), ("pillow",))
    belief = ground(load_scene("office"), load_pack())
    request = Request(belief, "find", search_only=True, house=search)
    model = ScriptedModel.always(uneven)
    record = HouseMethod("least-cost-model").run(request, Tools(model=model), Limits())
    assert record.outcome == "answered"
    beliefs = record.house["beliefs"]
    assert isinstance(beliefs, dict)
    assert (beliefs["source"], beliefs["model"], beliefs["questions"]) == (
        "model",
        "scripted",
        len(model.history),
    )
    assert HouseMethod("least-cost-model").run(request, Tools(), Limits()).outcome == "unsupported"
    down = ScriptedModel.always(lambda request: fail())
    assert HouseMethod("greedy-rate-model").run(request, Tools(model=down), Limits()).outcome == (
        "service-failed"
    )
    equal = HouseMethod("least-cost-equal").run(request, Tools(), Limits())
    assert equal.house["beliefs"] == {"source": "equal"}
    assert "beliefs" not in HouseMethod("nearest-door").run(request, Tools(), Limits()).house


def fail() -> str:
    raise ServiceError("refused", "nobody is there")


def test_rooms_are_typed_by_the_rooms_of_their_furniture() -> None:
    def answer(request: ChatRequest) -> str:
        fields = dict(line.split(": ", 1) for line in request.messages[1].content.splitlines())
        usual = {"stove": "kitchen", "bed": "bedroom", "fork": "kitchen"}
        rows = {t: {p: float(usual.get(t) == p) for p in json.loads(fields["places"])} for t in usual}
        return json.dumps({t: rows[t] for t in json.loads(fields["things"])})

    places = UsualPlaces(AskedLikelihood(ScriptedModel.always(answer)))
    places.prepare(["fork"], ["stove", "bed"])
    kinds = places.rooms(["stove"])
    assert sum(kinds.values()) == pytest.approx(1) and kinds["kitchen"] > 0.9 and set(kinds) == set(ROOMS)
    assert places.weight("fork", "stove", kinds) > places.weight("fork", "stove", places.rooms(["bed"])) > 0
    assert places.weight("fork", "stove", kinds) > places.unseen("fork")


def test_spots_of_a_scene_are_weighed_by_the_same_answers() -> None:
    office = ground(load_scene("office"), load_pack())

    def answer(request: ChatRequest) -> str:
        fields = dict(line.split(": ", 1) for line in request.messages[1].content.splitlines())
        good = {"fridge", "kitchen"}
        row = {p: 0.9 if p in good else 0.001 for p in json.loads(fields["places"])}
        return json.dumps(dict.fromkeys(json.loads(fields["things"]), row))

    model = ScriptedModel.always(answer)
    priors = SpotPriors(AskedLikelihood(model))
    fridge, desk = Spot("fridge", "inside_of"), Spot("desk1", "ontop_of")
    assert priors.weight("banana1", fridge, office) > 10 * priors.weight("banana1", desk, office) > 0
    assert len(model.history) == 2  # rooms, and furniture
