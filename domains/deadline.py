"""Limits of time and size that all work within one call sees, however deep it is.

A verb or a public function opens a limit with :func:`limited`; loops below it call :func:`check_time`, which
costs a few hundred nanoseconds, and :func:`check_size` where they collect. Nothing is passed from function to
function: the limit in force is a context variable, so threads and tasks have their own. Inner limits only
ever shorten outer ones. The bounds on sizes may be tuned (they keep memory under about 1 GB). Must stay:
what a clock cut off is named, by :class:`LimitReached` or by :func:`note_cut`, since the record of a run has
to say so, and that another run may end otherwise; a bound on size gives the same end on every machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from .ending import Ending
from .errors import GroundplanError

Clock = Callable[[], float]

MAX_SIZES: Mapping[str, int] = {"literals": 1_000_000, "bindings": 300_000, "facts": 2_000_000}
"""The most literals of one goal, bindings of actions that one goal depends on, and facts of one problem."""


class LimitReached(GroundplanError):
    """End of work at a limit of time or size; ``ending`` is *timed-out* or *out-of-memory*.

    ``work`` names what was cut off, and ``limit`` the limit in words.
    """

    def __init__(self, ending: Ending, work: str, limit: str) -> None:
        self.ending, self.work, self.limit = ending, work, limit
        super().__init__(f"{work}: stopped at {limit}")

    @property
    def reproducible(self) -> bool:
        """True if another run ends in the same place: a size was counted, no clock was asked."""
        return self.ending is not Ending.TIMED_OUT

    def as_json(self) -> dict[str, object]:
        """Return what a verb prints as JSON in place of its result."""
        cut_off = [] if self.reproducible else [self.work]
        return {"outcome": self.ending.value, "cut_off": cut_off, "reasons": [str(self)]}


@dataclass
class Deadline:
    """The end of the time for some work: a reading of ``clock``, in seconds.

    ``cuts`` name what was left out so far because time ran short, in the order in which it happened.
    """

    seconds: float
    end: float
    clock: Clock
    outer: Deadline | None = None
    cuts: list[str] = field(default_factory=list)

    def remaining(self) -> float:
        """Return the seconds that are left, negative when the time is over."""
        return self.end - self.clock()

    def reached(self, work: str) -> LimitReached:
        """Return the exception for work that this deadline cuts off."""
        return LimitReached(Ending.TIMED_OUT, work, f"the time limit of {self.seconds:g} s")

    def chain(self) -> Iterator[Deadline]:
        """Yield this deadline and those around it, outwards."""
        deadline: Deadline | None = self
        while deadline is not None:
            yield deadline
            deadline = deadline.outer


_CURRENT: ContextVar[Deadline | None] = ContextVar("groundplan_deadline", default=None)


@contextmanager
def limited(seconds: float, clock: Clock = time.monotonic) -> Iterator[Deadline]:
    """Limit the time of the work inside, in seconds; a limit around it goes on counting.

    ``clock`` is the clock of an outermost limit; an inner one goes by the clock of the limit around it.

    >>> from groundplan.domains.deadline import LimitReached, check_time, limited
    >>> with limited(0.0):
    ...     try:
    ...         check_time("an example")
    ...     except LimitReached as error:
    ...         print(error)
    an example: stopped at the time limit of 0 s
    """
    outer = _CURRENT.get()
    clock = clock if outer is None else outer.clock
    end = clock() + seconds
    if outer is not None and end >= outer.end:
        seconds, end = outer.seconds, outer.end
    yield from _in_force(Deadline(seconds, end, clock, outer))


@contextmanager
def share_of_time(share: float) -> Iterator[None]:
    """Limit the work inside to a share of the time that is left. Without a limit it does nothing."""
    yield from _until(lambda outer: outer.clock() + share * max(0.0, outer.remaining()))


@contextmanager
def extended(seconds: float) -> Iterator[None]:
    """Grant the work inside at least some seconds, also where the time is almost over.

    For work that is short and without which everything before would be lost. Without a limit it does nothing.
    """
    yield from _until(lambda outer: max(outer.end, outer.clock() + seconds))


def _until(end: Callable[[Deadline], float]) -> Iterator[None]:
    outer = _CURRENT.get()
    if outer is None:
        yield
        return
    yield from _in_force(Deadline(outer.seconds, end(outer), outer.clock, outer))


def _in_force(deadline: Deadline) -> Iterator[Any]:
    token = _CURRENT.set(deadline)
    try:
        yield deadline
    finally:
        _CURRENT.reset(token)


@contextmanager
def paused() -> Iterator[None]:
    """Stop the clock of every limit for the work inside, which has limits of its own or none."""
    deadline = _CURRENT.get()
    if deadline is None:
        yield
        return
    started = deadline.clock()
    token = _CURRENT.set(None)
    try:
        yield
    finally:
        _CURRENT.reset(token)
        elapsed = deadline.clock() - started
        for one in deadline.chain():
            one.end += elapsed


def check_time(work: str) -> None:
    """Raise :class:`LimitReached` where the time is over; ``work`` names what is being done."""
    deadline = _CURRENT.get()
    if deadline is not None and deadline.clock() >= deadline.end:
        raise deadline.reached(work)


def check_size(kind: str, number: int, work: str) -> None:
    """Raise :class:`LimitReached` for more things of a kind of :data:`MAX_SIZES` than memory should hold."""
    most = MAX_SIZES[kind]
    if number > most:
        raise LimitReached(Ending.OUT_OF_MEMORY, work, f"the bound of {most} {kind}")


def time_left() -> float | None:
    """Return the seconds that are left, ``None`` where there is no limit."""
    deadline = _CURRENT.get()
    return None if deadline is None else deadline.remaining()


def note_cut(work: str) -> None:
    """Note that something was left out because time ran short, and the result used all the same."""
    deadline = _CURRENT.get()
    if deadline is not None:
        for one in deadline.chain():
            if work not in one.cuts:
                one.cuts.append(work)
