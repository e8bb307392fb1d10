"""Decoded pickles as trees of plain values, as JSON would have them.

A shared value is counted every time it is met, so a list of lists of lists that means more entries than there
are bytes is refused, and so is a value that contains itself. The bounds may be changed, but not the counting:
without it a small file could become a tree that fills the memory.
"""

from __future__ import annotations

from ....domains.errors import SceneError
from .unpickle import KEPT, Array, Graph

MAX_VALUES = 2_000_000
MAX_DEPTH = 60
MAX_TEXT = 1 << 28
"""Characters of all texts together, shared texts counted anew."""


def plain(value: object, where: str) -> object:
    """Convert a value to a tree, as JSON would have it, of dictionaries, lists, text, numbers and ``None``.

    Arrays are nested lists; those that were not kept, and bytes, are ``None``. A graph is a node-link
    document as ``networkx.node_link_data`` has it, with a list for an id that is a tuple. Raises
    :class:`SceneError` for a value that is too deep, contains itself, or has more than :data:`MAX_VALUES`
    values, shared ones counted anew.
    """
    return _Plain(where).of(value, 0)


class _Plain:
    def __init__(self, where: str) -> None:
        self.where, self.left, self.text = where, MAX_VALUES, MAX_TEXT

    def of(self, value: object, depth: int) -> object:
        self.left -= 1
        if self.left < 0:
            raise SceneError(self.where, f"at most {MAX_VALUES} values", "more, or values that are shared")
        if depth > MAX_DEPTH:
            raise SceneError(
                self.where, f"values at most {MAX_DEPTH} deep", "deeper, or one that holds itself"
            )
        match value:
            case None | bool() | int() | float():
                return value
            case str():
                self.text -= len(value)
                if self.text < 0:
                    got = "more, or texts that are shared"
                    raise SceneError(self.where, f"at most {MAX_TEXT} characters", got)
                return value
            case list():
                return [self.of(v, depth + 1) for v in value]
            case dict():
                return {_key(k): self.of(v, depth + 1) for k, v in value.items()}
            case Graph():
                return self.of(_node_link(value), depth + 1)
            case Array(values=list() as values, shape=shape) if len(values) <= KEPT:
                return self.of(_rows(values, shape), depth + 1)
            case _:
                return None


def _key(key: object) -> object:
    """Return a key as a document can have it: the entries of a tuple with blanks between."""
    return " ".join(map(str, key)) if isinstance(key, tuple) else key


def _node_link(graph: Graph) -> dict[str, object]:
    """Return the document of a graph, each edge once."""
    ids = {node: list(node) if isinstance(node, tuple) else node for node in graph.nodes}
    links: dict[frozenset[object], dict[str, object]] = {}
    for source, ends in graph.edges.items():
        for target in ends if isinstance(ends, dict) else ():
            if source in ids and target in ids:
                links.setdefault(frozenset((source, target)), {"source": ids[source], "target": ids[target]})
    nodes = [
        {**(fields if isinstance(fields, dict) else {}), "id": ids[node]}
        for node, fields in graph.nodes.items()
    ]
    return {
        "directed": False,
        "multigraph": False,
        "graph": {},
        "nodes": nodes,
        "links": list(links.values()),
    }


def _rows(values: list[object], shape: tuple[int, ...]) -> object:
    """Return values in the order of rows as nested lists; a single value for an array without axes."""
    rows = list(values)
    for length in reversed(shape[1:]):
        rows = [rows[i : i + length] for i in range(0, len(rows), length)] if length else []
    return rows if shape else rows[0] if rows else None
