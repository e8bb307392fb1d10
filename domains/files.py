"""Bounded reading of files that somebody names: bytes, UTF-8 text, JSON, TOML and XML.

Only regular files are read: opening a named pipe waits until somebody writes to it, and a device may never
end. The kind of a file is looked at before it is opened, and again once it is open, without waiting, since a
name can be given to something else in between. Sizes are bounded in bytes, and JSON also in the memory
that it needs, which is added up over the text before it is decoded: a byte of text can become twenty.
Formats may be added and limits changed; no file may be read without a bound.

JSON lines that somebody wrote are read one by one, so that one at fault loses no other. A byte that is no
UTF-8 is kept in their text as a lone surrogate (PEP 383), which no UTF-8 has, and its line is refused.

Every function takes the class of error to raise (:class:`InputError` or one of its subclasses), so that a
reader of packs, scenes or cassettes says with one word what kind of file is wrong; lines have the first.
"""

from __future__ import annotations

import json
import os
import re
import stat
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, NoReturn
from xml.parsers import expat

from .deadline import check_time
from .errors import InputError, clip

MAX_MEMORY = 380_000_000
"""Bytes that a JSON document, or all lines of a file, may need: the text, also as bytes, and its objects."""

PIECE = 1 << 20
"""Characters that are counted at once."""

MOST_BYTES_A_CHARACTER = 60
"""More than a character of JSON can need: ``[],`` needs 24 for each, ``"a":0,`` some 40."""

MAX_FAULTS = 10_000
"""Most lines at fault of JSON lines: a file with more is one of something else."""

MAX_KEY_PARTS = 64
"""Most names in one dotted key of TOML."""

MAX_DOTS = 100_000
"""Most dots of all keys and numbers of a TOML text."""

ENDLESS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
"""What may have no end when it is read, in words."""
_NO_UTF8 = re.compile("[\udc80-\udcff]")
_KEY = re.compile(r'"([^"\\]{0,64})"\s{0,16}:')
_MAX_KEYS = 300_000
"""Different keys that are remembered while they are counted; each one after them counts as another one."""

# Texts and comments of TOML, in which dots mean nothing; one that is cut off reaches to where it is given up.
_QUOTED = re.compile(
    r'''"""(?:[^\\]|\\.)*?(?:"""|\Z)|'{3}.*?(?:'{3}|\Z)|"(?:[^"\\\n]|\\.)*"?|'[^'\n]*'?|#[^\n]*''', re.DOTALL
)
_DEEP_KEY = re.compile(rf"(?<![\w-])(?:[\w-]++[ \t]*+\.[ \t]*+){{{MAX_KEY_PARTS}}}")


def read_regular(path: Path, most: int) -> bytes:
    """Return the bytes of a file, one more than ``most`` where it has more.

    Raises :class:`InputError` for pipes, sockets and devices, :class:`OSError` for what cannot be opened,
    folders among them.
    """
    with open_regular(path) as file:
        about = os.fstat(file.fileno())
        # As much memory as the file has bytes; some files have more than their size says.
        data = file.read(min(about.st_size, most) + 1)
        return data + file.read(most + 1 - len(data)) if about.st_size < len(data) <= most else data


def open_regular(path: Path) -> BinaryIO:
    """Open a file for reading. Raises what :func:`read_regular` raises."""
    _check(path, os.stat(path).st_mode)
    file = open(path, "rb", opener=_opened)  # noqa: SIM115
    try:
        _check(path, os.fstat(file.fileno()).st_mode)
    except InputError:
        file.close()
        raise
    return file


def read_bytes(
    path: Path, most: int, error: type[InputError] = InputError, expected: str = "a readable file"
) -> bytes:
    """Return the bytes of a regular file of at most ``most`` bytes; ``expected`` names it in a message."""
    where = clip(str(path), 200)
    try:
        data = read_regular(path, most)
    except OSError as problem:
        raise error(where, expected, problem.strerror or clip(str(problem))) from problem
    except InputError as problem:
        raise error(problem.where, problem.expected, problem.got) from problem
    except ValueError as problem:  # a name with a null character
        raise error(where, "the name of a file", clip(str(problem))) from problem
    if len(data) > most:
        raise error(where, f"a file of at most {most} bytes", "more")
    return data


