"""Every engine on tasks with known answers; results that cannot be held wrongly; names, what is missing."""

import dataclasses
import re
import time
from pathlib import Path

import pytest

from groundplan.domains.ending import Ending
from groundplan.domains.errors import InputError
from groundplan.engines import registry as engines
from groundplan.engines.base import Budget, PddlText, TextEngine, TextResult
from groundplan.engines.fast_downward import FastDownward, read_plan
from groundplan.engines.pyperplan import Pyperplan
from groundplan.engines.registry import available_engines, get_engine
from groundplan.engines.unified import Unified
from groundplan.engines.worker import Worker

NATIVE = ["pyperplan", "fast-downward", "fast-downward-opt"]
BUDGET = Budget(seconds=30)

SWITCH = """(define (domain switch) (:requirements :strips)
  (:predicates (left) (right) (charged) (far))
  (:action go_left :parameters () :precondition (and (charged)) :effect (and (left) (not (charged))))
  (:action go_right :parameters () :precondition (and (charged)) :effect (and (right) (not (charged)))))"""


def switch(goal):
    return PddlText(SWITCH, f"(define (problem p) (:domain switch) (:init (charged)) (:goal {goal}))")


def household(costs=False, items=1):
    """Chill what is in the cabinets, put it on the desks, leave the fridge closed; the pack's own domain."""
    domain = (Path(engines.__file__).parents[1] / "domains" / "household" / "domain.pddl").read_text()
    places = ["room1", "fridge"] + [f"{kind}{i}" for i in range(items) for kind in ("cabinet", "desk")]
    init = ["(stands_at room1)", "(hand_free)", "(chills fridge)"]
    for asset in places[1:]:
        if asset.startswith("desk"):
            init += [f"(can_release {asset})", f"(surface {asset})", f"(unclosed {asset})"]
        else:
            init += [
                f"({word} {asset})"
                for word in "closed can_open can_close can_release container free_door".split()
            ]
    for i in range(items):
        init += [f"(inside_of item{i} cabinet{i})", f"(can_pickup item{i})"]
    metric = ""
    if costs:
        init += ["(= (total-cost) 0)"]
        init += [
            f"(= (distance {a} {b}) {1000 * abs(i - j)})"
            for i, a in enumerate(places)
            for j, b in enumerate(places)
            if i != j
        ]
        metric = "(:metric minimize (total-cost))"
    else:
        domain = re.sub(r"\(:functions.*?\)\s*\(distance[^)]*\)\)", "", domain, flags=re.S)
        domain = re.sub(r"\(increase \(total-cost\) (\([^()]*\)|\d+)\)", "", domain).replace(
            ":action-costs", ""
        )
    goal = [f"(cold item{i}) (ontop_of item{i} desk{i})" for i in range(items)]
    objects = (
        f"room1 - room {' '.join(places[1:])} - asset {' '.join(f'item{i}' for i in range(items))} - item"
    )
    problem = f"""(define (problem p) (:domain household) (:objects {objects}) (:init {" ".join(init)})
        (:goal (and {" ".join(goal)} (closed fridge))) {metric})"""
    return PddlText(domain, problem)


@pytest.mark.parametrize("name", NATIVE)
def test_an_errand_is_solved(name):
    engine = get_engine(name)
    result = engine.solve_text(household(engine.supports_costs), BUDGET)
    assert result.ending is Ending.SOLVED
    assert result.engine == name
    assert result.reproducible
    assert result.plan is not None
    assert ("pickup_inside", "item0", "cabinet0") in result.plan
    match name:
        case "pyperplan":
            assert len(result.plan) == 13  # the fewest that there can be
            assert (result.cost, result.bound, result.optimal) == (None, None, False)
        case "fast-downward":
            assert result.cost is not None and result.cost >= 5800 and not result.optimal
        case "fast-downward-opt":
            drives = sum(step[0] == "goto" for step in result.plan)
            events = sum(step[0] == "chill" for step in result.plan)
            manipulations = len(result.plan) - drives - events
            assert result.optimal and result.bound == result.cost == 5000 + 100 * manipulations


