"""The hybrid pipeline: a reader searches and writes a goal; check, planner and simulator do the rest.

What the reader may change is the goal and nothing else: the hashes of the pack and of the belief are taken
before and after and stored. A goal that the check, the planner or the simulator turns down goes back to the
reader with their words, at most :data:`MAX_REPAIRS` times. A repair that asks for less than the first
well-formed goal, or for what holds already, is goal drift and ends the run.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from ..compiler.check import check
from ..compiler.goal import Goal
from ..domains.diagnostic import Diagnostic
from ..domains.ending import Ending
from ..domains.errors import GoalError
from ..domains.formula import conjuncts
from ..language.reader import Attempt, History, NotUnderstood, Reader, SearchResult
from ..simulator.grounding import Belief
from ..simulator.view import View
from .classical import Planned, plan_goal
from .record import Record, Round, outcome_of
from .solving import Engine
from .text import Budget

MAX_REPAIRS = 5
"""Repairs of one goal, as many as SayPlan's replans (section 5.2)."""

Listener = Callable[[str, object], None]
"""Told about each stage as it ends: its name and its result."""


@dataclass(frozen=True)
class Request:
    """What a run is about: a belief, and an instruction or a goal (or both: then the goal is used)."""

    belief: Belief
    instruction: str | None = None
    goal: Goal | None = None
    task: str | None = None


def run(
    request: Request,
    engine: Engine,
    reader: Reader | None = None,
    budget: Budget | None = None,
    tell: Listener = lambda stage, result: None,
    clock: Callable[[], float] = time.perf_counter,
) -> Record:
    """Run the pipeline. With a goal given no reader is needed.

    Raises ``ValueError`` when there is neither a goal nor an instruction with a reader.
    """
    limits = budget or Budget()
    timings: dict[str, float] = {}
    belief = request.belief
    before = _hashes(belief)
    base = Record(
        "cancelled",
        task=request.task,
        instruction=request.instruction,
        engine=engine.name,
        reader=reader.name if reader is not None and request.goal is None else None,
    )
    if request.goal is not None:
        record = _planned(request.goal, base, request, engine, limits, tell, timings, clock)
    elif reader is not None and request.instruction is not None:
        record = _read(base, request, engine, reader, limits, tell, timings, clock)
    else:
        raise ValueError("a goal, or an instruction and a reader, is needed")
    after = _hashes(belief)
    hashes = {f"{k}_before": v for k, v in before.items()} | {f"{k}_after": v for k, v in after.items()}
    return replace(record, hashes=hashes, timings=timings)


def _hashes(belief: Belief) -> dict[str, str]:
    return {"pack": belief.pack.hash, "belief": belief.hash}


def _read(
    base: Record,
    request: Request,
    engine: Engine,
    reader: Reader,
    limits: Budget,
    tell: Listener,
    timings: dict[str, float],
    clock: Callable[[], float],
) -> Record:
    """Search, write, and repair as long as that helps."""
    assert request.instruction is not None
    started = clock()
    search = reader.search(request.instruction, View.collapsed(request.belief.scene))
    timings["search"] = clock() - started
    tell("search", search)
    base = replace(base, subgraph=search.subgraph, trace=tuple(s.as_json() for s in search.trace))
    if search.outcome != "found":
        return replace(base, outcome=search.outcome, reasons=(search.reason,) if search.reason else ())
    started = clock()
    written = reader.write(request.instruction, search.scene)
    timings["write"] = clock() - started
    rounds: list[Round] = []
    first: Goal | None = None
    for _ in range(MAX_REPAIRS + 1):
        tell("goal", written)
        if isinstance(written, NotUnderstood):
            if rounds:
                break
            return replace(base, outcome="not-understood", reasons=(str(written),))
        drift = _drift(first, written, request.belief)
        if drift:
            rounds.append(Round(str(written), (drift,)))
            base = replace(base, goal=str(written), goals=tuple(rounds))
            return replace(base, outcome="goal-drift", reasons=(drift,))
        record = _planned(written, base, request, engine, limits, tell, timings, clock)
        if record.outcome != "goal-error" and first is None:
            first = written
        feedback = record.reasons
        rounds.append(Round(str(written), feedback))
        record = replace(record, goals=tuple(rounds))
        if record.outcome not in ("goal-error", "unsolvable", "not-found") or _repeated(rounds):
            return record
        started = clock()
        history = History(
            request.instruction, search.scene, tuple(Attempt(r.goal, r.feedback) for r in rounds)
        )
        written = reader.repair(history, feedback)
        timings["repair"] = timings.get("repair", 0.0) + clock() - started
    return record


def _repeated(rounds: list[Round]) -> bool:
    return rounds[-1].goal in {r.goal for r in rounds[:-1]}


def _drift(first: Goal | None, goal: Goal, belief: Belief) -> str:
    """What a repaired goal lost against the first well-formed one; empty when nothing."""
    if first is None:
        return ""
    if any(d.code == "already-true" for d in check(goal, belief).diagnostics):
        return f"{goal} holds already, so it cannot be what was asked"
    old, new = set(conjuncts(first.formula)), set(conjuncts(goal.formula))
    if new < old:
        lost = [str(c) for c in conjuncts(first.formula) if c not in new]
        return f"the repair dropped {' '.join(lost)}"
    return ""


def _planned(
    goal: Goal,
    base: Record,
    request: Request,
    engine: Engine,
    limits: Budget,
    tell: Listener,
    timings: dict[str, float],
    clock: Callable[[], float],
) -> Record:
    """Check one goal, plan for it, verify the plan."""
    started = clock()
    base = replace(base, goal=str(goal))
    found: tuple[Diagnostic, ...] = check(goal, request.belief).diagnostics
    timings["check"] = timings.get("check", 0.0) + clock() - started
    tell("check", found)
    errors = tuple(str(d) for d in found if d.severity == "error")
    if errors:
        return replace(base, outcome="goal-error", diagnostics=found, reasons=errors)
    started = clock()
    try:
        planned = plan_goal(goal, request.belief, engine, limits)
    except GoalError as error:  # an expansion that is too large
        return replace(base, outcome="goal-error", diagnostics=found, reasons=(str(error),))
    timings["plan"] = timings.get("plan", 0.0) + clock() - started
    tell("plan", planned)
    return replace(_record(base, planned), diagnostics=found)


def _record(base: Record, planned: Planned) -> Record:
    verification = planned.verification
    if planned.ending is Ending.SOLVED and not planned.verified:
        outcome = "rejected"
    else:
        outcome = outcome_of(planned.ending)
    return replace(
        base,
        outcome=outcome,
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


__all__ = ["MAX_REPAIRS", "Listener", "Request", "SearchResult", "run"]
