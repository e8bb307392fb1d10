"""LookPlanGraph's memory graph (Onishchenko et al., 2025, section 4.1 and appendix A.1.2).

The paper fixes the fields; the mapping below is ours and may be changed, with ``docs/formats.md``. A document
groups nodes by type, ``{"nodes": {TYPE: [NODE, ...], ...}}``, with

- ``scene``: ``{"id"}``
- ``room`` (the paper says place, too): ``{"id"}``, with ``"scene"``
- ``asset``: ``{"id", "located": ROOM, "states": ["closed"]}``
- ``object``: ``{"id", "relation": "ontop_of", "related_to": ID, "states": []}``
- ``agent``: ``{"id", "location": ROOM, "holding": OBJECT or ""}``

and optionally ``"properties"`` and ``"affordances"``, lists of words; ``pick_up``, ``put_on`` and
``put_inside`` are those of the paper's actions. Its authors' programs build the same as a networkx graph,
whose node-link document is read too: nodes with a ``type`` and ids like ``["Table", 1]``, which becomes
``Table_1``. The paper's example closes ``nodes`` after the rooms and goes on with the other types beside it;
that is read as well, and ``state`` for ``states``.

Mapping to a scene: a scene is a building; where no affordances are given they follow from the paper's rules
(all objects can be picked up, things can be put on all assets, what is open or closed can be opened and
closed, what is on or off can be turned on and off). Properties and states that the household does not know
are attributes. The paper's robot goes from any room to any other, so all rooms are linked straight.

Losses in reading: keys that are not read, counted. Losses in writing: poses, floors and campuses, links,
positions, classes, descriptions and provenance.
The command line lists the losses of a scene.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from ...domains.errors import SceneError, clip, did_you_mean
from ...simulator.scene import RELATIONS, Loss, Node, Scene, default_class
from .assembly import join_rooms, room_near, with_robot
from .classes import WORDS, affordance_words, implied, state_words
from .content import Content, Format, json_reader, json_writer
from .document import as_name, as_object, as_words, objects
from .losses import differences
from .unread import fields_left, parts_left

TYPES = {"scene": "building", "room": "room", "place": "room", "asset": "asset", "object": "object"}
TYPES |= {"agent": "agent"}
_KEYS = frozenset(
    """id type name scene located location place room states state properties affordances related_to
    relation holding""".split()
)
_LOCATED = ("located", "location", "place", "room")
_NETWORK = ("directed", "multigraph", "graph", "links", "edges")
"""Parts of a node-link document beside its nodes."""
_AFFORDANCES = WORDS["lookplangraph"]["affordances"]
_MARKS = frozenset(("related_to", "located", "states", "holding"))
_PLACE = re.compile(rf"\s*({'|'.join(RELATIONS)})\s*\(")
"""The begin of a state that says where a thing is, as SayPlan's format has them."""


def read_graph(raw: object, where: str, default_name: str = "") -> Scene:
    """Read a memory graph as a scene with ``default_name``, since graphs have no names.

    Raises :class:`SceneError` naming the place in the document.
    """
    document = as_object(raw, where)
    entries: dict[str, tuple[str, str, Mapping[str, object]]] = {}
    for at, kind, entry in _listed(document, where):
        node_id = _name(entry.get("id"), f"{at}.id")
        if node_id in entries:
            raise SceneError(f"{at}.id", "ids that are unique", clip(node_id))
        entries[node_id] = (at, kind, entry)
    reader = _Reader(entries)
    nodes = {i: reader.node(i, *entry) for i, entry in entries.items()}
    nodes = with_robot(nodes)
    network = _NETWORK if isinstance(document.get("nodes"), list) else ()
    losses = [*parts_left(document, ("nodes", *network, *TYPES))]
    losses += reader.second_places()
    losses += fields_left((entry for _, _, entry in entries.values()), _KEYS, "nodes")
    return Scene(default_name or where, nodes, join_rooms(nodes), losses=tuple(losses))


def _listed(document: Mapping[str, object], where: str) -> Iterator[tuple[str, str, Mapping[str, object]]]:
    """Yield every node with its place in the document and its type."""
    if isinstance(document.get("nodes"), list):
        yield from _of_network(document, where)
        return
    inner = as_object(document.get("nodes"), f"{where}: nodes")
    groups = [(f"nodes.{clip(k)}", k, v) for k, v in inner.items()]
    groups += [(k, k, document[k]) for k in TYPES if k in document]
    for name, kind, group in groups:
        node_type = _type(kind, f"{where}: {name}")
        yield from ((at, node_type, entry) for at, entry in objects(group, f"{where}: {name}"))


