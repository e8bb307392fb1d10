"""The plan that is exported: its program, its actions, and the world that it starts in.

Whatever format a plan is written in, it is taken from one of these. ``source_of`` makes it of printed steps,
which is how a plan is read from any file: the simulator carries them out, and one that it refuses is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...compiler.goals.goal import Goal
from ...domains.errors import InputError, clip
from ...domains.mapping import SkillMapping
from ...domains.pack import Pack
from ...engines.result import PlanResult
from ...simulator.belief import Belief
from ...simulator.step import DONE, Step
from ...simulator.verification import verify_plan
from ..comparison import plan_of
from ..program import Program, translate
from ..skill import Skill


@dataclass(frozen=True, slots=True)
class ExportSource:
    """A plan with all that an export needs; ``plan`` has its actions, ``program`` a command for each step."""

    program: Program
    plan: PlanResult
    belief: Belief
    goal: Goal | None = None

    @property
    def pack(self) -> Pack:
        return self.belief.pack

    def skill(self, command: Skill) -> SkillMapping:
        """Return what the pack says of the skill of a command."""
        return self.pack.mapping.skills[command.skill]


class NotVerified(InputError):
    """A plan that the simulator refuses, or at the end of which the goal does not hold."""


def source_of(steps: Sequence[Step], belief: Belief, goal: Goal | None, where: str = "plan") -> ExportSource:
    """Return the source of printed steps, up to ``done()``.

    Raises :class:`NotVerified` for a step that cannot be done, and for a goal that does not hold at the end:
    what a robot gets is verified.
    """
    steps = tuple(steps[: steps.index(DONE)] if DONE in steps else steps)
    result = verify_plan(steps, belief, goal.formula if goal is not None else None)
    if not result.verified:
        expected = "a plan that the simulator accepts" if not result.executable else "a plan for the goal"
        hint = "`groundplan simulate` shows where it fails"
        raise NotVerified(where, expected, clip(result.feedback()[0], 300), hint)
    plan = plan_of(steps, belief)
    assert plan is not None, "the simulator accepted it"
    return ExportSource(translate(plan, belief, goal), plan, belief, goal)


def arguments_of(command: Skill, skill: SkillMapping) -> dict[str, str]:
    """Return what a command gives to its skill, by port.

    Raises :class:`InputError` where the skill is shared by actions of other numbers of parameters.
    """
    if len(command.arguments) != len(skill.ports):
        expected = f"{len(skill.ports)} arguments of the skill {skill.name}: {', '.join(skill.ports)}"
        hint = "give the actions of the pack that differ skills of their own"
        raise InputError(command.printed, expected, str(len(command.arguments)), hint)
    return dict(zip(skill.ports, command.arguments, strict=True))


def hold_to(text: str, own: str, where: str) -> None:
    """Hold a text to what it has to be. Raises :class:`InputError` with the first line that differs."""
    lines, expected = text.splitlines(), own.splitlines()
    for number in range(max(len(lines), len(expected))):
        one, other = ("".join(some[number : number + 1]) for some in (lines, expected))
        if one != other:
            shown = [clip(line.strip(), 200) or "the end" for line in (other, one)]
            raise InputError(f"{where}:{number + 1}", *shown)
