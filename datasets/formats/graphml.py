"""GraphML, as networkx, yEd and others write it: graphs of places and things.

A file is XML with ``<key id="d0" for="node" attr.name="x" attr.type="double"/>``, ``<node id="p0"><data
key="d0">1.0</data></node>`` and ``<edge source="p0" target="p1"/>``. Its nodes and edges are read as those of
a node-link file (``node_link``). networkx's own reader is not used: it joins nodes of one id, makes up nodes
that edges name, and says no line.

The XML is read event by event, within bounds and without document types, so no entity is ever expanded.
Losses: hyperedges, ports, nested graphs and drawings of other programs, each kind counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from xml.parsers import expat

from ...domains.errors import SceneError, clip
from ...simulator.scene import Loss, Scene
from .content import Content, Format
from .gml import MAX_GRAPH_TEXT
from .node_link import read_graph

MAX_DEPTH = 30
"""Elements in elements, at most."""
_NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
_TRUTH = {"true": True, "1": True, "false": False, "0": False}


@dataclass
class _Key:
    """A declared key: its name, the type of its values, what has them, and the usual value."""

    name: str
    type: str
    of: str
    default: object = None


@dataclass
class _Reader:
    """A graph while its file is gone through; ``open`` are the elements around the place."""

    where: str
    parser: Any
    keys: dict[str, _Key] = field(default_factory=dict)
    nodes: dict[str, dict[str, object]] = field(default_factory=dict)
    edges: list[dict[str, object]] = field(default_factory=list)
    about: dict[str, object] = field(default_factory=dict)
    directed: bool = False
    left: Counter[str] = field(default_factory=Counter)
    open: list[str] = field(default_factory=list)
    entry: dict[str, object] | None = None
    key: _Key | None = None
    text: list[str] = field(default_factory=list)
    skipped: int = 0

    @property
    def at(self) -> str:
        """The file and the line."""
        return f"{self.where}:{self.parser.CurrentLineNumber}"

    def doctype(self, *_: object) -> None:
        raise SceneError(self.at, "GraphML without a document type", "one, whose entities would be expanded")

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self.open.append(tag)
        if len(self.open) > MAX_DEPTH:
            raise SceneError(self.at, f"at most {MAX_DEPTH} elements in elements", "more")
        if self.skipped:
            self.skipped += 1
            return
        name = tag.removeprefix(f"{_NAMESPACE} ")
        match [t.removeprefix(f"{_NAMESPACE} ") for t in self.open]:
            case ["graphml"]:
                pass
            case ["graphml", "key"]:
                self._declare(attributes)
            case ["graphml", "key", "default"] | ["graphml", "graph", "data"]:
                self._begin(name, attributes)
            case ["graphml", "graph", "node" | "edge", "data"]:
                self._begin(name, attributes)
            case ["graphml", "graph"] if not self.nodes:
                self.directed = attributes.get("edgedefault") == "directed"
                self.entry = self.about
            case ["graphml", "graph", "node"]:
                self._node(attributes)
            case ["graphml", "graph", "edge"]:
                ends = {end: self._attribute(attributes, end) for end in ("source", "target")}
                self.entry = {**self._defaults("edge"), **ends}
                self.edges.append(self.entry)
            case _:
                self.left[name] += 1
                self.skipped = 1

    def _attribute(self, attributes: Mapping[str, str], name: str) -> str:
        value = attributes.get(name, "")
        if not value:
            raise SceneError(self.at, f"the attribute {name}", "none")
        return value

    def _declare(self, attributes: Mapping[str, str]) -> None:
        number = self._attribute(attributes, "id")
        name = attributes.get("attr.name", number)
        self.key = _Key(name, attributes.get("attr.type", "string"), attributes.get("for", "all"))
        self.keys[number] = self.key

    def _defaults(self, of: str) -> dict[str, object]:
        given = (key for key in self.keys.values() if key.of in (of, "all") and key.default is not None)
        return {key.name: key.default for key in given}

    def _node(self, attributes: Mapping[str, str]) -> None:
        name = self._attribute(attributes, "id")
        if name in self.nodes:
            raise SceneError(self.at, "ids that are unique", clip(name))
        self.entry = self.nodes[name] = {**self._defaults("node"), "id": name}

    def _begin(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "data":
            number = self._attribute(attributes, "key")
            if number not in self.keys:
                raise SceneError(self.at, "the id of a <key>", clip(number))
            self.key = self.keys[number]
        self.text = []

    def characters(self, text: str) -> None:
        if not self.skipped:
            self.text.append(text)

    def end(self, tag: str) -> None:
        self.open.pop()
        if self.skipped:
            self.skipped -= 1
            return
        name, text = tag.removeprefix(f"{_NAMESPACE} "), "".join(self.text)
        if name == "default" and self.key is not None:
            self.key.default = self._value(self.key, text)
        elif name == "data" and self.key is not None and self.entry is not None and text.strip():
            self.entry[self.key.name] = self._value(self.key, text)
        elif name in ("node", "edge"):
            self.entry = self.about
        if name in ("default", "data"):
            self.text = []

    def _value(self, key: _Key, text: str) -> object:
        text = text.strip()
        try:
            match key.type:
                case "int" | "long":
                    return int(text)
                case "float" | "double":
                    return float(text)
                case "boolean":
                    return _TRUTH[text.lower()]
        except (KeyError, ValueError):
            raise SceneError(
                self.at, f"a value of type {key.type} for {clip(key.name)}", clip(text)
            ) from None
        return text


def _detect(content: Content) -> bool:
    return b"<graphml" in content.head


def _read(content: Content) -> Scene:
    text, where = content.text, content.where
    if len(text) > MAX_GRAPH_TEXT:
        raise SceneError(where, f"at most {MAX_GRAPH_TEXT} characters", str(len(text)))
    parser = expat.ParserCreate(encoding="utf-8", namespace_separator=" ")
    parser.buffer_text = True
    reader = _Reader(where, parser)
    parser.StartDoctypeDeclHandler = reader.doctype
    parser.StartElementHandler, parser.EndElementHandler = reader.start, reader.end
    parser.CharacterDataHandler = reader.characters
    try:
        parser.Parse(text.encode(), True)
    except expat.ExpatError as error:
        at = f"{where}:{error.lineno}:{error.offset + 1}"
        raise SceneError(at, "well-formed XML", expat.ErrorString(error.code)) from None
    document = {
        "directed": reader.directed,
        "graph": reader.about,
        "nodes": list(reader.nodes.values()),
        "edges": reader.edges,
    }
    scene = read_graph(document, where, content.name)
    left = reader.left.items()
    kinds = (Loss("field", clip(f"<{tag}>", 60), "such elements are not read", n) for tag, n in left)
    return replace(scene, losses=(*scene.losses, *kinds))


FORMAT = Format("graphml", "GraphML graphs (networkx, yEd)", _detect, _read)
