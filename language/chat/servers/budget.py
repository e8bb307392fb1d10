"""Limits of one run: calls, tokens and seconds. Every bound has a name, and a run says which it hit."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from .model import ServiceError, Usage

MAX_CALLS = 100
MAX_TOKENS = 400_000
MAX_SECONDS = 300.0


@dataclass
class Allowance:
    """What a run may still spend. Shared by all calls of the run.

    ``cancel`` ends it from another thread, with the answer that is in flight.
    """

    calls: int = MAX_CALLS
    tokens: int = MAX_TOKENS
    seconds: float = MAX_SECONDS
    clock: Callable[[], float] = time.monotonic
    spent_calls: int = 0
    spent_tokens: int = 0
    _started: float = field(default=0.0, init=False)
    _cancelled: threading.Event = field(default_factory=threading.Event, init=False)

    _ends: list[Callable[[], None]] = field(default_factory=list, init=False, repr=False)

    def __post_init__(self) -> None:
        self._started = self.clock()

    def cancel(self) -> None:
        self._cancelled.set()
        for end in tuple(self._ends):
            end()

    @property
    def cancelled(self) -> bool:
        return self._cancelled.is_set()

    @contextmanager
    def ended_by(self, end: Callable[[], None]) -> Iterator[None]:
        """While this lasts, cancelling also calls ``end``, in the thread that cancels."""
        self._ends.append(end)
        try:
            yield
        finally:
            self._ends.remove(end)

    def remaining(self) -> float:
        """Seconds that are left, at least 0."""
        return max(0.0, self._started + self.seconds - self.clock())

    def check(self) -> None:
        """Raise :class:`ServiceError` when a bound is reached or the run was cancelled."""
        if self.cancelled:
            raise ServiceError("cancelled", "the run was cancelled")
        if self.spent_calls >= self.calls:
            raise ServiceError("budget", f"the run used its {self.calls} model calls", "see --max-calls")
        if self.spent_tokens >= self.tokens:
            raise ServiceError("budget", f"the run used its {self.tokens} tokens", "see --max-tokens")
        self.check_time()

    def check_time(self) -> None:
        """Raise :class:`ServiceError` when the seconds are used up."""
        if self.remaining() <= 0:
            raise ServiceError("budget", f"the run used its {self.seconds:g} seconds", "see --max-seconds")

    def call(self) -> None:
        """Count one call about to be made."""
        self.check()
        self.spent_calls += 1

    def spend(self, usage: Usage) -> None:
        self.spent_tokens += usage.total

    def sleep(self, seconds: float) -> None:
        """Wait before trying again; ends at once when cancelled, and never outlasts the run."""
        if seconds >= self.remaining():
            message = f"the run's {self.seconds:g} seconds end before another try"
            raise ServiceError("budget", message, "see --max-seconds")
        self._cancelled.wait(seconds)
        self.check()
