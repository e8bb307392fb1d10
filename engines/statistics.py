"""Statistics of an engine's own work: states expanded, evaluated, generated; the plan's length and cost.

Counts go to the record's ``statistics``, seconds to its ``timings``: the same input gives the same counts,
and never the same seconds. They are read from printed lines; what an engine does not print is not there.
Patterns may be added, and every key that exists must keep its meaning.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from copy import deepcopy
from dataclasses import dataclass, field

from .base import TextResult

COUNTS = ("expanded", "evaluated", "generated", "plan_length", "plan_cost")
"""Keys of an engine's counts; costs are in the text's metric, which is millimetres for texts with costs."""
SECONDS = ("translate", "search")

_COUNTED = {
    "expanded": r"Expanded (\d+) state\(s\)|, (\d+) expanded",
    "evaluated": r"Evaluated (\d+) state\(s\)|, (\d+) evaluated",
    "generated": r"Generated (\d+) state\(s\)",
}
_TIMED = {
    "search": (r"Search time: ([\d.]+)s", r"search ([\d.]+) ms"),
    "translate": (r"\] Done! \[.* ([\d.]+)s wall-clock\]", r"sas ([\d.]+) ms"),
}


@dataclass(frozen=True, slots=True)
class Printed:
    """Numbers from the lines that an engine printed."""

    counts: dict[str, int]
    seconds: dict[str, float]


def read_statistics(output: str) -> Printed:
    """Read the numbers that Fast Downward and Kairos print; the last of each counts."""
    counts: dict[str, int] = {}
    for key, pattern in _COUNTED.items():
        for hit in re.finditer(pattern, output):
            counts[key] = int(hit[hit.lastindex or 0])
    seconds: dict[str, float] = {}
    for key, patterns in _TIMED.items():
        for pattern, unit in zip(patterns, (1.0, 0.001), strict=True):
            for hit in re.finditer(pattern, output):
                seconds[key] = float(hit[1]) * unit
    return Printed(counts, seconds)


@dataclass
class Tally:
    """Sums over the answers of an engine: of a run, when what was there before is taken away.

    ``answers`` counts problems that were answered, from memory or not, and ``plans`` the plans among them;
    the keys of `COUNTS` are sums over all answers that tell them, and missing where none does.
    """

    counts: Counter[str] = field(default_factory=Counter)
    seconds: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))

    def add(self, answer: TextResult, fresh: bool) -> None:
        """Add an answer; one from memory took no time."""
        counts = {"answers": 1, "plans": int(answer.plan is not None)}
        counts |= {key: answer.statistics[key] for key in COUNTS if key in answer.statistics}
        if answer.plan is not None:
            counts["plan_length"] = len(answer.plan)
            if answer.cost is not None:
                counts["plan_cost"] = answer.cost
        self.counts.update(counts)
        for key in SECONDS:
            if fresh and key in answer.times:
                self.seconds[key] += answer.times[key]

    def since(self, before: Tally) -> Tally:
        """Return what was added after a copy was made."""
        spent = deepcopy(self)
        spent.counts.subtract(before.counts)
        for key, seconds in before.seconds.items():
            spent.seconds[key] -= seconds
        return spent
