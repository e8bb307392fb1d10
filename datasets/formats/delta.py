"""DELTA's scene dictionaries (Liu et al., ICRA 2025): Python source, read as literals and never executed.

DELTA fixes the keys, and no change may let a file run code; the mapping at the end is ours and may be
changed, with ``docs/formats.md``. DELTA keeps its scenes as assignments of dictionaries in a Python module,
here one of each kind of entry::

    HOUSE = {"name": "house", "rooms": {
        "kitchen": {"neighbor": ["hall"], "items": {
            "fork": {"accessible": True, "affordance": ["pick", "drop"], "state": "free"},
            "shelf": {..., "affordance": ["pick", "drop", "load"], "content": {"book": {...}}}}},
        "hall": {"neighbor": ["kitchen"], "assets": {
            "desk": {"accessible": True, "affordance": [], "state": "free",
                     "items": {"cup": {..., "relation": "on"}}}}}},
        "agent": {"position": "hall", "state": "hand-free"}}

Only such literals are taken out of what Python's parser makes of the text; imports and functions around them
are passed over. They are built from text, numbers, lists and dictionaries, and nothing else is evaluated. A
key that a dictionary has twice is refused, and so is a variable that is set to two scenes: one would be lost.
Where the module has several scenes, ``item`` picks one by its variable or its name. The same as JSON is read.

Mapping to a scene:

- rooms: rooms, in which things can be dropped; neighbours: links of 1 m, since there are no positions. A
  neighbour that is not a room (their office has three misspelt ones) is passed over; the description says so
- entries that can be picked up, and entries below them or on an asset: objects; others: assets.
  Things can be put on assets that are accessible; what is not has the attribute ``inaccessible``
- pick: pickup; open, close, turnon, turnoff: open, close, turn_on, turn_off; load: release, contain. Other
  affordances keep their names, except drop and unload, which follow from the others
- states: the words that the household knows; others (loaded) are attributes, ``free`` says nothing
- relation in: ``inside_of``; on, or none: ``ontop_of``; content: ``inside_of``
- the agent's position: the robot's room

Losses: neighbours that are no other room, each; a human, the agent's state and other keys that are not read,
counted. Read only.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import replace

from ...domains.errors import SceneError, clip, did_you_mean
from ...simulator.scene import Link, Loss, Node, Scene, default_class
from ...simulator.scene_json import DEFAULT_LENGTH
from .assembly import with_robot
from .classes import WORDS, state_words
from .content import Content, Format, unchosen
from .document import as_list, as_name, as_object, as_words
from .unread import fields_left, parts_left

MAX_CHARACTERS = 500_000
"""Of Python: its parser takes some 600 bytes for each."""
MAX_DEPTH, MAX_BITS = 40, 64

AFFORDANCES = WORDS["delta"]["affordances"]
OWN_NEIGHBOUR, NO_ROOM = "a room is no neighbour of its own", "this neighbour is no room"
ENTRY_KEYS = ("accessible", "affordance", "state", "content", "items", "relation")

_ASSIGNED = re.compile(r"^([A-Za-z_]\w{0,99})[ \t]*=[ \t]*(?=\{)", re.MULTILINE)


def _detect(content: Content) -> bool:
    raw = content.json_or_none
    if raw is not None:
        return _is_scene(raw)
    try:
        head = content.text if len(content.data) <= MAX_CHARACTERS else ""
    except SceneError:
        return False
    return "neighbor" in head and "rooms" in head and _ASSIGNED.search(head) is not None


def _is_scene(raw: object) -> bool:
    rooms = raw.get("rooms") if isinstance(raw, dict) else None
    return isinstance(rooms, dict) and any(isinstance(r, dict) and "neighbor" in r for r in rooms.values())


def _read(content: Content) -> Scene:
    raw = content.json_or_none
    if raw is not None:
        content.expect_no_item()
        return delta_scene(raw, content.where, content.name)
    scenes: dict[str, Mapping[str, object]] = {}
    for variable, literal in _scenes(content):
        if variable in scenes:
            raise SceneError(f"{content.where}: {variable}", "variables that are set once", "one set twice")
        scenes[variable] = literal
    variables = {variable: variable for variable in scenes}
    for variable, scene in scenes.items():
        name = scene.get("name")
        if isinstance(name, str):
            variables.setdefault(name, variable)
    if not scenes:
        hint = "each has rooms with neighbours"
        raise SceneError(content.where, "a scene, or --item for one of several", "0 scenes", hint)
    chosen = content.item or (next(iter(scenes)) if len(scenes) == 1 else "")
    if chosen not in variables:
        raise unchosen(content.where, "scene", content.item, scenes)
    variable = variables[chosen]
    return delta_scene(scenes[variable], f"{content.where}: {variable}", f"{content.name}: {variable}")


def _scenes(content: Content) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Yield the dictionaries of a module that are scenes, each after its variable."""
    text, where = content.text, content.where
    if len(text) > MAX_CHARACTERS:
        raise SceneError(where, f"at most {MAX_CHARACTERS} characters of Python", str(len(text)))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes that Python does not know; it keeps them as they are
            module = ast.parse(text)
    except SyntaxError as error:
        raise SceneError(f"{where}:{error.lineno}:{error.offset}", "Python", clip(error.msg)) from None
    except (ValueError, RecursionError, MemoryError) as error:
        got = clip(str(error)) or "brackets or signs that nest too deep"
        raise SceneError(where, "Python", got) from None
    for statement in module.body:
        match statement:
            case ast.Assign([ast.Name(variable)], ast.Dict() as literal):
                value = _value(literal, text, where)
                if _is_scene(value):
                    assert isinstance(value, dict)
                    yield variable, value


