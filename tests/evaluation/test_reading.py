"""Reading is judged by outcomes: tiny scripted readers show each verdict and each reason."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from reading_sets import Instruction, ReadingReport, evaluate, load_instructions

from groundplan.compiler.goals.goal import Missing, parse_goal
from groundplan.domains.errors import InputError
from groundplan.engines.engine import Engine
from groundplan.language.embedded.reader import EmbeddedReader
from groundplan.language.english.lexical import Lexical
from groundplan.language.reader import (
    History,
    NotUnderstood,
    SearchOutcome,
    SearchResult,
    Unreadable,
    Written,
)
from groundplan.simulator.scene import Scene
from groundplan.simulator.view import View

LANGUAGE = Path(__file__).resolve().parent.parent / "language"
HELDOUT, HELDOUT2 = LANGUAGE / "heldout.json", LANGUAGE / "heldout2.json"
PLAIN_SETS = ("plain_home", "plain_procthor", "plain_building")
FOUR_SCENES = ("plain4_office", "plain4_home", "plain4_procthor", "plain4_building")

CLOSE = Instruction("close", "office", "Close Jason's cabinet.", "(closed cabinet5)", "plain")
CALL = Instruction("call", "office", "Call Peter.", None, "decline")


@dataclass
class Scripted:
    """Answers by the text of the instruction: a goal, or whatever else a reader may write."""

    answers: Mapping[str, str | Written]
    outcome: SearchOutcome = "found"
    name: str = "scripted"

    def search(self, instruction: str, view: View, reason: str = "") -> SearchResult:
        return SearchResult(self.outcome, (), view, reason="" if self.outcome == "found" else "nothing there")

    def write(self, instruction: str, subgraph: Scene) -> Written:
        answer = self.answers[instruction]
        return parse_goal(answer) if isinstance(answer, str) else answer

    def repair(self, history: History, feedback: Sequence[str]) -> Written:
        raise AssertionError("a reader is judged by its first answer")


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine.named("pyperplan")


def report(engine: Engine, told: Instruction, answer: str | Written) -> ReadingReport:
    return evaluate(Scripted({told.text: answer}), [told], engine)


@pytest.mark.parametrize(
    "goal",
    [
        "(closed cabinet5)",
        "(and (closed cabinet5) (closed cabinet6))",
        "(exists (?c - cabinet) (and (in_room ?c jasons_office) (closed ?c)))",
    ],
)
def test_a_goal_is_right_when_its_outcome_is(engine: Engine, goal: str) -> None:
    (row,) = report(engine, CLOSE, goal).rows
    assert (row.verdict, row.goal, row.reason) == ("right", goal, "")


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("(closed cabinet6)", "does not hold at the end"),
        ("(open cabinet5)", "does not hold at the end"),
        ("(closed cabinet99)", "cabinet99"),
        ("(closed chair1)", "chair1"),
        ("(inside_of vodka coffee_mug)", ""),
        (Missing("cabinet"), "not a goal"),
        (Unreadable("(closed", "unexpected end"), "not a goal"),
    ],
)
def test_everything_else_that_is_answered_is_wrong(
    engine: Engine, answer: str | Written, reason: str
) -> None:
    (row,) = report(engine, CLOSE, answer).rows
    assert row.verdict == "wrong"
    assert row.reason and reason in row.reason


def test_not_understanding_is_declining(engine: Engine) -> None:
    (row,) = report(engine, CLOSE, NotUnderstood("no idea")).rows
    assert (row.verdict, row.goal, row.reason) == ("declined", None, "no idea")


@pytest.mark.parametrize("outcome", ["search-exhausted", "not-understood"])
def test_a_search_without_a_find_is_declining(engine: Engine, outcome: SearchOutcome) -> None:
    (row,) = evaluate(Scripted({}, outcome), [CLOSE], engine).rows
    assert (row.verdict, row.reason) == ("declined", "nothing there")


def test_any_goal_is_wrong_where_none_makes_sense(engine: Engine) -> None:
    (row,) = report(engine, CALL, "(robot_at peters_office)").rows
    assert row.verdict == "wrong"
    (row,) = report(engine, CALL, NotUnderstood("no calls")).rows
    assert row.verdict == "declined"


def test_the_overlay_of_a_task_applies(engine: Engine) -> None:
    task = "office-planning-simple-15"
    told = Instruction("bin", "office", "Bin it.", "(inside_of sweet_wrapper rubbish_bin)", "plain", task)
    (row,) = report(engine, told, "(inside_of sweet_wrapper rubbish_bin)").rows
    assert row.verdict == "right"


def test_figures_of_a_small_set(engine: Engine) -> None:
    told = [
        CLOSE,
        Instruction("shut", "office", "Shut it.", "(closed cabinet6)", "plain"),
        Instruction("go", "office", "Go there.", "(robot_at lobby)", "implicit"),
        CALL,
    ]
    answers: dict[str, str | Written] = {
        "Close Jason's cabinet.": "(closed cabinet5)",
        "Shut it.": "(closed cabinet5)",
        "Go there.": NotUnderstood("where?"),
        "Call Peter.": "(robot_at peters_office)",
    }
    found = evaluate(Scripted(answers), told, engine)
    assert found.precision == round(1 / 3, 4), "a goal for a call is a wrong answer, too"
    assert found.coverage == round(2 / 3, 4), "of those with a gold; the call is none of them"
    assert found.kinds() == {
        "plain": {"right": 1, "wrong": 1, "declined": 0},
        "implicit": {"right": 0, "wrong": 0, "declined": 1},
        "decline": {"right": 0, "wrong": 1, "declined": 0},
    }
    written = json.loads(json.dumps(found.as_json()))
    assert (written["reader"], written["engine"], written["instructions"]) == ("scripted", "pyperplan", 4)
    assert (written["right"], written["wrong"], written["declined"]) == (1, 2, 1)
    assert [r["verdict"] for r in written["rows"]] == ["right", "wrong", "declined", "wrong"]
    assert written["rows"][1]["goal"] == "(closed cabinet5)" and written["rows"][1]["reason"]
    lines = found.table().splitlines()
    assert lines[0].split()[:3] == ["right", "close", "plain"]
    assert "where?" in found.table()


def test_nothing_answered_has_no_precision(engine: Engine) -> None:
    found = evaluate(Scripted({}, "not-understood"), [CLOSE], engine)
    assert (found.precision, found.coverage) == (None, 0.0)
    assert (evaluate(Scripted({}), [], engine).coverage) is None


@pytest.mark.parametrize(
    ("told", "complaint"),
    [
        (Instruction("a", "office", "?", "(closed cabinet99)", "plain"), "gold of a"),
        (Instruction("b", "office", "?", "(closed", "plain"), "gold of b"),
        (Instruction("c", "office", "?", "(closed cabinet1)", "plain"), "holds at first"),
        (Instruction("d", "offfice", "?", None, "plain"), "scene"),
        (Instruction("e", "office", "?", None, "plain", "office-planning-simple-99"), "task"),
        (Instruction("f", "home", "?", None, "plain", "office-planning-simple-15"), "office"),
    ],
)
def test_a_set_at_fault_is_no_fault_of_the_reader(engine: Engine, told: Instruction, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        report(engine, told, NotUnderstood(""))


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"text": ""}, r"instructions\[1\].text"),
        ({"gold": 3}, r"instructions\[1\].gold"),
        ({"more": 1}, r"instructions\[1\]"),
        ({"id": "close"}, "twice"),
    ],
)
def test_a_file_that_is_no_set(tmp_path: Path, change: dict[str, object], complaint: str) -> None:
    good = {
        "id": "close",
        "scene": "office",
        "task": None,
        "text": "Close it.",
        "gold": None,
        "kind": "plain",
    }
    file = tmp_path / "set.json"
    file.write_text(json.dumps({"how": "", "instructions": [good, {**good, "id": "two", **change}]}))
    with pytest.raises(InputError, match=complaint):
        load_instructions(file)
    file.write_text("[]")
    with pytest.raises(InputError, match="list of instructions"):
        load_instructions(file)


@pytest.mark.slow
def test_the_held_out_set_can_be_answered(engine: Engine) -> None:
    told = load_instructions(HELDOUT)
    kinds = Counter(i.kind for i in told)
    assert kinds["paraphrase"] == 50 and kinds["plain"] + kinds["several"] == 40
    assert kinds["implicit"] == 15 and kinds["decline"] == 15
    assert len({i.text for i in told}) == len(told) == 120
    found = evaluate(Scripted({i.text: i.gold or NotUnderstood("nothing to do") for i in told}), told, engine)
    assert [r for r in found.rows if r.verdict == "wrong"] == []
    assert (found.precision, found.coverage, found.count("declined")) == (1.0, 1.0, 15)


@pytest.mark.slow
def test_the_second_held_out_set_can_be_answered(engine: Engine) -> None:
    told = load_instructions(HELDOUT2)
    assert Counter(i.kind for i in told) == {"instruction": 75, "paraphrase": 55, "decline": 20}
    assert len({i.text for i in told}) == len(told) == 150
    assert not {i.text for i in told} & {i.text for i in load_instructions(HELDOUT)}
    found = evaluate(Scripted({i.text: i.gold or NotUnderstood("nothing to do") for i in told}), told, engine)
    assert (found.precision, found.coverage, found.count("declined")) == (1.0, 1.0, 20)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", (*PLAIN_SETS, *FOUR_SCENES))
def test_the_plain_sets_can_be_answered(engine: Engine, name: str) -> None:
    instructions = load_instructions(LANGUAGE / f"{name}.json")
    answers = {i.text: i.gold or NotUnderstood("nothing to do") for i in instructions}
    report = evaluate(Scripted(answers), instructions, engine)
    assert [r for r in report.rows if r.verdict == "wrong"] == []
    assert (report.precision, report.coverage) == (1.0, 1.0)


@pytest.mark.parametrize("name", PLAIN_SETS)
def test_of_five_plain_instructions_on_each_scene_most_are_read_right(engine: Engine, name: str) -> None:
    instructions = load_instructions(LANGUAGE / f"{name}.json")[::15][:5]
    report = evaluate(EmbeddedReader(Lexical()), instructions, engine)
    assert report.count("right") >= 3, report.table()
    assert report.count("wrong") <= 1, report.table()


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_embedded_reader_on_what_it_was_not_made_for(engine: Engine) -> None:
    """Shares only, so that the sets stay unread: at least nine of ten answers right, six of ten answered."""
    pytest.importorskip("onnxruntime")
    told = [*load_instructions(HELDOUT), *load_instructions(HELDOUT2)]
    found = evaluate(EmbeddedReader(), told, engine)
    assert found.precision is not None and found.precision >= 0.9
    assert found.coverage is not None and found.coverage >= 0.6


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("name", "precision", "coverage"),
    [("plain_home", 0.93, 0.92), ("plain_procthor", 0.93, 0.89), ("plain_building", 0.93, 0.89)],
)
def test_the_embedded_reader_on_plain_instructions(
    engine: Engine, name: str, precision: float, coverage: float
) -> None:
    """Floors a little below what was measured, on scenes that nobody developed the reader on."""
    pytest.importorskip("onnxruntime")
    report = evaluate(EmbeddedReader(), load_instructions(LANGUAGE / f"{name}.json"), engine)
    assert report.precision is not None and report.precision >= precision
    assert report.coverage is not None and report.coverage >= coverage


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_embedded_reader_on_fifty_requests_for_each_of_four_scenes(engine: Engine) -> None:
    pytest.importorskip("onnxruntime")
    reports = [
        evaluate(EmbeddedReader(), load_instructions(LANGUAGE / f"{n}.json"), engine) for n in FOUR_SCENES
    ]
    assert all((r.precision or 0) >= 0.93 and (r.coverage or 0) >= 0.85 for r in reports)
    right, wrong = (sum(r.count(v) for r in reports) for v in ("right", "wrong"))
    assert right / (right + wrong) >= 0.97
