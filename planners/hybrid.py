"""The hybrid pipeline: a reader searches and writes a goal; check, planner and simulator do the rest.

What the reader may change is the goal and nothing else: the hashes of the pack and of the belief are taken
before and after and stored. Failures are of three kinds (design, "The world answers"):

- a *goal fault* (no goal, check failed, unsolvable) goes back to the reader with the words of whoever found
  it, at most :data:`MAX_REPAIRS` times; a repair that asks for less than the first well-formed goal, or for
  what holds already, is goal drift and ends the run;
- a *belief fault* (the true world refuses a step that the belief allowed) is observed, the belief is updated
  and the same goal planned again;
- a *domain fault* (planner and simulator disagree although belief and world are the same) ends the run.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from ..compiler.comparison.drift import drifted
from ..compiler.goals.checker import check
from ..compiler.goals.goal import Goal, Missing
from ..domains.errors import GoalError
from ..domains.formula import conjuncts, names
from ..language.reader import (
    Attempt,
    History,
    NotUnderstood,
    Reader,
    ReaderError,
    SearchResult,
    Unreadable,
    Written,
)
from ..simulator.belief import Belief
from ..simulator.verification import verify_plan
from ..simulator.view import View
from .classical import Planned, plan_goal
from .engines.base import Budget
from .engines.engine import Engine
from .observation import Observation, observe
from .record import Record, Round, recorded

MAX_REPAIRS = 5
"""Repairs of one goal, as many as SayPlan's replans (section 5.2)."""
REPAIRED = frozenset(("goal-error", "unsolvable", "not-found", "search-exhausted"))
"""Outcomes of one goal after which the reader is asked for another."""
MAX_SEARCHES = 3
"""Searches in one run: the first, and those that a goal with something missing asks for."""
MAX_OBSERVATIONS = 10
"""Belief updates in one run."""

Listener = Callable[[str, object], None]
"""Told about each stage as it ends: its name and its result."""


@dataclass(frozen=True)
class Request:
    """What a run is about: a belief, and an instruction or a goal (with both the goal is used).

    ``world`` is the truth where it differs from the belief.
    """

    belief: Belief
    instruction: str | None = None
    goal: Goal | None = None
    task: str | None = None
    world: Belief | None = None


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
    if request.goal is None and (reader is None or request.instruction is None):
        raise ValueError("a goal, or an instruction and a reader, is needed")
    return _Run(request, engine, reader, budget or Budget(), tell, clock).run()


