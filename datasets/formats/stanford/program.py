"""Program that decodes a pickle as data: its values as JSON on standard output, or what keeps them from it.

It is run by path, in a process of its own within limits (``unpickle``), and has the standard library alone.
The names that numpy and networkx write for an array, its type and its numbers, and for a graph, stand for
classes of this file, which do arithmetic on bytes that are read already. Any other name is refused, so
nothing is imported or called that a file names. No change may add a name of another module.

Values become a tree as JSON has it: tuples are lists, bytes are null, and so are arrays too large to be kept.
A shared value is counted every time it is met: a small file could become a tree that fills the memory.
"""

import json
import math
import pickle
import resource
import struct
import sys
import zipfile
import zlib
from typing import IO, Any

MEMORY = 3 << 30
"""Bytes of memory of this process."""
MAX_VALUES = 2_000_000
MAX_DEPTH = 60
MAX_TEXT = 1 << 27
"""Characters of all texts together, shared texts counted anew."""
KEPT = 1 << 16
"""Bytes of one array that are kept. Segmentations are larger, and not read."""
MAX_HEADER = 1 << 16
CODES = {
    "b1": "?", "i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I", "i8": "q", "u8": "Q",
    "f2": "e", "f4": "f", "f8": "d",
}  # fmt: skip


DAMAGED = (
    pickle.UnpicklingError, EOFError, AttributeError, LookupError, ValueError, TypeError, ArithmeticError,
    MemoryError, RecursionError, struct.error, zlib.error,
)  # fmt: skip
"""What a damaged pickle, or one that puts the classes below together in another way, ends with."""


class NotPlain(Exception):
    """Content of a pickle that is no plain data: what was expected, and what there is instead."""


class NumberType:
    """A numpy type: its code and its byte order."""

    def __init__(self, code: str = "", *_: object) -> None:
        self.code, self.order = code.lstrip("<>|="), ">" if code.startswith(">") else "<"

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.order = ">" if state[1] == ">" else "<"

    def decoded(self, data: bytes | str, count: int) -> list[Any]:
        """Return numbers or texts from their bytes."""
        raw = data.encode("latin-1") if isinstance(data, str) else data
        if self.code[:1] in "US":
            length = int(self.code[1:]) * (4 if self.code[0] == "U" else 1)
            letters = "latin-1" if self.code[0] == "S" else "utf-32-be" if self.order == ">" else "utf-32-le"
            pieces = [raw[i * length : (i + 1) * length] for i in range(count)]
            if length * count != len(raw):
                raise ValueError("an array whose shape and data differ")
            return [piece.decode(letters, "replace").rstrip("\0") for piece in pieces]
        return list(struct.unpack(f"{self.order}{count}{CODES[self.code]}", raw))


class NumpyArray:
    """A numpy array: its shape and its numbers, texts or objects, in rows; ``None`` where it is not kept."""

    def __init__(self, *_: object) -> None:
        self.shape: tuple[int, ...] = ()
        self.values: list[Any] | None = None

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        _, self.shape, kind, by_columns, data = state
        count = math.prod(self.shape)
        if any(length < 0 for length in self.shape) or len(self.shape) > 32:
            raise ValueError("the shape of an array")
        if isinstance(data, list):
            if len(data) != count or kind.code[:1] != "O":
                raise ValueError("an array whose shape and data differ")
            self.values = data
        elif len(data) <= KEPT:
            self.values = kind.decoded(data, count)
        if by_columns and len(self.shape) > 1:  # no such array is used
            self.values = None


class PickledGraph:
    """A networkx graph: attributes by node, and by node those of its edges by the node at the other end."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.nodes, self.edges = dict(state["_node"]), dict(state["_adj"])

    def document(self) -> dict[str, Any]:
        """Return the node-link document, each edge once, with lists for ids that are tuples."""
        ids = {node: list(node) if isinstance(node, tuple) else node for node in self.nodes}
        links: dict[frozenset[Any], dict[str, Any]] = {}
        for source, ends in self.edges.items():
            for target in ends if isinstance(ends, dict) else ():
                if source in ids and target in ids:
                    ends_of = {"source": ids[source], "target": ids[target]}
                    links.setdefault(frozenset((source, target)), ends_of)
        named = [
            {**(fields if isinstance(fields, dict) else {}), "id": ids[node]}
            for node, fields in self.nodes.items()
        ]
        document = {"directed": False, "multigraph": False, "graph": {}, "nodes": named}
        return {**document, "links": list(links.values())}


class Skipped:
    """Something that says nothing of a scene: a view of a graph, or the name of a class."""

    def __init__(self, *_: object) -> None:
        """Take what the real class takes."""

    def __setstate__(self, state: object) -> None:
        """Leave the state out."""


def scalar(kind: NumberType, data: bytes | str) -> object:
    return kind.decoded(data, 1)[0]


def encode(text: str, codec: str) -> bytes:
    if codec not in ("latin1", "latin-1"):
        raise ValueError(f"the codec {codec}")
    return text.encode("latin-1")


VIEWS = {
    "reportviews": ("Node", "Edge", "OutEdge", "InEdge", "Degree", "DiDegree", "InDegree", "OutDegree"),
    "coreviews": ("Adjacency", "Atlas"),
}
NAMES: dict[tuple[str, str], Any] = {
    **{(f"numpy.{core}.multiarray", "_reconstruct"): NumpyArray for core in ("core", "_core")},
    **{(f"numpy.{core}.multiarray", "scalar"): scalar for core in ("core", "_core")},
    ("numpy", "ndarray"): Skipped,
    ("numpy", "dtype"): NumberType,
    ("_codecs", "encode"): encode,
    **{(f"networkx.classes.{kind.lower()}", kind): PickledGraph for kind in ("Graph", "DiGraph")},
    **{
        (f"networkx.classes.{module}", f"{view}View"): Skipped
        for module, views in VIEWS.items()
        for view in views
    },
    **{(module, "dict"): Skipped for module in ("builtins", "__builtin__")},
}


class Decoder(pickle.Unpickler):
    """Unpickler that knows the names of :data:`NAMES` and no other."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in NAMES:
            raise NotPlain("plain data, numpy arrays and networkx graphs", f"{module}.{name}")
        return NAMES[module, name]


