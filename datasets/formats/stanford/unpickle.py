"""Pickled data without unpickling: dictionaries, lists, text, numbers, numpy arrays, and networkx graphs.

A pickle is a program for a stack machine, and the standard library's machine can be made to call any
function. This one (over the opcodes that ``pickletools`` decodes) builds plain values and knows the names
that numpy writes for an array, its type and its numbers, and what Python 3 writes for bytes in old pickles.
Calling them is arithmetic on bytes that are already read. Any other name, and any opcode that would need one,
is an error with its position. Nothing is imported, numpy neither, and no change may import or call what a
file names; bounds may be changed.

Bounded are opcodes, bits of a number, bytes of an array that is kept. Memo entries are a dictionary, so a
huge index costs nothing; tuples are lists, and only text, numbers and short tuples of these can be keys, so
no deep value is ever hashed. ``tree`` turns the result into a tree.
"""

from __future__ import annotations

import pickletools
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import IO, cast

from ....domains.errors import SceneError, clip

MAX_OPCODES = 4_000_000
MAX_BITS = 64
KEPT = 1 << 16
"""Bytes of one array or text that are kept. Segmentations are larger and not read."""
PIECE = 1 << 20
"""Bytes that are asked for at a time."""

_MODULES = ("numpy.core.multiarray", "numpy._core.multiarray")
_NAMES = {
    **{f"{m} _reconstruct": "array" for m in _MODULES},
    **{f"{m} scalar": "scalar" for m in _MODULES},
    "numpy ndarray": "ndarray",
    "numpy dtype": "dtype",
    "_codecs encode": "encode",
    "networkx.classes.graph Graph": "graph",
    "networkx.classes.digraph DiGraph": "graph",
    **{
        f"networkx.classes.{module} {view}View": "view"
        for module, views in {
            "reportviews": (
                "Node",
                "Edge",
                "OutEdge",
                "InEdge",
                "Degree",
                "DiDegree",
                "InDegree",
                "OutDegree",
            ),
            "coreviews": ("Adjacency", "Atlas"),
        }.items()
        for view in views
    },
    **{f"{module} dict": "view" for module in ("builtins", "__builtin__")},
}
KEY_LENGTH = 3
"""Most entries of a tuple that is a key."""
_CODES = {
    "b1": "?", "i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I", "i8": "q", "u8": "Q",
    "f2": "e", "f4": "f", "f8": "d",
}  # fmt: skip

_PUSHED = frozenset(
    """NONE NEWTRUE NEWFALSE INT LONG BININT BININT1 BININT2 LONG1 LONG4 FLOAT BINFLOAT STRING
    BINSTRING SHORT_BINSTRING BINBYTES SHORT_BINBYTES BINBYTES8 UNICODE BINUNICODE SHORT_BINUNICODE
    BINUNICODE8""".split()
)
_CONSTANTS = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False}
_IGNORED = frozenset(("PROTO", "FRAME"))


class _Mark:
    """The mark that MARK pushes."""


class _Large:
    """A placeholder for bytes or text too long to keep."""


@dataclass(frozen=True, slots=True)
class _Name:
    """An allowed global by its name; never the function itself."""

    name: str


@dataclass(slots=True)
class _Type:
    """A numpy type: its code and its byte order."""

    code: str
    order: str = "<"


@dataclass(slots=True)
class Array:
    """A numpy array: its shape and its numbers, text or objects, in rows; ``None`` where it was not kept."""

    shape: tuple[int, ...] = ()
    values: list[object] | None = field(default=None)


@dataclass(slots=True)
class Graph:
    """A networkx graph: attributes by node, and by node those of its edges by the node at the other end."""

    nodes: dict[object, object] = field(default_factory=dict)
    edges: dict[object, object] = field(default_factory=dict)


class _View:
    """A view of a networkx graph, which has nothing that the graph has not."""


