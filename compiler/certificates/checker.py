"""The checker of certificates: a small program that believes no planner.

It rechecks from the scene, the pack and the goal alone that no plan exists: first that the facts which a
certificate lists are never added or never deleted (``induction``), then that the goal contradicts them in
every case (``truth``), or in every state of a closed set (``states``). It imports the language of packs, the
scene and its initial state, and nothing of the compiler's passes or of a planner, so that it cannot share
their mistakes. Everything here errs on the side of "possible": whoever adds a rule must show that it rules
out nothing that a plan can do. An event may be left out.
"""

from __future__ import annotations

from ...domains.errors import clip
from ...domains.formula import Formula
from ...simulator.belief import Belief
from .certificate import Certificate, Refused
from .groups import Exclusion
from .induction import Induction
from .states import Projection
from .truth import Truth

MAX_CASES = 100_000
"""Most cases that one goal is split into."""
MAX_STATES = 100_000
"""Most states of a closed set."""


def check_certificate(certificate: Certificate, belief: Belief, goal: Formula) -> str:
    """Recheck that no plan reaches a goal; return the size of the proof in words.

    Raises :class:`Refused` with the statement that does not hold.
    """
    if unplaced := list(belief.scene.unplaced):
        raise Refused(f"the place of {clip(unplaced[0])} is not known, and may be any")
    induction = Induction(belief, certificate.added, certificate.deleted)
    induction.verify()
    groups = Exclusion(belief, {} if certificate.kind == "facts" else belief.exclusive)
    truth = Truth(induction, goal, groups)
    if certificate.kind == "facts":
        truth.most_cases = 0
        if not truth.refuted():
            raise Refused("the goal does not contradict the listed facts")
        return f"{len(certificate.added) + len(certificate.deleted)} statements"
    truth.most_cases = MAX_CASES
    if certificate.kind == "exclusive":
        if not truth.refuted():
            raise Refused("the goal does not contradict the groups of facts that exclude each other")
        return f"{truth.cases} cases"
    states = Projection(induction, groups, certificate.kept)
    for state in states.reachable(MAX_STATES):
        truth.suppose(states.values(state))
        if not truth.refuted():
            raise Refused("the goal may hold in a state that can be reached")
    return f"{states.count} states"
