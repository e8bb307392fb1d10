"""An episode that is cut off anywhere and taken up from its log takes the way of the one that was not cut."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from drawn_worlds import Drawn

from groundplan.acting import Episode, OptimisticNearest, Reported, act_in
from groundplan.acting.log import Entry
from groundplan.compiler.goals.goal import parse_goal
from groundplan.datasets.scenes import load_scene
from groundplan.domains.errors import GoalError
from groundplan.domains.pack import load_pack
from groundplan.engines.engine import Engine
from groundplan.planners.request import Request
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.sensing import Environment, Move, with_hidden
from groundplan.simulator.step import Step

PACK, ENGINE = load_pack(), Engine.named("pyperplan")
OFFICE = ground(load_scene("office"), PACK)
MOVED = ground(OFFICE.scene.changed(change={"orange1": {"parent": "drawer", "relation": "inside_of"}}), PACK)


def begun(belief: Belief, goal: str, still: bool = True, log: Sequence[Entry] = ()) -> Episode:
    request = Request(belief, goal=parse_goal(goal))
    return Episode.resume(request, log, OptimisticNearest(), ENGINE, still=still)


def taken_up(whole: Episode, cut: int, belief: Belief, goal: str) -> Episode:
    """Take up an episode after some entries of its log, with the outcomes that it had."""
    episode = begun(belief, goal, whole.knowledge.still, whole.log[:cut])
    for entry in whole.log[cut:]:
        if isinstance(entry, Reported):
            if entry.step is not None:
                assert episode.next() == entry.step, f"after {cut} entries"
            episode.report(entry.outcome)
    assert episode.next() is None
    return episode


def assert_same(episode: Episode, whole: Episode) -> None:
    assert (episode.finish, episode.trajectory) == (whole.finish, whole.trajectory)
    assert episode.log == whole.log and episode.tries.tidying == whole.tries.tidying


@pytest.mark.parametrize(
    "seeds",
    # In the last two a cut between two entries of one decision would lead to another one.
    [(*range(12), 51, 295), pytest.param(range(12, 200), marks=pytest.mark.slow)],
)
def test_in_drawn_worlds_it_is_taken_up_at_every_entry_of_its_log(seeds: Sequence[int]) -> None:
    looks = 0
    for seed in seeds:
        drawn = Drawn(random.Random(seed))
        goal, move = drawn.goal(), Move(seed % 7, drawn.things[0], "ontop_of", drawn.rooms[0])
        belief, still = drawn.belief(parse_goal(goal)), seed % 3 > 0
        try:
            whole = begun(belief, goal, still)
        except GoalError:  # none for what is known
            continue
        act_in(Environment(drawn.truth, failure=0.3, moves=[] if still else [move], seed=seed), whole)
        looks += len(whole.trajectory.looks)
        for cut in range(1, len(whole.log) + 1):
            assert_same(taken_up(whole, cut, belief, goal), whole)
    assert looks > len(seeds) / 2


@pytest.mark.parametrize(
    ("belief", "world", "goal"),
    [
        # Looks for what is missing; the goal is planned for again when it is in sight.
        (OFFICE, Environment(MOVED, failure=0.3, seed=1), "(and (inside_of orange1 fridge) (closed fridge))"),
        # No plan as long as nothing is seen: all looks are by one assessment of the goal.
        (with_hidden(OFFICE), Environment(OFFICE), "(exists (?b - banana) (holding ?b))"),
        # A plan after which the goal is not sure to hold: the looks that it requires come before.
        (with_hidden(OFFICE), Environment(OFFICE), "(not (exists (?c - carrot) (in_room ?c kitchen)))"),
        # What was opened is given up, and the way is taken that is left.
        (OFFICE, Environment(OFFICE, stuck=[Step("open", ("cabinet3",))]), "(holding apple2)"),
    ],
)
def test_in_an_office_it_is_taken_up_in_the_middle_of_looks(
    belief: Belief, world: Environment, goal: str
) -> None:
    whole = begun(belief, goal)
    act_in(world, whole)
    assert whole.trajectory.looks or whole.tries.excluded.reasons
    for cut in random.Random(goal).sample(range(1, len(whole.log) + 1), 4):
        assert_same(taken_up(whole, cut, belief, goal), whole)


def test_a_hand_that_is_freed_in_the_end_is_freed_whenever_it_was_cut_off() -> None:
    goal = "(sometime (holding banana2))"
    whole = begun(OFFICE, goal)
    act_in(Environment(OFFICE), whole)
    assert [str(fact) for fact in whole.tries.tidying.added] == ["(hand_free)"]
    for cut in range(1, len(whole.log)):
        episode, world = begun(OFFICE, goal, True, whole.log[:cut]), Environment(OFFICE)
        for entry in whole.log[:cut]:
            if isinstance(entry, Reported) and entry.step is not None:
                world.act(entry.step)
        act_in(world, episode)
        assert episode.tries.tidying == whole.tries.tidying and episode.finish == whole.finish
