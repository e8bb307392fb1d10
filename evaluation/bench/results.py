"""The results of a comparison as its folder holds them: the manifest, and a row for each run that has ended.

Rows are read back with their types checked, since a folder may come from anybody. Keys may be added to a row,
and none renamed. Everything that a clock measured is in ``timings`` and nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from ...domains.errors import InputError, clip
from ...domains.files import items, mapping, number, parse_json, read_text
from ..journal import RowJson, read_rows, refuse_numbers

FORMAT = "groundplan-bench-1"
NO_READER = "none"
"""The reader of methods that ask none."""
NO_ENGINE = "none"
"""The engine of methods that are given none."""
Kind = Literal["plan", "search", "open", "decline"]
KINDS: tuple[Kind, ...] = get_args(Kind)

ROWS = "rows.jsonl"
ROW_BEGINS = b'{"engine":"'
"""How every row begins: by the first of its keys."""
MANIFEST = "manifest.json"
MAX_MANIFEST = 2**26
"""Most bytes of a manifest, which has some 250 for each task."""


class System(NamedTuple):
    """A contestant: a method, with its reader and its engine, each ``none`` where it is given none."""

    method: str
    reader: str
    engine: str


@dataclass(frozen=True)
class RunRow:
    """A run that has ended. ``measures`` are those of its judgement, ``tokens`` the account of its model.

    ``kind`` says whether its task is to be planned for, to be found, has no gold (``open``), or no solution
    (``decline``). ``record`` is
    the record of the run, without its certificate. ``timings`` are seconds; ``run`` of them is the clock's
    time for all of it. ``reproducible`` is false where a clock or a signal decided.
    """

    key: str
    method: str
    engine: str
    task: str
    set: str
    kind: Kind
    repeat: int
    outcome: str
    reasons: tuple[str, ...] = ()
    measures: Mapping[str, object] = field(default_factory=dict)
    invented: tuple[str, ...] = ()
    tokens: Mapping[str, object] = field(default_factory=dict)
    record: Mapping[str, Any] = field(default_factory=dict)
    reproducible: bool = True
    timings: Mapping[str, float] = field(default_factory=dict)
    reader: str = ""
    replies: Mapping[str, object] | None = None
    """Those of the model, in the file alone: they are not read with the rows."""

    def as_json(self) -> RowJson:
        values = ((one.name, getattr(self, one.name)) for one in fields(self))
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values}

    def holds(self, measure: str) -> bool:
        """Return whether a measure of yes and no is true; one that there is not counts as false."""
        return self.measures.get(measure) is True

    def decided(self, measure: str) -> bool:
        """Return whether a measure was decided in the time of its judgement."""
        return measure not in items(self.measures.get("unchecked"))

    def number(self, measure: str) -> float | None:
        """Return a measure that is a number."""
        return number(self.measures.get(measure))

    @property
    def total_tokens(self) -> int:
        """The tokens of the run's model with those of its schemas, 0 without one."""
        kinds = ("prompt", "completion", "schema_tokens")
        return sum(int(number(self.tokens.get(key)) or 0) for key in kinds)

    @property
    def succeeded(self) -> bool:
        return self.holds("success")

    @property
    def failed(self) -> bool:
        """True if it was not right; without a gold, if it came to no plan that can be carried out."""
        return not self.holds("executable") if self.kind == "open" else not self.succeeded

    @property
    def system(self) -> System:
        return System(self.method, self.reader, self.engine)

    @classmethod
    def from_json(cls, raw: Mapping[str, Any], where: str) -> RunRow:
        """Read a row. Raises :class:`InputError` naming the key that is not as it should be."""
        kind = raw.get("kind")
        if kind not in KINDS:
            raise InputError(f"{where}: kind", f"one of {', '.join(KINDS)}", clip(kind))

        raw = {"reader": ""} | dict(raw)
        values = {key: _typed(raw, key, type_, where) for type_, keys in TYPES.items() for key in keys}
        values |= {key: tuple(map(str, values[key])) for key in TYPES[list]}
        values["timings"] = {key: number(value) or 0.0 for key, value in values["timings"].items()}
        return cls(**values, kind=kind)


TYPES: Mapping[type, tuple[str, ...]] = {
    str: ("key", "method", "reader", "engine", "task", "set", "outcome"),
    int: ("repeat",),
    bool: ("reproducible",),
    list: ("reasons", "invented"),
    dict: ("measures", "tokens", "record", "timings"),
}
"""The keys of a row by the types of their values, beside its kind."""