class ValueTree:
    """Values as JSON has them, within bounds."""

    def __init__(self) -> None:
        self.left, self.text = MAX_VALUES, MAX_TEXT

    def of(self, value: object, depth: int = 0) -> object:
        self.left -= 1
        if self.left < 0:
            raise NotPlain(f"at most {MAX_VALUES} values", "more, or values that are shared")
        if depth > MAX_DEPTH:
            raise NotPlain(f"values at most {MAX_DEPTH} deep", "deeper, or one that holds itself")
        match value:
            case str():
                self.text -= len(value)
                if self.text < 0:
                    raise NotPlain(f"at most {MAX_TEXT} characters", "more, or texts that are shared")
                return value
            case float():
                return value if math.isfinite(value) else None
            case None | bool() | int():
                return value
            case list() | tuple():
                return [self.of(one, depth + 1) for one in value]
            case dict():
                return {_key(key): self.of(one, depth + 1) for key, one in value.items()}
            case PickledGraph():
                return self.of(value.document(), depth + 1)
            case NumpyArray(values=list() as values, shape=shape) if len(values) <= KEPT:
                for length in reversed(shape[1:]):
                    values = [values[i : i + length] for i in range(0, len(values), length)] if length else []
                return self.of(values if shape else values[0], depth + 1)
        return None


def _key(key: object) -> object:
    """Return a key as a document can have it: the entries of a tuple with blanks between."""
    parts = key if isinstance(key, tuple) else (key,)
    if not all(isinstance(part, str | int | float) for part in parts):
        raise NotPlain("text, a number or a tuple of these as a key", type(key).__name__)
    return " ".join(map(str, key)) if isinstance(key, tuple) else key


def read_array(member: IO[bytes]) -> None:
    """Pass over the header of numpy's file of one object. Raises :class:`NotPlain` for another array."""
    head = member.read(10)
    if head[:6] != b"\x93NUMPY" or head[6] not in (1, 2, 3):
        raise NotPlain("a numpy array", repr(head))
    size = int.from_bytes(head[8:10] if head[6] == 1 else head[8:10] + member.read(2), "little")
    text = member.read(min(size, MAX_HEADER))
    if b"'descr': '|O'" not in text and b"'descr': 'O'" not in text:
        raise NotPlain("an array of one object, as numpy.savez writes a dictionary", repr(text[:60]))


def decoded(path: str, member: str, most: int) -> object:
    """Return the values of a pickle, or of one in a member of a zip file, as a tree."""
    if not member:
        with open(path, "rb") as file:
            return ValueTree().of(Decoder(file).load())
    with zipfile.ZipFile(path) as archive, archive.open(member) as inside:
        if archive.getinfo(member).file_size > most:
            raise NotPlain(f"at most {most} bytes", "more")
        read_array(inside)
        value = ValueTree().of(Decoder(inside).load())
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def main(path: str, member: str, most: str) -> None:
    """Print the values of a pickle as JSON, or what was expected and what there is."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        answer: dict[str, object] = {"value": decoded(path, member, int(most))}
    except NotPlain as error:
        answer = {"expected": error.args[0], "got": error.args[1]}
    except (zipfile.BadZipFile, RuntimeError) as error:  # encrypted, or in a form that is not built in
        answer = {"expected": "a whole zip file", "got": str(error)}
    except DAMAGED as error:
        answer = {"expected": "a whole pickle of plain data", "got": str(error) or type(error).__name__}
    json.dump(answer, sys.stdout, allow_nan=False)


if __name__ == "__main__":
    main(*sys.argv[1:])
