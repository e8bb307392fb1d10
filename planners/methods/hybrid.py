"""Method ``hybrid``: the reader searches and writes a goal, classical planning does the rest.

Ours, and the subject of the comparison. ``hybrid`` searches as the reader is set to; ``hybrid-naming`` and
its likes fix the protocol by which a model searches, so that protocols stand beside each other in one run.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

from ...language.reader import Reader
from ..hybrid import run
from ..record import Record
from ..request import Request
from .method import Limits, Tools, unsupported


@runtime_checkable
class SearchesBy(Protocol):
    """A reader whose way of searching can be chosen; a chat model's can."""

    def searching_by(self, protocol: str, rounds: int | None = None) -> Reader:
        """Return the same reader with another search protocol, and at most so many requests of a search.

        Raises :class:`InputError` for the name of no protocol.
        """
        ...


@dataclass(frozen=True, slots=True)
class Hybrid:
    """The hybrid pipeline; ``protocol`` is one of :data:`PROTOCOLS`, empty for the reader's own search.

    ``rounds`` bounds the requests of a search by ``query``.
    """

    name: str = "hybrid"
    protocol: str = ""
    rounds: int | None = None

    def run(self, request: Request, tools: Tools, limits: Limits) -> Record:
        """Search, write, check, plan, verify and repair, as :func:`groundplan.run` does."""
        reader, engine = tools.reader, tools.engine
        if reader is None or engine is None:
            return unsupported(request, f"{self.name} needs a reader and an engine")
        if self.protocol:
            if not isinstance(reader, SearchesBy):
                return unsupported(request, f"the reader {reader.name} has a search of its own")
            reader = reader.searching_by(self.protocol, self.rounds)
        return replace(run(request, engine, reader, limits.budget()), method=self.name)
