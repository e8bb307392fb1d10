"""SayPlan's node-link format, read and written (SayPlan, appendices K and L).

The layout is the paper's and must stay: models are prompted with it (recorded answers belong to those
prompts), and token counts are compared with the paper's. Reading may accept more. A document is
``{"nodes": {TYPE: [NODE, ...], ...}, "links": ["a<->b", ...]}`` with

- room, floor, building, campus, pose: ``{"id"}``
- agent: ``{"location", "id"}``, its place (a pose, a room) or what is shown around it
- asset (and part): ``{"room", "state", "affordances", "id"}``, state ``"closed, off"`` or ``"free"``
- object: ``{"affordances", "state", "id"}``, state ``"inside_of(wardrobe1), dirty"``

and ``"attributes"`` where a node has some (never the agent). Links between poses and rooms can be driven.
Every other link joins a node to its parent, which rooms, poses and the levels above state nowhere else; in a
view that leaves nodes out, to the nearest ancestor that is shown.

Read are also the flat spelling of section 3.2 (``name`` for ``id``, ``location`` for ``room``, ``type``,
``position``) and what programs after the paper write: nodes by id or in one list with their types, ``class``,
``loc``, what a node ``contains`` or ``carries``, and links under ``edges`` with other arrows, as pairs or as
objects with two ends. Other keys, of nodes and of the document, are kept as they are and written with a whole
scene. A slip of one letter in a known key that is absent there is refused; what resembles one is a doubt.

The format cannot hold, and reading back therefore gives: things whose place is not known (none), lengths of
links (1 m, or the distance of the ends where positions are given), positions (none), classes (the id without
its digits), descriptions and provenance of nodes (none), the scene's name (that of the caller) and its
description (none), where the document has none, the order of nodes across types.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ..domains.errors import SceneError, clip, did_you_mean
from .scene import CONTAINERS, DOUBT, NODE_TYPES, NOT_READ, RELATIONS, Link, Loss, Node, Scene, default_class
from .scene_json import node_fields, straight

ORDER = ("campus", "building", "floor", "room", "pose", "agent", "asset", "part", "object")
FREE, ARROW = "free", "<->"
_ARROWS = (ARROW, "\u2194", "<-->", "--", "->", "\u2192", "-")
"""Signs between the ends of a link, the one that is written first."""
_ENDS = (("source", "target"), ("from", "to"), ("a", "b"))
_PLACES, _THINGS = ("room", "pose"), ("asset", "part", "object")
_LINKS = ("links", "edges")
_BELOW = ("contains", "carries")
_ALIASES = {"name": "id", "loc": "location"}
_KEYS = frozenset("id type room location state affordances attributes position class description".split())
READ = frozenset({*_KEYS, *_BELOW})
"""The keys of nodes that are read, under their own names."""
_STATELESS = READ - {"state"}
"""Those of nodes that have no state: rooms, levels, poses, agents."""
TOP = ("nodes", *_LINKS, "name", "description")
"""The keys of a document that are read."""


def to_sayplan(scene: Scene, extra: bool = False) -> dict[str, object]:
    """Write a whole scene in SayPlan's format, without things whose place is not known.

    ``extra`` adds the scene's name and description and all further keys: for files, since no model is told
    of them.
    """
    written = node_link(scene, tuple(i for i in scene.nodes if i not in scene.unplaced), extra=extra)
    if not extra:
        return written
    about = {"name": scene.name, "description": scene.description}
    return written | {key: text for key, text in about.items() if text} | _unread(scene.extra, TOP)


def node_link(
    scene: Scene, shown: Sequence[str], descriptions: bool = False, extra: bool = False
) -> dict[str, object]:
    """Write the shown nodes and their links; ``descriptions`` and ``extra`` add keys that the paper lacks."""
    groups: dict[str, list[dict[str, object]]] = {}
    visible = frozenset(shown)
    shown = sorted(shown, key=lambda i: ORDER.index(scene.nodes[i].type))
    for node_id in shown:
        node = scene.nodes[node_id]
        entry = _entry(scene, node, visible)
        if descriptions and node.description:
            entry["description"] = node.description
        if extra:
            entry |= _unread(node.extra, READ)
        groups.setdefault(node.type, []).append(entry)
    links = [f"{a}{ARROW}{b}" for a, b in edges(scene, shown)]
    return {"nodes": {t: groups[t] for t in ORDER if t in groups}, "links": links}


def edges(scene: Scene, shown: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the links, then an edge from every shown node to the nearest shown node above it."""
    visible = frozenset(shown)
    for link in scene.links:
        if link.a in visible and link.b in visible:
            yield link.a, link.b
    for node_id in shown:
        above = next((a for a in scene.ancestors(node_id) if a in visible), None)
        if above is not None:
            yield above, node_id


