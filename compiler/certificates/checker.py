"""The checker of certificates: a small program that believes no planner.

It rechecks from the scene, the pack and the goal alone that no plan exists: first that the facts which a
certificate lists are never added or never deleted (``induction``), then that the goal contradicts them in
every case (``cases``), or in every state of a closed set (``states``). It imports the language of packs and
the truth of its formulas, the scene and its states, and nothing of the compiler's passes or of a planner, so
that it cannot share their mistakes. Everything here errs on the side of "possible": whoever adds a rule must
show that it rules out nothing that a plan can do. An event may be left out.
"""

from __future__ import annotations

from ...domains.errors import clip, counted
from ...domains.formula import Formula
from ...simulator.belief import Belief
from .cases import Cases
from .certificate import Certificate, Refused
from .constraints import for_proofs, kept_by_runs
from .induction import Induction
from .states import Projection

MAX_CASES = 100_000
"""Most cases that one goal is split into."""
MAX_STATES = 100_000
"""Most states of a closed set."""
MAX_KEPT = 1_000
"""Most facts of its states."""


def most_steps(belief: Belief) -> int:
    """Return the most steps of a check: some 2 s of work on a scene of 200 nodes, 50 s on one of 10,000."""
    return 200_000 + 800 * len(belief.scene.nodes)


def check_certificate(certificate: Certificate, belief: Belief, goal: Formula) -> str:
    """Recheck that no plan reaches a goal; return the size of the proof in words.

    Raises :class:`Refused` with the statement that does not hold, or where the check takes too many steps.
    """
    if unplaced := list(belief.scene.unplaced):
        raise Refused(f"the place of {clip(unplaced[0])} is not known, and may be any")
    if len(certificate.kept) > MAX_KEPT:
        raise Refused(f"states of {len(certificate.kept)} facts, and at most {MAX_KEPT} are looked at")
    run, (goal, belief) = kept_by_runs(goal, belief), for_proofs(goal, belief)
    induction = Induction(belief, most_steps(belief), certificate.added, certificate.deleted)
    induction.verify()
    groups = {} if certificate.kind == "facts" else belief.exclusive
    cases = Cases(induction, goal, groups, 0 if certificate.kind == "facts" else MAX_CASES)
    if certificate.kind != "states":
        if not cases.refuted():
            raise Refused("the goal does not contradict the listed facts and those that exclude each other")
        statements = counted(len(certificate.added) + len(certificate.deleted), "statement")
        return statements if certificate.kind == "facts" else counted(cases.count, "case")
    states = Projection(induction, groups, certificate.kept, run)
    if not all(map(cases.refuted, states.reachable(MAX_STATES))):
        raise Refused("the goal may hold in a state that can be reached")
    return counted(states.count, "state")
