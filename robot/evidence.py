"""Grounds of a goal on a plan: what it rests on where the plan ends, and when what it watches came true."""

from __future__ import annotations

from collections.abc import Sequence

from ..domains.errors import GoalError, InputError, clip
from ..domains.evaluate import evaluate
from ..domains.formula import Formula, Not, Sometime, TrajectoryConstraint, is_ground_atom
from ..simulator.world import World
from .rules.evidence import atom_of, evidence_of
from .skill import Grounds, Moment


class PlanHistory:
    """Memory of a plan in a world: with which of its steps the literals came true that it watches.

    Raises :class:`GoalError` for a ``sometime`` over anything else: a program's moment is one fact.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        literals = [one for one in world.memory.watched if not isinstance(one, TrajectoryConstraint)]
        for one in literals:
            if not is_ground_atom(atom_of(one)):
                raise GoalError("goal", "sometime over a literal", clip(str(one)), "check the goal first")
        self._left = [literal for literal in literals if not world.happened(literal)]
        self._moments: dict[Formula, Moment] = {}

    def note(self, step: int) -> None:
        """Note what came true with a step, and what that rests on now."""
        happened = [literal for literal in self._left if self._world.happened(literal)]
        for literal in happened:
            self._moments[literal] = Moment(literal, step, self._facts_of(literal))
            self._left.remove(literal)

    def _facts_of(self, literal: Formula) -> tuple[Formula, ...]:
        # An event may have made it true and another false again, within one step.
        return evidence_of(literal, self._world) if evaluate(literal, self._world) else ()

    def grounds(self, parts: Sequence[Formula]) -> Grounds | None:
        """Return what the parts of a goal rest on now.

        ``None`` without any, where one does not hold, and where it cannot be said in so many facts.
        """
        if not parts or not all(evaluate(part, self._world) for part in parts):
            return None
        try:
            literals = dict.fromkeys(fact for part in parts for fact in evidence_of(part, self._world))
        except InputError:
            return None
        if any(isinstance(fact, Not) and isinstance(fact.part, Sometime) for fact in literals):
            return None  # nobody can look at what has never been
        moments = (self._moments.get(fact.body) for fact in literals if isinstance(fact, Sometime))
        facts = tuple(fact for fact in literals if not isinstance(fact, Sometime))
        return Grounds(facts, tuple(filter(None, moments)))
