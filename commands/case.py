"""The case of a run: the scene as the robot knows it, and the task that it is from."""

from __future__ import annotations

from dataclasses import dataclass

from ..datasets.task import Task
from ..simulator.belief import Belief


@dataclass(frozen=True, slots=True)
class Case:
    """The scene as the robot knows it, grounded under a pack, and the task that it comes from, if any."""

    belief: Belief
    task: Task | None
