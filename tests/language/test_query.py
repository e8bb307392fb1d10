"""The query protocol: questions that are answered, what they open, and how long its prompt is."""

from __future__ import annotations

import json
import re

import pytest
from plain_building import building
from strategies import HOSTILE

from groundplan.compiler.query.query import parse_query
from groundplan.datasets.scenes import load_scene, open_scene
from groundplan.domains.pack import load_pack
from groundplan.engines.engine import Engine
from groundplan.language.chat.reader import ModelReader
from groundplan.language.chat.search.opening import MAX_ROOMS_A_NAME
from groundplan.language.chat.search.query import MAX_ROUNDS, MAX_ROWS, QueryProtocol
from groundplan.language.chat.search.query_form import (
    MAX_NUMBER,
    MAX_QUESTIONS,
    BadQuestion,
    constraint,
    read_questions,
)
from groundplan.language.chat.search.query_words import MAX_CLASSES, AllWords
from groundplan.language.chat.servers.meter import count_tokens
from groundplan.language.chat.servers.model import ServiceError
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.language.reader import SearchResult
from groundplan.pipeline.hybrid import Request, run
from groundplan.simulator.belief import ground
from groundplan.simulator.scene import Node, Scene
from groundplan.simulator.view import View
from tests import llama_grammar

OFFICE, PACK = load_scene("office"), load_pack()
WORDS = AllWords(ground(OFFICE, PACK)).chosen("", None)
ROOMS = OFFICE.by_type["room"]
LLAMA = llama_grammar.library()


@pytest.fixture(autouse=True)
def without_embeddings(monkeypatch):
    """Words and rooms by their letters, so that what is shown does not depend on what is installed."""
    monkeypatch.setattr("groundplan.language.english.embedding.installed", lambda: False)


def search(
    instruction: str, *answers: str, scene: Scene = OFFICE, reason: str = "", view: View | None = None
) -> tuple[SearchResult, ScriptedModel]:
    model = ScriptedModel.of(*answers)
    reader = ModelReader(model, PACK, search_protocol="query")
    return reader.search(instruction, view or View.first(scene), reason), model


def opened(result: SearchResult) -> list[str]:
    return [s.node for s in result.trace if s.command == "expand"]


def last_prompt(model: ScriptedModel) -> str:
    return model.history[-1].messages[1].content


# What is asked and opened


def test_rooms_of_the_answers_are_opened_and_an_answer_to_all_ends_the_search() -> None:
    result, model = search("Heat up the kebab.", "(find (?x - kebab))\n(find (?x - parcel))")
    assert [s.command for s in result.trace] == ["query", "expand", "expand"] and len(model.history) == 1
    assert opened(result) == ["kitchen", "lobby"] and result.trace[0].tokens > 0
    assert "(find (?x - kebab)): 1 in 1 room" in result.trace[0].thought
    assert result.outcome == "found" and {"chicken_kebab", "parcel"} <= set(result.subgraph)


def test_nothing_found_is_told_and_asked_again() -> None:
    first = "(find (?x - carrot) (exists (?y - dishwasher) (inside_of ?x ?y)))"
    result, model = search("Find the carrot.", first, "(find (?x - carrot))")
    assert '{"question":"' + first + '","found":"nothing"}' in last_prompt(model)
    assert [s.command for s in result.trace] == ["query", "query", "expand"]
    assert "carrot" in result.subgraph


def test_too_many_rooms_are_told_with_the_first_answers_and_not_opened() -> None:
    result, model = search("Find it.", "(find (?x - desk))", "(find (?x - desk) (in_room ?x nikos_office))")
    told = re.search(r'"found":"(.*?)"', last_prompt(model))
    assert told is not None and told[1].startswith("38 in 15 rooms, too many to open: desk1 in nikos_office")
    assert told[1].endswith(f"and {38 - MAX_ROWS} more") and told[1].count(" in ") == 1 + MAX_ROWS
    assert opened(result) == ["nikos_office"]


def test_after_three_rounds_the_nearest_rooms_of_a_wide_answer_are_opened() -> None:
    result, model = search("Go to Will's office.", *[f"(find (?x - desk) :limit {n})" for n in (20, 19, 18)])
    assert len(model.history) == MAX_ROUNDS
    assert "wills_office" in opened(result) and len(opened(result)) <= MAX_ROOMS_A_NAME


