"""Errands: a conjunctive goal planned in independent parts, ordered by travel, joined and checked.

Each part is solved alone, which keeps an engine's work small however many parts there are. A part with
alternatives (a disjunction) offers several ways; which of them to take is decided together with the order.
The joined plan is carried out on a world action by action; a part that meets a changed world is planned again
from there. When joining fails, or the parts cannot be told apart, the goal is planned jointly.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from ..compiler.normal import literals
from ..compiler.problem import Problem, build
from ..compiler.relevance import NEAREST
from ..domains.action import PlanAction
from ..domains.ending import Ending
from ..domains.formula import (
    And,
    Formula,
    conjunction,
    conjuncts,
)
from ..simulator.facts import Facts, ground_args
from ..simulator.grounding import Belief
from ..simulator.world import Refusal, World
from .alternatives import choices, is_end, least, narrowed, ranked, without_ends
from .execution import Essence, carry_out, cost_of, essence, reached, shorten, whole, world_for
from .ordering import Order, Way, order
from .parts import split
from .solving import Engine, PlanResult
from .text import Budget

FIRST_TRY, PAIR_SECONDS, PAIRS = 3.0, 1.0, 28
"""Seconds of the first try of a part with three or more conjuncts, and of each pair of them after it."""

WAYS = 6
"""Most ways of one errand that the ordering chooses from."""


TOO_LATE = PlanResult(Ending.TIMED_OUT, None, None, None, False, None, False, "no time was left")


class Stopped(Exception):
    """A part that could not be planned: the engine's answer, and the part."""

    def __init__(self, result: PlanResult, part: Formula, problem: Problem) -> None:
        self.result, self.part, self.problem = result, part, problem
        super().__init__(f"{result.ending.value}: {part}")


@dataclass(frozen=True)
class Errand:
    """One part of the goal and the ways to do it that were found."""

    part: Formula
    ways: tuple[tuple[Way, Essence], ...]


@dataclass(frozen=True)
class Joined:
    """A plan for the whole goal. ``mode`` is ``split`` or ``joint``, ``why`` says why."""

    actions: tuple[PlanAction, ...]
    cost: int
    mode: str
    why: str
    parts: tuple[str, ...]
    bound: int | None = None
    optimal: bool = False
    reproducible: bool = True


