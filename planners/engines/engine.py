"""An engine over problems: renders them, runs, and gives the answers back in the names of the scene.

This is the edge between text and scene: `TextResult` below, `PlanResult` above, converted in one place. The
memory of answers may be changed, but an answer that a clock or a signal decided must never be kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ...compiler.pddl import RenderedProblem, render
from ...compiler.problem import Problem
from ..result import PlanResult
from .base import Budget, PddlText, TextEngine, TextResult
from .registry import get_engine


@dataclass
class Engine:
    """A classical planner by name: "pyperplan", "fast-downward", or any that unified-planning knows.

    It runs in a process of its own, with limits that hold. Reproducible answers are remembered by the text of
    their problem: without a plan, the wide problem often has the text of the narrow one (half of the calls),
    and a repaired goal shares parts with the one before.

    >>> from groundplan import Engine
    >>> Engine.named("pyperplan").optimal
    False
    >>> Engine.named("pyperplam")
    Traceback (most recent call last):
    groundplan.domains.errors.InputError: engine: expected the name of an engine, got 'pyperplam'; ...
    """

    name: str
    text_engine: TextEngine
    calls: int = 0
    _memory: dict[PddlText, TextResult] = field(default_factory=dict)

    @property
    def optimal(self) -> bool:
        """True if the engine proves its plans optimal."""
        return self.name.endswith("-opt") and self.text_engine.supports_costs

    @classmethod
    def named(cls, name: str) -> Engine:
        """Return the engine of a name. Raises :class:`InputError` for one unknown or not installed."""
        return cls(name, get_engine(name))

    def solve(self, problem: Problem, budget: Budget) -> PlanResult:
        return self.solve_many([problem], budget)[0]

    def solve_many(self, problems: Sequence[Problem], budget: Budget) -> list[PlanResult]:
        """Solve problems that do not depend on each other, in parallel where the engine can."""
        rendered = [render(p, costs=self.text_engine.supports_costs) for p in problems]
        texts = [PddlText(r.domain, r.problem) for r in rendered]
        new = [t for t in dict.fromkeys(texts) if t not in self._memory]
        if len(new) == 1:
            answers = [self.text_engine.solve_text(new[0], budget)]
        else:
            answers = self.text_engine.solve_many(new, budget) if new else []
        self.calls += len(new)
        fresh = dict(zip(new, answers, strict=True))
        self._memory |= {text: answer for text, answer in fresh.items() if answer.reproducible}
        return [
            self._scene_result(problem, fresh.get(text) or self._memory[text])
            for text, problem in zip(texts, rendered, strict=True)
        ]

    def _scene_result(self, rendered: RenderedProblem, answer: TextResult) -> PlanResult:
        """Return the answer in the names of the scene; a bound in numbers of actions is left out."""
        plan = rendered.scene_plan(answer.plan) if answer.plan is not None else None
        cost = rendered.source.cost(plan) if plan is not None else None
        bound = answer.bound if self.text_engine.supports_costs else None
        if bound is not None and cost is not None and bound > cost:
            bound = None  # one of the two is wrong, and the simulator says whether it is the plan
        return PlanResult(
            answer.ending,
            plan,
            cost,
            bound,
            answer.proof,
            answer.reproducible,
            answer.detail,
        )