def bounded_lines(file: BinaryIO, where: str, longest: int) -> Iterator[bytes]:
    """Yield the lines of a file of JSON lines with their ends, within the time limit in force.

    The last one may have no end. Raises :class:`InputError` for a line of more than ``longest`` bytes, and
    where all together need more than :data:`MAX_MEMORY`.
    """
    number, needed = 0, JsonMemory()
    while line := file.readline(longest + 1):
        number += 1
        check_time(f"reading {where}")
        if len(line) > longest and not line.endswith(b"\n"):
            raise InputError(f"{where}:{number}", f"a line of at most {longest} bytes", "more")
        needed.add(line.decode("latin-1"))
        if needed.total > MAX_MEMORY:
            expected = f"lines that need at most {MAX_MEMORY // 10**6} MB of memory together"
            raise InputError(where, expected, "more")
        yield line


def decode_text(data: bytes, where: str, error: type[InputError] = InputError) -> str:
    """Return UTF-8 bytes as text, without the byte-order mark that some editors put before it."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise error(where, "UTF-8 text", f"byte {problem.start}: {problem.reason}") from problem


def read_text(
    path: Path, most: int, error: type[InputError] = InputError, expected: str = "a readable file"
) -> str:
    """Return the text of a regular UTF-8 file of at most ``most`` bytes."""
    return decode_text(read_bytes(path, most, error, expected), clip(str(path), 200), error)


def read_json(path: Path, most: int, error: type[InputError] = InputError) -> object:
    """Return the parsed JSON of a regular file of at most ``most`` bytes."""
    return parse_json(read_text(path, most, error), str(path), error)


def parse_json(
    text: str,
    where: str,
    error: type[InputError] = InputError,
    line: int | None = None,
    memory: int = MAX_MEMORY,
    unique: bool = False,
) -> object:
    """Return parsed JSON; an error says line and column. ``line`` is that of a text of one line in its file.

    Raises ``error`` for text that is not JSON, holds NaN or Infinity, is nested too deeply for Python's
    parser, or needs more than ``memory`` bytes; with ``unique`` also for an object with one key twice, of
    which the parser would keep the last value.
    """
    at = where if line is None else f"{where}:{line}"
    if len(text) * MOST_BYTES_A_CHARACTER > memory:  # no document that is shorter can need as much
        needed = JsonMemory(sys.getsizeof(text) - len(text))
        for start in range(0, len(text), PIECE):
            needed.add(text[start : start + PIECE])
        if needed.total > memory:
            raise error(at, f"JSON that needs at most {memory // 10**6} MB of memory", "more")
    try:
        value: object = json.loads(
            text, parse_constant=_no_constant, object_pairs_hook=unique_keys if unique else None
        )
    except RepeatedKey as problem:
        raise error(at, "keys that an object has once", str(problem), "leave one of the two out") from problem
    except json.JSONDecodeError as problem:
        cut = problem.pos >= len(text.rstrip()) - 1 or problem.msg.startswith("Unterminated string")
        got = f"{problem.msg} (the file may be truncated)" if cut else problem.msg
        hint = "get the whole file again" if cut else "look for a comma, quote or bracket there"
        place = f"{where}:{line or problem.lineno}:{problem.colno}"
        raise error(place, "JSON", got, hint) from problem
    except (RecursionError, ValueError) as problem:
        raise error(at, "JSON of ordinary depth and numbers", clip(str(problem))) from problem
    return value


def decode_lines(data: bytes) -> str:
    """Return bytes as text; each that is no UTF-8 is a lone surrogate.

    >>> decode_lines(b"a\\nb\\xff") == "a\\nb\\udcff"
    True
    """
    return data.decode("utf-8-sig", "surrogateescape")


def undecoded(text: str) -> tuple[int, str] | None:
    """Return the place of the first byte of a text that is no UTF-8, and the byte; ``None`` without one."""
    other = _NO_UTF8.search(text)
    return None if other is None else (other.start(), f"the byte 0x{ord(other[0]) - 0xDC00:x}")


def read_lines(path: Path, most: int) -> str:
    """Return the text of a regular file of at most ``most`` bytes, as :func:`decode_lines` does."""
    return decode_lines(read_bytes(path, most))


def json_lines(
    text: str, where: str, needed: str = ""
) -> Iterator[tuple[int, dict[str, object] | InputError]]:
    """Yield the number of each line that is not blank with its object, or with what is wrong with it.

    ``needed`` says what to write. Raises :class:`InputError` for a text with too many lines at fault.
    """
    faults = 0
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = _line_object(line, where, number, needed)
        except InputError as error:
            faults += 1
            if faults > MAX_FAULTS:
                got = f"more than {MAX_FAULTS} that are none"
                raise InputError(where, "JSON lines", got, needed) from error
            yield number, error
        else:
            yield number, row


def _line_object(line: str, where: str, number: int, needed: str) -> dict[str, object]:
    """Return the object of a line. Raises :class:`InputError`."""
    at = f"{where}:{number}"
    if (other := undecoded(line)) is not None:
        raise InputError(f"{at}:{other[0] + 1}", "UTF-8 text", other[1], "save the file as UTF-8")
    row = parse_json(line, where, line=number, unique=True)
    if not isinstance(row, dict):
        raise InputError(at, "an object of JSON", clip(line), needed)
    return row


class RepeatedKey(ValueError):
    """A key that an object of JSON has twice (RFC 8259, section 4: what a reader makes of it is open)."""


def unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return an object of JSON from its keys and values. Raises :class:`RepeatedKey`."""
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                name = found.get("id")
                of = f" in the object with the id {clip(name)}" if isinstance(name, str | int) else ""
                raise RepeatedKey(f"{clip(key)} twice{of}")
            seen.add(key)
    return found


