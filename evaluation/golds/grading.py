"""Grades of runs by several graders, so that one can see how far the graders of the field agree.

A run has a goal, a plan, or both, for a task with a gold goal. The graders:

- ``simulator``: the gold goal holds where the plan ends, every step of which the simulator accepts. A goal
  without a plan is planned for; the grade is no where it is proved that there is none.
- ``diff``: the goal is equal to the gold goal or stronger, over all states that the laws of the scene allow.
- ``dnf``: both have the same disjunctive normal form as text, quantifiers expanded over the scene. So goals
  are compared by the programs of BTPG and Heracles.
- ``f1``: the literals of the two agree, F1 = 1; the number is in the details. The Embodied Agent Interface
  (Li et al. 2024) counts atoms so.
- ``exact``: both are the same formula as text.

A grader says nothing (``None``) where a run lacks what it needs, and where it is undecided.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from ...compiler.comparison.laws import Laws
from ...compiler.comparison.relation import GoalRelation, changes, relate
from ...compiler.goals.checker import check
from ...compiler.goals.goal import Goal, parse_goal, parse_wrapped
from ...compiler.goals.spelling import known_facts
from ...domains.ending import Ending
from ...domains.errors import GoalError
from ...domains.evaluate import evaluate
from ...domains.formula import (
    And,
    Equal,
    Exists,
    Forall,
    Formula,
    Imply,
    Not,
    Or,
    TypedVar,
    substitute,
)
from ...engines.base import Budget
from ...engines.engine import Engine
from ...planners.classical import plan_goal
from ...simulator.belief import Belief
from ...simulator.step import Step
from ...simulator.verification import verify_plan
from ...simulator.world import World

GRADERS = ("simulator", "diff", "dnf", "f1", "exact")
MAX_TERMS = 2000
"""Most conjunctions of a normal form."""
HARMLESS = frozenset(
    ("affordance", "contradiction", "count", "impossible", "irreversible", "too-large", "unchecked")
)
"""Errors of a check with which a goal is graded all the same: it is well-formed."""

Term = frozenset[str]


class TooManyTerms(Exception):
    """A normal form that is too large to be written down."""


@dataclass(frozen=True, slots=True)
class GradedRun:
    """A run of a task with the grade of each grader, and what lies behind them.

    ``relation`` is that of the goal to the gold goal, ``f1`` the score of its literals. ``witness`` has facts
    of a state in which the goal holds and the gold goal does not: those that are otherwise than at the start.
    """

    id: str
    task: str
    grades: Mapping[str, bool | None]
    relation: str = ""
    f1: float | None = None
    witness: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default=())

    @property
    def disputed(self) -> bool:
        """True where two graders say the opposite."""
        given = {grade for grade in self.grades.values() if grade is not None}
        return len(given) > 1


def graded(
    name: tuple[str, str],
    text: str | None,
    steps: Sequence[Step] | None,
    gold: Goal,
    belief: Belief,
    engine: Engine,
    graders: Sequence[str] = GRADERS,
    budget: Budget | None = None,
    laws: Laws | None = None,
) -> GradedRun:
    """Grade a run with a goal, a plan or both against a gold goal.

    ``name`` is its id and that of its task, ``text`` its goal; ``laws`` are those of the belief, for several
    runs of a task. A goal that cannot be read, or does not fit
    the scene, is right by no grader.
    """
    notes: list[str] = []
    own = None if text is None else _well_formed(text, belief, notes)
    wrong = text is not None and own is None
    grades: dict[str, bool | None] = dict.fromkeys(graders, False if wrong else None)
    if "simulator" in grades:
        reached = _by_simulator(own, steps, gold, belief, engine, budget, notes)
        grades["simulator"] = False if wrong and steps is None else reached
    relation, witness = "", tuple[str, ...]()
    if "diff" in grades and own is not None:
        related = relate(own.formula, gold.formula, belief, laws)
        relation, witness = related.relation, _witness(related)
        grades["diff"] = None if relation == "unknown" else relation in ("equal", "stronger")
        if relation == "unknown":
            notes.append(f"diff: {related.why}")
        if "a" in related.unsatisfiable:
            grades["diff"] = False
            notes.append("diff: no state makes the goal true")
    score = None
    if own is not None and {"dnf", "f1"} & grades.keys():
        try:
            forms = [_terms(one.formula, belief, True) for one in (own, gold)]
        except TooManyTerms:
            notes.append(f"dnf, f1: a normal form has more than {MAX_TERMS} terms")
        else:
            literals = [frozenset().union(*form) for form in forms]
            score = _f1(*literals)
            made = {"dnf": forms[0] == forms[1], "f1": score == 1}
            grades |= {grader: grade for grader, grade in made.items() if grader in grades}
    if "exact" in grades and own is not None:
        grades["exact"] = str(own.formula) == str(gold.formula)
    return GradedRun(*name, grades, relation, score, witness, tuple(notes))


def _well_formed(text: str, belief: Belief, notes: list[str]) -> Goal | None:
    """Return the goal of a text; ``None`` with a note for one that is none, or does not fit the scene."""
    try:
        try:
            goal = parse_goal(text)
        except GoalError:
            answer = parse_wrapped(text, "goal", known_facts(belief))
            if not isinstance(answer, Goal):
                raise
            goal = answer
    except GoalError as error:
        notes.append(f"check: {error}")
        return None
    errors = [d for d in check(goal, belief).diagnostics if d.severity == "error" and d.code not in HARMLESS]
    notes += [f"check: {one}" for one in errors[:1]]
    return None if errors else goal


def _by_simulator(
    goal: Goal | None,
    steps: Sequence[Step] | None,
    gold: Goal,
    belief: Belief,
    engine: Engine,
    budget: Budget | None,
    notes: list[str],
) -> bool | None:
    """Return whether the gold goal holds where a plan ends: that of the run, else one for its goal."""
    if steps is None:
        if goal is None:
            return None
        try:
            planned = plan_goal(goal, belief, engine, budget or Budget())
        except GoalError as error:  # too large to be expanded
            notes.append(f"simulator: {error}")
            return None
        if not planned.verified:
            notes.append(f"simulator: {planned.outcome}, no plan for the goal")
            return False if planned.ending is Ending.UNSOLVABLE else None
        steps = planned.steps
    seen = verify_plan(steps, belief, gold.formula)
    if not seen.verified:
        notes.append(f"simulator: {seen.feedback()[0]}")
    return seen.verified


def _witness(related: GoalRelation) -> tuple[str, ...]:
    """Return the facts of a state with the goal and without the gold goal, if there is one."""
    run = related.sides["a_only"].run
    if run is None:
        return ()
    return tuple(str(atom) if value else f"(not {atom})" for atom, value in changes(run.worlds[-1]))


# Goals as text


def _terms(formula: Formula, belief: Belief, positive: bool) -> frozenset[Term]:
    """Return the disjunctive normal form of a goal, a set of literals for each conjunction.

    Counts, and what was so at some time, are literals of their own. Raises :class:`TooManyTerms`.
    """
    match formula:
        case Not(part):
            return _terms(part, belief, not positive)
        case Imply(left, right):
            return _terms(Or((Not(left), right)), belief, positive)
        case And(parts) | Or(parts):
            return _joined([_terms(p, belief, positive) for p in parts], isinstance(formula, And) is positive)
        case Forall(variables, body) | Exists(variables, body):
            forms = [_terms(p, belief, positive) for p in _instances(variables, body, belief)]
            return _joined(forms, isinstance(formula, Forall) is positive)
        case Equal():
            holds = evaluate(formula, World(belief)) is positive
            return frozenset((frozenset[str](),)) if holds else frozenset()
    return frozenset((frozenset((str(formula) if positive else f"(not {formula})",)),))


def _instances(variables: Sequence[TypedVar], body: Formula, belief: Belief) -> Iterator[Formula]:
    members = [belief.members(variable.type) for variable in variables]
    names = [variable.name for variable in variables]
    for count, nodes in enumerate(product(*members)):
        if count >= MAX_TERMS:
            raise TooManyTerms
        yield substitute(body, dict(zip(names, nodes, strict=True)))


def _joined(forms: Sequence[frozenset[Term]], all_of_them: bool) -> frozenset[Term]:
    """Return the normal form of several forms together, or of any one of them; what is implied is kept."""
    if not all_of_them:
        terms = frozenset().union(*forms)
    else:
        terms = frozenset((frozenset[str](),))
        for form in forms:
            terms = frozenset(a | b for a in terms for b in form)
            if len(terms) > MAX_TERMS:
                raise TooManyTerms
    if len(terms) > MAX_TERMS:
        raise TooManyTerms
    return terms


def _f1(literals: frozenset[str], gold: frozenset[str]) -> float:
    """Return the harmonic mean of precision and recall of literals; 1 where both are empty."""
    if not literals and not gold:
        return 1.0
    return 2 * len(literals & gold) / (len(literals) + len(gold))
