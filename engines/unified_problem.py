"""Goals as problems of unified-planning, and the way back from its plans to steps that a robot gets.

The objects are made of the same problem as the PDDL text, by the same builder as in the processes of engines
(``programs/unified_objects``), and share the text's symbols. unified-planning takes a second to import, so
the first call imports it and nothing else of the package does. What it then plans or validates is its word:
:meth:`UnifiedProblem.carried_out` asks the simulator.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass, replace
from typing import Any

from ..compiler.certificates.constraints import avoiding
from ..compiler.goals.checker import check
from ..compiler.goals.goal import Goal
from ..compiler.pddl import RenderedProblem, compile_goal
from ..compiler.symbols import SymbolTable
from ..domains.action import Plan
from ..domains.ending import Ending
from ..simulator.belief import Belief
from ..simulator.printing import steps_with_sources
from ..simulator.verification import verify_plan
from .programs.unified_objects import build
from .result import PlanResult


@dataclass(frozen=True)
class UnifiedProblem:
    """A goal over a scene as a ``unified_planning.model.Problem``, with the table that inverts its names."""

    problem: Any
    rendered: RenderedProblem
    goal: Goal
    belief: Belief

    def scene_plan(self, plan: Any) -> Plan:
        """Return a ``SequentialPlan`` in the names of the scene, without the compilation's own actions."""
        steps = [(a.action.name, *map(str, a.actual_parameters)) for a in plan.actions]
        return self.rendered.scene_plan(tuple(steps))

    def carried_out(self, plan: Any) -> PlanResult:
        """Return a ``SequentialPlan`` as the answer of planning: printed, and run in the simulator."""
        actions = self.scene_plan(plan)
        printed = tuple(steps_with_sources(actions, self.belief))
        verification = verify_plan([step for _, step in printed], self.belief, self.goal.formula)
        cost = self.rendered.source.cost(actions)
        return PlanResult(Ending.SOLVED, actions, cost, printed=printed, verification=verification)

    def files(self) -> dict[str, str]:
        """Return domain.pddl and problem.pddl as unified-planning writes them, and their symbols.json."""
        writer = importlib.import_module("unified_planning.io").PDDLWriter(self.problem)
        texts = {"domain": writer.get_domain(), "problem": writer.get_problem()}
        written = {item.name: name for name, item in writer.nto_renamings.items()}
        table = self.rendered.table
        of_kinds = (table.types, table.predicates, table.actions, table.objects)
        renamed = ({name: written.get(symbol, symbol) for name, symbol in k.items()} for k in of_kinds)
        return replace(self.rendered, **texts, table=SymbolTable(*renamed)).files()


def compile_problem(
    goal: Goal, belief: Belief, costs: bool = True, whole: bool = False, environment: Any = None
) -> UnifiedProblem:
    """Compile a goal to a problem of unified-planning, with types and route lengths as costs.

    Parameters:
        goal: a goal, from :func:`~groundplan.compiler.goals.goal.parse_goal`.
        belief: the scene, grounded with a pack.
        costs: with the metric of route lengths and efforts, in millimetres, or plain typed STRIPS.
        whole: keep every interchangeable helper, and not only the nearest.
        environment: that of unified-planning; its global one if none is given.

    Raises :class:`GoalError` for a goal with errors, and for an expansion that is too large.

    >>> from groundplan import compile_problem, ground, load_pack, load_scene, parse_goal
    >>> office = ground(load_scene("office"), load_pack())
    >>> compiled = compile_problem(parse_goal("(holding banana2)"), office)
    >>> [str(goal) for goal in compiled.problem.goals]
    ['holding(banana2)']
    """
    check(goal, belief).raise_errors("goal")
    belief = avoiding(goal.formula, belief)
    rendered = compile_goal(goal.formula, belief, costs, whole, as_written=False)
    return UnifiedProblem(as_unified(rendered, environment), rendered, goal, belief)


def as_unified(rendered: RenderedProblem, environment: Any = None) -> Any:
    """Build the ``unified_planning.model.Problem`` of a problem that was written as text."""
    if environment is None:
        environment = importlib.import_module("unified_planning.environment").get_environment()
    return build(rendered.data(), environment)