@pytest.mark.parametrize("name", NATIVE)
@pytest.mark.parametrize("goal, proof", [("(and (left) (right))", "exhausted"), ("(far)", "rea|solution")])
def test_unsolvable_comes_with_its_proof(name, goal, proof):
    result = get_engine(name).solve_text(switch(goal), BUDGET)
    assert result.ending is Ending.UNSOLVABLE
    assert result.plan is None
    assert re.search(proof, result.proof or "")
    assert result.reproducible


@pytest.mark.parametrize("name", NATIVE)
@pytest.mark.parametrize("goal", ["(charged)", "(and)"])
def test_nothing_to_do_is_a_plan(name, goal):
    result = get_engine(name).solve_text(switch(goal), BUDGET)
    assert result.ending is Ending.SOLVED
    assert result.plan == ()


@pytest.mark.parametrize("name", NATIVE)
@pytest.mark.parametrize(
    "domain",
    [
        "",
        "(define",
        SWITCH[:-30],
        SWITCH.replace("(left)", "(left ?x)"),
        SWITCH.replace(":action go_left", ":act"),
    ],
)
def test_broken_text_is_told_and_does_not_raise(name, domain):
    result = get_engine(name).solve_text(PddlText(domain, switch("(left)").problem), BUDGET)
    assert result.ending in (Ending.CRASHED, Ending.UNSUPPORTED)
    assert result.detail


@pytest.mark.parametrize("name", NATIVE)
def test_a_hundred_thousand_brackets_do_not_hurt(name):
    for problem in ("(" * 100_000, "(" * 100_000 + ")" * 100_000):
        result = get_engine(name).solve_text(PddlText(SWITCH, problem), BUDGET)
        assert result.ending in (Ending.CRASHED, Ending.UNSUPPORTED)
    assert get_engine(name).solve_text(switch("(left)"), BUDGET).plan == (("go_left",),)


def test_what_pyperplan_does_not_know_is_unsupported():
    result = Pyperplan().solve_text(household(costs=True), BUDGET)
    assert result.ending is Ending.UNSUPPORTED
    assert (
        "functions" in result.detail and "disjunctions" not in result.detail
    )  # "or" stands in a comment only
    negative = switch("(not (charged))")
    assert Pyperplan().solve_text(negative, BUDGET).ending is Ending.UNSUPPORTED
    assert FastDownward().solve_text(negative, BUDGET).ending is Ending.SOLVED
    either = switch("(or (left) (right))")
    assert FastDownward().solve_text(either, BUDGET).ending is Ending.SOLVED
    assert FastDownward("fast-downward-opt").solve_text(either, BUDGET).ending is Ending.UNSUPPORTED


@pytest.mark.parametrize("name", NATIVE)
def test_the_same_text_gives_the_same_result_in_another_worker(name):
    text = household(get_engine(name).supports_costs, items=2 if name != "fast-downward-opt" else 1)
    found = set()
    for _ in range(3):
        worker = Worker()
        engine = Pyperplan(worker=worker) if name == "pyperplan" else FastDownward(name, worker)
        result = engine.solve_text(text, BUDGET)
        worker.close()
        found.add((result.plan, result.cost, result.detail))
    assert len(found) == 1


@pytest.mark.parametrize("search", ["auto", "bfs", "gbfs", "astar"])
def test_searches_of_pyperplan_agree_on_what_is_solvable(search):
    engine = Pyperplan(search)
    assert engine.solve_text(household(), BUDGET).ending is Ending.SOLVED
    assert engine.solve_text(switch("(and (left) (right))"), BUDGET).ending is Ending.UNSOLVABLE
    with pytest.raises(ValueError, match="no search"):
        Pyperplan("depth-first")


@pytest.mark.parametrize("name", NATIVE)
def test_many_tasks_at_once(name):
    engine = get_engine(name)
    goals = ["(left)", "(and (left) (right))", "(right)", "(charged)"]
    results = engine.solve_many([switch(goal) for goal in goals], BUDGET)
    assert [result.plan for result in results] == [(("go_left",),), None, (("go_right",),), ()]
    assert engine.solve_many([], BUDGET) == []


