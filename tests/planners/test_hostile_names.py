"""Names that break parsers go unharmed through unified-planning's reader, both engines and VAL."""

from __future__ import annotations

from functools import cache

import pytest
from draws import draws
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from oracles.plans import assert_same_for_unified, both_accept, problem_of
from oracles.worlds import new_facts
from strategies import HOSTILE, actions, beliefs, household

from groundplan.compiler.goals.goal import Goal
from groundplan.compiler.normal import normal_form
from groundplan.compiler.pddl import render
from groundplan.compiler.problem import build
from groundplan.compiler.symbols import MAX_LENGTH, SymbolTable, symbols
from groundplan.domains.ending import Ending
from groundplan.domains.formula import And, Atom
from groundplan.engines.base import Budget
from groundplan.engines.engine import Engine
from groundplan.planners.classical import plan_goal
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.scene import Link, Node, Scene
from groundplan.simulator.step import read_step
from groundplan.simulator.world import World


@cache
def engine(name: str) -> Engine:
    return Engine.named(name)


@cache
def world_of_odd_names() -> Belief:
    """Every hostile name once: some rooms and cupboards, the rest things."""
    names = list(HOSTILE)
    rooms = ["define", "a b", "Fridge", "x" * 10_000]
    shelves = ["open", "1", "fridge", "a) (goal", "object", "ı"]
    things = [n for n in names if n not in rooms + shelves]
    nodes = [Node(r, "room", classes=("room",)) for r in rooms]
    nodes += [
        Node(s, "asset", rooms[i % 4], "in", ("fridge",), ("open", "close", "release"), ("closed",))
        for i, s in enumerate(shelves)
    ]
    nodes += [
        Node(t, "object", shelves[i % 6], "inside_of", ("item",), ("pickup",)) for i, t in enumerate(things)
    ]
    nodes.append(Node("agent!", "agent", at="define"))
    links = tuple(Link("define", r, 1.5) for r in rooms[1:])
    return ground(Scene("odd", {n.id: n for n in nodes}, links), household())


def things_and_places(belief: Belief) -> list[str]:
    return [n.id for n in belief.scene.nodes.values() if n.type != "agent"]


@pytest.mark.parametrize("name", ["pyperplan", "fast-downward"])
def test_plans_over_odd_names_come_back_in_scene_names(name: str) -> None:
    belief = world_of_odd_names()
    things = [n.id for n in belief.scene.nodes.values() if n.type == "object"]
    for thing, target in (("and", "1"), ("K31X", "a) (goal"), ('"quoted"', "object"), ("x" * 10_001, "ı")):
        assert thing in things
        goal = Goal.of(Atom("inside_of", (thing, target)))
        planned = plan_goal(goal, belief, engine(name))
        assert planned.ending is Ending.SOLVED
        assert planned.verified
        assert {a for p in planned.plan for a in p.args} <= set(belief.scene.nodes)
        assert [read_step(str(s), "here") for s in planned.steps] == list(planned.steps)
        both_accept(goal.formula, belief, planned.plan)


def test_a_problem_with_every_odd_name_is_read_back_the_same() -> None:
    belief = world_of_odd_names()
    problem = build(Atom("inside_of", ("and", "1")), belief, extra=things_and_places(belief))
    text = render(problem)
    assert text.domain.isascii() and text.problem.isascii()
    assert_same_for_unified(problem)
    assert in_scene_names(text.table, problem.navigation)[1:] == tuple(dict(problem.objects))
    for name in ("pyperplan", "fast-downward"):
        result = engine(name).solve(problem, Budget(30))
        assert result.ending is Ending.SOLVED
        assert result.plan is not None
        assert result.plan[-1].args == ("and", "1")


@draws(12, by_day=4, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_random_worlds_with_odd_names_are_the_same_problem_for_every_tool(data: st.DataObject) -> None:
    belief = data.draw(beliefs(hostile=True))
    world = World(belief)
    for _ in range(3):
        action = data.draw(actions(belief, world))
        if len(set(action.args)) == len(action.args):
            world.perform(action)
    new = [a for a in new_facts(world) if a.predicate in belief.pack.mapping.goal_predicates]
    goal = And(tuple(new[:2]))
    problem = build(normal_form(goal, belief), belief)
    for costs in (True, False):
        assert_same_for_unified(problem, costs)
    for name in ("pyperplan", "fast-downward"):
        planned = plan_goal(Goal.of(goal), belief, engine(name))
        assert planned.verified
        both_accept(goal, belief, planned.plan)


def in_scene_names(table: SymbolTable, action: str) -> tuple[str, ...]:
    """Return what a step with every object becomes in symbols, shouted, and in names again."""
    return table.scene_names([(table.actions[action].upper(), *map(str.upper, table.objects.values()))])[0]


NAMES = st.lists(st.one_of(st.sampled_from(HOSTILE), st.text(min_size=1, max_size=6)), max_size=12)


@draws(200)
@given(NAMES, NAMES, NAMES, NAMES)
def test_the_symbol_table_is_one_to_one(
    types: list[str], predicates: list[str], acts: list[str], objects: list[str]
) -> None:
    table = symbols(types, predicates, acts, objects)
    chosen = [
        *table.types.values(),
        *table.predicates.values(),
        *table.actions.values(),
        *table.objects.values(),
    ]
    assert len(set(chosen)) == len(chosen)
    for symbol in chosen:
        assert symbol == symbol.lower()
        assert symbol.replace("_", "").replace("-", "").isalnum()
        assert symbol.isascii()
        assert symbol[0].isalpha()
        assert len(symbol) <= MAX_LENGTH + 10
    assert table.actions.keys() == set(acts)
    assert table.objects.keys() == set(objects)
    assert {in_scene_names(table, action) for action in acts} == {(action, *table.objects) for action in acts}
    again = symbols(reversed(types), reversed(predicates), reversed(acts), reversed(objects))
    assert again == table


def test_many_names_with_one_spelling_stay_apart() -> None:
    names = ["苹" * (i + 1) for i in range(300)]
    table = symbols((), (), (), names)
    assert table.scene_names([]) == []
    assert len(set(table.objects.values())) == 300


def test_problem_of_keeps_the_names_of_a_plan() -> None:
    belief = world_of_odd_names()
    goal = Atom("inside_of", ("and", "1"))
    planned = plan_goal(Goal.of(goal), belief, engine("pyperplan"))
    kept = {n for n, _ in problem_of(goal, belief, planned.plan).objects}
    assert {a for p in planned.plan for a in p.args} <= kept