def test_a_question_asked_again_ends_the_search_and_words_go_to_the_index() -> None:
    result, model = search("Bring me the purple frame.", *["(find (?x - frame) (in_room ?x kitchen))"] * 2)
    assert len(model.history) == 2 and opened(result) == ["postdoc_bay2"]
    assert "asked before" in result.trace[1].thought


@pytest.mark.parametrize("answer", ["I cannot help.", "(find", "(goal (closed fridge))", "", "(find ?x)"])
def test_an_answer_without_a_question_opens_what_the_instruction_says(answer: str) -> None:
    result, _ = search("Bring me the purple frame.", *[answer] * 3)
    assert [s.command for s in result.trace] == ["rejected", "rejected", "expand"]
    assert opened(result) == ["postdoc_bay2"] and result.outcome == "found"


def test_of_a_room_with_an_answer_furniture_and_what_was_found_is_handed_on() -> None:
    result, _ = search("Heat up the kebab.", "(find (?x - kebab))")
    assert {"chicken_kebab", "fridge", "microwave"} <= set(result.subgraph)
    assert "banana2" not in result.subgraph and "kitchen" in result.view.expanded
    result, _ = search("Tidy up.", "(find (?x - kitchen))")
    assert {"chicken_kebab", "banana2"} <= set(result.subgraph), "a room that is an answer is handed on whole"


def test_what_does_not_fit_the_scene_is_told() -> None:
    result, model = search("Find it.", "(find (?x - unicorn))", "(find (?x - apple) (in_room ?x kitchn))",
                           "(find (?x - apple) (ripe ?x ?x))")  # fmt: skip
    told = last_prompt(model)
    assert "unknown class or type unicorn" in told and "try kitchen" in told
    assert opened(result) == [] and result.outcome == "found"
    assert result.reason == "none of the questions found anything"


def test_what_was_missing_goes_to_the_index_before_the_model_is_asked_again() -> None:
    first, _ = search("Tidy up.", "(find (?x - parcel))")
    again, model = search("Tidy up.", reason="chicken kebab", view=first.view)
    assert not model.history and opened(again) == ["kitchen"] and again.trace[0].command == "name"
    again, model = search("Tidy up.", "(find (?x - shelf))", reason="a broom", view=first.view)
    assert 'Not found yet: "a broom"' in last_prompt(model) and opened(again)


def test_a_service_that_fails_keeps_what_was_opened() -> None:
    model = ScriptedModel(["(find (?x - kebab))\n(find (?x - unicorn))", ServiceError("down", "no answer")])
    with pytest.raises(ServiceError) as caught:
        ModelReader(model, PACK, search_protocol="query").search("x", View.first(OFFICE))
    assert caught.value.partial_search is not None
    assert "chicken_kebab" in caught.value.partial_search.subgraph


def test_a_run_from_questions_to_a_plan() -> None:
    questions = "(find (?x - orange) (exists (?y - bench) (ontop_of ?x ?y)))\n(find (?x - fridge))"
    model = ScriptedModel.of(questions, "(inside_of orange1 fridge)")
    reader = ModelReader(model, PACK, search_protocol="query")
    record = run(Request(ground(OFFICE, PACK), "Put the orange into the fridge."),
                 Engine.named("pyperplan"), reader)  # fmt: skip
    assert record.outcome == "verified" and [s["command"] for s in record.trace] == ["query", "expand"]
    assert record.usage["prompts"].keys() == {"search", "goal"}


def test_a_question_that_takes_too_long_to_answer_is_told() -> None:
    scene = building(10, 2, 30)
    variables = " ".join(f"?v{n}" for n in range(8))
    text = f"(find ({variables} - object))"
    result, model = search("Find it.", text, "(find (?x - room) :limit 1)", scene=scene)
    assert "too" in last_prompt(model) or "at most" in last_prompt(model)
    assert len(opened(result)) == 1


# The form


