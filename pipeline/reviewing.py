"""Review of a reader's goals: turned down where they drifted, were not shown or are doubted, else settled."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..compiler.goals.goal import Goal
from ..domains.deadline import LimitReached
from ..domains.formula import And, conjunction, conjuncts, names
from ..language.chat.doubts import NO_DOUBTS, Doubts
from ..language.reader import ReaderTraits, SearchResult
from .audit import Audit
from .faults import DOUBTED
from .settling import SO_ALREADY, Pipeline, Verdict, stopped
from .subgraph import looked_for_in

IMPOSSIBLE = frozenset(("goal-error", "unsolvable"))
"""Outcomes of a goal of which a part may be impossible."""


@dataclass(frozen=True)
class GoalReview:
    """The review of the goals of one reader in one run."""

    pipeline: Pipeline
    traits: ReaderTraits

    def settle(self, audit: Audit, missing: str) -> Verdict:
        """Settle a goal, unless it is turned down before."""
        turned_down = self._turned_down(audit, missing)
        if turned_down is not None:
            return replace(turned_down, read=audit)
        verdict = replace(self.pipeline.settle(audit), read=audit)
        if verdict.failures == (SO_ALREADY,):  # which asks for nothing, so no repair can ask for less
            return verdict
        state = self.pipeline.state
        state.leeway.goals.append(audit.goal)
        if verdict.lacking or verdict.outcome not in IMPOSSIBLE or not self.pipeline.stages.repair:
            return verdict
        places = state.trajectory.exhausted if verdict.planning.certificate is None else ()
        with state.timed("check", self.pipeline.clock):
            verdict = replace(verdict, impossible=state.leeway.learn(audit.goal, state.belief, places))
            return replace(verdict, suggested=self.pipeline.suggested(audit))

    def _turned_down(self, audit: Audit, missing: str) -> Verdict | None:
        """Return the verdict on a goal that has drifted, names what was not shown, or is doubted."""
        goal, state = audit.goal, self.pipeline.state
        repaired = bool(state.attempts()) and not missing
        try:
            drift = state.leeway.drift(audit, repaired, bool(state.trajectory.executed))
        except LimitReached as cut:
            return stopped(goal, cut)
        # Where nothing was asked for yet, nothing can be lost.
        if drift and (state.leeway.goals or not self.pipeline.asks_for_nothing(audit)):
            return Verdict("goal-drift", goal, (drift,))
        objection = self._objection(audit, missing)
        if missing:
            state.leeway.goals.append(goal)
        elif objection is not None:
            named = ((part, set(names(part))) for part in conjuncts(goal.formula))
            reasoned = tuple(part for part, some in named if some.isdisjoint(audit.unsupported))
            state.leeway.goals += [Goal.of(And(reasoned))] if reasoned else []
        return objection

    def _objection(self, audit: Audit, missing: str) -> Verdict | None:
        """Return the verdict on a goal or reading that names what was not shown, or is doubted."""
        doubts = NO_DOUBTS if missing else self._doubts(audit)
        if not missing and not doubts:
            return None
        return Verdict("goal-error", audit.goal, (missing,) if missing else doubts.feedback, doubts=doubts)

    def _doubts(self, audit: Audit) -> Doubts:
        """Return reasons to doubt a goal that is well formed.

        A reader that may only forget something is asked once, and believed when it says the same again.
        """
        state, traits = self.pipeline.state, self.traits
        if state.revealed is None or not self.pipeline.stages.check:
            return NO_DOUBTS
        # What was proved impossible is not forgotten.
        gone = state.leeway.excused(audit.goal, state.belief)
        whole = replace(audit, goal=Goal.of(conjunction([audit.goal.formula, *gone]))) if gone else audit
        doubts = NO_DOUBTS
        if traits.guesses:
            doubts = replace(whole.doubts(state.revealed), unsupported=audit.unsupported)
        elif traits.forgets and not any(r.fault in DOUBTED for r in state.rounds):
            doubts = Doubts(forgotten=whole.forgotten)
        if not doubts or not audit.report.ok or self.pipeline.asks_for_nothing(audit):
            return NO_DOUBTS  # what the check says of it counts first
        return doubts

    def is_reading(self, search: SearchResult, goal: Goal) -> bool:
        """Return whether nothing is held against a reading, of all that is held against a goal."""
        audit = self.pipeline.audit(goal, self.traits.place)
        if not audit.report.ok or self.pipeline.asks_for_nothing(audit):
            return False
        return self._objection(audit, looked_for_in(goal, search)) is None