class _Machine:
    """The stack machine; ``fail`` raises at the current opcode."""

    def __init__(self, where: str, text: int) -> None:
        self.where, self.position, self.text = where, 0, text
        self.stack: list[object] = []
        self.memo: dict[int, object] = {}

    def fail(self, expected: str, got: str) -> SceneError:
        return SceneError(f"{self.where}: byte {self.position}", expected, got)

    def pop(self) -> object:
        self.top()
        return self.stack.pop()

    def top(self) -> object:
        if not self.stack:
            raise self.fail("a pickle whose operations have operands", "an empty stack")
        return self.stack[-1]

    def marked(self) -> list[object]:
        """Take the values above the last mark off the stack, and the mark with them."""
        for index in range(len(self.stack) - 1, -1, -1):
            if isinstance(self.stack[index], _Mark):
                values = self.stack[index + 1 :]
                del self.stack[index:]
                return values
        raise self.fail("a pickle whose marks match", "no mark")

    def step(self, name: str, argument: object) -> None:
        """Run one opcode other than STOP."""
        if name in _PUSHED:
            self.stack.append(_CONSTANTS[name] if name in _CONSTANTS else self.bounded(argument))
        elif name in _OPERATIONS:
            _OPERATIONS[name](self, argument)
        elif name not in _IGNORED:
            raise self.fail("plain data", f"the operation {name}")

    def bounded(self, value: object) -> object:
        if isinstance(value, int) and value.bit_length() > MAX_BITS:
            raise self.fail(f"numbers of at most {MAX_BITS} bits", f"{value.bit_length()} bits")
        if isinstance(value, str | bytes) and len(value) > (KEPT if isinstance(value, bytes) else self.text):
            return _Large()
        return value

    def dictionary_of(self, items: list[object]) -> None:
        self.stack.append({})
        self.set_items(items)

    def extend(self, items: list[object]) -> None:
        target = self.top()
        if not isinstance(target, list):
            raise self.fail("a list to append to", type(target).__name__)
        target.extend(items)

    def set_items(self, items: list[object]) -> None:
        target = self.top()
        if not isinstance(target, dict) or len(items) % 2:
            raise self.fail("a dictionary to add pairs to", type(target).__name__)
        for key, value in zip(items[::2], items[1::2], strict=True):
            if isinstance(key, list) and len(key) <= KEY_LENGTH and all(map(_is_scalar, key)):
                key = tuple(key)
            elif not _is_scalar(key):
                raise self.fail("text, a number or a short tuple of these as a key", type(key).__name__)
            target[key] = value

    def remember(self, index: int) -> None:
        self.memo[index] = self.top()

    def recall(self, argument: object) -> None:
        if not isinstance(argument, int) or argument not in self.memo:
            raise self.fail("a value that was remembered", clip(str(argument), 20))
        self.stack.append(self.memo[argument])

    def find(self, module: object, name: object) -> None:
        qualified = f"{module} {name}" if isinstance(module, str) and isinstance(name, str) else ""
        if qualified not in _NAMES:
            got = clip(qualified.replace(" ", ".")) or "a name that is not text"
            raise self.fail("plain data and numpy arrays", got)
        self.stack.append(_Name(_NAMES[qualified]))

    def call(self) -> None:
        """Apply an allowed global to its arguments."""
        arguments, called = self.pop(), self.pop()
        if not isinstance(called, _Name) or not isinstance(arguments, list):
            raise self.fail("plain data and numpy arrays", "a call of something else")
        match called.name, arguments:
            case "array", [_Name(), *_]:
                self.stack.append(Array())
            case "dtype", [str() as code, *_] if len(code) <= 8:
                self.stack.append(_Type(code.lstrip("<>|="), ">" if code.startswith(">") else "<"))
            case "scalar", [_Type() as kind, bytes() | str() as data]:
                self.stack.append(self.decoded(kind, data, 1)[0])
            case "encode", [str() as text, "latin1" | "latin-1"]:
                self.stack.append(self.bytes_of(text) if len(text) <= KEPT else _Large())
            case "encode", [_Large() as large, *_]:
                self.stack.append(large)
            case _:
                raise self.fail("plain data and numpy arrays", f"unusual arguments of numpy's {called.name}")

    def make(self) -> None:
        """Make a graph or a view of one, without a state yet."""
        arguments, called = self.pop(), self.pop()
        match called, arguments:
            case _Name("graph"), []:
                self.stack.append(Graph())
            case _Name("view"), []:
                self.stack.append(_View())
            case _:
                raise self.fail("plain data and networkx graphs", "an object of something else")

    def build(self) -> None:
        """Set the state of a numpy array or type, or of a graph."""
        state, target = self.pop(), self.top()
        match target, state:
            case _View(), _:
                pass
            case Graph(), {"_node": dict() as nodes, "_adj": dict() as edges}:
                target.nodes, target.edges = nodes, edges
            case _Type(), [_, str() as order, *_]:
                target.order = ">" if order == ">" else "<"
            case Array(), [
                _,
                list() as shape,
                _Type() as kind,
                _,
                list() | bytes() | str() | _Large() as data,
            ]:
                columns = len(shape) > 1 and bool(state[3])  # by columns: no such array is used
                self.fill(target, shape, kind, _Large() if columns else data)
            case _:
                raise self.fail(
                    "the state of an array, a type or a graph", f"that of a {type(target).__name__}"
                )

    def fill(self, array: Array, shape: list[object], kind: _Type, data: object) -> None:
        count = 1
        for length in shape:
            if not isinstance(length, int) or not 0 <= length < 1 << 40 or len(shape) > 32:
                raise self.fail("the shape of an array", clip(str(length), 20))
            count *= length
        array.shape = tuple(n for n in shape if isinstance(n, int))
        if isinstance(data, _Large) or (isinstance(data, bytes | str) and len(data) > KEPT):
            return
        if isinstance(data, list):
            if len(data) != count or kind.code[:1] != "O":
                raise self.fail(f"{clip(str(count), 20)} objects", str(len(data)))
            array.values = data
        elif isinstance(data, bytes | str):
            array.values = self.decoded(kind, data, count)

    def decoded(self, kind: _Type, data: bytes | str, count: int) -> list[object]:
        """Decode numbers or texts from their bytes."""
        raw = data if isinstance(data, bytes) else self.bytes_of(data)
        code, size = kind.code[:1], kind.code[1:]
        width = int(size) if size.isascii() and size.isdigit() else 0
        length = 4 * width if code == "U" else width
        supported = code in "US" or kind.code in _CODES
        if not supported or length * count != len(raw):
            raise self.fail(f"the bytes of {clip(str(count), 20)} values of a known type", clip(kind.code))
        if code in "US":
            encoding = "latin-1" if code == "S" else "utf-32-be" if kind.order == ">" else "utf-32-le"
            pieces = [raw[i * length : (i + 1) * length] for i in range(count if length else 0)]
            return [p.decode(encoding, "replace").rstrip("\0") for p in pieces] or [""] * min(count, 1)
        return list(struct.unpack(f"{kind.order}{count}{_CODES[kind.code]}", raw))

    def bytes_of(self, text: str) -> bytes:
        try:
            return text.encode("latin-1")
        except UnicodeEncodeError:
            raise self.fail("bytes", "text") from None


