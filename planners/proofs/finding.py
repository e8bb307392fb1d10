"""Proofs as findings of a check: the parts of a goal that no plan can bring about, with their place.

The static check (``compiler.goals.checker``) looks at facts one by one. What only follows from all that the
pack's actions can do is left to the certificates of this folder, of which the cheap ones are found while a
person waits. Bounds are in steps and not in seconds, so that the same goal has the same findings anywhere.
"""

from __future__ import annotations

from ...compiler.goals.goal import Goal, Path
from ...domains.diagnostic import Diagnostic
from ...domains.evaluate import Part
from ...domains.formula import Formula, children
from ...simulator.belief import Belief
from .impossible import proved_impossible
from .search import Proof, Prover

CHEAP_STEPS = 20_000
"""Most steps of each attempt at a cheap proof; goals of the office take 1,000, most proofs up to 5,000."""


def impossible(goal: Goal, belief: Belief, thorough: bool = False) -> tuple[Diagnostic, ...]:
    """Return the finding that a checked goal has no plan, where that is proved.

    Without ``thorough`` only facts that never change and facts that exclude each other are looked at, within
    :data:`CHEAP_STEPS`. Raises :class:`GoalError` for an expansion that is too large.

    >>> from groundplan import ground, load_pack, load_scene, parse_goal
    >>> office = ground(load_scene("office"), load_pack())
    >>> print(*impossible(parse_goal("(filled orange1)"), office))
    1:1: error[impossible]: only brew makes it so that orange1 is filled: ...; proved by fixed facts (...)
    """
    proof = (
        proved_impossible(goal.formula, belief)
        if thorough
        else Prover(goal.formula, belief, CHEAP_STEPS).quick()
    )
    return (_diagnostic(goal, proof),) if proof is not None else ()


def excluded_by_rules(goal: Goal, belief: Belief) -> tuple[Diagnostic, Proof] | None:
    """Return the finding that a rule excludes a checked goal, and its proof, where that is cheaply shown."""
    proof = Prover(goal.formula, belief, CHEAP_STEPS).quick() if belief.rules else None
    return (_diagnostic(goal, proof), proof) if proof is not None and proof.rules else None


def _diagnostic(goal: Goal, proof: Proof) -> Diagnostic:
    message = f"{'; '.join(proof.reasons)}; proved by {proof}"
    place = goal.spans.get(_place(goal.formula, proof.parts))
    return Diagnostic("rule" if proof.rules else "impossible", "error", message, place)


def _place(formula: Formula, parts: tuple[Part, ...]) -> Path:
    """Return the path of the last of some parts, of all where one was not written as such."""
    last = parts[-1][0] if parts else formula
    stack: list[tuple[Path, Formula]] = [((), formula)]
    while stack:
        path, node = stack.pop()
        if node is last:
            return path
        stack += [((*path, index), child) for index, child in enumerate(children(node))]
    return ()
