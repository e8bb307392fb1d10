"""Errands: a conjunctive goal planned in independent parts, ordered by travel, joined and checked.

Each part is solved alone, which keeps an engine's work small however many parts there are. A part with
alternatives (a disjunction) offers several ways; which of them to take is decided together with the order.
The joined plan is carried out on a world action by action; a part that meets a changed world is planned again
from there. When joining fails, or the parts cannot be told apart, the goal is planned jointly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...compiler.forms import literals
from ...domains.action import PlanAction
from ...domains.ending import Ending
from ...domains.formula import And, Formula, conjunction, conjuncts
from ...simulator.facts import Facts, ground_args
from ...simulator.world import Refusal, World
from .agreement import agreed
from .branches import choices, is_end, least, ranked, unclaimed, without_ends
from .execution import Essence, carry_out, cost_of, reached, world_for
from .options import PartPlanner
from .order import Order, order
from .result import Errand, Joined, why
from .split import split
from .stopped import CONTRADICTION, Stopped, asks, combined


@dataclass
class ErrandPlanner(PartPlanner):
    """Plans goals in normal form over one belief with one engine."""

    # The whole goal

    def plan(self, goal: Formula, facts: Facts | None = None) -> Joined:
        """A plan that reaches the goal from ``facts``. Raises :class:`Stopped` with the part that failed."""
        now = facts if facts is not None else self.belief.facts
        if reached(goal, world_for(goal, self.belief, now)):
            return Joined((), 0, "joint", "the goal holds already", (), 0, True)
        if self.engine.optimal:
            return self.joint(goal, now, "the engine looks for the best plan")
        parts = split(conjuncts(goal), self.belief, now)
        left = [p for p in parts if not reached(And(p), world_for(goal, self.belief, now))]
        open_parts = [self.fewer(conjunction(p), now) for p in left]
        if len(open_parts) == 1:
            return self.single(goal, open_parts[0], now, len(parts))
        try:
            joined = self.split_up(goal, open_parts, now)
        except Stopped as stopped:
            # A part as the goal has it speaks for the goal; one with fewer alternatives does not.
            if not stopped.fault and (stopped.result.ending is not Ending.UNSOLVABLE or stopped.sound):
                raise
            joined = None
        if joined is not None:
            return joined
        return self.joint(goal, now, "the parts get in each other's way")

    def single(self, goal: Formula, part: Formula, now: Facts, parts: int) -> Joined:
        """A goal with one part that is left to do."""
        try:
            found = self.ways(part, now)
        except Stopped as stopped:
            if stopped.fault:
                return self.joint(goal, now, "one part, whose plan alone does not work")
            sound = stopped.sound and asks(goal, part)
            raise Stopped(stopped.result, stopped.part, sound, stopped.objects) from None
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
        if found_choices == []:
            raise Stopped(CONTRADICTION, goal, True)
        wanted = self.fewer(goal, now) if found_choices is None else goal
        options: Sequence[Formula] = [wanted]
        if found_choices is not None:
            options = ranked(found_choices, self.belief, now)
        planner = self if found_choices is not None else self.hurried()
        best: Joined | None = None
        failures: list[Stopped] = []
        proved = self.engine.optimal and self.nearest is None
        for option in options:
            # The estimate is no bound that a proof could rest on.
            if best is not None and not proved and least(option, self.belief, now) >= best.cost:
                continue
            try:
                found = planner.solve(option, now)
            except Stopped as stopped:
                failures.append(stopped)
                proved = proved and stopped.sound
                continue
            proved = proved and planner.proved
            self.reproducible = planner.reproducible
            world = world_for(goal, self.belief, now)
            done = carry_out(found[1], world)
            if isinstance(done, Refusal) or not reached(goal, world):
                proved = False
                why_not = done.message if isinstance(done, Refusal) else "it does not reach the goal"
                failures.append(self.refused(why_not, option))
                continue
            candidate = self.joined(done, "joint", why, [goal])
            if best is None or candidate.cost < best.cost:
                best = candidate
        if best is None and found_choices is None and not any(f.sound for f in failures):
            best = agreed(goal, self.belief, now, self.plan)
        if best is None:
            failed = combined(failures, goal)
            sound = failed.sound and wanted == goal
            raise Stopped(failed.result, failed.part, sound, failed.objects, failed.fault)
        return replace(best, bound=best.cost if proved else None, optimal=proved)

    def hurried(self) -> ErrandPlanner:
        """This planner with half of the time that is left."""
        half = self.remaining() / 2
        return replace(self, remaining=lambda: self.remaining() - half)

    # Parts

    def split_up(self, goal: Formula, parts: list[Formula], now: Facts) -> Joined | None:
        """Parts one after the other; ``None`` when they do not join."""
        world: World | None = world_for(goal, self.belief, now)
        assert world is not None
        done: list[PlanAction] = []
        free = self.belief.pack.mapping.robot_free.predicate
        if not now.holds(free, ()):
            try:
                parts, emptied, world = self.empty_hand_first(parts, world)
            except Stopped as stopped:
                # The goal may be reached with a full hand.
                raise Stopped(stopped.result, stopped.part, False, stopped.objects, stopped.fault) from None
            if emptied is None:
                return None
            done += emptied
        holding = [c for c in conjuncts(goal) if reached(c, world)]
        parts = self.simplest([without_ends(p, self.belief) for p in parts], world.facts, holding)
        ends = [p for p in parts if is_end(p, self.belief)]
        if len(ends) > 1:
            parts = [p for p in parts if p not in ends] + [conjunction(ends)]
            ends = parts[-1:]
        parts = [p if p in ends else self.with_empty_hand(p) for p in parts]
        self.prepare(parts, world.facts)
        found = []
        for part in parts:
            try:
                found.append(self.ways(part, world.facts))
            except Stopped as stopped:
                # After a hand was emptied, what fails may have been possible before.
                sound = stopped.sound and asks(goal, part) and not done
                raise Stopped(stopped.result, stopped.part, sound, stopped.objects, stopped.fault) from None
        last = parts.index(ends[0]) if ends else None
        ways = [[w for w, _ in e.ways] for e in found]
        chosen = order(world.stands_at, ways, self.belief.routes.distance, last)
        for kept in ([], holding) if holding else ([],):
            did = self.in_turn(found, chosen, world, kept)
            if did is not None and reached(goal, did[0]):
                return self.joined([*done, *did[1]], "split", why(chosen, len(parts)), parts, chosen)
        return None

    def in_turn(
        self, found: list[Errand], chosen: Order, world: World, kept: list[Formula]
    ) -> tuple[World, list[PlanAction]] | None:
        """Do errands in the order chosen, undoing none and nothing that is to be kept."""
        done: list[PlanAction] = []
        for index in chosen.sequence:
            after = self.do(found[index], chosen.ways[index], world, done, kept)
            if after is None:
                return None
            world, kept = after, [*kept, found[index].part]
        return world, done

    def with_empty_hand(self, part: Formula) -> Formula:
        """A part that only takes something away would end with a full hand; the next one needs it empty."""
        relations = {r.predicate for r in self.belief.pack.mapping.relations.values() if len(r.args) == 2}
        if any(not positive and a.predicate in relations for a, positive in literals(part)):
            return conjunction((part, self.belief.pack.mapping.robot_free))
        return part

    def do(
        self, errand: Errand, way: int, world: World, done: list[PlanAction], kept: Sequence[Formula] = ()
    ) -> World | None:
        """Do one errand; the world after it, or ``None`` when it cannot be done without undoing what is kept.

        The chosen way is tried first, then the others; then it is planned again from the world as it is.
        """
        ways = [errand.ways[way], *(w for i, w in enumerate(errand.ways) if i != way)]
        for _, plan in ways:
            after = self.tried(errand.part, plan, world, done, kept)
            if after is not None:
                return after
        for part in dict.fromkeys((unclaimed(errand.part, kept, self.belief, world.facts), errand.part)):
            try:
                again = self.ways(part, world.facts)
            except Stopped:
                continue
            for _, plan in sorted(again.ways, key=lambda w: w[0].inner + self.drive(world.facts, w[0])):
                after = self.tried(errand.part, plan, world, done, kept)
                if after is not None:
                    return after
        return None

    def tried(
        self, part: Formula, plan: Essence, world: World, done: list[PlanAction], kept: Sequence[Formula]
    ) -> World | None:
        """The world after a plan, when it does its part and keeps the others."""
        trial = world.fork()
        happened = carry_out(plan, trial)
        if isinstance(happened, Refusal) or not all(reached(p, trial) for p in (part, *kept)):
            return None
        done += happened
        return trial

    def empty_hand_first(
        self, parts: list[Formula], world: World
    ) -> tuple[list[Formula], list[PlanAction] | None, World]:
        """With a full hand, the part about the held thing comes first; else it is put down."""
        held = world.facts.all(self.belief.pack.mapping.robot_held.predicate)[0][0]
        about = [p for p in parts if any(held in ground_args(a) for a, _ in literals(p))]
        first = about[0] if about else self.belief.pack.mapping.robot_free
        done: list[PlanAction] = []
        after = self.do(self.ways(first, world.facts), 0, world, done)
        if after is None:
            return parts, None, world
        return [p for p in parts if p is not first], done, after

    def simplest(self, parts: list[Formula], now: Facts, holding: Sequence[Formula]) -> list[Formula]:
        """Parts with alternatives that are several errands themselves: the cheapest alternative's errands."""
        result: list[Formula] = []
        for part in parts:
            found_choices = choices(unclaimed(part, holding, self.belief, now), self.belief)
            if found_choices is None or len(found_choices) <= 1:
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