_OPERATIONS: dict[str, Callable[[_Machine, object], None]] = {
    "MARK": lambda m, _: m.stack.append(_Mark()),
    "POP": lambda m, _: _drop(m.pop()),
    "POP_MARK": lambda m, _: _drop(m.marked()),
    "DUP": lambda m, _: m.stack.append(m.top()),
    "EMPTY_LIST": lambda m, _: m.stack.append([]),
    "EMPTY_TUPLE": lambda m, _: m.stack.append([]),
    "EMPTY_DICT": lambda m, _: m.stack.append({}),
    "LIST": lambda m, _: m.stack.append(m.marked()),
    "DICT": lambda m, _: m.dictionary_of(m.marked()),
    "TUPLE": lambda m, _: m.stack.append(m.marked()),
    "TUPLE1": lambda m, _: m.stack.append([m.pop()]),
    "TUPLE2": lambda m, _: m.stack.append([m.pop(), m.pop()][::-1]),
    "TUPLE3": lambda m, _: m.stack.append([m.pop(), m.pop(), m.pop()][::-1]),
    "APPEND": lambda m, _: m.extend([m.pop()]),
    "APPENDS": lambda m, _: m.extend(m.marked()),
    "SETITEM": lambda m, _: m.set_items([m.pop(), m.pop()][::-1]),
    "SETITEMS": lambda m, _: m.set_items(m.marked()),
    "PUT": lambda m, a: m.remember(int(str(a))),
    "BINPUT": lambda m, a: m.remember(int(str(a))),
    "LONG_BINPUT": lambda m, a: m.remember(int(str(a))),
    "MEMOIZE": lambda m, _: m.remember(len(m.memo)),
    "GET": lambda m, a: m.recall(a),
    "BINGET": lambda m, a: m.recall(a),
    "LONG_BINGET": lambda m, a: m.recall(a),
    "GLOBAL": lambda m, a: m.find(*str(a).split(" ", 1)),
    "STACK_GLOBAL": lambda m, _: m.find(*[m.pop(), m.pop()][::-1]),
    "REDUCE": lambda m, _: m.call(),
    "NEWOBJ": lambda m, _: m.make(),
    "BUILD": lambda m, _: m.build(),
}


def _is_scalar(value: object) -> bool:
    return isinstance(value, str | int | float)


def _drop(value: object) -> None:
    """Discard a value taken off the stack."""


class _Pieces:
    """A stream read in pieces, so that memory follows the bytes there are and not the lengths it states."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.stream, self.readline, self.tell = stream, stream.readline, stream.tell

    def read(self, size: int) -> bytes:
        if size <= PIECE:
            return self.stream.read(size)
        pieces = []
        while size > 0 and (piece := self.stream.read(min(size, PIECE))):
            pieces.append(piece)
            size -= len(piece)
        return b"".join(pieces)


def load(stream: IO[bytes], where: str, text: int = KEPT) -> object:
    """Decode a pickle, with tuples as lists and :class:`Array` for arrays; the value may contain itself.

    ``text`` is the most characters of one text that is kept; a file of records has its graphs in texts.

    Raises :class:`SceneError` with the position of an opcode for code, damage and excess.
    """
    machine = _Machine(where, text)
    try:
        for count, (opcode, argument, position) in enumerate(
            pickletools.genops(cast(IO[bytes], _Pieces(stream)))
        ):
            machine.position = position or 0
            if count > MAX_OPCODES:
                raise machine.fail(f"at most {MAX_OPCODES} operations", "more")
            if opcode.name == "STOP":
                return machine.pop()
            machine.step(opcode.name, argument)
    except ValueError as error:
        if isinstance(error, SceneError):
            raise
        raise SceneError(
            f"{where}: after byte {machine.position}", "a whole pickle", clip(str(error))
        ) from None
    raise machine.fail("a whole pickle", "the end of the file")
