"""Answers of a model that were stored before, given again by task, whatever the prompt is now.

A cassette answers the request that was recorded and no other. This answers what has changed since: a scene
with descriptions, another version of a prompt. So it shows what a prompt does to a run in which the answers
are the same. It measures no model: answers are to prompts that the model saw and the run did not send.

A file has JSON lines, gzip or not: ``task``, ``schema`` (the name of the JSON schema of the answer, or null
where it had none), ``messages`` (each ``role`` and ``content``) and ``answer``; other keys are not read. Of
the answers of a task under a schema, a request gets the one whose last message shares most of its lines with
its own. They are the fields of a prompt, such as what was opened; one field that is another changes little.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ...datasets.formats.content import Content
from ...domains.errors import InputError, clip
from ...domains.files import parse_json
from ...language.chat.servers.meter import count_tokens
from ...language.chat.servers.model import ChatRequest, Reply, ServiceError, Usage

KIND = "stored"
"""The kind of reader, before the colon of its name."""
Turns = tuple[tuple[str, str], ...]
"""Roles and texts of messages."""


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """An answer with the messages that it was written to, and the name of its schema."""

    schema: str | None
    messages: Turns
    text: str


@dataclass(frozen=True)
class StoredModel:
    """Answers requests about one task. ``name`` is that of the reader."""

    name: str
    task: str
    answers: Sequence[StoredAnswer]

    @classmethod
    def open(cls, path: Path, task: str) -> StoredModel:
        """Read the answers of a task. Raises :class:`InputError` with the line."""
        by_task = _read(path, path.stat().st_mtime_ns if path.exists() else 0)
        return cls(f"{KIND}:{path.name}", task, by_task.get(task, ()))

    def ask(self, request: ChatRequest) -> Reply:
        """Return the answer to the nearest request. Raises :class:`ServiceError` where the task has none."""
        messages = tuple((m.role, m.content) for m in request.messages)
        constraint = request.constraint
        schema = constraint.name if constraint is not None and constraint.has("json-schema") else None
        # Without a schema nothing but the form of the conversation says what was asked for.
        roles = _roles(messages)
        fitting = [a for a in self.answers if a.schema == schema and (schema or _roles(a.messages) == roles)]
        if not fitting:
            kind = f"under the schema {schema}" if schema else f"to {request.purpose}, without a schema"
            raise ServiceError("not-stored", f"no answer for {clip(self.task)} is stored {kind}")
        nearest = max(fitting, key=lambda answer: _likeness(answer.messages, messages))
        usage = Usage(sum(count_tokens(text) for _, text in messages), count_tokens(nearest.text), "counted")
        return Reply(
            nearest.text, "json-schema" if schema else "text", usage, foreign=nearest.messages != messages
        )


def _roles(messages: Turns) -> list[str]:
    return [role for role, _ in messages]


def _likeness(one: Turns, other: Turns) -> float:
    """Return which part of the lines of two last messages is in both."""
    lines, others = (set(messages[-1][1].split("\n")) if messages else set() for messages in (one, other))
    return len(lines & others) / max(1, len(lines | others))


@lru_cache(maxsize=2)
def _read(path: Path, changed: int) -> Mapping[str, Sequence[StoredAnswer]]:
    """Return the answers of a file by task; ``changed`` is when it was. Raises :class:`InputError`."""
    by_task: dict[str, list[StoredAnswer]] = {}
    for number, line in enumerate(Content(path).text.split("\n"), 1):
        if not line.strip():
            continue
        where = f"{clip(str(path), 200)}:{number}"
        raw = parse_json(line, str(path), line=number)
        row = raw if isinstance(raw, dict) else {}
        task, schema, text = row.get("task"), row.get("schema"), row.get("answer")
        messages = tuple(_turns(row.get("messages")))
        if not isinstance(task, str) or not isinstance(text, str) or not messages:
            raise InputError(where, "task, schema, messages and answer", clip(raw))
        if schema is not None and not isinstance(schema, str):
            raise InputError(f"{where}: schema", "the name of a schema, or null", clip(schema))
        by_task.setdefault(task, []).append(StoredAnswer(schema, messages, text))
    if not by_task:
        raise InputError(clip(str(path), 200), "a stored answer a line", "none")
    return by_task


def _turns(raw: object) -> Iterator[tuple[str, str]]:
    """Yield the roles and texts of messages; nothing of what is none."""
    for message in raw if isinstance(raw, list) else ():
        role, text = (message.get(k) for k in ("role", "content")) if isinstance(message, dict) else (0, 0)
        if isinstance(role, str) and isinstance(text, str):
            yield role, text