@dataclass
class _Run:
    """One run and what it has come to so far."""

    request: Request
    engine: Engine
    reader: Reader | None
    limits: Budget
    tell: Listener
    clock: Callable[[], float]
    timings: dict[str, float] = field(default_factory=dict)
    rounds: list[Round] = field(default_factory=list)
    observations: list[Observation] = field(default_factory=list)
    judged_goals: list[Goal] = field(default_factory=list)
    """Those that could be read, in order: what repairs are held against."""
    conjuncts: tuple[str, ...] = ()
    """Of the goal of the last round."""
    searches: int = 0
    noted: int = 0
    """Tokens of writing goals that are in the rounds already."""

    def run(self) -> Record:
        self.belief = self.request.belief
        before = self.hashes()
        goal = self.request.goal
        self.base = Record(
            "cancelled",
            task=self.request.task,
            instruction=self.request.instruction,
            engine=self.engine.name,
            reader=self.reader.name if self.reader is not None and goal is None else None,
        )
        record = self.planned(goal) if goal is not None else self.read()
        hashes = {f"{k}_before": v for k, v in before.items()}
        hashes |= {f"{k}_after": v for k, v in self.hashes().items()}
        seen = tuple(o.as_json() for o in self.observations)
        meter = self.reader.meter if self.reader is not None else None
        usage = meter.as_json() if meter is not None else {}
        return replace(record, hashes=hashes, observations=seen, usage=usage, timings=self.timings)

    def hashes(self) -> Mapping[str, str]:
        """Of the pack, and of the belief that the run was given; what was observed is listed beside it."""
        return {"pack": self.request.belief.pack.hash, "belief": self.request.belief.scene.hash}

    def timed(self, stage: str, started: float) -> None:
        self.timings[stage] = self.timings.get(stage, 0.0) + self.clock() - started

    # The reader's part

    def read(self) -> Record:
        """Search, write, and repair as long as that helps."""
        try:
            return self.conversation()
        except ReaderError as error:
            if error.partial_search is not None:
                self.note(error.partial_search)
            base = replace(self.base, goals=tuple(self.rounds))
            return replace(base, outcome="service-failed", reasons=(str(error),))

    def conversation(self) -> Record:
        search = self.search(View.first(self.belief.scene), "")
        if search.outcome != "found":
            reasons = (search.reason,) if search.reason else ()
            return replace(self.base, outcome=search.outcome, reasons=reasons)
        written = self.write(search)
        record = self.base
        for repairs in range(MAX_REPAIRS + 1):
            missing = self.missing(written, search)
            while missing and self.searches < MAX_SEARCHES:
                self.rounds.append(self.round(written, (missing,), reopened=True))
                search = self.search(search.view, missing)
                if search.outcome != "found":
                    base = replace(self.base, goals=tuple(self.rounds))
                    return replace(base, outcome=search.outcome, reasons=(search.reason, missing))
                written = self.write(search)
                missing = self.missing(written, search)
            self.tell("goal", written)
            if isinstance(written, NotUnderstood):
                if repairs:
                    return record
                base = replace(self.base, goals=tuple(self.rounds))
                return replace(base, outcome="not-understood", reasons=(str(written),))
            record = self.judged(written, missing)
            self.rounds.append(self.round(written, record.reasons))
            record = replace(record, goals=tuple(self.rounds))
            if record.outcome not in REPAIRED or self.repeated() or repairs == MAX_REPAIRS:
                break
            written = self.repair(search, record.reasons)
        return record

    def round(self, written: Written, feedback: tuple[str, ...], reopened: bool = False) -> Round:
        """One goal for the record, with what changed against the goal of the round before."""
        new = tuple(map(str, conjuncts(written.formula))) if isinstance(written, Goal) else ()
        old, self.conjuncts = self.conjuncts, new
        both = bool(self.rounds and old and new)
        added = tuple(c for c in new if c not in old) if both else ()
        dropped = tuple(c for c in old if c not in new) if both else ()
        return Round(str(written), feedback, self.tokens(), added, dropped, reopened)

    def search(self, view: View, reason: str) -> SearchResult:
        assert self.reader is not None and self.request.instruction is not None
        started = self.clock()
        self.searches += 1
        found = self.reader.search(self.request.instruction, view, reason)
        self.timed("search", started)
        self.tell("search", found)
        self.note(found)
        return found

    def note(self, found: SearchResult) -> None:
        """Put a search, or the part of it that was made, into the record."""
        trace = (*self.base.trace, *(s.as_json() for s in found.trace))
        self.base = replace(self.base, subgraph=found.subgraph, trace=trace)

    def write(self, search: SearchResult) -> Written:
        assert self.reader is not None and self.request.instruction is not None
        started = self.clock()
        written = self.reader.write(self.request.instruction, search.scene)
        self.timed("write", started)
        return written

    def repair(self, search: SearchResult, feedback: tuple[str, ...]) -> Written:
        assert self.reader is not None and self.request.instruction is not None
        started = self.clock()
        attempts = tuple(Attempt(r.goal, r.feedback) for r in self.rounds if not r.reopened)
        history = History(self.request.instruction, search.scene, attempts)
        written = self.reader.repair(history, feedback)
        self.timed("repair", started)
        return written

    def tokens(self) -> int:
        """Tokens of the goals that were written since the last round."""
        meter = self.reader.meter if self.reader is not None else None
        spent = meter.spent("goal", "repair") if meter is not None else 0
        since, self.noted = spent - self.noted, spent
        return since

    def missing(self, written: Written, search: SearchResult) -> str:
        """What a search should be taken up again for; empty when nothing."""
        if isinstance(written, Missing):
            return written.words
        if isinstance(written, Goal):
            shown = set(search.scene.nodes)
            hidden = [n for n in names(written.formula) if n not in shown and n in self.belief.scene.nodes]
            if hidden:
                return f"the goal names {', '.join(hidden)}, which was never opened"
        return ""

    def repeated(self) -> bool:
        return self.rounds[-1].goal in {r.goal for r in self.rounds[:-1] if not r.reopened}

    def judged(self, written: Goal | Missing | Unreadable, missing: str) -> Record:
        """What becomes of one answer of the reader; ``missing`` is what no search found for it."""
        if isinstance(written, Missing):
            reason = f"the scene shows no {written.words}, and searching for it found none"
            return replace(self.base, outcome="search-exhausted", goal=str(written), reasons=(reason,))
        if missing:
            if isinstance(written, Goal):
                self.judged_goals.append(written)
            return replace(self.base, outcome="goal-error", goal=str(written), reasons=(missing,))
        if isinstance(written, Unreadable):
            base = replace(self.base, goal=written.text)
            return replace(base, outcome="goal-error", reasons=(written.feedback,))
        repair = any(not r.reopened for r in self.rounds)
        drift = drifted(self.judged_goals, written, self.belief) if repair else ""
        if drift:
            return replace(self.base, outcome="goal-drift", goal=str(written), reasons=(drift,))
        self.judged_goals.append(written)
        return self.planned(written)

    # The planner's and the world's part

    def planned(self, goal: Goal) -> Record:
        """Check one goal, plan for it, verify the plan; learn and plan again where the world differs."""
        base = replace(self.base, goal=str(goal))
        while True:
            started = self.clock()
            found = check(goal, self.belief).diagnostics
            self.timed("check", started)
            self.tell("check", found)
            errors = tuple(str(d) for d in found if d.severity == "error")
            if errors:
                return replace(base, outcome="goal-error", diagnostics=found, reasons=errors)
            started = self.clock()
            try:
                planned = plan_goal(goal, self.belief, self.engine, self.limits)
            except GoalError as error:  # an expansion that is too large
                return replace(base, outcome="goal-error", diagnostics=found, reasons=(str(error),))
            self.timed("plan", started)
            if not self.learned(goal, planned):
                break
        planned = self.on_world(goal, planned)
        self.tell("plan", planned)
        return replace(recorded(base, planned), diagnostics=found)

    def learned(self, goal: Goal, planned: Planned) -> bool:
        """Whether the true world refused a plan, and what was seen there changed the belief."""
        world = self.request.world
        if world is None or not planned.verified or len(self.observations) >= MAX_OBSERVATIONS:
            return False
        if verify_plan(planned.steps, world, goal.formula).verified:
            return False
        found, belief = observe(planned.steps, self.belief, world)
        self.observations += found
        for observation in found:
            self.tell("observation", observation)
        self.belief = belief
        return bool(found)

    def on_world(self, goal: Goal, planned: Planned) -> Planned:
        """A plan with the true world's word on it."""
        world = self.request.world
        if world is None or not planned.verified:
            return planned
        verification = verify_plan(planned.steps, world, goal.formula)
        reasons = () if verification.verified else verification.feedback()
        return replace(planned, verification=verification, reasons=reasons)