@dataclasses.dataclass
class OneAtATime(TextEngine):
    """An engine that takes its time and solves one task per call."""

    name: str = "one at a time"
    supports_costs: bool = False
    seconds: list[float] = dataclasses.field(default_factory=list)

    def solve_text(self, text, budget):
        self.seconds.append(budget.seconds)
        time.sleep(0.1)
        return TextResult(Ending.NOT_FOUND)


def test_an_engine_that_solves_one_task_at_a_time_shares_the_seconds_of_a_batch():
    engine = OneAtATime()
    results = engine.solve_many([switch("(left)")] * 4, Budget(seconds=0.15))
    assert 0.1 < engine.seconds[0] <= 0.15
    assert all(seconds < 0.06 for seconds in engine.seconds[1:])
    assert results[-1].ending is Ending.TIMED_OUT and len(engine.seconds) < len(results) == 4


TRACK = """(define (domain track) (:requirements :strips :action-costs)
  (:predicates (at_a) (at_b) (at_c) (clear) {more})
  (:functions (total-cost) - number)
  (:action a_to_b :parameters () :precondition (and (at_a))
    :effect (and (at_b) (not (at_a)) (increase (total-cost) 3)))
  (:action b_to_c :parameters () :precondition (and (at_b))
    :effect (and (at_c) (not (at_b)) (increase (total-cost) 3)))
  (:action sweep_b :parameters ()
    :effect (and (clear) (not (at_b)) {effect} (increase (total-cost) 1))))"""


def track(goal, more="", effect=""):
    problem = f"(define (problem p) (:domain track) (:init (at_a) (= (total-cost) 0)) (:goal {goal})"
    return PddlText(TRACK.format(more=more, effect=effect), f"{problem} (:metric minimize (total-cost)))")


@pytest.mark.parametrize(
    ("goal", "plan", "cost"),
    [
        ("(and (clear) (at_b))", (("sweep_b",), ("a_to_b",)), 4),  # swept later, b would be empty
        ("(and (clear) (at_a))", (("sweep_b",),), 1),
        ("(and (clear) (at_a) (at_b))", None, None),
    ],
)
def test_what_an_action_deletes_without_needing_it_is_planned_for_to_proof(goal, plan, cost):
    """Such an action has conditional effects where the translator puts the three places into one variable."""
    result = get_engine("fast-downward-opt").solve_text(track(goal), BUDGET)
    assert (result.plan, result.cost, result.bound, result.optimal) == (plan, cost, cost, plan is not None)
    assert result.ending is (Ending.UNSOLVABLE if plan is None else Ending.SOLVED)


def test_effects_under_a_condition_of_their_own_stay_unsupported_where_a_proof_is_asked_for():
    text = track("(and (clear) (seen))", "(seen)", "(when (at_a) (seen))")
    assert get_engine("fast-downward-opt").solve_text(text, BUDGET).ending is Ending.UNSUPPORTED
    assert get_engine("fast-downward").solve_text(text, BUDGET).plan == (("sweep_b",),)


def test_a_plan_file_that_was_cut_off_is_no_plan():
    assert read_plan("(a B c)\n(d)\n; cost = 12 (general cost)\n") == ((("a", "b", "c"), ("d",)), 12)
    assert read_plan("; cost = 0 (unit cost)\n") == ((), 0)
    assert read_plan("(a b c)\n(d") == (None, None)


@pytest.mark.parametrize(
    "fields",
    [
        {"ending": Ending.SOLVED},
        {"ending": Ending.TIMED_OUT, "plan": (), "reproducible": False},
        {"ending": Ending.UNSOLVABLE},
        {"ending": Ending.UNSOLVABLE, "proof": ""},
        {"ending": Ending.NOT_FOUND, "proof": "exhausted search"},
        {"ending": Ending.SOLVED, "plan": (), "optimal": True},
        {"ending": Ending.SOLVED, "plan": (), "cost": 3, "optimal": True},
        {"ending": Ending.SOLVED, "plan": (), "cost": 3, "bound": 2, "optimal": True},
        {"ending": Ending.SOLVED, "plan": (), "cost": 3, "bound": 4},
        {"ending": Ending.TIMED_OUT},
    ],
)
def test_a_result_cannot_be_held_wrongly(fields):
    with pytest.raises(ValueError):
        TextResult(**fields)


