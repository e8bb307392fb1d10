"""Search in one request: the model names what the task needs, and the system opens the rooms.

The model sees the rooms (``room_list``) and answers with a few names of things and rooms (``needs``). Opened
are the rooms that it chose, the rooms where an index of the whole scene has a thing so named (``name_index``,
at most six a name), the two rooms nearest to the task by sentence embeddings where these are installed, and
all rooms that the instruction ranges over (``ranges``). Of a room that was opened for a name or for likeness
alone, only furniture and what was named, by the model or in the instruction, is handed on. There is nothing
to contract and nothing to end, so that a search can neither loop nor take a second request; an answer that
cannot be read opens what the words of the instruction say. When a search is taken up again, the words of what
was missing go to the index first, without a request; none is made either for what is shown already.

The limits may be changed; what reaches the model may not without a new version of the prompt, as recorded
answers (cassettes) belong to it. The steps of the trace are ``name``, with the tokens and the names, and an
``expand`` for every node that was opened.
"""

from __future__ import annotations

from ....simulator.view import View
from ...english.lexical import Lexical
from ...english.links import Similarity
from ...reader import ReaderListener, SearchResult, SearchStep
from ..prompt import static
from ..servers.model import ChatModel, ServiceError
from .needs import PROMPT, Needs, NoNeeds, read_needs, request
from .opening import Indexes

NEAREST = 2
"""Rooms that are opened since their names are nearest to the instruction."""


class Naming:
    """The protocol. It keeps the index of the scene that it searched last."""

    name = "naming"

    def __init__(
        self, similarity: Similarity | None = None, by_name: bool = True, by_likeness: bool = True
    ) -> None:
        self._indexes = Indexes(similarity, by_name, by_likeness)

    @property
    def prompt(self) -> str:
        return static(PROMPT)

    def search(
        self, model: ChatModel, instruction: str, view: View, reason: str, listen: ReaderListener
    ) -> SearchResult:
        """Reveal what an instruction needs, with one request at most."""
        search = self._indexes.opening(view, reason, listen)
        if reason and search.look_up(reason):
            return search.result()
        if reason and (there := search.shown(reason)):
            return search.result(shown=there)
        closed = [r for r in search.rooms.rooms if r not in view.expanded]
        if not closed:
            return search.everything(reason)
        similarity = self._indexes.similarity
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
        search.open_in_part(ranked[:NEAREST] if similarity is not None else ())
        search.keep_named_in(instruction)
        search.open(search.ranged_over(instruction))
        return search.result()
