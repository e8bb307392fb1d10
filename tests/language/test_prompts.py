"""Prompts: short, versioned, about no benchmark's scene, and data that stays data."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import HOSTILE

from groundplan.compiler.goals.goal import Goal, Missing, parse_goal
from groundplan.datasets.library import load_set
from groundplan.datasets.scenes import SCENES, load_scene, open_scene
from groundplan.domains.formula import Atom, walk
from groundplan.domains.pack import load_pack
from groundplan.language.chat.prompt import as_data, prompts, version
from groundplan.language.chat.reader import ModelReader, read_goal
from groundplan.language.chat.search.dialogue import constraint
from groundplan.language.chat.servers.meter import count_tokens
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.language.reader import Unreadable
from groundplan.simulator.scene import Node, Scene
from groundplan.simulator.view import View

MOST_TOKENS = 1500
"""SayPlan's static prompt has 3900."""
HOUSEHOLD = prompts(load_pack())
GREENHOUSE = str(Path(__file__).resolve().parents[2] / "examples" / "greenhouse")


@pytest.mark.parametrize("texts", [("search",), ("goal",), ("goal", "repair")])
def test_static_prompts_are_short(texts):
    assert 100 < count_tokens("\n".join(HOUSEHOLD[t] for t in texts)) <= MOST_TOKENS


def test_a_version_is_the_hash_of_the_text():
    """Of the household it is what it was when the predicates stood in the prompt's own text."""
    assert version(HOUSEHOLD["goal"]) == hashlib.sha256(HOUSEHOLD["goal"].encode()).hexdigest()[:12]
    assert {name: version(text) for name, text in HOUSEHOLD.items()} == {
        "search": "4da328eacfd5",
        "goal": "54296f2ae855",
        "repair": "6db5fdf0f11f",
    }


def test_a_prompt_speaks_of_the_predicates_of_its_pack():
    text = prompts(load_pack(GREENHOUSE))["goal"]
    assert "(lies_on thing place)" in text and "(watered bed)" in text and "tap" in text
    others = load_pack().public_predicates().keys() - load_pack(GREENHOUSE).public_predicates().keys()
    assert not [p for p in others if f"({p} " in text] and "inside_of" not in text and "microwave" not in text
    assert prompts(load_pack(GREENHOUSE))["search"] == HOUSEHOLD["search"]


def test_the_goal_prompt_says_what_a_predicate_means_where_its_name_does_not():
    text = HOUSEHOLD["goal"]
    assert re.search(r"^in_room: .*what the robot holds there", text, re.M)
    assert re.search(r"^holding: .*not for put, bring", text, re.M)
    assert "in_room:" not in prompts(load_pack(GREENHOUSE))["goal"]


def test_the_version_in_a_record_is_that_of_the_text_that_was_sent():
    pack, scene = load_pack(GREENHOUSE), open_scene(f"{GREENHOUSE}/scene.json")
    model = ScriptedModel.of("(watered bed1)")
    reader = ModelReader(model, pack, search_protocol="dialogue")
    assert isinstance(reader.write("Water the bed.", scene), Goal)
    system = model.history[0].messages[0].content
    assert system == prompts(pack)["goal"]
    assert reader.meter.as_json()["prompts"] == {"goal": version(system)}


def test_a_pack_without_wording_has_its_predicates_with_types_and_words(tmp_path):
    for name in ("domain.pddl", "mapping.toml"):
        shutil.copy(Path(GREENHOUSE, name), tmp_path)
    text = prompts(load_pack(str(tmp_path)))["goal"]
    assert "\n(lies_on thing object): thing lies on object\n" in text
    assert "\n(gripper_empty): the gripper is empty\n" in text
    assert "\n(robot_at place): robot at place\n" in text
    assert "inside_of" not in text and "Example." not in text


def test_a_predicate_is_never_left_out_unsaid(tmp_path):
    """A pack that extends the household and says nothing of what it adds."""
    (tmp_path / "domain.pddl").write_text("(define (domain d) (:predicates (next_to ?a - item ?b - item)))")
    (tmp_path / "mapping.toml").write_text(
        'format = "groundplan-pack"\nversion = 1\nextends = "household"\n[goal]\npredicates = ["next_to"]\n'
    )
    text = prompts(load_pack(str(tmp_path)))["goal"]
    assert text.replace("(next_to item1 item2): next to item1 item2\n", "") == HOUSEHOLD["goal"]