def _entry(scene: Scene, node: Node, visible: frozenset[str]) -> dict[str, object]:
    entry: dict[str, object] = {}
    match node.type:
        case "agent":
            places = (node.at, *scene.ancestors(node.id))
            return {"location": next((p for p in places if p in visible), None), "id": node.id}
        case "asset" | "part":
            plain = node.relation == "in"
            room = node.parent if plain else scene.room_of(node.id)
            state = _join(node.state if plain else (_where(node), *node.state)) or FREE
            entry = {"room": room, "state": state, "affordances": list(node.affordances)}
        case "object":
            entry = {"affordances": list(node.affordances), "state": _join((_where(node), *node.state))}
    if node.attributes:
        entry["attributes"] = _join(node.attributes)
    return {**entry, "id": node.id}


def _where(node: Node) -> str:
    return node.relation if node.relation == "inside_hand" else f"{node.relation}({node.parent})"


def _join(words: Sequence[str]) -> str | list[str]:
    """Join words as the paper prints them; keep a list where a comma would split one of them in two."""
    first_is_place = bool(words) and "(" in words[0]
    if any("," in w or w != w.strip() for w in words[first_is_place:]):
        return list(words)
    return ", ".join(words)


def from_sayplan(raw: object, where: str, default_name: str = "") -> Scene:
    """Build a scene from SayPlan's format; ``default_name`` (or else ``where``) names one without a name.

    Raises :class:`SceneError` naming the place in the document.
    """
    if not isinstance(raw, dict) or not isinstance(raw.get("nodes"), dict | list):
        raise SceneError(where, "an object with nodes by type, and links", type(raw).__name__)
    doubts = _resembling(raw, TOP, f"{where}: ")
    return _Reader(raw, where, Counter(doubts)).read(default_name or where)


