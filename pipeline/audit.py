"""Audit of a goal: everything that is asked about it before it is planned for, each question once.

The check holds a goal against the belief. A goal that was read is held against its instruction, too: words of
which it is silent, names for which it has no reason, and whether it asks for anything to be done at all. An
audit is made once for each goal of a run, and handed to all who judge it, plan for it or tell of it; it
answers a question when that is first asked. A new question about goals belongs here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ..compiler.comparison.laws import Laws
from ..compiler.goals.checker import CheckReport, check
from ..compiler.goals.goal import Goal
from ..compiler.goals.unplaced import unplaced_alike, unplaced_in
from ..domains.evaluate import evaluate
from ..language.chat.doubts import NO_DOUBTS, Doubts, left_out, without_reason
from ..language.chat.forgotten import forgotten
from ..language.chat.search.name_index import NameIndex
from ..language.confirming import may_hold_already
from ..language.sentences.support import unused
from ..simulator.belief import Belief
from ..simulator.scene import Scene
from ..simulator.world import World


@dataclass(frozen=True)
class Audit:
    """Findings about a goal, with what was believed when it was written.

    ``instruction`` is what it was read from, ``None`` for a goal that was given; ``place`` is where that was
    said, which "me" and "here" mean.
    """

    goal: Goal
    belief: Belief
    instruction: str | None = None
    place: str | None = None

    @cached_property
    def report(self) -> CheckReport:
        """Result of the check."""
        return check(self.goal, self.belief)

    @cached_property
    def laws(self) -> Laws:
        """Laws of what is believed, looked up once for all that the goal is compared with."""
        return Laws(self.belief)

    @cached_property
    def unplaced(self) -> tuple[str, ...]:
        """Things that the goal mentions, and nobody knows where they are."""
        speaks_of = unplaced_in if self.instruction is None else unplaced_alike
        return speaks_of(self.goal.formula, self.belief)

    @cached_property
    def unused(self) -> tuple[str, ...]:
        """Words of the instruction of which the goal is silent."""
        if self.instruction is None:
            return ()
        return unused(self.instruction, self.goal.formula, self.belief)

    @cached_property
    def unsupported(self) -> tuple[str, ...]:
        """Names of the goal of which the instruction is silent."""
        if self.instruction is None:
            return ()
        return without_reason(self.instruction, self.goal.formula, self.belief, self.place)

    @cached_property
    def asks_for_nothing(self) -> bool:
        """True if the goal is so already, and its instruction asks for something to be done."""
        if self.instruction is None:
            return False
        codes = {d.code for d in self.report.diagnostics}
        vacuous = "vacuous" in codes and evaluate(self.goal.formula, World(self.belief))
        if not vacuous and "already-true" not in codes:
            return False
        # What leaves a part of the instruction out has not read that it asks for nothing else.
        return not may_hold_already(self.instruction, self.goal.formula) or bool(self.unused)

    @cached_property
    def forgotten(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Words of the instruction for which the goal has no part, with things that they may mean."""
        if self.instruction is None:
            return ()
        index = NameIndex(self.belief.scene)
        return tuple(dict.fromkeys(forgotten(self.instruction, self.goal.formula, self.belief, index)))

    def doubts(self, shown: Scene) -> Doubts:
        """Return the reasons to doubt the goal of a reader that may guess, and was shown this."""
        if self.instruction is None:
            return NO_DOUBTS
        scene, formula = self.belief.scene, self.goal.formula
        left = left_out(self.instruction, formula, self.unused, scene, shown)
        return Doubts(self.unsupported, tuple(left))