def test_examples_are_from_a_scene_that_is_in_no_benchmark():
    words = set(re.findall(r"[a-z]+(?:_[a-z]+)*\d*", " ".join(HOUSEHOLD.values())))
    named = {"trowel1", "bench2", "crate1", "plum1", "table9", "pump1", "greenhouse", "watering_can", "fern"}
    assert named <= words
    for scene in SCENES:
        nodes = load_scene(scene).nodes
        assert not named & nodes.keys()
        # Ids that are ordinary words too (a fridge, a desk) may occur; numbered ids and compounds may not.
        assert not {n for n in nodes if re.search(r"\d|_", n)} & words
    for task in load_set("sayplan"):
        assert task.instruction not in " ".join(HOUSEHOLD.values())


def test_the_examples_are_goals_as_they_should_be_written():
    goals = re.findall(r"^\((?:and|exists).*\)$", HOUSEHOLD["goal"], re.M)
    assert len(goals) == 3
    for goal in goals:
        assert str(parse_goal(goal)) == goal
    moves = re.findall(r"^\{\"chain.*\}$", HOUSEHOLD["search"], re.M)
    assert [json.loads(m)["command"] for m in moves[1:]] == ["expand", "expand", "terminate"] or len(
        moves
    ) == 3


TEXT = (
    st.text()
    | st.sampled_from(HOSTILE)
    | st.text(alphabet='<|>[]INSTim_start`#\n\\"{}:\u202e\x1b', max_size=12)
)
DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=8,
)


@given(DATA)
@example("\ud800")
@example({"<|im_start|>": ["\\<|", "]]>", "\u2028"]})
def test_data_comes_back_as_it_was_and_in_one_line(data):
    text = as_data(data)
    assert json.loads(text) == data
    assert "\n" not in text and text.isprintable()
    assert not re.search(r"<\||\|>|<(?!->)|\[/?INST|```|##", text)


@given(st.text() | st.text(alphabet="()?-and ort\"'\\{}[]:;`\n\x00\ud800forall exists0123", max_size=40))
@example("(" * 100_000)
@example('{"answer":' * 20_000)
@example("```\n(closed fridge)\n```")
@example('{"answer": {"and": 5}}')
@example('{"answer": {"exists": {"?a": []}}}')
@example('{"answer": NaN}')
@example("{}")
@example('{"missing": 1e999}')
@example("1" * 10_000)
@example('{"answer": ' + "9" * 10_000 + "}")
def test_any_text_is_read_as_a_goal_or_turned_down(text):
    found = read_goal(text)
    assert isinstance(found, Goal | Missing | Unreadable)
    if isinstance(found, Unreadable):
        assert found.feedback and len(found.text) <= 400 and found.text.isprintable()


KEYWORDS = st.sampled_from(
    ["answer", "and", "or", "not", "exists", "forall", "exactly", "of", "holds", "?item1", "missing",
     "closed", "inside_of", "arg2", "sometime", "=", "imply", ""]
)  # fmt: skip
ANSWERS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | KEYWORDS | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(KEYWORDS | st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=10,
)


@given(ANSWERS)
def test_any_json_is_read_as_a_goal_or_turned_down(raw):
    for value in (raw, {"answer": raw}):
        assert isinstance(read_goal(json.dumps(value)), Goal | Missing | Unreadable)


@pytest.mark.parametrize(
    ("text", "goal"),
    [
        ("(closed fridge)", "(closed fridge)"),
        ("  (closed fridge)\n", "(closed fridge)"),
        ("```\n(closed fridge)\n```", "(closed fridge)"),
        ("```pddl\n(closed fridge)\n```", "(closed fridge)"),
        ("```(closed fridge)```", "(closed fridge)"),
        ("Here is the goal:\n```pddl\n(closed fridge)\n```\nIt shuts the fridge.", "(closed fridge)"),
        ('Sure!\n\n```json\n{"goal": "(closed fridge)"}\n```', "(closed fridge)"),
        ('{"answer": {"closed": "fridge"}}', "(closed fridge)"),
        ('```json\n{"answer": {"closed": "fridge"}}\n```', "(closed fridge)"),
    ],
)
def test_ways_to_write_a_goal(text, goal):
    found = read_goal(text)
    assert isinstance(found, Goal) and str(found) == goal
    assert [a.args for a in walk(found.formula) if isinstance(a, Atom)] == [("fridge",)]


