"""Proofs that a plan is the cheapest: the time that they get, and in words why one is missing.

A proof takes an engine that is listed as complete and optimal, the goal's exact and whole problem, and time.
`share` is the part of the time that the attempt gets; the rest is for finding any plan. The sentences and
shares may be changed.
"""

from __future__ import annotations

from dataclasses import replace

from ..engines.engine import Engine
from ..engines.result import PlanResult
from ..simulator.belief import Belief

PROOF = "the proof that a plan is the best one"
"""The name of the attempt among what a clock cut off."""

SHARE, GREATER_SHARE = 0.3, 0.9


def share(engine: Engine) -> float:
    """Return the part of the time that an optimal engine gets for its proof."""
    return GREATER_SHARE if engine.options.optimal else SHARE


def with_reason(result: PlanResult, engine: Engine, belief: Belief) -> PlanResult:
    """Add to a plan the reason for which it is not proved to be the cheapest, where a proof was wanted."""
    attempted = engine.optimal or engine.options.optimal
    if not attempted or not result.verified or result.optimal:
        return result
    name = engine.name
    if PROOF in result.cut_off:
        why = f"the search of {name} for a proof was cut off at {share(engine):.0%} of the time limit"
    elif not engine.optimal:
        why = f"{name} proves no plan to be the cheapest; fast-downward-opt does"
    elif not engine.complete:
        why = f"the word of {name} alone is not taken for a proof"
    elif belief.rides:
        ways = ", ".join(belief.rides)
        why = f"the pack takes the robot elsewhere by {ways} too, which is not looked at everywhere"
    else:
        why = f"{name} gave no bound that holds for every plan of this goal"
    return replace(result, reasons=(*result.reasons, f"not proved to be the cheapest plan: {why}"))
