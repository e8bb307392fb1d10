"""Requests of a run: what is no goal is refused in words, and Ctrl-C keeps the record so far."""

from __future__ import annotations

import pytest

from groundplan import Engine, Request, ground, load_pack, load_scene, parse_goal, run
from groundplan.language.reader import PLAIN, SearchResult
from groundplan.pipeline.hybrid import Cancelled
from groundplan.pipeline.record import PlanAttempt, Record
from groundplan.simulator.belief import Belief
from groundplan.simulator.step import Step
from groundplan.simulator.view import View


@pytest.fixture(scope="module")
def office() -> Belief:
    return ground(load_scene("office"), load_pack())


def test_a_goal_as_text_is_refused_with_the_way_to_read_it(office: Belief) -> None:
    with pytest.raises(TypeError, match=r"goal: expected a Goal, got \(open fridge\) \(str\); parse_goal"):
        Request(office, goal="(open fridge)")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="instruction: expected a str"):
        Request(office, parse_goal("(open fridge)"))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="belief: expected a Belief"):
        Request(load_scene("office"))  # type: ignore[arg-type]


def test_ctrl_c_gives_the_record_so_far(office: Belief) -> None:
    def interrupt(event: object) -> None:
        raise KeyboardInterrupt

    request = Request(office, goal=parse_goal("(open fridge)"), task="a-task")
    with pytest.raises(KeyboardInterrupt) as stopped:
        run(request, Engine.named("pyperplan"), listener=interrupt)
    assert isinstance(stopped.value, Cancelled)
    record = stopped.value.record
    assert (record.outcome, str(record.goal), record.task) == ("cancelled", "(open fridge)", "a-task")
    assert record.exit_code == 130 and record.as_json()["plan"] == []


class Opener:
    """Opens the kitchen, finds the fridge, and cannot write."""

    name, meter, traits = "opener", None, PLAIN

    def search(self, instruction: str, view: View, reason: str = "") -> SearchResult:
        return SearchResult("found", ("fridge",), view.expand("kitchen"))

    def write(self, instruction: str, subgraph: object) -> None:
        raise AssertionError("nothing is to be written")


def test_a_run_that_only_searches_ends_with_what_the_search_chose(office: Belief) -> None:
    request = Request(office, "Where is the fridge?", search_only=True)
    record = run(request, Engine.named("pyperplan"), Opener())  # type: ignore[arg-type]
    assert (record.outcome, record.subgraph, record.exit_code) == ("answered", ("fridge",), 0)
    assert (
        record.opened == ("kitchen",)
        and "fridge" in record.shown
        and "lobby" not in record.shown
        and not record.planned
    )


def test_a_plan_without_a_goal_is_executable_and_never_verified() -> None:
    accepted = PlanAttempt("open it", (Step("open", ("fridge",)),))
    record = Record("executable", attempts=(accepted,))
    assert record.executable and not record.verified and record.plan == accepted.steps
    assert record.as_json()["executable"] is True and record.as_json()["verified"] is False
    for attempts in ((), (PlanAttempt("open it", (), ("refused",)),)):
        with pytest.raises(ValueError, match="accepted"):
            Record("executable", attempts=attempts)
