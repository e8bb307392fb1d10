"""Answers to searches that several methods share: asked once, and kept in the folder of results.

SayPlan and the baselines built on it search in the same way before they differ, so with one model and one
seed they make the same requests. Each such request of a task and a seed is asked once; whoever makes it later
gets the answer that is kept, and is charged for it all the same, with its seconds, since the account counts
what a method asks and not what a server did. It says beside how much of that another run had asked before. So
the methods differ by what they do after the search and by nothing else, and a comparison that is killed and
goes on gives the rows of one that was not.

An answer is a file named by the request, written while it is locked: whoever asks the same meanwhile waits.
One that a kill cut off is asked again. Where the folder cannot be written to, and where something that is no
answer has its name, everybody asks, and what is there stays.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from ...domains.errors import InputError
from ...domains.files import parse_json
from ...domains.storage.own_file import OwnFile, is_cut_off, own_folder
from ...language.chat.servers.cassette import KeepsWay, MadeWith, read_reply, reply_as_json
from ...language.chat.servers.model import ChatModel, ChatRequest, Reply, digest

SEARCHES = "searches"
"""The folder of kept answers, beside the rows."""
SHARED = "search"
"""The purpose of the requests that are shared."""
BEGINS = tuple(f'{{"{key}": '.encode() for key in ("cached", "cut_prompt", "finish"))
"""How the file of an answer begins: with the first of its keys."""
MAX_BYTES = 4 * 2**20
MAX_SECONDS = 86_400.0
"""Longest time of an answer that is believed."""


@dataclass
class SharedSearch:
    """Passes requests on to a model, and those of a search only where nobody has made them before.

    ``scope`` is what the answers belong to beside the request: the task and the seed. A request that a run
    makes again counts as another one. ``redact`` takes secrets out of a text before it is kept. ``run`` names
    the run and is kept with each answer that it asked for: one that it finds again, after a kill, is its own.
    """

    inner: ChatModel
    folder: Path
    scope: str
    redact: Callable[[str], str] = str
    run: str = ""
    _turns: dict[str, int] = field(default_factory=dict, init=False)

    @property
    def name(self) -> str:
        return self.inner.name

    def asked_by(self, way: MadeWith) -> None:
        """Tell a cassette how requests will be written. Raises :class:`InputError`."""
        if isinstance(self.inner, KeepsWay):
            self.inner.asked_by(way)

    def ask(self, request: ChatRequest) -> Reply:
        """Return the answer that is kept, or ask and keep it. Raises :class:`ServiceError`."""
        if request.purpose != SHARED:
            return self.inner.ask(request)
        text = request.canonical(self.name, {})
        turn = self._turns[text] = self._turns.get(text, 0) + 1
        path = self.folder / f"{digest(f'{self.scope} {turn} {text}')}.json"
        with ExitStack() as closing:
            try:
                folder = closing.enter_context(own_folder(self.folder))
                file = closing.enter_context(OwnFile(path, BEGINS, "an answer", wait=True, folder=folder))
            except (OSError, InputError):  # on another machine there may be no such folder
                return self.inner.ask(request)
            with file.read() as kept:
                data = kept.read(MAX_BYTES)
            if data and not is_cut_off(data, *BEGINS):
                return self._kept(data, path) or self.inner.ask(request)
            return self._asked(request, file)

    def _asked(self, request: ChatRequest, file: OwnFile) -> Reply:
        started = time.perf_counter()
        reply = self.inner.ask(request)
        took = {"run": self.run, "seconds": round(time.perf_counter() - started, 6)}
        line = json.dumps(reply_as_json(reply) | took, sort_keys=True)
        file.end = 0
        with suppress(OSError):  # the rows will meet the full disk, too
            file.append(self.redact(line).encode("ascii") + b"\n")
        return reply

    def _kept(self, data: bytes, path: Path) -> Reply | None:
        """Return the answer in the bytes of a file; ``None`` where they are something else."""
        try:
            raw = parse_json(data.decode("ascii"), str(path))
            reply = read_reply(raw, str(path))
        except (InputError, UnicodeDecodeError):
            return None
        asked_by, took = (raw.get("run"), raw.get("seconds")) if isinstance(raw, dict) else (None, None)
        seconds = took if isinstance(took, float) and 0 <= took < MAX_SECONDS else 0.0
        return replace(reply, kept=not self.run or asked_by != self.run, seconds=seconds)
