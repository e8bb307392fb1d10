"""Variants of methods: what each ablation switches off, by the trace of its run, and nothing beside it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest
from shipped_prompts import prompt, prompt_names

from groundplan import Engine, Request, ground, load_pack, load_scene
from groundplan.acting.beliefs.asking import USUAL
from groundplan.domains.errors import InputError
from groundplan.language.chat.reader import ModelReader
from groundplan.language.chat.search.protocols import PROTOCOLS
from groundplan.language.chat.servers.model import ChatRequest
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.language.embedded.reader import EmbeddedReader
from groundplan.language.english import embedding
from groundplan.language.english.lexical import Lexical
from groundplan.methods import METHODS, Limits, Tools, method_named
from groundplan.methods.conversations.problem_text import domain_text
from groundplan.methods.houses.advice import ADVICE_PROMPTS
from groundplan.methods.hybrid import ABLATIONS, NOTHING_OF, Hybrid, WholeScene
from groundplan.methods.method import Method
from groundplan.methods.variants import (
    FAMILIES,
    versions,
    with_ablations,
    with_compile_forms,
    with_prompts,
    with_scene_texts,
)
from groundplan.pipeline.record import Record
from groundplan.planners.request import Request as HybridRequest
from groundplan.simulator.belief import Belief

PACK, ENGINE = load_pack(), Engine.named("pyperplan")
OFFICE = ground(load_scene("office"), PACK)
TASK = "Put the banana from the fridge on the kitchen bench."
NEEDS = '{"things": ["banana2"], "rooms": []}'
PLACE, AGAIN = "(ontop_of banana2 kitchen_bench)", "(and (ontop_of banana2 kitchen_bench) (closed fridge))"
WRONG = "(and (open microwave) (closed microwave))"


class Likeness:
    """Similarity that likes one room best."""

    def scores(self, query: str, texts: Sequence[str]) -> tuple[float, ...]:
        return tuple(float("presentation" in text) for text in texts)


@pytest.fixture(autouse=True)
def _no_embeddings(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is opened for likeness would hide what the index opens."""
    monkeypatch.setattr(embedding, "installed", lambda: False)


def ran(
    part: str, *answers: str, task: str = TASK, belief: Belief = OFFICE
) -> tuple[Record, list[ChatRequest]]:
    """Run `hybrid-naming` without a part; for an empty one, as it is."""
    method = next(m for m in with_ablations([method_named("hybrid-naming")], [part] if part else [])[::-1])
    model = ScriptedModel.of(*answers)
    reader = ModelReader(model, PACK, search_protocol="dialogue")
    record = method.run(Request(belief, task, task="t"), Tools(model, reader, ENGINE), Limits())
    assert record.method == (f"hybrid-naming without {part}" if part else "hybrid-naming")
    return record, list(model.history)


def texts_of(requests: Sequence[ChatRequest]) -> list[str]:
    return [request.canonical("model", {}) for request in requests]


def purposes(requests: Sequence[ChatRequest]) -> list[str]:
    return [request.purpose for request in requests]


def test_the_ablations_are_those_of_the_comparison() -> None:
    assert set(ABLATIONS) == set("search index embedding constrained check repair tidy already-so".split())
    rows = with_ablations([method_named(n) for n in ("gold", "hybrid", "query")], ("repair", "check"))
    assert [m.name for m in rows] == [
        "gold", "hybrid", "hybrid without repair", "hybrid without check",
        "query", "query without repair", "query without check",
    ]  # fmt: skip
    assert all(m == replace(METHODS[m.name.split()[0]], name=m.name, without=m.name.split()[-1])  # type: ignore[type-var]
               for m in rows if "without" in m.name)  # fmt: skip


def test_each_hybrid_is_compiled_from_the_subgraph_and_from_the_scene() -> None:
    names = ("gold", "hybrid", "hybrid-scene", "query", "full-scene", "llm+p-subgraph")
    rows = with_compile_forms([method_named(n) for n in names], ("subgraph", "scene"))
    forms = {m.name: m.compile_form if isinstance(m, Hybrid) else None for m in rows}
    assert forms == {
        "gold": None, "hybrid": "subgraph", "hybrid-scene": "scene", "query": "subgraph",
        "query-scene": "scene", "full-scene": "scene", "llm+p-subgraph": None,
    }  # fmt: skip
    assert all(METHODS[name] == row for row in rows if (name := row.name) in METHODS)
    without = with_ablations(with_compile_forms([METHODS["hybrid"]], ["scene"]), ["repair"])
    assert [m.name for m in without] == ["hybrid-scene", "hybrid-scene without repair"]


