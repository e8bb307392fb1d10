"""Goal drift: a repaired goal that asks for less than the first well-formed one, or for what holds already.

Meanings are compared, not words. A part of the first goal is *kept* when the repaired goal entails it. Any
other part must be replaced by a part of the repaired goal that is new: not entailed by the first goal nor by
the rest of the repaired one, not needed for what is kept, not true already (but for two corrections), and
about the same thing or of the same kind. ``_Comparison.stands_for`` decides what may replace a part and may
be changed, as may the bound ``MAX_SIZE``; what is undecided must count as not kept, or as not new.

So a wrong name can be put right and more be asked for, but nothing weakened, dropped, traded for something
else or offered as one of several choices. Quantifiers are expanded over the scene, and the laws of the scene
hold throughout; whether plans lead somewhere is not asked. What is too large to expand is compared as it is
written. A trajectory constraint may be repaired into one that it follows from, and nothing may replace it.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property

from ...domains.errors import GoalError
from ...domains.evaluate import evaluate
from ...domains.formula import (
    TRUE,
    And,
    Atom,
    Cardinality,
    Formula,
    Not,
    Or,
    Sometime,
    TrajectoryConstraint,
    conjunction,
    conjuncts,
    names,
    walk,
)
from ...simulator.belief import Belief
from ...simulator.verification import watched
from ...simulator.world import World
from ..forms import holds_now, is_literal, literals, negation
from ..goals.checker import MAX_BINDINGS, CheckReport, check, expanded_size
from ..goals.goal import Goal
from ..normal import ground_form
from .conjuncts import (
    DERIVED,
    constrains,
    differs_by_unknown_names,
    instances,
    remaining,
    renamed,
    requirements,
)
from .entailment import Entailment
from .laws import Laws
from .solver import Undecided

MAX_SIZE = 2000
"""Most atoms that the parts of both goals are expanded to; parts beyond are compared as they are written."""
REWRITTEN = frozenset(
    ("arity", "duplicate-variable", "type", "unbound-variable", "unknown-predicate", "unsupported")
)
"""Errors of a trajectory constraint that no change of a name puts right."""
WRITTEN = "as written"
"""The predicate of the one atom that stands for a part that is too large."""


def drifted(
    before: Sequence[Goal],
    repaired: Goal,
    belief: Belief,
    report: CheckReport | None = None,
    impossible: Sequence[Formula] = (),
    acted: bool = False,
    laws: Laws | None = None,
) -> str:
    """Describe what a repaired goal lost against the goals before it; an empty text for no drift.

    It is held against the first goal that could be read and the first well-formed one, without the parts of
    them that are ``impossible``; ``before`` is empty where no answer before could be read. A repaired goal
    with errors of its own has not drifted: it goes back anyway. Where the robot has ``acted``, what holds
    already may have come about by that: it must be what is left of the goals. ``report`` is the result of the
    check, and ``laws`` are those of the belief, where they are known.
    """
    report = report or check(repaired, belief)
    if not report.ok:
        return ""
    laws = laws or Laws(belief)
    whole = tuple(part for parts in references(before, belief) for part in parts)
    if changed := constraints_lost(whole, repaired, laws):
        return f"the repair dropped or changed {' '.join(map(str, changed))}"
    against = [parts for parts in references(before, belief, impossible) if parts]
    renamed_only = (
        before and not against and differs_by_unknown_names(before[0].formula, repaired.formula, belief)
    )
    holds = any(d.code == "already-true" for d in report.diagnostics)
    if holds and not renamed_only and not (acted and against):
        return f"{repaired} holds already, so it cannot be what was asked"
    optional = [part for part in impossible if check(Goal.of(part), belief).ok]
    return next(filter(None, (_Comparison(r, repaired, laws, optional).loss() for r in against)), "")


def references(
    before: Sequence[Goal], belief: Belief, impossible: Sequence[Formula] = ()
) -> tuple[tuple[Formula, ...], ...]:
    """Return the parts of the goals that a repaired goal is held against, without the impossible ones."""
    formed = next((number for number, goal in enumerate(before) if check(goal, belief).ok), 0)
    goals = [goal for number, goal in enumerate(before) if number in (0, formed)]
    return tuple(remaining(requirements(goal.formula), impossible, belief) for goal in goals)


def constraints_lost(parts: Sequence[Formula], repaired: Goal, laws: Laws) -> tuple[Formula, ...]:
    """Return the trajectory constraints that a later goal does not keep, with unknown names put right.

    One with another error than an unknown name has to be written anew: then parts are compared as ever.
    """
    belief = laws.belief
    written = [renamed(part) for part in requirements(repaired.formula) if constrains(part)]
    each = {instance for other in written for instance in instances(other, belief)}
    lost: dict[Formula, None] = {}
    for part in filter(constrains, parts):
        errors = {d.code for d in check(Goal.of(part), belief).diagnostics if d.severity == "error"}
        if not errors.isdisjoint(REWRITTEN):
            continue
        if any(differs_by_unknown_names(renamed(part), other, belief) for other in written):
            continue
        left = remaining((part,), each, belief)
        if left and not errors:
            open_parts = [one for some in left for one in instances(some, belief)]
            gone = parts_lost(open_parts, repaired, laws)
            left = left if len(gone) == len(open_parts) else gone
        lost |= dict.fromkeys(left)
    return tuple(lost)


def stands_for_some(parts: Sequence[Formula], repaired: Goal, laws: Laws) -> bool:
    """Return whether a repaired goal keeps some part of a goal, or has a new one that may stand for it."""
    comparison = _Comparison(parts, repaired, laws)
    pieces = (part.piece(form) for part in comparison.repaired for form in conjuncts(part.form))
    new = [piece for piece in pieces if piece.form not in [part.form for part in comparison.first]]
    return bool(comparison.kept()) or any(
        comparison.stands_for(piece, part, frozenset()) for piece in new for part in comparison.first
    )


def parts_lost(parts: Sequence[Formula], repaired: Goal, laws: Laws) -> tuple[Formula, ...]:
    """Return those of some parts of a goal that do not follow from a repaired one."""
    comparison = _Comparison(parts, repaired, laws)
    kept = comparison.kept()
    return tuple(part.source for part in comparison.first if part not in kept)


@dataclass(frozen=True, eq=False)
class _Part:
    """One requirement of a goal, as it is written and in normal form."""

    source: Formula
    form: Formula
    belief: Belief
    whole: _Part | None = None
    """The part of whose normal form it is a conjunct."""

    @cached_property
    def holds(self) -> bool:
        """True if it holds already; if a whole part does, so does each conjunct."""
        if self.whole is not None:
            return self.whole.holds or holds_now(self.form, World(self.belief))
        if expanded_size(self.source, self.belief, DERIVED) > MAX_BINDINGS:
            return holds_now(ground_form(self.source, self.belief), World(self.belief))
        return evaluate(self.source, World(self.belief, watched(self.source, self.belief)))

    @cached_property
    def lasting(self) -> bool:
        """True if it is about the end, and not about having held at some time."""
        written = isinstance(self.form, Atom) and self.form.predicate == WRITTEN
        runs = (Sometime, TrajectoryConstraint)
        return not any(isinstance(n, runs) for n in walk(self.source if written else self.form))

    @cached_property
    def kinds(self) -> frozenset[str]:
        """The predicates that it uses; a predicate and its opposites are of one kind."""
        return frozenset(self.kind(n.predicate) for n in walk(self.source) if isinstance(n, Atom))

    @cached_property
    def things(self) -> frozenset[str]:
        """The things that its facts are said of, with those that its classes stand for."""
        atoms = [*(n for n in walk(self.source) if isinstance(n, Atom)), *(a for a, _ in literals(self.form))]
        return frozenset(a.args[0] for a in atoms if a.args and isinstance(a.args[0], str))

    def kind(self, predicate: str) -> str:
        """Return the group of opposites that a predicate is in, or else the predicate."""
        for name, patterns in self.belief.pack.mapping.exclusive.items():
            opposites = all(len(p.args) == 1 for p in patterns)
            if opposites and any(p.predicate == predicate for p in patterns):
                return name
        return predicate

    def near(self, other: _Part) -> bool:
        """Return whether each of its choices is of the same kind as another part or about the same thing."""

        def literal(atom: Atom) -> bool:
            if atom.predicate == WRITTEN:
                return not self.kinds.isdisjoint(other.kinds)
            about_it = bool(atom.args) and atom.args[0] in other.things
            return about_it or self.kind(atom.predicate) in other.kinds

        def about(form: Formula) -> bool:
            match form:
                case Atom():
                    return literal(form)
                case Not(part) | Sometime(part):
                    return about(part)
                case TrajectoryConstraint(_, parts):
                    return any(map(about, parts))
                case And(parts):
                    return any(map(about, parts))
                case Or(parts) | Cardinality(_, _, parts):
                    return all(map(about, parts))
            return False

        plain = self.source.part if isinstance(self.source, Not) else self.source
        return literal(plain) if isinstance(plain, Atom) else about(self.form)

    @cached_property
    def names(self) -> frozenset[str]:
        """The nodes that it mentions."""
        return frozenset(names(self.source))

    def piece(self, form: Formula) -> _Part:
        """Return one conjunct of the normal form."""
        return replace(self, form=form, whole=self)


class _Comparison:
    """The parts of a first and of a repaired goal, and entailment between them.

    ``optional`` are parts of the first goal that may be left out; they are not new in the repaired one.
    """

    def __init__(
        self, first: Sequence[Formula], repaired: Goal, laws: Laws, optional: Sequence[Formula] = ()
    ) -> None:
        belief = laws.belief
        references, sources = dict.fromkeys(first), dict.fromkeys(requirements(repaired.formula))
        # Those that are written alike have one form.
        alike = {renamed(s): s for s in (*references, *sources, *optional)}
        sizes = itertools.accumulate(expanded_size(s, belief, DERIVED) for s in alike.values())
        small = [key for key, size in zip(alike, sizes, strict=True) if size <= MAX_SIZE]
        self.logic = Entailment(belief, WRITTEN, laws)
        self.possible = cache(self._may_hold)
        forms = {key: form for key in small if (form := self.form(alike[key], belief)) is not None}

        def part(source: Formula) -> _Part:
            """Return a part in its ground form; as one atom where that is too large, alike in both goals."""
            key = renamed(source)
            return _Part(source, forms.get(key, Atom(WRITTEN, (str(key),))), belief)

        self.first, self.repaired = [part(s) for s in references], [part(s) for s in sources]
        self.optional = [part(s).form for s in optional]

    def form(self, source: Formula, belief: Belief) -> Formula | None:
        """Return the ground form of a part, ``None`` where it cannot be compared."""
        try:
            form = ground_form(source, belief)
            self.logic.add(conjuncts(form))
        except (GoalError, Undecided):
            return None
        return form

    def kept(self) -> list[_Part]:
        """Return the parts of the first goal that follow from the repaired one."""
        forms = [p.form for p in self.repaired]
        pieces = {piece for form in forms for piece in conjuncts(form)}
        return [p for p in self.first if pieces.issuperset(conjuncts(p.form)) or self.entailed(forms, p.form)]

    def entailed(self, parts: Sequence[Formula], form: Formula) -> bool | None:
        """Return whether a form follows from parts of a goal; ``None`` where that is not decided.

        From what cannot hold all would follow: such a part is left out, and parts that cannot hold together
        are asked one by one.
        """
        some = [part for part in parts if self.possible(part)]
        whole = conjunction(some)
        if self.possible(whole):
            return self.logic.entails(whole, form)
        answers = [self.logic.entails(part, form) for part in some]
        return True if True in answers else None if None in answers else False

    def loss(self) -> str:
        """Describe the parts that were lost and not replaced; an empty text for none."""
        kept = self.kept()
        lost = [p for p in self.first if p not in kept]
        if not lost:
            return ""
        first = [p.form for p in self.first]
        consistent = self.logic.satisfiable(conjunction(first)) is True
        for part in list(lost) if consistent else ():
            others = [p.form for p in (*kept, *lost) if p is not part]
            if self.entailed(others, part.form):
                lost.remove(part)
        if self.replaced(lost, kept, first if consistent else []):
            return ""
        for part in lost:
            for offer in self.repaired:
                if offer.form == TRUE or not self.possible(part.form):
                    continue
                if self.logic.entails(part.form, offer.form):
                    how = "one of several choices" if isinstance(offer.source, Or) else "less than it was"
                    return f"the repair made {part.source} {how}: {offer.source}"
        return f"the repair dropped {' '.join(str(p.source) for p in lost)}"

    def replaced(self, lost: list[_Part], kept: list[_Part], first: list[Formula]) -> bool:
        """Return whether every lost part can be given a new part of its own that may stand for it."""
        first_conjuncts = {
            c for form in (*(p.form for p in self.first), *self.optional) for c in conjuncts(form)
        }
        rest = {c: p for p in self.repaired for c in conjuncts(p.form)}
        about = frozenset(n for p in kept for n in p.names)
        needed = [p.form for p in kept]
        choices: set[Formula] = set()
        counted: set[Formula] = set()
        fitting: list[list[int]] = []
        assigned: dict[int, int] = {}
        for form, source in list(rest.items()):
            if form in first_conjuncts or self.follows(form, first):
                continue
            piece = source.piece(form)
            fits = [i for i, part in enumerate(lost) if self.stands_for(piece, part, about)]
            if not fits:
                continue
            if self.entailed([f for f in rest if f != form], form) is not False:
                del rest[form]
                continue
            # What keeps another part, by saying more than it, is not new.
            spare = [f for f in rest if f != form and f not in counted]
            if not all(f in spare or self.entailed(spare, f) for f in needed):
                continue
            own = set(form.parts) if isinstance(form, Or) else {form}
            if not choices.isdisjoint(own):  # one choice satisfies both
                continue
            choices |= own
            counted.add(form)
            fitting.append(fits)
            _assign(len(fitting) - 1, fitting, assigned, set())
            if len(assigned) == len(lost):
                return True
        return False

    def follows(self, form: Formula, first: list[Formula]) -> bool:
        """Return whether the first goal says so much, or may; parts that contradict others for themselves."""
        bodies = [first] if first else [[p.form] for p in self.first]
        return any(self.entailed(b, form) is not False for b in (*bodies, *([o] for o in self.optional)))

    def _may_hold(self, form: Formula) -> bool:
        """Return whether a form may hold at all."""
        return self.logic.satisfiable(form) is not False

    def stands_for(self, piece: _Part, part: _Part, about: frozenset[str]) -> bool:
        """Return whether a new piece may take the place of a lost part.

        A piece that is true already is filler, but for two corrections: the name in a fact that was true
        already too, and the opposite of a fact about something that another, kept part is about.
        """
        if (not piece.lasting and part.lasting) or not piece.near(part):
            return False
        if not piece.holds:
            return True
        if not (is_literal(piece.form) and is_literal(part.form)):
            return False
        (mine, sign), (theirs, other) = (next(literals(p.form)) for p in (piece, part))
        if mine.predicate == theirs.predicate and sign == other:
            return part.holds
        against = self.logic.entails(piece.form, negation(part.form))
        return against is True and not part.names.isdisjoint(about)


def _assign(piece: int, fitting: list[list[int]], assigned: dict[int, int], tried: set[int]) -> bool:
    """Assign a piece to a lost part, moving others where that makes room (Kuhn's bipartite matching)."""
    for part in fitting[piece]:
        if part not in tried:
            tried.add(part)
            if part not in assigned or _assign(assigned[part], fitting, assigned, tried):
                assigned[part] = piece
                return True
    return False
