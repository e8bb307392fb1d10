"""Fast Downward as an engine, satisficing or optimal, from the package up-fast-downward.

"fast-downward" is the first iteration of LAMA (lazy greedy search with FF and landmarks, every action counted
as one, over the text with its costs): quick at any size, and up to 2.3 times the cheapest plan. (Searches
that count costs from the start find cheaper plans for some goals, and none in the time for others: decision
0019 has what was measured.) Another search, or an alias of Fast Downward's own, may take its place; one that
goes on to improve its plan, as "lama" does, runs until nothing is left to try or most of its time is over.
"fast-downward-opt" is A* with LM-cut: it proves its cost, takes as little time for one errand, and is out of
reach beyond four at once; it knows no conditional effects of a text and no goals that need axioms
(disjunctions, quantifiers). Options in `SEARCHES` may be tuned, which changes plans; the two names and the
exit codes (Fast Downward's own) are fixed.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..compiler.engine_plan import action_lines
from ..domains.ending import Ending
from ..domains.errors import InputError, did_you_mean
from .base import CLOCKED, Budget, PddlText, Step, TextEngine, TextResult
from .programs import server as wire
from .statistics import read_statistics
from .worker import SHARED, Job, JobResult, Worker, decode, last_lines

PROGRAM = Path(__file__).with_name("programs") / "fast_downward.py"

_LANDMARKS = "landmark_sum(lm_factory=lm_reasonable_orders_hps(lm_rhw()),pref=false)"
_LAMA_FIRST = (
    f"let(hlm, eval_modify_costs({_LANDMARKS},cost_type=one),"
    "let(hff, eval_modify_costs(ff(),cost_type=one),"
    "lazy_greedy([hff,hlm],preferred=[hff,hlm],cost_type=one,reopen_closed=false)))"
)
ANYTIME_SHARE = 0.7
"""The part of the time after which a search that improves its plan is stopped; verifying takes the rest."""

SEARCHES = {"fast-downward": _LAMA_FIRST, "fast-downward-opt": "astar(lmcut())"}

# Exit codes of the search program without a plan; the translator's are those of `programs.server`.
_ENDINGS = {
    11: (Ending.UNSOLVABLE, "exhausted search"),
    12: (Ending.NOT_FOUND, "the search ended without covering all states"),
    13: (Ending.NOT_FOUND, "no plan within a cost bound"),
    20: (Ending.OUT_OF_MEMORY, "translator out of memory"),
    21: (Ending.TIMED_OUT, "translator out of time"),
    22: (Ending.OUT_OF_MEMORY, "search out of memory"),
    23: (Ending.TIMED_OUT, "search out of time"),
    24: (Ending.OUT_OF_MEMORY, "search out of memory and time"),
    31: (Ending.CRASHED, "the text cannot be read"),
    33: (Ending.CRASHED, "the search cannot be read"),
    34: (Ending.UNSUPPORTED, "a feature that this configuration does not know"),
}


@dataclass(frozen=True, slots=True)
class FastDownward(TextEngine):
    """``search`` is an alias or a search in Fast Downward's own words, from :func:`search_named`."""

    name: str = "fast-downward"
    worker: Worker = SHARED
    supports_costs: bool = True
    search: str | None = None

    def __post_init__(self) -> None:
        if self.name not in SEARCHES:
            raise ValueError(f"no configuration {self.name!r}; there are {', '.join(SEARCHES)}")
        if self.search is not None and self.name != "fast-downward":
            raise ValueError(f"{self.name} has a search of its own: its proofs rest on it")

    def solve_text(self, text: PddlText, budget: Budget) -> TextResult:
        return self.solve_many([text], budget)[0]

    def solve_many(self, texts: Sequence[PddlText], budget: Budget) -> list[TextResult]:
        """Solve several tasks, two at a time; the budget's seconds are for all of them together."""
        rounds = max(1, -(-len(texts) // self.worker.parallel))
        fixed = {
            "program": str(_folder() / "builds" / "release" / "bin" / "downward"),
            "driver": str(_folder() / "driver"),
            "search": self.search or SEARCHES[self.name],
            "unconditional": self.name == "fast-downward-opt",
            "seconds": ANYTIME_SHARE * budget.seconds / rounds,
        }
        jobs = [
            Job(PROGRAM, {"domain": text.domain, "problem": text.problem, **fixed}, budget.memory_mb)
            for text in texts
        ]
        return [self._result(outcome, budget) for outcome in self.worker.run(jobs, budget.seconds)]

    def _result(self, outcome: JobResult, budget: Budget) -> TextResult:
        head, _, body = outcome.result.partition("\n")
        reply = decode(head)
        plan, cost = read_plan(body)
        ending, proof, detail = self._judge(outcome, reply, plan, budget)
        if ending is not Ending.SOLVED:
            plan = cost = None
        optimal = self.name == "fast-downward-opt" and cost is not None
        printed = read_statistics(outcome.output)
        return TextResult(
            ending,
            plan,
            cost,
            cost if optimal else None,
            optimal,
            proof,
            reproducible="stopped" not in reply and ending not in CLOCKED,
            engine=self.name,
            seconds=outcome.seconds,
            detail=detail,
            statistics=printed.counts,
            times=printed.seconds | ({"translate": reply["translate"]} if "translate" in reply else {}),
        )

    def _judge(
        self, outcome: JobResult, reply: dict[str, Any], plan: tuple[Step, ...] | None, budget: Budget
    ) -> tuple[Ending, str | None, str]:
        output = _without_clocks(outcome.output)
        if failure := outcome.failure(budget.memory_mb):
            return failure[0], None, f"{failure[1]}\n{output}".strip()
        if outcome.exit == wire.DONE and "proof" in reply:
            return Ending.UNSOLVABLE, str(reply["proof"]), output
        if outcome.exit == wire.DONE and plan is not None:
            return Ending.SOLVED, None, output
        if "stopped" in reply:
            return Ending.TIMED_OUT, None, f"stopped, without a plan, at its limit\n{output}".strip()
        ending, words = _ENDINGS.get(
            outcome.exit or 0, (Ending.CRASHED, f"exit code {outcome.exit}, no plan")
        )
        detail = f"{reply.get('detail', words)}\n{output}".strip()
        return ending, words if ending is Ending.UNSOLVABLE else None, detail


def search_named(search: str) -> str:
    """Check a search, which is an alias or a call in Fast Downward's words; what it means is left to it.

    Raises :class:`InputError` for a word that is no alias.
    """
    if "(" in search:
        return search
    aliases = search_aliases()
    if search not in aliases:
        hint = did_you_mean(search, aliases) or f"aliases: {', '.join(aliases)}; or a search: astar(lmcut())"
        raise InputError("--engine-search", "an alias or a search of Fast Downward", repr(search), hint)
    return search


def search_aliases() -> list[str]:
    """The aliases for searches that the installed Fast Downward has; empty where none is installed."""
    try:
        text = (_folder() / "driver" / "aliases.py").read_text(encoding="utf-8")
    except OSError:
        return []
    return sorted(re.findall(r'^ALIASES\["([^"]+)"\]', text, re.MULTILINE))


def _without_clocks(output: str) -> str:
    """The last lines of its output, less times and sizes: those differ from run to run."""
    lines = [re.sub(r"^\[t=[^]]*\] ", "", line) for line in output.splitlines()]
    return last_lines(
        "\n".join(line for line in lines if not re.search(r"CPU|time:|memory|hash set", line, re.I))
    )


def read_plan(text: str) -> tuple[tuple[Step, ...] | None, int | None]:
    """The actions of a plan file and its cost, which closes it; `None` where it was cut off before."""
    try:
        lines = action_lines(text)
    except InputError:
        return None, None
    return (lines.actions, lines.cost) if lines.cost is not None else (None, None)


def _folder() -> Path:
    spec = importlib.util.find_spec("up_fast_downward")
    if spec is None or spec.origin is None:
        return Path("downward")  # the worker reports what is missing
    return Path(spec.origin).parent / "downward"
