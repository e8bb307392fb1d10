"""Kernels of a plan: the facts that must hold before each step, so that it and all after it reach the goal.

Each is the next one, less what the step brings about, with what the step needs (the kernels of the triangle
table of Fikes, Hart and Nilsson, "Learning and executing generalized robot plans", 1972, section 3). A robot
that does the last step whose kernel holds skips what holds already, and goes back to the step that mends what
was undone. An event that later steps or the goal rest on is a step of its own: it is waited for.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ...domains.errors import InputError
from ...domains.formula import Atom, Formula, Not, Sometime, conjuncts
from ...simulator.step import read_step
from ...simulator.verification import watched
from ...simulator.world import Refusal, World
from ..skill import Skill, Waiting
from .evidence import evidence_of
from .source import ExportSource

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


def kernels_of(source: ExportSource) -> Kernels:
    """Return the kernels of a plan for a goal.

    Raises ``ValueError`` without one, and :class:`InputError` for more than :data:`MAX_FACTS` facts in all.
    """
    if source.goal is None:
        raise ValueError("a plan without a goal has no kernels")
    formula, commands = source.goal.formula, source.program.commands
    end = _carried_out(source, len(commands))
    goal: Facts = dict.fromkeys(fact for part in conjuncts(formula) for fact in evidence_of(part, end))
    came = _moments(source, goal)
    later: Facts = {fact: None for fact in goal if came.get(fact, 0) >= 0}
    reached = tuple(later)
    steps: list[Kernel] = []
    size = len(reached)
    for index in range(len(commands) - 1, -1, -1):
        command = commands[index]
        for fact in [f for f in later if came.get(f) == index]:
            del later[fact]
            assert isinstance(fact, Sometime)
            later |= dict.fromkeys(evidence_of(fact.body, _carried_out(source, index + 1)))
        for waiting in reversed(command.waits_for):
            if any(fact in later for fact in waiting.facts):
                _take(later, waiting.facts, _conditions(waiting, source))
                steps.append(Kernel(waiting, tuple(later), waiting.facts))
        _take(later, command.expects.after, command.expects.before)
        steps.append(Kernel(command, tuple(later), command.expects.after))
        size += len(later) + len(command.expects.after)
        if size > MAX_FACTS:
            check = f"at most {MAX_FACTS} facts that its steps rest on"
            raise InputError("reactive tree", check, "more", "export a sequence, or the plan in parts")
    return Kernels(reached, tuple(reversed(steps)))


def _take(later: Facts, brought: Iterable[Formula], needed: Iterable[Formula]) -> None:
    """Put before a step what was to hold after it."""
    for fact in brought:
        later.pop(fact, None)
    later |= dict.fromkeys(needed)


def _conditions(waiting: Waiting, source: ExportSource) -> list[Formula]:
    ground = source.pack.domain.actions[waiting.event].ground(waiting.arguments)
    return [fact for fact in ground.precondition if fact.predicate in source.pack.fluents]


def _carried_out(source: ExportSource, steps: int) -> World:
    """Return the world after so many steps of the plan, which the simulator accepted."""
    world = _world(source)
    for command in source.program.commands[:steps]:
        effect = world.apply(read_step(command.printed, command.printed))
        assert not isinstance(effect, Refusal), effect
    return world


def _world(source: ExportSource) -> World:
    assert source.goal is not None
    return World(source.belief, watched(source.goal.formula, source.belief))


def _moments(source: ExportSource, facts: Iterable[Formula]) -> dict[Formula, int]:
    """Return for each ``sometime`` the step with which it came true, -1 for one that was from the start."""
    world = _world(source)
    left = [fact for fact in facts if isinstance(fact, Sometime)]
    came: dict[Formula, int] = {}
    for index in range(-1, len(source.program.commands)):
        if index >= 0:
            printed = source.program.commands[index].printed
            world.apply(read_step(printed, printed))
        happened = [fact for fact in left if world.happened(fact.body)]
        came |= dict.fromkeys(happened, index)
        left = [fact for fact in left if fact not in came]
    return came


def atom_of(fact: Formula) -> Formula:
    """Return the atom of a literal, what a literal says or denies."""
    return fact.part if isinstance(fact, Not) else fact


def changes(kernel: Kernel) -> frozenset[Formula]:
    """Return the atoms that a step makes true or false."""
    return frozenset(atom_of(fact) for fact in kernel.brings if isinstance(atom_of(fact), Atom))
