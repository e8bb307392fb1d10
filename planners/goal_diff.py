"""Comparison of two goals: their relation by the laws of a scene, and over what plans reach, kept apart.

``compiler.comparison.relation`` says which runs the laws allow. A plan may reach fewer: an interlock, a door
or the order of steps can be in the way. So with an engine ``sides`` plans for each side that the laws leave
open. What neither a plan nor a proof decides is unknown, and with it what rests on it. Keys of the JSON are
fixed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ..compiler.certificates.constraints import under_rules
from ..compiler.comparison.completion import GoalRun
from ..compiler.comparison.laws import Laws
from ..compiler.comparison.relation import GoalRelation, RelationName, Side, changes, relate, related, values
from ..compiler.goals.goal import Goal
from ..domains.deadline import time_left
from ..domains.formula import Atom, GroundAtom, quote_term, step_name
from ..engines.base import Budget
from ..engines.engine import Engine
from ..simulator.belief import Belief
from .sides import PlannedSide, planned_side

HOLDS = {"a_only": ("a",), "b_only": ("b",), "both": ("a", "b")}
"""Which of the goals hold on each side."""


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
        *before, last = (
            self._facts(changes(world)) + [_step_json(step) for step in sorted(steps, key=str)]
            for world, steps in zip(run.worlds, run.steps, strict=True)
        )
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
    a: Goal,
    b: Goal,
    belief: Belief,
    engine: Engine | None = None,
    budget: Budget | None = None,
    laws: Laws | None = None,
) -> GoalDiff:
    """Compare two checked goals under the rules of a belief; with an engine, over what plans reach as well.

    ``relation`` of the result is ``equal``, ``stronger`` (a says more than b), ``weaker``, ``overlapping``,
    ``disjoint`` or ``unknown``. The seconds of ``budget`` are for planning for one side; a limit that is in
    force already is shared by the sides. ``laws`` are those of the belief, for several pairs.

    >>> from groundplan import Engine, diff, ground, load_pack, load_scene, parse_goal
    >>> office = ground(load_scene("office"), load_pack())
    >>> goals = parse_goal("(open microwave)"), parse_goal("(turned_off microwave)")
    >>> diff(*goals, office).relation
    'overlapping'
    >>> diff(*goals, office, Engine.named("pyperplan")).reachable
    'stronger'
    """
    # No plan breaks a rule, so only runs that keep all of them count.
    over_laws = relate(under_rules(a.formula, belief), under_rules(b.formula, belief), belief, laws)
    if engine is None:
        return GoalDiff((a, b), belief, over_laws)
    planned: dict[str, PlannedSide] = {}
    for number, (name, side) in enumerate(over_laws.sides.items()):
        left = time_left()
        share = None if left is None else left / (len(over_laws.sides) - number)
        limits = budget or (Budget() if share is None else Budget(seconds=share))
        planned[name] = planned_side(side, belief, engine, limits)
    return GoalDiff((a, b), belief, over_laws, planned)


def done_in_words(step: Atom) -> tuple[str, str]:
    """Return the pattern of a step that a witness does, as PDDL and in words."""
    args = [quote_term(arg) for arg in step.args]
    name = step_name(step)
    return f"(do {' '.join([name, *args])})", f"the robot does {name}({', '.join(args)})"


def _step_json(step: Atom) -> dict[str, object]:
    fact, words = done_in_words(step)
    return {"fact": fact, "holds": True, "says": words}


def _verdict(empty: bool | None) -> str:
    return {True: "empty", False: "some", None: "unknown"}[empty]
