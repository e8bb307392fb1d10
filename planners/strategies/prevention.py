"""Prevention: no event that would make true what the goal denies ever happens.

Events happen by themselves, so no engine can forbid one: that a plate is not to be washed by the machine that
it stands in has a plan only where the plate is taken out first, or the machine is off. That the conditions of
such an event are never true together is a constraint on the run, which engines get in their actions. It asks
for more than the goal where an action takes back what an event did; the simulator judges the plan.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...compiler.problem import Unsupported, denied_to_events
from ...domains.action import bound_args, extend, unify
from ...domains.formula import Formula, GroundAtom, Not, TrajectoryConstraint, conjunction, disjunction
from ...engines.result import PlanResult, Why
from ...simulator.belief import Belief
from ..failure import PlanningFailed
from ..task import PlanningTask, Subplan
from .joint import planned_jointly


def events_prevented(task: PlanningTask, subplan: Subplan) -> PlanResult | None:
    """Plan so that no event spoils the goal; ``None`` where no such plan works."""
    denied, belief = denied_to_events(task.goal, task.belief), task.belief
    events = [disjunction(one) for atom in denied for one in _unmet(atom, belief)]
    if not events or task.engine.whole:
        return None
    kept = TrajectoryConstraint("always", (conjunction(events),))
    try:
        return replace(planned_jointly(task.of(conjunction((task.goal, kept))), Why.PREVENTED), bound_mm=None)
    except (PlanningFailed, Unsupported):
        return None


def _unmet(denied: GroundAtom, belief: Belief) -> Iterator[tuple[Formula, ...]]:
    """Yield for each event that would add a fact what keeps it from happening, where actions change it."""
    fluents, facts = belief.pack.fluents, belief.facts
    for event in belief.pack.events:
        fixed = [c for c in event.precondition if c.predicate not in fluents]
        for binding in filter(None, (unify(added, denied) for added in event.add)):
            bindings = [binding]
            for one in fixed:
                matching = ((b, facts.matching(one.predicate, bound_args(one, b))) for b in bindings)
                bindings = [more for b, some in matching for args in some if (more := extend(one, args, b))]
            for parameter in event.parameters:
                names = [n for n in belief.scene.nodes if belief.has_type(n, parameter.type)]
                bindings = [
                    b | {parameter.name: n} for b in bindings for n in names if b.get(parameter.name, n) == n
                ]
            for b in bindings:
                ground = event.ground(tuple(b[p.name] for p in event.parameters))
                yield tuple(Not(c) for c in ground.precondition if c.predicate in fluents)
