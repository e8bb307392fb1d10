"""Cassettes: replies of a model kept in a file, and played back byte for byte without a network.

A cassette is JSON lines, appended to and never rewritten, and kept for years: a line of another shape needs
another ``FORMAT``. Each line has the SHA-256 of the request, that of the constraint in the form in which the
server took it, how often that request had come before, the request for people to read, and the reply. A reply
is played back only where both hashes are the same. Of two recordings of one request the later one counts. A
last line that was cut off, by a crash while it was written, is left out. Keys are not part of requests, and
``redact`` replaces them where a message repeats one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ....domains.errors import InputError, clip
from ....domains.files import parse_json, read_text
from .meter import MAX_REPORTED
from .model import FORMS, ChatModel, ChatRequest, Reply, ServiceError, Usage, digest

FORMAT = "groundplan-cassette-1"
MAX_BYTES = 256 * 1024 * 1024
MAX_LINE_VALUES = 10_000
"""Most values in the JSON of one line, which has a few dozen."""


@dataclass
class RecordingModel:
    """Passes requests on to a model and appends request and reply to a cassette."""

    inner: ChatModel
    path: Path
    settings: Mapping[str, object] = field(default_factory=dict)
    redact: Callable[[str], str] = str
    """Replaces keys in the messages that are kept; the hash of an entry is of the messages as they were."""
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
        if not path.parent.is_dir():
            raise InputError(where, "a file in a folder that exists", "none", "make the folder first")
        if path.exists():
            cassette = RecordedModel.open(path)
            if cassette.cut_off:
                hint = "record to another file, or remove that line"
                raise InputError(where, "a cassette that ends with a whole line", "half of one", hint)
            if cassette.replies and (cassette.name, cassette.settings) != (inner.name, settings):
                got = f"{clip(cassette.name)} with {clip(dict(cassette.settings), 200)}"
                raise InputError(where, f"answers of {clip(inner.name)} with the same settings", got)
        return cls(inner, path, settings, redact)

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
            "messages": [[m.role, self.redact(m.content)] for m in request.messages],
            "reply": {
                "text": reply.text,
                "form": reply.form,
                "finish": reply.finish,
                "usage": [reply.usage.prompt, reply.usage.completion, reply.usage.source],
            },
        }
        try:
            with self.path.open("a", encoding="ascii") as file:
                file.write(json.dumps(line, sort_keys=True) + "\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            where = clip(str(self.path), 200)
            raise InputError(where, "a file to record to", error.strerror or clip(str(error))) from error
        return reply


@dataclass
class RecordedModel:
    """Answers from a cassette only. The n-th time a request comes, its n-th recorded reply is given."""

    path: Path
    replies: Mapping[tuple[str, int], tuple[Reply, str]]
    """By key and turn: the reply, and the SHA-256 of the constraint under which it was given."""
    name: str
    settings: Mapping[str, object] = field(default_factory=dict)
    cut_off: bool = False
    _seen: dict[str, int] = field(default_factory=dict)

    @classmethod
    def open(cls, path: Path) -> RecordedModel:
        """Read a cassette. Raises :class:`InputError` with file and line."""
        lines = read_text(path, MAX_BYTES, expected="a readable cassette").split("\n")
        last = lines.pop()  # empty where the last line is whole
        replies, name, settings = _read(lines, clip(str(path), 200))
        return cls(path, replies, name, settings, bool(last.strip()))

    def ask(self, request: ChatRequest) -> Reply:
        """Return the recorded reply; :class:`ServiceError` of kind ``no-recording`` when there is none."""
        key = digest(request.canonical(self.name, self.settings))
        turn = self._seen.get(key, 0)
        reply, constraint = self.replies.get((key, turn), (None, ""))
        if reply is None or request.constrained(reply.form) != constraint:
            subject = request.purpose or "this request"
            if reply is not None:
                subject += f" under this {reply.form} constraint"
            hint = "scene, instruction or prompts differ from when it was recorded; --record records again"
            raise ServiceError(
                "no-recording",
                f"{clip(str(self.path), 200)} has no answer to {subject} (key {key[:12]}, turn {turn})",
                "its last line is cut off" if self.cut_off else hint,
            )
        self._seen[key] = turn + 1
        return reply


def _read(
    lines: list[str], where: str
) -> tuple[dict[tuple[str, int], tuple[Reply, str]], str, dict[str, object]]:
    replies: dict[tuple[str, int], tuple[Reply, str]] = {}
    names: dict[str, None] = {}
    settings: dict[str, object] | None = None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        at = f"{where}:{number}"
        raw = parse_json(line, where, values=MAX_LINE_VALUES, line=number)
        if not isinstance(raw, dict) or raw.get("format") != FORMAT:
            raise InputError(at, f'an entry of format "{FORMAT}"', clip(raw))
        key, turn, name = raw.get("key"), raw.get("turn"), raw.get("model")
        if not isinstance(key, str) or not isinstance(turn, int) or not isinstance(name, str):
            raise InputError(at, "key, turn and model", clip(raw))
        constraint = raw.get("constraint")
        if not isinstance(constraint, str):
            raise InputError(f"{at}: constraint", "the SHA-256 of the constraint", clip(constraint))
        replies[key, turn] = _reply(raw.get("reply"), at), constraint
        names[name] = None
        of_line = raw.get("settings", {})
        if not isinstance(of_line, dict) or (settings is not None and of_line != settings):
            raise InputError(f"{at}: settings", "the settings of the lines before", clip(of_line))
        settings = of_line
    if len(names) > 1:
        raise InputError(where, "answers of one model", ", ".join(map(clip, names)))
    return replies, next(iter(names), "recorded"), settings or {}


def _reply(raw: object, at: str) -> Reply:
    if not isinstance(raw, dict):
        raise InputError(f"{at}: reply", "an object", clip(raw))
    text, form, usage = raw.get("text"), raw.get("form"), raw.get("usage")
    if not isinstance(text, str) or form not in FORMS or not isinstance(usage, list) or len(usage) != 3:
        raise InputError(f"{at}: reply", "text, form and usage", clip(raw))
    prompt, completion, source = usage
    counts = all(type(n) is int and 0 <= n <= MAX_REPORTED for n in (prompt, completion))
    if not counts or source not in ("server", "counted"):
        raise InputError(f"{at}: reply.usage", "two numbers and a source", clip(usage))
    return Reply(text, form, Usage(prompt, completion, source), str(raw.get("finish", "stop")))
