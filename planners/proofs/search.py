"""Proofs that a goal has no plan: a search for certificates, the cheapest kind first.

Nothing here is believed: what is returned was rechecked by ``compiler.certificates``. The kinds, in order:
*facts* that no action brings about, *exclusive* facts in a split into cases, and a closed set of *states* of
some facts, widened step by step; of a few facts already before a plan is looked for, where a run has
constraints to keep. Each may be tried in another order or within other bounds.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from ...compiler.certificates.cases import Cases
from ...compiler.certificates.certificate import Certificate, Refused
from ...compiler.certificates.checker import check_certificate, most_steps
from ...compiler.certificates.constraints import for_proofs, kept_by_runs, with_rules, without_constraints
from ...compiler.certificates.states import Projection
from ...domains.deadline import LimitReached, note_cut, share_of_time
from ...domains.ending import Ending
from ...domains.errors import clip
from ...domains.evaluate import Part, open_atoms, possible, required_parts
from ...domains.formula import FALSE, And, Formula, GroundAtom, conjuncts, constraints
from ...engines.result import PlanResult
from ...simulator.belief import Belief
from ...simulator.partial_state import PartialState
from .choices import MAX_ATOMS, FactChoice, FactChoices
from .explanation import essential, impossible_part, impossible_together
from .statements import Statements

QUICK_SHARE = 0.3
"""The part of the time that is left which proofs before any search of states may take."""
STEPS_SHARE = 0.5
"""The part of the steps that the checker allows which each attempt may take."""
CASES = 2_000
"""Most cases that are tried in looking for a proof; the checker allows more."""
FEW_SITUATED = 2_000
"""Most states of things where they are now in which a proof is looked for before a plan."""
FEW_STATES, FEW_CASES = 64, 100
"""Most states and cases in which parts of a goal that exclude each other are looked for."""
MAX_REASON = 200
"""Longest constraint in a reason."""
MAX_PARTS = 200
"""Most conjuncts of a goal among which those that exclude each other are looked for."""


@dataclass(frozen=True, slots=True)
class Proof:
    """A certificate that was rechecked, the size of it in words, and the reasons in a user's words.

    ``parts`` are the parts of the goal that the reasons mention, ``rules`` the rules that it rests on.
    """

    certificate: Certificate
    size: str
    reasons: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    rules: tuple[Formula, ...] = ()

    def __str__(self) -> str:
        return f"{NAMES[self.certificate.kind]} ({self.size})"

    @property
    def of_places(self) -> bool:
        """True if it rests on where things are now, of which not all may be known."""
        return self.certificate.kind == "states"

    def result(self) -> PlanResult:
        """Return the answer of planning that this proof is."""
        return PlanResult(
            Ending.UNSOLVABLE, proof=str(self), reasons=self.reasons, certificate=self.certificate
        )


START_BROKEN = "what is broken before anything is done cannot be kept"
NAMES = {"facts": "fixed facts", "exclusive": "exclusive facts", "states": "closed set of states"}
"""The kinds of proofs, as records and people name them."""


class Prover:
    """Search for certificates that one goal has no plan in one belief.

    Each attempt takes at most ``steps``; by default a share of those that the checker allows. What the goal
    says of the run counts as far as it bars ways, and asks something of the end.
    """

    def __init__(self, goal: Formula, belief: Belief, steps: int | None = None) -> None:
        self.written, self.given = goal, belief
        self._constrained = bool(belief.rules or constraints(goal))
        self._run = kept_by_runs(goal, belief)
        self.goal, self.belief = goal, belief = for_proofs(goal, belief)
        self.statements = Statements(belief)
        self.steps = steps or round(STEPS_SHARE * most_steps(belief))
        self._quick: Proof | None = None
        self._tried = bool(belief.scene.unplaced)  # the checker refuses all proofs there

    def quick(self) -> Proof | None:
        """Return a proof by facts that never change, or by facts that exclude each other."""
        if not self._tried:
            self._tried = True
            try:
                with share_of_time(QUICK_SHARE):
                    self._quick = self._for_constraints(self._first_of_quick())
            except LimitReached:
                note_cut("the search for a proof that there is no plan")
        return self._quick

    def _first_of_quick(self) -> Proof | None:
        if self._constrained:  # what is impossible without them is not for their sake
            free = with_rules(self.given, ())
            end = Prover(without_constraints(self.written), free, self.steps)._first_of_quick()
            if end is not None:
                certificate = replace(end.certificate, goal=str(self.written))
                with suppress(Refused):
                    size = check_certificate(certificate, self.given, self.written)
                    return replace(end, certificate=certificate, size=size)
        attempts = [self._facts, self._exclusive]
        for attempt in (*attempts, self._situated) if self._run else attempts:
            with suppress(Refused):
                self.statements.steps = self.steps
                if (proof := attempt()) is not None:
                    return proof
        return None

    def thorough(self, relevant: Callable[[], Iterable[GroundAtom]] = tuple) -> Proof | None:
        """Return any proof there is, the last by a closed set of states of the ``relevant`` facts."""
        if (proof := self.quick()) is not None or self.belief.scene.unplaced:
            return proof
        with suppress(Refused):
            return self._for_constraints(self._closed_set(self._choices().widening(relevant)))
        return None

    def _situated(self) -> Proof | None:
        """Return a proof by the states of things where they are now: constraints end most runs at once."""
        return self._closed_set(replace(one, states=FEW_SITUATED) for one in self._choices().situated())

    def _choices(self) -> FactChoices:
        state = PartialState(self.belief, self.statements, {})
        conjuncts = tuple(itertools.islice(self._open_parts(state), MAX_ATOMS))
        return FactChoices(self.statements, state, conjuncts)

    def _closed_set(self, choices: Iterable[FactChoice]) -> Proof | None:
        """Return a proof by the states of the first set of facts that gives one."""
        for choice in choices:
            with suppress(Refused):
                if proof := self._states(choice):
                    return proof
            self.statements.steps = self.steps
        return None

    def _proof(self, kind: str, kept: tuple[GroundAtom, ...] = ()) -> Proof:
        """Make the certificate of what was used, and recheck it."""
        self.statements.steps = self.steps
        added, deleted = self.statements.support()
        scene, pack = self.belief.scene.hash, self.belief.pack.hash
        certificate = Certificate(kind, str(self.written), scene, pack, added, deleted, kept)
        return Proof(certificate, check_certificate(certificate, self.given, self.written))

    def needed(self, certificate: Certificate) -> tuple[list[Formula], list[Formula]]:
        """Return constraints of the goal, and rules, without which a certificate would prove nothing."""
        goal, rules = list(conjuncts(self.written)), list(self.given.rules)
        needed: tuple[list[Formula], list[Formula]] = ([], [])
        for kept, parts in ((goal, needed[0]), (rules, needed[1])):
            for part in [part for part in kept if constraints(part)]:
                kept.remove(part)
                try:
                    check_certificate(certificate, with_rules(self.given, rules), And(tuple(goal)))
                except Refused:
                    kept.append(part)
                    parts.append(part)
        return needed

    def _for_constraints(self, proof: Proof | None) -> Proof | None:
        """Add the constraints that a proof needs to its reasons."""
        if proof is None or not self._constrained:
            return proof
        own, rules = self.needed(proof.certificate)
        reasons = [f"because of {clip(str(one), MAX_REASON)}" for one in own]
        reasons += [f"because of the rule {clip(str(one), MAX_REASON)}" for one in rules]
        return replace(proof, reasons=(*proof.reasons, *reasons), rules=tuple(rules))

    def _facts(self) -> Proof | None:
        anything = PartialState(self.belief, self.statements, {})
        for part in required_parts(self.goal, True, anything, {}):
            self.statements.clear()
            alone = PartialState(self.belief, self.statements, {})  # it remembers no other part's answers
            if not possible(part[0], part[1], alone, part[2]):
                proof = self._proof("facts")
                broken = self._constrained and self.goal == FALSE
                reasons = (START_BROKEN,) if broken else impossible_part(part, alone, self.statements)
                return replace(proof, reasons=reasons, parts=(part,))
        return None

    def _exclusive(self) -> Proof | None:
        cases = self._cases()
        if not cases.refuted():
            return None
        return self._of_parts(self._proof("exclusive"), self._together(cases, [{}]))

    def _states(self, choice: FactChoice) -> Proof | None:
        cases = self._cases()
        states = Projection(self.statements, self.belief.exclusive, choice.facts, self._run)
        for values in states.reachable(choice.states):
            cases.count = 0
            if not cases.refuted(values):
                return None
        proof = self._proof("states", choice.facts)
        some = list(itertools.islice(states.reachable(choice.states), FEW_STATES + 1))
        few = len(some) <= FEW_STATES
        return self._of_parts(proof, self._together(cases, some) if few else choice.parts)

    def _of_parts(self, proof: Proof, goal_parts: Sequence[Part]) -> Proof:
        reasons = impossible_together(goal_parts, self.belief.pack)
        return replace(proof, reasons=reasons, parts=tuple(goal_parts))

    def _together(self, cases: Cases, states: Sequence[dict[GroundAtom, bool]]) -> Sequence[Part]:
        """Return few parts of the goal that exclude each other in all of some states."""
        cases.most = FEW_CASES
        cases.state.assumptions.retract()
        goal_parts = list(itertools.islice(self._open_parts(cases.state), MAX_PARTS))

        def contradict(some: Sequence[Part]) -> bool:
            try:
                for values in states:
                    cases.count = 0
                    if not cases.refuted(values, some):
                        return False
            except Refused:
                return False
            return True

        return essential(goal_parts, contradict) if goal_parts and contradict(goal_parts) else goal_parts

    def _open_parts(self, state: PartialState) -> Iterator[Part]:
        """Yield the conjuncts of the goal that facts can still change, and the impossible ones."""
        for part in required_parts(self.goal, True, state, {}):
            formula, value, binding = part
            changes = any(True for _ in open_atoms(formula, value, state, binding))
            if changes or not possible(formula, value, state, binding):
                yield part

    def _cases(self) -> Cases:
        self.statements.clear()
        self.statements.steps = self.steps
        return Cases(self.statements, self.goal, self.belief.exclusive, CASES)
