"""Replies of a run's model, kept in its row, and given again in their order where no model is asked.

So a comparison can be made again from its folder. Each reply has the SHA-256 of the request that it answers:
a run that asks something else gets no answer, and is another run. What a model failed with is kept as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ...domains.errors import InputError, clip
from ...language.chat.servers.cassette import MadeWith, read_reply, read_way, reply_as_json
from ...language.chat.servers.model import ChatRequest, Reply, ServiceError, digest
from ..journal import read_rows
from .results import ROW_BEGINS, ROWS, run_key

FAILURE = ("kind", "message", "hint", "retryable", "status", "tries")
"""What is kept of a failure of a model."""
USUAL = {"tries": 1, "left_out": (), "thought": False, "kept": False, "foreign": False}
"""What is kept of a reply beside what a cassette has, where it is something else than this."""


@dataclass
class Replies:
    """Replies of one run in their order: from the model ``name``, to requests that were made in a ``way``."""

    name: str = ""
    way: MadeWith | None = None
    calls: list[dict[str, object]] = field(default_factory=list)

    def add(self, model: str, request: ChatRequest, answer: Reply | ServiceError) -> None:
        """Keep what came of a request."""
        self.name = model
        call: dict[str, object] = {"request": _key(request)}
        if isinstance(answer, ServiceError):
            call["failure"] = {name: getattr(answer, name) for name in FAILURE}
        else:
            other = {name: value for name in USUAL if (value := getattr(answer, name)) != USUAL[name]}
            call["reply"] = reply_as_json(answer) | other
        self.calls.append(call)

    def as_json(self) -> dict[str, object] | None:
        """Return the replies as a row has them; ``None`` where no model was asked."""
        if not self.calls and self.way is None:
            return None
        way = None if self.way is None else self.way.as_json()
        return {"model": self.name, "made_with": way, "calls": self.calls}

    @classmethod
    def read(cls, raw: object, where: str) -> Replies:
        """Read the replies of a row. Raises :class:`InputError` with the place."""
        if raw is None:
            return cls()
        calls = raw.get("calls") if isinstance(raw, dict) else None
        if not isinstance(raw, dict) or not isinstance(calls, list):
            raise InputError(f"{where}: replies", "model, made_with and calls", clip(raw))
        return cls(str(raw.get("model", "")), read_way(raw.get("made_with"), where), calls)


@dataclass
class RepeatingModel:
    """Gives the replies of a run again, each to the request that it was given to."""

    replies: Replies
    where: str
    _next: int = field(default=0, init=False)

    @property
    def name(self) -> str:
        return self.replies.name

    def ask(self, request: ChatRequest) -> Reply:
        """Return the next reply. Raises :class:`ServiceError`: the kept one, or ``no-recording``."""
        number, self._next = self._next, self._next + 1
        calls = self.replies.calls
        call: Any = calls[number] if number < len(calls) else {}
        at = f"{self.where}: call {number + 1}"
        if not isinstance(call, dict) or call.get("request") != _key(request):
            raise ServiceError("no-recording", f"{at} asks for {request.purpose}, and the kept one differs")
        if isinstance(failure := call.get("failure"), Mapping):
            raise ServiceError(**{name: failure[name] for name in FAILURE if name in failure})
        kept: Any = call.get("reply")
        reply = read_reply(kept, at)
        other = {name: kept[name] for name, usual in USUAL.items() if type(kept.get(name)) is type(usual)}
        return replace(reply, **other | {"left_out": tuple(map(str, kept.get("left_out", ())))})


def kept_replies(folder: Path) -> dict[str, Replies]:
    """Return the replies of the runs of a folder, by their keys. Raises :class:`InputError`."""
    rows = read_rows(folder / ROWS, run_key, ROW_BEGINS)
    return {row["key"]: Replies.read(row.get("replies"), clip(row["key"])) for row in rows}


def _key(request: ChatRequest) -> str:
    """Return the hash of a request, whoever is asked and however the server is."""
    return digest(request.canonical("", {}))