def _of_network(
    document: Mapping[str, object], where: str
) -> Iterator[tuple[str, str, Mapping[str, object]]]:
    """Yield the nodes of a node-link document; rooms are in the scene that an edge joins them to."""
    nodes: list[tuple[str, str, str, Mapping[str, object]]] = []
    for at, entry in objects(document.get("nodes"), f"{where}: nodes"):
        kind = _type(as_name(entry.get("type"), f"{at}.type"), f"{at}.type")
        nodes.append((at, kind, _name(entry.get("id"), f"{at}.id"), entry))
    scenes = {node_id for _, kind, node_id, _ in nodes if kind == "building"}
    around: dict[str, str] = {}
    for at, edge in objects(document.get("links", document.get("edges")), f"{where}: links"):
        ends = [_name(edge.get(end), f"{at}.{end}") for end in ("source", "target")]
        around |= {a: b for a, b in (ends, ends[::-1]) if b in scenes}
    for at, kind, node_id, entry in nodes:
        inside = {"scene": around[node_id]} if kind == "room" and node_id in around else {}
        yield at, kind, {**inside, **entry}


def _type(word: str, at: str) -> str:
    """Return the scene's type of a node. Raises :class:`SceneError` for a word that means none."""
    if word not in TYPES:
        hint = did_you_mean(word, TYPES) or f"types are {', '.join(TYPES)}"
        raise SceneError(at, "a node type", clip(word), hint)
    return TYPES[word]


def _name(value: object, at: str) -> str:
    """Return the id of a node: a name, a number, or a list of these with low lines between."""
    if isinstance(value, list) and value:
        return "_".join(as_name(part, at) for part in value)
    return as_name(value, at)


class _Reader:
    def __init__(self, entries: Mapping[str, tuple[str, str, Mapping[str, object]]]) -> None:
        self.entries = entries
        self.hands: dict[str, str] = {}
        for agent, (at, kind, entry) in entries.items():
            if kind == "agent" and entry.get("holding"):
                self.hands[self.existing(entry["holding"], f"{at}.holding")] = agent

    def existing(self, value: object, at: str) -> str:
        """Return the id of a node of the document. Raises :class:`SceneError` for another."""
        node_id = _name(value, at)
        if node_id not in self.entries:
            raise SceneError(at, "the id of a node", clip(node_id), did_you_mean(node_id, self.entries))
        return node_id

    def second_places(self) -> Iterator[Loss]:
        """Yield the places that are stated of things in a hand."""
        for thing, agent in self.hands.items():
            at, _, entry = self.entries[thing]
            place_of, _, holder = self.entries[agent]
            here = {agent, *(_name(holder[key], f"{place_of}.{key}") for key in _LOCATED if holder.get(key))}
            stated = (_name(entry[key], f"{at}.{key}") for key in ("related_to", *_LOCATED) if entry.get(key))
            for place in (p for p in stated if p not in here):
                yield Loss("field", clip(f"{thing} - {place}", 100), "it is in a hand, and has one place")

    def node(self, node_id: str, at: str, kind: str, entry: Mapping[str, object]) -> Node:
        states = as_words(entry.get("states", entry.get("state")), f"{at}.states")
        properties = as_words(entry.get("properties"), f"{at}.properties")
        attributes = list(properties)
        if "affordances" in entry:
            words = as_words(entry["affordances"], f"{at}.affordances")
            affordances = tuple(dict.fromkeys(a for w in words for a in _AFFORDANCES.get(w, [w])))
        else:
            listed = tuple(w for w in properties if w in affordance_words())
            affordances = listed or implied(kind, states)
            attributes = [w for w in properties if w not in listed]
        parent, relation, place = self.place(node_id, at, kind, entry)
        attributes += [s for s in states if s not in state_words()]
        return Node(
            node_id,
            kind,
            parent,
            relation,
            (default_class(node_id),),
            affordances,
            tuple(s for s in states if s in state_words()),
            tuple(dict.fromkeys(attributes)),
            at=place,
        )

    def place(
        self, node_id: str, at: str, kind: str, entry: Mapping[str, object]
    ) -> tuple[str | None, str, str | None]:
        """Return parent, relation, and the place of an agent."""
        if kind == "agent":
            location = entry.get("location", entry.get("located"))
            return None, "in", self.existing(location, f"{at}.location") if location else None
        if kind in ("building", "room"):
            above = entry.get("scene", entry.get("located"))
            return (self.existing(above, f"{at}.scene") if above else None), "in", None
        if node_id in self.hands:
            return self.hands[node_id], "inside_hand", None
        if kind == "asset" and not entry.get("related_to"):
            key = next((k for k in _LOCATED if entry.get(k)), "located")
            return self.existing(entry.get(key), f"{at}.{key}"), "in", None
        relation = entry.get("relation", "ontop_of")
        if relation not in RELATIONS:
            word = as_name(relation, f"{at}.relation")
            hint = did_you_mean(word, RELATIONS) or f"relations are {', '.join(RELATIONS)}"
            raise SceneError(f"{at}.relation", "a relation", clip(word), hint)
        return self.existing(entry.get("related_to"), f"{at}.related_to"), str(relation), None


