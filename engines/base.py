"""Input and output of an engine, at the level of PDDL text.

Engines run in other processes and speak text only, so these types know nothing of goals or scenes;
`engine.py` converts. A new engine implements `TextEngine`. The checks of `TextResult` must stay: "solved"
needs a plan, "unsolvable" a proof, "optimal" a lower bound equal to the cost. Every other ending says nothing
about the task.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from ..domains.ending import Ending

Step = tuple[
    str, ...
]  # ("pickup_on", "apple1", "table2"): an action and its arguments, PDDL symbols, lower case


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of one call: seconds of the clock for all of it, megabytes of memory for all of an engine.

    ``expansions`` is the most states that an engine may expand for one problem, if there is a limit; only
    engines with ``limits_expansions`` keep it, and :class:`~groundplan.Engine` gives it to no other.
    Raises ``ValueError`` for what is not positive.

    >>> from groundplan import Budget
    >>> Budget(seconds=5)
    Budget(seconds=5, memory_mb=2048, expansions=None)
    """

    seconds: float = 30.0
    memory_mb: int = 2048
    expansions: int | None = None

    def __post_init__(self) -> None:
        if not 0 < self.seconds < 1e9:
            raise ValueError(f"a budget needs a positive number of seconds, got {self.seconds}")
        for number, what in ((self.memory_mb, "megabytes"), (self.expansions, "expansions")):
            if number is not None and number <= 0:
                raise ValueError(f"a budget needs a positive number of {what}, got {number}")


@dataclass(frozen=True, slots=True)
class PddlText:
    """Domain and problem as the text that an engine reads.

    ``data`` gives the same problem as values, for engines that are handed objects; ``None`` where the text is
    all that there is.
    """

    domain: str
    problem: str
    data: Callable[[], Mapping[str, object]] | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class TextResult:
    """One engine's answer.

    `cost` and `bound` are in the text's own metric, or numbers of actions where the text has none; engines
    without costs leave them `None`. `proof` says how unsolvability was shown. `detail` is for people: the
    last lines of what the engine said. `statistics` and `times` are what it says of its work, under the keys
    in `statistics.COUNTS` and `statistics.SECONDS`.
    """

    ending: Ending
    plan: tuple[Step, ...] | None = None  # () is a plan: nothing has to be done
    cost: int | None = None
    bound: int | None = None
    optimal: bool = False
    proof: str | None = None
    reproducible: bool = True  # False when a clock or a signal decided
    engine: str = ""
    seconds: float = 0.0
    detail: str = ""
    statistics: Mapping[str, int] = field(default_factory=dict)
    times: Mapping[str, float] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        if (self.ending is Ending.SOLVED) != (self.plan is not None):
            raise ValueError(
                f"ending {self.ending.value} with plan {self.plan!r}: solved, and only solved, has a plan"
            )
        if (self.ending is Ending.UNSOLVABLE) != bool(self.proof):
            raise ValueError(
                f"ending {self.ending.value} with proof {self.proof!r}: unsolvable, and only it, has one"
            )
        if self.optimal and (self.plan is None or self.cost is None or self.bound != self.cost):
            raise ValueError(
                f"optimal needs a plan whose cost is proved: cost {self.cost}, bound {self.bound}"
            )
        if self.bound is not None and self.cost is not None and self.bound > self.cost:
            raise ValueError(f"a lower bound of {self.bound} contradicts a plan of cost {self.cost}")
        if self.ending in (Ending.TIMED_OUT, Ending.CRASHED) and self.reproducible:
            raise ValueError(f"ending {self.ending.value} cannot be reproducible")


CLOCKED = (Ending.TIMED_OUT, Ending.CRASHED, Ending.OUT_OF_MEMORY)
"""The endings that another run on another machine need not have."""


class TextEngine(Protocol):
    """A classical planner behind text. Nothing that the planner does makes its methods raise.

    Two attributes may be left out, and are false then. With ``limits_expansions`` it ends at
    :attr:`Budget.expansions`, *not-found* with that number of states, and its statistics say how many it
    expanded. With ``reads_constraints`` it plans for ``(:constraints ..)`` of PDDL3; for others these are
    compiled into actions.
    """

    @property
    def name(self) -> str: ...

    @property
    def supports_costs(self) -> bool: ...

    def solve_text(self, text: PddlText, budget: Budget) -> TextResult: ...

    def solve_many(self, texts: Sequence[PddlText], budget: Budget) -> list[TextResult]:
        """Solve tasks that do not depend on each other; the budget's seconds are for all of them together.

        An engine that inherits this solves one after the other, and those that can do better replace it.
        """
        deadline = time.monotonic() + budget.seconds
        results = []
        for text in texts:
            left = deadline - time.monotonic()
            if left > 0:
                results.append(self.solve_text(text, replace(budget, seconds=left)))
            else:
                late = "the engine was not asked: no time was left"
                results.append(
                    TextResult(Ending.TIMED_OUT, reproducible=False, engine=self.name, detail=late)
                )
        return results
