"""The way of a robot through a scene as its printed steps say it: where it passes, and where it stops.

Steps are not carried out: those of a plan that was refused, or that a model made up, are drawn as well. Only
places of the scene are passed; a step about anything else is done where the robot is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...simulator.belief import Belief
from ...simulator.scene import Scene
from ...simulator.step import DONE, Step
from .shapes import name_of, title_of

ARRIVE = "arrive"
"""The deed at the end of a plan that ends with a drive."""


@dataclass(frozen=True, slots=True)
class Stop:
    """A place where steps are done, in words, without those that lead there.

    ``first`` and ``last`` are the numbers of its steps, counted from 1; at ``fails`` the last of them is one
    that could not be done.
    """

    place: str
    first: int
    last: int
    deeds: tuple[str, ...]
    fails: bool = False


@dataclass(frozen=True, slots=True)
class Journey:
    """Nodes in the order in which the robot passes them, from its start, and its stops."""

    way: tuple[str, ...]
    stops: tuple[Stop, ...] = ()


NOWHERE = Journey(())


def journey(steps: Sequence[Step], belief: Belief, refused: int | None = None) -> Journey:
    """Return the way of printed steps up to ``done()``, or to the one that was refused, by its index from 0.

    Between two places that are not neighbours the shortest route is passed, where there is one.
    """
    here = belief.start
    way, stops = [here], list[Stop]()
    moved = False
    for number, step in enumerate(steps, 1):
        if step == DONE:
            break
        fails = refused == number - 1
        target = _target(step, belief) if not fails else None
        if target is not None:
            way += _hops(here, target, belief)
            moved, here = moved or target != here, target
            continue
        last = stops[-1] if stops else None
        deed = str(step) if fails else _deed(step, here, belief.scene)
        if last is not None and not moved and last.place == here:
            stops[-1] = replace(last, last=number, deeds=(*last.deeds, deed), fails=fails)
        else:
            stops.append(Stop(here, number, number, (deed,), fails))
        moved = False
        if fails:
            break
    if moved:
        stops.append(Stop(here, len(steps), len(steps), (ARRIVE,)))
    return Journey(tuple(way), tuple(stops))


def _target(step: Step, belief: Belief) -> str | None:
    """Return the place that a step leads to; ``None`` for one that is done where the robot is."""
    node = belief.scene.nodes.get(step.args[0]) if len(step.args) == 1 else None
    if node is None:
        return None
    drives = step.name in ("goto", belief.pack.mapping.room_step) and node.type in ("pose", "room")
    return node.id if drives or step.name == "access" else None


def _hops(here: str, target: str, belief: Belief) -> list[str]:
    """Return the nodes that are passed from a place to another, which is the last of them."""
    base = belief.routes.anchor_of(here)
    if base is None or belief.scene.nodes[target].type not in ("pose", "room"):
        return [target]
    hops = belief.routes.route(base, target).hops if belief.routes.connected(base, target) else (target,)
    return [base, *hops] if base != here else list(hops)


def _deed(step: Step, here: str, scene: Scene) -> str:
    """Return a step in words, without the place at which it is done."""
    names = (title_of(a, scene) for a in step.args if a != here)
    return " ".join([name_of(step.name), *names])
