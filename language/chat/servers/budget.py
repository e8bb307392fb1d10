"""Token budget of one run, and its limits of calls and seconds; a run that ends at one says at which.

The usual limits (``MAX_CALLS``, ``MAX_TOKENS``, ``MAX_SECONDS``) stand here and may be changed; options of
the command line replace them. A limit is a bound on what is begun: the call in flight may go over the tokens,
not the seconds.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from .model import ServiceError, Usage

MAX_CALLS = 100
MAX_TOKENS = 400_000
MAX_SECONDS = 300.0


@dataclass
class Allowance:
    """Limits of one run and what it has spent of them. Shared by all calls of the run."""

    calls: int = MAX_CALLS
    tokens: int = MAX_TOKENS
    seconds: float = MAX_SECONDS
    spent_calls: int = 0
    spent_tokens: int = 0
    _started: float = field(default_factory=time.monotonic, init=False)

    def remaining(self) -> float:
        """Return the seconds that are left, at least 0."""
        return max(0.0, self._started + self.seconds - time.monotonic())

    def check(self) -> None:
        """Raise :class:`ServiceError` when a bound is reached."""
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
        """Wait before trying again, where the run lasts as long."""
        if seconds >= self.remaining():
            message = f"the run's {self.seconds:g} seconds end before another try"
            raise ServiceError("budget", message, "see --max-seconds")
        time.sleep(seconds)
        self.check()