@pytest.mark.parametrize("name", ["hybrid-naming", "hybrid-scene"])
def test_what_a_plan_lacks_is_looked_up_in_the_index(name: str) -> None:
    """The goal names the shelf alone: the form decides whether the towel may come from anywhere."""
    model = ScriptedModel.of('{"things": ["shelf"], "rooms": ["admin"]}', "(clean shelf)")
    tools = Tools(model, ModelReader(model, PACK, search_protocol="naming"), ENGINE)
    task = "Wipe the dusty shelf in the admin room."
    record = METHODS[name].run(Request(OFFICE, task), tools, Limits())
    assert record.outcome == "verified" and purposes(model.history) == ["search", "goal"]
    faults, opened = [turn.fault for turn in record.goals], "supplies_station" in record.opened
    if name == "hybrid-scene":
        assert (record.compile_form, faults, opened) == ("scene", [""], False)
        assert set(record.beyond_search or ()) == {"cupboard1", "paper_towel"}
    else:
        assert (record.compile_form, faults, opened) == ("subgraph", ["not-shown", ""], True)
        assert record.beyond_search == ()


def test_without_search_nothing_is_asked_for_it_and_everything_is_shown() -> None:
    whole, asked = ran("", NEEDS, PLACE)
    assert purposes(asked) == ["search", "goal"] and whole.outcome == "verified"
    record, requests = ran("search", PLACE)
    assert purposes(requests) == ["goal"] and record.outcome == "verified" and record.trace == ()
    assert set(record.opened) == set(OFFICE.scene.by_type["room"]) > set(whole.opened)


def test_without_the_index_only_what_the_model_names_is_opened() -> None:
    whole, asked = ran("", NEEDS, PLACE)
    record, requests = ran("index", NEEDS, PLACE, PLACE)
    assert "kitchen" in whole.opened and "kitchen" not in record.opened
    assert texts_of(requests)[0] == texts_of(asked)[0]  # the model is asked the same
    assert record.trace[0]["command"] == whole.trace[0]["command"] == "name"
    named, _ = ran("index", '{"things": ["banana2"], "rooms": ["kitchen"]}', PLACE)
    assert "kitchen" in named.opened and named.outcome == "verified"


def test_without_embeddings_no_room_is_opened_for_likeness(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "installed", lambda: True)
    monkeypatch.setattr(embedding, "load", Likeness)
    whole, _ = ran("", NEEDS, PLACE)
    record, _ = ran("embedding", NEEDS, PLACE)
    assert "presentation_lounge" in whole.opened and "presentation_lounge" not in record.opened
    assert "kitchen" in record.opened and record.outcome == "verified"  # the index is still there


def test_without_constraints_the_same_is_asked_with_none() -> None:
    _, asked = ran("", NEEDS, WRONG, PLACE)
    _, requests = ran("constrained", NEEDS, WRONG, PLACE)
    assert purposes(requests) == purposes(asked) == ["search", "goal", "repair"]
    assert all(request.constraint is not None for request in asked)
    assert [replace(request, constraint=None) for request in asked] == requests


def test_without_the_check_the_planner_finds_out() -> None:
    whole, asked = ran("", NEEDS, WRONG, PLACE)
    record, requests = ran("check", NEEDS, WRONG, PLACE)
    assert whole.goals[0].fault != record.goals[0].fault == "unsolvable"
    assert "error[contradiction]" in whole.goals[0].feedback[0]
    assert "error[" not in record.goals[0].feedback[0]
    assert (
        purposes(requests) == purposes(asked) and texts_of(requests)[:2] == texts_of(asked)[:2]
    )  # repaired all the same
    unknown, _ = ran("check", NEEDS, "(open freezer9)", PLACE)
    assert "freezer9" in unknown.goals[0].feedback[0]  # nothing can be planned for that


def test_without_repair_the_first_goal_stands() -> None:
    whole, asked = ran("", NEEDS, WRONG, PLACE)
    record, requests = ran("repair", NEEDS, WRONG, PLACE)
    assert purposes(requests) == ["search", "goal"] and texts_of(requests) == texts_of(asked)[:2]
    assert whole.outcome == "verified" and record.outcome == "goal-error"
    (first,) = record.goals  # what may be left out is told where a repair is asked for
    assert (first.goal, first.fault) == (whole.goals[0].goal, whole.goals[0].fault)


def test_without_tidying_doors_stay_as_the_plan_left_them() -> None:
    whole, asked = ran("", NEEDS, PLACE)
    record, requests = ran("tidy", NEEDS, PLACE)
    assert texts_of(requests) == texts_of(asked) and [str(a) for a in whole.added] == ["(closed fridge)"]
    assert record.added == () and record.left == () and record.outcome == "verified"
    assert "close(fridge)" not in map(str, record.plan) and "close(fridge)" in map(str, whole.plan)


