"""The one answer of planning, from an engine's plan to a plan that the simulator accepted.

An engine over problems makes a `PlanResult`; merging the plans of subgoals adds how they were put together,
verification adds the printed steps and the simulator's verdict, and the record of a run contains the result
as it is. Fields may be added, with a default. The checks in ``__post_init__`` must stay; later stages call
``dataclasses.replace`` and copy no field by hand, so that they hold at every stage.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from ..compiler.certificates.certificate import Certificate
from ..domains.action import Plan
from ..domains.ending import Ending
from ..simulator.step import Step
from ..simulator.verification import Verification


def metres(millimetres: int | None) -> float | None:
    """Return metres, as people and JSON get them, of the millimetres that are counted inside."""
    return None if millimetres is None else millimetres / 1000


UNVERIFIED = Verification(False, None, (), (), 0)
"""The verification of what was never run on the simulator."""


Stop = tuple[str | None, str | None, int]
"""The place where a subgoal's plan begins (``None``: anywhere) and ends, and its cost in between."""


@dataclass(frozen=True, slots=True)
class OrderBound:
    """A lower bound on doing the subgoals one at a time, in any order, each by one of the plans given.

    ``cost`` and ``bound`` are millimetres and count each plan as it was made, alone. The merged plan may cost
    less, and less than ``bound``: a door that one subgoal leaves open need not be opened for the next.
    Nothing is said of plans that do several things at a time. ``method`` names what proved the bound.
    ``start`` and ``stops`` are what it is computed from: the subgoals in the order chosen, each with its
    plans, the chosen one first. Both costs include ``before``, which emptying a full hand takes at first in
    every order. With ``fixed_end`` the last subgoal comes at the end of every order, because it says where
    the robot ends. ``unsolved`` says why no solver improved it.
    """

    cost: int
    bound: int
    method: str
    start: str
    stops: tuple[tuple[Stop, ...], ...]
    before: int = 0
    fixed_end: bool = False
    unsolved: str = ""

    @property
    def gap(self) -> float:
        """The share of the bound by which the order may be worse than the best: 0.02 is two per cent."""
        return self.cost / self.bound - 1 if self.bound else float(self.cost > 0)


class Why(StrEnum):
    """The words of a reason for which a plan was made in parts or as a whole; records have them joined."""

    SO = "the goal holds already"
    BEST = "the engine looks for the best plan"
    WHOLE = "the engine gets the whole problem"
    TANGLED = "the parts get in each other's way"
    ONE = "one part"
    OTHERS_HOLD = "the other parts hold already"
    NOT_ALONE = "one part, whose plan alone does not work"
    CHOICE = "one part, with alternatives or side effects"
    PREVENTED = "no event is let happen that the goal denies"
    SEARCHED = "found by a search of states, since the engine used up its share of the time"
    REMEMBERED = "found by a search of states that remembers what the run has to keep"
    COMPILED = "the engine plans with what the run has to keep"
    LEFT = "one part is left"
    PARTS = "{} parts share no changing fact"
    ONE_BY_ONE = "{} parts are done one after the other"
    CARRYING = "; {} of them are done by carrying things together"
    LOADED = ", and some stay in their carrier"
    CHEAPER = "; a search below its cost found a cheaper plan"
    AWAY = ", then away"
    CHOSEN = "; what to do was chosen by {}"
    CUT_OFF = " (cut off before it proved this the best)"
    EMPTIED = "what is held is put down first; "

    @classmethod
    def joined(cls, text: str) -> bool:
        """Return whether a text is made of these words, with a number or a name in their gaps."""
        words = (re.escape(word).replace(r"\{\}", r"[\w.-]+") for word in cls)
        return re.fullmatch(f"({'|'.join(words)})+", text) is not None


def order_in_words(cost: int, bound: int, unsolved: str = "") -> str:
    """Say how good an order is, from what it costs and what no order costs less than."""
    if cost == bound:
        return "; the order of these plans is exact"
    gap = cost / bound - 1 if bound else float(cost > 0)
    most = f"at most {1 + gap:.2f} times the best"
    return f"; the order of these plans is {most}{unsolved and f' ({unsolved})'}"


