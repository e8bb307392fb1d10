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

from ...compiler.certificates.cases import Cases
from ...compiler.certificates.certificate import Certificate, Refused
from ...compiler.certificates.checker import check_certificate, most_steps
from ...compiler.certificates.states import Projection
from ...domains.deadline import LimitReached, note_cut, share_of_time
from ...domains.ending import Ending
from ...domains.evaluate import Part, open_atoms, parts, possible, required_parts
from ...domains.formula import Atom, Formula, Var
from ...domains.mapping import ROOM
from ...simulator.belief import Belief
from ...simulator.facts import ground_args
from ...simulator.partial_state import PartialState
from ..result import PlanResult
from .explanation import essential, impossible_part, impossible_together
from .statements import Statements

QUICK_SHARE = 0.3
"""The part of the time that is left which proofs before any search of states may take."""
STEPS_SHARE = 0.5
"""The part of the steps that the checker allows which each attempt may take."""
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
        self.steps = round(STEPS_SHARE * most_steps(belief))
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
        for attempt in (self._facts, self._exclusive):
            with suppress(Refused):
                self.statements.steps = self.steps
                if (proof := attempt()) is not None:
                    return proof
        return None

    def thorough(self, relevant: Callable[[], Iterable[Atom]] = tuple) -> Proof | None:
        """Return any proof there is, the last by a closed set of states of the ``relevant`` facts."""
        if (proof := self.quick()) is not None or self.belief.scene.unplaced:
            return proof
        with suppress(Refused):
            for chosen, kept in self._projections(relevant):
                with suppress(Refused):
                    if proof := self._states(chosen, kept):
                        return proof
                self.statements.steps = self.steps
        return None

    def _proof(self, kind: str, reasons: tuple[str, ...], kept: tuple[Atom, ...] = ()) -> Proof:
        """Make the certificate of what was used, and recheck it."""
        self.statements.steps = self.steps
        added, deleted = self.statements.support()
        scene, pack = self.belief.scene.hash, self.belief.pack.hash
        certificate = Certificate(kind, str(self.goal), scene, pack, added, deleted, kept)
        return Proof(certificate, check_certificate(certificate, self.belief, self.goal), reasons)

    def _facts(self) -> Proof | None:
        anything = PartialState(self.belief, self.statements, {})
        for part in required_parts(self.goal, True, anything, {}):
            self.statements.clear()
            alone = PartialState(self.belief, self.statements, {})  # it remembers no other part's answers
            if not possible(part[0], part[1], alone, part[2]):
                proof = self._proof("facts", ())
                return replace(proof, reasons=impossible_part(part, alone, self.statements))
        return None

    def _exclusive(self) -> Proof | None:
        cases = self._cases()
        if not cases.refuted():
            return None
        proof = self._proof("exclusive", ())
        return replace(proof, reasons=self._together(cases, [{}]))

    def _states(self, chosen: Sequence[Part], kept: tuple[Atom, ...]) -> Proof | None:
        cases = self._cases()
        states = Projection(self.statements, self.belief.exclusive, kept)
        for values in states.reachable(STATES):
            cases.count = 0
            if not cases.refuted(values):
                return None
        proof = self._proof("states", (), kept)
        some = list(itertools.islice(states.reachable(STATES), FEW_STATES + 1))
        if len(some) > FEW_STATES:
            return replace(proof, reasons=impossible_together(chosen, self.belief.pack))
        return replace(proof, reasons=self._together(cases, some))

    def _together(self, cases: Cases, states: Sequence[dict[Atom, bool]]) -> tuple[str, ...]:
        """Say which few parts of the goal exclude each other in all of some states."""
        cases.most = FEW_CASES
        cases.state.retract()
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

        core = essential(goal_parts, contradict) if goal_parts and contradict(goal_parts) else goal_parts
        return impossible_together(core, self.belief.pack)

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

    def _projections(
        self, relevant: Callable[[], Iterable[Atom]]
    ) -> Iterator[tuple[tuple[Part, ...], tuple[Atom, ...]]]:
        """Yield ever larger sets of facts: of each conjunct, of pairs, of the goal, and all that matter."""
        state = PartialState(self.belief, self.statements, {})
        conjuncts = tuple(itertools.islice(self._open_parts(state), MAX_ATOMS))
        atoms_of = [tuple(itertools.islice(self._atoms(state, p), MAX_ATOMS)) for p in conjuncts]
        numbers = range(len(conjuncts))
        pairs = itertools.islice(itertools.combinations(numbers, 2), MAX_PAIRS)
        choices: list[Sequence[int]] = [*((i,) for i in numbers), *pairs, numbers]
        seen: set[frozenset[Atom]] = set()
        for index in range(len(choices) + 1):
            if index < len(choices):
                chosen = tuple(conjuncts[i] for i in choices[index])
                atoms = self._around(tuple(a for i in choices[index] for a in atoms_of[i]))
            else:
                chosen, atoms = conjuncts, tuple(relevant())
            kept = tuple(dict.fromkeys(a for a in atoms if self._changes(a)))
            if kept and len(kept) <= MAX_FACTS and frozenset(kept) not in seen:
                seen.add(frozenset(kept))
                yield chosen, kept

    def _atoms(self, state: PartialState, part: Part) -> Iterator[Atom]:
        """Yield the changing facts that a part of the goal speaks of."""
        node, positive, binding = part
        if isinstance(node, Atom):
            args = tuple(binding[a.name] if isinstance(a, Var) else a for a in node.args)
            if node.predicate in self.belief.pack.fluents:
                yield Atom(node.predicate, args)
            elif (meaning := self.belief.pack.mapping.derived.get(node.predicate)) == ROOM:
                yield from self._places(args[0])
            elif meaning is not None:
                yield from (Atom(meaning, (n,)) for n in state.inside(args[0]))
            return
        for child in parts(node, positive, state, binding):
            yield from self._atoms(state, child)

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
        pack, itself = self.belief.pack, len(set(atom.args)) == 1
        if atom.predicate not in pack.fluents:
            return False
        if itself and atom.predicate in pack.locations and self.belief.invariants.contained:
            return False  # nothing gets into itself; as a bit it would count as a fact that may come true
        holds = self.belief.facts.holds(atom.predicate, ground_args(atom))
        return (
            not self.statements.kept(atom)
            if holds
            else not self.statements.limited(atom.predicate, ground_args(atom))
        )
