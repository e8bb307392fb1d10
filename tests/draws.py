"""How many examples a property draws: few by day, all of them where the slow tests run too."""

from __future__ import annotations

from typing import Any

from hypothesis import settings

BY_DAY = 50
"""Most examples of a property without the slow tests; tests/conftest.py loads the profile."""


def draws(count: int, by_day: int = BY_DAY, **more: Any) -> settings:
    """Return settings that draw `count` examples with the slow tests, at most `by_day` without them."""
    few = settings.default is not None and settings.default.max_examples <= BY_DAY
    return settings(max_examples=min(count, by_day) if few else count, **more)
