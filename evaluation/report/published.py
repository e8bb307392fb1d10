"""Figures that papers published, as they printed them; ``published.toml`` says what looks wrong in them.

They stand beside measured figures for comparison and are never mixed with them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """A printed table, for the task sets that it is about; ``flags`` say what cannot be right in it."""

    source: str
    title: str
    sets: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    flags: tuple[str, ...] = ()


def _tuples(value: Any) -> Any:
    """Return a value of TOML with tuples in the place of lists."""
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


_FILE = tomllib.loads(files(__package__).joinpath("published.toml").read_text(encoding="utf-8"))

PUBLISHED = tuple(PublishedTable(**{k: _tuples(v) for k, v in table.items()}) for table in _FILE["tables"])
"""Tables by source, in the order of the papers."""

SAYPLANS: Mapping[str, tuple[tuple[str, str, int], ...]] = {k: _tuples(v) for k, v in _FILE["plans"].items()}
"""What SayPlan says of its plan for each task of a set: correct, executable, plans after the first."""

EXPLORED: Mapping[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    k: _tuples(v) for k, v in _FILE["rooms"].items()
}
"""Rooms explored in each search task of a set: by SayPlan (GPT-4), and by people."""
