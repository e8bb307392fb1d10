"""Search by names: what the task needs is named, and the system opens the rooms.

As ``words`` the names are those in the instruction itself, looked up in an index of the whole scene, and the
model is asked for more once at most: where the instruction names nothing, or a goal misses what no name fits.
As ``naming`` it is asked first. It sees the rooms (``room_list``) and answers with a few names of things and
rooms (``needs``). Opened are the rooms that it chose, the rooms where the index has a thing so named
(``name_index``, at most six a name), the two rooms nearest to the task by sentence embeddings where these are
installed, and all rooms that the instruction ranges over (``ranges``). Of a room that was opened for a name
or for likeness alone, only furniture and what was named, by the model or in the instruction, is handed on.
There is nothing to contract and nothing to end, so that a search can neither loop nor take a second request;
an answer that cannot be read opens what the words of the instruction say. When a search is taken up again,
the names of what was missing go to the index first; none is asked for that is shown already.

The limits may be changed; what reaches the model may not without a new version of the prompt, as recorded
answers (cassettes) belong to it. The steps of the trace are ``name``, with the tokens and the names, and an
``expand`` for every node that was opened.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....simulator.view import View
from ...english.lexical import Lexical
from ...reader import ReaderListener, SearchResult, SearchStep
from ...similarity import TextSimilarity
from ..prompt import static
from ..prompt_form import OwnPrompt
from ..servers.model import ChatModel, ServiceError
from .needs import MAX_THINGS, PROMPT, Needs, NoNeeds, read_needs, request
from .opening import Indexes, Opening
from .ranges import ranged_over

NEAREST = 2
"""Rooms that are opened since their names are nearest to the instruction."""


class Naming:
    """The protocol, in either order. It keeps the index of the scene that it searched last."""

    def __init__(
        self,
        similarity: TextSimilarity | None = None,
        by_name: bool = True,
        by_likeness: bool = True,
        words_first: bool = False,
        own: Sequence[OwnPrompt] = (),
    ) -> None:
        self._own = own
        self._indexes = Indexes(similarity, by_name, by_likeness)
        self._words_first = words_first
        self._asked = False
        """Whether the model was asked since the search began; with ``words_first`` once is enough."""

    @property
    def name(self) -> str:
        return "words" if self._words_first else "naming"

    @property
    def prompt(self) -> str:
        return static(PROMPT, self._own)

    def search(
        self, model: ChatModel, instruction: str, view: View, reason: str, listen: ReaderListener
    ) -> SearchResult:
        """Reveal what an instruction needs, with one request at most."""
        search = self._indexes.opening(view, reason, listen)
        looked_up = bool(reason) and search.look_up(reason)
        if looked_up and not search.unknown:
            return search.result()
        if reason and (there := search.shown(reason)):
            return search.result(shown=there)
        reason = ", ".join(search.unknown) or reason
        closed = [r for r in search.rooms.rooms if r not in search.view.expanded]
        if not closed and not looked_up:
            return search.everything(reason)
        if not closed or (reason and self._words_first and self._asked):
            return search.result()
        similarity = self._indexes.similarity
        ranked = search.rooms.ranked(instruction, similarity or Lexical(), closed)
        nearest = ranked[:NEAREST] if similarity is not None else ()
        if self._words_first and not reason and search.open_spoken(instruction, ranked):
            search.open_in_part(nearest)
            self._asked = False
        else:
            self._asked = True
            self._open_named(model, instruction, reason, search, ranked)
            search.open_in_part(nearest)
            if len(search.keep_named_in(instruction)) > MAX_THINGS:
                search.open_spoken(instruction, ranked)
        search.open(ranged_over(instruction, search))
        return search.result()

    def _open_named(
        self, model: ChatModel, instruction: str, reason: str, search: Opening, ranked: Sequence[str]
    ) -> None:
        """Ask for names, and open their rooms. Raises :class:`ServiceError`."""
        shown, lines = search.rooms.shown(ranked)
        kinds = search.rooms.offered(shown)
        try:
            reply = model.ask(request(lines, shown, kinds, instruction, reason, self._own))
        except ServiceError as error:
            error.partial_search = search.result("search-exhausted", str(error))
            raise
        try:
            needs = read_needs(reply.text, shown, kinds)
            search.note(SearchStep("name", "", reply.usage.total, str(needs)))
        except NoNeeds as error:
            needs = Needs(search.index.names_in(instruction))
            why = reply.cut_off if reply.cut else str(error)
            search.note(SearchStep("rejected", "", reply.usage.total, why))
        search.open((*search.rooms.kinds.get(needs.kind, ()), *needs.rooms))
        search.open_named(needs.things, ranked)
