"""Reader of the plan files that planners write: `(action argument ...)` a line.

Comments begin with a semicolon; `; cost = N` is what the planner says that the plan costs, in the text's own
metric. Times before a step and durations after it (as VAL and temporal planners write them) are passed over.
Everything else is no plan, and nothing is guessed.
"""

from __future__ import annotations

import re

from .base import Step

_STEP = re.compile(r"(?:\d+(?:\.\d+)?\s*:\s*)?\(([^()]*)\)(?:\s*\[\s*\d+(?:\.\d+)?\s*\])?")
_COST = re.compile(r";\s*cost\s*=\s*(\d+)", re.IGNORECASE)


class NotAPlan(ValueError):
    """Error in a plan file, with the line."""


def read_steps(text: str) -> tuple[tuple[Step, ...], int | None]:
    """Return the steps in lower case, and the cost that the file says. Raises :class:`NotAPlan`."""
    steps: list[Step] = []
    cost: int | None = None
    for number, line in enumerate(text.splitlines(), 1):
        if told := _COST.match(line.strip()):
            cost = int(told[1])
        words = line.partition(";")[0].strip()
        if not words:
            continue
        step = _STEP.fullmatch(words)
        if step is None or not step[1].split():
            shown = f"line {number} of its plan is no step: {words[:60]!r}"
            raise NotAPlan(f"{shown}, expected (action argument ...)")
        steps.append(tuple(step[1].lower().split()))
    return tuple(steps), cost
