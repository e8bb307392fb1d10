"""Search by names: what the task needs is named, and the system opens the rooms.

As ``words`` the names are those in the instruction itself, looked up in an index of the whole scene, and the
model is asked for more once at most: where the instruction names nothing, or a goal misses what no name fits.
As ``naming`` it is asked first. It sees the rooms (``room_list``) and answers with a few names of things and
rooms, or one kind of rooms ("every office"). Opened are the rooms that it chose, the rooms where the index
has a thing so named (``name_index``, at most six a name), the two rooms nearest to the task by sentence
embeddings where these are installed, and all rooms that the instruction ranges over (``ranges``). Of a room
that was opened for a name or for likeness alone, only furniture and what was named, by the model or in the
instruction, is handed on. There is nothing to contract and nothing to end, so that a search can neither loop
nor take a second request; an answer that cannot be read opens what the words of the instruction say. When a
search is taken up again, the names of what was missing go to the index first; none is asked for that is shown
already.

Schema, Lark and GBNF admit the same answers and change together. :func:`read_needs` checks again, as some
models answer without a grammar: what is no name and no room of the list is dropped, so an answer can ask for
no more than the form can say. What reaches the model may not change without a new version of the prompt, as
recorded answers (cassettes) belong to it; other limits may. The steps of the trace are ``name``, with the
tokens and the names, and an ``expand`` for every node that was opened.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from ....compiler.decoding.dialects import Dialect, GbnfDialect, LarkDialect, literal
from ....compiler.decoding.json_schema import list_of, object_schema, one_of
from ....simulator.view import View
from ...english.lexical import Lexical
from ...reader import ReaderListener, SearchResult, SearchStep
from ...similarity import TextSimilarity
from ..prompt import as_data, static
from ..prompt_form import OwnPrompt
from ..servers.model import ChatModel, ChatRequest, Constraint, Message, ServiceError
from ..thoughts import json_object
from .opening import Indexes, Opening
from .ranges import ranged_over

PROMPT = "naming-1"
MAX_THINGS, MAX_ROOMS = 6, 4
MAX_NAME = 40
"""Most characters of a free name."""
MAX_TASK = 4000
"""Most characters of an instruction, or of what was not found, that are sent."""
EVERY = "every "
"""Word before a kind of rooms."""

_LARK_NAME = rf'/"[^"\\\x00-\x1f]{{1,{MAX_NAME}}}"/'
_GBNF_NAME = rf'"\"" [^"\\\x00-\x1f]{{1,{MAX_NAME}}} "\""'


@dataclass(frozen=True, slots=True)
class Needs:
    """Names of things, and rooms of the list; ``kind`` is a kind of which all rooms are meant."""

    things: tuple[str, ...]
    rooms: tuple[str, ...] = ()
    kind: str = ""

    def __str__(self) -> str:
        where = (*((f"{EVERY}{self.kind}",) if self.kind else ()), *self.rooms)
        return f"{', '.join(self.things) or 'nothing'}; {', '.join(where) or 'no room'}"


class NoNeeds(ValueError):
    """An answer without a name or a room; the text says why."""


def request(
    lines: Sequence[str],
    rooms: Sequence[str],
    kinds: Sequence[str],
    task: str,
    missing: str,
    own: Sequence[OwnPrompt] = (),
) -> ChatRequest:
    """Return the request for names.

    ``lines`` are the rooms as they are shown, ``missing`` is what the last search did not find.
    """
    parts = ["Rooms:", *lines]
    if kinds:
        parts.append(f"Kinds: {as_data([EVERY + kind for kind in kinds])[1:-1]}")
    parts.append(f"Task: {as_data(task[:MAX_TASK])}")
    if missing:
        parts.append(f"Not found yet: {as_data(missing[:MAX_TASK])}")
    prompt = (Message("system", static(PROMPT, own)), Message("user", "\n".join(parts)))
    return ChatRequest(prompt, constraint(rooms, kinds), purpose="search")


def constraint(rooms: Sequence[str], kinds: Sequence[str]) -> Constraint:
    """Return the answers that a list of rooms allows, as JSON schema, Lark and GBNF."""
    every = [EVERY + kind for kind in kinds]
    return Constraint(
        "names",
        lambda: _schema(rooms, every),
        lambda: _grammar(rooms, every, LarkDialect(), _LARK_NAME),
        lambda: _grammar(rooms, every, GbnfDialect(), _GBNF_NAME),
    )


def _schema(rooms: Sequence[str], every: Sequence[str]) -> dict[str, object]:
    thing = {"type": "string"}
    shown = [*rooms, *(e for e in every if e not in rooms)]
    room = one_of(shown) if shown else {"type": "string"}
    rooms_asked = list_of(room, MAX_ROOMS, min(1, len(shown)))
    return object_schema(things=list_of(thing, MAX_THINGS), rooms=rooms_asked)


def _grammar(rooms: Sequence[str], every: Sequence[str], dialect: Dialect, name: str) -> str:
    thing, room, kind = dialect.words("thing"), dialect.words("room"), dialect.words("kind")
    comma = literal(", ")

    def several(item: str, most: int) -> str:
        row = item
        for _ in range(most - 1):
            row = f"{item} ({comma} {row})?"
        return row

    head, middle, end = literal('{"things": ['), literal('], "rooms": ['), literal("]}")
    several_rooms = f"{several(room, MAX_ROOMS)} " if rooms else ""
    rows = [f"{head} {several(thing, MAX_THINGS)} {middle} {several_rooms}{end}"]
    rows += [f"{head} {several(thing, MAX_THINGS)} {middle} {kind} {end}"] if every else []
    lines = [dialect.definition(dialect.start, rows), dialect.definition(thing, [name])]
    if rooms:
        lines.append(dialect.definition(room, (literal(json.dumps(r)) for r in rooms)))
    if every:
        lines.append(dialect.definition(kind, (literal(json.dumps(e)) for e in every)))
    return "\n".join(lines) + "\n"


def read_needs(text: str, rooms: Sequence[str], kinds: Sequence[str]) -> Needs:
    """Read an answer. Raises :class:`NoNeeds` for one that names neither a thing nor a room of the list."""
    raw = json_object(text)
    if raw is None:
        raise NoNeeds('no JSON object with "things" and "rooms"')
    things = tuple(" ".join(t.split())[:MAX_NAME] for t in _texts(raw.get("things")))
    places = _texts(raw.get("rooms"))
    shown = frozenset(rooms)
    chosen = [p for p in places if p in shown]
    every = [p.removeprefix(EVERY) for p in places if p not in shown and p.startswith(EVERY)]
    kind = next((k for k in every if k in kinds), "")
    needs = Needs(
        tuple(dict.fromkeys(t for t in things if t))[:MAX_THINGS],
        tuple(dict.fromkeys(chosen))[:MAX_ROOMS],
        kind,
    )
    if not (needs.things or needs.rooms or needs.kind):
        raise NoNeeds("neither a name nor a room of the list")
    return needs


def _texts(value: object) -> list[str]:
    return [v for v in value if isinstance(v, str)] if isinstance(value, list) else []


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
