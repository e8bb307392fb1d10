"""The lines of a trace as JSON: the keys of each kind, what is in them, and reading them.

Nothing of a file is trusted: each value is checked when it is read, and the message about a wrong one says
the line and the key. Whether a line follows from those before it is for :func:`.trace.replay` to say. To add
a key, name it in :data:`KEYS` and in the schema.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import BinaryIO

from ..acting.log import Entry, entry_from_json
from ..domains.errors import InputError, clip
from ..domains.files import bounded_lines, parse_json
from ..domains.storage.own_file import is_cut_off
from ..simulator.observations.observation import spot_from_json
from ..simulator.scene import is_id
from ..simulator.step import read_step

FORMAT, VERSION = "groundplan-trace", 1
BEGINS = b'{"kind":"start","format":"groundplan-trace","version":1,'
"""How a trace begins."""
LINE_BEGINS = b'{"kind":"'
"""How each of its lines begins."""
MAX_LINE = 2**26
"""Most bytes of one line."""
MOST = 2**53
"""The largest count: up to here numbers of JSON are exact everywhere."""

TraceLine = Mapping[str, object]
Check = Callable[[object, str], None]
"""Raises :class:`InputError` with a place for a value that is not as it should be."""


def _is(expected: str, fits: Callable[[object], bool]) -> Check:
    def check(value: object, where: str) -> None:
        if not fits(value):
            raise InputError(where, expected, clip(value))

    return check


def _list(each: Check) -> Check:
    def check(value: object, where: str) -> None:
        if not isinstance(value, list):
            raise InputError(where, "a list", clip(value))
        for number, one in enumerate(value):
            each(one, f"{where}[{number}]")

    return check


def _table(keys: Mapping[str, Check]) -> Check:
    def check(value: object, where: str) -> None:
        if not isinstance(value, dict):
            raise InputError(where, f"an object with {', '.join(keys)}", clip(value))
        if missing := [key for key in keys if key not in value]:
            raise InputError(where, f"an object with {', '.join(keys)}", f"none of {', '.join(missing)}")
        for key, each in keys.items():
            each(value[key], f"{where}: {key}")

    return check


def _or_null(other: Check) -> Check:
    def check(value: object, where: str) -> None:
        if value is not None:
            other(value, where)

    return check


def _spot(value: object, where: str) -> None:
    spot_from_json(value, where)


def _step(value: object, where: str) -> None:
    text(value, where)
    read_step(str(value), where)


def _read_as_entry(value: object, where: str) -> None:
    """Leave a value to :func:`entry_of`, which reads it."""


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= MOST


def _is_probability(value: object) -> bool:
    return _is_number(value) and isinstance(value, int | float) and value <= 1


text = _is("a text", lambda value: isinstance(value, str))
name = _is("the id of a node", is_id)
truth = _is("true or false", lambda value: isinstance(value, bool))
count = _is("a whole number of 0 or more", lambda value: _is_number(value) and isinstance(value, int))
whole = _is("a whole number", lambda value: isinstance(value, int) and not isinstance(value, bool))
metres = _is("metres, 0 or more", _is_number)
texts = _list(text)

WORLD = _table({"scene": text, "failure": _is("a probability", _is_probability), "seed": _or_null(whole)})
"""What the first line says of a simulated world, where there is one."""

_SUMS = {"metres": metres, "replans": count}
_INTENTION = {"look": _read_as_entry, "steps": _read_as_entry, "at": name}

KEYS: Mapping[str, Mapping[str, Check]] = {
    "start": {
        "format": text,
        "version": count,
        "goal": text,
        "scene": text,
        "hashes": _table({"pack": text, "scene": text}),
        "at": name,
        "unseen": texts,
        "looked": _list(_spot),
        "settings": _table(
            {"engine": text, "policy": text, "still": truth, "confirm": truth, "max_steps": count}
        ),
    },
    "plan": _INTENTION,
    "look": _INTENTION,
    "repair": _INTENTION,
    "act": {"step": _step, "at": name, "needs": texts, "brings": texts, "doubt": _or_null(text)},
    "observe": {
        "step": _read_as_entry,
        "outcome": _read_as_entry,
        "changes": _list(_table({"node": name, "believed": text, "seen": _or_null(text)})),
        "at": name,
        "missed": texts,
        **_SUMS,
    },
    "give-up": {"unreached": _read_as_entry, "reason": text},
    "again": {"again": _is("true", lambda value: value is True)},
    "end": {"outcome": text, "reasons": texts, "places": texts, "steps": count, "looks": count, **_SUMS},
}
"""The kinds of lines with their keys, and what is in each; every line has ``kind`` and ``chain`` too."""

_ENTRY = {
    "plan": ("look", "steps"),
    "look": ("look", "steps"),
    "repair": ("look", "steps"),
    "observe": ("step", "outcome"),
    "give-up": ("unreached", "reason"),
    "again": ("again",),
}
"""The keys of the entry of a log that is in a line."""


def entry_of(line: TraceLine, where: str) -> Entry | None:
    """Return the entry of the log that is in a line, if it has one. Raises :class:`InputError`."""
    keys = _ENTRY.get(str(line["kind"]))
    if keys is None:
        return None
    optional = {key: line[key] for key in ("any_news",) if key in line}
    return entry_from_json(optional | {key: line[key] for key in keys}, where)


def lines_of(file: BinaryIO, path: str) -> tuple[list[TraceLine], int, bool]:
    """Return the whole lines of a trace, the bytes that they take, and whether a part of a line follows.

    Raises :class:`InputError` with the number of the first line that is malformed, and for a trace that needs
    too much memory.
    """
    lines: list[TraceLine] = []
    end, where = 0, clip(path, 200)
    for number, raw in enumerate(bounded_lines(file, where, MAX_LINE), 1):
        whole = raw.endswith(b"\n")
        if not whole and is_cut_off(raw, LINE_BEGINS if lines else BEGINS):
            return lines, end, True
        try:
            line = parse_json(raw.decode("ascii"), path, line=number)
        except (InputError, UnicodeDecodeError) as error:
            got = clip(raw[:80].decode("ascii", "replace"))
            raise InputError(f"{where}:{number}", "a line of a trace", got) from error
        checked = _checked(line, f"{where}:{number}", number)
        if not whole:
            return lines, end, True
        lines.append(checked)
        end += len(raw)
    return lines, end, False


def _checked(line: object, where: str, number: int) -> TraceLine:
    """Return a line in which all is as it should be. Raises :class:`InputError`."""
    kind = line.get("kind") if isinstance(line, dict) else line
    if not isinstance(line, dict) or not isinstance(kind, str) or kind not in KEYS:
        raise InputError(where, f"a line of one of the kinds {', '.join(KEYS)}", clip(kind))
    keys = {**KEYS[kind], "chain": text}
    if missing := sorted(set(keys) - set(line)):
        raise InputError(where, f"the keys of {kind}", f"none of {', '.join(missing)}")
    if (kind == "start") != (number == 1):
        raise InputError(where, "start in the first line and nowhere else", kind)
    for key, check in keys.items():
        check(line[key], f"{where}: {key}")
    if kind == "end" and "assumes" in line:
        texts(line["assumes"], f"{where}: assumes")
    if number == 1 and "world" in line:
        WORLD(line["world"], f"{where}: world")
    if number == 1 and (line["format"], line["version"]) != (FORMAT, VERSION):
        raise InputError(where, f"{FORMAT} {VERSION}", clip(f"{line['format']} {line['version']}"))
    entry_of(line, where)
    return line
