"""Mutants of every gold goal: `check` catches what is no possible goal, `diff` what is another goal.

Witnesses are judged by another definition of truth (``oracles.meaning``). The figures of the large run are in
docs/audits.md.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache

import pytest
from oracles.meaning import holds
from oracles.states import State

from groundplan.compiler.comparison.completion import GoalRun
from groundplan.compiler.goals.checker import check
from groundplan.compiler.goals.goal import Goal, parse_goal
from groundplan.compiler.goals.recovery import syntax_errors
from groundplan.datasets.library import load_set
from groundplan.datasets.task import Task
from groundplan.domains.errors import GoalError
from groundplan.domains.formula import And, Formula, Not, conjuncts
from groundplan.domains.pack import load_pack
from groundplan.engines.base import Budget
from groundplan.engines.engine import Engine
from groundplan.planners.goal_diff import diff
from groundplan.planners.proofs.finding import impossible
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.verification import verify_plan
from groundplan.simulator.world import World

SETS = ("office-planning", "grasif-office", "house-planning")
ATOM = re.compile(r"\(([a-z_]+) ([\w.-]+)(?: ([\w.-]+))?\)")
OPPOSITES = {"open": "closed", "turned_on": "turned_off", "inside_of": "ontop_of", "dirty": "clean"}
OPPOSITES |= {second: first for first, second in OPPOSITES.items()}

Mutation = Callable[[str, Belief], str]


@cache
def tasks() -> tuple[Task, ...]:
    return tuple(task for name in SETS for task in load_set(name) if task.gold.goal)


@cache
def belief_of(task: str) -> Belief:
    return ground(next(one for one in tasks() if one.id == task).load(), load_pack())


def atom(goal: str) -> re.Match[str] | None:
    """The last atom with names of nodes, not variables."""
    return next(reversed([one for one in ATOM.finditer(goal) if "?" not in one[0]]), None)


def instead(goal: str, make: Callable[[re.Match[str]], str]) -> str:
    """The goal with its last atom replaced, or nothing."""
    last = atom(goal)
    return "" if last is None else goal[: last.start()] + make(last) + goal[last.end() :]


def another(goal: str, belief: Belief) -> str:
    """The goal about another thing of the same class."""
    last = atom(goal)
    node = belief.scene.nodes.get(last[2]) if last is not None else None
    if last is None or node is None or not node.classes:
        return ""
    others = [
        one for one in belief.scene.nodes.values() if one.classes[:1] == node.classes[:1] and one != node
    ]
    return goal[: last.start(2)] + others[0].id + goal[last.end(2) :] if others else ""


def parts(goal: str) -> tuple[Formula, ...]:
    return tuple(conjuncts(parse_goal(goal).formula))


def written(some: Sequence[Formula]) -> str:
    return f"(and {' '.join(map(str, some))})"


ILL_FORMED: dict[str, tuple[Mutation, set[str]]] = {
    "a name": (lambda g, b: instead(g, lambda m: m[0].replace(m[2], f"{m[2]}77", 1)), {"unknown-node"}),
    "a predicate": (lambda g, b: instead(g, lambda m: f"(no_{m[0][1:]}"), {"unknown-predicate"}),
    "an argument": (lambda g, b: instead(g, lambda m: f"({m[1]})"), {"arity", "syntax"}),
    "a class": (lambda g, b: f"(and {g} (exists (?x - unicorn) (holding ?x)))", {"unknown-class"}),
    "a part denied": (
        lambda g, b: f"(and {g} (not {parts(g)[0]}))",
        {"contradiction", "impossible", "unsupported"},
    ),
}
OTHER: dict[str, Mutation] = {
    "less": lambda g, b: written(parts(g)[:-1]) if len(parts(g)) > 1 else f"(or {g} (robot_at {b.start}))",
    "the opposite": lambda g, b: written((*parts(g)[:-1], Not(parts(g)[-1]))),
    "another thing": another,
    "another relation": lambda g, b: instead(g, lambda m: m[0].replace(m[1], OPPOSITES.get(m[1], m[1]), 1)),
    "more": lambda g, b: f"(and {g} (robot_at {b.start}))",
}


def codes(goal: str, belief: Belief) -> set[str]:
    """What `check` finds, errors alone."""
    try:
        read = parse_goal(goal)
    except GoalError as error:
        return {one.code for one in syntax_errors(goal, "goal", error)}  # type: ignore[arg-type]
    errors = {one.code for one in check(read, belief).diagnostics if one.severity == "error"}
    return errors or {one.code for one in impossible(read, belief)}


def true_at_the_end(goal: Goal, run: GoalRun) -> bool:
    """Whether a goal holds after a run, by the judge's own definition of truth."""

    def state(world: World) -> State:
        return State(world.belief, lambda fact: world.state.facts.holds(*fact), happened)

    def happened(literal: Formula) -> bool:
        return any(holds(literal, state(world)) for world in (World(run.worlds[-1].belief), *run.worlds))

    return holds(goal.formula, state(run.worlds[-1]))


def studied(chosen: Sequence[Task], engine: Engine | None) -> Counter[str]:
    counts: Counter[str] = Counter()
    for task in chosen:
        gold, belief = task.gold.goal, belief_of(task.id)
        assert not codes(gold, belief), task.id
        assert diff(parse_goal(gold), parse_goal(gold), belief).relation == "equal", task.id
        for kind, (mutate, expected) in ILL_FORMED.items():
            if mutant := mutate(gold, belief):
                counts["ill-formed"] += 1
                assert codes(mutant, belief) & expected, f"{kind}: {mutant}"
        for mutate in OTHER.values():
            mutant = mutate(gold, belief)
            if mutant and mutant != gold:
                counts += compared(parse_goal(mutant), parse_goal(gold), belief, engine)
    return counts


def compared(mutant: Goal, gold: Goal, belief: Belief, engine: Engine | None) -> Counter[str]:
    """What is said of a mutant that is another goal, or none that is possible."""
    counts = Counter({"other": 1})
    if codes(str(mutant.formula), belief):
        return counts + Counter({"caught by check": 1})
    answer = diff(mutant, gold, belief)
    counts[answer.relation] += 1
    for name, (first, second) in {"a_only": (mutant, gold), "b_only": (gold, mutant)}.items():
        run = answer.laws.sides[name].run
        if run is not None:
            assert true_at_the_end(first, run) and not true_at_the_end(second, run), f"{mutant} | {gold}"
            counts["witnesses"] += 1
    if engine is not None and answer.relation in ("stronger", "weaker"):
        planned = diff(mutant, gold, belief, engine, Budget(seconds=20))
        counts[f"over plans {planned.reachable}"] += 1
        side, first, second = (
            ("b_only", gold, mutant) if answer.relation == "stronger" else ("a_only", mutant, gold)
        )
        if planned.reachable == answer.relation:
            assert planned.planned is not None
            steps = planned.planned[side].steps
            assert verify_plan(steps, belief, And((first.formula, Not(second.formula)))).verified
            counts["confirmed by a plan"] += 1
    return counts


def test_mutants_of_gold_goals_are_caught() -> None:
    counts = studied(tasks()[::9], None)
    assert counts["ill-formed"] > 40
    assert counts["other"] - counts["caught by check"] > 30 and counts["witnesses"] > 30
    assert not counts["unknown"] and not counts["equal"]


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_all_mutants_of_gold_goals_are_caught() -> None:
    counts = studied(tasks(), Engine.named("pyperplan"))
    print(counts)
    assert counts["ill-formed"] > 400 and not counts["unknown"] and not counts["equal"]
