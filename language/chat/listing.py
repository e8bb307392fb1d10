"""Scene as a listing for a model's prompt: one line a room, about a fifth of the tokens of its JSON.

    rooms: kitchen, lobby, hall
    kitchen (breakout area): counter [on apple1 (red), plate1 (dirty)]; fridge (closed) [in kebab]
    agent in lobby: holds mug1
    left out: 2 rooms, 31 things

The names of all rooms come first, unless all have a line of their own: whatever the task, a listing begins
alike, and a server that keeps the beginning of a prompt reads it once. A thing stands in the brackets of what
it is in or on, with its class where the name does not say it, its states, attributes and description behind
it. Names of any other form than ``name_1`` are JSON strings, so that no name can end a line or look like a
role marker. A text that is too long is cut room by room, furniture after what is in it, and the last line
counts what is missing. What a task names is never cut, so a text grows with the task and not with the scene.
The form, ``LEGEND`` and ``MOST_TOKENS`` may be changed with new recordings only: a cassette is found by its
requests.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from ...domains.errors import counted
from ...simulator.sayplan_json import node_link
from ...simulator.scene import CONTAINERS, THINGS, Node, Scene, default_class
from ..reader import SceneText
from .prompt import as_data
from .servers.meter import count_tokens

MOST_TOKENS = 1200
"""Most tokens of a listing, without what a task names and the line that counts what was left out."""
MOST_NAMED = 240
"""Most named things that are listed whatever they cost."""
MOST_LINES = 60
"""Most rooms with a line of their own."""
MOST_DESCRIPTION = 120
"""Most characters of a description."""
MOST_HELD = 10
"""Most things in the robot's hands, with what is in them."""
_NOTE = 6
"""Tokens of the words for what was left out of one line."""
EMPTY_SHARE = 6
"""The line with the names of all rooms gets at most this part, a sixth, of the tokens."""
_COMMA, _BRACKETS = 1, 2
"""Tokens between two things, and of the brackets and the relation around those of one holder."""

LEGEND = "(a line is a room: thing (what it is and how) [on or in it: things])"
_WORDS = {"ontop_of": "on", "inside_of": "in", "in": "in", "under": "under", "attached_to": "attached"}
_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")


def scene_data(
    subgraph: Scene, most: int = MOST_TOKENS, form: SceneText = "own", named: Sequence[str] = ()
) -> dict[str, object] | list[str]:
    """Return a subgraph as data for a prompt: the lines of a listing of about ``most`` tokens, or JSON.

    The JSON of the paper (``form``) is never cut, and has descriptions, which the paper's has not; nor are
    things cut from a listing that are ``named``.
    """
    if form == "sayplan":
        return node_link(subgraph, tuple(subgraph.nodes), descriptions=True)
    return [LEGEND, *listing(subgraph, most=most, named=named).split("\n")]


