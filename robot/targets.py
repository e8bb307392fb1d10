"""The node that a command is about, and its position while a plan is carried out.

Both follow from the pack and the world alone, so that they fit any pack: a thing that is put down is put at a
place, every other action is about the first argument of its printed step that is not in the hand. How a
target is chosen may be changed here; the position is always that of a node that has not been moved.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..domains.action import PlanAction
from ..simulator.step import Step
from ..simulator.world import World
from .skill import Target


class Positions:
    """Positions of nodes in a world that changes.

    The scene has the positions at the start. What was moved since is where its carrier is, and so is what
    lies in it; what is held is where the robot is.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._held = world.pack.mapping.robot_held.predicate
        self._moved = {args[0] for args in world.state.facts.all(self._held)}

    def note(self, actions: Sequence[PlanAction]) -> None:
        """Note which things some actions moved."""
        pack = self._world.pack
        for action in actions:
            ground = pack.domain.actions[action.name].ground(action.args)
            for atom in (*ground.delete, *ground.add):
                if atom.predicate in (*pack.locations, self._held):
                    self._moved.add(atom.args[0])

    def target(self, name: str) -> Target:
        """Return a node with its position now: its own, or that of the nearest node around it with one."""
        world = self._world
        chain = world.state.around(name)
        if world.state.facts.holds(self._held, (chain[-1],)):
            chain += world.state.around(world.state.stands_at)
        nearest = Target(name)
        for node in reversed(chain):
            if node in self._moved:
                break
            position = world.scene.nodes[node].position
            if position is not None:
                nearest = Target(name, position, node)
        return nearest


def target_of(step: Step, action: PlanAction, world: World) -> str:
    """Return the node that a step is about, in the world before it."""
    pack = world.pack
    if pack.mapping_of(action.name).navigation:
        return step.args[0]
    held = pack.mapping.robot_held.predicate
    ground = pack.domain.actions[action.name].ground(action.args)
    put_down = {a.args[0] for a in ground.delete if a.predicate == held}
    for atom in ground.add:
        if atom.predicate in pack.locations and atom.args[0] in put_down:
            return atom.args[1]
    free = (name for name in step.args if not world.state.facts.holds(held, (name,)))
    return next(free, world.state.stands_at)