def _value(node: ast.expr, text: str, where: str, depth: int = 0) -> object:
    """Return the value of a literal, with lists for tuples. Raises :class:`SceneError` for anything else."""
    if depth > MAX_DEPTH:
        raise _expected(f"at most {MAX_DEPTH} nested brackets", node, text, where)
    match node:
        case ast.Constant(int() as whole) if whole.bit_length() > MAX_BITS:
            raise _expected(f"a number of at most {MAX_BITS} bits", node, text, where)
        case ast.Constant(str() | int() | float() | None as value):
            return value
        case ast.UnaryOp(ast.USub(), ast.Constant(int() | float()) as inner):
            number = _value(inner, text, where)
            assert isinstance(number, int | float)
            return -number
        case ast.List(items) | ast.Tuple(items):
            return [_value(item, text, where, depth + 1) for item in items]
        case ast.Dict(keys, values):
            made: dict[object, object] = {}
            for key, item in zip(keys, values, strict=True):
                if not isinstance(key, ast.Constant | ast.UnaryOp):
                    raise _expected("text or a number as a key", key or item, text, where)
                name = _value(key, text, where)
                if name in made:
                    twice = f"{clip(name, 40)} twice"
                    raise _expected("keys that a dictionary has once", key, text, where, twice)
                made[name] = _value(item, text, where, depth + 1)
            return made
    raise _expected("literals: text, numbers, lists and dictionaries", node, text, where)


def _expected(expected: str, node: ast.expr, text: str, where: str, got: str = "") -> SceneError:
    """Return the error for a part of a literal, with its line and column."""
    place = f"{where}:{node.lineno}:{node.col_offset + 1}"
    return SceneError(place, expected, got or clip(ast.get_source_segment(text, node)))


def delta_scene(raw: object, where: str, default_name: str = "") -> Scene:
    """Read one of DELTA's dictionaries as a scene; ``default_name`` names one that has no name.

    Raises :class:`SceneError` naming the place in the dictionary.
    """
    document = as_object(raw, where)
    rooms = _named(document.get("rooms"), f"{where}: rooms")
    nodes = {
        name: Node(name, "room", classes=(default_class(name),), affordances=("release",)) for name in rooms
    }
    things = _Things(nodes)
    for name, room in rooms.items():
        at = f"{where}: rooms.{clip(name, 40)}"
        for key in ("assets", "items"):
            things.put(room.get(key), f"{at}.{key}", name)
    links, losses = _links(rooms, where)
    unknown = [loss.id.partition(" - ")[2] for loss in losses if loss.reason == NO_ROOM]
    agent = document.get("agent")
    if agent is not None:
        at = f"{where}: agent.position"
        start = as_name(as_object(agent, f"{where}: agent").get("position"), at)
        if start not in rooms:
            raise SceneError(at, "a room", clip(start), did_you_mean(start, rooms))
        if "agent" in nodes:
            raise SceneError(f"{where}: agent", "a free id for the robot", "a thing that is called agent")
        nodes["agent"] = Node("agent", "agent", classes=("agent",), at=start)
    given = document.get("name")
    title = given if isinstance(given, str) and given else default_name or where
    description = (
        f"neighbours that are no rooms were passed over: {', '.join(unknown[:20])}" if unknown else ""
    )
    losses += parts_left(document, ("name", "rooms", "agent"))
    losses += fields_left([agent], ("position",), "agent")
    losses += fields_left(rooms.values(), ("neighbor", "assets", "items"), "rooms")
    losses += fields_left(things.entries, ENTRY_KEYS, "entries")
    return Scene(title, with_robot(nodes), links, description, tuple(losses))