def parse_toml(text: str, where: str, error: type[InputError] = InputError) -> dict[str, object]:
    """Return the tables of a TOML text. Raises ``error``, which says what the parser says."""
    check_keys(text, where, error)
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as problem:  # brackets nested too deep, numbers of too many digits
        raise error(where, "valid TOML", clip(str(problem))) from problem


def check_keys(text: str, where: str, error: type[InputError] = InputError) -> None:
    """Refuse a TOML text with a dotted key of very many parts: the parser keeps every prefix of a key.

    A key of 40 kB would take gigabytes. Raises ``error``.
    """
    if text.count(".") < MAX_KEY_PARTS:
        return
    bare = _QUOTED.sub("_", text)
    if bare.count(".") > MAX_DOTS:
        raise error(where, f"at most {MAX_DOTS} dots outside of texts", "more")
    if _DEEP_KEY.search(bare):
        raise error(where, f"keys of at most {MAX_KEY_PARTS} parts", "a.b.c and so on, with more")


class JsonMemory:
    """The bytes that a JSON document needs, from above: counted in pieces of its text, before it is decoded.

    ``total`` is its text as bytes, as characters and in the texts and numbers that it holds, and the objects
    that CPython makes of it: for each container, text, number and key what it takes at the worst with its
    place in what is around it. Keys that are spelt alike are one object while a document is decoded, so
    different ones are told apart.
    """

    def __init__(self, text: int = 0) -> None:
        self.total = text
        self._keys: set[str] = set()

    def add(self, piece: str) -> None:
        """Count the next piece of the text, or of its bytes read as Latin-1."""
        count = piece.count
        lists, objects, empty_lists, empty_objects = count("["), count("{"), count("[]"), count("{}")
        texts = count('"') // 2
        keys = min(count(":"), texts)
        texts -= keys
        numbers = max(0, count(",") + 1 - empty_lists - empty_objects - texts)
        wide = 3 if "\\ud" in piece or "\\uD" in piece else 1 if "\\u" in piece else 0
        self.total += (3 + wide) * len(piece) + 104 * lists - 32 * empty_lists + 160 * objects
        self.total += 40 * keys + 64 * texts + 40 * numbers - 88 * empty_objects
        if len(self._keys) < _MAX_KEYS:
            known = len(self._keys)
            self._keys.update(_KEY.findall(piece))
            keys = len(self._keys) - known
        self.total += 130 * keys


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _opened(name: str, flags: int) -> int:
    return os.open(name, flags | getattr(os, "O_NONBLOCK", 0))