def test_without_the_look_at_what_is_so_already_such_a_goal_is_planned_for() -> None:
    so_already = "(or (closed fridge) (ontop_of banana2 kitchen_bench))"
    whole, _ = ran("", NEEDS, so_already, PLACE)
    record, requests = ran("already-so", NEEDS, so_already, PLACE)
    assert "so already" in whole.goals[0].feedback[0] and whole.outcome == "verified"
    assert purposes(requests) == ["search", "goal"] and record.outcome == "verified" and record.plan == ()


def test_a_reader_that_lacks_the_part_is_unsupported() -> None:
    tools = Tools(reader=EmbeddedReader(Lexical(), PACK), engine=ENGINE)
    for part in NOTHING_OF:
        record = Hybrid(without=part).run(Request(OFFICE, TASK), tools, Limits())
        assert record.outcome == "unsupported" and f"by the reader {tools.reader.name}" in record.reasons[0]
    record = Hybrid(scene_text="sayplan").run(Request(OFFICE, TASK), tools, Limits())
    assert record.outcome == "unsupported"
    searching = HybridRequest(OFFICE, "Where is the banana?", search_only=True)
    assert Hybrid(without="search").run(searching, tools, Limits()).outcome == "unsupported"


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("part", NOTHING_OF)
def test_a_part_that_a_search_lacks_is_not_measured(
    part: str, protocol: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row that is the same as the method itself would look like a part that is worth nothing."""
    monkeypatch.setattr(embedding, "installed", lambda: True)
    monkeypatch.setattr(embedding, "load", Likeness)
    model = ScriptedModel.of(*["no answer"] * 20)
    reader = ModelReader(model, PACK, search_protocol=protocol)
    has = part == "constrained" or protocol in ("words", "naming", "query")
    assert (part in reader.parts) is has and part not in reader.without(part).parts
    method = replace(METHODS[f"hybrid-{protocol}"], without=part)  # type: ignore[type-var]
    record = method.run(Request(OFFICE, TASK), Tools(model, reader, ENGINE), Limits())
    assert (record.outcome != "unsupported") is has and bool(model.history) is has
    if not has:
        assert "used by the reader" in record.reasons[0]


def test_what_is_not_installed_or_not_asked_for_is_not_left_out() -> None:
    reader = ModelReader(ScriptedModel.of(), PACK, search_protocol="naming")
    assert reader.parts == ("index", "constrained")  # no embeddings here


@pytest.mark.parametrize("form", ["pddl", "sentences"])
def test_the_form_of_the_scene_is_that_of_the_request_for_a_goal_alone(form: str) -> None:
    answers = [NEEDS, "Put banana2 on kitchen_bench." if form == "sentences" else PLACE]
    texts: dict[str, str] = {}
    searches = set()
    rows = with_scene_texts([method_named("hybrid-naming")], ["own", "sayplan", "listing"])
    names = ["hybrid-naming", "hybrid-naming with scene text sayplan"]  # a listing is its own form
    assert [m.name for m in rows] == names
    for method in rows:
        model = ScriptedModel.of(*answers)
        reader = ModelReader(model, PACK, goal_form=form)  # type: ignore[arg-type]
        record = method.run(Request(OFFICE, TASK), Tools(model, reader, ENGINE), Limits())
        assert record.outcome == "verified", record.reasons
        search, goal = model.history
        searches.add(search.messages)
        texts[method.name.split()[-1]] = goal.messages[-1].content
    assert len(searches) == 1
    assert '"links":["' in texts["sayplan"] and '"affordances"' in texts["sayplan"]
    assert "fridge (closed)" in texts["hybrid-naming"] and '"links"' not in texts["hybrid-naming"]


TOLD = """hybrid hybrid-naming hybrid-query hybrid-dialogue full-scene sayplan llm-as-planner llm+p-sayplan
    llm+p llm+p-subgraph delta delta-given subgoals sayplan-star sayplan-lite lookplangraph
    hybrid-looking-asked""".split()
OPENED = json.dumps(
    {"mode": "exploring", "command": {"command_name": "expand_node", "node_name": "cafeteria"}}
)


def told_by(method: Method, belief: Belief, *answers: str) -> list[str]:
    """Return what a method tells its model in each request, which answers so."""
    model = ScriptedModel.of(*answers)
    tools = Tools(model, ModelReader(model, belief.pack), ENGINE)
    record = method.run(HybridRequest(belief, "Fetch the phone of Peter's office."), tools, Limits())
    assert record.method == method.name and record.hashes["belief_before"] == belief.scene.hash
    return ["\n".join(m.content for m in request.messages) for request in model.history]


@pytest.mark.parametrize("name", TOLD)
def test_every_method_has_a_row_with_descriptions_of_nodes_and_one_without(name: str) -> None:
    packs = {"sayplan-star": "grasif", "sayplan-lite": "grasif", "lookplangraph": "grasif-looking"}
    pack = load_pack(packs.get(name, "household"))
    belief = ground(load_scene("office"), pack)
    searched = '{"things": ["phone"], "rooms": ["peters_office"]}'
    answers = {"delta": (domain_text(pack.domain), "{}")}.get(name, (searched, "{}", "{}"))
    own, other = with_scene_texts([method_named(name)], ["own", "described", "undescribed"])
    as_printed = "sayplan" in name or name in ("llm-as-planner", "lookplangraph")  # those papers' have none
    assert own == method_named(name)
    assert other.name == f"{name} with scene text {'' if as_printed else 'un'}described"
    texts = ["\n".join(told_by(row, belief, *answers)) for row in (own, other)]
    bare, described = texts if as_printed else reversed(texts)
    for words in ("Peter's office", "Where parcels", "Peter's desk"):
        assert words not in bare.replace("the phone of Peter's office", "")
    assert described.replace("the phone of Peter's office", "").count("Peter's office")


def test_a_form_of_the_scene_changes_nothing_of_what_is_described() -> None:
    methods = [method_named("hybrid-naming"), method_named("sayplan")]
    texts = ["own", "sayplan", "listing", "undescribed", "sayplan+undescribed", "listing+described"]
    rows = {row.name: row for row in with_scene_texts(methods, texts)}
    hybrid, sayplan = (f"{method.name} with scene text " for method in methods)
    assert list(rows) == [
        "hybrid-naming", f"{hybrid}sayplan", f"{hybrid}undescribed", f"{hybrid}sayplan+undescribed",
        "sayplan", f"{sayplan}listing", f"{sayplan}listing+described",
    ]  # fmt: skip
    parts = [m.name for m in with_ablations(list(rows.values()), ["repair", "memory"]) if m.name not in rows]
    assert parts == ["hybrid-naming without repair", "sayplan without memory"]
    for name, described in (
        (f"{hybrid}sayplan", True), (f"{hybrid}sayplan+undescribed", False), (f"{hybrid}undescribed", False),
        (f"{sayplan}listing", False), (f"{sayplan}listing+described", True), ("sayplan", False),
    ):  # fmt: skip
        answers = (OPENED, "{}") if "sayplan" in name.split()[0] else (NEEDS, PLACE)
        asked = told_by(rows[name], OFFICE, *answers)
        assert any(words in asked[1] for words in ("For plates", "Where people eat")) is described, name


def test_sayplan_can_be_shown_a_listing() -> None:
    (method,) = with_scene_texts([method_named("sayplan")], ["listing"])
    model = ScriptedModel.of("no JSON")
    record = method.run(Request(OFFICE, TASK), Tools(model=model), Limits())
    assert record.outcome == "answer-unreadable" and method.name == "sayplan with scene text listing"
    assert "rooms: aarons_office, admin" in model.history[0].messages[1].content
    (as_it_is,) = with_scene_texts([method_named("sayplan")], ["sayplan"])
    assert as_it_is == method_named("sayplan")  # that is its own form


def test_every_baseline_has_three_versions_of_its_prompts_and_they_differ() -> None:
    files = {name for family in FAMILIES.values() for start in family for name in
             (f"{start}-{n}" for n in (1, 2, 3))}  # fmt: skip
    assert files == set(prompt_names()) and len({prompt(name) for name in files}) == len(files)
    for family in FAMILIES:
        assert versions(family) == (1, 2, 3)
    used = {getattr(m, "prompts", ()) for m in METHODS.values()} - {()}
    assert used == {*FAMILIES.values(), tuple(ADVICE_PROMPTS), (USUAL.name,)}


@pytest.mark.parametrize("family", FAMILIES)
def test_a_version_of_a_prompt_is_the_one_that_is_sent(family: str) -> None:
    name = family if family != "llm+p" else "llm+p"
    packs = {"sayplan-star": "grasif", "sayplan-lite": "grasif", "lookplangraph": "grasif-looking"}
    belief = ground(load_scene("office"), load_pack(packs.get(family, "household")))
    methods = [m for m in METHODS.values() if getattr(m, "prompts", None) == FAMILIES[family]]
    assert METHODS[name] in methods
    for version in (1, 2, 3):
        for method in with_prompts(methods, {family: version}):
            model = ScriptedModel.of("{}", "{}", "{}")
            reader = ModelReader(model, belief.pack)
            method.run(Request(belief, TASK), Tools(model, reader, ENGINE), Limits())
            first = next(r for r in model.history if r.purpose != "search" or "sayplan" in family)
            sent = prompt(f"{FAMILIES[family][0]}-{version}").splitlines()[0]
            assert first.messages[0].content.splitlines()[0] == sent, method.name
            assert method.name in METHODS and f"variant={version}" in repr(method)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: with_prompts([METHODS["sayplan"]], {"sayplam": 1}), "did you mean 'sayplan'"),
        (lambda: with_prompts([METHODS["sayplan"]], {"sayplan": 4}), "a version of sayplan: 1, 2, 3"),
        (lambda: with_prompts([METHODS["hybrid"]], {"sayplan": 2}), "a method that uses the prompts of"),
        (lambda: with_ablations([METHODS["hybrid"]], ["repairs"]), "did you mean 'repair'"),
        (lambda: with_ablations([METHODS["gold"]], ["repair"]), "a method that has the part repair"),
        (lambda: with_scene_texts([METHODS["hybrid"]], ["list"]), "a form of the scene"),
        (lambda: with_scene_texts([METHODS["hybrid"]], ["described+undescribed"]), "undescribed once"),
        (lambda: with_scene_texts([METHODS["hybrid"]], ["sayplan+listing"]), "one form"),
        (lambda: with_scene_texts([METHODS["hybrid"]], ["listing+"]), "a form of the scene"),
        (lambda: with_scene_texts([METHODS["gold"]], ["listing"]), "a method that has listing"),
        (lambda: with_compile_forms([METHODS["hybrid"]], ["graph"]), "did you mean 'subgraph'"),
    ],
)  # fmt: skip
def test_what_does_not_exist_is_refused(call, words: str) -> None:
    with pytest.raises(InputError, match=words):
        call()


def test_sayplan_does_without_contracting_or_without_its_memory() -> None:
    """What is switched off is missing from the answers that are allowed, or from what is told; no more."""

    def said(command: str, node: str, mode: str = "exploring") -> str:
        named = {"command_name": command, "node_name": node, "plan": []}
        return json.dumps({"chain_of_thought": [], "reasoning": "", "mode": mode, "command": named})

    moves = [
        said("expand_node", "kitchen"), said("contract_node", "kitchen"), said("", "", "planning"),
    ]  # fmt: skip
    task = HybridRequest(OFFICE, "Where is the banana?", search_only=True)
    kept = {}
    for method in with_ablations([METHODS["sayplan"]], ("contract", "memory")):
        model = ScriptedModel.of(*moves)
        record = method.run(task, Tools(model), Limits())
        last = model.history[-1]
        constraint = last.constraint
        assert constraint is not None and record.outcome == "answered" and record.method == method.name
        allowed = "contract_node" in json.dumps(constraint.schema)
        kept[method.name] = ([s["command"] for s in record.trace], "\nmemory: " in last.messages[-1].content,
                             '"fridge"' in last.messages[-1].content, allowed)  # fmt: skip
    usual, refused = ["expand", "contract", "terminate"], ["expand", "rejected", "terminate"]
    assert kept == {
        "sayplan": (usual, True, False, True),
        "sayplan without contract": (refused, True, True, False),
        "sayplan without memory": (usual, False, False, True),
    }


def test_variants_go_through_processes_and_manifests() -> None:
    import pickle

    for method in with_ablations(with_scene_texts([METHODS["hybrid"]], ["own", "listing"]), ABLATIONS):
        assert pickle.loads(pickle.dumps(method)) == method and json.dumps(repr(method))


def test_a_reader_of_the_whole_scene_has_the_traits_of_its_reader_but_its_search() -> None:
    reader = ModelReader(ScriptedModel.of(), PACK, search_protocol="naming")
    whole = WholeScene.of(reader)
    assert isinstance(whole.inner, ModelReader) and whole.inner.scene_tokens > reader.scene_tokens
    assert whole.traits.variants is None
    refused = Hybrid(protocol="query").run(
        Request(OFFICE, TASK), Tools(reader=whole, engine=ENGINE), Limits()
    )
    assert refused.outcome == "unsupported" and "a search of its own" in refused.reasons[0]
    here = WholeScene.of(EmbeddedReader(Lexical(), PACK, "kitchen"))
    assert here.traits.place == "kitchen"