@pytest.mark.parametrize(
    "text",
    [
        "Not this goal: (closed fridge)",
        "```\n(closed fridge)\n```\nor\n```\n(open fridge)\n```",
        "```\n(closed fridge)",
        "(closed fridge)\n```\n",
        "```\ngoto(fridge)\nclose(fridge)\n```",
        "<think>One could write ```\n(open fridge)\n``` but the task says",
        "<think>(open fridge)",
        '{"and": [{"closed": "fridge"}], "arg2": {"open": "drawer"}}',
        '{"closed": "fridge", "arg5": "x"}',
        '{"closed": "fridge", "arg3": "x"}',
        '{"closed": "fridge", "holds": {"open": "drawer"}}',
        '{"not": {"closed": "fridge"}, "arg2": {"open": "drawer"}}',
        '{"exactly": 2, "of": {"?x": "apple", "holds": {"hot": "?x"}}, "holds": {"open": "drawer"}}',
        '{"exists": {"?x": "apple", "holds": {"hot": "?x"}}, "of": {"open": "drawer"}}',
        '{"answer": {"closed": "fridge"}, "answer": {"open": "drawer"}}',
    ],
)
def test_what_is_no_one_goal_is_not_guessed(text):
    assert isinstance(read_goal(text), Unreadable)


def test_a_fence_inside_a_text_is_part_of_it():
    for text in ('(missing "a ```red``` apple")', '{"answer": {"missing": "a ```red``` apple"}}'):
        assert read_goal(text) == Missing("a ```red``` apple")


def rooms(names: list[str], opened: int = 0) -> View:
    nodes = {n: Node(n, "room") for n in names} | {"agent": Node("agent", "agent", parent=names[0])}
    view = View.collapsed(Scene("s", nodes, ()))
    for name in names[:opened]:
        view = view.expand(name)
    return view


def accepts(grammar: str, text: str) -> bool:
    """Whether llguidance accepts a text under a Lark grammar, byte by byte."""
    llguidance = pytest.importorskip("llguidance")
    tokenizer = llguidance.LLTokenizer("byte")
    matcher = llguidance.LLMatcher(tokenizer, llguidance.LLMatcher.grammar_from_lark(grammar))
    assert not matcher.is_error(), matcher.get_error()
    tokens = tokenizer.tokenize_str(text)
    return matcher.try_consume_tokens(tokens) == len(tokens) and matcher.is_accepting()


def wrote(command: str, node: str, thought: str = "so") -> str:
    raw = {"move": {"chain_of_thought": thought, "command": command, "node": node}}
    return json.dumps(raw, separators=(",", ":"))


def test_moves_compile_and_admit_hostile_names_and_nothing_else():
    names = [
        n
        for n in dict.fromkeys((*HOSTILE, "\x1b]52;c;x\x07", "%ignore /x/", '"\n| start', "]]>", "ä 😀"))
        if n
    ]
    names = [n for n in names if n != "agent"]
    view = rooms(names, opened=3)
    grammar = constraint(view).lark
    for name in view.closed:
        assert accepts(grammar, wrote("expand", name)), name
        assert not accepts(grammar, wrote("contract", name)), name
    for name in view.expanded:
        assert accepts(grammar, wrote("contract", name))
        assert not accepts(grammar, wrote("expand", name))
    assert accepts(grammar, wrote("terminate", ""))
    assert not accepts(grammar, wrote("terminate", names[0]))
    assert not accepts(grammar, wrote("expand", "narnia"))
    assert accepts(grammar, wrote("terminate", "", "x" * 240))
    assert not accepts(grammar, wrote("terminate", "", "x" * 241))


def test_moves_compile_for_a_thousand_rooms():
    view = rooms([f"room_{n}" for n in range(1000)])
    found = constraint(view)
    assert accepts(found.lark, wrote("expand", "room_999"))
    assert len(found.schema["properties"]["move"]["anyOf"][0]["properties"]["node"]["enum"]) == 1000
    assert found.gbnf.count("\n") == 4


def test_the_schema_of_moves_is_one():
    jsonschema = pytest.importorskip("jsonschema")
    names = [n for n in HOSTILE if n and n != "agent"]
    view = rooms(list(dict.fromkeys(names)), opened=2)
    validator = jsonschema.Draft202012Validator(constraint(view).schema)
    validator.check_schema(validator.schema)
    assert validator.is_valid(json.loads(wrote("expand", view.closed[0])))
    assert not validator.is_valid(json.loads(wrote("expand", "narnia")))
