"""The attack: plans and proofs for goals of random worlds, compared with what the judge says of them.

Faults of truth are counted apart from what is merely missed: a goal that has a plan and is called unsolvable,
a cost or a bound that is called best and is not, a plan that is called verified and does not work. A whole
run from the shell, with a line for each fault and the figures at the end::

    .venv/bin/python -P tests/oracles/attack.py --worlds 400 --engine pyperplan
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from groundplan.compiler.certificates.certificate import Certificate, Refused, certificate_from_json
from groundplan.compiler.certificates.checker import check_certificate
from groundplan.compiler.goals.checker import check
from groundplan.domains.ending import Ending
from groundplan.domains.errors import GoalError, GroundplanError, PackError
from groundplan.engines.base import Budget
from groundplan.engines.engine import Engine
from groundplan.engines.result import OrderBound, PlanResult
from groundplan.planners.classical import plan_goal
from oracles.judge import Judge, Verdict
from oracles.random_packs import random_pack_world
from oracles.random_worlds import PACKS, RandomGoal, RandomWorld, random_world
from oracles.replay import replay

MAX_STOPS = 5
"""Most subgoals whose orders are all tried."""


@dataclass(frozen=True, slots=True)
class Case:
    """One goal of one world, what was answered, and the faults in that."""

    world: RandomWorld
    goal: RandomGoal
    truth: Verdict
    result: PlanResult | None
    faults: tuple[str, ...]
    seconds: float

    @property
    def answer(self) -> str:
        """The ending of the run; *refused* where the goal takes what is not supported."""
        if self.result is not None:
            return self.result.outcome
        return "raised" if self.faults else "refused"

    @property
    def missed(self) -> bool:
        """True if the goal has a plan and none was found, which is no fault of truth."""
        return self.truth.solvable is True and (self.result is None or not self.result.verified)

    @property
    def unproved(self) -> bool:
        """True if the goal has no plan and that was not proved."""
        return self.truth.solvable is False and (
            self.result is None or self.result.ending is not Ending.UNSOLVABLE
        )

    def __str__(self) -> str:
        at = f"{self.world.pack} {self.world.seed} [{self.goal.kind}]"
        cost = self.result.cost_mm if self.result is not None else None
        truth = {True: f"best {self.truth.cost}", False: "unsolvable", None: "undecided"}
        return (
            f"{', '.join(self.faults) or 'fine'}: {at} {self.goal}: {self.answer} {cost}"
            f" ({truth[self.truth.solvable]})"
        )


def judged(world: RandomWorld, engine: Engine, seconds: float, states: int) -> Iterator[Case]:
    """Plan for every goal of a world and judge the answers."""
    judge = Judge(world.belief, states)
    for goal in world.goals:
        truth = judge.decide(goal.goal.formula)
        started = time.monotonic()
        try:
            result = plan_goal(goal.goal, world.belief, engine, Budget(seconds))
        except GoalError:
            yield Case(world, goal, truth, None, (), time.monotonic() - started)
            continue
        except Exception:
            traceback.print_exc()
            yield Case(world, goal, truth, None, ("raised",), time.monotonic() - started)
            continue
        took = time.monotonic() - started
        faults = tuple(_faults(world, goal, truth, result, judge))
        yield Case(world, goal, truth, result, faults, took)


def _faults(
    world: RandomWorld, goal: RandomGoal, truth: Verdict, result: PlanResult, judge: Judge
) -> Iterator[str]:
    best = truth.cost
    if result.ending is Ending.UNSOLVABLE and truth.solvable:
        yield "false unsolvable"
    keeps = len(world.belief.exclusive) == len(world.belief.pack.mapping.exclusive)
    if result.domain_fault and keeps:  # in other packs things may be in two places, and steps mean either
        yield "domain fault"
    if result.ending is Ending.UNSOLVABLE:
        yield from _refused(result.certificate, world, goal)
    if result.ending is Ending.UNSUPPORTED and truth.solvable:
        quiet = Judge(world.belief, judge.states, events=False).decide(goal.goal.formula)
        if quiet.solvable:
            yield "needless unsupported"
    if result.bound_mm is not None and (
        truth.solvable is False or (best is not None and result.bound_mm > best)
    ):
        yield "false optimal" if result.optimal else "false bound"
    order = result.assembly.order
    if order is not None and len(order.stops) <= MAX_STOPS:
        least = least_order(order, judge)
        if order.bound > least or order.cost < least:
            yield "false order bound"
    if not result.verified:
        return
    run = replay(result.steps, goal.goal.formula, judge)
    if not run.executable or not run.goal or truth.solvable is False:
        yield "false verified"
    elif run.cost != result.cost_mm:
        yield "wrong cost"
    if best is not None and result.cost_mm is not None and result.cost_mm < best:
        yield "better than the best"


def least_order(order: OrderBound, judge: Judge) -> int:
    """The cost of the best order of subgoals and choice of their plans, by trying all of them."""
    best: int | None = None
    for sequence in itertools.permutations(order.stops):
        if order.fixed_end and sequence[-1] != order.stops[-1]:
            continue
        for stops in itertools.product(*sequence):
            cost, here = order.before, order.start
            for begin, end, own in stops:
                cost += own + (judge.length(here, begin) or 0 if begin is not None else 0)
                here = end or here
            best = cost if best is None else min(best, cost)
    assert best is not None
    return best


def _refused(certificate: Certificate | None, world: RandomWorld, goal: RandomGoal) -> Iterator[str]:
    """Recheck a certificate after writing and reading it."""
    if certificate is None:
        yield "no certificate"
        return
    raw = json.loads(json.dumps(certificate.as_json()))
    try:
        check_certificate(certificate_from_json(raw, world.belief), world.belief, goal.goal.formula)
    except GroundplanError:
        traceback.print_exc()
        yield "refused certificate"


def believed(cases: Sequence[Case]) -> list[str]:
    """Return what the checker takes for proofs about goals of the same world that have a plan."""
    taken = []
    for one in cases:
        certificate = one.result.certificate if one.result is not None else None
        for other in cases if certificate is not None else ():
            if not other.truth.solvable:
                continue
            belief = other.world.belief
            try:
                check_certificate(certificate, belief, other.goal.goal.formula)
            except Refused:
                continue
            taken.append(f"false certificate: {other} by that of {one.goal}")
    return taken


@dataclass
class Figures:
    """What a run counted."""

    goals: int = 0
    decided: int = 0
    solvable: int = 0
    solved: int = 0
    optimal: int = 0
    proved: int = 0
    false_alarms: int = 0
    cost: int = 0
    best: int = 0
    dearer: int = 0
    seconds: float = 0.0
    faults: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    unproved: Counter[str] = field(default_factory=Counter)
    worst: list[tuple[float, str]] = field(default_factory=list)

    def add(self, case: Case) -> None:
        truth, result = case.truth, case.result
        self.goals += 1
        self.seconds += case.seconds
        self.decided += truth.solvable is not None
        self.solvable += truth.solvable is True
        self.faults.update(case.faults)
        if case.missed:
            self.missed[f"{case.goal.kind}: {case.answer}"] += 1
        if case.unproved:
            self.unproved[f"{case.goal.kind}: {case.answer}"] += 1
        if result is None:
            return
        self.proved += result.ending is Ending.UNSOLVABLE
        self.optimal += result.verified and result.optimal
        if truth.solvable:
            errors = [
                d for d in check(case.goal.goal, case.world.belief).diagnostics if d.severity == "error"
            ]
            self.false_alarms += bool(errors)
        if result.verified:
            self.solved += 1
        if result.verified and truth.cost is not None and result.cost_mm is not None:
            self.cost += result.cost_mm
            self.best += truth.cost
            if result.cost_mm > truth.cost:
                self.dearer += 1
                ratio = result.cost_mm / max(truth.cost, 100)
                self.worst.append((ratio, f"{case} bound {result.bound_mm}"))
                self.worst = sorted(self.worst, reverse=True)[:10]

    def as_json(self) -> dict[str, object]:
        counts = {name: getattr(self, name) for name in self.__dataclass_fields__}
        for name in ("faults", "missed", "unproved"):
            counts[name] = dict(sorted(counts[name].items()))
        counts["worst"] = [f"{ratio:.2f}x {text}" for ratio, text in self.worst]
        return counts


def pack_worlds(count: int, folder: Path, first: int = 0) -> Iterator[RandomWorld]:
    """Return worlds of random packs, whose files are written into a folder; refused packs are left out."""
    for seed in range(first, first + count):
        place = folder / str(seed)
        place.mkdir(parents=True)
        try:
            yield random_pack_world(seed, place)
        except PackError as error:
            print(f"refused: pack {seed}: {error}")


def worlds(count: int, packs: Iterable[str] = PACKS, first: int = 0) -> Iterator[RandomWorld]:
    """Return worlds of consecutive seeds, the packs in turn."""
    names = tuple(packs)
    for number in range(count):
        yield random_world(first + number // len(names), names[number % len(names)])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--worlds", type=int, default=40)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--engine", default="pyperplan")
    parser.add_argument("--seconds", type=float, default=10.0, help="for each goal")
    parser.add_argument("--states", type=int, default=40_000, help="most states of the judge")
    parser.add_argument("--packs", nargs="*", default=PACKS)
    parser.add_argument("--drawn", action="store_true", help="random packs instead of the three")
    options = parser.parse_args()
    figures, engine = Figures(), Engine.named(options.engine)
    folder = Path(tempfile.mkdtemp(prefix="drawn-packs-"))
    drawn = pack_worlds(options.worlds, folder, options.first)
    for world in drawn if options.drawn else worlds(options.worlds, options.packs, options.first):
        cases = list(judged(world, engine, options.seconds, options.states))
        for text in believed(cases):
            figures.faults.update(["false certificate"])
            print(text, flush=True)
        for case in cases:
            figures.add(case)
            if case.faults or case.missed:
                print(case if case.faults else f"missed: {case}", flush=True)
                if case.result is not None:
                    print(f"    {case.result.proof or ''} {'; '.join(case.result.reasons)[:200]}")
    print(json.dumps(figures.as_json(), indent=1))
    return 1 if figures.faults else 0


if __name__ == "__main__":
    sys.exit(main())
