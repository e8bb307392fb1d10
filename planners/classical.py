"""From a goal to a verified plan: normal form, errands, widening, proofs, and the simulator's word.

No plan leaves as verified that the simulator did not accept step by step, in the printed form that a robot
gets. When the narrow problem has no plan, the wide one is tried; "unsolvable" needs a proof on the whole
relevant closure, everything else is "not found".
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from ..compiler.goals.goal import Goal
from ..compiler.normal import expanded
from ..compiler.problem import Unsupported
from ..compiler.relevance import NEAREST
from ..domains.action import Plan
from ..domains.ending import Ending
from ..domains.errors import NoRoute
from ..domains.formula import Atom, Formula, Not, conjuncts
from ..simulator.belief import Belief
from ..simulator.facts import ground_args
from ..simulator.printing import print_steps
from ..simulator.step import Step
from ..simulator.verification import Verification, verify_plan
from .engines.base import Budget
from .engines.engine import Engine
from .reachability import Unreachable, unreachable
from .subgoals.planner import ErrandPlanner
from .subgoals.result import Joined
from .subgoals.stopped import Stopped

OPTIMAL_SHARE = 0.3
"""The part of the time that an optimal engine gets for its proof; the rest is for finding any plan."""

MAX_WORDS = 4
"""Most facts of an impossible part that are put into words."""

DOMAIN_FAULT = "planner and simulator disagree although the belief is the world: a fault in the domain pack"

UNPROVED = "there may be a way all the same: where things are was not read just as the goal says it"
INCOMPLETE = "there may be a way all the same: not everything that could help was looked at"


@dataclass(frozen=True)
class Planned:
    """What planning for a goal came to.

    ``plan`` and ``steps`` are empty unless ``ending`` is solved; ``proof`` names how unsolvability was
    shown and ``reasons`` say it in words. ``cost`` and ``bound`` are millimetres. ``domain_fault`` says that
    the simulator refused a plan and that no other one worked.
    """

    ending: Ending
    plan: Plan = ()
    steps: tuple[Step, ...] = ()
    cost: int | None = None
    bound: int | None = None
    optimal: bool = False
    mode: str = ""
    why: str = ""
    parts: tuple[str, ...] = ()
    proof: str | None = None
    reasons: tuple[str, ...] = ()
    verification: Verification | None = None
    reproducible: bool = True
    domain_fault: bool = False
    objects: int = 0

    @property
    def verified(self) -> bool:
        return self.verification is not None and self.verification.verified


def plan_goal(
    goal: Goal,
    belief: Belief,
    engine: Engine,
    budget: Budget | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Planned:
    """Plan for a checked goal and verify the plan. The budget's seconds are for everything together."""
    limits = budget or Budget()
    started = clock()
    wanted = expanded(goal.formula, belief)
    # A proof of optimality needs the whole closure; a plan is found faster in the narrow problem.
    wide_first = engine.optimal
    passes = [(None, OPTIMAL_SHARE), (NEAREST, 1.0)] if wide_first else [(NEAREST, 1.0), (None, 1.0)]
    stopped: Stopped | None = None
    faults: list[Stopped] = []
    for nearest, share in passes:
        deadline = started + limits.seconds * share
        planner = ErrandPlanner(belief, engine, partial(_left, deadline, clock), limits.memory_mb, nearest)
        planner.faults = faults
        try:
            provable = nearest is None and wanted.exact and not faults
            hopeless = unreachable(wanted.form, belief, belief.facts) if provable else None
            if hopeless is not None:
                return _unsolvable(hopeless)
            planned = _verified(goal, belief, planner.plan(wanted.form))
            return planned if wanted.exact else _unproved(planned)
        except Unsupported as error:
            return Planned(Ending.UNSUPPORTED, reasons=(str(error),))
        except NoRoute as error:
            return Planned(Ending.NOT_FOUND, reasons=(str(error),))
        except Stopped as error:
            stopped = error
            failed = error.result.ending
            if failed not in (Ending.UNSOLVABLE, Ending.NOT_FOUND) and not (wide_first and nearest is None):
                break
            if error.sound and nearest is None:
                break
    assert stopped is not None
    if faults:
        return _faulty(faults[0], stopped)
    result = stopped.result
    ending, proof = result.ending, result.proof
    said = tuple(filter(None, [f"{stopped.part}: {result.ending.value}", result.detail]))
    if ending is Ending.UNSOLVABLE and stopped.sound and wanted.exact:
        said = (impossible(stopped.part, belief),)
    elif ending is Ending.UNSOLVABLE:
        ending, proof = Ending.NOT_FOUND, None
        left_out = UNPROVED if stopped.sound else INCOMPLETE
        said = (f"{stopped.part}: {ending.value}", left_out)
    return Planned(
        ending,
        proof=proof,
        reasons=said,
        reproducible=result.reproducible,
        objects=stopped.objects,
    )


def impossible(part: Formula, belief: Belief) -> str:
    """Say that a part of a goal cannot be brought about, in words where it is a few facts."""
    facts = []
    for conjunct in conjuncts(part)[:MAX_WORDS]:
        atom = conjunct.part if isinstance(conjunct, Not) else conjunct
        if not isinstance(atom, Atom) or len(conjuncts(part)) > MAX_WORDS:
            return f"{part} cannot be brought about"
        facts.append(belief.pack.words(atom.predicate, ground_args(atom), not isinstance(conjunct, Not)))
    together = " together" if len(facts) > 1 else ""
    return f"these facts cannot be brought about{together}: {'; '.join(facts)}"


def _left(deadline: float, clock: Callable[[], float]) -> float:
    return deadline - clock()


def _unsolvable(found: Unreachable) -> Planned:
    return Planned(Ending.UNSOLVABLE, proof=found.proof, reasons=found.reasons)


def _faulty(fault: Stopped, last: Stopped) -> Planned:
    """A run in which a plan was refused and no other worked: no word of its engine proves anything."""
    return Planned(
        Ending.NOT_FOUND,
        reasons=(DOMAIN_FAULT, fault.result.detail),
        reproducible=last.result.reproducible,
        domain_fault=True,
        objects=last.objects,
    )


def _unproved(planned: Planned) -> Planned:
    """A plan for what a goal was read as, which is not just what it says.

    It may not be the best there is, unless it costs nothing. One that can be carried out and misses the goal
    is no fault of the pack.
    """
    verification = planned.verification
    if verification is not None and verification.executable and not verification.verified:
        return Planned(Ending.NOT_FOUND, reasons=(UNPROVED, *verification.feedback()))
    return planned if planned.cost == 0 else replace(planned, bound=None, optimal=False)


def _verified(goal: Goal, belief: Belief, joined: Joined) -> Planned:
    """Print the plan, run it on the simulator, and keep what happened there."""
    steps = print_steps(joined.actions, belief)
    verification = verify_plan(steps, belief, goal.formula)
    return Planned(
        Ending.SOLVED,
        plan=joined.actions,
        steps=steps,
        cost=joined.cost,
        bound=joined.bound,
        optimal=joined.optimal,
        mode=joined.mode,
        why=joined.why,
        parts=joined.parts,
        reasons=() if verification.verified else (DOMAIN_FAULT, *verification.feedback()),
        verification=verification,
        reproducible=joined.reproducible,
        domain_fault=not verification.verified,
    )
