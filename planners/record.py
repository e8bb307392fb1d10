"""The record of one run: what was asked, what came of it, and what proves it.

A record is data for people and programs. Everything in it is a function of the input, the seed and recorded
answers; times live apart in ``timings``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ..domains.action import Plan
from ..domains.diagnostic import Diagnostic
from ..domains.ending import Ending
from ..simulator.step import Step
from ..simulator.verification import Violation
from .classical import Planned

OUTCOMES = (
    "verified",
    "unsolvable",
    "not-found",
    "timed-out",
    "out-of-memory",
    "crashed",
    "unsupported",
    "goal-error",
    "goal-drift",
    "rejected",
    "not-understood",
    "search-exhausted",
    "service-failed",
    "cancelled",
)

EXIT_CODES: Mapping[str, int] = {
    "verified": 0,
    "goal-error": 2,
    "not-understood": 3,
    "search-exhausted": 3,
    "service-failed": 3,
}
"""Exit codes of the command line; every other outcome is 1 (no plan, with the ending and why).

A ``goal-error`` is bad input where a person wrote the goal, and a reader that failed (3) where a reader did.
"""


def outcome_of(ending: Ending) -> str:
    """The outcome of a run whose planner ended without a plan."""
    return "verified" if ending is Ending.SOLVED else ending.value


@dataclass(frozen=True)
class Round:
    """One goal that was tried: its text, what was said about it, and the tokens that it cost.

    ``added`` and ``dropped`` are the conjuncts that differ from the goal of the round before, where both can
    be read; the feedback of that round is the reason for the change.
    """

    goal: str
    feedback: tuple[str, ...] = ()
    tokens: int = 0
    added: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    reopened: bool = False
    """Whether it was not judged, but searched for what it lacks."""

    def as_json(self) -> dict[str, object]:
        return {
            "goal": self.goal,
            "diff": {"added": list(self.added), "dropped": list(self.dropped)},
            "feedback": list(self.feedback),
            "reopened": self.reopened,
            "tokens": self.tokens,
        }


@dataclass(frozen=True)
class Record:
    """One run. Lengths and costs are millimetres inside and metres in :meth:`as_json`.

    ``usage`` is what a model was asked: calls, tokens, and how its answers were constrained.
    """

    outcome: str
    task: str | None = None
    instruction: str | None = None
    goal: str | None = None
    goals: tuple[Round, ...] = ()
    plan: tuple[Step, ...] = ()
    actions: Plan = ()
    cost: int | None = None
    bound: int | None = None
    optimal: bool = False
    length: int = 0
    executable: bool = False
    verified: bool = False
    violations: tuple[Violation, ...] = ()
    subgraph: tuple[str, ...] = ()
    trace: tuple[Mapping[str, object], ...] = ()
    engine: str | None = None
    reader: str | None = None
    usage: Mapping[str, object] = field(default_factory=dict)
    hashes: Mapping[str, str] = field(default_factory=dict)
    observations: tuple[Mapping[str, object], ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    reasons: tuple[str, ...] = ()
    mode: str = ""
    why: str = ""
    parts: tuple[str, ...] = ()
    proof: str | None = None
    reproducible: bool = True
    timings: Mapping[str, float] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        if self.outcome not in OUTCOMES:
            raise ValueError(f"no outcome {self.outcome!r}")
        if (self.outcome == "verified") != self.verified:
            raise ValueError(f"outcome {self.outcome} with verified={self.verified}")

    @property
    def exit_code(self) -> int:
        if self.outcome == "goal-error" and self.reader is not None:
            return 3
        return EXIT_CODES.get(self.outcome, 1)

    def as_json(self) -> dict[str, object]:
        """The JSON of ``plan --json``; metres, and the times under ``timings``."""
        return {
            "outcome": self.outcome,
            "task": self.task,
            "instruction": self.instruction,
            "goal": self.goal,
            "goals": [g.as_json() for g in self.goals],
            "plan": [str(s) for s in self.plan],
            "actions": [{"name": a.name, "args": list(a.args), "event": a.event} for a in self.actions],
            "cost": _metres(self.cost),
            "bound": _metres(self.bound),
            "optimal": self.optimal,
            "metres": _metres(self.length),
            "executable": self.executable,
            "verified": self.verified,
            "violations": [v.as_json() for v in self.violations],
            "subgraph": list(self.subgraph),
            "trace": [dict(t) for t in self.trace],
            "engine": self.engine,
            "reader": self.reader,
            "usage": dict(self.usage),
            "hashes": dict(self.hashes),
            "observations": [dict(o) for o in self.observations],
            "diagnostics": [d.as_json() for d in self.diagnostics],
            "reasons": list(self.reasons),
            "mode": self.mode,
            "why": self.why,
            "errands": list(self.parts),
            "proof": self.proof,
            "reproducible": self.reproducible,
            "timings": dict(self.timings),
        }


def recorded(base: Record, planned: Planned) -> Record:
    """A record of what planning came to."""
    verification = planned.verification
    refused = planned.domain_fault or (planned.ending is Ending.SOLVED and not planned.verified)
    return replace(
        base,
        outcome="rejected" if refused else outcome_of(planned.ending),
        plan=planned.steps,
        actions=planned.plan,
        cost=planned.cost,
        bound=planned.bound,
        optimal=planned.optimal,
        length=verification.length if verification is not None else 0,
        executable=verification is not None and verification.executable,
        verified=planned.verified,
        violations=verification.violations if verification is not None else (),
        reasons=planned.reasons,
        mode=planned.mode,
        why=planned.why,
        parts=planned.parts,
        proof=planned.proof,
        reproducible=planned.reproducible,
    )


def _metres(millimetres: int | None) -> float | None:
    return None if millimetres is None else millimetres / 1000