class _Reader:
    def __init__(self, raw: Mapping[str, object], where: str, doubts: Counter[tuple[str, str]]) -> None:
        self.raw, self.where, self.doubts = raw, where, doubts
        self.left: Counter[str] = Counter()
        self.places: dict[str, str] = {}
        self.entries: dict[str, tuple[str, Mapping[str, object]]] = {}
        self.above: Mapping[str, tuple[str, str]] = {}

    def read(self, default_name: str) -> Scene:
        for at, node_type, entry in listed(self.raw["nodes"], self.where):
            node_id = entry.get("id")
            if not isinstance(node_id, str) or not node_id:
                raise SceneError(f"{at}.id", "a non-empty string", clip(node_id))
            if node_id in self.entries:
                raise SceneError(f"{at}.id", "ids that are unique", clip(node_id))
            read = READ if node_type in _THINGS else _STATELESS
            self.doubts.update(_resembling(entry, read, f"{at}."))
            self.places[node_id] = at
            self.entries[node_id] = (node_type, entry)
        self.above = {
            below: (node_id, key)
            for node_id, (_, entry) in self.entries.items()
            for key in _BELOW
            for below in self.words(entry.get(key), f"{self.places[node_id]}.{key}")
        }
        nodes = {i: self.node(i, t, e) for i, (t, e) in self.entries.items()}
        links = self.links(nodes)
        name = self.raw.get("name")
        text = self.raw.get("description")
        title = name if isinstance(name, str) else default_name
        description = text if isinstance(text, str) else ""
        losses = [
            *(
                Loss(DOUBT, clip(k), f"kept as a further key; {hint}", n)
                for (k, hint), n in self.doubts.items()
            ),
            *(Loss("field", clip(f"links.{key}"), NOT_READ, number) for key, number in self.left.items()),
        ]
        for below, (holder, key) in self.above.items():
            if below in nodes and nodes[below].parent != holder:
                losses.append(
                    Loss(DOUBT, clip(below), f"{clip(holder)} {key} it, by its own entry it is elsewhere")
                )
        return Scene(title, nodes, links, description, tuple(losses), _unread(self.raw, TOP))

    def node(self, node_id: str, node_type: str, entry: Mapping[str, object]) -> Node:
        at = self.places[node_id]
        attributes = self.words(entry.get("attributes"), f"{at}.attributes")
        affordances = self.words(entry.get("affordances"), f"{at}.affordances")
        fields = node_fields({k: entry[k] for k in ("position", "description") if k in entry}, at)
        classes = self.words(entry.get("class"), f"{at}.class") or (default_class(node_id),)
        node = Node(
            node_id, node_type, classes=classes, affordances=affordances,
            attributes=attributes, extra=_unread(entry, READ),
            **fields,  # type: ignore[arg-type]
        )  # fmt: skip
        key = "location" if "location" in entry else "room"
        stated = self.existing(entry[key], f"{at}.{key}") if entry.get(key) is not None else None
        if node_type == "agent":
            if stated is not None and self.entries[stated][0] == "pose":
                return replace(node, at=stated)
            return replace(node, parent=stated)
        if node_type in _THINGS:
            parent, relation, state = self.state(entry.get("state"), f"{at}.state")
            if relation is None and stated is None and node_id in self.above:
                holder, key = self.above[node_id]
                parent, relation = holder, "inside_hand" if key == "carries" else self.held(holder)
            if relation is None and node_type == "object" and stated is None:
                hint = "such as inside_of(fridge), ontop_of(table) or inside_hand"
                raise SceneError(f"{at}.state", "where the object is", clip(entry.get("state")), hint)
            if relation is None:
                parent, relation = stated, "ontop_of" if node_type == "object" else "in"
            if node_type == "asset" and parent is None:
                raise SceneError(f"{at}.room", "the id of a room", "nothing")
            return replace(node, parent=parent, relation=relation, state=state)
        return node

    def state(self, value: object, at: str) -> tuple[str | None, str | None, tuple[str, ...]]:
        """Split a state string into parent, relation and the other words."""
        if isinstance(value, list) and value and isinstance(value[0], str):
            parent, relation, first = self.state(value[0], at)
            return parent, relation, tuple(dict.fromkeys((*first, *self.words(value[1:], at))))
        if isinstance(value, str):
            head, bracket, rest = value.partition("(")
            relation = head.strip()
            if value.split(",")[0].strip() == "inside_hand" or (bracket and relation == "inside_hand"):
                parent, rest = self.hand(at), value.partition(",")[2]
                return parent, "inside_hand", self.words(rest, at)
            if bracket and relation not in RELATIONS:
                raise SceneError(
                    at, f"one of {', '.join(RELATIONS)}", clip(relation), did_you_mean(relation, RELATIONS)
                )
            if bracket:
                # A name may hold brackets and commas itself: the longest known name decides.
                ends = [i for i, c in enumerate(rest) if c == ")"]
                for end in reversed(ends):
                    after = rest[end + 1 :].strip()
                    if rest[:end] in self.entries and (not after or after.startswith(",")):
                        return rest[:end], relation, self.words(after.removeprefix(","), at)
                self.existing(rest.partition(")")[0], at)
        return None, None, self.words(value, at)

    def held(self, holder: str) -> str:
        """Return how a thing stands to what contains it: inside of what opens or can be moved, else on it."""
        node_type, entry = self.entries[holder]
        if node_type not in _THINGS:
            return "in"
        opens = "open" in self.words(entry.get("affordances"), self.places[holder])
        return "inside_of" if opens or node_type == "object" else "ontop_of"

    def hand(self, at: str) -> str:
        agents = [i for i, (t, _) in self.entries.items() if t == "agent"]
        if len(agents) != 1:
            raise SceneError(at, "inside_hand with one agent", f"{len(agents)} agents")
        return agents[0]

    def words(self, value: object, at: str) -> tuple[str, ...]:
        if value is None:
            return ()
        if isinstance(value, str):
            value = [w.strip() for w in value.split(",")]
        if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
            raise SceneError(at, "a string or a list of strings", clip(value))
        return tuple(dict.fromkeys(v for v in value if v and v != FREE))

    def existing(self, value: object, at: str) -> str:
        if not isinstance(value, str) or value not in self.entries:
            hint = did_you_mean(value, self.entries) if isinstance(value, str) else ""
            raise SceneError(at, "the id of a node", clip(value), hint)
        return value

    def links(self, nodes: dict[str, Node]) -> tuple[Link, ...]:
        """Return the links between places; those of the hierarchy go into ``nodes`` or are checked."""
        raw: list[object] = []
        for key in _LINKS:
            part = self.raw.get(key, [])
            if not isinstance(part, list):
                raise SceneError(f"{self.where}: {key}", "a list", type(part).__name__)
            raw += part
        links: list[Link] = []
        rest: list[tuple[str, str, str]] = []
        rank = {t: i for i, t in enumerate(("campus", "building", "floor", "room", "asset", "part"))}
        for index, item in enumerate(raw):
            at = f"{self.where}: links[{index}]"
            a, b = self.ends(item, at)
            types = (nodes[a].type, nodes[b].type)
            if all(t in _PLACES for t in types):
                links.append(Link(a, b, straight(nodes[a], nodes[b])))
                continue
            above, below = (a, b) if rank.get(types[0], 99) <= rank.get(types[1], 99) else (b, a)
            if nodes[below].parent is None and nodes[above].type in CONTAINERS:
                nodes[below] = replace(nodes[below], parent=above)
            rest.append((at, above, below))
        for at, above, below in rest:
            if above not in _chain(nodes, below) and below not in _chain(nodes, above):
                got = f"{clip(above)}{ARROW}{clip(below)}, but {clip(below)} is in {nodes[below].parent}"
                raise SceneError(at, "a link along the hierarchy or between poses and rooms", got)
        return tuple(links)

    def ends(self, item: object, at: str) -> tuple[str, str]:
        """Return the ids of a link; an arrow inside a name is no arrow where another reading exists."""
        pair: object = item
        if isinstance(item, dict):
            ends = next((keys for keys in _ENDS if all(k in item for k in keys)), ())
            pair = [item[k] for k in ends]
            self.left.update(key for key in item if key not in ends)
        if isinstance(pair, list) and len(pair) == 2:
            return self.existing(pair[0], at), self.existing(pair[1], at)
        if isinstance(item, str):
            for arrow in _ARROWS:
                parts = item.split(arrow)
                for cut in range(1, len(parts)):
                    a, b = arrow.join(parts[:cut]), arrow.join(parts[cut:])
                    for left, right in ((a, b), (a.strip(), b.strip())):
                        if left in self.entries and right in self.entries:
                            return left, right
            sign = next((arrow for arrow in _ARROWS if item.count(arrow) == 1), None)
            if sign is not None:
                first, _, second = item.partition(sign)
                return self.existing(first.strip(), at), self.existing(second.strip(), at)
        raise SceneError(at, f'"a{ARROW}b", or a pair of ids', clip(item))


