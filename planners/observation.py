"""Observing: when the true world refuses a step that the belief allowed, the robot looks and believes that.

An observation says of one node what the belief held and what the world shows. A robot sees what is in the
room it is in, but not inside closed containers. Something that is not where it was believed to be, and is not
in sight, becomes unknown and leaves the belief.
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
    """What was learned about a node after ``step`` steps; ``seen`` is ``None`` when it was not there."""

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
    found: list[Observation] = []
    change: dict[str, dict[str, object]] = {}
    add: list[Node] = []
    remove: list[str] = []
    for node_id in visible:
        actual, known = truth.scene.nodes[node_id], belief.scene.nodes.get(node_id)
        if known is None:
            add.append(actual)
            found.append(Observation(number, node_id, "unknown", describe(actual)))
        elif describe(known) != describe(actual):
            change[node_id] = {k: getattr(actual, k) for k in ("parent", "relation", "state", "affordances")}
            found.append(Observation(number, node_id, describe(known), describe(actual)))
    for node_id, known in belief.scene.nodes.items():
        # Believed to be somewhere that is in full view, and not there.
        if known.type == "object" and node_id not in visible and known.parent in visible:
            shown = _shown(known.relation, node_id, known.parent, world)
            if shown and truth.scene.nodes.get(node_id) != known:
                remove.append(node_id)
                found.append(Observation(number, node_id, describe(known), None))
    if not found:
        return (), belief
    gone = set(remove)
    scene = belief.scene.changed(
        [n for n in add if n.parent not in gone], remove, {k: v for k, v in change.items() if k not in gone}
    )
    found.sort(key=lambda o: o.node)
    return tuple(found), ground(scene, belief.pack)


def _in_sight(node_id: str, room: str, world: World) -> bool:
    """Whether a node is in the robot's room with nothing closed around it."""
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
    """Whether what is in a relation to something can be seen there, as the pack says."""
    needed = world.pack.mapping.sight.get(relation)
    if needed is None:
        return True
    values = {"x": below, "y": above}
    args = tuple(values[a.name] if isinstance(a, Var) else a for a in needed.args)
    return world.facts.holds(needed.predicate, args)


def describe(node: Node) -> str:
    """Where a node is and how, in one line."""
    state = f" ({', '.join(sorted(node.state))})" if node.state else ""
    can = f" [{', '.join(sorted(node.affordances))}]" if node.affordances else ""
    return f"{node.relation} {node.parent}{state}{can}"