def _to_graph(scene: Scene) -> dict[str, object]:
    groups: dict[str, list[dict[str, object]]] = {
        k: [] for k in ("scene", "room", "asset", "object", "agent")
    }
    for node in scene.nodes.values():
        written = [a for a in scene.ancestors(node.id) if scene.nodes[a].type in _WRITTEN]
        entry: dict[str, object] = {"id": node.id}
        group = node.type
        match node.type:
            case "building":
                group = "scene"
            case "room":
                entry |= {"scene": written[0]} if written else {}
            case "agent":
                held = scene.children.get(node.id, ())
                entry |= {"location": room_near(scene, node) or "", "holding": held[0] if held else ""}
            case "asset" | "part" | "object" if any(scene.nodes[a].type in _ALWAYS for a in written):
                if node.type != "object" and (node.relation == "in" or node.parent != written[0]):
                    entry["located"] = written[0]
                else:
                    entry |= {"relation": node.relation, "related_to": written[0]}
                group = "object" if node.type == "object" else "asset"
                entry |= {"states": list(node.state), "affordances": list(node.affordances)}
            case _:
                continue
        if node.affordances:
            entry["affordances"] = list(node.affordances)
        if node.attributes:
            entry["properties"] = list(node.attributes)
        groups[group].append(entry)
    return {"nodes": {kind: group for kind, group in groups.items() if group}}


_ALWAYS = ("building", "room", "agent")
_WRITTEN = (*_ALWAYS, "asset", "part", "object")


def _detect(content: Content) -> bool:
    raw = content.json_or_none
    if not isinstance(raw, dict) or "format" in raw:
        return False
    if isinstance(raw.get("nodes"), list):
        nodes = [node for node in raw["nodes"] if isinstance(node, dict)]
        types = [node.get("type") for node in nodes]
        typed = bool(nodes) and all(isinstance(word, str) and word in TYPES for word in types)
        return typed and any("related_to" in node for node in nodes) and not _of_sayplan(raw, nodes)
    if not isinstance(raw.get("nodes"), dict):
        return False
    groups = [*raw["nodes"].values(), *(raw.get(k) for k in TYPES)]
    entries = [e for group in groups if isinstance(group, list) for e in group if isinstance(e, dict)]
    return any(not _MARKS.isdisjoint(e) for e in entries) and not _of_sayplan(raw, entries)


def _of_sayplan(raw: Mapping[str, object], entries: Iterable[Mapping[str, object]]) -> bool:
    """Return whether links are texts, or states say where a thing is, as in SayPlan's format.

    There other keys are kept, whatever their names.
    """
    links = [link for key in ("links", "edges") if isinstance(some := raw.get(key), list) for link in some]
    places = (_PLACE.match(state) for e in entries if isinstance(state := e.get("state"), str))
    return any(isinstance(link, str) for link in links) or any(places)


def _loses(scene: Scene) -> tuple[str, ...]:
    return differences(scene, read_graph(_to_graph(scene), "again"))


FORMAT = Format(
    "lookplangraph",
    "LookPlanGraph memory graph",
    _detect,
    json_reader(read_graph),
    json_writer(_to_graph),
    _loses,
    (".lookplangraph.json",),
)