def _named(value: object, at: str) -> dict[str, Mapping[str, object]]:
    """Read a mapping of names to objects; an absent one is empty."""
    entries = as_object(value, at) if value is not None else {}
    named = {as_name(k, at): as_object(v, f"{at}.{clip(str(k), 40)}") for k, v in entries.items()}
    if len(named) < len(entries):
        raise SceneError(at, "names that are unique", "a number that is a name as text, too")
    return named


def _links(rooms: Mapping[str, Mapping[str, object]], where: str) -> tuple[tuple[Link, ...], list[Loss]]:
    """Return one link for each two neighbours, and the neighbours that are no other room."""
    links: dict[frozenset[str], Link] = {}
    losses: list[Loss] = []
    for name, room in rooms.items():
        listed, at = room.get("neighbor"), f"{where}: rooms.{clip(name, 40)}.neighbor"
        for index, value in enumerate(as_list(listed, at) if listed is not None else ()):
            other = as_name(value, f"{at}[{index}]")
            if other in rooms and other != name:
                links.setdefault(frozenset((name, other)), Link(name, other, DEFAULT_LENGTH))
            else:
                reason = OWN_NEIGHBOUR if other == name else NO_ROOM
                losses.append(Loss("edge", f"{clip(name, 40)} - {clip(other, 40)}", reason))
    return tuple(links.values()), losses


class _Things:
    """The items and assets of the rooms, parents first; anything below a movable one is movable."""

    def __init__(self, nodes: dict[str, Node]) -> None:
        self.nodes, self.entries = nodes, list[Mapping[str, object]]()

    def put(
        self, value: object, at: str, parent: str, relation: str = "", movable: bool = False, depth: int = 0
    ) -> None:
        """Put the entries of a mapping into the scene, and all below them."""
        if depth > MAX_DEPTH:
            raise SceneError(at, f"contents of contents at most {MAX_DEPTH} deep", "deeper")
        for name, raw in _named(value, at).items():
            place = f"{at}.{clip(name, 40)}"
            preposition = raw.get("relation")
            if preposition not in (None, "in", "on"):
                raise SceneError(f"{place}.relation", "on or in", clip(preposition))
            stands = relation or ("inside_of" if preposition == "in" else "ontop_of")
            moves = movable or "pick" in as_words(raw.get("affordance"), f"{place}.affordance")
            if name in self.nodes:
                other = self.nodes[name]
                got = f"a {other.type} of this name in {other.parent or 'the scene'}"
                raise SceneError(place, "names that are unique", got)
            node = _thing(name, raw, place, moves)
            self.nodes[name] = replace(node, parent=parent, relation=stands if moves else "in")
            self.entries.append(raw)
            self.put(raw.get("content"), f"{place}.content", name, "inside_of", True, depth + 1)
            self.put(raw.get("items"), f"{place}.items", name, "", True, depth + 1)


def _thing(name: str, raw: Mapping[str, object], at: str, movable: bool) -> Node:
    """Return the node of an entry, without its place."""
    words_of_delta = as_words(raw.get("affordance"), f"{at}.affordance")
    affordances = [a for w in words_of_delta for a in AFFORDANCES.get(w, [w])]
    accessible = raw.get("accessible", True)
    if not isinstance(accessible, bool):
        raise SceneError(f"{at}.accessible", "True or False", clip(accessible))
    if accessible and not movable:
        affordances.append("release")
    state = raw.get("state")
    if state is not None and not isinstance(state, str):
        raise SceneError(f"{at}.state", "words with commas between them", clip(state))
    words = [w.strip().lower() for w in (state or "").split(",") if w.strip()]
    states = dict.fromkeys(w for w in words if w in state_words())
    attributes = [w for w in words if w not in states and w != "free"]
    return Node(
        name,
        "object" if movable else "asset",
        classes=(default_class(name),),
        affordances=tuple(dict.fromkeys(affordances)),
        state=tuple(states),
        attributes=tuple(dict.fromkeys(attributes if accessible else [*attributes, "inaccessible"])),
    )


FORMAT = Format("delta", "DELTA scene dictionaries", _detect, _read, several=True)