SAMPLES = (
    "(find (?x - banana))",
    "(find (?x - item) (and (ripe ?x) (not (in_room ?x kitchen))))",
    "(find (?x - office) (not (exists (?y - cabinet) (in_room ?y ?x))) :nearest-to lobby :limit 2)",
    "(find (?x - room) :most (?y - book) (in_room ?y ?x))",
    "(find (?x - desk) (at-least 2 (?y - complimentary_tshirt) (and (ontop_of ?y ?x) (not (dirty ?y)))))",
    "(find (?x - cabinet) (exactly 3 (?y - item) (inside_of ?y ?x)))",
    "(find (?x - kale) (exists (?y - meeting_room) (and (in_room ?x ?y) (largest ?y))))",
)
REFUSED = (
    "(find (?x - unicorn))",
    "(find (?x - banana) (ripe ?y))",
    "(find (?x - banana) (in_room ?x narnia))",
    "(find (?x - office) (in_room ?x kitchen))",
    f"(find (?x - banana) :limit {MAX_NUMBER + 1})",
    "(closed fridge)",
    "",
    "\n".join(["(find (?x - banana))"] * (MAX_QUESTIONS + 1)),
    "(find (?x - banana) (and" + " (ripe ?x)" * 5 + "))",
)


def accepts(grammar: str, text: str) -> bool:
    llguidance = pytest.importorskip("llguidance")
    tokenizer = llguidance.LLTokenizer("byte")
    matcher = llguidance.LLMatcher(tokenizer, llguidance.LLMatcher.grammar_from_lark(grammar))
    assert not matcher.is_error(), matcher.get_error()
    tokens = tokenizer.tokenize_str(text)
    return matcher.try_consume_tokens(tokens) == len(tokens) and matcher.is_accepting()


def test_the_grammar_admits_questions_with_words_of_the_scene_and_nothing_else() -> None:
    grammar = constraint(WORDS, ROOMS).lark or ""
    assert [t for t in (*SAMPLES, "\n".join(SAMPLES[:MAX_QUESTIONS])) if not accepts(grammar, t)] == []
    assert [t for t in REFUSED if accepts(grammar, t)] == []
    assert len(grammar) < 7000


@pytest.mark.skipif(LLAMA is None, reason="xllamacpp is not installed")
def test_llama_cpp_takes_the_same_questions() -> None:
    grammar = llama_grammar.LlamaGrammar(LLAMA, constraint(WORDS, ROOMS).gbnf or "")
    assert [t for t in SAMPLES if not grammar.accepts(t)] == []
    assert [t for t in REFUSED if grammar.accepts(t)] == []


def test_gbnf_has_the_rules_of_lark() -> None:
    found = constraint(WORDS, ROOMS)
    lark, gbnf = (found.lark or "").splitlines(), (found.gbnf or "").splitlines()
    assert len(lark) == len(gbnf) and "start: " in lark[0] and gbnf[0].startswith("root ::= ")
    assert all(re.fullmatch(r"[a-z-]+ ::= .+", line) for line in gbnf)
    used = {name for line in gbnf for name in re.findall(r"[a-z-]+", re.sub(r'"(?:[^"\\]|\\.)*"', "", line))}
    assert used == {line.split(" ::= ")[0] for line in gbnf}


def test_every_question_of_the_grammar_fits_the_scene() -> None:
    """Nothing that a model can be held to write is an error of the check."""
    llguidance = pytest.importorskip("llguidance")
    assert llguidance is not None
    belief = ground(OFFICE, PACK)
    from groundplan.compiler.query.answers import find

    for sample in SAMPLES:
        assert str(parse_query(sample)) == sample
        find(parse_query(sample), belief)


def test_the_schema_takes_questions_as_texts() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = constraint(WORDS, ROOMS).schema
    validator = jsonschema.Draft202012Validator(schema)
    validator.check_schema(schema)
    answer = {"questions": list(SAMPLES[:MAX_QUESTIONS])}
    assert validator.is_valid(answer) and not validator.is_valid({"questions": [{"find": "banana"}]})
    assert [str(q) for q in read_questions(json.dumps(answer))] == answer["questions"]
    assert len(json.dumps(schema)) < 500


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", '{"questions": 3}', '{"questions": [3]}', '{"questions": []}', "(" * 9000, "{" * 9000,
     '{"questions": [{"find": "a", "where": [{"how": 3}]}]}', '{"questions": [{"find": ")("}]}', "null",
     '{"questions": [{"find": "a", "where": [{"how": "exists", "class": "b", "where": 7}]}]}'],
)  # fmt: skip
def test_other_answers_are_no_questions(text: str) -> None:
    with pytest.raises(BadQuestion) as found:
        read_questions(text)
    assert str(found.value) and len(str(found.value)) <= 300 and str(found.value).isprintable()


