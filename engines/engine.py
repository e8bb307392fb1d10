"""An engine over problems: renders them, runs, and gives the answers back in the names of the scene.

This is the edge between text and scene: `TextResult` below, `PlanResult` above, converted in one place. The
memory of answers may be changed, but an answer that a clock or a signal decided must never be kept. Must
stay: nothing that an engine answers, or raises, gets past this edge unchecked (`answers`); and "there is no
plan" and "no plan costs less" are taken only from an engine that is listed as complete, with its name in the
proof.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ..compiler.pddl import RenderedProblem, render
from ..compiler.problem import Problem
from ..domains.deadline import LimitReached, check_time, time_left
from ..domains.ending import Ending
from ..domains.errors import InputError, clip
from .answers import BadAnswer, checked_plan, crashed, one_each
from .base import Budget, PddlText, TextEngine, TextResult
from .registry import USUAL, EngineOptions, get_engine, is_complete
from .result import PlanResult
from .statistics import Tally


@dataclass
class Engine:
    """A classical planner by name: "pyperplan", "fast-downward", or any that unified-planning knows.

    It runs in a process of its own, with limits that hold. Reproducible answers are remembered by the text of
    their problem: without a plan, the wide problem often has the text of the narrow one (half of the calls),
    and a repaired goal shares parts with the one before.

    ``complete`` says whether the engine's word that there is no plan is taken (for a problem from which
    nothing was left out), and its lower bounds; the registry lists those engines. An engine that answers
    nonsense, or raises, has *crashed*.

    ``expansions`` is the most states that it may expand for all problems together, if :meth:`limited_to` set
    a limit; ``exhausted`` is true once that ended a search or refused one.

    >>> from groundplan import Engine
    >>> Engine.named("pyperplan").optimal
    False
    >>> Engine.named("pyperplam")
    Traceback (most recent call last):
    groundplan.domains.errors.InputError: engine: expected the name of an engine, got 'pyperplam'; ...
    """

    name: str
    text_engine: TextEngine
    complete: bool = False
    options: EngineOptions = USUAL
    calls: int = 0
    expansions: int | None = None
    expanded: int = 0
    exhausted: bool = False
    tally: Tally = field(default_factory=Tally)
    _memory: dict[PddlText, TextResult] = field(default_factory=dict)

    @property
    def whole(self) -> bool:
        """True if the engine is to get the whole problem in one piece."""
        return self.options.whole

    @property
    def answers(self) -> bool:
        """True once it answered a problem other than by running out of time, memory or order."""
        return bool(self._memory)

    @property
    def optimal(self) -> bool:
        """True if the engine is to prove its plans optimal; whether it does is said by each result."""
        return self.name.endswith("-opt") and self.text_engine.supports_costs

    @classmethod
    def named(cls, name: str, options: EngineOptions = USUAL) -> Engine:
        """Return the engine of a name, or the one that the options have a command line for.

        Raises :class:`InputError` for one unknown or not installed, and for an option that does not fit.
        """
        text_engine = get_engine(name, options)
        usual = options.command is None and options.search is None
        return cls(
            name if options.command is None else text_engine.name,
            text_engine,
            usual and is_complete(name),
            options,
        )

    @classmethod
    def command(cls, command_line: str, options: EngineOptions = USUAL) -> Engine:
        """Return anybody's planner, by a command line with ``{domain}``, ``{problem}`` and ``{plan}`` in it.

        The planner reads the first two files and writes its plan to the third. Raises :class:`InputError` for
        a command that cannot be run.
        """
        return cls.named("command", replace(options, command=command_line))

    @property
    def reads_constraints(self) -> bool:
        """True if the engine gets constraints on the run as PDDL3 has them."""
        return bool(getattr(self.text_engine, "reads_constraints", False))

    def limited_to(self, expansions: int | None) -> Engine:
        """Limit the states that it may expand in all, however many problems it gets, and return it.

        Problems that are solved at once count in their order: one ends where those before it left off, as if
        they had been solved one after the other. Raises :class:`InputError` for an engine that does not count
        them, and ``ValueError`` for a limit that is not positive.
        """
        if expansions is None:
            return self
        if expansions <= 0:
            raise ValueError(f"an engine needs a positive number of expansions, got {expansions}")
        if not getattr(self.text_engine, "limits_expansions", False):
            raise InputError(
                f"engine {self.name}",
                "one that can be limited by the states that it expands",
                "one that cannot",
                "limit its seconds, or take pyperplan",
            )
        self.expansions = expansions
        return self

    def solve(self, problem: Problem, budget: Budget) -> PlanResult:
        return self.solve_many([problem], budget)[0]

    def solve_many(self, problems: Sequence[Problem], budget: Budget) -> list[PlanResult]:
        """Solve problems that do not depend on each other, in parallel where the engine can."""
        rendered = [render(p, costs=self.text_engine.supports_costs) for p in problems]
        check_time("writing the problem")
        texts = [PddlText(r.domain, r.problem, r.data) for r in rendered]
        new = [t for t in dict.fromkeys(texts) if t not in self._memory]
        fresh = dict(zip(new, self._ask(new, budget), strict=True))
        # What the limit of expansions has refused may be asked for again, with another limit.
        cut = {Ending.NOT_FOUND} if self.exhausted else set()
        kept = {t: a for t, a in fresh.items() if a.reproducible and a.ending not in cut}
        self._memory |= {replace(t, data=None): a for t, a in kept.items()}  # no problem is kept for its text
        results = []
        for text, problem in zip(texts, rendered, strict=True):
            answer = fresh.get(text) or self._memory[text]
            self.tally.add(answer, fresh=text in fresh)
            results.append(self._scene_result(problem, answer))
        return results

    def solve_text(self, text: PddlText, budget: Budget) -> TextResult:
        """Solve a problem that is text, in the symbols of that text; nothing is remembered.

        The names in a plan are the engine's word: whoever asks looks them up. Raises ``LimitReached`` at the
        deadline.
        """
        check_time("asking the engine")
        (answer,) = self._ask([text], budget)
        self.tally.add(answer, fresh=True)
        return answer

    def _ask(self, texts: Sequence[PddlText], budget: Budget) -> list[TextResult]:
        """Ask the engine within the time and the expansions that are left; note calls and seconds."""
        left = time_left()
        if left is not None and 0 < left < budget.seconds:
            budget = replace(budget, seconds=left)
        started = time.perf_counter()
        if self.expansions is None or not texts:
            answers = self._answers(texts, budget) if texts else []
        else:
            answers = self._within(self.expansions, texts, budget)
        self.tally.seconds["engine"] += time.perf_counter() - started
        self.calls += len(texts)
        return answers

    def _within(self, limit: int, texts: Sequence[PddlText], budget: Budget) -> list[TextResult]:
        """Return the answers as far as the expansions go, in the order of the texts."""
        detail = f"{self.name}: the limit of {limit} expanded states is used up"
        refused = TextResult(Ending.NOT_FOUND, engine=self.name, detail=detail)
        left = limit - self.expanded
        if left <= 0:
            self.exhausted = True
            return [refused] * len(texts)
        kept: list[TextResult] = []
        for answer in self._answers(texts, replace(budget, expansions=left)):
            over = self.expanded >= limit  # what came before has used them up
            self.expanded += answer.statistics.get("expanded", 0)
            stopped = answer.ending is Ending.NOT_FOUND and self.expanded == limit
            over = over or stopped or self.expanded > limit
            self.exhausted = self.exhausted or over
            kept.append(replace(refused, seconds=answer.seconds) if over else answer)
        return kept

    def _answers(self, texts: Sequence[PddlText], budget: Budget) -> list[TextResult]:
        """Return one answer for each text, whatever the engine does; only the deadline is passed on."""
        try:
            if len(texts) == 1:
                answers = [self.text_engine.solve_text(texts[0], budget)]
            else:
                answers = self.text_engine.solve_many(texts, budget)
        except SystemExit as error:
            return [crashed(self.name, f"tried to end the program with code {clip(error.code, 40)}")] * len(
                texts
            )
        except LimitReached:
            raise
        except Exception as error:  # somebody else's code, which may raise anything
            words = clip(f"{type(error).__name__}: {error}".removesuffix(": "), 200)
            return [crashed(self.name, f"raised {words}")] * len(texts)
        return one_each(answers, len(texts), self.name)

    def _scene_result(self, rendered: RenderedProblem, answer: TextResult) -> PlanResult:
        """Return the answer in the names of the scene; a bound in numbers of actions is left out."""
        try:
            steps = checked_plan(answer.plan, rendered) if answer.plan is not None else None
        except BadAnswer as bad:
            repeats = answer.reproducible
            return PlanResult(Ending.NOT_FOUND, reproducible=repeats, detail=str(bad), domain_fault=True)
        plan = rendered.scene_plan(steps) if steps is not None else None
        cost = rendered.source.cost(plan) if plan is not None else None
        bound = answer.bound if self.complete and self.text_engine.supports_costs else None
        if bound is not None and cost is not None and bound > cost:
            bound = None  # one of the two is wrong, and the simulator says whether it is the plan
        result = PlanResult(
            answer.ending,
            plan,
            cost,
            bound,
            f"{self.name}: {answer.proof}" if answer.proof is not None else None,
            answer.reproducible,
            answer.detail,
        )
        if result.ending is not Ending.UNSOLVABLE or self.complete:
            return result
        detail = f"{self.name} says that there is no plan; its word alone is not taken for a proof"
        return replace(result, ending=Ending.NOT_FOUND, proof=None, bound_mm=None, detail=detail)
