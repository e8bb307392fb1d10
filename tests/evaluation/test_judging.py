"""Judgement of plans and searches on cases made by hand, one for each rule."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from groundplan import find_task, load_pack, read_steps
from groundplan.acting import Trajectory
from groundplan.compiler.goals.goal import Missing, parse_goal
from groundplan.datasets.library import load_set
from groundplan.evaluation.judging import JudgedTask, invented_names, judge_plan, judge_run
from groundplan.evaluation.searching import SearchGold, judge_search
from groundplan.language.reader import Unreadable
from groundplan.pipeline.record import PlanAttempt, Record, Round

REFRIGERATE = "office-planning-simple-02"
TO_KITCHEN = [f"goto({p})" for p in ("pose13", "pose14", "pose23", "pose24", "pose25", "kitchen")]
FETCH = [*TO_KITCHEN, "access(kitchen_bench)", "pickup(orange1)", "access(fridge)", "open(fridge)"]


@cache
def case(task_id: str) -> JudgedTask:
    return JudgedTask.of(find_task(task_id), load_pack())


def plan_of(*lines: str) -> Record:
    """Return a record of a method that wrote a plan; what it says of the plan is not to matter."""
    return Record("rejected", attempts=(PlanAttempt("", read_steps("\n".join(lines)), ("refused",)),))


def judged(task_id: str, *lines: str):
    return judge_plan(plan_of(*lines), case(task_id))


def test_a_plan_that_does_all_is_a_success_by_every_measure() -> None:
    result = judged(REFRIGERATE, *FETCH, "release(orange1)", "close(fridge)")
    assert (result.executable, result.intent, result.intent_skip) == (True, True, True)
    assert (result.success, result.success_asked, result.steps) == (True, True, 12)
    # 32.841 m of driving, and the effort of four actions, 0.1 m each
    assert result.cost == pytest.approx(33.241) and result.inserted == result.skipped == 0


def test_a_door_that_nobody_asked_for_costs_only_the_tidy_measure() -> None:
    result = judged(REFRIGERATE, *FETCH, "release(orange1)")
    assert (result.executable, result.success, result.success_asked) == (True, False, True)


def test_a_plan_that_can_be_carried_out_and_misses_the_goal() -> None:
    result = judged(REFRIGERATE, *FETCH)
    assert result.executable and not (result.success or result.success_asked or result.intent)


def test_a_plan_is_held_against_each_part_of_the_gold() -> None:
    """After a plan in full, up to the step that is refused, and without a plan."""
    outside, ajar = (
        "(inside_of orange1 fridge) does not hold at the end: orange1 is not inside fridge",
        "(closed fridge) does not hold at the end: fridge is not closed",
    )
    assert judged(REFRIGERATE, *FETCH, "release(orange1)", "close(fridge)").unmet == ()
    assert judged(REFRIGERATE, *FETCH, "release(orange1)").unmet == (ajar,)
    assert judge_plan(Record("not-found"), case(REFRIGERATE)).unmet == (f"{outside}; it is at kitchen_bench",)
    held = f"{outside}; the robot still holds it"
    assert judged(REFRIGERATE, *FETCH, "pickup(unicorn)").unmet == (held, ajar)


def test_a_missing_step_costs_success_and_not_intent() -> None:
    lines = [
        line for line in (*FETCH, "release(orange1)", "close(fridge)") if line != "access(kitchen_bench)"
    ]
    result = judged(REFRIGERATE, *lines)
    assert (result.executable, result.success, result.success_asked) == (False, False, False)
    assert (result.intent, result.inserted, result.skipped) == (True, 1, 0)
    assert (result.intent_skip, result.left_out, result.cost) == (False, 2, None)


def test_a_superfluous_step_that_is_refused_costs_neither_intent() -> None:
    result = judged(REFRIGERATE, "pickup(unicorn)", *FETCH, "release(orange1)", "close(fridge)")
    assert (result.executable, result.success, result.intent, result.intent_skip) == (
        False,
        False,
        True,
        True,
    )
    assert (result.skipped, result.left_out) == (1, 1)


def test_what_was_done_is_judged_and_not_the_plan_that_was_left() -> None:
    """A run that acts ends with the plan from where it was last made, which has no step when all is done."""
    steps = read_steps("\n".join([*FETCH, "release(orange1)", "close(fridge)"]))
    done = Record("executable", attempts=(PlanAttempt("", ()),), trajectory=Trajectory(steps))
    assert judge_plan(done, case(REFRIGERATE)) == judge_plan(plan_of(*map(str, steps)), case(REFRIGERATE))
    assert not judge_plan(replace(done, trajectory=Trajectory(steps[:-2])), case(REFRIGERATE)).success
    assert not judge_plan(Record("not-found", trajectory=Trajectory(steps)), case(REFRIGERATE)).executable


def test_no_plan_is_no_success_and_an_empty_one_may_be() -> None:
    assert judge_plan(Record("not-found"), case(REFRIGERATE)).executable is False
    held = case(REFRIGERATE)
    done = replace(
        held, task=replace(held.task, gold=replace(held.task.gold, goal="(closed fridge)", requested=""))
    )
    nothing = judge_plan(Record("executable", attempts=(PlanAttempt("", ()),)), done)
    assert (nothing.executable, nothing.success, nothing.cost, nothing.steps) == (True, True, 0.0, 0)
    refused = Record("rejected", attempts=(PlanAttempt("I am done", (), ("the answer has no plan",)),))
    assert judge_plan(refused, done) == judge_plan(Record("not-found"), done)


def test_what_a_method_says_of_its_plan_does_not_matter() -> None:
    """A plan that its method thinks refused is judged by the simulator, and so is one that it thinks good."""
    good = read_steps("\n".join([*FETCH, "release(orange1)", "close(fridge)"]))
    bad = read_steps("open(fridge)")
    for feedback in ((), ("no",)):
        record = Record("rejected", attempts=(PlanAttempt("", good, feedback),))
        assert judge_plan(record, case(REFRIGERATE)).success
    assert not judge_plan(
        Record("executable", attempts=(PlanAttempt("", bad),)), case(REFRIGERATE)
    ).executable


def test_names_that_the_scene_does_not_have_are_found_in_goals_plans_and_notes() -> None:
    belief = case(REFRIGERATE).belief
    goals = (
        Round(parse_goal("(and (open fridge7) (closed fridge))")),
        Round(Unreadable("no goal at all", "no")),
        Round(Missing("a cat")),
    )
    steps = read_steps("access(bench9)\npickup(orange1)\npickup(fridge7)")
    record = Record("rejected", goals=goals, attempts=(PlanAttempt("", steps),), invented=("room_x",))
    assert invented_names(record, belief) == ("room_x", "fridge7", "bench9")
    assert invented_names(Record("not-found"), belief) == ()


# Searches


def found(task_id: str, opened: list[str], chosen: list[str], outcome: str = "answered") -> Record:
    """Return the record of a search that opened some rooms and chose some nodes."""
    scene = case(task_id).belief.scene
    shown = tuple(node for room in opened for node in scene.descendants(room))
    return Record(outcome, opened=tuple(opened), shown=shown, subgraph=tuple(chosen))


@pytest.mark.parametrize(
    ("number", "opened", "chosen", "success", "answered", "precision"),
    [
        ("simple-02", ["kitchen"], ["carrot"], True, True, 1.0),
        ("simple-02", ["lobby", "kitchen"], ["carrot"], True, True, 0.5),
        ("simple-02", ["lobby"], [], False, False, 0.0),
        ("simple-02", ["kitchen"], ["fridge"], True, False, 1.0),
        # any of seven offices will do, and it must have been looked into
        ("simple-11", ["tobis_office"], ["tobis_office"], True, True, 1.0),
        ("simple-11", [], ["tobis_office"], False, True, None),
        # an asset's answer: the nearest of two things needs both rooms
        ("complex-13", ["admin"], ["fireextinguisher2"], False, True, 1.0),
        ("complex-13", ["admin", "postdoc_bay1"], ["fireextinguisher2"], True, True, 1.0),
        # distances between rooms are in the collapsed scene
        ("complex-14", [], ["meeting_room3"], True, True, None),
    ],
)  # fmt: skip
def test_a_search_is_judged_by_what_it_showed(
    number: str, opened: list[str], chosen: list[str], success: bool, answered: bool, precision: float | None
) -> None:
    task_id = f"office-search-{number}"
    result = judge_run(found(task_id, opened, chosen), case(task_id))
    assert (result.success, result.answered, result.precision) == (success, answered, precision)
    assert (result.opened, result.rooms) == (len(opened), 37)


def test_an_answer_that_does_not_exist_needs_every_room_in_question_and_saying_so() -> None:
    task_id = "office-search-complex-15"  # in one of two offices, and in neither
    both, one = ["filipes_office", "tobis_office"], ["tobis_office"]
    held = case(task_id)
    for opened, outcome, chosen, success, answered in (
        (both, "search-exhausted", [], True, True),
        (both, "answered", [], True, True),
        (both, "answered", ["desk37"], False, False),
        (one, "search-exhausted", [], False, True),
        (both, "not-understood", [], False, False),
    ):
        result = judge_run(found(task_id, opened, chosen, outcome), held)
        assert (result.success, result.answered) == (success, answered), (opened, outcome, chosen)


def test_an_answer_is_right_without_others_beside_it_and_openings_are_counted() -> None:
    task_id = "office-search-simple-09"  # the PhD bay with a drone in it: phd_bay3
    bays = ["phd_bay1", "phd_bay2", "phd_bay3"]
    for chosen, answered, right in (
        (["phd_bay3"], True, True),
        (["phd_bay3", "drone1", "desk9"], True, True),
        (["phd_bay3", "phd_bay1"], True, False),
        (["phd_bay1"], False, False),
    ):
        trace = tuple({"command": "expand", "node": bay, "tokens": 1} for bay in (*bays, "phd_bay1"))
        result = judge_run(replace(found(task_id, bays, chosen), trace=trace), case(task_id))
        assert (result.answered, result.answer_right, result.repeated) == (answered, right, 1), chosen


def test_a_search_that_failed_after_showing_the_answer_is_none() -> None:
    task_id = "office-search-simple-02"
    record = found(task_id, ["kitchen"], ["carrot"], "service-failed")
    result = judge_search(record, case(task_id).task, case(task_id).belief)
    assert not result.success and not result.answered


@pytest.mark.parametrize(
    ("task_id", "rooms"),
    [
        ("office-search-complex-12", ["meeting_room1", "meeting_room2", "meeting_room3", "meeting_room4"]),
        ("home-search-complex-15", ["closet0", "closet1"]),
    ],
)
def test_the_rooms_that_a_question_ranges_over(task_id: str, rooms: list[str]) -> None:
    held = case(task_id)
    assert list(SearchGold(held.task, held.belief).ranged) == rooms


def test_comparing_needs_the_rooms_of_all_that_are_compared() -> None:
    held = case("home-search-complex-10")  # the bathroom with the most plants
    gold = SearchGold(held.task, held.belief)
    assert list(gold.rooms_of(held.task.gold.answers)) == [f"bathroom{i}" for i in range(5)]


@pytest.mark.parametrize(
    "task", [t for s in ("office-search", "home-search") for t in load_set(s)], ids=lambda t: t.id
)
def test_opening_all_rooms_shows_every_answer_and_opening_fewer_never_more(task) -> None:
    held = case(task.id)
    rooms = held.belief.scene.by_type["room"]
    chosen = list(task.gold.answers)
    outcome = "answered" if chosen else "search-exhausted"
    full = judge_run(found(task.id, list(rooms), chosen, outcome), held)
    none = judge_run(found(task.id, [], chosen, outcome), held)
    assert full.success and full.needed <= full.opened == len(rooms)
    assert none.success == (none.needed == 0) and none.precision is None
