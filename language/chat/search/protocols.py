"""Interface of search protocols, and the protocols by name.

A protocol gets the model, the instruction and a view of the scene, and returns what it revealed with a step
of the trace for every request and every node that was opened. The names are those of ``--search`` and stay;
which one is the default may be changed (``DEFAULT``, and ``ASKING`` for who asks at once).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ....domains.errors import InputError, clip, did_you_mean
from ....domains.pack import Pack
from ....simulator.view import View
from ...reader import ReaderListener, SearchResult
from ..prompt_form import OwnPrompt
from ..servers.model import ChatModel

PROTOCOLS = ("words", "naming", "query", "dialogue", "dialogue+")
DEFAULT = "words"
ASKING = "naming"
"""The protocol in place of ``words`` where nobody says what is missing, and for small models as measured."""
OPENING = ("words", "naming", "query")
"""The protocols in which the system opens rooms, too: by the index of names, and by sentence embeddings."""


class SearchProtocol(Protocol):
    """Search of a scene with a chat model. ``name`` is that of ``--search``."""

    @property
    def name(self) -> str: ...

    @property
    def prompt(self) -> str:
        """System text of the protocol's requests, of which records hold the hash."""
        ...

    def search(
        self, model: ChatModel, instruction: str, view: View, reason: str, listen: ReaderListener
    ) -> SearchResult:
        """Reveal what an instruction needs.

        ``reason`` says what was missing when a search is taken up again; ``listen`` gets every view and step.
        Raises :class:`ServiceError` of the model, with what was revealed up to then as ``partial_search``.
        """
        ...


def protocol_named(
    name: str,
    pack: Pack,
    rounds: int | None = None,
    by_name: bool = True,
    by_likeness: bool = True,
    own: Sequence[OwnPrompt] = (),
) -> SearchProtocol:
    """Return the protocol of a name for scenes of a pack; ``rounds`` bounds the requests of ``query``.

    Without ``by_name`` the system opens nothing by an index of the names of things, without ``by_likeness``
    nothing by sentence embeddings; ``dialogue`` has neither. ``own`` are prompts of a user.

    Raises :class:`InputError` for another name, and for a number of rounds with a protocol that has none.
    """
    if rounds is not None and name != "query":
        raise InputError("search", "the protocol query, which alone has rounds", clip(name))
    match name:
        case "words" | "naming":
            from .naming import Naming

            return Naming(None, by_name, by_likeness, name == "words", own)
        case "query":
            from .query import MAX_ROUNDS, QueryProtocol

            most = MAX_ROUNDS if rounds is None else rounds
            return QueryProtocol(pack, None, most, by_name, by_likeness, own)
        case "dialogue" | "dialogue+":
            from .dialogue import Dialogue

            return Dialogue(name == "dialogue+", tuple(own))
    hint = did_you_mean(name, PROTOCOLS) or f"protocols are {', '.join(PROTOCOLS)}"
    raise InputError("search", "the name of a search protocol", clip(name), hint)
