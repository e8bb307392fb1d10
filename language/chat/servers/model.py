"""Interface of chat models: requests, constraints, replies, and the errors of a service.

A :class:`ChatModel` answers one :class:`ChatRequest` with one :class:`Reply`. Nothing is remembered between
calls: each request holds all that the model should know. A request may carry the same constraint in several
forms; the model uses the strongest that its server has and says which in the reply. What
:meth:`ChatRequest.canonical` and :meth:`Constraint.sent` return may not change: recordings are
found by both.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, Protocol

from ...reader import ReaderError

Role = Literal["system", "developer", "user", "assistant"]

AnswerForm = Literal["lark", "gbnf", "json-schema", "json", "text"]
"""Form of the constraint on an answer, strongest first; ``text`` is none."""

CUT = "length"
"""Why an answer ended that its limit of tokens cut off."""
ANSWER_TOKENS = 4000
"""Most tokens of an answer, alike for every method and every request of it: a plan for 30 errands fits."""

NO_COMPLETION = "sent an answer that is not a chat completion"
"""Problem of a server that speaks another protocol, for messages."""

FORMS: tuple[AnswerForm, ...] = ("lark", "gbnf", "json-schema", "json", "text")


@dataclass(frozen=True, slots=True)
class Picture:
    """Picture in a message: its bytes, and their media type, such as ``image/png``."""

    media_type: str
    data: bytes = field(repr=False)

    @property
    def sha256(self) -> str:
        """SHA-256 of the bytes."""
        return hashlib.sha256(self.data).hexdigest()

    @property
    def url(self) -> str:
        """The picture as a data URL."""
        return f"data:{self.media_type};base64,{base64.b64encode(self.data).decode('ascii')}"


@dataclass(frozen=True, slots=True)
class Message:
    """Message of a dialogue with a model, by the role that speaks; vision models take ``images`` with it."""

    role: Role
    content: str
    images: tuple[Picture, ...] = ()

    @property
    def told(self) -> list[object]:
        """Role, text, and the hashes of pictures where there are any: what recordings are found by."""
        pictures = [[p.media_type, p.sha256] for p in self.images]
        return [self.role, self.content, *([pictures] if pictures else [])]


@dataclass(frozen=True)
class Constraint:
    """Constraint on an answer in every form that there is of it; a form is made on first use.

    The schema describes the answer as JSON, Lark and GBNF describe it as text; ``name`` goes to the server.
    ``json_mode`` is true where the prompt describes that JSON, too: JSON mode by itself says nothing of it.
    """

    name: str
    make_schema: Callable[[], Mapping[str, object]] | None = None
    make_lark: Callable[[], str] | None = None
    make_gbnf: Callable[[], str] | None = None
    json_mode: bool = True

    @cached_property
    def schema(self) -> Mapping[str, object] | None:
        return self.make_schema() if self.make_schema is not None else None

    @cached_property
    def lark(self) -> str | None:
        return self.make_lark() if self.make_lark is not None else None

    @cached_property
    def gbnf(self) -> str | None:
        return self.make_gbnf() if self.make_gbnf is not None else None

    def sent(self, form: AnswerForm) -> str:
        """Return what a server is sent in a form: the text of a grammar, or canonical JSON of the schema."""
        if form == "json-schema":
            return json.dumps(self.schema, sort_keys=True)
        return (getattr(self, form) or "") if form in ("lark", "gbnf") else ""

    def has(self, form: AnswerForm) -> bool:
        """Return whether there is such a form."""
        as_json = self.make_schema if self.json_mode else None
        makers = {
            "lark": self.make_lark,
            "gbnf": self.make_gbnf,
            "json-schema": self.make_schema,
            "json": as_json,
        }
        return form == "text" or makers[form] is not None


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One request. ``purpose`` (search, goal, repair) is for records and never sent.

    A server that thinks before it answers may be given more than ``max_tokens``, unless ``may_grow`` is
    false.
    """

    messages: tuple[Message, ...]
    constraint: Constraint | None = None
    max_tokens: int = ANSWER_TOKENS
    purpose: str = ""
    may_grow: bool = True

    def canonical(self, model: str, settings: Mapping[str, object]) -> str:
        """Return the request without its constraint as JSON, by which recordings are found. Holds no key.

        A request without pictures has the text that it had before there were any.
        """
        raw: dict[str, object] = {
            "model": model,
            "settings": dict(settings),
            "messages": [m.told for m in self.messages],
            "max_tokens": self.max_tokens,
            "constraint": None if self.constraint is None else self.constraint.name,
        }
        return json.dumps(raw, sort_keys=True, ensure_ascii=True, separators=(",", ":"))

    def constrained(self, form: AnswerForm) -> str:
        """Return the SHA-256 of the constraint as a server gets it in a form."""
        return digest(self.constraint.sent(form) if self.constraint is not None else "")


