"""Methods of comparison: what they need, what they get, and that they are what they say."""

from __future__ import annotations

import ast
import pickle
from pathlib import Path

import pytest

from groundplan import Engine, Request, ground, load_pack, load_scene, parse_goal
from groundplan.datasets.generate.buildings import Sizes, furnished_building
from groundplan.domains.errors import InputError
from groundplan.language.chat.reader import ModelReader
from groundplan.language.chat.search.protocols import PROTOCOLS
from groundplan.language.chat.search.query import MAX_ROUNDS
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.language.embedded.reader import EmbeddedReader
from groundplan.language.english.lexical import Lexical
from groundplan.methods import METHODS, Limits, Tools, method_named
from groundplan.methods.hybrid import WholeScene
from groundplan.simulator.view import View

ROOT = Path(__file__).parents[2]
OFFICE, PACK = load_scene("office"), load_pack()
BELIEF = ground(OFFICE, PACK)
CLOSE = "(closed cabinet5)"


def model_reader(*answers: str) -> ModelReader:
    return ModelReader(ScriptedModel.of(*answers), PACK, search_protocol="dialogue")


def request(**fields: object) -> Request:
    return Request(BELIEF, "Close Jason's cabinet.", task="a-task", **fields)  # type: ignore[arg-type]


def test_methods_import_no_data_sets() -> None:
    """A method must not be able to look a gold up."""
    folders = ("engines", "planners", "acting", "pipeline", "methods")
    for path in (path for folder in folders for path in (ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom | ast.Import):
                names = [getattr(node, "module", "") or "", *(a.name for a in node.names)]
                assert not any(part in ("datasets", "evaluation") for n in names for part in n.split(".")), (
                    path
                )


def test_each_method_is_a_small_file() -> None:
    """A reader who compares a method with its paper has one file to read."""
    folders = (ROOT / "methods", ROOT / "methods" / "baselines")
    lists = ("__init__", "groups")
    files = [path for folder in folders for path in folder.glob("*.py") if path.stem not in lists]
    assert len(files) > 10
    assert {path.stem: n for path in files if (n := len(path.read_text().splitlines())) >= 150} == {}


def test_methods_are_listed_under_their_names_and_can_be_sent_to_processes() -> None:
    assert {"gold", "hybrid", "hybrid-naming", "full-scene"} <= set(METHODS)
    for name, method in METHODS.items():
        assert method.name == name == method_named(name).name
        assert pickle.loads(pickle.dumps(method)) == method
    with pytest.raises(InputError, match="did you mean 'hybrid'"):
        method_named("hybird")


@pytest.mark.parametrize("name", METHODS)
def test_a_method_without_its_tools_is_unsupported(name: str) -> None:
    record = METHODS[name].run(request(goal=parse_goal(CLOSE)), Tools(), Limits())
    assert record.outcome == "unsupported" and record.task == "a-task" and record.engine is None
    assert "needs" in record.reasons[0]


def test_gold_plans_for_the_goal_of_the_request_and_asks_no_reader() -> None:
    tools = Tools(reader=model_reader(), engine=Engine.named("pyperplan"))
    record = METHODS["gold"].run(request(goal=parse_goal(CLOSE)), tools, Limits())
    assert (record.outcome, record.method, str(record.goal), record.reader) == (
        "verified",
        "gold",
        CLOSE,
        None,
    )
    none = METHODS["gold"].run(request(), tools, Limits())
    assert none.outcome == "unsupported"


def test_a_hybrid_searches_by_the_protocol_of_its_name() -> None:
    engine = Engine.named("pyperplan")
    for protocol in PROTOCOLS:
        model = ScriptedModel.of("nonsense")
        reader = ModelReader(model, PACK, search_protocol="naming")
        METHODS[f"hybrid-{protocol}"].run(request(), Tools(model, reader, engine), Limits())
        wanted = ModelReader(ScriptedModel.of("nonsense"), PACK, search_protocol=protocol)
        METHODS["hybrid"].run(request(), Tools(reader=wanted, engine=engine), Limits())
        assert model.history[0].messages == wanted.model.history[0].messages, protocol  # type: ignore[attr-defined]


def test_query_makes_one_request_of_its_search_and_hybrid_query_more() -> None:
    requests = {}
    for name in ("query", "hybrid-query"):
        model = ScriptedModel.of(*["nonsense"] * 20)
        tools = Tools(model, ModelReader(model, PACK, search_protocol="dialogue"), Engine.named("pyperplan"))
        METHODS[name].run(Request(BELIEF, "Find a unicorn.", search_only=True), tools, Limits())
        requests[name] = [request.purpose for request in model.history].count("search")
    assert requests["query"] == 1 < requests["hybrid-query"] <= MAX_ROUNDS
    with pytest.raises(InputError, match="alone has rounds"):
        ModelReader(ScriptedModel.of("x"), PACK, search_protocol="dialogue").changed(
            search_protocol="naming", search_rounds=1
        )


def test_a_reader_with_one_search_of_its_own_has_no_protocols() -> None:
    reader = EmbeddedReader(Lexical(), pack=PACK)
    tools = Tools(reader=reader, engine=Engine.named("pyperplan"))
    record = METHODS["hybrid-naming"].run(request(), tools, Limits())
    assert record.outcome == "unsupported" and "a search of its own" in record.reasons[0]
    assert METHODS["hybrid"].run(request(), tools, Limits()).method == "hybrid"


def test_full_scene_asks_for_a_goal_at_once_with_every_node_in_the_prompt() -> None:
    reader = model_reader(CLOSE)
    tools = Tools(reader=reader, engine=Engine.named("pyperplan"))
    record = METHODS["full-scene"].run(request(), tools, Limits())
    assert (record.outcome, record.method) == ("verified", "full-scene")
    (asked,) = reader.model.history  # type: ignore[attr-defined]
    text = "".join(message.content for message in asked.messages)
    unseen = [n.id for n in OFFICE.nodes.values() if n.type in ("asset", "object") and n.id not in text]
    assert unseen == [] and set(record.opened) == set(OFFICE.by_type["room"])


def test_the_whole_scene_is_the_same_as_every_room_expanded() -> None:
    view = View.first(OFFICE)
    result = WholeScene(model_reader()).search("anything", view)
    for room in OFFICE.by_type["room"]:
        view = view.expand(room)
    assert result.view.ids == view.ids and set(result.subgraph) == set(view.ids)


def test_full_scene_has_no_search_to_judge() -> None:
    tools = Tools(reader=model_reader(), engine=Engine.named("pyperplan"))
    assert METHODS["full-scene"].run(request(search_only=True), tools, Limits()).outcome == "unsupported"


@pytest.mark.parametrize("wrong", [{"calls": 0}, {"tokens": -1}, {"seconds": 0}, {"memory_mb": 0}])
def test_limits_are_positive(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="positive"):
        Limits(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("form", ["pddl", "sentences"])
def test_full_scene_cuts_nothing_also_where_a_search_would_be_cut(form: str) -> None:
    """A building of 1,000 things: the request has every one, which the usual one has not."""
    scene = furnished_building(Sizes(floors=2, rooms=40, assets=200, objects=800))
    belief = ground(scene, PACK)
    told = []
    for name in ("full-scene", "hybrid"):
        model = ScriptedModel.of("nonsense")
        reader = ModelReader(model, PACK, search_protocol="naming", goal_form=form)  # type: ignore[arg-type]
        if name == "hybrid":
            reader = WholeScene(reader)  # type: ignore[assignment]
        tools = Tools(model, reader, Engine.named("pyperplan"))
        METHODS[name].run(Request(belief, "Close a cabinet."), tools, Limits(seconds=600))
        text = "".join(message.content for message in model.history[0].messages)
        told.append([n.id for n in scene.nodes.values() if n.type in ("asset", "object") and n.id in text])
    things = [n.id for n in scene.nodes.values() if n.type in ("asset", "object")]
    assert told[0] == things and len(told[1]) < len(things) / 5