def _check(path: Path, mode: int) -> None:
    kind = stat.S_IFMT(mode)
    if kind in ENDLESS:
        raise InputError(clip(str(path), 200), "a regular file", ENDLESS[kind])


# XML

MAX_XML = 32 * 1024 * 1024
MAX_XML_DEPTH = 400
MAX_XML_ELEMENTS = 1_000_000
MOST_TEXT = 100_000
"""Characters of the text of one element that are kept."""


@dataclass(slots=True)
class Element:
    """An element: its name, attributes and children, the line where it begins, and text that is no space."""

    tag: str
    attributes: Mapping[str, str]
    line: int
    children: list[Element] = field(default_factory=list)
    text: str = ""

    def walk(self) -> Iterator[Element]:
        """Yield the element and all below it, in the order of the text."""
        waiting = [self]
        while waiting:
            element = waiting.pop()
            yield element
            waiting += reversed(element.children)


class XmlFault(InputError):
    """A text that is no XML, or none that is read; ``line`` is where."""

    def __init__(self, where: str, line: int, expected: str, got: str, hint: str = "") -> None:
        super().__init__(f"{where}:{line}", expected, got, hint)
        self.line = line


def read_xml(text: str, where: str) -> Element:
    """Return the root element of an XML text. Raises :class:`XmlFault` with the line."""
    if len(text) > MAX_XML:
        raise XmlFault(where, 1, f"at most {MAX_XML} characters of XML", str(len(text)))
    builder = _Builder(where)
    parser = builder.parser
    try:
        parser.Parse(text.encode("utf-8", "surrogatepass"), True)
    except expat.ExpatError as error:
        got = expat.ErrorString(error.code)
        hint = "write & as &amp; and < as &lt;" if error.code == _INVALID_TOKEN else ""
        raise XmlFault(where, error.lineno, "well-formed XML", got, hint) from error
    assert builder.root is not None, "a well-formed document has a root"
    return builder.root


_INVALID_TOKEN = expat.errors.codes[expat.errors.XML_ERROR_INVALID_TOKEN]


class _Builder:
    """Elements of an XML text, made as its parser goes through it; no document type, so no entity grows."""

    def __init__(self, where: str) -> None:
        self.where, self.root, self.count = where, None, 0
        self.open: list[Element] = []
        # The text is UTF-8, whatever its first line says.
        self.parser = expat.ParserCreate("utf-8")
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self.doctype
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters

    root: Element | None

    def doctype(self, name: str, *_: object) -> None:
        got = f"<!DOCTYPE {clip(name)}"
        raise XmlFault(self.where, self.parser.CurrentLineNumber, "XML without a document type", got)

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        line = self.parser.CurrentLineNumber
        self.count += 1
        if self.count % 1000 == 0:
            check_time("reading XML")
        if len(self.open) >= MAX_XML_DEPTH:
            raise XmlFault(self.where, line, f"elements at most {MAX_XML_DEPTH} deep", "more")
        if self.count > MAX_XML_ELEMENTS:
            raise XmlFault(self.where, line, f"at most {MAX_XML_ELEMENTS} elements", "more")
        element = Element(tag, attributes, line)
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def end(self, _: str) -> None:
        element = self.open.pop()
        element.text = element.text.strip()

    def characters(self, text: str) -> None:
        element = self.open[-1]
        if len(element.text) < MOST_TEXT:
            element.text += text[:MOST_TEXT]


# Values of JSON that may be anybody's: what is of another type than it should be counts as none


def items(value: object) -> list[Any]:
    """Return the items of a list."""
    return list(value) if isinstance(value, list | tuple) else []


def texts(value: object) -> list[str]:
    """Return the texts in a list.

    >>> texts(["a", 1, "b"]), texts("a")
    (['a', 'b'], [])
    """
    return [one for one in items(value) if isinstance(one, str)]


def objects(value: object) -> list[Mapping[str, Any]]:
    """Return the objects in a list."""
    return [one for one in items(value) if isinstance(one, dict)]


def mapping(value: object) -> Mapping[str, Any]:
    """Return an object, an empty one for any other value."""
    return value if isinstance(value, dict) else {}


def number(value: object) -> float | int | None:
    """Return a number; ``None`` for any other value, such as true and false."""
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
