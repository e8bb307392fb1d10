"""GraphML, as networkx, yEd and others write it: graphs of places and things.

A file is XML with ``<key id="d0" for="node" attr.name="x" attr.type="double"/>``, ``<node id="p0"><data
key="d0">1.0</data></node>`` and ``<edge source="p0" target="p1"/>``. Its nodes and edges are read as those of
a node-link file (``node_link``). networkx's own reader is not used: it joins nodes of one id, makes up nodes
that edges name, and says no line.

The XML is read within bounds and without document types (``domains.files``), so no entity is ever expanded.
Losses: hyperedges, ports, nested graphs and drawings of other programs, each kind counted.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

from ...domains.errors import SceneError, clip
from ...domains.files import Element, XmlFault, read_xml
from ...simulator.scene import Loss, Scene
from .content import Content, Format
from .gml import MAX_GRAPH_TEXT
from .node_link import read_graph

_TRUTH = {"true": True, "1": True, "false": False, "0": False}


@dataclass(frozen=True)
class _Key:
    """A declared key: its name, the type of its values, what has them, and the usual value."""

    name: str
    type: str
    of: str
    default: object = None


@dataclass(frozen=True)
class _Reader:
    """Keys of a document by their ids, and how often there are elements that are not read."""

    where: str
    keys: dict[str, _Key] = field(default_factory=dict)
    left: Counter[str] = field(default_factory=Counter)

    def document(self, root: Element) -> dict[str, object]:
        """Return the graph of a document as that of a node-link file."""
        parts = self.children(root, "key", "graph")
        for key in (part for part in parts if _name(part) == "key"):
            self.declare(key)
        graphs = [part for part in parts if _name(part) == "graph"]
        self.left.update(["graph"] * len(graphs[1:]))
        about: dict[str, object] = {}
        nodes: dict[str, dict[str, object]] = {}
        edges: list[dict[str, object]] = []
        for part in self.children(graphs[0], "data", "node", "edge") if graphs else ():
            match _name(part):
                case "data":
                    self.fill(about, [part])
                case "node":
                    name = self.attribute(part, "id")
                    if name in nodes:
                        raise self.fault(part, "ids that are unique", name)
                    nodes[name] = {**self.defaults("node"), "id": name}
                    self.fill(nodes[name], self.children(part, "data"))
                case _:
                    ends = {end: self.attribute(part, end) for end in ("source", "target")}
                    edges.append({**self.defaults("edge"), **ends})
                    self.fill(edges[-1], self.children(part, "data"))
        directed = bool(graphs) and graphs[0].attributes.get("edgedefault") == "directed"
        return {"directed": directed, "graph": about, "nodes": list(nodes.values()), "edges": edges}

    def children(self, element: Element, *names: str) -> list[Element]:
        """Return the children of some names; others are counted."""
        self.left.update(name for child in element.children if (name := _name(child)) not in names)
        return [child for child in element.children if _name(child) in names]

    def declare(self, element: Element) -> None:
        number = self.attribute(element, "id")
        named = {"name": ("attr.name", number), "type": ("attr.type", "string"), "of": ("for", "all")}
        key = _Key(**{of: element.attributes.get(name, usual) for of, (name, usual) in named.items()})
        for default in self.children(element, "default"):
            key = replace(key, default=self.value(key, default))
        self.keys[number] = key

    def defaults(self, of: str) -> dict[str, object]:
        given = (key for key in self.keys.values() if key.of in (of, "all") and key.default is not None)
        return {key.name: key.default for key in given}

    def fill(self, entry: dict[str, object], data: list[Element]) -> None:
        """Enter the values of a node, an edge or the graph."""
        for one in data:
            number = self.attribute(one, "key")
            if number not in self.keys:
                raise self.fault(one, "the id of a <key>", number)
            self.children(one)
            if one.text:
                entry[self.keys[number].name] = self.value(self.keys[number], one)

    def attribute(self, element: Element, name: str) -> str:
        if not (value := element.attributes.get(name, "")):
            raise self.fault(element, f"the attribute {name}", "none")
        return value

    def value(self, key: _Key, element: Element) -> object:
        try:
            match key.type:
                case "int" | "long":
                    return int(element.text)
                case "float" | "double":
                    return float(element.text)
                case "boolean":
                    return _TRUTH[element.text.lower()]
        except (KeyError, ValueError):
            expected = f"a value of type {key.type} for {clip(key.name)}"
            raise self.fault(element, expected, element.text) from None
        return element.text

    def fault(self, element: Element, expected: str, got: str) -> SceneError:
        return SceneError(f"{self.where}:{element.line}", expected, clip(got))


def _name(element: Element) -> str:
    """Return the name of an element without the prefix of its namespace."""
    return element.tag.rpartition(":")[2]


def _detect(content: Content) -> bool:
    return b"<graphml" in content.head


def _read(content: Content) -> Scene:
    text, where = content.text, content.where
    if len(text) > MAX_GRAPH_TEXT:
        raise SceneError(where, f"at most {MAX_GRAPH_TEXT} characters", str(len(text)))
    try:
        root = read_xml(text, where)
    except XmlFault as error:
        raise SceneError(error.where, error.expected, error.got, error.hint) from None
    reader = _Reader(where)
    scene = read_graph(reader.document(root), where, content.name)
    left = reader.left.items()
    kinds = (Loss("field", clip(f"<{tag}>", 60), "such elements are not read", n) for tag, n in left)
    return replace(scene, losses=(*scene.losses, *kinds))


FORMAT = Format("graphml", "GraphML graphs (networkx, yEd)", _detect, _read)
