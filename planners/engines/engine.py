"""An engine over problems: renders, runs, and gives the answer back in the names of the scene."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ...compiler.pddl import render
from ...compiler.problem import Problem
from ...domains.action import Plan
from ...domains.ending import Ending
from .base import Budget, PddlText, TextEngine, TextResult
from .registry import get_engine


@dataclass(frozen=True, slots=True)
class PlanResult:
    """One answer of an engine. ``cost`` and ``bound`` are millimetres of the problem's own metric.

    ``optimal`` is only true with a bound that matches the cost; ``proof`` says how unsolvability was shown.
    """

    ending: Ending
    plan: Plan | None
    cost: int | None
    bound: int | None
    optimal: bool
    proof: str | None
    reproducible: bool
    detail: str

    def __post_init__(self) -> None:
        if (self.ending is Ending.SOLVED) != (self.plan is not None):
            raise ValueError(f"{self.ending.value} with plan {self.plan}")
        if self.optimal and (self.cost is None or self.cost != self.bound):
            raise ValueError("optimal without a matching bound")


@dataclass
class Engine:
    """A classical planner by name. Answers are remembered by text: errands repeat the same small problems."""

    name: str
    text_engine: TextEngine
    calls: int = 0
    _memory: dict[tuple[str, str], TextResult] = field(default_factory=dict)

    @property
    def optimal(self) -> bool:
        """Whether the engine proves its plans optimal."""
        return self.name.endswith("-opt") and self.text_engine.supports_costs

    @classmethod
    def named(cls, name: str) -> Engine:
        """Raises :class:`InputError` for an engine that is unknown or not installed."""
        return cls(name, get_engine(name))

    def solve(self, problem: Problem, budget: Budget) -> PlanResult:
        return self.solve_many([problem], budget)[0]

    def solve_many(self, problems: Sequence[Problem], budget: Budget) -> list[PlanResult]:
        """Solve problems that do not depend on each other, in parallel where the engine can."""
        rendered = [render(p, costs=self.text_engine.supports_costs) for p in problems]
        texts = [PddlText(r.domain, r.problem) for r in rendered]
        new = [t for t in dict.fromkeys(texts) if (t.domain, t.problem) not in self._memory]
        batch = getattr(self.text_engine, "solve_many", None)
        if batch is not None and len(new) > 1:
            answers = batch(new, budget)
        else:
            answers = [self.text_engine.solve_text(t, budget) for t in new]
        self.calls += len(new)
        fresh = {(t.domain, t.problem): a for t, a in zip(new, answers, strict=True)}
        self._memory |= {k: a for k, a in fresh.items() if a.reproducible}
        results = []
        for problem, text, lifted in zip(problems, texts, rendered, strict=True):
            key = (text.domain, text.problem)
            answer = fresh.get(key) or self._memory[key]
            plan = lifted.lift(answer.plan) if answer.plan is not None else None
            cost = problem.cost(plan) if plan is not None else None
            costs = self.text_engine.supports_costs
            results.append(
                PlanResult(
                    answer.ending,
                    plan,
                    cost,
                    answer.bound if costs else None,
                    answer.optimal and costs,
                    answer.proof,
                    answer.reproducible,
                    answer.detail,
                )
            )
        return results
