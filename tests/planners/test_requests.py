"""Requests of a run: what is no goal is refused in words, and Ctrl-C keeps the record so far."""

from __future__ import annotations

import pytest

from groundplan import Engine, Request, ground, load_pack, load_scene, parse_goal, run
from groundplan.planners.hybrid import Cancelled
from groundplan.simulator.belief import Belief


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
    assert (record.outcome, record.goal, record.task) == ("cancelled", "(open fridge)", "a-task")
    assert record.exit_code == 130 and record.as_json()["plan"] == []
