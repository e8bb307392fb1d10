"""Robot programs: a verified plan as skills with targets, for whatever drives the robot.

A program is data. Each command has a skill of the pack, its arguments, the pose at which it is done, the
printed step that it carries out and the conjunct of the goal that it serves. Skills are named in the pack's
mapping and changed there; the JSON keys are version 1 of a format that robots read, and must stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..compiler.goals.goal import Goal
from ..domains.action import PlanAction
from ..domains.evaluate import evaluate
from ..domains.formula import Formula, conjuncts
from ..planners.result import PlanResult
from ..simulator.belief import Belief
from ..simulator.step import PROGRAM_FORMAT, Step
from ..simulator.verification import watched
from ..simulator.world import Refusal, World


@dataclass(frozen=True, slots=True)
class Skill:
    """One command. ``pose`` is where the robot's base is; ``position`` that node's place in metres, if known.

    ``serves`` is the index of the goal's conjunct that the command works towards, ``None`` only where no
    goal was given.
    """

    skill: str
    arguments: tuple[str, ...]
    pose: str
    position: tuple[float, float, float] | None
    step: int
    printed: str
    serves: int | None

    def as_json(self) -> dict[str, object]:
        return {
            "skill": self.skill,
            "arguments": list(self.arguments),
            "pose": self.pose,
            "position": list(self.position) if self.position else None,
            "step": self.step,
            "printed": self.printed,
            "serves": self.serves,
        }


@dataclass(frozen=True, slots=True)
class Program:
    """The commands of a plan in order, and the conjuncts that they serve."""

    goal: tuple[str, ...]
    commands: tuple[Skill, ...]

    def as_json(self) -> dict[str, object]:
        return {
            "format": PROGRAM_FORMAT,
            "version": 1,
            "goal": list(self.goal),
            "commands": [c.as_json() for c in self.commands],
        }


def translate(result: PlanResult, belief: Belief, goal: Goal | None = None) -> Program:
    """Turn a verified plan, with its printed steps, into a robot program.

    Raises ``ValueError`` for a plan that the simulator refuses: only verified plans become programs.
    """
    plan = result.plan or ()
    parts = conjuncts(goal.formula) if goal is not None else ()
    world = World(belief, watched(goal.formula, belief) if goal is not None else ())
    serves = _served(plan, belief, parts)
    commands = []
    for number, (source, step) in enumerate(result.printed):
        effect = world.apply(step)
        if isinstance(effect, Refusal):
            raise ValueError(f"step {number + 1}, {step}: {effect.message}")
        base = world.around(world.stands_at)[-1]
        commands.append(
            Skill(
                skill=_skill(step, plan[source], belief),
                arguments=_arguments(step, plan[source], belief),
                pose=base,
                position=belief.scene.nodes[base].position,
                step=number,
                printed=str(step),
                serves=serves[source],
            )
        )
    return Program(tuple(map(str, parts)), tuple(commands))


def _skill(step: Step, action: PlanAction, belief: Belief) -> str:
    mapping = belief.pack.mapping_of(action.name)
    return "approach" if mapping.navigation and step.name == "access" else mapping.skill or step.name


def _arguments(step: Step, action: PlanAction, belief: Belief) -> tuple[str, ...]:
    """A drive names its next stop; everything else names all that the action is about."""
    return step.args if belief.pack.mapping_of(action.name).navigation else action.args


def _served(plan: Sequence[PlanAction], belief: Belief, parts: Sequence[Formula]) -> list[int | None]:
    """For each action the conjunct whose coming true it leads up to: the next one to become true for good.

    What comes after the last of these completes that one: putting down a thing that is in its room already
    as long as it is carried.
    """
    events = [w for p in parts for w in watched(p, belief)]
    world = World(belief, tuple(dict.fromkeys(events)))
    truth = [[evaluate(p, world) for p in parts]]
    for action in plan:
        if not action.event:
            world.perform(action)
        truth.append([evaluate(p, world) for p in parts])
    # The action after which a conjunct stays true.
    reached: dict[int, int] = {}
    for index in range(len(parts)):
        for moment in range(len(plan), 0, -1):
            if truth[moment][index] and not truth[moment - 1][index]:
                reached[index] = moment - 1
                break
    serves: list[int | None] = [None] * len(plan)
    by_action = {moment: index for index, moment in reached.items()}
    following = by_action[max(by_action)] if by_action else (0 if parts else None)
    for number in range(len(plan) - 1, -1, -1):
        following = by_action.get(number, following)
        serves[number] = following
    return serves
