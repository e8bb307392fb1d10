"""Leeway of repairs: the goals that a repair is held against, and the parts of them that it may leave out.

``planners.proofs.impossible`` decides what is impossible and ``comparison.drift`` what was lost; a run keeps
both here. A repair that leaves out what is satisfiable is goal drift.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..compiler.certificates.certificate import Certificate
from ..compiler.comparison.conjuncts import differs_by_unknown_names, remaining, requirements
from ..compiler.comparison.drift import constraints_lost, drifted, parts_lost, references, stands_for_some
from ..compiler.comparison.laws import Laws
from ..compiler.goals.goal import Goal
from ..domains.formula import Formula, names
from ..domains.storage.json_record import JsonRecord
from ..planners.proofs.impossible import ImpossibleParts, further_sets, impossible_sets
from ..simulator.belief import Belief
from .audit import Audit


@dataclass(frozen=True)
class Dropped(JsonRecord):
    """Parts of an earlier goal that the last one leaves out, since the set that they are in is impossible."""

    parts: tuple[Formula, ...]
    impossible: ImpossibleParts
    says: str = ""
    """The parts in the words of the pack."""
    beside: str = ""
    """The other parts of the set, which the goal keeps, in the same words."""

    @property
    def why(self) -> str:
        """The reason in a few words."""
        if self.impossible.proof is None:
            return (
                "every place was looked at" if self.impossible.places else "; ".join(self.impossible.reasons)
            )
        if self.beside:
            return f"proved impossible with {self.beside}"
        if len(self.parts) == 1:
            return "proved impossible"
        return "proved impossible together" if self.impossible.none is None else "each proved impossible"

    def as_json(self) -> dict[str, object]:
        proof = self.impossible.proof
        return {
            "parts": list(map(str, self.parts)),
            "says": self.says,
            "set": list(map(str, self.impossible.disproved)),
            "reasons": list(self.impossible.reasons),
            "proof": str(proof) if proof is not None else None,
            "certificate": inline(proof.certificate) if proof is not None else None,
            "places": list(self.impossible.places),
        }


def inline(certificate: Certificate | None) -> Mapping[str, object] | None:
    """Return a certificate with its content, as records have it."""
    if certificate is None:
        return None
    return {
        "kind": certificate.kind,
        "file": None,
        "hash": certificate.hash,
        "content": certificate.as_json(),
    }


@dataclass
class Leeway:
    """Goals and impossible parts that a run has met, for its repairs."""

    goals: list[Goal] = field(default_factory=list)
    """The goals that could be read, in order: repairs are compared with them."""
    impossible: list[ImpossibleParts] = field(default_factory=list)
    incomplete: list[Goal] = field(default_factory=list)
    """The goals that were written again after a further search: later ones keep their constraints alone."""

    def learn(self, goal: Goal, belief: Belief, places: tuple[str, ...]) -> tuple[ImpossibleParts, ...]:
        """Keep the impossible parts of a goal that was turned down; return them where any other is left.

        ``places`` are those that were looked at in vain.
        """
        sets = tuple(one for one in impossible_sets(goal, belief, places) if one.may_go)
        self.impossible += [one for one in sets if one not in self.impossible]
        alone = {part for one in sets if len(one.ways_out) == 1 for part in one.parts}
        return sets if remaining(requirements(goal.formula), alone, belief) else ()

    def drift(self, audit: Audit, repaired: bool, acted: bool) -> str:
        """Describe what a goal lost that it may not leave out; an empty text for nothing.

        ``repaired`` is true of a repair of goals that were judged, and ``acted`` where the robot has done
        something since the first goal.
        """
        parts = tuple(part for goal in self.incomplete for part in requirements(goal.formula))
        if changed := constraints_lost(parts, audit.goal, audit.laws):
            return f"the goal that was written again dropped or changed {' '.join(map(str, changed))}"
        if not repaired:
            return ""
        drift = self._drift(audit, acted)
        if not drift:
            return self._not_replaced(audit)
        belief, number = audit.belief, len(self.impossible)
        for parts in references(self.goals, belief):
            lost = parts_lost(parts, audit.goal, audit.laws)
            more = further_sets(lost, parts, self.impossible, belief)
            self.impossible += [one for one in more if one.may_go]
        return drift if len(self.impossible) == number else self._drift(audit, acted)

    def _not_replaced(self, audit: Audit) -> str:
        """Describe a part that could be put right, or a whole goal, for which a repair has nothing new."""
        if not audit.report.ok:
            return ""
        proved = [part for one in self.impossible if one.proved for part in one.parts]
        for whole in references(self.goals[:1], audit.belief):
            nothing = not remaining(whole, proved, audit.belief)
            if nothing and audit.unsupported and not stands_for_some(whole, audit.goal, audit.laws):
                other = " and ".join(audit.unsupported)
                return f"the repair has nothing that could stand for {self.goals[0]}: nobody spoke of {other}"
        parts = requirements(audit.goal.formula)
        correctable = [part for one in self.impossible if one.correctable for part in one.parts]
        for source in map(requirements, (goal.formula for goal in self.goals)):
            new = [part for part in parts if part not in source]
            mentioned = {name for part in new for name in names(part)}
            for number, part in enumerate((p for p in correctable if p in source), 1):
                nodes = {name for name in names(part) if name in audit.belief.scene.nodes}
                if number > len(new) or not nodes <= mentioned:
                    return f"the repair dropped {part}, which could be put right"
        return ""

    def _drift(self, audit: Audit, acted: bool) -> str:
        parts = [part for one in self.impossible for part in one.may_go]
        return drifted(self.goals, audit.goal, audit.belief, audit.report, parts, acted, audit.laws)

    def excused(self, goal: Goal, belief: Belief) -> tuple[Formula, ...]:
        """Return the parts of earlier goals that an instruction may ask for and a goal need not.

        Of parts that exclude each other these are the others of one that the goal keeps. Where it keeps none,
        it is left to the instruction whether one was meant.
        """
        laws = Laws(belief)
        return tuple(
            part
            for one in self.impossible
            if one.proved and (len(one.ways_out) == 1 or parts_lost(one.parts, goal, laws) != one.parts)
            for part in one.may_go
        )

    def dropped(self, goal: Goal, belief: Belief) -> tuple[Dropped, ...]:
        """Return what a goal leaves out of the impossible parts of those before it."""
        laws, dropped = Laws(belief), list[Dropped]()
        for one in self.impossible:
            lost = self._not_put_right if not one.proved else parts_lost
            if parts := lost(one.parts, goal, laws):
                others = [part for part in one.parts if part not in parts and one.none is None]
                words, beside = one.words(parts, belief.pack), one.words(others, belief.pack)
                dropped.append(Dropped(parts, one, words, beside))
        return tuple(dropped)

    def _not_put_right(self, parts: Sequence[Formula], repaired: Goal, laws: Laws) -> tuple[Formula, ...]:
        """Return the parts that stand nowhere in a repaired goal with their unknown names put right."""
        sources = [requirements(goal.formula) for goal in self.goals]
        first = next((source for source in sources if set(parts).issubset(source)), ())
        new = [part for part in requirements(repaired.formula) if part not in first]
        return tuple(p for p in parts if not any(differs_by_unknown_names(p, n, laws.belief) for n in new))
