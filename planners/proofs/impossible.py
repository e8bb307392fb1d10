"""The parts of a goal that cannot be: those that name nothing here, and the smallest sets that have a proof.

This is the one place that decides what a repair of a goal may leave out or replace: feedback, goal drift and
records all ask here. A set has a certificate, and none of its parts can be left out of it: of the others, no
proof is found. Instances of a ``forall`` that are impossible one by one are one set, however many, with one
proof that none of them can be had; where that is true of all, the ``forall`` stands for them. What is not
proved within the bounds may not be left out, and trajectory constraints stay also where they are in a set.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import chain

from ...compiler.comparison.conjuncts import constrains, instances, remaining, requirements
from ...compiler.forms import literals
from ...compiler.goals.checker import check
from ...compiler.goals.goal import Goal
from ...compiler.normal import expanded
from ...compiler.relevance import closure
from ...domains.deadline import LimitReached, check_time, note_cut, share_of_time
from ...domains.errors import GoalError, clip
from ...domains.formula import (
    And,
    Atom,
    Exists,
    Forall,
    Formula,
    GroundAtom,
    conjunction,
    disjunction,
    walk,
)
from ...domains.pack import Pack
from ...simulator.belief import Belief
from .explanation import MAX_TOGETHER, essential, in_words
from .search import Proof, Prover

TIME_SHARE = 0.5
"""The part of the time that is left which the search for impossible parts may take."""
MAX_SETS = 20
"""Most sets of one goal, and most selections of its parts in which further ones are looked for."""
WORK = "the search for impossible parts of the goal"
NAMES_NOTHING = frozenset(
    ("arity", "duplicate-variable", "type", "unbound-variable", "unknown-class", "unknown-node",
     "unknown-predicate", "unsupported", "sometime-literal")
)  # fmt: skip
"""Errors of the check for which a part of a goal says nothing of the scene."""
UNKNOWN = frozenset(("unknown-class", "unknown-node", "unknown-predicate"))
"""Those for which plain facts may be left out, where the check knows of no name that could be meant."""


MAX_WORDS = 100
"""Characters of a part that is shown as it is written."""
NO_PLACE = "place-unknown"
"""Error of the check for a part that needs a thing whose place is not known."""


@dataclass(frozen=True)
class ImpossibleParts:
    """Parts of a goal that no plan brings about together; one part alone where it is impossible by itself.

    With neither a ``proof`` nor ``places``, it is a part that says nothing of the scene, as the check found.
    """

    parts: tuple[Formula, ...]
    reasons: tuple[str, ...]
    proof: Proof | None = None
    places: tuple[str, ...] = ()
    """The places that were looked at, where what the part needs is at none of them."""
    correctable: bool = False
    """True where the part can be put right, or is more than plain facts: only another may stand for it."""
    none: Formula | None = None
    """The formula of the proof where each part is impossible by itself: that any instance can be had."""

    @property
    def may_go(self) -> tuple[Formula, ...]:
        """The parts that a repair may leave out or replace: of trajectory constraints, those with errors."""
        return tuple(part for part in self.parts if not (self.proved and constrains(part)))

    @property
    def disproved(self) -> tuple[Formula, ...]:
        """The formulas that the proof is of, together."""
        return self.parts if self.none is None else (self.none,)

    @property
    def proved(self) -> bool:
        """True if there is a certificate, or if all places were looked at."""
        return self.proof is not None or bool(self.places)

    def within(self, parts: Collection[Formula]) -> bool:
        """Return whether parts of a goal are impossible for this reason."""
        each = (part in parts for part in self.parts)
        return all(each) if self.none is None else any(each)

    @property
    def ways_out(self) -> tuple[tuple[Formula, ...], ...]:
        """The least that has to go, in each way."""
        return tuple((part,) for part in self.parts) if self.none is None else (self.parts,)

    def words(self, parts: Sequence[Formula], pack: Pack) -> str:
        """Return some of the parts in the words of the pack, or as written where they say nothing here."""
        shown = parts[:MAX_TOGETHER]
        words = [in_words((p, True, {}), pack) if self.proved else clip(str(p), MAX_WORDS) for p in shown]
        more = [f"{len(parts) - MAX_TOGETHER} more"] if len(parts) > MAX_TOGETHER else []
        return "; ".join((*words, *more))

    @property
    def feedback(self) -> str:
        """Feedback that says that these parts may be left out or replaced, as formulas."""
        free = self.may_go
        shown = [clip(str(part), MAX_WORDS) for part in free[:MAX_TOGETHER]]
        more = [f"and {len(free) - MAX_TOGETHER} more"] if len(free) > MAX_TOGETHER else []
        may = "must be put right or replaced" if self.correctable else "may be left out or replaced"
        return f"{may}: {' '.join((*shown, *more))}"


def proved_impossible(formula: Formula, belief: Belief) -> Proof | None:
    """Return a proof that a checked goal has no plan, if there is one within the bounds.

    What the goal depends on may be too much to look at: then nothing is proved. Raises :class:`GoalError` for
    an expansion that is too large.
    """

    def relevant() -> tuple[GroundAtom, ...]:
        form = expanded(formula, belief).form
        return tuple(closure(literals(form), belief, belief.facts, None).facts)

    try:
        return Prover(formula, belief).thorough(relevant)
    except LimitReached as cut:
        if not cut.reproducible:  # the time is over
            raise
        return None


def impossible_sets(goal: Goal, belief: Belief, places: tuple[str, ...] = ()) -> tuple[ImpossibleParts, ...]:
    """Return the impossible parts of a goal, in disjoint sets: without them, it is not proved impossible.

    ``places`` are all that there are, where these were looked at for what the goal needs.

    >>> from groundplan import ground, load_pack, load_scene, parse_goal
    >>> office = ground(load_scene("office"), load_pack())
    >>> goal = parse_goal("(and (open fridge) (holding apple1) (holding apple2))")
    >>> [" ".join(map(str, one.parts)) for one in impossible_sets(goal, office)]
    ['(holding apple1) (holding apple2)']
    """
    parts = requirements(goal.formula)
    sets = _found_by_check(parts, belief, places)
    rest = _without(parts, sets, belief)
    with _in_bounds():
        while rest and len(sets) < MAX_SETS and (one := smallest_set(rest, belief)) is not None:
            sets.append(one)
            rest = remaining(rest, one.parts, belief)
    return tuple(sets)


@contextmanager
def _in_bounds() -> Iterator[None]:
    """Look for sets within a share of the time, and until an expansion is too large."""
    try:
        with suppress(GoalError), share_of_time(TIME_SHARE):
            yield
    except LimitReached:
        note_cut(WORK)


def further_sets(
    lost: Sequence[Formula], parts: Sequence[Formula], before: Sequence[ImpossibleParts], belief: Belief
) -> tuple[ImpossibleParts, ...]:
    """Return more impossible sets of the parts of a goal, which may overlap with those before.

    It looks for sets that have the ``lost`` parts, and leaves out one part of each set that it has, in turn
    (the hitting-set tree of Reiter 1987, "A theory of diagnosis from first principles").
    """
    sets, new = list(before), _found_by_check(parts, belief)
    waiting, seen = deque([_without(parts, new, belief)]), set[frozenset[Formula]]()
    missing = {part for part in lost if not any(part in one.parts for one in sets)}
    with _in_bounds():
        while waiting and missing and len(seen) < MAX_SETS:
            some = waiting.popleft()
            if frozenset(some) in seen or missing.isdisjoint(some):
                continue
            seen.add(frozenset(some))
            one = next((s for s in sets if s.within(some)), None)
            if one is None:
                one = smallest_set(some, belief)
                if one is None:
                    continue
                sets.append(one)
                new.append(one)
                missing -= set(one.parts)
            waiting += [remaining(some, gone, belief) for gone in one.ways_out]
    return tuple(new)


def _found_by_check(
    parts: Sequence[Formula], belief: Belief, places: tuple[str, ...] = ()
) -> list[ImpossibleParts]:
    """Return the parts that say nothing of the scene, or need a thing that is at none of the places."""
    sets: list[ImpossibleParts] = []
    for part in dict.fromkeys(parts):
        errors = [d for d in check(Goal.of(part), belief).diagnostics if d.severity == "error"]
        codes, why = {d.code for d in errors}, tuple(d.message for d in errors)
        if codes & NAMES_NOTHING:
            plain = all(isinstance(node, Atom | And | Exists) for node in walk(part))
            plain = plain and codes <= UNKNOWN and not any(d.fixes for d in errors)
            sets.append(ImpossibleParts((part,), why, correctable=not plain))
        elif places and NO_PLACE in codes:
            sets.append(ImpossibleParts((part,), why, places=places))
    return sets


def _without(
    parts: Sequence[Formula], sets: Sequence[ImpossibleParts], belief: Belief
) -> tuple[Formula, ...]:
    return remaining(parts, [part for one in sets for part in one.parts], belief)


class _Proofs:
    """Proofs of what cannot be had in one belief, each looked for once: those found ``at_once``, or all."""

    def __init__(self, belief: Belief, at_once: bool) -> None:
        self.belief, self._at_once = belief, at_once
        self._made: dict[tuple[Formula, ...], Proof | None] = {}

    def of(self, some: Sequence[Formula]) -> Proof | None:
        """Return a proof that some formulas cannot be had together."""
        key = tuple(some)
        if key not in self._made:
            check_time(WORK)
            search = self.quick if self._at_once else self._thorough
            self._made[key] = search(conjunction(key))
        return self._made[key]

    def quick(self, formula: Formula) -> Proof | None:
        return Prover(formula, self.belief).quick()

    def _thorough(self, formula: Formula) -> Proof | None:
        return proved_impossible(formula, self.belief)

    def impossible(self, some: Sequence[Formula]) -> bool:
        return self.of(some) is not None

    def each_of(self, some: Sequence[Formula]) -> tuple[Formula, ...]:
        """Return those of some formulas that are impossible one by one, by halves."""
        if self.impossible([disjunction(tuple(some))]):
            return tuple(some)
        half = len(some) // 2
        return (*self.each_of(some[:half]), *self.each_of(some[half:])) if half else ()


def smallest_set(parts: tuple[Formula, ...], belief: Belief, at_once: bool = False) -> ImpossibleParts | None:
    """Return some of the parts with a proof, none of which can be left out of it.

    Plain facts are tried first, without the rest: a proof of these is small, however large that is. What can
    be had is looked at for long in vain, so with ``at_once`` only proofs count that are found at once.
    """
    proofs = _Proofs(belief, at_once)
    plain = tuple(part for part in parts if isinstance(part, Atom))
    tried = [some for some in dict.fromkeys((plain, parts)) if some]
    quick = ((some, proofs.quick(conjunction(some))) for some in tried)
    looked = chain(quick, ((some, proofs.of(some)) for some in tried))
    parts, whole = next(((some, proof) for some, proof in looked if proof is not None), (parts, None))
    if whole is None:
        return None
    nodes = {id(node) for node, _, _ in whole.parts}
    named = tuple(part for part in parts if constrains(part) or any(id(node) in nodes for node in walk(part)))
    core = tuple(essential(named if named and proofs.impossible(named) else parts, proofs.impossible))
    single = tuple(dict.fromkeys(i for part in core for i in instances(part, belief)))
    if single != core and proofs.impossible(single):
        ranged, core = core, tuple(essential(single, proofs.impossible))
        if len(core) == 1 and len(ranged) == 1:
            return _none_of(ranged[0], single, proofs) or _set(core, proofs)
    elif len(core) == 1 and isinstance(core[0], Forall):
        # What of it is possible is not known: only another part may stand for it.
        return _none_of(core[0], (), proofs) or replace(_set(core, proofs), correctable=True)
    return _set(core, proofs)


def _none_of(ranged: Formula, single: tuple[Formula, ...], proofs: _Proofs) -> ImpossibleParts | None:
    """Return a ``forall`` of which no instance can be had, or all such instances, with one proof."""
    assert isinstance(ranged, Forall), "nothing else has instances"
    parts: tuple[Formula, ...] = (ranged,)
    none: Formula = Exists(ranged.variables, ranged.body)
    if single and not proofs.impossible([none]):
        parts = proofs.each_of(single)
        none = disjunction(parts)
    proof = proofs.of([none]) if len(parts) > 1 or parts == (ranged,) else None
    return ImpossibleParts(parts, proof.reasons, proof, none=none) if proof is not None else None


def _set(core: tuple[Formula, ...], proofs: _Proofs) -> ImpossibleParts:
    proof = proofs.of(core)
    assert proof is not None, "what is essential to a contradiction is one"
    return ImpossibleParts(core, proof.reasons, proof)