@dataclass
class ErrandPlanner:
    """Plans goals in normal form over one belief with one engine. ``remaining`` tells the seconds left."""

    belief: Belief
    engine: Engine
    remaining: Callable[[], float]
    memory_mb: int = 2048
    nearest: int | None = NEAREST
    reproducible: bool = field(default=True)
    proved: bool = field(default=False)
    """Whether the last plan is proved optimal for the whole scene."""

    def budget(self) -> Budget:
        return Budget(max(0.05, self.remaining()), self.memory_mb)

    # The whole goal

    def plan(self, goal: Formula, facts: Facts | None = None) -> Joined:
        """A plan that reaches the goal from ``facts``. Raises :class:`Stopped` with the part that failed."""
        now = facts if facts is not None else self.belief.facts
        if reached(goal, world_for(goal, self.belief, now)):
            return Joined((), 0, "joint", "the goal holds already", (), 0, True)
        if self.engine.optimal:
            return self.joint(goal, now, "the engine proves its plans optimal")
        parts = split(conjuncts(goal), self.belief, now)
        left = [p for p in parts if not reached(And(p), world_for(goal, self.belief, now))]
        open_parts = [self.fewer(conjunction(p), now) for p in left]
        if len(open_parts) == 1:
            return self.single(goal, open_parts[0], now, len(parts))
        joined = self.split_up(goal, open_parts, now)
        if joined is not None:
            return joined
        return self.joint(goal, now, "the parts get in each other's way")

    def single(self, goal: Formula, part: Formula, now: Facts, parts: int) -> Joined:
        """A goal with one part that is left to do."""
        found = self.ways(part, now)
        best = min(found.ways, key=lambda w: w[0].inner + self.drive(now, w[0]))
        world = world_for(goal, self.belief, now)
        done = carry_out(best[1], world)
        if not isinstance(done, Refusal) and reached(goal, world):
            why = "one part" if parts == 1 else "the other parts hold already"
            return self.joined(done, "joint", why, [part])
        return self.joint(goal, now, "one part, with alternatives or side effects")

    def joint(self, goal: Formula, now: Facts, why: str) -> Joined:
        """All of the goal in one problem: branch by branch where there are few, else with an end phase."""
        found_choices = choices(goal, self.belief)
        if found_choices is None:
            options: Sequence[Formula] = [self.fewer(goal, now)]
        else:
            options = ranked(found_choices, self.belief, now)
        best: Joined | None = None
        failed: Stopped | None = None
        proved = self.engine.optimal
        for option in options:
            if best is not None and least(option, self.belief, now) >= best.cost:
                continue
            try:
                found = self.solve(option, now)
            except Stopped as stopped:
                if failed is None or stopped.result.ending is not Ending.UNSOLVABLE:
                    failed = stopped
                continue
            world = world_for(goal, self.belief, now)
            done = carry_out(found[1], world)
            if isinstance(done, Refusal) or not reached(goal, world):
                continue
            proved = proved and self.proved
            candidate = self.joined(done, "joint", why, [goal])
            if best is None or candidate.cost < best.cost:
                best = candidate
        if best is None:
            assert failed is not None
            raise failed
        if failed is not None and failed.result.ending is not Ending.UNSOLVABLE:
            proved = False
        return replace(best, bound=best.cost if proved else None, optimal=proved)

    # Parts

    def split_up(self, goal: Formula, parts: list[Formula], now: Facts) -> Joined | None:
        """Parts one after the other; ``None`` when they do not join."""
        world = world_for(goal, self.belief, now)
        done: list[PlanAction] = []
        free = self.belief.pack.mapped.robot_free.predicate
        if not now.holds(free, ()):
            parts, emptied = self.empty_hand_first(parts, world)
            if emptied is None:
                return None
            done += emptied
        parts = self.simplest([without_ends(p, self.belief) for p in parts], world.facts)
        ends = [p for p in parts if is_end(p, self.belief)]
        if len(ends) > 1:
            parts = [p for p in parts if p not in ends] + [conjunction(ends)]
            ends = parts[-1:]
        self.prepare(parts, world.facts)
        found = [self.ways(p, world.facts) for p in parts]
        last = parts.index(ends[0]) if ends else None
        ways = [[w for w, _ in e.ways] for e in found]
        chosen = order(world.stands_at, ways, self.belief.routes.distance, last)
        for index in chosen.sequence:
            if not self.do(found[index], chosen.ways[index], world, done):
                return None
        if not reached(goal, world):
            return None
        return self.joined(done, "split", self.why(chosen, len(parts)), parts, chosen)

    def do(self, errand: Errand, way: int, world: World, done: list[PlanAction]) -> bool:
        """Do one errand on the world; planned again when the world is not as it was."""
        trial = world_for(errand.part, self.belief, world.facts)
        plan = errand.ways[way][1]
        if isinstance(carry_out(plan, trial), Refusal) or not reached(errand.part, trial):
            try:
                again = self.ways(errand.part, world.facts)
            except Stopped:
                return False
            plan = min(again.ways, key=lambda w: w[0].inner + self.drive(world.facts, w[0]))[1]
        happened = carry_out(plan, world)
        if isinstance(happened, Refusal):
            return False
        done += happened
        return True

    def empty_hand_first(
        self, parts: list[Formula], world: World
    ) -> tuple[list[Formula], list[PlanAction] | None]:
        """With a full hand, the part about the held thing comes first; else it is put down."""
        held = world.facts.all(self.belief.pack.mapped.robot_held.predicate)[0][0]
        about = [p for p in parts if any(held in ground_args(a) for a, _ in literals(p))]
        first = about[0] if about else self.belief.pack.mapped.robot_free
        done: list[PlanAction] = []
        if not self.do(self.ways(first, world.facts), 0, world, done):
            return parts, None
        return [p for p in parts if p is not first], done

    def simplest(self, parts: list[Formula], now: Facts) -> list[Formula]:
        """Parts with alternatives that are several errands themselves: the cheapest alternative's errands."""
        result: list[Formula] = []
        for part in parts:
            found_choices = choices(part, self.belief)
            if found_choices is None or len(found_choices) == 1:
                result.append(part)
                continue
            options = [split(conjuncts(c), self.belief, now) for c in found_choices]
            if all(len(o) == 1 for o in options):
                result.append(part)
                continue
            best: tuple[int, int] | None = None
            for number, option in enumerate(ranked(found_choices, self.belief, now)):
                if best is not None and least(option, self.belief, now) >= best[0]:
                    break
                try:
                    cost = self.plan(option, now).cost
                except Stopped:
                    continue
                if best is None or cost < best[0]:
                    best, cheapest = (cost, number), option
            if best is None:
                result.append(part)
            else:
                result += [conjunction(p) for p in split(conjuncts(cheapest), self.belief, now)]
        return result

    def ways(self, part: Formula, now: Facts) -> Errand:
        """The ways to do one part. Raises :class:`Stopped` when there is none."""
        if reached(part, world_for(part, self.belief, now)):
            return Errand(part, ((Way(None, None, 0), Essence(())),))
        found_choices = choices(part, self.belief)
        if found_choices is None or len(found_choices) == 1:
            only = part if found_choices is None else found_choices[0]
            return Errand(part, (self.solve(only, now),))
        options = ranked(found_choices, self.belief, now)
        found: list[tuple[Way, Essence]] = []
        failed: Stopped | None = None
        for batch in (options[i : i + WAYS] for i in range(0, len(options), WAYS)):
            best = min((w.inner + self.drive(now, w) for w, _ in found), default=None)
            if best is not None and least(batch[0], self.belief, now) >= best:
                break
            self.engine.solve_many([self.problem(o, now) for o in batch], self.budget())
            for option in batch:
                try:
                    found.append(self.solve(option, now))
                except Stopped as stopped:
                    if failed is None or stopped.result.ending is not Ending.UNSOLVABLE:
                        failed = stopped
        if not found:
            assert failed is not None
            raise failed
        unique = {(w.entry, w.exit): (w, e) for w, e in sorted(found, key=lambda f: -f[0].inner)}
        best_first = sorted(unique.values(), key=lambda f: (f[0].inner + self.drive(now, f[0]), str(f[1])))
        return Errand(part, tuple(best_first[:WAYS]))

    def prepare(self, parts: Sequence[Formula], now: Facts) -> None:
        """Let the engine work on all parts without alternatives at once; it remembers the answers."""
        plain = [p for p in parts if (c := choices(p, self.belief)) is None or len(c) == 1]
        if len(plain) > 1:
            self.engine.solve_many([self.problem(p, now) for p in plain], self.budget())

    def problem(self, part: Formula, now: Facts) -> Problem:
        return build(part, self.belief, now, self.nearest)

    def solve(self, part: Formula, now: Facts) -> tuple[Way, Essence]:
        """One problem, one plan, shortened. Raises :class:`Stopped`."""
        problem = self.problem(part, now)
        result = self.asked(part, problem, now)
        self.proved = result.optimal and problem.complete
        self.reproducible = self.reproducible and result.reproducible
        if result.plan is None:
            raise Stopped(result, part, problem)
        plan = essence(result.plan, self.belief)
        world = world_for(part, self.belief, now)
        if isinstance(carry_out(plan, world, lenient=False), Refusal) or not reached(part, world):
            plan = whole(result.plan, self.belief)
        plan = shorten(plan, part, self.belief, now)
        return self.way(plan, now), plan

    def asked(self, part: Formula, problem: Problem, now: Facts) -> PlanResult:
        """The engine's answer; a hard part is first looked at for two conjuncts that exclude each other.

        An engine may search for ever where two conjuncts alone are shown impossible at once.
        """
        if self.remaining() <= 0:
            return TOO_LATE
        conjunctive = conjuncts(part)
        if len(conjunctive) < 3:
            return self.engine.solve(problem, self.budget())
        first = Budget(min(FIRST_TRY, max(0.05, self.remaining() / 3)), self.memory_mb)
        result = self.engine.solve(problem, first)
        if result.ending is not Ending.TIMED_OUT:
            return result
        for pair in itertools.islice(itertools.combinations(conjunctive, 2), PAIRS):
            if self.remaining() <= 0:
                return TOO_LATE
            small = self.problem(conjunction(pair), now)
            seconds = min(PAIR_SECONDS, self.budget().seconds)
            answer = self.engine.solve(small, Budget(seconds, self.memory_mb))
            if answer.ending is Ending.UNSOLVABLE and small.complete:
                proof = f"{answer.proof} for {pair[0]} and {pair[1]} together"
                return replace(answer, proof=proof)
        return self.engine.solve(problem, self.budget()) if self.remaining() > 0 else TOO_LATE

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

    # Reports

    def joined(
        self,
        actions: Sequence[PlanAction],
        mode: str,
        why: str,
        parts: Sequence[Formula],
        chosen: Order | None = None,
    ) -> Joined:
        cost = cost_of(actions, self.belief)
        names = tuple(map(str, parts))
        return Joined(tuple(actions), cost, mode, why, names, reproducible=self.reproducible)

    @staticmethod
    def why(chosen: Order, parts: int) -> str:
        said = "one part is left" if parts == 1 else f"{parts} parts share no changing fact"
        if chosen.exact:
            return f"{said}; their order is exact" if parts > 1 else said
        over = chosen.cost / chosen.bound if chosen.bound else 1.0
        return f"{said}; their order is at most {over:.2f} times the best"
