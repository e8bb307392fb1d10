"""The reasons why a goal has no plan, and what to ask for instead; of a possible goal, what each part costs.

A goal comes to *units*, the least that can be given up of it: a conjunct, an instance of a ``forall``, or one
step of a count (``at-least 3``, then ``at-least 2``). A correction gives up some units. Those that give up
fewest are looked for first, and what stays is planned for. Where ``proofs.impossible`` proves a conflict in
it, whatever gives up nothing of that is excluded from then on. So *nearest* is said where all that gives up
less is excluded by proof; a price is the metres that a verified plan drives. A conflict is *minimal* where a
plan was made without each of its parts. Keys of the JSON are fixed.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod

from ..compiler.comparison.circuit import Gates
from ..compiler.comparison.conjuncts import MAX_INSTANCES, constrains, instances, requirements
from ..compiler.comparison.solver import Constraints, Solver, Undecided
from ..compiler.goals.checker import check
from ..compiler.goals.goal import Goal
from ..domains.deadline import LimitReached, check_time, limited, share_of_time, time_left
from ..domains.diagnostic import has_errors
from ..domains.ending import Ending
from ..domains.formula import Atom, Count, Forall, Formula, GroundAtom, as_ground, conjunction, is_ground_atom
from ..engines.base import Budget
from ..engines.engine import Engine
from ..engines.result import PlanResult
from ..language.sentences.saying import say
from ..simulator.belief import Belief
from .classical import cut_off, plan_goal
from .proofs.impossible import ImpossibleParts, smallest_set
from .proofs.search import Prover

MAX_CORRECTIONS = 10
"""Most corrections of one goal."""
MAX_TRIED, MAX_INSTEAD = 6, 3
"""Most facts that are tried in place of one that goes, and most that are told."""
PLAN_SHARE = 0.3
"""The part of the time left that one plan may take."""
WORK = "the search for what to ask for instead"


def _said(part: Formula, belief: Belief) -> dict[str, object]:
    return {"part": str(part), "says": say(part, belief)}


@dataclass(frozen=True)
class GoalChange:
    """A part of a goal with what stays of it.

    That is nothing (``drop``), less (``lower``), or another fact (``replace``).
    """

    part: Formula
    to: tuple[Formula, ...] = ()
    replaced: bool = False

    @property
    def kind(self) -> str:
        return "replace" if self.replaced else "lower" if self.to else "drop"

    def words(self, belief: Belief) -> str:
        """Return the change in words."""
        to = " ".join(say(one, belief) for one in self.to)
        link = "by" if self.replaced else "to"
        what = " the condition" if constrains(self.part) else ""
        return f'{self.kind}{what} "{say(self.part, belief)}"' + (f' {link} "{to}"' if to else "")

    def as_json(self, belief: Belief) -> dict[str, object]:
        to = [_said(part, belief) for part in self.to]
        return _said(self.part, belief) | {"kind": self.kind, "to": to}


@dataclass(frozen=True)
class Correction:
    """A goal that can be had, by giving up some units of another, with its verified plan.

    ``nearest`` says that whatever gives up fewer units is proved impossible; ``minimal`` that whatever gives
    up only some of these units is. ``instead`` are the same with another fact in place of one that goes.
    """

    goal: Goal
    changes: tuple[GoalChange, ...]
    given_up: int
    result: PlanResult
    nearest: bool
    minimal: bool
    instead: tuple[Correction, ...] = ()

    @property
    def conditions(self) -> int:
        """The number of changes to what is asked of the run, such as a prohibition."""
        return sum(constrains(change.part) for change in self.changes)


@dataclass(frozen=True)
class PricedPart:
    """A part of a possible goal, with the shorter of two verified plans for the goal without it.

    One was made for that, the other is the plan of the whole goal.
    """

    part: Formula
    without: PlanResult


@dataclass(frozen=True)
class WhyNot:
    """A goal that can be had with the price of each part, or one that cannot with what to ask for instead.

    ``outcome`` is ``possible`` with a verified plan, ``impossible`` with a proof, else ``unknown``. The parts
    of each of ``conflicts`` exclude each other by proof; that none of the first can be left out, too, is
    known where it is ``minimal``. ``unknown_sets`` counts corrections with neither a plan nor a proof;
    ``complete`` says that there are no further minimal ones.
    """

    goal: Goal
    belief: Belief
    result: PlanResult
    parts: tuple[PricedPart, ...] = ()
    conflicts: tuple[ImpossibleParts, ...] = ()
    corrections: tuple[Correction, ...] = ()
    minimal: bool = False
    unknown_sets: int = 0
    complete: bool = True
    cut: str = ""

    @property
    def conflict(self) -> ImpossibleParts | None:
        """The first of the conflicts, where the goal is impossible."""
        return next(iter(self.conflicts), None)

    @property
    def outcome(self) -> str:
        if self.result.verified:
            return "possible"
        return "impossible" if self.conflict is not None else "unknown"

    @property
    def first(self) -> Correction | None:
        """The correction to take where one is to be taken: there is something left to do.

        Of those that give up least it is one that keeps what is asked of the run, and then the shortest.
        """
        some = (one for one in self.corrections if one.result.steps)
        return min(some, key=lambda one: (one.given_up, one.conditions, *_price(one.result)), default=None)

    def as_json(self) -> dict[str, object]:
        return {
            "outcome": self.outcome,
            "price": self._price(self.result),
            "parts": [
                _said(one.part, self.belief) | {"without": self._price(one.without)} for one in self.parts
            ],
            "conflict": self._conflict(self.conflict),
            "corrections": [self._correction(one) for one in self.corrections],
            "unknown": self.unknown_sets,
            "complete": self.complete,
            "why": self.cut or "; ".join(self.result.reasons if self.outcome == "unknown" else ()),
        }

    def _price(self, result: PlanResult | None) -> dict[str, object] | None:
        if result is None or not result.verified:
            return None
        return {
            "metres": result.verification.metres,
            "effort": effort_of(result),
            "optimal": result.optimal,
            "steps": list(map(str, result.steps)),
        }

    def _conflict(self, one: ImpossibleParts | None) -> dict[str, object] | None:
        if one is None:
            return None
        return {
            "parts": [_said(part, self.belief) for part in one.parts],
            "each": one.none is not None and len(one.parts) > 1,
            "minimal": self.minimal,
            "reasons": list(one.reasons),
            "proof": str(one.proof) if one.proof is not None else None,
        }

    def _correction(self, one: Correction) -> dict[str, object]:
        return {
            "changes": [change.as_json(self.belief) for change in one.changes],
            "given_up": one.given_up,
            "nearest": one.nearest,
            "minimal": one.minimal,
            "goal": str(one.goal),
            "says": say(one.goal.formula, self.belief),
            "price": self._price(one.result),
            "instead": [self._correction(other) for other in one.instead],
        }


def why_not(goal: Goal, belief: Belief, engine: Engine, budget: Budget | None = None) -> WhyNot:
    """Say why a checked goal has no plan and what to ask for instead, or what each part of it costs.

    The seconds of ``budget`` are for everything together (30 s by default). Where they run out, what was
    found is told, and ``complete`` is false. Raises :class:`GoalError` for an expansion that is too large.

    >>> from groundplan import Engine, ground, load_pack, load_scene, parse_goal, why_not
    >>> office, engine = ground(load_scene("office"), load_pack()), Engine.named("pyperplan")
    >>> answer = why_not(parse_goal("(and (hot pepsi) (holding pepsi) (hand_free))"), office, engine)
    >>> [str(part) for part in answer.conflict.parts]
    ['(holding pepsi)', '(hand_free)']
    >>> [(str(one.goal), one.result.verification.metres, one.nearest) for one in answer.corrections]
    [('(and (hot pepsi) (hand_free))', 81.17, True), ('(and (hot pepsi) (holding pepsi))', 81.17, True)]
    """
    limits = budget or Budget()
    with limited(limits.seconds):
        search = _Search(goal, belief, engine, limits)
        cut = ""
        try:
            search.run()
        except (LimitReached, Undecided) as limit:
            cut = str(limit)
            search.complete = False
        return WhyNot(
            goal,
            belief,
            search.results.get(frozenset(), NOT_DECIDED),
            tuple(search.parts),
            tuple(search.conflicts),
            tuple(sorted(search.corrections, key=lambda c: (c.given_up, *_price(c.result)))),
            search.minimal,
            len(search.unknown),
            search.complete and not search.unknown,
            cut,
        )


def _price(result: PlanResult) -> tuple[int, int]:
    """Return the millimetres that a plan drives, and with the effort of its manipulations."""
    return result.verification.length_mm, result.cost_mm or 0


def effort_of(result: PlanResult) -> float:
    """Return what the manipulations of a plan count beside the metres that it drives."""
    return round((result.cost or 0.0) - result.verification.metres, 3)


TOO_LATE = ("neither planned nor proved in time",)
NOT_DECIDED = PlanResult(Ending.TIMED_OUT, reproducible=False, reasons=TOO_LATE)

Lost = frozenset[Formula]


class _Units:
    """The units of a goal: of each part, those that can be given up, the strongest first."""

    def __init__(self, goal: Formula, belief: Belief) -> None:
        self.belief = belief
        self.bounds = {whole: _bounds(whole) for whole in requirements(goal)}
        self.of = {part: self._of(part) for some in self.bounds.values() for part in some}
        self.opened: set[Formula] = set()
        self.all = tuple(dict.fromkeys(itertools.chain.from_iterable(self.of.values())))

    def _of(self, part: Formula) -> tuple[Formula, ...]:
        if not isinstance(part, Count):
            return instances(part, self.belief)
        most = prod(len(self.belief.members(v.type)) for v in part.variables)
        if part.kind == "at-least":
            fewer = range(min(part.number - 1, most), 0, -1)  # what is beyond all there are is one unit
            return (part, *(replace(part, number=n) for n in fewer))
        numbers = range(part.number, min(most, part.number + MAX_INSTANCES))
        return tuple(replace(part, number=n) for n in numbers) or (part,)

    def kept(self, part: Formula, lost: Lost, whole: bool = True) -> tuple[Formula, ...]:
        """Return what stays of a part, ``whole`` where nothing of it goes."""
        some = self.of[part]
        left = tuple(unit for unit in some if unit not in lost)
        if whole and len(left) == len(some):
            return (part,)
        return left[:1] if isinstance(part, Count) else left

    def rest(self, lost: Lost) -> tuple[Formula, ...]:
        """Return what stays of the goal."""
        kept = (one for part in self.of for one in self.kept(part, lost, part not in self.opened))
        return tuple(dict.fromkeys(kept))

    def open(self, formulas: Sequence[Formula]) -> None:
        """Take parts apart of which instances are in a conflict: plain facts are looked at first."""
        self.opened |= {part for part, some in self.of.items() if not set(some).isdisjoint(formulas)}

    def goal(self, lost: Lost) -> Goal:
        """Return what stays of the goal, with an ``exactly`` that stays whole as it was written."""
        parts: dict[Formula, None] = {}
        for whole, bounds in self.bounds.items():
            left = tuple(itertools.chain.from_iterable(self.kept(part, lost) for part in bounds))
            parts |= dict.fromkeys((whole,) if left == bounds else left)
        return Goal.of(conjunction(tuple(parts)))

    def within(self, formula: Formula) -> tuple[Formula, ...]:
        """Return the units of which one has to go where a formula, a unit or a whole part, is impossible."""
        return self.of.get(formula, (formula,)) if isinstance(formula, Forall) else (formula,)

    def size(self, lost: Collection[Formula]) -> int:
        """Return how much some units are together; a ``forall`` without instances is all it ranges over."""
        return sum(map(self.weight, lost))

    def weight(self, unit: Formula) -> int:
        if not isinstance(unit, Forall):
            return 1
        return max(1, min(MAX_INSTANCES, prod(len(self.belief.members(v.type)) for v in unit.variables)))

    def changes(self, lost: Lost) -> tuple[GoalChange, ...]:
        return tuple(
            GoalChange(part, self.kept(part, lost))
            for part, some in self.of.items()
            if not lost.isdisjoint(some)
        )


def _bounds(part: Formula) -> tuple[Formula, ...]:
    """Return a count as bounds from below and from above, and any other part as it is."""
    if not isinstance(part, Count) or part.kind != "exactly":
        return (part,)
    above = replace(part, kind="at-most")
    return (replace(part, kind="at-least"), above) if part.number else (above,)


class _HittingSets:
    """The smallest sets of units with something of each conflict, one after the other.

    A count that is given up takes those with it that ask for more.
    """

    def __init__(self, units: _Units) -> None:
        self.units = units
        self.gates = Gates()
        self.lost = {unit: self.gates.variable() for unit in units.all}
        laws = Constraints()
        for some in units.of.values():
            if isinstance(some[0], Count):
                laws.clauses += ((-self.lost[b], self.lost[a]) for a, b in itertools.pairwise(some))
        self.solver = Solver(self.gates, laws, list(self.lost.values()))
        self.weighed = [self.lost[unit] for unit in units.all for _ in range(units.weight(unit))]
        self.assumed: list[int] = []
        self.least = 0

    def fewest(self) -> Lost | None:
        """Return a smallest set that is not excluded, or ``None`` where there is none left."""
        while self.least <= len(self.weighed):
            more = self.gates.at_least(self.least + 1, self.weighed)
            values = self.solver.satisfy([*self.assumed, -more])
            if values is not None:
                return frozenset(unit for unit, lost in self.lost.items() if values[lost])
            self.least += 1
        return None

    def some_of(self, units: Sequence[Formula]) -> None:
        """Exclude sets with none of some units."""
        self.assumed.append(self.gates.disjunction(self.lost[unit] for unit in units))

    def not_all_of(self, units: Lost) -> None:
        """Exclude sets with all of some units."""
        self.assumed.append(-self.gates.conjunction(self.lost[unit] for unit in units))

    def not_just(self, units: Lost) -> None:
        """Exclude one set."""
        signs = ((1 if unit in units else -1) * lost for unit, lost in self.lost.items())
        self.assumed.append(-self.gates.conjunction(signs))


class _Search:
    """The search of one goal. It keeps what it found, for whoever ends it."""

    def __init__(self, goal: Goal, belief: Belief, engine: Engine, limits: Budget) -> None:
        self.goal, self.belief, self.engine, self.limits = goal, belief, engine, limits
        self.units = _Units(goal.formula, belief)
        self.results: dict[Lost, PlanResult] = {}
        self.parts: list[PricedPart] = []
        self.conflicts: list[ImpossibleParts] = []
        self.found: list[Lost] = []
        self.corrections: list[Correction] = []
        self.unknown: list[Lost] = []
        self.minimal = False
        self.complete = True

    def run(self) -> None:
        whole = self._plan(frozenset())
        if whole.verified:
            self._price(whole)
            return
        for lost in self._possible():
            self.found.append(lost)
            self.corrections.append(self._correction(lost))
        for number, one in enumerate(self.corrections):
            self.corrections[number] = replace(one, instead=tuple(self._instead(one)))
        shown = [self._minimal(conflict) for conflict in self.conflicts]
        self.conflicts, self.minimal = [conflict for conflict, _ in shown], bool(shown and shown[0][1])

    def planned(self, goal: Goal) -> PlanResult:
        """Return the answer of planning for a goal within a share of the time left."""
        check_time(WORK)
        with share_of_time(PLAN_SHARE):
            try:
                limits = replace(self.limits, seconds=time_left() or self.limits.seconds)
                return plan_goal(goal, self.belief, self.engine, limits)
            except LimitReached as cut:
                return cut_off(cut)

    def _price(self, whole: PlanResult) -> None:
        """Plan without each part. The plan of the whole does for less as well, and may be the cheaper one."""
        for part in self.units.bounds:
            others = tuple(other for other in self.units.bounds if other != part)
            result = self.planned(Goal.of(conjunction(others)))
            shorter = result.verified and _price(result) <= _price(whole)
            self.parts.append(PricedPart(part, result if shorter else whole))

    def _possible(self) -> Iterator[Lost]:
        """Yield what is given up by each correction, fewest units first.

        What is given up takes something of every conflict, and not all that another correction gives up
        (implicit hitting sets: Davies and Bacchus 2011, "Solving MAXSAT by solving a sequence of simpler SAT
        instances").
        """
        sets = _HittingSets(self.units)
        while len(self.found) < MAX_CORRECTIONS and (lost := sets.fewest()) is not None:
            if self._plan(lost).verified:
                sets.not_all_of(lost)
                yield lost
            elif (one := self._conflict(lost)) is not None:
                broken = [self.units.within(part) for part in one.parts]
                if one.none is not None:  # each part is impossible by itself
                    for unit in itertools.chain(*broken):
                        sets.some_of([unit])
                else:
                    sets.some_of([*itertools.chain(*broken)])
            else:
                self.unknown.append(lost)
                sets.not_just(lost)
        self.complete = sets.fewest() is None

    def _plan(self, lost: Lost) -> PlanResult:
        """Return the answer of planning for what stays, with a proof first that is found at once."""
        if lost not in self.results:
            goal = self.units.goal(lost)
            proof = Prover(goal.formula, self.belief).quick()  # an engine would look in vain for longer
            self.results[lost] = proof.result() if proof is not None else self.planned(goal)
        return self.results[lost]

    def _conflict(self, lost: Lost) -> ImpossibleParts | None:
        """Return a smallest conflict in what stays."""
        check_time(WORK)
        rest = self.units.rest(lost)
        one = smallest_set(rest, self.belief, at_once=True) or smallest_set(rest, self.belief)
        if one is not None:
            self.conflicts.append(one)
            self.units.open(one.parts)
        return one

    def _minimal(self, conflict: ImpossibleParts) -> tuple[ImpossibleParts, bool]:
        """Return a conflict without parts that a plan's proof needs not, and whether none is left of those.

        That a search for a proof fails without a part does not show that there is a plan.
        """
        if conflict.none is not None or len(conflict.parts) < 2:
            return conflict, True
        minimal = True
        for part in conflict.parts:
            rest = tuple(other for other in conflict.parts if other != part)
            if not rest or self._had(rest):
                continue
            result = self.planned(Goal.of(conjunction(rest)))
            if result.ending is Ending.UNSOLVABLE and (one := smallest_set(rest, self.belief)) is not None:
                return self._minimal(one)
            minimal = minimal and result.verified
        return conflict, minimal

    def _had(self, parts: Sequence[Formula]) -> bool:
        """Return whether a plan was made that has all of some parts."""
        plans = (lost for lost, result in self.results.items() if result.verified)
        units = [unit for part in parts for unit in self.units.within(part)]
        return any(lost.isdisjoint(units) for lost in plans)

    def _correction(self, lost: Lost) -> Correction:
        goal = self.units.goal(lost)
        size, sizes = self.units.size(lost), map(self.units.size, (*self.found, *self.unknown))
        minimal = not any(other < lost for other in self.unknown)
        changes = self.units.changes(lost)
        return Correction(goal, changes, size, self.results[lost], size <= min(sizes), minimal)

    def _instead(self, one: Correction) -> Iterator[Correction]:
        """Yield corrections with another fact in place of one that goes, the cheapest first."""
        for change in one.changes:
            part = change.part
            if change.to or not isinstance(part, Atom) or not is_ground_atom(part):
                continue
            some: list[Correction] = []
            for other in itertools.islice(self._others(part, one.goal), MAX_TRIED):
                goal = Goal.of(conjunction((*requirements(one.goal.formula), other)))
                result = self.planned(goal)
                if result.verified:
                    changes = tuple(
                        GoalChange(c.part, (other,), True) if c is change else c for c in one.changes
                    )
                    some.append(replace(one, goal=goal, changes=changes, result=result))
            yield from sorted(some, key=lambda c: _price(c.result))[:MAX_INSTEAD]

    def _others(self, atom: GroundAtom, rest: Goal) -> Iterator[Formula]:
        """Yield facts like one: of the same things in another relation, or of another thing of a class."""
        scene, pack = self.belief.scene, self.belief.pack
        relations = {a.predicate for a in pack.mapping.relations.values() if len(a.args) == len(atom.args)}
        names = sorted(relations - {atom.predicate}) if atom.predicate in relations else ()
        others = [Atom(name, atom.args) for name in names]
        for place, name in enumerate(atom.args):
            for kind in scene.nodes[name].classes[:1]:
                before, after = atom.args[:place], atom.args[place + 1 :]
                like = (n for n in self.belief.members(kind) if n not in atom.args)
                others += (Atom(atom.predicate, (*before, n, *after)) for n in like)
        for other in others:
            if as_ground(other) in self.belief.facts or other in requirements(self.goal.formula):
                continue
            goal = Goal.of(conjunction((*requirements(rest.formula), other)))
            if not has_errors(check(goal, self.belief).diagnostics):
                yield other
