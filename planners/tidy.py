"""Putting back: what a plan leaves otherwise than found and of which the goal says nothing.

No instruction says "and close the fridge again", nor "and let go of it". So doors, switches and whatever else
the pack's actions switch both ways go back to what they were, and a hand that was free is free at the end,
unless the goal mentions them: the facts that were found are added to the goal, and it is planned for again.
What was to hold at some time only (``sometime``) does not count as mentioned. Nothing here knows a predicate:
:func:`toggles` finds the groups in the pack, whose mapping names the facts of the hand. The bounds may be
changed. Must stay: the goal that was given is a part of the goal that is planned for, and without a verified
plan for more the plan for it alone stays, with what was not put back and why.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from ..compiler.attainable import Attainable
from ..compiler.goals.checker import check
from ..compiler.goals.goal import Goal
from ..compiler.normal import Expanded, expanded
from ..domains.action import PlanAction
from ..domains.checks.induction import about_robot
from ..domains.deadline import LimitReached, share_of_time
from ..domains.ending import Ending
from ..domains.errors import GoalError
from ..domains.evaluate import evaluate
from ..domains.exclusive import clash
from ..domains.formula import (
    TRUE,
    And,
    Atom,
    Cardinality,
    Formula,
    GroundAtom,
    Not,
    Or,
    conjuncts,
    is_ground_atom,
)
from ..domains.storage.json_record import JsonRecord
from ..engines.base import Budget
from ..engines.engine import Engine
from ..engines.result import PlanResult
from ..simulator.belief import Belief
from ..simulator.facts import Args
from ..simulator.world import World
from .classical import plan_goal

SHARE = 0.5
"""The part of the time that is left which planning again may take."""
MAX_PLANS = 8
"""Most goals that are planned for to put things back."""
WORK = "putting back what the plan left otherwise than found"
NOT_TRIED, IRREVERSIBLE = "not-tried", "irreversible"
"""Reasons of what was not put back: :data:`MAX_PLANS` came before; no action brings it about again. All
others are outcomes of a run."""
HAND = "hand"
"""The group of the fact that the hand is free."""
_State = tuple[str, Args]
"""A group of states, and the thing that they are of; of the hand there is one."""
STOPPED = frozenset((NOT_TRIED, Ending.TIMED_OUT.value))
"""Reasons after which no other goal is tried."""


@dataclass(frozen=True, slots=True)
class NotPutBack(JsonRecord):
    """A fact that was found and does not hold at the end; ``why`` is how planning for it ended."""

    fact: GroundAtom
    why: str


@dataclass(frozen=True, slots=True)
class Tidied:
    """A goal with the facts that were ``added`` to it, the answer of planning for it, and what was left."""

    goal: Goal
    result: PlanResult
    added: tuple[GroundAtom, ...] = ()
    left: tuple[NotPutBack, ...] = ()


def toggles(belief: Belief) -> dict[str, str]:
    """Return the predicates of states that the robot switches both ways, each with its exclusive group.

    A group counts if all its facts are of one thing alone, may be asked for, say nothing of places and hands,
    and if the pack's actions lead from each to each: ``open`` and ``closed``, ``locked`` and ``unlocked``.
    """
    pack = belief.pack
    mapping, public = pack.mapping, pack.public_predicates()
    placing = {r.predicate for r in mapping.relations.values()}
    placing |= {f.predicate for f in (mapping.robot_position, mapping.robot_free, mapping.robot_held)}
    groups: dict[str, str] = {}
    for group, patterns in belief.exclusive.items():
        names = {p.predicate for p in patterns}
        of_one_thing = all(len(p.args) == 1 and not about_robot(p) for p in patterns)
        if of_one_thing and len(names) > 1 and names <= public.keys() - placing and _both_ways(names, belief):
            groups |= dict.fromkeys((p.predicate for p in patterns), group)
    return groups


def kept_as_found(belief: Belief, doors: bool = True) -> dict[str, str]:
    """Return the predicates of what is put back, each with its group: with ``doors`` toggles, too."""
    return (toggles(belief) if doors else {}) | {belief.pack.mapping.robot_free.predicate: HAND}


def _both_ways(names: set[str], belief: Belief) -> bool:
    """Return whether actions, one or several, lead from each state of a thing to each other one."""
    steps: dict[str, set[str]] = {name: set() for name in names}
    for action in belief.pack.manipulations:
        for gone in (d for d in action.delete if d.predicate in names):
            steps[gone.predicate] |= {
                a.predicate for a in action.add if a.args == gone.args and a.predicate in names
            }
    for start in names:
        reached, todo = {start}, [start]
        while todo:
            todo += (new := steps[todo.pop()] - reached)
            reached |= new
        if reached != names:
            return False
    return True


def changed(result: PlanResult, belief: Belief, doors: bool = True) -> list[GroundAtom]:
    """Return the facts of :func:`kept_as_found` that a plan leaves otherwise than it found them, in order."""
    return left_otherwise(result.verification.actions, end_of(result, belief), doors)


def left_otherwise(actions: Iterable[PlanAction], end: World, doors: bool = True) -> list[GroundAtom]:
    """Return facts of :func:`kept_as_found` that actions found, made false and left so.

    ``actions`` are those that were done up to the end, in order; of each thing the first state counts.
    """
    switched = kept_as_found(end.belief, doors)
    first: dict[_State, GroundAtom | None] = {}
    for step in actions:
        action = end.pack.domain.actions[step.name].ground(step.args)
        met = [(atom, atom) for atom in action.delete if atom in action.precondition]
        for atom, at_first in (*met, *((atom, None) for atom in action.add)):
            if atom.predicate in switched:
                first.setdefault((switched[atom.predicate], atom.args), at_first)
    return [a for a in first.values() if a is not None and not end.holds(a.predicate, a.args)]


@dataclass(frozen=True, slots=True)
class _End:
    """A state at the end, or what it would be with a free hand; what should have held on the way has."""

    world: World
    freed: bool

    def holds(self, predicate: str, args: Args) -> bool:
        mapping = self.world.pack.mapping
        if self.freed and predicate in (mapping.robot_held.predicate, mapping.robot_free.predicate):
            return predicate == mapping.robot_free.predicate
        return self.world.holds(predicate, args)

    def happened(self, literal: Formula) -> bool:
        return True

    def members(self, type_or_class: str) -> Sequence[str]:
        return self.world.members(type_or_class)


def spoken_of(goal: Formula, end: World, form: Formula | None = None) -> set[_State]:
    """Return the groups of states, each with the thing, of which a goal says what holds at the end.

    Of the hand it says so if the goal would be false there with a free one. It is the goal as it was written
    that counts, since in its normal form a thing that is held is in a room. ``form`` is its normal form,
    where there is one already.
    """
    belief = end.belief
    switched = toggles(belief)
    at_the_end = _at_the_end(form if form is not None else expanded(goal, belief).form)
    spoken = {(switched[a.predicate], a.args) for a in at_the_end if a.predicate in switched}
    held = evaluate(goal, _End(end, False)) and not evaluate(goal, _End(end, True))
    return spoken | ({(HAND, ())} if held else set())


def unsaid(
    goal: Formula,
    actions: Iterable[PlanAction],
    end: World,
    doors: bool = True,
    form: Formula | None = None,
) -> tuple[GroundAtom, ...]:
    """Return the facts of :func:`left_otherwise` of which a goal says nothing, and which its own facts allow.

    ``form`` is the goal's normal form, where there is one already.
    """
    left, belief = left_otherwise(actions, end, doors), end.belief
    if not left:
        return ()
    groups, form = kept_as_found(belief, doors), form or expanded(goal, belief).form
    needed = tuple(filter(is_ground_atom, conjuncts(form)))
    spoken = spoken_of(goal, end, form)
    return tuple(
        fact
        for fact in left
        if (groups[fact.predicate], fact.args) not in spoken
        and (groups[fact.predicate] == HAND or clash(fact, needed, belief.exclusive) is None)
    )


def end_of(result: PlanResult, belief: Belief) -> World:
    """Return the state after a plan."""
    world = World(belief)
    for step in result.steps:
        world.apply(step)
    return world


def _at_the_end(form: Formula) -> Iterator[GroundAtom]:
    """Yield the atoms of a normal form outside of ``sometime``."""
    stack = [form]
    while stack:
        match stack.pop():
            case Atom() as atom:
                yield atom
            case Not(part):
                stack.append(part)
            case And(parts) | Or(parts) | Cardinality(_, _, parts):
                stack += parts


def put_back(
    goal: Goal,
    result: PlanResult,
    belief: Belief,
    engine: Engine,
    budget: Budget | None = None,
    normal: Expanded | None = None,
    doors: bool = True,
) -> Tidied:
    """Plan once more for a goal and for leaving as found what it says nothing of.

    ``result`` is the answer of planning for the goal; without a verified plan nothing is done. ``normal`` is
    the goal's normal form, where there is one already. Without ``doors`` the hand alone counts, as for a goal
    that is given. All facts are tried together first, and one by one where that has no plan. Planning again
    gets half of the time that is left (30 s without a limit). What has no plan, what a limit cut off and what
    no action brings about again is ``left``; the state of a door or switch that the goal's own facts exclude
    is not listed.

    >>> from groundplan import Engine, ground, load_pack, load_scene, parse_goal, plan_goal
    >>> from groundplan.planners import put_back
    >>> office, engine = ground(load_scene("office"), load_pack()), Engine.named("pyperplan")
    >>> goal = parse_goal("(sometime (turned_on coffee_machine))")
    >>> print(*put_back(goal, plan_goal(goal, office, engine), office, engine).added)
    (turned_off coffee_machine)
    """
    work = _Work(goal, belief, engine, budget or Budget(), Tidied(goal, result), doors)
    if result.verified and changed(result, belief, doors):
        work.run(normal)
    return work.tidied


@dataclass
class _Work:
    """Attempts at one goal: the best so far, and the facts that were given up."""

    goal: Goal
    belief: Belief
    engine: Engine
    budget: Budget
    tidied: Tidied
    doors: bool
    given_up: dict[GroundAtom, str] = field(default_factory=dict)
    form: Formula = TRUE
    """The goal's normal form."""
    plans: int = 0

    def run(self, normal: Expanded | None) -> None:
        """Add facts until nothing is left otherwise but what was given up."""
        self.form = (normal or expanded(self.goal.formula, self.belief)).form
        try:
            with share_of_time(SHARE):
                while todo := self.unsaid():
                    self.settle(todo)
        except LimitReached as cut:
            self.given_up |= dict.fromkeys(self.unsaid(), self.stopped(cut.ending))
        otherwise = changed(self.tidied.result, self.belief, self.doors)
        left = tuple(NotPutBack(f, self.given_up[f]) for f in otherwise if f in self.given_up)
        self.tidied = replace(self.tidied, left=left)

    def settle(self, facts: list[GroundAtom]) -> None:
        """Put some facts back, or give up one of them at least."""
        if final := self.irreversible(facts):
            self.given_up |= dict.fromkeys(final, IRREVERSIBLE)
            return
        why = self.attempt(facts)
        if why and why not in STOPPED and len(facts) > 1:  # one of them may be all that stands against it
            facts = facts[:1]
            why = self.attempt(facts)
        if why:
            self.given_up |= dict.fromkeys(facts, why)

    def unsaid(self) -> list[GroundAtom]:
        """Return the facts that the best plan so far leaves otherwise, and that may still be put back."""
        result, end = self.tidied.result, end_of(self.tidied.result, self.belief)
        left = unsaid(self.goal.formula, result.verification.actions, end, self.doors, self.form)
        return [fact for fact in left if fact not in self.given_up]

    def irreversible(self, facts: Sequence[GroundAtom]) -> list[GroundAtom]:
        """Return those of the facts that no action brings about again, as far as single facts tell."""
        attainable = Attainable(self.belief, end_of(self.tidied.result, self.belief).state.facts)
        return [fact for fact in facts if not attainable.reachable(fact)]

    def attempt(self, facts: Sequence[GroundAtom]) -> str:
        """Plan with some facts more; keep that plan, or return why there is none."""
        if self.plans == MAX_PLANS:
            return NOT_TRIED
        self.plans += 1
        added = (*self.tidied.added, *facts)
        try:
            goal = Goal.of(And((*conjuncts(self.goal.formula), *added)))
            report = check(goal, self.belief)
            if report.cut is not None:
                return self.stopped(report.cut.ending)
            if not report.ok:
                return "goal-error"
            result = plan_goal(goal, self.belief, self.engine, self.budget, normal=report.normal)
        except GoalError:  # one of the longest goals there may be
            return "goal-error"
        if result.verified:
            before = self.tidied.result
            cut_off = tuple(dict.fromkeys((*before.cut_off, *result.cut_off)))
            reproducible = before.reproducible and result.reproducible
            result = replace(result, cut_off=cut_off, reproducible=reproducible)
            self.tidied = Tidied(goal, result, added)
            return ""
        return self.stopped(result.ending) if not result.reproducible else result.outcome

    def stopped(self, ending: Ending) -> str:
        """Note that a clock or a signal ended an attempt: another run may put more back."""
        result = self.tidied.result
        cut_off = tuple(dict.fromkeys((*result.cut_off, WORK)))
        self.tidied = replace(self.tidied, result=replace(result, reproducible=False, cut_off=cut_off))
        return ending.value
