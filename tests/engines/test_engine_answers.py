"""Engines that answer nonsense, raise, sleep or lie: *crashed* with a sentence, and nothing is proved."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from groundplan.compiler.goals.goal import parse_goal
from groundplan.compiler.pddl import compile_goal
from groundplan.domains.ending import Ending
from groundplan.domains.pack import load_pack
from groundplan.engines.answers import BadAnswer, checked_plan
from groundplan.engines.base import Budget, PddlText, TextEngine, TextResult
from groundplan.engines.engine import Engine
from groundplan.engines.registry import ENGINES, available_engines, get_engine
from groundplan.engines.result import PlanResult
from groundplan.pipeline.hybrid import Request, run
from groundplan.planners.classical import plan_goal
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.scene_json import scene_from_json
from groundplan.simulator.verification import verify_plan

GOAL = "(ontop_of apple1 desk1)"
TWO = "(and (ontop_of apple1 desk1) (open fridge))"


def small() -> Belief:
    nodes: list[dict[str, object]] = [
        {"id": "kitchen", "type": "room"},
        {"id": "hall", "type": "room"},
        {"id": "shed", "type": "room"},
        {"id": "table", "type": "asset", "parent": "kitchen", "affordances": ["release"]},
        {"id": "desk1", "type": "asset", "parent": "hall", "affordances": ["release"]},
        {"id": "rack", "type": "asset", "parent": "shed", "affordances": ["release"]},
        {"id": "fridge", "type": "asset", "parent": "kitchen", "affordances": ["open", "close", "release"]},
        {
            "id": "apple1",
            "type": "object",
            "parent": "table",
            "relation": "ontop_of",
            "affordances": ["pickup"],
        },
        {"id": "robot", "type": "agent", "at": "hall"},
    ]
    raw = {
        "format": "groundplan-scene",
        "version": 1,
        "name": "small",
        "nodes": nodes,
        "links": [{"a": "kitchen", "b": "hall", "length": 3}],
    }
    return ground(scene_from_json(raw, "small"), load_pack())


@dataclass
class Scripted(TextEngine):
    """An engine that does what the test says; the second way of asking gets the same for each task."""

    answer: Callable[[PddlText], object]
    name: str = "liar"
    supports_costs: bool = False
    many: Callable[[Sequence[PddlText]], object] | None = None
    asked: list[float] = field(default_factory=list)

    def solve_text(self, text: PddlText, budget: Budget) -> TextResult:
        self.asked.append(budget.seconds)
        return cast(TextResult, self.answer(text))

    def solve_many(self, texts: Sequence[PddlText], budget: Budget) -> list[TextResult]:
        if self.many is None:
            return [self.solve_text(text, budget) for text in texts]
        self.asked.append(budget.seconds)
        return cast("list[TextResult]", self.many(texts))


def solved(*steps: Any) -> Callable[[PddlText], object]:
    return lambda _: TextResult(Ending.SOLVED, cast(Any, steps))


def raising(error: BaseException) -> Callable[[PddlText], object]:
    def answer(_: PddlText) -> object:
        raise error

    return answer


def planned(engine: TextEngine, goal: str = GOAL, name: str = "liar", seconds: float = 20.0) -> PlanResult:
    return plan_goal(parse_goal(goal), small(), Engine(name, engine), Budget(seconds))


class Own(Exception):
    """An error that no list of built-in ones has."""


OTHERS_PLANS = {
    "an unknown action": (solved(("fly", "hall", "desk1")), "no action 'fly'"),
    "an unknown object": (solved(("goto", "hall", "moon")), "no object 'moon'"),
    "too few arguments": (solved(("goto", "hall")), "takes 2 arguments, got 1"),
    "too many arguments": (solved(("goto", "hall", "desk1", "desk1")), "takes 2 arguments, got 3"),
    "arguments of another type": (solved(("goto", "hall", "apple1")), "'apple1' is no"),
    "a plan of another problem": (solved(("stack", "a", "b"), ("stack", "b", "c")), "no action 'stack'"),
}

NONSENSE = {
    "an empty step": (solved(("goto", "hall", "desk1"), ()), "step 2 is empty"),
    "steps that are no words": (solved(("goto", 1, 2)), "step 1 is no list of words"),
    "steps that are strings": (solved("goto hall desk1"), "step 1 is no list of words"),
    "no result": (lambda _: None, "no TextResult but None"),
    "a plan instead of a result": (lambda _: [("goto", "hall", "desk1")], "no TextResult"),
    "a cost that is none": (lambda _: TextResult(Ending.SOLVED, (), cost=cast(int, "7")), "as a cost"),
    "an ending that is none": (lambda _: TextResult(cast(Ending, "fine")), "which is no ending"),
    "a result that contradicts itself": (lambda _: TextResult(Ending.SOLVED), "ValueError"),
    "an error": (raising(KeyError("x")), "raised KeyError: 'x'"),
    "an error of its own": (raising(Own("broken")), "raised Own: broken"),
    "an error without words": (raising(ZeroDivisionError()), "raised ZeroDivisionError"),
    "the end of the program": (raising(SystemExit(7)), "end the program with code 7"),
}


@pytest.mark.parametrize("goal", [GOAL, TWO], ids=["one part", "two parts"])
@pytest.mark.parametrize("case", list(NONSENSE))
def test_nonsense_is_a_crash_with_a_sentence(case: str, goal: str) -> None:
    answer, words = NONSENSE[case]
    result = planned(Scripted(answer), goal)
    assert result.ending is Ending.CRASHED and not result.reproducible and result.proof is None
    assert any(reason.startswith("liar ") and words in reason for reason in result.reasons)
    assert not result.cut_off  # no clock did that


@pytest.mark.parametrize("goal", [GOAL, TWO], ids=["one part", "two parts"])
@pytest.mark.parametrize("case", list(OTHERS_PLANS))
def test_a_plan_that_is_not_of_the_problem_is_rejected(case: str, goal: str) -> None:
    answer, words = OTHERS_PLANS[case]
    result = planned(Scripted(answer), goal)
    assert result.outcome == "rejected" and result.ending is Ending.NOT_FOUND and result.proof is None
    assert any("it is not one of this problem: step 1" in r and words in r for r in result.reasons)


def test_what_a_planner_adds_to_its_plan_about_nothing_is_left_out() -> None:
    honest = Engine.named("pyperplan").text_engine
    plain = planned(honest)

    def with_own(text: PddlText) -> object:
        answer = honest.solve_text(text, Budget(20))
        return TextResult(Ending.SOLVED, (("noop",), *(answer.plan or ()), ("reach-goal",)))

    assert planned(Scripted(with_own)).steps == plain.steps and plain.verified


@pytest.mark.parametrize(
    ("many", "words"),
    [
        (lambda texts: [], "gave 0 answers to 2 problems"),
        (lambda texts: [TextResult(Ending.NOT_FOUND)], "gave 1 answers to 2 problems"),
        (lambda texts: [TextResult(Ending.NOT_FOUND)] * 3, "gave 3 answers to 2 problems"),
        (lambda texts: None, "gave no answers to 2 problems"),
        (lambda texts: texts[5], "raised IndexError"),
    ],
)
def test_too_few_answers_are_a_crash(many: Callable[[Sequence[PddlText]], object], words: str) -> None:
    engine = Scripted(lambda _: TextResult(Ending.NOT_FOUND), many=many)
    result = planned(engine, TWO)
    assert result.ending is Ending.CRASHED and any(words in reason for reason in result.reasons)


def test_a_drive_where_no_route_leads_is_no_plan_of_the_problem() -> None:
    rendered = compile_goal(
        parse_goal("(or (ontop_of apple1 desk1) (ontop_of apple1 rack))").formula, small()
    )
    assert checked_plan([("goto", "hall", "desk1")], rendered) == (("goto", "hall", "desk1"),)
    with pytest.raises(BadAnswer, match="no route leads from 'hall' to 'rack'"):
        checked_plan([("goto", "hall", "desk1"), ("goto", "hall", "rack")], rendered)


def test_ctrl_c_in_an_engine_is_not_swallowed() -> None:
    with pytest.raises(KeyboardInterrupt):
        planned(Scripted(raising(KeyboardInterrupt())))


LIES = {
    "no plan": TextResult(Ending.UNSOLVABLE, proof="believe me"),
    "nothing to do": TextResult(Ending.SOLVED, (), cost=0, bound=0, optimal=True),
    "half of it": TextResult(Ending.SOLVED, (("goto", "hall", "table"),), cost=1, bound=1, optimal=True),
    "no plan within a bound": TextResult(Ending.NOT_FOUND, bound=10**9),
    "a plan that cannot be": TextResult(Ending.SOLVED, (("open_act", "fridge"),), cost=1),
}


@pytest.mark.parametrize("goal", [GOAL, TWO, "(or (ontop_of apple1 desk1) (open fridge))"])
@pytest.mark.parametrize("lie", LIES.values(), ids=list(LIES))
@pytest.mark.parametrize("name", ["liar", "liar-opt"])
def test_a_lie_proves_nothing(lie: TextResult, name: str, goal: str) -> None:
    result = planned(Scripted(lambda _: lie, name, supports_costs=True), goal, name)
    assert result.ending is not Ending.UNSOLVABLE and result.proof is None
    assert not result.optimal and result.bound_mm is None
    assert not result.verified or verify_plan(result.steps, small(), parse_goal(goal).formula).verified


def test_a_right_plan_with_a_bound_of_its_own_is_not_called_the_best() -> None:
    honest = get_engine("fast-downward-opt")

    def bounded(text: PddlText) -> object:
        return honest.solve_text(text, Budget(20))

    believed = plan_goal(parse_goal(GOAL), small(), Engine.named("fast-downward-opt"), Budget(20))
    result = planned(Scripted(bounded, "liar-opt", supports_costs=True), GOAL, "liar-opt")
    assert believed.optimal and result.verified and not result.optimal
    assert believed.plan == result.plan


def test_whose_word_is_taken_is_listed() -> None:
    complete = {one.name for one in available_engines() if one.complete}
    assert complete == {"pyperplan", "pyperplan-opt", "fast-downward", "fast-downward-opt"}
    assert all(Engine.named(n).complete == ENGINES[n].complete for n in ("pyperplan", "fast-downward"))


def test_a_proof_names_its_engine() -> None:
    goal = parse_goal("(and (open fridge) (closed fridge))")
    by_name = {name: Engine.named(name) for name in ("pyperplan", "fast-downward")}
    for name, engine in by_name.items():
        rendered = compile_goal(goal.formula, small(), whole=True)
        result = engine.solve(rendered.source, Budget(20))
        assert result.ending is Ending.UNSOLVABLE and (result.proof or "").startswith(f"{name}: ")


def test_an_engine_that_slept_past_its_time_is_not_asked_again() -> None:
    def slept(_: PddlText) -> object:
        time.sleep(0.4)
        return TextResult(Ending.NOT_FOUND)

    engine = Scripted(slept)
    result = planned(engine, "(and (ontop_of apple1 desk1) (closed fridge) (open fridge))", seconds=0.2)
    assert len(engine.asked) == 1 and not result.verified
    one_by_one = Scripted(slept)
    several = TextEngine.solve_many(one_by_one, [PddlText("a", "b")] * 3, Budget(0.2))
    assert len(one_by_one.asked) == 1
    assert [r.ending for r in several] == [Ending.NOT_FOUND, Ending.TIMED_OUT, Ending.TIMED_OUT]


def test_a_record_of_a_run_with_such_an_engine_says_crashed() -> None:
    record = run(Request(small(), goal=parse_goal(GOAL)), Engine("liar", Scripted(raising(Own("broken")))))
    assert record.outcome == "crashed" and record.exit_code == 1
    assert "liar raised Own: broken" in record.reasons
