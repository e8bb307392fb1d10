"""Printed steps of a plan, in the form of SayPlan's tables and of the robot's program.

Navigation is one action for the planner. Here it becomes ``goto`` for every pose and room on the shortest
route (Dijkstra) and ``access`` for the asset in front of which the robot works; ``World.apply`` reads the
same steps back, so a new kind of step needs both. Manipulations are printed as the pack's mapping says: their
form is changed there. The names ``goto`` and ``access`` are the paper's and fixed.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..domains.action import PlanAction
from ..domains.formula import Var, step_name
from .belief import Belief
from .step import Step


def print_steps(plan: Sequence[PlanAction], belief: Belief) -> tuple[Step, ...]:
    """Return the printed steps of a plan; events are not printed.

    Raises :class:`NoRoute` when a navigation action joins places that no route connects.
    """
    return tuple(step for _, step in steps_with_sources(plan, belief))


def steps_with_sources(plan: Sequence[PlanAction], belief: Belief) -> list[tuple[int, Step]]:
    """Return each printed step with the index of the action that it belongs to."""
    steps: list[tuple[int, Step]] = []
    pack, nodes = belief.pack, belief.scene.nodes
    for index, action in enumerate(plan):
        mapping = pack.mapping_of(action.name)
        if mapping.event:
            continue
        if mapping.navigation:
            source, target = action.args[0], action.args[1]
            for hop in belief.routes.route(source, target).hops:
                steps.append((index, Step("goto", (hop,))))
            here = nodes[source].type in ("pose", "room") and source == target
            if nodes[target].type not in ("pose", "room"):
                steps.append((index, Step("access", (target,))))
            elif belief.routes.anchor(source) == target and not here:
                # Back from an asset to the floor of its own room: nothing to drive, but a step to print.
                steps.append((index, Step("goto", (target,))))
        elif not _left_by_driving(index, plan, belief):
            printed = pack.printed(action.name, action.args)
            steps += [(index, Step(step_name(printed), printed.args))] if printed is not None else []
    return steps


def fill_routes(steps: Sequence[Step], belief: Belief) -> tuple[Step, ...]:
    """Fill in the poses and rooms between one ``goto`` and the next, by the shortest route.

    The path planner of SayPlan (section 3.3): ``goto(meeting_room), goto(kitchen)`` names only where to go. A
    step to a neighbour, or to what no route leads to, stays as it is.
    """
    filled: list[Step] = []
    here, nodes = belief.routes.anchor_of(belief.start) or belief.start, belief.scene.nodes
    for step in steps:
        target = step.args[0] if step.name == "goto" and len(step.args) == 1 else here
        node = nodes.get(target)
        if node is None or node.type not in ("pose", "room") or not belief.routes.connected(here, target):
            target = here
        hops = belief.routes.route(here, target).hops
        filled += [Step("goto", (hop,)) for hop in hops[:-1]]
        filled.append(step)
        here = target
    return tuple(filled)


def _left_by_driving(index: int, plan: Sequence[PlanAction], belief: Belief) -> bool:
    """Return whether an action only steps back from a container before a drive, which implies it.

    A move to another room (a lift, a portal) is one of its own, whatever follows.
    """
    pack, action = belief.pack, plan[index]
    schema = pack.domain.actions[action.name]
    names = dict(zip((p.name for p in schema.parameters), action.args, strict=True))
    ends = [
        names[a.name] if isinstance(a, Var) else a
        for atom in (*schema.add, *schema.delete)
        if atom.predicate == pack.at
        for a in atom.args
    ]
    following = next((a for a in plan[index + 1 :] if not pack.mapping_of(a.name).event), None)
    drives = following is not None and pack.mapping_of(following.name).navigation
    fixed = {belief.routes.anchor_of(e) for e in ends if belief.scene.nodes[e].type != "object"}
    return drives and bool(ends) and len(fixed) < 2
