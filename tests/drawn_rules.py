"""Programs under drawn rules, and true worlds that are otherwise than given."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass

from disturbed import DUE, FAILURES, GOALS, RULES, moved_before
from golds import engine

from groundplan import Budget, ground, load_pack, load_scene, parse_goal, plan_goal
from groundplan.compiler.certificates.rules import read_rules
from groundplan.compiler.goals.goal import Goal
from groundplan.robot import Program, read_program, translate
from groundplan.robot.exports import ExportSource
from groundplan.simulator.belief import Belief
from groundplan.simulator.sensing.environment import Environment, Move
from groundplan.simulator.verification import watched
from groundplan.simulator.world import World

OFFICE = ground(load_scene("office"), load_pack())
ITEMS, ASSETS = sorted(OFFICE.members("item")), sorted(OFFICE.members("asset"))
MORE = (
    "(never (hot orange1))",
    "(never (in_room orange1 lobby))",
    "(forall (?x - apple) (never (in_room ?x kitchen)))",
    "(at-most-once (open fridge))",
    "(at-most-once (robot_at kitchen))",
    "(at-most-once (holding orange1))",
    "(sometime-before (open fridge) (robot_at lobby))",
    "(sometime-before (holding orange1) (closed fridge))",
    "(sometime-before (robot_at kitchen) (robot_at pose13))",
    "(always (at-most 1 (?x - apple) (holding ?x)))",
    "(never (do close ?x) :when (holding orange1))",
)
HEATED = ("(and (hot noodles) (turned_off microwave))", "(and (holding orange1) (closed fridge))")


@dataclass(frozen=True)
class Drawn:
    """A program under rules, and the true world in which it is carried out."""

    belief: Belief
    goal: Goal
    source: ExportSource
    truth: Belief
    moves: tuple[Move, ...]
    seed: int

    @property
    def program(self) -> Program:
        return self.source.program

    def world(self) -> Environment:
        return Environment(self.truth, failure=FAILURES, moves=self.moves, seed=self.seed)


def source_for(goal: Goal, belief: Belief, seconds: float = 5) -> ExportSource | None:
    result = plan_goal(goal, belief, engine("pyperplan"), Budget(seconds))
    if not result.verified:
        return None
    program = read_program(json.dumps(translate(result, belief, goal).as_json()))
    return ExportSource(program, result, belief, goal)


def drawn(seed: int) -> Drawn | None:
    """Return a drawn program, ``None`` where no plan keeps the rules."""
    draw = random.Random(seed)
    rules = draw.sample((*RULES, *MORE, *DUE), draw.choice((1, 2, 3)))
    belief, goal = read_rules("\n".join(rules), OFFICE), parse_goal(draw.choice((*GOALS, *HEATED)))
    if World(belief, tuple(c for rule in belief.rules for c in watched(rule, belief))).memory.broken:
        return None
    if (source := source_for(goal, belief)) is None:
        return None
    fridge = draw.choice(("closed", "closed", "open"))
    truth = moved_before(OFFICE, draw.sample(ITEMS, 4), ASSETS, draw, fridge)
    if draw.random() < 0.3:  # the robot is elsewhere, too
        here = draw.choice([n for n in OFFICE.scene.neighbours if OFFICE.scene.nodes[n].type == "pose"])
        truth = ground(truth.scene.changed(change={truth.scene.agent.id: {"at": here}}), truth.pack)
    moves = tuple(
        Move(draw.randrange(1, 15), thing, "ontop_of", draw.choice(ASSETS)) for thing in draw.sample(ITEMS, 3)
    )
    return Drawn(belief, goal, source, truth, moves, seed)