def listed(groups: object, where: str) -> Iterator[tuple[str, str, Mapping[str, object]]]:
    """Yield every node's entry with its place in the document and its type, its keys as the paper has them.

    Raises :class:`SceneError`.
    """
    entries: Iterable[tuple[str, str | None, object]] = _of_groups(groups, where)
    if isinstance(groups, list):
        entries = [(f"{where}: nodes[{i}]", None, entry) for i, entry in enumerate(groups)]
    for at, group, entry in entries:
        if not isinstance(entry, dict):
            raise SceneError(at, "an object", type(entry).__name__)
        # Of an entry with both names of a key the other one is a key like any further one.
        plain: dict[str, object] = {}
        for key, value in entry.items():
            own = str(_ALIASES.get(key, key))
            plain[key if own in entry else own] = value
        node_type = plain.get("type", group) if group is None else group
        if not isinstance(node_type, str) or node_type not in NODE_TYPES:
            hint = did_you_mean(node_type, NODE_TYPES) if isinstance(node_type, str) else ""
            raise SceneError(f"{at}.type", "a node type", clip(node_type), hint)
        if plain.get("type", node_type) != node_type:
            raise SceneError(f"{at}.type", node_type, clip(plain["type"]))
        yield at, node_type, plain


def _unread(entry: Mapping[str, object], read: Collection[str]) -> dict[str, object]:
    """Return what an entry has under keys that are not read."""
    return {key: value for key, value in entry.items() if key not in read}


