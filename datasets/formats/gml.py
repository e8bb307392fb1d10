"""GML, as networkx writes it: route graphs (NVIDIA's SWAGGER) and graphs of places and things.

A file is ``graph [ directed 0 node [ id 0 label "p0" world 1.0 world 2.0 world 0.0 ] edge [ source 0 target 1
weight 1.5 ] ]``. A key that stands several times is a list. Nodes and edges are read as those of a node-link
file (``node_link``): nodes with positions and no types are places, edges between places are ways. Nodes are
called by their labels where all differ, else by their ids.

networkx's own reader is not used: an undirected graph of its own forgets which end of an edge was the source,
and its parser calls itself for brackets in brackets. Nothing in a file is evaluated; bounds may be changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import unescape

from ...domains.deadline import check_time
from ...domains.errors import SceneError, clip
from ...simulator.scene import Scene
from ...simulator.scene_json import WORK
from .content import Content, Format
from .node_link import read_graph

MAX_DEPTH = 20
"""Brackets in brackets, at most."""
MAX_GRAPH_TEXT = 32_000_000
"""Characters of a graph: values need about 20 times as many bytes."""
MAX_DIGITS = 300
LIST_START = "_networkx_list_start"
"""Value that networkx writes before the only one of a list."""
_START = re.compile(rb"(?:\s|#[^\n]*\n|(?:Creator|Version|comment)\s[^\n]*\n)*+graph\s*+\[", re.IGNORECASE)
_TOKEN = re.compile(
    r"""[\s]++ | \#[^\n]*+ | (?P<key>[A-Za-z_][0-9A-Za-z_]*+) | (?P<open>\[) | (?P<close>\])
    | (?P<number>[+-]?(?:\d++\.?\d*+|\.\d++)(?:[Ee][+-]?\d++)?) | "(?P<text>[^"]*+)" """,
    re.VERBOSE,
)
_WORDS = {"NAN": float("nan"), "INF": float("inf"), "+INF": float("inf"), "-INF": float("-inf")}


def _detect(content: Content) -> bool:
    return _START.match(content.head) is not None


def _read(content: Content) -> Scene:
    text, where = content.text, content.where
    if len(text) > MAX_GRAPH_TEXT:
        raise SceneError(where, f"at most {MAX_GRAPH_TEXT} characters", str(len(text)))
    graph = _record(_tokens(text, where), where).get("graph")
    if not isinstance(graph, dict):
        raise SceneError(where, "one graph [ .. ]", "none, or several")
    return read_graph(_document(graph, where), where, content.name)


def _tokens(text: str, where: str) -> Iterator[re.Match[str]]:
    place = 0
    while place < len(text):
        token = _TOKEN.match(text, place)
        if token is None:
            line, got = text.count("\n", 0, place) + 1, clip(repr(text[place : place + 20]))
            raise SceneError(f"{where}:{line}", "a key, a number, a text in quotes or a bracket", got)
        place = token.end()
        if token.lastgroup is not None:
            yield token


def _record(tokens: Iterator[re.Match[str]], where: str, depth: int = 0) -> dict[str, object]:
    """Return the values of a file, or between brackets, by their keys; of a key of several values a list."""
    values: dict[str, list[object]] = {}
    for token in tokens:
        if token.lastgroup == "close" and depth:
            check_time(WORK)
            return _single(values)
        if token.lastgroup != "key":
            raise SceneError(_at(token, where), "a key", clip(token[0]))
        key = token["key"]
        if (value := next(tokens, None)) is None:
            raise SceneError(_at(token, where), f"a value of {clip(key)}", "the end of the file")
        values.setdefault(key, []).append(_value(key, value, tokens, where, depth))
    if depth:
        raise SceneError(where, "a ] for every [", "the end of the file")
    return _single(values)


def _value(key: str, token: re.Match[str], tokens: Iterator[re.Match[str]], where: str, depth: int) -> object:
    match token.lastgroup:
        case "open":
            if depth >= MAX_DEPTH:
                raise SceneError(_at(token, where), f"at most {MAX_DEPTH} brackets in brackets", "more")
            return _record(tokens, where, depth + 1)
        case "text":
            return unescape(token["text"])
        case "number":
            if len(token[0]) > MAX_DIGITS:
                expected = f"a number of at most {MAX_DIGITS} characters"
                raise SceneError(_at(token, where), expected, str(len(token[0])))
            return int(token[0]) if token[0].lstrip("+-").isdigit() else float(token[0])
        case "key" if token[0].upper() in _WORDS:
            return _WORDS[token[0].upper()]
    raise SceneError(_at(token, where), f"a value of {clip(key)}", clip(token[0]))


def _at(token: re.Match[str], where: str) -> str:
    return f"{where}:{token.string.count(chr(10), 0, token.start()) + 1}"


def _single(values: Mapping[str, list[object]]) -> dict[str, object]:
    """Return the values of keys that stand once as they are, and lists of the others."""
    plain = {key: several[1:] if several[0] == LIST_START else several for key, several in values.items()}
    return {key: plain[key] if len(values[key]) > 1 else plain[key][0] for key in values}


def _document(graph: Mapping[str, object], where: str) -> Mapping[str, object]:
    """Return a graph as the document of a node-link file."""
    nodes, edges = (_entries(graph.get(key), f"{where}: {key}") for key in ("node", "edge"))
    labels = [label for node in nodes if isinstance(label := node.get("label"), str) and label]
    named = len(set(labels)) == len(nodes)
    names: dict[str, object] = {}
    for index, node in enumerate(nodes):
        number = node.get("id")
        if not isinstance(number, int | str) or str(number) in names:
            expected = "an id" if not isinstance(number, int | str) else "ids that are unique"
            raise SceneError(f"{where}: node[{index}].id", expected, clip(number))
        names[str(number)] = node["label"] if named else number
    own = ("node", "edge", "directed", "multigraph")
    for edge in edges:
        edge.update((end, names.get(str(edge.get(end)), edge.get(end))) for end in ("source", "target"))
    return {
        "directed": graph.get("directed", 0),
        "graph": {key: value for key, value in graph.items() if key not in own},
        "nodes": [{**node, "id": names[str(node["id"])]} for node in nodes],
        "edges": edges,
    }


def _entries(value: object, at: str) -> list[dict[str, object]]:
    """Return the nodes or edges of a graph: none, one or a list."""
    listed = value if isinstance(value, list) else [] if value is None else [value]
    entries: list[dict[str, object]] = []
    for index, entry in enumerate(listed):
        if not isinstance(entry, dict):
            raise SceneError(f"{at}[{index}]", "[ .. ]", clip(entry))
        entries.append(entry)
    return entries


FORMAT = Format("gml", "GML graphs (networkx, SWAGGER)", _detect, _read)
