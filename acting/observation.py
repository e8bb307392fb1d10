"""Observations in records: what the robot saw otherwise than it believed, and when.

What is seen is decided in ``simulator.sensing``, and what follows from it in ``Belief.observe``. The JSON is
part of records and fixed.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Observation:
    """New knowledge about a node after ``step`` steps; ``seen`` is ``None`` when it was not there."""

    step: int
    node: str
    believed: str
    seen: str | None

    def as_json(self) -> dict[str, object]:
        return {"step": self.step, "node": self.node, "believed": self.believed, "seen": self.seen}