def test_questions_are_found_in_fences_among_words_and_over_lines() -> None:
    text = 'First:\n```\n(find (?x - "a (b")\n  (ripe ?x))\n(find (?x - c))\n```\nThat is (find it) all.'
    assert [str(q) for q in read_questions(f"<think>(find (?x - no))</think>{text}")[:2]] == [
        '(find (?x - "a (b") (ripe ?x))', "(find (?x - c))"
    ]  # fmt: skip
    assert len(read_questions("\n".join(f"(find (?x - c{n}))" for n in range(9)))) == MAX_QUESTIONS


# The words


def test_words_are_those_of_the_scene_and_the_pack() -> None:
    assert "item" in WORDS.things.words and "object" not in WORDS.things.words
    assert {"banana", "fridge"} <= set(WORDS.things.words) and "office" in WORDS.rooms.words
    assert {"ripe", "closed"} <= set(WORDS.properties.words) and "largest" in WORDS.room_properties.words
    assert WORDS.within == "in_room" and {"inside_of", "ontop_of"} <= set(WORDS.relations)
    assert not {"pose", "agent", "hot", "robot_at"} & {*WORDS.things.words, *WORDS.properties.words}
    assert WORDS.things.left_out == WORDS.properties.left_out == 0


def test_of_many_words_the_nearest_to_the_task_are_shown_and_the_others_counted() -> None:
    nodes = [Node("hall", "room", position=(0.0, 0.0, 0.0)), Node("agent", "agent", "hall")]
    nodes += [
        Node(f"thing{n}", "object", "hall", "inside_of", (f"kind of {n}", f"sort{n}")) for n in range(3000)
    ]
    nodes.append(Node("lantern1", "object", "hall", "inside_of", ("lantern",), attributes=("glowing",)))
    scene = Scene("shop", {n.id: n for n in nodes})
    chosen = AllWords(ground(scene, PACK)).chosen("Bring the lantern.", None)
    assert chosen.things.words[0] == "item" and "lantern" in chosen.things.words
    assert count_tokens(str(chosen.things)) <= MAX_CLASSES + 10
    assert str(chosen.things).endswith(f"({chosen.things.left_out} more)")
    assert chosen.things.left_out + len(chosen.things.words) == 6002


def test_hostile_words_stay_in_their_lists() -> None:
    words = [w for w in dict.fromkeys(HOSTILE) if w]
    nodes = [
        Node(n, "room", position=(i, 0.0, 0.0), classes=(n,)) for i, n in enumerate(words) if n != "agent"
    ]
    nodes += [
        Node(f"{i}x", "object", nodes[0].id, "inside_of", (w,), attributes=(w,)) for i, w in enumerate(words)
    ]
    scene = Scene("trap", {n.id: n for n in [*nodes, Node("agent", "agent", nodes[0].id)]})
    chosen = AllWords(ground(scene, PACK)).chosen("x", None)
    text = "\n".join(chosen.lines())
    assert len(text.split("\n")) == len(chosen.lines()) <= 5
    assert all(c.isprintable() or c == "\n" for c in text) and "<|" not in text and "```" not in text
    grammar = constraint(chosen, scene.by_type["room"][:5]).lark or ""
    for word in chosen.things.words:
        asked = f"(find (?x - {json.dumps(word, ensure_ascii=False)}))"
        assert str(read_questions(asked)[0]) and accepts(grammar, str(read_questions(asked)[0])), word


def test_the_prompt_speaks_of_the_predicates_of_its_pack() -> None:
    greenhouse = "examples/greenhouse"
    pack = load_pack(greenhouse)
    prompt = QueryProtocol(pack).prompt
    assert "inside_of" not in prompt and "{" not in prompt and "(lies_on" in prompt
    assert "(inside_of" in QueryProtocol(PACK).prompt and "(in_room" in QueryProtocol(PACK).prompt
    scene = open_scene(f"{greenhouse}/scene.json")
    kind = next(iter(scene.by_class))
    assert kind
    model = ScriptedModel.of("(find (?x - bed))")
    result = ModelReader(model, pack, search_protocol="query").search("Water the bed.", View.first(scene))
    assert result.outcome == "found"


def test_examples_of_the_prompt_are_questions_of_the_form_about_no_benchmark() -> None:
    prompt = QueryProtocol(PACK).prompt
    questions = re.findall(r"^\(find .*\)$", prompt, re.M)[3:]
    assert len(questions) == 7
    for question in questions:
        assert str(parse_query(question)) == question
    assert count_tokens(prompt) < 800
