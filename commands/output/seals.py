"""Seals of a folder of results: hashes by which its readers know that all files are of one run.

``record.json`` lists the SHA-256 of the files of its run. ``timings.json`` differs
between two runs of the same input and so names the record instead, which must not depend on a clock.
``symbols.json`` lists the PDDL files that it was written with, also where there is no record. A file that
differs was edited or put there. The keys stay; words may change.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from ...domains.errors import InputError
from ...domains.files import parse_json, read_bytes
from ...robot.exports.formats import EXPORT_FORMATS
from ..console.escape import json_text

EXPORTED = frozenset(
    name for entry in EXPORT_FORMATS.values() for file in entry.files for name in (file, entry.in_run(file))
)
"""The names of files that `export` writes to a folder, and `plan --export` to one of results."""
OF_RUNS = frozenset(
    "certificate.json conversation.json domain.pddl executed.txt goal.txt plan.svg plan.txt problem.pddl"
    " program.json record.json symbols.json timings.json".split()
)
"""The names of files that belong to a run wherever they lie beside its record."""
RESULTS = OF_RUNS | EXPORTED
"""The names of all files that this package writes to a folder of results; others are not removed there."""

RECORD, TIMINGS, SYMBOLS = "record.json", "timings.json", "symbols.json"
KEY = "files"
"""The key under which a record, or a table of symbols, has the hashes of other files."""

REASON = "edited or put there since"
_MISSING, _OTHER, _UNLISTED = "is missing", "is another file", "is not listed"

MAX_BYTES = 256 * 1024 * 1024
"""Most bytes of a file that is compared with its hash."""


def as_bytes(text: str) -> bytes:
    """Return the bytes of a text file.

    Half a surrogate pair, which JSON can hold and UTF-8 cannot, is written as JSON's escape.
    """
    return text.encode("utf-8", "backslashreplace")


def sealed(
    files: Mapping[str, str], record: Mapping[str, object], timings: Mapping[str, object]
) -> dict[str, str]:
    """Return all files of a run, by name: with its times, and the record that lists the others."""
    listed = {name: digest(as_bytes(files[name])) for name in sorted(files)}
    text = json_text({**record, KEY: listed}) + "\n"
    times = json_text({**timings, "record": digest(as_bytes(text))}) + "\n"
    return {**files, TIMINGS: times, RECORD: text}


def own_files(folder: Path) -> frozenset[str]:
    """Return the names of results that a folder's own record or table of symbols lists, with its own."""
    own: set[str] = set()
    for name, along in ((RECORD, (TIMINGS,)), (SYMBOLS, ())):
        listed = _read_object(folder / name).get(KEY)
        if isinstance(listed, dict):
            own |= {name, *along, *listed}
    return RESULTS.intersection(own)


def differences(record: Path, listed: object, given: Path | None = None) -> dict[str, str] | None:
    """Return the files beside a record that are not those of its run, with the word for each.

    ``listed`` is its own list; ``given`` is a file that runs read and none writes, as the domain of a pack.
    ``None`` where no file of results is there: the record was taken away alone.
    """
    if not isinstance(listed, dict):
        return {KEY: "is no list of files"}
    # What is exported from a run later may lie beside its record: only what the run itself wrote is sealed.
    names = OF_RUNS.union(EXPORTED.intersection(listed)) - {RECORD, TIMINGS}
    files = (record.parent / name for name in sorted(names))
    beside = [file.name for file in files if file.exists() and file.resolve() != given]
    if listed and not beside and RESULTS.issuperset(listed):
        return None
    words = _unlike(record.parent, listed) | {n: _UNLISTED for n in beside if n not in listed}
    if _names_another(record.parent / TIMINGS, record):
        words[TIMINGS] = _OTHER
    return words


def _unlike(folder: Path, listed: Mapping[str, object]) -> dict[str, str]:
    """Return the files of a list that are missing in a folder, or others there, with the word for each."""
    words: dict[str, str] = {}
    for name, stored in sorted(listed.items()):
        if name not in RESULTS:
            words[name] = "is no file of a folder of results"
        elif not (folder / name).exists():
            words[name] = _MISSING
        elif _digest_of(folder / name) != stored:
            words[name] = _OTHER
    return words


def _names_another(times: Path, record: Path) -> bool:
    """Return whether times name a record, as they once did not, and it is not this one."""
    stored = _read_object(times).get("record")
    return stored is not None and stored != _digest_of(record)


def digest(data: bytes) -> str:
    """Return the SHA-256 of some bytes, as records list it."""
    return hashlib.sha256(data).hexdigest()


def _digest_of(path: Path) -> str:
    """Return the hash of a file; empty for one that cannot be read."""
    try:
        return digest(read_bytes(path, MAX_BYTES))
    except InputError:
        return ""


def _read_object(path: Path) -> Mapping[str, object]:
    """Return the JSON object of a file, an empty one where there is none."""
    try:
        value = parse_json(read_bytes(path, MAX_BYTES).decode("utf-8", "replace"), str(path))
    except InputError:
        return {}
    return value if isinstance(value, dict) else {}