def _resembling(entry: Mapping[str, object], read: Collection[str], at: str) -> Iterator[tuple[str, str]]:
    """Yield each further key that resembles a known one which the entry lacks, with a hint.

    Known keys of four letters are a letter away from too many words. Raises :class:`SceneError` where the key
    is a slip: a letter too many, one left out, or two in the wrong order.
    """
    present = {_ALIASES.get(key, key) for key in entry}
    absent = [key for key in read if len(key) > 4 and _ALIASES.get(key, key) not in present]
    for key in _unread(entry, read):
        if hint := did_you_mean(key, absent):
            if any(_slip(key.casefold(), correct) for correct in absent):
                raise SceneError(f"{at}{clip(key)}", "a known key", clip(key), hint)
            yield key, hint


def _slip(key: str, correct: str) -> bool:
    short, long = sorted((key, correct), key=len)
    if len(short) == len(long):
        return sorted(key) == sorted(correct) and sum(a != b for a, b in zip(key, correct, strict=True)) <= 2
    return any(long[:i] + long[i + 1 :] == short for i in range(len(long)))


def _of_groups(groups: object, where: str) -> Iterator[tuple[str, str, object]]:
    """Yield the entries of nodes by type, as a list or by id."""
    for node_type, group in groups.items() if isinstance(groups, dict) else ():
        at = f"{where}: nodes.{clip(node_type)}"
        if node_type not in NODE_TYPES:
            raise SceneError(at, "a node type", clip(node_type), did_you_mean(node_type, NODE_TYPES))
        if isinstance(group, dict):
            for node_id, entry in group.items():
                yield (
                    f"{at}.{clip(node_id)}",
                    node_type,
                    {"id": node_id, **entry} if isinstance(entry, dict) else entry,
                )
        elif isinstance(group, list):
            for index, entry in enumerate(group):
                yield f"{at}[{index}]", node_type, entry
        else:
            raise SceneError(at, "a list, or an object by id", type(group).__name__)


def _chain(nodes: Mapping[str, Node], node_id: str) -> set[str]:
    """Return the nodes above a node, up to a cycle, which the scene's own check reports."""
    seen: set[str] = set()
    above = nodes[node_id].parent
    while above is not None and above not in seen:
        seen.add(above)
        above = nodes[above].parent
    return seen