@dataclass(frozen=True, slots=True)
class Assembly:
    """The way in which plans of subgoals became one: ``mode`` is ``split`` or ``joint``, with the reason.

    ``solver`` names the program that chose between alternatives of the goal, where one did.
    """

    mode: str = ""
    why: str = ""
    subgoals: tuple[str, ...] = ()
    order: OrderBound | None = None
    solver: str | None = None

    @property
    def reason(self) -> str:
        """The reason, with how good the order is, where that is known of the plan as it is now."""
        if self.order is None or len(self.order.stops) < 2:
            return self.why
        return self.why + order_in_words(self.order.cost, self.order.bound, self.order.unsolved)


@dataclass(frozen=True, slots=True)
class PlanResult:
    """An ending, with a plan if it is *solved* and with the name of a proof if it is *unsolvable*.

    ``cost`` and ``bound`` (a lower bound on the cost of every plan) are metres, as in JSON; they are counted
    in millimetres (``cost_mm``, ``bound_mm``), so that sums are exact. ``detail`` is the engine's own
    comment, ``reasons`` say for people why there is no plan. ``printed`` are the printed steps, each with the
    index in ``plan`` of the action that it belongs to. ``domain_fault`` marks a run in which the simulator
    refused a plan and no other one worked. ``cut_off`` names the work that a clock ended; where it did,
    ``reproducible`` is false. ``certificate`` is the proof, for another program to recheck.
    ``unplaced`` are the things that the goal names or would range over, and nobody knows where they are: of
    these nothing is verified.
    """

    ending: Ending
    plan: Plan | None = None  # () is a plan: nothing has to be done
    cost_mm: int | None = None
    bound_mm: int | None = None
    proof: str | None = None
    reproducible: bool = True  # False when a clock or a signal decided
    detail: str = ""
    assembly: Assembly = Assembly()
    printed: tuple[tuple[int, Step], ...] = ()
    verification: Verification = UNVERIFIED
    reasons: tuple[str, ...] = ()
    domain_fault: bool = False
    cut_off: tuple[str, ...] = ()
    certificate: Certificate | None = None
    unplaced: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if (self.ending is Ending.SOLVED) != (self.plan is not None):
            raise ValueError(
                f"{self.ending.value} with plan {self.plan}: solved, and only solved, has a plan"
            )
        if (self.ending is Ending.UNSOLVABLE) != bool(self.proof):
            raise ValueError(
                f"{self.ending.value} with proof {self.proof!r}: unsolvable, and only it, has one"
            )
        if self.certificate is not None and self.ending is not Ending.UNSOLVABLE:
            raise ValueError(f"{self.ending.value} with a certificate: only what is unsolvable has one")
        if self.plan is None and (
            self.cost_mm is not None or self.printed or self.verification != UNVERIFIED
        ):
            raise ValueError(f"{self.ending.value} with the cost, the steps or the verification of a plan")
        if self.cut_off and self.reproducible:
            raise ValueError(f"a clock cut off {self.cut_off[0]}: that cannot be reproducible")
        if self.domain_fault and (self.bound_mm is not None or self.assembly.order is not None):
            raise ValueError("a bound beside a plan that was refused")
        if self.bound_mm is not None and self.cost_mm is not None and self.bound_mm > self.cost_mm:
            raise ValueError(f"a lower bound of {self.bound_mm} mm contradicts a plan of {self.cost_mm} mm")

    @property
    def cost(self) -> float | None:
        """The cost in metres: the routes, and the pack's effort for each manipulation."""
        return metres(self.cost_mm)

    @property
    def bound(self) -> float | None:
        """A lower bound on the cost of every plan, in metres, where one was proved."""
        return metres(self.bound_mm)

    @property
    def optimal(self) -> bool:
        """True if the lower bound proves that no plan costs less."""
        return self.cost_mm is not None and self.cost_mm == self.bound_mm

    @property
    def steps(self) -> tuple[Step, ...]:
        """The printed steps without their sources."""
        return tuple(step for _, step in self.printed)

    @property
    def names(self) -> tuple[str, ...]:
        """The names in the actions of the plan and in its printed steps, each once."""
        lists = [a.args for a in self.plan or ()] + [step.args for step in self.steps]
        return tuple(dict.fromkeys(name for args in lists for name in args))

    @property
    def verified(self) -> bool:
        """True if the simulator carried the steps out and the goal held at the end."""
        return self.verification.verified

    @property
    def outcome(self) -> str:
        """The outcome of a run that ends with this answer."""
        if self.verified:
            return "verified"
        return "rejected" if self.domain_fault or self.ending is Ending.SOLVED else self.ending.value


NOT_PLANNED = PlanResult(Ending.NOT_FOUND)
"""The answer of a run that ended before planning."""
