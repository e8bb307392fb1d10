"""Method ``gold``: the gold goal through the classical half, the upper bound on every other method.

What it fails at is no reader's fault. It takes the goal of the request, which only a comparison that knows
the task can put there, and is the method for comparing engines.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from ..pipeline.hybrid import run
from ..pipeline.record import Record
from ..planners.request import Request
from .method import Limits, Needs, Tools, unsupported


@dataclass(frozen=True, slots=True)
class GoldMethod:
    """Planning for a goal that is given."""

    acts: ClassVar[bool] = True
    takes_gold: ClassVar[bool] = True
    needs: ClassVar[Needs] = "nothing"
    name: str = "gold"

    def run(self, request: Request, tools: Tools, limits: Limits) -> Record:
        """Check the goal, plan for it and verify the plan."""
        if request.goal is None:
            return unsupported(request, "gold plans for gold goals, and this task has none")
        if tools.engine is None:
            return unsupported(request, "gold needs an engine")
        return replace(run(request, tools.engine, None, limits.budget(), tools.listen), method=self.name)
