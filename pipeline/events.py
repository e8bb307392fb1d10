"""Events of a run: one frozen class for each stage of the pipeline that has ended.

A listener gets them in the order in which things happen, and may only look. A new stage is a new class here
and a new case wherever events are matched; type checking finds the places.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..acting.trajectory import Observation
from ..compiler.goals.goal import Goal
from ..domains.diagnostic import Diagnostic
from ..domains.formula import Atom
from ..engines.result import PlanResult
from ..language.reader import SearchResult, Written
from ..planners.tidy import NotPutBack
from ..simulator.step import Step
from .relaxing import Relaxed


@dataclass(frozen=True, slots=True)
class SearchDone:
    """The reader's search of the scene ended, with or without what the instruction is about."""

    result: SearchResult


@dataclass(frozen=True, slots=True)
class GoalWritten:
    """The reader wrote a goal, or explained why it did not; a goal that was given counts as written."""

    written: Written


@dataclass(frozen=True, slots=True)
class Checked:
    """A goal was checked against the belief."""

    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class Observed:
    """In the true world the robot saw that a node is not as it was believed to be."""

    observation: Observation


@dataclass(frozen=True, slots=True)
class PutBack:
    """Facts were added to a reader's goal, so that doors and switches end as found, or could not be.

    ``goal`` is the goal with what was added; ``left`` is what no plan was found for.
    """

    goal: Goal
    added: tuple[Atom, ...]
    left: tuple[NotPutBack, ...]


@dataclass(frozen=True, slots=True)
class GoalRelaxed:
    """A goal that is impossible was given up in part, since that was allowed."""

    relaxed: Relaxed


@dataclass(frozen=True, slots=True)
class Planned:
    """Planning for a goal ended, with or without a plan."""

    result: PlanResult


@dataclass(frozen=True, slots=True)
class PlanJudged:
    """The simulator ran a plan that a model wrote: its steps, and why one was refused, if one was."""

    steps: tuple[Step, ...]
    feedback: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MoveRefused:
    """A command or move of a model could not be carried out; it is told why."""

    reason: str


Event = (
    SearchDone | GoalWritten | GoalRelaxed | Checked | Observed | PutBack | Planned | PlanJudged | MoveRefused
)
Listener = Callable[[Event], None]


def ignore(event: Event) -> None:
    """Listen to nothing."""
