"""The lines of a trace as JSON, and reading them.

Nothing of a file is trusted: each value is held against ``trace.schema.json``, and the message about a wrong
one says the line and the key. Whether a line follows from those before it is for :func:`.trace.replay` to
say. To add a key, name it in the schema.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, BinaryIO

from ..acting.log import Entry, entry_from_json
from ..domains.errors import InputError, clip
from ..domains.files import bounded_lines, parse_json
from ..domains.storage.own_file import is_cut_off
from ..simulator.observations.observation import spot_from_json
from ..simulator.scene import is_id
from ..simulator.step import read_step
from .conformity import nonconformity

FORMAT, VERSION = "groundplan-trace", 1
BEGINS = b'{"kind":"start","format":"groundplan-trace","version":1,'
"""How a trace begins."""
LINE_BEGINS = b'{"kind":"'
"""How each of its lines begins."""
MAX_LINE = 2**26
"""Most bytes of one line."""

TraceLine = Mapping[str, object]

KINDS: Mapping[str, str] = {
    "start": "start",
    **dict.fromkeys(("plan", "look", "repair"), "intention"),
    **{kind: kind for kind in ("act", "observe", "give-up", "again", "end")},
}
"""The kinds of lines, each with the part of the schema that says what is in it."""


@cache
def trace_schema() -> dict[str, Any]:
    """Return the JSON schema (draft 2020-12) of a line of a trace."""
    text = files(__package__).joinpath("trace.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


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
    if not isinstance(line, dict) or not isinstance(kind, str) or kind not in KINDS:
        raise InputError(where, f"a line of one of the kinds {', '.join(KINDS)}", clip(kind))
    schema = trace_schema()
    part = schema["$defs"][KINDS[kind]]
    if missing := sorted(set(part["required"]) - set(line)):
        raise InputError(where, f"the keys of {kind}", f"none of {', '.join(missing)}")
    if (kind == "start") != (number == 1):
        raise InputError(where, "start in the first line and nowhere else", kind)
    if (fault := nonconformity(line, part, schema)) is not None:
        raise InputError(f"{where}: {fault.at}", fault.expected, fault.got)
    places = {"at": line.get("at", "x")}
    places |= {f"changes[{i}]: node": change["node"] for i, change in enumerate(line.get("changes", ()))}
    for place, name in places.items():
        if not is_id(name):
            raise InputError(f"{where}: {place}", "the id of a node", clip(name))
    for index, spot in enumerate(line.get("looked", ())):
        spot_from_json(spot, f"{where}: looked[{index}]")
    if kind == "act":
        read_step(line["step"], f"{where}: step")
    entry_of(line, where)
    return line
