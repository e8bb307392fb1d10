"""How a planner run ended.

Seven endings, never merged: "no plan was found" is not "there is no plan", and a crash is neither.
"""

from __future__ import annotations

import enum


class Ending(enum.Enum):
    SOLVED = "solved"
    UNSOLVABLE = "unsolvable"
    NOT_FOUND = "not-found"
    TIMED_OUT = "timed-out"
    OUT_OF_MEMORY = "out-of-memory"
    CRASHED = "crashed"
    UNSUPPORTED = "unsupported"
