"""Observing: when a plan does not work in the true world, the robot looks around and believes what it sees.

It looks where a step was refused, or where the plan ended. The belief is the scene as the robot knows it; an
observation says of one node what the belief held and what the world shows. The robot sees assets, parts and
objects of its room; which relations hide a thing (in a closed container) is the pack's table ``[sight]``.
What it sees for the first time is added; an object leaves the belief when its believed place is in view
and it is not there. The steps must be run on a copy of the world. The JSON is part of records and fixed.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from ..domains.formula import Var
from ..simulator.belief import Belief, ground
from ..simulator.scene import Node
from ..simulator.step import Step
from ..simulator.world import Refusal, World


@dataclass(frozen=True, slots=True)
class Observation:
    """New knowledge about a node after ``step`` steps; ``seen`` is ``None`` when it was not there."""

    step: int
    node: str
    believed: str
    seen: str | None

    def as_json(self) -> dict[str, object]:
        return {"step": self.step, "node": self.node, "believed": self.believed, "seen": self.seen}


def observe(steps: tuple[Step, ...], belief: Belief, truth: Belief) -> tuple[tuple[Observation, ...], Belief]:
    """Run steps on the true world up to the first refusal and look around there.

    Returns what was learned and the belief that follows; nothing learned returns the belief itself. The
    observation is of the world as it was before the robot changed it, since a new plan starts over.
    """
    world = World(truth)
    number = next((i for i, s in enumerate(steps) if isinstance(world.apply(s), Refusal)), len(steps))
    room = world.around(world.stands_at)[-1]
    visible = {i for i in truth.scene.nodes if _in_sight(i, room, world)}
    observations: list[Observation] = []
    change: dict[str, dict[str, object]] = {}
    add: list[Node] = []
    remove: list[str] = []
    for node_id in visible:
        actual, believed = truth.scene.nodes[node_id], belief.scene.nodes.get(node_id)
        if believed is None:
            add.append(actual)
            observations.append(Observation(number, node_id, "unknown", describe(actual)))
        elif describe(believed) != describe(actual):
            change[node_id] = {k: getattr(actual, k) for k in ("parent", "relation", "state", "affordances")}
            observations.append(Observation(number, node_id, describe(believed), describe(actual)))
    for node_id, believed in belief.scene.nodes.items():
        # Believed to be somewhere that is in full view, and not there.
        if believed.type == "object" and node_id not in visible and believed.parent in visible:
            shown = _shown(believed.relation, node_id, believed.parent, world)
            if shown and truth.scene.nodes.get(node_id) != believed:
                remove.append(node_id)
                observations.append(Observation(number, node_id, describe(believed), None))
    if not observations:
        return (), belief
    gone = set(remove)
    scene = belief.scene.changed(
        [n for n in add if n.parent not in gone], remove, {k: v for k, v in change.items() if k not in gone}
    )
    observations.sort(key=lambda o: o.node)
    return tuple(observations), ground(scene, belief.pack)


def _in_sight(node_id: str, room: str, world: World) -> bool:
    """Return whether a node is in the robot's room with nothing closed around it."""
    if world.scene.nodes[node_id].type not in ("asset", "object", "part"):
        return False
    chain = world.around(node_id)
    if chain[-1] != room:
        return False
    for below, above in pairwise(chain):
        for name, relation in world.pack.mapping.relations.items():
            related = len(relation.args) == 2 and world.facts.holds(relation.predicate, (below, above))
            if related and not _shown(name, below, above, world):
                return False
    return True


def _shown(relation: str, below: str, above: str, world: World) -> bool:
    """Return whether a thing in a relation to another can be seen there, as the pack says."""
    needed = world.pack.mapping.sight.get(relation)
    if needed is None:
        return True
    values = {"x": below, "y": above}
    args = tuple(values[a.name] if isinstance(a, Var) else a for a in needed.args)
    return world.facts.holds(needed.predicate, args)


def describe(node: Node) -> str:
    """The place and the state of a node in one line."""
    place = f"{node.relation} {node.parent}" if node.parent is not None else "place not known"
    state = f" ({', '.join(sorted(node.state))})" if node.state else ""
    can = f" [{', '.join(sorted(node.affordances))}]" if node.affordances else ""
    return f"{place}{state}{can}"
