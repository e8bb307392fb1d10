"""One part of a goal: the ways to do it, each a plan with where it begins, where it ends and what it costs.

A part with alternatives has several; which of them is taken is decided with the order of all parts. Plans
come from the engine over the part's own problem and are shortened to what the part needs.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ...compiler.problem import Problem, build
from ...compiler.relevance import NEAREST
from ...domains.ending import Ending
from ...domains.formula import And, Formula, conjunction, conjuncts
from ...simulator.belief import Belief
from ...simulator.facts import Facts
from ...simulator.world import Refusal, World
from ..engines.base import Budget
from ..engines.engine import Engine, PlanResult
from .branches import choices, in_turns, least, narrowed, ranked, transporters, varied
from .execution import Essence, carry_out, cost_of, essence, fault, reached, shorten, whole, world_for
from .order import Way
from .result import Errand
from .stopped import CONTRADICTION, TOO_LATE, Stopped, combined, refused

FIRST_TRY, PAIR_SECONDS, PAIRS = 3.0, 1.0, 28
"""Seconds of the first try of a part with three or more conjuncts, and of each pair of them after it."""

WAYS = 6
"""Most ways of one errand that the ordering chooses from."""


@dataclass
class PartPlanner:
    """Plans for parts of goals in normal form over one belief; ``remaining`` tells the seconds left."""

    belief: Belief
    engine: Engine
    remaining: Callable[[], float]
    memory_mb: int = 2048
    nearest: int | None = NEAREST
    reproducible: bool = field(default=True)
    proved: bool = field(default=False)
    """Whether the last plan is proved optimal for the whole scene."""
    faults: list[Stopped] = field(default_factory=list)
    """The plans that the simulator refused; while there is one, the engine's word proves nothing."""

    def budget(self) -> Budget:
        return Budget(max(0.05, self.remaining()), self.memory_mb)

    def ways(self, part: Formula, now: Facts) -> Errand:
        """The ways to do one part. Raises :class:`Stopped` when there is none."""
        if reached(part, world_for(part, self.belief, now)):
            return Errand(part, ((Way(None, None, 0), Essence(())),))
        found_choices = choices(part, self.belief)
        if found_choices == []:
            raise Stopped(CONTRADICTION, part, True)
        if found_choices is None or len(found_choices) == 1:
            only = part if found_choices is None else found_choices[0]
            return Errand(part, (self.solve(only, now),))
        options = varied(ranked(found_choices, self.belief, now))
        found: list[tuple[Way, Essence]] = []
        failures: list[Stopped] = []
        for batch in (options[i : i + WAYS] for i in range(0, len(options), WAYS)):
            best = min((w.inner + self.drive(now, w) for w, _ in found), default=None)
            if best is not None and least(batch[0], self.belief, now) >= best:
                break
            self.engine.solve_many([self.problem(o, now) for o in batch], self.budget())
            for option in batch:
                try:
                    found.append(self.solve(option, now))
                except Stopped as stopped:
                    failures.append(stopped)
        if not found:
            raise combined(failures, part)
        unique = {(w.entry, w.exit): (w, e) for w, e in sorted(found, key=lambda f: -f[0].inner)}
        best_first = sorted(unique.values(), key=lambda f: (f[0].inner + self.drive(now, f[0]), str(f[1])))
        # By turns of where they begin: another part may want what the cheapest ones all use.
        ways = in_turns(best_first, lambda f: f[0].entry)
        return Errand(part, tuple(ways[:WAYS]))

    def prepare(self, parts: Sequence[Formula], now: Facts) -> None:
        """Let the engine work on all parts without alternatives at once; it remembers the answers."""
        plain = [p for p in parts if (c := choices(p, self.belief)) is None or len(c) <= 1]
        if len(plain) > 1:
            self.engine.solve_many([self.problem(p, now) for p in plain], self.budget())

    def problem(self, part: Formula, now: Facts) -> Problem:
        """The problem of a part; for a proof that a plan is best, with all that could carry things."""
        if self.engine.optimal and self.nearest is None:
            return build(part, self.belief, now, None, transporters(self.belief), True)
        return build(part, self.belief, now, self.nearest)

    def solve(self, part: Formula, now: Facts) -> tuple[Way, Essence]:
        """One problem, one plan, shortened. Raises :class:`Stopped`."""
        problem = self.problem(part, now)
        result, about = self.asked(part, problem, now)
        self.proved = result.optimal and problem.complete
        self.reproducible = self.reproducible and result.reproducible
        if result.plan is None:
            raise Stopped(result, about, problem.complete, len(problem.objects))
        plan = essence(result.plan, self.belief)
        world = world_for(part, self.belief, now)
        if isinstance(carry_out(plan, world, lenient=False), Refusal) or not reached(part, world):
            plan = whole(result.plan, self.belief)
            if why := fault(plan, part, self.belief, now):
                raise self.refused(why, part, len(problem.objects))
        plan = shorten(plan, part, self.belief, now)
        return self.way(plan, now), plan

    def refused(self, why: str, part: Formula, objects: int = 0) -> Stopped:
        """The failure of a plan that the simulator does not accept, which is kept."""
        self.faults.append(refused(why, part, self.engine.name, objects))
        return self.faults[-1]

    def asked(self, part: Formula, problem: Problem, now: Facts) -> tuple[PlanResult, Formula]:
        """The engine's answer and what it is about: a hard part is looked at for two that exclude each other.

        An engine may search for ever where two conjuncts alone are shown impossible at once.
        """
        if self.remaining() <= 0:
            return TOO_LATE, part
        conjunctive = conjuncts(part)
        if len(conjunctive) < 3:
            return self.engine.solve(problem, self.budget()), part
        first = Budget(min(FIRST_TRY, max(0.05, self.remaining() / 3)), self.memory_mb)
        result = self.engine.solve(problem, first)
        if result.ending is not Ending.TIMED_OUT:
            return result, part
        for pair in itertools.islice(itertools.combinations(conjunctive, 2), PAIRS):
            if self.remaining() <= 0:
                return TOO_LATE, part
            small = self.problem(conjunction(pair), now)
            seconds = min(PAIR_SECONDS, self.budget().seconds)
            answer = self.engine.solve(small, Budget(seconds, self.memory_mb))
            if answer.ending is Ending.UNSOLVABLE and small.complete:
                return answer, And(pair)
        last = self.engine.solve(problem, self.budget()) if self.remaining() > 0 else TOO_LATE
        return last, part

    def way(self, plan: Essence, now: Facts) -> Way:
        """Where a plan begins and ends, and what it costs from its first place on."""
        world = World(self.belief, (), now)
        start = world.stands_at
        done = carry_out(plan, world)
        if isinstance(done, Refusal) or not done:
            return Way(None, None, 0)
        first = done[0]
        if not self.belief.pack.mapping_of(first.name).navigation:
            return Way(start, world.stands_at, cost_of(done, self.belief))
        return Way(first.args[1], world.stands_at, cost_of(done[1:], self.belief))

    # Estimates

    def fewer(self, goal: Formula, now: Facts) -> Formula:
        """Fewer alternatives while the narrow problem is tried; the wide one keeps every one."""
        return goal if self.nearest is None else narrowed(goal, self.belief, now)

    def drive(self, now: Facts, way: Way) -> int:
        start = now.all(self.belief.pack.at)[0][0]
        return self.belief.routes.distance(start, way.entry) if way.entry is not None else 0
