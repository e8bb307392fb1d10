"""Limit of the states that an engine expands: exact, over all problems of a run, and the same everywhere."""

from __future__ import annotations

import pytest

from groundplan.acting import Episode, act_in
from groundplan.acting.acting import result_in
from groundplan.compiler.goals.goal import parse_goal
from groundplan.compiler.pddl import compile_goal
from groundplan.datasets.scenes import load_scene
from groundplan.domains.ending import Ending
from groundplan.domains.errors import InputError
from groundplan.domains.pack import load_pack
from groundplan.engines.base import Budget, PddlText
from groundplan.engines.engine import Engine
from groundplan.engines.pyperplan import SEARCHES, Pyperplan
from groundplan.methods import Limits
from groundplan.planners.classical import plan_goal
from groundplan.planners.request import Request
from groundplan.simulator.belief import ground
from groundplan.simulator.sensing import Environment, with_hidden

BELIEF = ground(load_scene("home"), load_pack())


def text_of(goal: str) -> PddlText:
    compiled = compile_goal(parse_goal(goal).formula, BELIEF, costs=False)
    return PddlText(compiled.domain, compiled.problem)


PIECES = ("(turned_on oven0)", "(not (closed fridge0))", "(turned_on dishwasher0)")
TEXTS = [text_of(f"(and {' '.join(PIECES[:count])})") for count in (1, 2, 3)]
"""Problems of growing size."""


@pytest.mark.parametrize("search", SEARCHES)
def test_a_search_ends_at_its_limit_and_not_before(search: str) -> None:
    engine, text = Pyperplan(search), TEXTS[-1]
    free = engine.solve_text(text, Budget())
    needed = free.statistics["expanded"]
    assert free.ending is Ending.SOLVED and needed > 2
    enough = engine.solve_text(text, Budget(expansions=needed))
    assert (enough.plan, enough.statistics) == (free.plan, free.statistics)
    for limit in (1, needed // 2, needed - 1):
        short = engine.solve_text(text, Budget(expansions=limit))
        assert (short.ending, short.reproducible) == (Ending.NOT_FOUND, True)
        assert short.statistics["expanded"] == limit and str(limit) in short.detail


def test_problems_together_count_as_if_one_after_the_other() -> None:
    counts = [Pyperplan().solve_text(text, Budget()).statistics["expanded"] for text in TEXTS]
    for limit in (1, counts[0], counts[0] + 1, sum(counts[:2]), sum(counts) - 1, sum(counts)):
        single, together = (Engine.named("pyperplan").limited_to(limit) for _ in range(2))
        one_by_one = [single.solve_text(text, Budget()).ending for text in TEXTS]
        assert [answer.ending for answer in together._ask(TEXTS, Budget())] == one_by_one, limit
        done = sum(sum(counts[: i + 1]) <= limit for i in range(3))
        assert one_by_one == [Ending.SOLVED] * done + [Ending.NOT_FOUND] * (3 - done)
        assert single.exhausted is together.exhausted is (done < 3)


def test_what_was_answered_before_costs_nothing_again() -> None:
    goal = parse_goal("(not (closed chest0))")
    free = plan_goal(goal, BELIEF, Engine.named("pyperplan"), Budget())
    engine = Engine.named("pyperplan").limited_to(10_000)
    first = plan_goal(goal, BELIEF, engine, Budget())
    spent = engine.expanded
    assert first.steps == free.steps and plan_goal(goal, BELIEF, engine, Budget()).steps == free.steps
    assert engine.expanded == spent and not engine.exhausted


def test_what_was_answered_before_the_limit_is_remembered_after_it() -> None:
    goals = (PIECES[0], f"(and {' '.join(PIECES)})")
    problems = [compile_goal(parse_goal(goal).formula, BELIEF, costs=False).source for goal in goals]
    engine = Engine.named("pyperplan").limited_to(3)
    small, wide = engine.solve_many(problems, Budget())
    assert (small.ending, wide.ending, engine.exhausted) == (Ending.SOLVED, Ending.NOT_FOUND, True)
    assert engine.solve(problems[0], Budget()) == small
    again = engine.solve(problems[1], Budget())
    assert again.ending is Ending.NOT_FOUND and "used up" in again.detail


def test_a_robot_whose_engine_may_not_plan_looks_no_further() -> None:
    """Whatever it saw, there would be no plan; the clock would end its looks, on each machine elsewhere."""
    office = ground(load_scene("office"), load_pack("grasif-looking"))
    request = Request(with_hidden(office, named=["plate"]), goal=parse_goal("(clean plate)"))
    engine = Engine.named("pyperplan").limited_to(1)
    episode, robot = Episode(request, engine=engine), Environment(office)
    act_in(robot, episode)
    assert episode.finish is not None and episode.finish.outcome == "not-found"
    assert "limit of 1 expanded states is used up" in str(episode.finish.reasons)
    assert result_in(robot, episode).reasons == episode.finish.reasons
    assert "plate" in episode.belief.scene.nodes and episode.due is None
    assert episode.belief.scene.nodes["plate"].parent is not None, "it ends when it would plan"


@pytest.mark.parametrize("name", ["fast-downward", "pyperplan-opt"])
def test_an_engine_that_does_not_count_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="limit its seconds, or take pyperplan"):
        Engine.named(name).limited_to(100)
    assert Engine.named(name).limited_to(None).expansions is None


def test_a_limit_is_positive() -> None:
    for wrong in (0, -1):
        with pytest.raises(ValueError, match="positive number of expansions"):
            Limits(expansions=wrong)
        with pytest.raises(ValueError, match="positive number of expansions"):
            Budget(expansions=wrong)
        with pytest.raises(ValueError, match="positive number of expansions"):
            Engine.named("pyperplan").limited_to(wrong)