@pytest.mark.parametrize(
    "limits", [{"seconds": 0}, {"seconds": -1}, {"seconds": float("nan")}, {"memory_mb": 0}]
)
def test_a_budget_is_positive(limits):
    with pytest.raises(ValueError):
        Budget(**limits)


def test_an_engine_that_is_not_installed_says_what_to_type(monkeypatch):
    monkeypatch.setattr(engines.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r'pip install "groundplan\[fd\]"'):
        get_engine("fast-downward")
    assert not any(info.installed for info in available_engines())


def test_engines_are_listed_with_version_and_licence():
    listed = {info.name: info for info in available_engines()}
    assert listed["pyperplan"].installed and listed["pyperplan"].version
    assert "GPL" in listed["fast-downward"].licence
    assert listed["fast-downward-opt"].install == 'pip install "groundplan[fd]"'
    assert [info.installed for info in available_engines()] == sorted(
        (info.installed for info in available_engines()), reverse=True
    )


def test_an_unknown_name_is_answered_with_the_nearest():
    with pytest.raises(InputError, match="fast-downward") as caught:
        get_engine("fast-downwrd")
    assert "groundplan[fd]" in caught.value.hint


def test_any_engine_of_unified_planning_by_its_name():
    by_length = get_engine("pyperplan-opt").solve_text(household(), Budget(seconds=60))
    assert by_length.ending is Ending.SOLVED and len(by_length.plan or ()) == 13
    by_cost = Unified("fast-downward-opt").solve_text(household(costs=True), Budget(seconds=60))
    ours = get_engine("fast-downward-opt").solve_text(household(costs=True), BUDGET)
    assert (by_cost.cost, by_cost.optimal) == (ours.cost, True)


def test_unified_planning_says_what_it_cannot_do():
    budget = Budget(seconds=60)
    assert Unified("nosuch").solve_text(switch("(left)"), budget).ending is Ending.UNSUPPORTED
    costs = Unified("pyperplan-opt").solve_text(household(costs=True), budget)
    assert costs.ending is Ending.UNSUPPORTED and "cost" in costs.detail
    broken = Unified("pyperplan-opt").solve_text(PddlText(SWITCH[:-20], switch("(left)").problem), budget)
    assert broken.ending is Ending.CRASHED and "read" in broken.detail
    hasty = Unified("pyperplan-opt").solve_text(switch("(left)"), Budget(seconds=0.2))
    assert hasty.ending is Ending.TIMED_OUT


def test_engines_that_know_no_costs_are_not_given_any():
    """Also one that is not in our list: unified-planning is asked what it knows."""
    listed = get_engine("pyperplan-opt")
    looked_up = get_engine("oversubscription[fast-downward]")
    assert not listed.supports_costs and not looked_up.supports_costs
    assert get_engine("fast-downward").supports_costs


def test_a_batch_gives_what_single_calls_give():
    """Easy tasks share a child; a hard one, a broken one and an unknown feature do not harm the others."""
    texts = [
        household(),
        household(items=2),
        switch("(and (left) (right))"),
        PddlText(SWITCH[:-20], switch("(left)").problem),
        household(costs=True),
        switch("(left)"),
        PddlText(SWITCH, "(" * 50_000),
    ]
    engine = Pyperplan()
    together = engine.solve_many(texts, BUDGET)
    alone = [engine.solve_text(text, BUDGET) for text in texts]
    assert [(r.ending, r.plan, r.proof, r.detail) for r in together] == [
        (r.ending, r.plan, r.proof, r.detail) for r in alone
    ]
    assert len(together[1].plan or ()) > 20
