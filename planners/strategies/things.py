"""Thing by thing: what is tied together is planned for apart all the same, and done one after the other.

Two things that need the same machine are one part, since what one leaves may be in the way of the other. An
engine's plan for such a part often drives to and fro; the order with the least travel is found only for what
is planned apart. Each thing is planned for from the start, and again from the world it meets (`merging`).
"""

from __future__ import annotations

from ...compiler.forms import literals
from ...domains.formula import Formula, conjunction, conjuncts
from ...engines.result import PlanResult, Why
from ..carrying_out import reached
from ..task import PlanningTask, Subplan
from .parts import planned_apart


def thing_by_thing(task: PlanningTask, result: PlanResult, subplan: Subplan) -> PlanResult:
    """Return a cheaper plan that does one thing after the other, where there is one."""
    things = _by_thing(task)
    if not result.plan or task.in_one_piece or len(things) <= max(1, len(result.assembly.subgoals)):
        return result
    attempts = task.attempts
    faults, reproducible = len(attempts.faults), attempts.reproducible
    try:
        goals = [conjunction(parts) for parts in things]
        apart = planned_apart(task, goals, subplan, Why.ONE_BY_ONE)
    finally:
        del attempts.faults[faults:]
    if apart is None or (apart.cost_mm or 0) >= (result.cost_mm or 0):
        attempts.reproducible = reproducible
        return result
    return apart


def _by_thing(task: PlanningTask) -> list[list[Formula]]:
    """Return the open conjuncts of a goal by what they are about."""
    start, things = task.start(), dict[object, list[Formula]]()
    for conjunct in conjuncts(task.goal):
        if not reached(conjunct, start):
            subjects = {atom.args[:1] for atom, _ in literals(conjunct)}
            key = subjects.pop() if len(subjects) == 1 else conjunct
            things.setdefault(key, []).append(conjunct)
    return [*things.values()]
