"""Kernels of a plan: the facts that must hold before each step, so that it and all after it reach the goal.

Each is the next one, less what the step brings about, with what the step needs (the kernels of the triangle
table of Fikes, Hart and Nilsson, "Learning and executing generalized robot plans", 1972, section 3). A robot
that does the last step whose kernel holds skips what holds already, and goes back to the step that mends what
was undone. An event that later steps or the goal rest on is a step of its own: it is waited for. The guards
of a step are needs of it like others; that a constraint on the run is clear (``rules``) is brought about by
the step with which it became so in the plan. All of it follows from a robot program alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..domains.errors import InputError
from ..domains.formula import Formula, Sometime
from .program import Program
from .rules.evidence import atom_of
from .skill import Skill, Waiting

MAX_FACTS = 200_000
"""Most facts of all kernels of a plan: each repeats what later steps rest on."""
Facts = dict[Formula, None]
"""Facts in a fixed order."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """A step, or an event that is waited for, with the facts before it and those that it brings about."""

    doing: Skill | Waiting
    before: tuple[Formula, ...]
    brings: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Kernels:
    """The facts that the goal rests on where the plan ends, and the kernels in the order of the plan."""

    goal: tuple[Formula, ...]
    steps: tuple[Kernel, ...]


def kernels_of(program: Program) -> Kernels:
    """Return the kernels of a program for a goal.

    A constraint among the facts of a kernel stands for that it is clear. Raises :class:`InputError` for a
    program without a goal, one whose goal or rules cannot be said in facts, and more than :data:`MAX_FACTS`
    facts in all.
    """
    program.rules.check_said("program")
    if program.grounds is None:
        hint = "plan again, or export a sequence" if program.goal else "give the goal with --goal"
        raise InputError("program", "a goal that can be said in facts where the plan ends", "none", hint)
    moments = {Sometime(m.literal): m for m in program.grounds.moments}
    cleared = {(one.constraint, c.step): c for one in program.rules for c in one.cleared}
    due = (c for c in program.rules.constraints() if c.kind == "sometime-after")
    later: Facts = dict.fromkeys((*program.grounds.facts, *moments, *due))
    goal = tuple(later)
    steps: list[Kernel] = []
    size = len(goal)
    for command in reversed(program.commands):
        for fact, moment in moments.items():
            if moment.step == command.step:
                _take(later, (fact,), moment.facts)
        for (constraint, step), clearing in cleared.items():
            if step == command.step and constraint in later:
                _take(later, (constraint,), clearing.facts)
        for waiting in reversed(command.waits_for):
            if any(fact in later for fact in waiting.facts):
                _take(later, waiting.facts, waiting.conditions)
                steps.append(Kernel(waiting, tuple(later), waiting.facts))
        clear = (constraint for _, constraint in program.rules.named(command.guards))
        guarded = (fact for guard in command.guards for fact in guard.facts)
        _take(later, command.expects.after, (*command.expects.before, *guarded, *clear))
        steps.append(Kernel(command, tuple(later), command.expects.after))
        size += len(later) + len(command.expects.after)
        if size > MAX_FACTS:
            most = f"at most {MAX_FACTS} facts that its steps rest on"
            raise InputError("program", most, "more", "export a sequence, or the plan in parts")
    return Kernels(goal, tuple(reversed(steps)))


def _take(later: Facts, brought: Iterable[Formula], needed: Iterable[Formula]) -> None:
    """Put before a step what was to hold after it."""
    for fact in brought:
        later.pop(fact, None)
    later |= dict.fromkeys(needed)


def changes(kernel: Kernel) -> frozenset[Formula]:
    """Return the atoms that a step makes true or false."""
    return frozenset(map(atom_of, kernel.brings))
