"""Worlds in which skills fail and somebody else moves things, for tests of what a robot carries out."""

from __future__ import annotations

import random
from functools import cache

from golds import TASKS

from groundplan.compiler.goals.goal import Goal, parse_goal
from groundplan.domains.pack import load_pack
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.scene import Link, Node, Scene
from groundplan.simulator.sensing.environment import Move

FAILURES = 0.2
"""The probability that a skill fails."""
MOST_REPLANS = 20


@cache
def goal_of(task_id: str) -> Goal:
    return parse_goal(next(t for t in TASKS if t.id == task_id).gold.goal)


def moves_in(belief: Belief, goal: Goal, steps: int, draw: random.Random) -> list[Move]:
    """Return up to three things that somebody puts elsewhere, those of the goal among them."""
    nodes = belief.scene.nodes
    things = [n.id for n in nodes.values() if n.type == "object" and "pickup" in n.affordances]
    named = [name for name in things if name in str(goal.formula)] or things
    places = [
        a for a in belief.scene.by_type["asset"] if belief.facts.holds("surface", (a,)) and nodes[a].parent
    ]
    return [
        Move(
            draw.randrange(steps), draw.choice([*named, draw.choice(things)]), "ontop_of", draw.choice(places)
        )
        for p in draw.choices(places, k=draw.randint(1, 3))
    ]


def flat() -> Belief:
    """Return a hall and a kitchen with a closed door between them."""
    nodes = (
        Node("hall", "room", position=(0.0, 0.0, 0.0)),
        Node("kitchen", "room", position=(4.0, 0.0, 0.0)),
        Node("door", "asset", "kitchen", affordances=("open", "close"), state=("closed",)),
        Node("table", "asset", "hall", affordances=("release",)),
        Node("shelf", "asset", "kitchen", affordances=("release",)),
        Node("cup", "object", "shelf", "ontop_of", affordances=("pickup",)),
        Node("robot", "agent", at="hall"),
    )
    scene = Scene("flat", {n.id: n for n in nodes}, (Link("hall", "kitchen", 4.0, "door"),))
    return ground(scene, load_pack())
