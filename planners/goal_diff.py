"""Comparison of two goals: their relation by the laws of a scene, and over what plans reach, kept apart.

``compiler.comparison.relation`` says which runs the laws allow. A plan may reach fewer: an interlock, a door
or the order of steps can be in the way. So with an engine each side that the laws leave open is planned for.
A verified plan shows that it is real, a proof that it is empty; anything else leaves it unknown, and with it
what rests on it. Keys of the JSON are fixed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ..compiler.comparison.completion import GoalRun
from ..compiler.comparison.relation import GoalRelation, RelationName, Side, changes, relate, related, values
from ..compiler.goals.goal import Goal
from ..domains.deadline import time_left
from ..domains.ending import Ending
from ..domains.errors import GoalError
from ..domains.formula import GroundAtom, Not, Sometime, walk
from ..engines.base import Budget
from ..engines.engine import Engine
from ..engines.result import PlanResult
from ..simulator.belief import Belief
from ..simulator.step import Step
from ..simulator.world import World
from .classical import plan_goal

HOLDS = {"a_only": ("a",), "b_only": ("b",), "both": ("a", "b")}
"""Which of the goals hold on each side."""
DENIED_SOMETIME = "a sometime that is denied cannot be planned for"


@dataclass(frozen=True, slots=True)
class PlannedSide:
    """Answer of planning about a side: ``empty`` with a proof, not with a plan, ``None`` with neither."""

    empty: bool | None
    steps: tuple[Step, ...] = ()
    why: str = ""
    facts: tuple[tuple[GroundAtom, bool], ...] = ()
    """What is otherwise at the end of the plan than at the start."""


@dataclass(frozen=True)
class GoalDiff:
    """Two goals compared: by the laws, and over what plans reach where that was asked for."""

    goals: tuple[Goal, Goal]
    belief: Belief
    laws: GoalRelation
    planned: Mapping[str, PlannedSide] | None = None

    @property
    def relation(self) -> RelationName:
        """The relation over all states that the laws of the scene allow."""
        return self.laws.relation

    @property
    def reachable(self) -> RelationName | None:
        """The relation over what plans reach; ``None`` where that was not asked for."""
        if self.planned is None:
            return None
        return related({name: side.empty for name, side in self.planned.items()})

    @cached_property
    def unreachable(self) -> tuple[str, ...]:
        """The goals that no plan reaches, by proof."""
        if self.planned is None:
            return ()
        empty = {name for name, side in self.planned.items() if side.empty}
        return tuple(goal for goal in ("a", "b") if {f"{goal}_only", "both"} <= empty)

    def as_json(self) -> dict[str, object]:
        laws = self.laws
        sides = {name: _verdict(side.empty) for name, side in laws.sides.items()}
        return {
            "relation": self.relation,
            "unsatisfiable": list(laws.unsatisfiable),
            "always": list(laws.always),
            "why": laws.why,
            "sides": sides,
            "witnesses": [self._witness(side, side.run) for side in laws.sides.values() if side.run],
            "reachable": self._reachable_json(),
        }

    def _witness(self, side: Side, run: GoalRun) -> dict[str, object]:
        atoms = values(run, [goal.formula for goal in self.goals])
        *before, last = (self._facts(changes(world)) for world in run.worlds)
        return {
            "side": side.name,
            "holds": list(HOLDS[side.name]),
            "facts": last,
            "before": before,
            "atoms": self._facts(atoms),
        }

    def _facts(self, facts: Sequence[tuple[GroundAtom, bool]]) -> list[dict[str, object]]:
        words = self.belief.pack.words
        return [
            {"fact": str(atom), "holds": value, "says": words(atom.predicate, atom.args, value)}
            for atom, value in facts
        ]

    def _reachable_json(self) -> dict[str, object] | None:
        if self.planned is None:
            return None
        sides = {
            name: {
                "verdict": _verdict(side.empty),
                "why": side.why,
                "plan": list(map(str, side.steps)) if side.empty is False else None,
                "facts": self._facts(side.facts),
            }
            for name, side in self.planned.items()
        }
        return {"relation": self.reachable, "unreachable": list(self.unreachable), "sides": sides}


def diff(
    a: Goal, b: Goal, belief: Belief, engine: Engine | None = None, budget: Budget | None = None
) -> GoalDiff:
    """Compare two checked goals; with an engine, over what plans reach as well.

    ``relation`` of the result is ``equal``, ``stronger`` (a says more than b), ``weaker``, ``overlapping``,
    ``disjoint`` or ``unknown``. The seconds of ``budget`` are for planning for one side; a limit that is in
    force already is shared by the sides.

    >>> from groundplan import Engine, diff, ground, load_pack, load_scene, parse_goal
    >>> office = ground(load_scene("office"), load_pack())
    >>> goals = parse_goal("(open microwave)"), parse_goal("(turned_off microwave)")
    >>> diff(*goals, office).relation
    'overlapping'
    >>> diff(*goals, office, Engine.named("pyperplan")).reachable
    'stronger'
    """
    laws = relate(a.formula, b.formula, belief)
    if engine is None:
        return GoalDiff((a, b), belief, laws)
    planned: dict[str, PlannedSide] = {}
    for number, (name, side) in enumerate(laws.sides.items()):
        left = time_left()
        share = None if left is None else left / (len(laws.sides) - number)
        limits = budget or (Budget() if share is None else Budget(seconds=share))
        planned[name] = _planned(side, belief, engine, limits)
    return GoalDiff((a, b), belief, laws, planned)


def _verdict(empty: bool | None) -> str:
    return {True: "empty", False: "some", None: "unknown"}[empty]


def _planned(side: Side, belief: Belief, engine: Engine, limits: Budget) -> PlannedSide:
    if side.empty:
        return PlannedSide(True, why="excluded by the laws of the scene")
    if any(isinstance(node, Not) and _speaks_of_the_past(node) for node in walk(side.goal)):
        return PlannedSide(None, why=DENIED_SOMETIME)
    try:
        result = plan_goal(Goal.of(side.goal), belief, engine, limits)
    except GoalError as error:
        return PlannedSide(None, why=str(error))
    if result.verified:
        steps = tuple(step for _, step in result.printed)
        return PlannedSide(False, steps, facts=tuple(changes(_after(steps, belief))))
    if result.ending is Ending.UNSOLVABLE:
        return PlannedSide(True, why=f"proved: {result.proof}")
    return PlannedSide(None, why=_reason(result))


def _speaks_of_the_past(node: Not) -> bool:
    return any(isinstance(inner, Sometime) for inner in walk(node))


def _reason(result: PlanResult) -> str:
    return "; ".join((result.ending.value, *result.reasons))


def _after(steps: Sequence[Step], belief: Belief) -> World:
    """Return the world at the end of a verified plan."""
    world = World(belief)
    for step in steps:
        world.apply(step)
    return world