def digest(text: str) -> str:
    """Return the SHA-256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call. ``source`` says who counted them, the server or we.

    ``cached`` are those of the prompt that the server says it had kept; ``None`` where it says nothing.
    """

    prompt: int
    completion: int
    source: Literal["server", "counted"] = "server"
    cached: int | None = None

    @property
    def total(self) -> int:
        return self.prompt + self.completion


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer: its text, how it was constrained, what it cost, and why it ended.

    ``tries`` is how many calls it took; ``left_out`` are settings that were not sent, since the server turns
    them down. ``cut_prompt`` is true where the server counts far fewer tokens in the prompt than were sent,
    and has most likely cut it, ``thought`` where it sent thoughts beside the answer. ``kept`` is true where
    nobody was asked, since another run had made the same request, ``foreign`` where the answer was written to
    another request before.
    """

    text: str
    form: AnswerForm
    usage: Usage
    finish: str = "stop"
    tries: int = 1
    left_out: tuple[str, ...] = ()
    cut_prompt: bool = False
    thought: bool = field(default=False, compare=False)
    kept: bool = field(default=False, compare=False)
    seconds: float = field(default=0.0, compare=False)
    """Seconds that a kept answer had taken when it was asked for."""
    foreign: bool = field(default=False, compare=False)

    @property
    def cut(self) -> bool:
        """True if the limit of tokens ended the answer."""
        return self.finish == CUT

    @property
    def cut_off(self) -> str:
        """The place where the limit of tokens ended the answer, in words."""
        return f"the answer was cut off after {self.usage.completion} tokens"


class ChatModel(Protocol):
    """Something that answers. ``name`` identifies model and server in records, without secrets."""

    @property
    def name(self) -> str: ...

    def ask(self, request: ChatRequest) -> Reply:
        """Answer a request. Raises :class:`ServiceError`."""
        ...


@dataclass(eq=False)
class ServiceError(ReaderError):
    """A service that gave no usable answer; ``retryable`` where trying again may help.

    ``kind`` is one of refused, tls, unauthorized, forbidden, no-such-model, bad-request, too-long,
    rate-limited, quota, server-error, timed-out, too-large, malformed, empty, cut, refusal, redirected,
    budget, no-recording and not-stored.
    """

    kind: str
    message: str
    hint: str = ""
    retryable: bool = False
    status: int | None = None
    retry_after: float | None = field(default=None, compare=False)
    words: str = field(default="", compare=False, repr=False)
    """The words of the server, without what they quote of the request."""
    tries: int = 0
    """Number of calls without an answer."""

    def __post_init__(self) -> None:
        super().__init__(str(self))

    def __str__(self) -> str:
        return f"{self.message}; {self.hint}" if self.hint else self.message

    @property
    def outcome(self) -> str:
        """The outcome of a run that it ends: that of a cut answer where only a thought fitted."""
        return "answer-cut" if self.kind == "cut" else "service-failed"
