"""Relaxed reachability and action elimination of the package and of the pyperplan program: both agree."""

from __future__ import annotations

from typing import Any

import pytest
from draws import draws
from golds import TASKS, belief_of, gold_plan
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from oracles.plans import problem_of, written_out
from strategies import beliefs, formulas

from groundplan.compiler.forms import literals
from groundplan.compiler.goals.goal import parse_goal
from groundplan.compiler.normal import normal_form
from groundplan.compiler.pddl import RenderedProblem, render
from groundplan.compiler.problem import build
from groundplan.datasets.task import Task
from groundplan.domains.formula import Atom, conjuncts
from groundplan.domains.pack import load_pack
from groundplan.engines.programs import grounding
from groundplan.engines.programs import pyperplan as program
from groundplan.planners.carrying_out import eliminate_redundant_actions, skeleton_of
from groundplan.planners.proofs.statements import Statements

SETTINGS = draws(60, by_day=20, suppress_health_check=list(HealthCheck))
PACK = load_pack()


@pytest.fixture(scope="module", autouse=True)
def parser() -> None:
    program.preload()


def parsed(rendered: RenderedProblem) -> Any:
    return program.read(rendered.domain, rendered.problem)


@SETTINGS
@given(st.data())
def test_both_say_of_the_same_goals_that_they_cannot_be_reached(data: st.DataObject) -> None:
    belief = data.draw(beliefs(hostile=None, assets=3, objects=3))
    form = normal_form(data.draw(formulas(belief, depth=2)), belief)
    for atom in (a for a, positive in literals(form) if positive):
        if len(set(atom.args)) < len(atom.args):
            continue  # that a thing is not inside itself is said by parameters that differ, not by facts
        problem = build(atom, belief, nearest=None)
        *_, proof = grounding.ground(parsed(render(problem, costs=False)))
        holds = belief.facts.holds(atom.predicate, atom.args)
        ours = not holds and Statements(belief).limited(atom.predicate, atom.args)
        assert (proof is not None) == ours or not problem.complete, (atom, proof, ours)


@pytest.mark.parametrize("task", TASKS, ids=lambda t: t.id)
def test_both_eliminate_the_same_actions(task: Task) -> None:
    """A plan for a whole goal has actions that one of its conjuncts alone does not need."""
    belief, goal = belief_of(task.id), parse_goal(task.gold.goal)
    plan = gold_plan(task.id).plan
    assert plan is not None
    rendered = render(problem_of(goal.formula, belief, plan), costs=False)
    table = rendered.table
    names = [
        str(grounding.GroundAtom(table.actions[name], tuple(table.objects[a] for a in args)))
        for name, *args in written_out(plan, rendered.source)
        if name not in rendered.source.artificial
    ]
    problem = parsed(rendered)
    init = [grounding.GroundAtom(p.name, tuple(o for o, _ in p.signature)) for p in problem.initial_state]
    operators, _ = grounding._reach(problem, dict.fromkeys(init))
    for conjunct in conjuncts(normal_form(goal.formula, belief)):
        if not isinstance(conjunct, Atom):
            continue
        symbols = tuple(table.objects[a] for a in conjunct.args)
        fact = str(grounding.GroundAtom(table.predicates[conjunct.predicate], symbols))
        theirs = grounding.eliminate_redundant_actions(
            names, operators, frozenset(map(str, init)), frozenset([fact])
        )
        scene_plan = rendered.scene_plan(tuple(tuple(name.strip("()").split()) for name in theirs))
        ours = eliminate_redundant_actions(skeleton_of(plan, belief), conjunct, belief, belief.facts)
        assert ours.actions == skeleton_of(scene_plan, belief).actions, str(conjunct)