@dataclass(frozen=True)
class Results:
    """The manifest of a comparison and its rows, in the order of the comparison's runs."""

    manifest: Mapping[str, Any]
    rows: tuple[RunRow, ...]

    @property
    def methods(self) -> tuple[str, ...]:
        return tuple(self.manifest["methods"])

    @property
    def engines(self) -> tuple[str, ...]:
        return tuple(self.manifest["engines"])

    @property
    def readers(self) -> Mapping[str, Mapping[str, object]]:
        """The readers by name, with their settings."""
        return readers_of(self.manifest)

    @property
    def systems(self) -> tuple[System, ...]:
        """The systems that are compared, in the order of the comparison."""
        return systems_of(self.manifest)

    @property
    def planned(self) -> int:
        """The number of runs that the comparison is to have."""
        return int(self.manifest["runs"])

    def of(self, system: System) -> tuple[RunRow, ...]:
        """Return the rows of a system."""
        return tuple(row for row in self.rows if row.system == system)


def rules_in(manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the rules that all runs of a manifest keep, as formulas; none where it has none."""
    return tuple(map(str, items(mapping(manifest.get("rules")).get("formulas"))))


def readers_of(manifest: Mapping[str, Any]) -> Mapping[str, Mapping[str, object]]:
    """Return the readers of a manifest by name, with their settings; older ones have a single reader."""
    readers: Mapping[str, Mapping[str, object]] = manifest.get("readers") or {
        str(manifest.get("reader", "")): manifest.get("settings", {})
    }
    return readers


def systems_of(manifest: Mapping[str, Any]) -> tuple[System, ...]:
    """Return the systems of a manifest; in older ones every method ran with the one reader."""
    if "systems" in manifest:
        return tuple(System(*names) for names in manifest["systems"])
    reader = next(iter(readers_of(manifest)))
    return tuple(System(m, reader, e) for m in manifest["methods"] for e in manifest["engines"])


def run_key(row: Mapping[str, Any], where: str) -> str:
    """Return the key of a run's row, as :class:`Cell` makes it. Raises :class:`InputError` for any other."""
    return RunRow.from_json(row, where).key


def load_results(folder: Path) -> Results:
    """Read a folder of results, finished or not. A last row that was cut off is left out.

    Raises :class:`InputError` for a folder that holds no comparison.
    """
    manifest = read_manifest(folder)
    if manifest is None:
        raise InputError(str(folder), "a folder that `groundplan bench` wrote", f"none with a {MANIFEST}")
    path, reader = folder / ROWS, next(iter(readers_of(manifest)))
    rows = [
        RunRow.from_json({"reader": reader} | raw, f"{path}: {clip(raw['key'])}")
        for raw in read_rows(path, run_key, ROW_BEGINS)
    ]
    return Results(manifest, in_order(manifest, rows))


def read_manifest(folder: Path) -> Mapping[str, Any] | None:
    """Return the manifest of a folder; ``None`` where there is none. Raises :class:`InputError`."""
    path = folder / MANIFEST
    if not path.exists():
        return None
    text = read_text(path, MAX_MANIFEST)
    raw = parse_json(text, str(path))
    if not isinstance(raw, dict) or raw.get("format") != FORMAT:
        raise InputError(str(path), f'a manifest of format "{FORMAT}"', clip(raw))
    for key, kind in (("methods", dict), ("engines", dict), ("tasks", dict), ("runs", int), ("family", list)):
        _typed(raw, key, kind, str(path))
    refuse_numbers(text.encode(errors="replace"), raw, str(path))
    for key, length, what in (("family", 2, "pairs of names of methods"), ("systems", 3, "triples of names")):
        for names in raw.get(key, []) if isinstance(raw.get(key, []), list) else [raw[key]]:
            if not isinstance(names, list) or [type(n) for n in names] != [str] * length:
                raise InputError(f"{path}: {key}", what, clip(names))
    readers = raw.get("readers", {})
    if not isinstance(readers, dict) or not all(isinstance(one, dict) for one in readers.values()):
        raise InputError(f"{path}: readers", "settings by reader", clip(readers))
    return raw


def in_order(manifest: Mapping[str, Any], rows: Sequence[RunRow]) -> tuple[RunRow, ...]:
    """Return rows in the order of the manifest: by task, repeat and system."""
    tasks = {name: i for i, name in enumerate(manifest["tasks"])}
    systems = {system: i for i, system in enumerate(systems_of(manifest))}

    def place(row: RunRow) -> tuple[int, int, int, str]:
        return (tasks.get(row.task, len(tasks)), row.repeat, systems.get(row.system, len(systems)), row.key)

    return tuple(sorted(rows, key=place))


def _typed(raw: Mapping[str, Any], key: str, kind: type, where: str) -> Any:
    value = raw.get(key)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise InputError(f"{where}: {key}", f"a value of type {kind.__name__}", clip(value))
    return value
