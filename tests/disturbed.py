"""Worlds in which skills fail and others move things, and rules, for tests of what a robot carries out."""

from __future__ import annotations

import random
from functools import cache

from golds import TASKS

from groundplan.compiler.goals.goal import Goal, parse_goal
from groundplan.domains.pack import load_pack
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.scene import Link, Node, Scene
from groundplan.simulator.sensing.environment import Environment, Move, _carry_out
from groundplan.simulator.verification import watched
from groundplan.simulator.world import World

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


RULES = (
    "(never (robot_at pose13))",
    "(never (robot_at kitchen))",
    "(forall (?r - office) (at-most-once (robot_at ?r)))",
    "(never (do open fridge))",
    "(never (do open ?x) :when (not (hand_free)))",
    "(never (do pickup ?x) :when (in_room ?x kitchen))",
    "(at-most-once (not (hand_free)))",
    "(sometime-before (not (hand_free)) (robot_at kitchen))",
    "(always (imply (robot_at kitchen) (hand_free)))",
    "(never (do goto pose14 ?x))",
    "(always (closed fridge))",
    "(sometime-after (open fridge) (closed fridge))",
)
GOALS = (
    "(holding orange1)", "(inside_of apple1 fridge)", "(ontop_of banana1 kitchen_bench)", "(robot_at lobby)",
    "(in_room pepsi kitchen)", "(holding banana2)", "(exists (?x - apple) (holding ?x))", "(open microwave)",
)  # fmt: skip
DUE = (
    "(sometime-after (robot_at kitchen) (closed fridge))",
    "(sometime-after (holding orange1) (closed fridge))",
    "(sometime-after (open fridge) (closed fridge))",
    "(forall (?x - asset) (sometime-after (open ?x) (closed ?x)))",
    "(sometime-after (not (hand_free)) (robot_at lobby))",
    "(sometime-after (robot_at kitchen) (robot_at pose13))",
)
"""Rules that ask for something by what the robot does or sees."""


def broken_by_a_step(belief: Belief, truth: Belief, environment: Environment) -> list[str]:
    """Return the rules that a done step breaks in the true world, by what was done there in order."""
    world = World(truth, tuple(c for rule in belief.rules for c in watched(rule, truth)))
    broken: list[str] = []
    for event in environment._Environment__done:  # type: ignore[attr-defined]
        before = set(world.memory.broken)
        if isinstance(event, Move):
            _carry_out(event, world)
            world.memory.note(world, world.state)
            continue
        world.apply(event)
        broken += [str(one) for one in world.memory.broken if one not in before]
    return broken


def moved_before(
    office: Belief, things: list[str], places: list[str], draw: random.Random, fridge: str
) -> Belief:
    """Return a true world in which some things stand elsewhere than they are believed to."""
    changed: dict[str, dict[str, object]] = {"fridge": {"state": (fridge,)}}
    for thing in things:
        node = office.scene.nodes[thing]
        if not any(n.parent == thing for n in office.scene.nodes.values()):
            changed[thing] = {"parent": draw.choice(places), "relation": "ontop_of", "state": node.state}
    return ground(office.scene.changed(change=changed), office.pack)
