"""Request and answer of the naming protocol: rooms in a list, and names of things and rooms in return.

The grammar admits one to six free names and one to four of the rooms shown, or one kind of rooms ("every
office"). Schema, Lark and GBNF admit the same and change together; any change of them, of the limits or of
the text of a request makes recorded answers (cassettes) unusable. :func:`read_needs` checks again, as some
models answer without a grammar: what is no name and no room of the list is dropped, so an answer can ask for
no more than the form can say.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from ....compiler.decoding.dialects import Dialect, GbnfDialect, LarkDialect, literal
from ....compiler.decoding.json_schema import list_of, object_schema, one_of
from ..prompt import as_data, static
from ..prompt_form import OwnPrompt
from ..servers.model import ChatRequest, Constraint, Message
from ..thoughts import json_object

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
