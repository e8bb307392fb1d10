"""Goal drift: a repaired goal that asks for less than the first well-formed one, or for what holds already.

A repair may replace a part of a goal, since a wrong name is put right that way, and may ask for more. It may
not have fewer parts than were taken out, nor offer what was asked as one of several choices.
"""

from __future__ import annotations

from ..compiler.check import check
from ..compiler.goal import Goal
from ..domains.formula import Formula, Or, conjuncts
from ..simulator.grounding import Belief


def drifted(first: Goal, repaired: Goal, belief: Belief) -> str:
    """What a repaired goal lost against the first well-formed one, in words; empty when nothing."""
    report = check(repaired, belief)
    if report.ok and any(d.code == "already-true" for d in report.diagnostics):
        return f"{repaired} holds already, so it cannot be what was asked"
    old, new = conjuncts(first.formula), conjuncts(repaired.formula)
    dropped = [c for c in dict.fromkeys(old) if c not in new]
    added = [c for c in dict.fromkeys(new) if c not in old]
    if len(added) < len(dropped):
        return f"the repair dropped {' '.join(map(str, dropped))}"
    for part in dropped:
        offer = next((c for c in added if offers(c, part)), None)
        if offer is not None:
            return f"the repair made {part} one of several choices: {offer}"
    return ""


def offers(formula: Formula, part: Formula) -> bool:
    """Whether a formula is a disjunction with a part among its alternatives."""
    return isinstance(formula, Or) and any(p == part or offers(p, part) for p in formula.parts)
