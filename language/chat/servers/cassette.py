"""Cassettes: replies of a model kept in a file, and played back byte for byte without a network.

A cassette is JSON lines, appended to and never rewritten, and kept for years: a line of another shape needs
another ``FORMAT``. Each line has the SHA-256 of the request, that of the constraint in the form in which the
server took it, how often that request had come before, the request for people to read, the reply, and how the
requests were written (:class:`MadeWith`, which old lines lack). A reply is played back only where both hashes
are the same, and under the same search protocol and form of goals. A request that differs by the limit of its
answer alone, which decides nothing of an answer that fits, gets the reply to the same messages under the same
constraint. Of two recordings of one request the later one counts. A last line that was cut off, by a crash
while it was written, is left out. Keys are not part of requests, and ``redact`` replaces them where a message
repeats one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, runtime_checkable

from ....domains.errors import InputError, clip
from ....domains.files import parse_json, read_text
from ....domains.storage.own_file import OwnFile
from .meter import MAX_REPORTED
from .model import FORMS, ChatModel, ChatRequest, Reply, ServiceError, Usage, digest

FORMAT = "groundplan-cassette-1"
BEGINS = b'{"constraint": "'
"""How every line begins."""
MAX_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class MadeWith:
    """Way in which the requests of a cassette were written.

    ``search`` is the search protocol, ``goal`` the form of goals, ``prompts`` has the version of each system
    text.
    """

    search: str
    goal: str
    prompts: Mapping[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, object]:
        return {"search": self.search, "goal": self.goal, "prompts": dict(self.prompts)}

    def __str__(self) -> str:
        return f"--search {clip(self.search)} --goal-form {clip(self.goal)}"

    def same_way(self, other: MadeWith) -> bool:
        """Return whether requests are of the same kind; the texts of prompts may differ."""
        return (self.search, self.goal) == (other.search, other.goal)


@runtime_checkable
class KeepsWay(Protocol):
    """A model that is told how its requests will be written; one that counts or records passes it on."""

    def asked_by(self, way: MadeWith) -> None:
        """Note how requests will be written. Raises :class:`InputError` for a cassette of another way."""
        ...


@dataclass(frozen=True)
class AnnouncedModel:
    """Passes requests on to a model; ``hear`` gets each one before it is sent."""

    inner: ChatModel
    hear: Callable[[ChatRequest], None]

    @property
    def name(self) -> str:
        return self.inner.name

    def asked_by(self, way: MadeWith) -> None:
        """Tell a cassette how requests will be written. Raises :class:`InputError`."""
        if isinstance(self.inner, KeepsWay):
            self.inner.asked_by(way)

    def ask(self, request: ChatRequest) -> Reply:
        """Ask the model. Raises :class:`ServiceError`."""
        self.hear(request)
        return self.inner.ask(request)


@dataclass
class RecordingModel:
    """Passes requests on to a model and appends request and reply to a cassette."""

    inner: ChatModel
    path: Path
    settings: Mapping[str, object] = field(default_factory=dict)
    redact: Callable[[str], str] = str
    """Replaces keys in the messages that are kept; the hash of an entry is of the messages as they were."""
    made_with: MadeWith | None = None
    """That of the lines that are there already, then that of the reader that asks."""
    _seen: dict[str, int] = field(default_factory=dict)

    @classmethod
    def open(
        cls,
        inner: ChatModel,
        path: Path,
        settings: Mapping[str, object],
        redact: Callable[[str], str] = str,
    ) -> RecordingModel:
        """Record to a new cassette, or to one of the same model. Raises :class:`InputError`."""
        where = clip(str(path), 200)
        made_with = None
        if not path.parent.is_dir():
            raise InputError(where, "a file in a folder that exists", "none", "make the folder first")
        with _opened(path) as file:  # nothing is paid for that could not be kept
            if not file.empty:
                cassette = RecordedModel.open(path)
                if cassette.cut_off:
                    hint = "record to another file, or remove that line"
                    raise InputError(where, "a cassette that ends with a whole line", "half of one", hint)
                if cassette.replies and (cassette.name, cassette.settings) != (inner.name, settings):
                    got = f"{clip(cassette.name)} with {clip(dict(cassette.settings), 200)}"
                    raise InputError(where, f"answers of {clip(inner.name)} with the same settings", got)
                made_with = cassette.made_with
        return cls(inner, path, settings, redact, made_with)

    def asked_by(self, way: MadeWith) -> None:
        """Note how requests will be written. Raises :class:`InputError` for a cassette of another way."""
        _check_way(self.path, self.made_with, way, "record to another file")
        self.made_with = way

    @property
    def name(self) -> str:
        return self.inner.name

    def ask(self, request: ChatRequest) -> Reply:
        """Ask the model; the reply is on disk before it is returned.

        Raises what the model raises, and :class:`InputError` where the file cannot be written.
        """
        reply = self.inner.ask(request)
        key = digest(request.canonical(self.name, self.settings))
        turn = self._seen.get(key, 0)
        self._seen[key] = turn + 1
        line = {
            "format": FORMAT,
            "key": key,
            "turn": turn,
            "model": self.name,
            "settings": dict(self.settings),
            "purpose": request.purpose,
            "constraint": request.constrained(reply.form),
            "messages": [[m.role, self.redact(m.content), *m.told[2:]] for m in request.messages],
            "reply": reply_as_json(reply),
        }
        if self.made_with is not None:
            line["made_with"] = self.made_with.as_json()
        with _opened(self.path) as file:
            file.append(json.dumps(line, sort_keys=True).encode("ascii") + b"\n")
        return reply


RecordedReplies = dict[tuple[str, int], dict[tuple[str, str], Reply]]
"""The replies to the same messages: by key and the SHA-256 of the constraint under which each was given."""


@dataclass
class RecordedModel:
    """Answers from a cassette only. The n-th time a request comes, its n-th recorded reply is given."""

    path: Path
    replies: RecordedReplies
    """By turn, and the SHA-256 of the request or of its messages."""
    name: str
    settings: Mapping[str, object] = field(default_factory=dict)
    cut_off: bool = False
    made_with: MadeWith | None = None
    """``None`` for a cassette whose lines do not say it."""
    _here: MadeWith | None = None
    _seen: dict[str, int] = field(default_factory=dict)

    @classmethod
    def open(cls, path: Path) -> RecordedModel:
        """Read a cassette. Raises :class:`InputError` with file and line."""
        lines = read_text(path, MAX_BYTES, expected="a readable cassette").split("\n")
        last = lines.pop()  # empty where the last line is whole
        replies, name, settings, made_with = _read(lines, clip(str(path), 200))
        return cls(path, replies, name, settings, bool(last.strip()), made_with)

    @property
    def way(self) -> MadeWith:
        """Way in which to ask it, also where it does not say: then as all were made when none said it."""
        return self.made_with or MadeWith("dialogue", "pddl")

    def asked_by(self, way: MadeWith) -> None:
        """Note how requests are written. Raises :class:`InputError` where the recorded ones were others."""
        _check_way(self.path, self.made_with, way, "leave both options out, or give those it was made with")
        self._here = way

    def ask(self, request: ChatRequest) -> Reply:
        """Return the recorded reply; :class:`ServiceError` of kind ``no-recording`` when there is none."""
        key = digest(request.canonical(self.name, self.settings))
        turn = self._seen.get(key, 0)
        messages = _told([m.told for m in request.messages])
        same = self.replies.get((messages, turn), {}) | self.replies.get((key, turn), {})
        fits = {k: r for (k, c), r in same.items() if request.constrained(r.form) == c}
        within = [r for r in fits.values() if request.may_grow or r.usage.completion <= request.max_tokens]
        reply = fits.get(key) or (within[-1] if within else None)
        if reply is None:
            subject = request.purpose or "this request"
            if other := next((r for (k, _), r in same.items() if k == key), None):
                subject += f" under this {other.form} constraint"
            hint = f"{self._difference()} differ from when it was recorded; --record records again"
            raise ServiceError(
                "no-recording",
                f"{clip(str(self.path), 200)} has no answer to {subject} (key {key[:12]}, turn {turn})",
                "its last line is cut off" if self.cut_off else hint,
            )
        self._seen[key] = turn + 1
        return reply

    def _difference(self) -> str:
        """Return what of the requests is known to differ from the recorded ones, or may."""
        if self.made_with is None or self._here is None:
            return "scene, instruction or prompts"
        before, now = self.made_with.prompts, self._here.prompts
        other = [f"{n} {clip(before[n], 20)} (here {now[n]})" for n in now if before.get(n, now[n]) != now[n]]
        return f"the prompts {', '.join(other)}" if other else "scene or instruction"


@contextmanager
def _opened(path: Path) -> Iterator[OwnFile]:
    try:
        with OwnFile(path, (BEGINS,), "a cassette", wait=True) as file:
            yield file
    except OSError as error:
        where = clip(str(path), 200)
        raise InputError(where, "a file to record to", error.strerror or clip(str(error))) from error


def _check_way(path: Path, before: MadeWith | None, way: MadeWith, hint: str) -> None:
    if before is not None and not before.same_way(way):
        raise InputError(clip(str(path), 200), f"a cassette made with {way}", str(before), hint)


def _told(messages: object) -> str:
    """Return the SHA-256 of the messages of a request, as a line has them."""
    return digest(json.dumps(messages))


def _read(lines: list[str], where: str) -> tuple[RecordedReplies, str, dict[str, object], MadeWith | None]:
    replies: RecordedReplies = {}
    names: dict[str, None] = {}
    settings: dict[str, object] | None = None
    made_with: MadeWith | None = None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        at = f"{where}:{number}"
        raw = parse_json(line, where, line=number)
        if not isinstance(raw, dict) or raw.get("format") != FORMAT:
            raise InputError(at, f'an entry of format "{FORMAT}"', clip(raw))
        key, turn, name = raw.get("key"), raw.get("turn"), raw.get("model")
        if not isinstance(key, str) or not isinstance(turn, int) or not isinstance(name, str):
            raise InputError(at, "key, turn and model", clip(raw))
        constraint = raw.get("constraint")
        if not isinstance(constraint, str):
            raise InputError(f"{at}: constraint", "the SHA-256 of the constraint", clip(constraint))
        for about in (key, _told(raw.get("messages"))):  # where a key was redacted, messages are others
            same = replies.setdefault((about, turn), {})
            same.pop((key, constraint), None)  # of two recordings the later one counts
            same[key, constraint] = read_reply(raw.get("reply"), at)
        names[name] = None
        of_line = raw.get("settings", {})
        if not isinstance(of_line, dict) or (settings is not None and of_line != settings):
            raise InputError(f"{at}: settings", "the settings of the lines before", clip(of_line))
        settings = of_line
        way = read_way(raw.get("made_with"), at)
        if way is not None and made_with is not None and not way.same_way(made_with):
            raise InputError(f"{at}: made_with", f"answers made with {made_with}", str(way))
        made_with = way or made_with
    if len(names) > 1:
        raise InputError(where, "answers of one model", ", ".join(map(clip, names)))
    return replies, next(iter(names), "recorded"), settings or {}, made_with


def read_way(raw: object, at: str) -> MadeWith | None:
    """Read how requests were written; ``None`` where it is not said. Raises :class:`InputError`."""
    if raw is None:
        return None
    way = raw if isinstance(raw, dict) else {}
    search, goal, prompts = way.get("search"), way.get("goal"), way.get("prompts")
    if isinstance(search, str) and isinstance(goal, str) and isinstance(prompts, dict):
        versions = {name: version for name, version in prompts.items() if isinstance(version, str)}
        if len(versions) == len(prompts):
            return MadeWith(search, goal, versions)
    raise InputError(f"{at}: made_with", "search, goal and prompts", clip(raw))


def reply_as_json(reply: Reply) -> dict[str, object]:
    """Return what is kept of a reply: the text, its form, why it ended, and its tokens."""
    cached = reply.usage.cached
    return {
        "text": reply.text,
        "form": reply.form,
        "finish": reply.finish,
        "usage": [reply.usage.prompt, reply.usage.completion, reply.usage.source],
        **({} if cached is None else {"cached": cached}),
        **({"cut_prompt": True} if reply.cut_prompt else {}),
    }


def read_reply(raw: object, at: str) -> Reply:
    """Read a reply that was kept. Raises :class:`InputError` with the place ``at``."""
    if not isinstance(raw, dict):
        raise InputError(f"{at}: reply", "an object", clip(raw))
    text, form, usage = raw.get("text"), raw.get("form"), raw.get("usage")
    if not isinstance(text, str) or form not in FORMS or not isinstance(usage, list) or len(usage) != 3:
        raise InputError(f"{at}: reply", "text, form and usage", clip(raw))
    prompt, completion, source = usage
    cached = raw.get("cached")
    tokens = (prompt, completion, *(() if cached is None else (cached,)))
    counts = all(type(n) is int and 0 <= n <= MAX_REPORTED for n in tokens)
    if not counts or source not in ("server", "counted"):
        raise InputError(f"{at}: reply.usage", "two numbers and a source", clip(usage))
    used, cut = Usage(prompt, completion, source, cached), raw.get("cut_prompt") is True
    return Reply(text, form, used, str(raw.get("finish", "stop")), cut_prompt=cut)
