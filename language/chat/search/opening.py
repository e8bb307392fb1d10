"""Opening of a scene by the system: rooms by id or by the name of a thing in them, and what is handed on.

Shared by the protocols in which the model does not open rooms itself. An :class:`Opening` is one search: its
view as it grows and its trace, with an ``expand`` for every node that was opened. A room that is opened for
what is named in it is handed on in part: its furniture, and the things that were named with what is in them.
:class:`Indexes` keeps what is built once for a scene. The limits may be changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ....simulator.scene import CONTAINERS, Scene
from ....simulator.view import View
from ...embedded.supposing import UNSEEN
from ...english import embedding
from ...reader import ReaderListener, SearchResult, SearchStep, name_in
from ...similarity import TextSimilarity
from .name_index import Fits, NameIndex
from .room_list import RoomList

MAX_ROOMS_A_NAME = 6
"""Most rooms that are opened for one name."""
WHOLE_ROOM = 80
"""Things in a room up to which all of it is handed on; of a fuller one furniture and what fits a name."""
MAX_CONTENT = 12
"""Things in or on a named one up to which they are handed on with it."""
MODAL = frozenset(("can", "will"))
"""Words that name a thing and a person, too, and hardly ever mean them without a word before."""
DETERMINED = r"\b(?:the|a|an|this|that|my|his|her|our|their)(?: \w+)?"
_NAMES_APART = re.compile(r"[,;]")
_PLACED = re.compile(r"\b(?:in|on|at|from|of|inside|under)\b")


def opened(view: View, places: Iterable[str]) -> tuple[View, tuple[SearchStep, ...]]:
    """Return a view in which the places are expanded, and a step for each that was not before.

    ``places`` are ids of rooms or levels above them. In one go, since a building may have thousands.
    """
    scene, expanded = view.scene, dict.fromkeys(view.expanded)
    new: dict[str, None] = {}
    for place in places:
        above = [a for a in scene.ancestors(place) if scene.nodes[a].type in CONTAINERS]
        for node in (*reversed(above), place):
            if node not in expanded:
                expanded[node] = new[node] = None
    memory = tuple(dict.fromkeys((*view.memory, *new)))
    return View(scene, tuple(expanded), memory), tuple(SearchStep("expand", node) for node in new)


def _node_named(scene: Scene, name: str) -> Fits:
    node = scene.nodes.get(name)
    return Fits((name,), True) if node is not None and node.type not in ("pose", "agent") else Fits()


class Indexes:
    """Name index and room list of the scene that was searched last, and the things that were named in it."""

    def __init__(
        self, similarity: TextSimilarity | None = None, by_name: bool = True, by_likeness: bool = True
    ) -> None:
        self._given = similarity
        self._by_name, self._by_likeness = by_name, by_likeness
        self._index: NameIndex | None = None
        self._rooms: RoomList | None = None
        self._kept: dict[str, None] = {}
        self._in_part: dict[str, None] = {}

    @property
    def similarity(self) -> TextSimilarity | None:
        """Sentence embeddings, where they are installed; they keep the vectors of names."""
        if not self._by_likeness:
            return None
        if self._given is None and embedding.installed():
            self._given = embedding.load()
        return self._given

    def opening(self, view: View, reason: str, listen: ReaderListener) -> Opening:
        """Begin a search of a view; one that is taken up again goes on with what was named before."""
        if not reason:
            self._kept, self._in_part = {}, {}
        if self._index is None or self._index.scene is not view.scene:
            self._index, self._rooms = NameIndex(view.scene), RoomList(view.scene)
        assert self._rooms is not None
        listen(view)
        search = Opening(self._index, self._rooms, view, listen, self._kept, self._in_part, self._by_name)
        supposed = [] if reason else [node for node in view.scene.nodes if node.startswith(UNSEEN)]
        search.keep(supposed)  # the instruction speaks of them, whatever is asked for
        search.open_in_part(
            dict.fromkeys(p for node in supposed if (p := self._index.place(node)) is not None)
        )
        return search


class Opening:
    """One search: the view as it grows, and what was done to it."""

    def __init__(
        self,
        index: NameIndex,
        rooms: RoomList,
        view: View,
        listen: ReaderListener,
        kept: dict[str, None],
        in_part: dict[str, None],
        by_name: bool = True,
    ) -> None:
        self.by_name = by_name
        """Whether the index of names may be asked what to open."""
        self.index, self.rooms, self.view, self.listen = index, rooms, view, listen
        self.kept = kept
        """Things that were named, by id; of a very full room only these are handed on."""
        self.in_part = in_part
        """Rooms of which only furniture and what was named is handed on."""
        self.trace: list[SearchStep] = []
        self.unknown: list[str] = []
        """Names that fit nothing in the scene."""

    def note(self, step: SearchStep) -> None:
        self.trace.append(step)
        self.listen(step)

    def open(self, places: Iterable[str]) -> bool:
        """Open places with what is above them, to be handed on whole; return whether one was closed."""
        places = tuple(places)
        for place in places:
            self.in_part.pop(place, None)
        self.view, steps = opened(self.view, places)
        for step in steps:
            self.note(step)
        if steps:
            self.listen(self.view)
        return bool(steps)

    def open_in_part(self, places: Iterable[str]) -> None:
        """Open places that are closed, for their furniture and what was named."""
        closed = [place for place in places if place not in self.view.expanded]
        self.open(closed)
        self.in_part.update(dict.fromkeys(closed))

    def keep(self, nodes: Iterable[str]) -> None:
        """Note things as named, with what is in or on each."""
        for node in nodes:
            self.kept[node] = None
            content = list(zip(self.view.scene.descendants(node), range(MAX_CONTENT + 1), strict=False))
            if len(content) <= MAX_CONTENT:
                self.kept.update((below, None) for below, _ in content)

    def keep_first(self, nodes: Iterable[str]) -> None:
        """Note things as named, before all that were."""
        before = dict(self.kept)
        self.kept.clear()
        self.keep(nodes)
        self.kept.update(before)

    def keep_named_in(self, text: str) -> tuple[str, ...]:
        """Note the things that a text names; return their names, those of the fewest things first."""
        names = self.index.names_in(text) if self.by_name else ()
        names = tuple(n for n in names if n not in MODAL or re.search(rf"{DETERMINED} {n}\b", text, re.I))
        names = tuple(sorted(names, key=lambda name: len(self.index.fitting(name).nodes)))
        for name in names:
            self.keep(self.index.fitting(name).nodes)
        return names

    def open_spoken(self, text: str, ranked: Sequence[str]) -> bool:
        """Open what a text names, things and rooms; return whether it names any.

        Of a room that is named beside things, these are handed on, and all of it where it stands alone.
        """
        names = self.keep_named_in(text)
        mentions = tuple(self.index.mentions(text)) if self.by_name else ()
        self.keep_first([n for name, rooms in mentions for n in self._in_rooms(name, rooms).nodes])
        rooms = [room for _, rooms in mentions for room in rooms]
        if not names:
            self.open(rooms)
        self.open_in_part(rooms)
        self.open_named(names, ranked)
        return bool(names or rooms)

    def _in_rooms(self, name: str, rooms: Sequence[str]) -> Fits:
        """Return the things so called that are in some rooms."""
        fits = self.index.called(name) if rooms else Fits()
        return replace(fits, nodes=tuple(n for n in fits.nodes if self.index.place(n) in rooms))

    def open_named(self, names: Sequence[str], ranked: Sequence[str]) -> None:
        """Open the rooms with things of these names; of a common one only where no such room is open."""
        order = {room: number for number, room in enumerate(ranked)}
        for name in names if self.by_name else ():
            fits = self.index.fitting(name)
            if not fits.nodes:
                self.unknown.append(name)
                continue
            self.keep(fits.nodes)
            places = list(dict.fromkeys(p for n in fits.nodes if (p := self.index.place(n)) is not None))
            common = len(places) > MAX_ROOMS_A_NAME or not fits.whole
            if common and any(p in self.view.expanded for p in places):
                continue
            places.sort(key=lambda p: order.get(p, len(order)))
            self.open_in_part(places[:MAX_ROOMS_A_NAME])

    def look_up(self, reason: str) -> bool:
        """Hand on what was missing by the index alone; return whether that shows anything new.

        ``unknown`` has the names of it that fit nothing in the scene.
        """
        if not self.by_name:
            return False
        closed: dict[str, None] = {}
        nodes: list[str] = []
        for name, fits in self._sought(reason):
            places = dict.fromkeys(p for n in fits.nodes if (p := self._place(n)) is not None)
            closed |= dict.fromkeys([p for p in places if p not in self.view.expanded][:MAX_ROOMS_A_NAME])
            nodes += fits.nodes
            self.unknown += [] if fits.nodes else [name]
        new = [n for n in nodes if n not in self.kept and self._left_out(n)]
        if not closed and not new:
            return False
        self.keep_first(nodes)
        self.note(SearchStep("name", "", 0, reason))
        self.open_in_part(closed)
        return True

    def shown(self, reason: str) -> tuple[str, ...]:
        """Return what was missing where all of it is handed on already: nothing is left to be opened."""
        sought = [fits for _, fits in self._sought(reason)]
        nodes = tuple(dict.fromkeys(n for fits in sought for n in fits.nodes))
        whole = all(fits.whole for fits in sought)
        return nodes if nodes and whole and set(self._handed_on()).issuperset(nodes) else ()

    def _sought(self, reason: str) -> Iterator[tuple[str, Fits]]:
        """Yield each name of what was missing, which commas part, with the nodes that it fits as a whole."""
        reason = name_in(reason)
        whole = _node_named(self.view.scene, reason)
        for name in (reason,) if whole.nodes else _NAMES_APART.split(reason):
            if name := name.strip():
                yield name, self._meant(name)

    def _meant(self, name: str) -> Fits:
        """Return the nodes that a name means: that with this id, "the plate in the kitchen", or all."""
        node = _node_named(self.view.scene, name)
        if node.nodes:
            return node
        rooms = tuple(room for _, rooms in self.index.mentions(name) for room in rooms)
        placed = self._in_rooms(_PLACED.split(name, maxsplit=1)[0], rooms)
        fits = placed if placed.nodes else self.index.fitting(name)
        return fits if fits.nodes or _PLACED.search(name) else Fits(rooms, bool(rooms))

    def _place(self, node: str) -> str | None:
        return node if self.view.scene.nodes[node].type in CONTAINERS else self.index.place(node)

    def everything(self, reason: str) -> SearchResult:
        """Return the view when no room is closed: found, unless the search was taken up again."""
        rest = [n for n in self.view.closed if self.view.scene.nodes[n].type in CONTAINERS]
        self.open(rest)
        if reason and not rest:
            return self.result("search-exhausted", "every room is open")
        self.in_part.clear()
        self.kept.update(dict.fromkeys(self.view.scene.nodes))
        return self.result()

    def result(self, outcome: str = "found", reason: str = "", shown: tuple[str, ...] = ()) -> SearchResult:
        if self.unknown and not reason:
            reason = f"nothing in the scene is called {', '.join(self.unknown)}"
        ids, trace = tuple(self._handed_on()), tuple(self.trace)
        named = tuple(self.kept)
        return SearchResult(outcome, ids, self.view, trace, reason, shown, named)  # type: ignore[arg-type]

    def _handed_on(self) -> Iterable[str]:
        """Yield what is shown; of some rooms furniture, and what was named with what it is in."""
        scene = self.view.scene
        full = {p for p in self.view.expanded if self._in_part(p)}
        kept = {a for n in self.kept for a in (n, *scene.ancestors(n))} if full else set()
        for node in self.view.visible:
            if node.type != "object" or node.id in kept or self.index.place(node.id) not in full:
                yield node.id

    def _left_out(self, node_id: str) -> bool:
        """Return whether a thing is in an open room that is not handed on as a whole."""
        place = self.index.place(node_id)
        is_object = self.view.scene.nodes[node_id].type == "object"
        return is_object and place in self.view.expanded and self._in_part(place)

    def _in_part(self, place: str | None) -> bool:
        """Return whether only a part of a place is handed on; of a full one, counted up to that number."""
        if place is None or place in self.in_part:
            return place is not None
        below = self.view.scene.descendants(place)
        return sum(1 for _ in zip(below, range(WHOLE_ROOM + 1), strict=False)) > WHOLE_ROOM
