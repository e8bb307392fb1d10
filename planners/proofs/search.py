"""Proofs that a goal has no plan: a search for certificates, the cheapest kind first.

Nothing here is believed: what is returned was rechecked by ``compiler.certificates``. The kinds, in order:
*facts* that no action brings about, *exclusive* facts in a split into cases, and a closed set of *states* of
some facts, widened step by step. Each may be tried in another order or within other bounds.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

from ...compiler.certificates.certificate import Certificate, Refused
from ...compiler.certificates.checker import check_certificate
from ...compiler.certificates.groups import Exclusion
from ...compiler.certificates.states import Projection
from ...compiler.certificates.truth import Part, Truth
from ...domains.deadline import LimitReached, note_cut, share_of_time
from ...domains.ending import Ending
from ...domains.formula import Atom, Formula, Var
from ...domains.mapping import ROOM
from ...simulator.belief import Belief
from ...simulator.facts import ground_args
from ..result import PlanResult
from .explanation import essential, impossible_part, impossible_together
from .statements import Statements

QUICK_SHARE = 0.3
"""The part of the time that is left which proofs before any search of states may take."""
STEPS = 300_000
"""Most steps of each attempt; the checker allows more."""
CASES = 2_000
"""Most cases that are tried in looking for a proof; the checker allows more."""
STATES = 100_000
"""Most states that are looked at for one set of facts."""
MAX_FACTS = 400
"""Most facts whose states are looked at."""
MAX_PAIRS = 30
"""Most pairs of conjuncts that are looked at by themselves."""
MAX_ATOMS = 200
"""Most atoms of a goal whose states are looked at."""
FEW_STATES, FEW_CASES = 64, 100
"""Most states and cases in which parts of a goal that exclude each other are looked for."""
MAX_PARTS = 200
"""Most conjuncts of a goal among which those that exclude each other are looked for."""


@dataclass(frozen=True, slots=True)
class Proof:
    """A certificate that was rechecked, the size of it in words, and the reasons in a user's words."""

    certificate: Certificate
    size: str
    reasons: tuple[str, ...]

    def __str__(self) -> str:
        return f"{NAMES[self.certificate.kind]} ({self.size})"

    def result(self) -> PlanResult:
        """Return the answer of planning that this proof is."""
        return PlanResult(
            Ending.UNSOLVABLE, proof=str(self), reasons=self.reasons, certificate=self.certificate
        )


NAMES = {"facts": "fixed facts", "exclusive": "exclusive facts", "states": "closed set of states"}
"""The kinds of proofs, as records and people name them."""