def listing(
    scene: Scene,
    rooms: Sequence[str] | None = None,
    most: int = MOST_TOKENS,
    named: Sequence[str] = (),
) -> str:
    """Return the rooms with what is in them as a text of about ``most`` tokens.

    ``scene`` is the part that a search revealed; ``rooms`` are the ids of the rooms to list, in order, and
    all of the scene where none are given. Floors and other places that hold things are listed like rooms.
    Things that are ``named``, with what they are in, come before all others and beyond ``most``.

    >>> from groundplan import load_scene
    >>> from groundplan.language.chat.listing import listing
    >>> print(listing(load_scene("office"), ["supplies_station"]))  # doctest: +ELLIPSIS
    supplies_station: ...
    agent in ...
    """
    first = [n for n in named if n in scene.nodes][:MOST_NAMED]
    kept = dict.fromkeys(a for n in first for a in (n, *scene.ancestors(n)))
    shown = _Shown(scene, frozenset(kept))
    places = [n for n in scene.nodes if _holds(shown, n)] if rooms is None else list(dict.fromkeys(rooms))
    filled = [p for p in places if shown.things(p)]
    empty = [p for p in places if p not in set(filled)]
    end = [_agents(scene)]
    rooms_line, unnamed = _names_line("rooms", places if empty else (), most // EMPTY_SHARE)
    unplaced = [i for i in scene.by_type.get("object", ()) if scene.nodes[i].parent is None]
    unplaced_line, unlisted = _names_line("place not known", unplaced, most // EMPTY_SHARE)
    end.append(unplaced_line)
    lines_for = MOST_LINES if most <= MOST_TOKENS else len(filled)
    if len(filled) > lines_for:
        filled.sort(key=lambda place: place not in shown.named)
    room_for = most - sum(count_tokens(line) for line in (rooms_line, *end) if line)
    lines = _levelled([_line(shown, p, room_for) for p in filled[:lines_for]], room_for, shown)
    hidden = unlisted + sum(line.left_out for line in lines)
    hidden += sum(_below(shown, p) for p in filled[lines_for:])
    unseen = set(empty) & set(places[len(places) - unnamed :])
    absent = len(unseen) + len(filled[lines_for:]) + sum(not line.text for line in lines)
    missing = [counted(number, word) for number, word in ((absent, "room"), (hidden, "thing")) if number]
    note = f"left out: {', '.join(missing)}" if missing else ""
    return "\n".join(text for text in (rooms_line, *(line.text for line in lines), *end, note) if text)


def name(text: str) -> str:
    """Return a name as it stands in a listing: plain, or as a JSON string."""
    return text if _PLAIN.fullmatch(text) else as_data(text)


def qualities(node: Node, state: Sequence[str] = ()) -> tuple[str, ...]:
    """Return a node's class where its name does not say it, words of its ``state``, and its attributes."""
    plain = node.type in CONTAINERS or default_class(node.id) in node.classes
    kind = [] if plain else node.classes[:1]
    return tuple(w for w in dict.fromkeys((*kind, *state, *node.attributes)) if w)


def label(node: Node) -> str:
    """Return a node's name with its class, states, attributes and description in brackets."""
    words = [name(w) for w in qualities(node, node.state)]
    if node.description:
        words.append(as_data(node.description[:MOST_DESCRIPTION]))
    return f"{name(node.id)} ({', '.join(words)})" if words else name(node.id)


@dataclass(frozen=True, slots=True)
class _Shown:
    """A scene while it is listed: labels, and what is on what, are worked out once."""

    scene: Scene
    named: frozenset[str] = frozenset()
    """Things that are listed whatever they cost, with what they are in."""
    _things: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _labels: dict[str, str] = field(default_factory=dict)

    def things(self, node_id: str) -> tuple[str, ...]:
        """Return what is directly in or on a node, one relation after the other."""
        things = self._things.get(node_id)
        if things is None:
            nodes = self.scene.nodes
            below = [nodes[i] for i in self.scene.contents(node_id) if nodes[i].type in THINGS]
            order = dict.fromkeys([node.relation for node in below])
            if len(order) > 1:
                ranks = {relation: n for n, relation in enumerate(order)}
                below.sort(key=lambda node: ranks[node.relation])
            things = self._things[node_id] = tuple([node.id for node in below])
        return things

    def label(self, node_id: str) -> str:
        """Return the label of a node."""
        if node_id not in self._labels:
            self._labels[node_id] = label(self.scene.nodes[node_id])
        return self._labels[node_id]


@dataclass(frozen=True, slots=True)
class _Line:
    """Line of one place, its tokens, and the number of things that are not in it."""

    place: str
    text: str
    tokens: int
    left_out: int


def _holds(shown: _Shown, node_id: str) -> bool:
    node = shown.scene.nodes[node_id]
    return node.type == "room" or (node.type not in (*THINGS, "agent") and bool(shown.things(node_id)))


def _below(shown: _Shown, place: str) -> int:
    """Return the number of things in or on a place, to any depth."""
    waiting, total = deque(shown.things(place)), 0
    while waiting:
        total += 1
        waiting.extend(shown.things(waiting.popleft()))
    return total


def _line(shown: _Shown, place: str, most: int) -> _Line:
    """Return the line of a place; what does not fit is left out, the deepest things first."""
    head = shown.label(place)
    spent = _tokens(head) + _COMMA
    kept: set[str] = set()
    opened: set[str] = {place}
    left_out = 0
    most -= _NOTE
    for only_named in (True, False) if place in shown.named else (False,):
        waiting = deque(shown.things(place))
        full = spent > most and not only_named
        while waiting:
            thing = waiting.popleft()
            below = shown.things(thing)
            if only_named and thing not in shown.named:
                continue
            if thing in kept:
                waiting.extend(below)
                continue
            holder = shown.scene.nodes[thing].parent or place
            between = _COMMA if holder in opened else _BRACKETS
            cost = 0 if full else _tokens(f" {shown.label(thing)}") + between
            if full or (spent + cost > most and not only_named):
                full = full or most - spent < _NOTE
                left_out += 1 + sum(_below(shown, b) + 1 for b in below)
                continue
            spent += cost
            kept.add(thing)
            opened.add(holder)
            waiting.extend(below)
    text = f"{head}: {_rendered(shown, place, kept)}" if kept else ""
    if text and left_out:
        text += f"; … {left_out} more"
    return _Line(place, text, spent if kept else 0, left_out)


def _rendered(shown: _Shown, place: str, kept: set[str]) -> str:
    """Return the kept things below a place, nested ones in brackets; without recursion, nests are deep."""
    parts: list[str] = []
    levels: list[Iterator[tuple[str, str]]] = [_parts(shown, place, kept)]
    while levels:
        item = next(levels[-1], None)
        if item is None:
            levels.pop()
            if levels:
                parts.append("]")
            continue
        lead, thing = item
        parts.append(lead + shown.label(thing))
        if any(t in kept for t in shown.things(thing)):
            parts.append(" [")
            levels.append(_parts(shown, thing, kept))
    return "".join(parts)


def _parts(shown: _Shown, holder: str, kept: set[str]) -> Iterator[tuple[str, str]]:
    """Yield what stands before each thing of one holder, and the thing."""
    top = shown.scene.nodes[holder].type not in THINGS
    before = ""
    for number, thing in enumerate(t for t in shown.things(holder) if t in kept):
        relation = shown.scene.nodes[thing].relation
        lead = "" if number == 0 else "; " if top or relation != before else ", "
        if relation != before and not (top and relation == "in"):
            lead += f"{_WORDS.get(relation, relation)} "
        before = relation
        yield lead, thing


def _levelled(lines: Sequence[_Line], most: int, shown: _Shown) -> list[_Line]:
    """Cut the longest lines to one length, so that all have ``most`` tokens together."""
    if sum(line.tokens for line in lines) <= most:
        return list(lines)
    rest, level = most, 0
    sizes = sorted(line.tokens for line in lines)
    for index, size in enumerate(sizes):
        level = rest // (len(sizes) - index)
        if size > level:
            break
        rest -= size
    return [line if line.tokens <= level else _line(shown, line.place, level) for line in lines]


def _names_line(head: str, ids: Sequence[str], most: int) -> tuple[str, int]:
    """Return a line of names, and how many of them did not fit."""
    shown: list[str] = []
    spent = _tokens(head)
    for node_id in ids:
        text = name(node_id)
        spent += _tokens(text) + 1
        if spent > most:
            break
        shown.append(text)
    return (f"{head}: {', '.join(shown)}" if shown else ""), len(ids) - len(shown)


def _agents(scene: Scene) -> str:
    """Return where each robot is and what it holds, a line each."""
    return "\n".join(_agent(scene, scene.nodes[i]) for i in scene.by_type.get("agent", ()))


def _agent(scene: Scene, agent: Node) -> str:
    room = scene.room_of(agent.id) or (scene.room_of(agent.at) if agent.at is not None else None)
    held = [label(scene.nodes[i]) for i in scene.descendants(agent.id)][:MOST_HELD]
    return f"{name(agent.id)} in {name(room or agent.at or 'no room')}: holds {', '.join(held) or 'nothing'}"


@lru_cache(maxsize=20_000)
def _tokens(text: str) -> int:
    return count_tokens(text)
