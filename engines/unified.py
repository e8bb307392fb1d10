"""Any engine of unified-planning by its name there, in a child process that builds its ``Problem``.

The problem goes there as data, and a text that is somebody else's as text, which unified-planning's reader
reads.
About 2.5 s a call, nearly all of it imports: for comparing engines, not for interactive use. Statuses are
translated by `_ENDINGS`, which may grow; only `UNSOLVABLE_PROVEN` may become "unsolvable".
"""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..domains.ending import Ending
from .base import CLOCKED, Budget, PddlText, TextEngine, TextResult
from .worker import SHARED, Job, Worker, decode, last_lines

PROGRAM = Path(__file__).with_name("programs") / "unified.py"
LOOKUP_SECONDS = 60.0

_ENDINGS = {
    "SOLVED_SATISFICING": Ending.SOLVED,
    "SOLVED_OPTIMALLY": Ending.SOLVED,
    "INTERMEDIATE": Ending.SOLVED,
    "UNSOLVABLE_PROVEN": Ending.UNSOLVABLE,
    "UNSOLVABLE_INCOMPLETELY": Ending.NOT_FOUND,
    "TIMEOUT": Ending.TIMED_OUT,
    "MEMOUT": Ending.OUT_OF_MEMORY,
    "UNSUPPORTED_PROBLEM": Ending.UNSUPPORTED,
}


@functools.cache
def unified_names() -> Mapping[str, bool]:
    """The planners that unified-planning finds here, and whether each knows costs; asked in a child once."""
    if importlib.util.find_spec("unified_planning") is None:
        return {}
    [outcome] = SHARED.run([Job(PROGRAM, {}, memory_mb=4096, foreign=True)], LOOKUP_SECONDS)
    return dict(sorted(decode(outcome.result).get("names", {}).items()))


@dataclass(frozen=True, slots=True)
class Unified(TextEngine):
    name: str
    worker: Worker = SHARED
    supports_costs: bool = True  # what else it does not know, the engine itself says: unsupported

    def solve_text(self, text: PddlText, budget: Budget) -> TextResult:
        problem = (
            {"domain": text.domain, "problem": text.problem} if text.data is None else {"data": text.data()}
        )
        request = {"engine": self.name, "seconds": budget.seconds, **problem}
        [outcome] = self.worker.run([Job(PROGRAM, request, budget.memory_mb, foreign=True)], budget.seconds)
        reply = decode(outcome.result)
        plan = cost = proof = None
        if failure := outcome.unanswered(budget.memory_mb, reply, "status"):
            ending, detail = failure
        else:
            status = reply["status"]
            ending, detail = _ENDINGS.get(status, Ending.CRASHED), last_lines(reply["detail"]) or status
            # The plan decides, not the status.
            if reply["plan"] is not None and ending is not Ending.UNSOLVABLE:
                plan = tuple(tuple(map(str.lower, step)) for step in reply["plan"])
                ending, cost = Ending.SOLVED, reply["cost"]
            elif ending is Ending.SOLVED:
                ending, detail = Ending.CRASHED, f"{status}, but there is no plan"
            elif ending is Ending.UNSOLVABLE:
                proof = f"reported by {self.name}"
        optimal = cost is not None and reply["status"] == "SOLVED_OPTIMALLY"
        return TextResult(
            ending,
            plan,
            cost,
            cost if optimal else None,
            optimal,
            proof,
            reproducible=ending not in CLOCKED and reply.get("status") not in ("INTERMEDIATE", "TIMEOUT"),
            engine=self.name,
            seconds=outcome.seconds,
            detail=detail,
        )
