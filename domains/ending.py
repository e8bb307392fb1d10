"""Endings of a planner run: seven, never merged.

"No plan was found" is not "there is no plan", and a crash is neither. The values are written into records and
must stay; a new ending also needs an outcome in ``pipeline/record`` and words in
``commands/console/outcomes``.
"""

from __future__ import annotations

import enum


class Ending(enum.Enum):
    """Ending of planning: with a plan, with a proof that there is none, or with neither and why."""

    SOLVED = "solved"
    UNSOLVABLE = "unsolvable"
    NOT_FOUND = "not-found"
    TIMED_OUT = "timed-out"
    OUT_OF_MEMORY = "out-of-memory"
    CRASHED = "crashed"
    UNSUPPORTED = "unsupported"