class Prover:
    """Search for certificates that one goal has no plan in one belief."""

    def __init__(self, goal: Formula, belief: Belief) -> None:
        self.goal, self.belief = goal, belief
        self.statements = Statements(belief)
        self.no_groups = Exclusion(belief, {})
        self._quick: Proof | None = None
        self._tried = bool(belief.scene.unplaced)  # the checker refuses all proofs there

    def quick(self) -> Proof | None:
        """Return a proof by facts that never change, or by facts that exclude each other."""
        if not self._tried:
            self._tried = True
            try:
                with share_of_time(QUICK_SHARE):
                    self._quick = self._first_of_quick()
            except LimitReached:
                note_cut("the search for a proof that there is no plan")
        return self._quick

    def _first_of_quick(self) -> Proof | None:
        for attempt in (self._facts, partial(self._exclusive, False), partial(self._exclusive, True)):
            with suppress(Refused):
                self.statements.steps = STEPS
                if (proof := attempt()) is not None:
                    return proof
        return None

    def thorough(self, relevant: Callable[[], Iterable[Atom]] = tuple) -> Proof | None:
        """Return any proof there is, the last by a closed set of states of the ``relevant`` facts."""
        if (proof := self.quick()) is not None or self.belief.scene.unplaced:
            return proof
        with suppress(Refused):
            for parts, kept in self._projections(relevant):
                with suppress(Refused):
                    if proof := self._states(parts, kept):
                        return proof
                self.statements.steps = STEPS
        return None

    def _proof(self, kind: str, reasons: tuple[str, ...], kept: tuple[Atom, ...] = ()) -> Proof:
        """Make the certificate of what was used, and recheck it."""
        self.statements.steps = STEPS
        added, deleted = self.statements.support()
        scene, pack = self.belief.scene.hash, self.belief.pack.hash
        certificate = Certificate(kind, str(self.goal), scene, pack, added, deleted, kept)
        return Proof(certificate, check_certificate(certificate, self.belief, self.goal), reasons)

    def _facts(self) -> Proof | None:
        truth = Truth(self.statements, self.goal, self.no_groups)
        for part in truth.conjuncts(*truth.goal):
            self.statements.clear()
            alone = Truth(self.statements, self.goal, self.no_groups)  # it remembers no other part's answers
            if not alone.possible(*part):
                proof = self._proof("facts", ())
                return replace(proof, reasons=impossible_part(part, alone, self.statements))
        return None

    def _exclusive(self, everywhere: bool) -> Proof | None:
        truth = self._cases()
        truth.everywhere = everywhere
        if not truth.refuted():
            return None
        proof = self._proof("exclusive", ())
        return replace(proof, reasons=self._together(truth, [{}]))

    def _states(self, parts: Sequence[Part], kept: tuple[Atom, ...]) -> Proof | None:
        truth = self._cases()
        states = Projection(self.statements, truth.groups, kept)
        for state in states.reachable(STATES):
            truth.suppose(states.values(state))
            truth.cases = 0
            if not truth.refuted():
                return None
        proof = self._proof("states", (), kept)
        values = [states.values(s) for s in itertools.islice(states.reachable(STATES), FEW_STATES + 1)]
        if len(values) > FEW_STATES:
            return replace(proof, reasons=impossible_together(parts, self.belief.pack))
        return replace(proof, reasons=self._together(truth, values))

    def _together(self, truth: Truth, cases: Sequence[dict[Atom, bool]]) -> tuple[str, ...]:
        """Say which few parts of the goal exclude each other in all of some cases."""
        truth.most_cases = FEW_CASES
        parts = list(itertools.islice(truth.conjuncts(*truth.goal), MAX_PARTS))

        def contradict(some: Sequence[Part]) -> bool:
            for values in cases:
                truth.suppose(values)
                truth.cases = 0
                try:
                    if not truth.contradicts(some):
                        return False
                except Refused:
                    return False
            return True

        core = essential(parts, contradict) if contradict(parts) else parts
        return impossible_together(core, self.belief.pack)

    def _cases(self) -> Truth:
        self.statements.clear()
        self.statements.steps = STEPS
        truth = Truth(self.statements, self.goal, Exclusion(self.belief, self.belief.exclusive))
        truth.most_cases = CASES
        return truth

    def _projections(
        self, relevant: Callable[[], Iterable[Atom]]
    ) -> Iterator[tuple[tuple[Part, ...], tuple[Atom, ...]]]:
        """Yield ever larger sets of facts: of each conjunct, of pairs, of the goal, and all that matter."""
        truth = Truth(self.statements, self.goal, self.no_groups)
        parts = tuple(itertools.islice(truth.conjuncts(*truth.goal), MAX_ATOMS))
        atoms_of = {i: tuple(itertools.islice(self._atoms(truth, p), MAX_ATOMS)) for i, p in enumerate(parts)}
        pairs = itertools.islice(itertools.combinations(range(len(parts)), 2), MAX_PAIRS)
        choices: list[Sequence[int]] = [*((i,) for i in atoms_of), *pairs, range(len(parts))]
        seen: set[frozenset[Atom]] = set()
        for index in range(len(choices) + 1):
            if index < len(choices):
                chosen = tuple(parts[i] for i in choices[index])
                atoms = self._around(tuple(a for i in choices[index] for a in atoms_of[i]))
            else:
                chosen, atoms = parts, tuple(relevant())
            kept = tuple(dict.fromkeys(a for a in atoms if self._changes(a)))
            if kept and len(kept) <= MAX_FACTS and frozenset(kept) not in seen:
                seen.add(frozenset(kept))
                yield chosen, kept

    def _atoms(self, truth: Truth, part: Part) -> Iterator[Atom]:
        """Yield the changing facts that a part of the goal speaks of."""
        node, positive, binding = part
        if isinstance(node, Atom):
            args = tuple(binding[a.name] if isinstance(a, Var) else a for a in node.args)
            if node.predicate in self.belief.pack.fluents:
                yield Atom(node.predicate, args)
            elif (meaning := self.belief.pack.mapping.derived.get(node.predicate)) == ROOM:
                yield from self._places(args[0])
            elif meaning is not None:
                yield from (Atom(meaning, (n,)) for n in truth.inside(args[0]))
            return
        for child in truth.children(node, positive, binding):
            yield from self._atoms(truth, child)

    def _places(self, name: str) -> Iterator[Atom]:
        pack = self.belief.pack
        yield Atom(pack.mapping.robot_held.predicate, (name,))
        for predicate in pack.locations:
            yield from (Atom(predicate, args) for args in self.belief.facts.with_argument(predicate, 0, name))

    def _around(self, atoms: tuple[Atom, ...]) -> tuple[Atom, ...]:
        """Add the facts over the same names that actions need or change together with some facts."""
        names = dict.fromkeys(n for a in atoms for n in ground_args(a))
        around = dict.fromkeys(atoms)
        for atom in atoms:
            for action in self.belief.pack.domain.actions.values():
                for effect in (*action.add, *action.delete):
                    if effect.predicate != atom.predicate:
                        continue
                    values = dict(zip(effect.args, atom.args, strict=True))
                    for other in (*action.precondition, *action.add, *action.delete):
                        args = tuple(values.get(a, a) for a in other.args)
                        if all(isinstance(a, str) and a in names for a in args):
                            around[Atom(other.predicate, args)] = None
        return tuple(around)

    def _changes(self, atom: Atom) -> bool:
        """Return whether a fact may change: other facts need no bit of a state."""
        if atom.predicate not in self.belief.pack.fluents:
            return False
        holds = self.belief.facts.holds(atom.predicate, ground_args(atom))
        return (
            not self.statements.kept(atom)
            if holds
            else not self.statements.limited(atom.predicate, ground_args(atom))
        )
