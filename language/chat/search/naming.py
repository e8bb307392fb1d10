"""Search in one request: the model names what the task needs, and the system opens the rooms.

The model sees the rooms (``room_list``) and answers with a few names of things and rooms (``needs``). Opened
are the rooms that it chose, the rooms where an index of the whole scene has a thing so named (``name_index``,
at most six a name), the two rooms nearest to the task by sentence embeddings where these are installed, and
all rooms that the instruction ranges over (``ranges``). There is nothing to contract and nothing to end, so
that a search can neither loop nor take a second request; an answer that cannot be read opens what the words
of the instruction say. When a search is taken up again, the words of what was missing go to the index first,
without a request.

The limits may be changed; what reaches the model may not without a new version of the prompt, as recorded
answers (cassettes) belong to it. The steps of the trace are ``name``, with the tokens and the names, and an
``expand`` for every node that was opened.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ....simulator.scene import CONTAINERS, Scene
from ....simulator.view import View
from ...embedded import embedding
from ...embedded.lexical import Lexical
from ...embedded.links import Similarity
from ...reader import ReaderListener, SearchResult, SearchStep
from ..prompt import static
from ..servers.model import ChatModel, ServiceError
from .name_index import NameIndex
from .needs import PROMPT, Needs, NoNeeds, read_needs, request
from .opening import opened
from .ranges import ranged_over
from .room_list import RoomList

MAX_ROOMS_A_NAME = 6
"""Most rooms that are opened for one name."""
NEAREST = 2
"""Rooms that are opened since their names are nearest to the instruction."""
WHOLE_ROOM = 80
"""Things in a room up to which all of it is handed on; of a fuller one furniture and what fits a name."""


class Naming:
    """The protocol. It keeps the index of the scene that it searched last."""

    name = "naming"

    def __init__(self, similarity: Similarity | None = None) -> None:
        self._given = similarity
        self._index: NameIndex | None = None
        self._rooms: RoomList | None = None
        self._kept: dict[str, None] = {}
        """Things that were named since the search began; taken up again, it goes on with them."""

    @property
    def prompt(self) -> str:
        return static(PROMPT)

    def search(
        self, model: ChatModel, instruction: str, view: View, reason: str, listen: ReaderListener
    ) -> SearchResult:
        """Reveal what an instruction needs, with one request at most."""
        if not reason:
            self._kept = {}
        search = _Search(self._indexed(view.scene), self._room_list(view.scene), view, listen, self._kept)
        listen(view)
        if reason and search.look_up(reason):
            return search.result()
        closed = [r for r in search.rooms.rooms if r not in view.expanded]
        if not closed:
            return search.everything(reason)
        similarity = self._similarity()
        ranked = search.rooms.ranked(instruction, similarity or Lexical(), closed)
        shown, lines = search.rooms.shown(ranked)
        kinds = search.rooms.offered(shown)
        try:
            reply = model.ask(request(lines, shown, kinds, instruction, reason))
        except ServiceError as error:
            error.partial_search = search.result("search-exhausted", str(error))
            raise
        try:
            needs = read_needs(reply.text, shown, kinds)
            search.note(SearchStep("name", "", reply.usage.total, str(needs)))
        except NoNeeds as error:
            needs = Needs(search.index.names_in(instruction))
            search.note(SearchStep("rejected", "", reply.usage.total, str(error)))
        search.open(search.rooms.kinds[needs.kind] if needs.kind else needs.rooms)
        search.open_named(needs.things, ranked)
        search.open(ranked[:NEAREST] if similarity is not None else ())
        search.open(ranged_over(instruction, search.index, search.rooms))
        return search.result()

    def _similarity(self) -> Similarity | None:
        if self._given is None and embedding.installed():
            self._given = embedding.load()
        return self._given

    def _indexed(self, scene: Scene) -> NameIndex:
        if self._index is None or self._index.scene is not scene:
            self._index = NameIndex(scene)
        return self._index

    def _room_list(self, scene: Scene) -> RoomList:
        if self._rooms is None or self._rooms.scene is not scene:
            self._rooms = RoomList(scene)
        return self._rooms


class _Search:
    """One search: the view as it grows, and what was done to it."""

    def __init__(
        self, index: NameIndex, rooms: RoomList, view: View, listen: ReaderListener, kept: dict[str, None]
    ) -> None:
        self.index, self.rooms, self.view, self.listen = index, rooms, view, listen
        self.kept = kept
        """Things that were named, by id; of a very full room only these are handed on."""
        self.trace: list[SearchStep] = []
        self.unknown: list[str] = []
        """Names that fit nothing in the scene."""

    def note(self, step: SearchStep) -> None:
        self.trace.append(step)
        self.listen(step)

    def open(self, places: Iterable[str]) -> bool:
        """Open places with what is above them; return whether one was closed."""
        self.view, steps = opened(self.view, places)
        for step in steps:
            self.note(step)
        if steps:
            self.listen(self.view)
        return bool(steps)

    def open_named(self, names: Sequence[str], ranked: Sequence[str]) -> None:
        """Open the rooms with things of these names; of a common one only where no such room is open."""
        order = {room: number for number, room in enumerate(ranked)}
        for name in names:
            fits = self.index.fitting(name)
            if not fits.nodes:
                self.unknown.append(name)
                continue
            self.kept.update(dict.fromkeys(fits.nodes))
            places = list(dict.fromkeys(p for n in fits.nodes if (p := self.index.place(n)) is not None))
            common = len(places) > MAX_ROOMS_A_NAME or not fits.whole
            if common and any(p in self.view.expanded for p in places):
                continue
            places.sort(key=lambda p: order.get(p, len(order)))
            self.open(places[:MAX_ROOMS_A_NAME])

    def look_up(self, reason: str) -> bool:
        """Hand on what was missing by the index alone; return whether that shows anything new."""
        nodes = list(self._ids_in(reason)) or list(self.index.fitting(reason).nodes)
        places = list(dict.fromkeys(p for n in nodes if (p := self.index.place(n)) is not None))
        closed = [p for p in places if p not in self.view.expanded][:MAX_ROOMS_A_NAME]
        new = [n for n in nodes if n not in self.kept and self._left_out(n)]
        if not closed and not new:
            return False
        self.kept.update(dict.fromkeys(nodes))
        self.note(SearchStep("name", "", 0, reason))
        self.open(closed)
        return True

    def _ids_in(self, reason: str) -> Iterable[str]:
        """Yield the things and rooms whose ids stand in a text, ids of several words too."""
        words = reason.replace(",", " , ").split()[:60]
        for start in range(len(words)):
            for end in range(start + 1, min(start + 6, len(words)) + 1):
                node = self.view.scene.nodes.get(" ".join(words[start:end]))
                if node is not None and node.type not in ("pose", "agent"):
                    yield node.id

    def everything(self, reason: str) -> SearchResult:
        """Return the view when no room is closed: found, unless the search was taken up again."""
        rest = [n for n in self.view.closed if self.view.scene.nodes[n].type in CONTAINERS]
        self.open(rest)
        if reason and not rest:
            return self.result("search-exhausted", "every room is open")
        self.kept.update(dict.fromkeys(self.view.scene.nodes))
        return self.result()

    def result(self, outcome: str = "found", reason: str = "") -> SearchResult:
        if self.unknown and not reason:
            reason = f"nothing in the scene is called {', '.join(self.unknown)}"
        ids = tuple(self._handed_on())
        return SearchResult(outcome, ids, self.view, tuple(self.trace), reason)  # type: ignore[arg-type]

    def _handed_on(self) -> Iterable[str]:
        """Yield what is shown; of a very full room furniture, and what was named with what it is in."""
        scene = self.view.scene
        full = {p for p in self.view.expanded if self._is_full(p)}
        kept = {a for n in self.kept for a in (n, *scene.ancestors(n))} if full else set()
        for node in self.view.visible:
            if node.type != "object" or node.id in kept or self.index.place(node.id) not in full:
                yield node.id

    def _left_out(self, node_id: str) -> bool:
        """Return whether a thing is in an open room that is too full to be handed on as a whole."""
        place = self.index.place(node_id)
        is_object = self.view.scene.nodes[node_id].type == "object"
        return is_object and place in self.view.expanded and self._is_full(place)

    def _is_full(self, place: str | None) -> bool:
        """Return whether more is in a place than is handed on whole; counted up to that number."""
        if place is None:
            return False
        below = self.view.scene.descendants(place)
        return sum(1 for _ in zip(below, range(WHOLE_ROOM + 1), strict=False)) > WHOLE_ROOM
