"""Figures that papers published, as they printed them; ``published.toml`` says what looks wrong in them.

They stand beside measured figures for comparison and are never mixed with them. The file also says which
methods, sets and measures a printed line is to be held against here, or what it needs that is not here.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True)
class OwnLines:
    """Own lines of a printed table: ``labels`` of its columns name a line.

    ``lines`` have for each printed line a method and a set, a count (``counts``) and what is counted, or what
    it needs that is not here.
    ``cells`` have for each further column a set (empty for that of the line) and a measure. Where the printed
    columns are models, ``by_reader`` is the one measure, and own columns are readers.
    """

    labels: int
    lines: tuple[tuple[str, str] | str, ...]
    cells: tuple[tuple[str, str], ...] = ()
    by_reader: str = ""


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """A printed table, for the task sets that it is about; ``flags`` say what cannot be right in it.

    ``pack`` names the domain in which own runs are to be made: the simulator of SayPlan refuses what is put
    into a thing that is closed. Without one it is the household.
    """

    source: str
    title: str
    sets: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    here: OwnLines
    flags: tuple[str, ...] = ()
    pack: str = ""


def _tuples(value: Any) -> Any:
    """Return a value of TOML with tuples in the place of lists."""
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


_FILE = tomllib.loads(files(__package__).joinpath("published.toml").read_text(encoding="utf-8"))


def _table(raw: Mapping[str, Any]) -> PublishedTable:
    """Return a table of the file."""
    here = OwnLines(**{key: _tuples(value) for key, value in raw["here"].items()})
    return PublishedTable(**{k: _tuples(v) for k, v in raw.items() if k != "here"}, here=here)


PUBLISHED = tuple(map(_table, _FILE["tables"]))
"""Tables by source, in the order of the papers."""

SAYPLANS: Mapping[str, tuple[tuple[str, str, int], ...]] = {k: _tuples(v) for k, v in _FILE["plans"].items()}
"""What SayPlan says of its plan for each task of a set: correct, executable, plans after the first."""

PATHS: Mapping[str, tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]] = {
    k: _tuples(v) for k, v in _FILE["paths"].items()
}
"""Rooms in the order in which each search task of a set explored them: by SayPlan (GPT-4), by people."""


def other_sets(names: Iterable[str]) -> Mapping[str, str]:
    """Return those of some task sets that are made as a paper says and are not its set, and why."""
    words: Mapping[str, str] = _FILE["other_sets"]
    return {name: words[name] for name in dict.fromkeys(names) if name in words}


@dataclass(frozen=True, slots=True)
class PrintedTokens:
    """The tokens that SayPlan counted in a scene, by kind, its table of them, and the saving it printed."""

    table: str
    tokens: Mapping[str, int]
    saved: float


def printed_tokens(scene: str) -> PrintedTokens | None:
    """Return what SayPlan's tables 2, 4 and 5 say of a scene; ``None`` of one that they have not."""
    of_scene = {one.here.lines[0]: one for one in PUBLISHED}
    kinds = of_scene.get(("entities", f"{scene} room"))
    if kinds is None:
        return None
    saved = {row[0]: float(row[3]) for row in of_scene["tokens", "office"].rows}
    tokens = {kind: int(count) for kind, _, count, _ in kinds.rows}
    return PrintedTokens(kinds.title.partition(":")[0].lower(), tokens, saved[scene])


def printed_sizes(name: str) -> Mapping[str, str]:
    """Return what LookPlanGraph's table 1 says of a task set; empty of one that it has not."""
    for table in PUBLISHED:
        for row, line in zip(table.rows, table.here.lines, strict=True):
            if line == ("sizes", name):
                return dict(zip(("tasks", "rooms", "nodes", "changed"), row[1:], strict=True))
    return {}
