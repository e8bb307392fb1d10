"""Our grounding against pyperplan's own, and every plan against an independent reading of STRIPS."""

import random

import pytest
from pyperplan import grounding as theirs

from groundplan.engines.programs import grounding
from groundplan.engines.programs import pyperplan as pyperplan_process

NAMES = ["left", "right", "up", "down"]


def random_task(rng):
    """A small typed task: static and changing predicates, constants, repeated and free parameters."""
    predicates = {f"p{i}": rng.randint(0, 2) for i in range(5)}
    types = ["thing", "place", "box"]
    declared = "".join(
        f"({name} {' '.join(f'?a{k} - object' for k in range(arity))})" for name, arity in predicates.items()
    )
    objects = {f"o{i}": rng.choice(types) for i in range(rng.randint(2, 5))}

    def atom(terms):
        name = rng.choice(sorted(predicates))
        return f"({' '.join([name, *(rng.choice(terms) for _ in range(predicates[name]))])})"

    actions = ""
    for number in range(rng.randint(1, 5)):
        parameters = [f"?x{k}" for k in range(rng.randint(1, 3))]
        typed = " ".join(f"{p} - {rng.choice([*types, 'object'])}" for p in parameters)
        terms = [*parameters, "fixed"]
        pre = " ".join(atom(terms) for _ in range(rng.randint(0, 3)))
        effects = " ".join(
            atom(terms) if rng.random() < 0.6 else f"(not {atom(terms)})" for _ in range(rng.randint(1, 3))
        )
        actions += (
            f"(:action act{number} :parameters ({typed}) :precondition (and {pre}) :effect (and {effects}))\n"
        )
    domain = f"""(define (domain d) (:requirements :strips :typing) (:types thing place - object box - thing)
        (:constants fixed - thing) (:predicates {declared}) {actions})"""
    terms = [*objects, "fixed"]
    facts = " ".join(sorted({atom(terms) for _ in range(rng.randint(1, 6))}))
    goals = " ".join(sorted({atom(terms) for _ in range(rng.randint(1, 3))}))
    listed = " ".join(f"{name} - {kind}" for name, kind in objects.items())
    problem = f"(define (problem p) (:domain d) (:objects {listed}) (:init {facts}) (:goal (and {goals})))"
    return domain, problem


def reachable(task):
    """Pyperplan's operators that can be reached when nothing is deleted."""
    facts, kept, rest = set(task.initial_state), {}, list(task.operators)
    while ready := [op for op in rest if op.preconditions <= facts]:
        rest = [op for op in rest if not op.preconditions <= facts]
        for op in ready:
            kept[op.name] = op
            facts |= op.add_effects
    return kept, facts


@pytest.mark.parametrize("seed", range(150))
def test_grounding_and_search_agree_with_pyperplans_own(seed):
    pyperplan_process.preload()
    domain, problem = random_task(random.Random(seed))
    parsed = pyperplan_process.read(domain, problem)
    ours, seen = grounding._reach(
        parsed,
        dict.fromkeys(
            grounding.GroundAtom(p.name, tuple(o for o, _ in p.signature)) for p in parsed.initial_state
        ),
    )
    parsed = pyperplan_process.read(domain, problem)
    task = theirs.ground(parsed, remove_statics_from_initial_state=False, remove_irrelevant_operators=False)
    expected, facts = reachable(task)
    assert sorted(operator.name for operator in ours) == sorted(expected)
    assert seen == facts
    for operator in ours:
        same = expected[operator.name]
        assert set(operator.add) - set(operator.pre) == same.add_effects
        assert set(operator.delete) == same.del_effects

    answers = {}
    for search in ("auto", "bfs", "gbfs", "astar"):
        parsed = pyperplan_process.read(domain, problem)
        answer = pyperplan_process.solve(parsed, search)
        answers[search] = answer["plan"]
        if answer["plan"] is None:
            assert answer["proof"]
            continue
        state = set(task.initial_state)
        for step in answer["plan"]:
            operator = expected[f"({' '.join(step)})"]
            assert operator.applicable(state)
            state = operator.apply(state)
        assert task.goal_reached(state)
    assert len({plan is None for plan in answers.values()}) == 1


def test_a_plan_is_shortened_to_what_the_goal_needs():
    step = grounding.Ground
    operators = [
        step("(a)", ("p",), ("q",), ("p",)),
        step("(back)", ("q",), ("p",), ("q",)),
        step("(aside)", ("p",), ("r",), ()),
        step("(goal)", ("q",), ("g",), ()),
    ]
    plan = ["(aside)", "(a)", "(back)", "(a)", "(goal)"]
    assert grounding.eliminate_redundant_actions(plan, operators, frozenset({"p"}), frozenset({"g"})) == [
        "(a)",
        "(goal)",
    ]
