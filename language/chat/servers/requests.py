"""Bodies of requests to model servers, for each API, and the terms on which a server takes them.

No list says what servers turn down. What an error names, and the request has, is called as the error says, or
left out; where it names nothing, a bare request is the last try. The settings of a bare request are those in
``SETTINGS`` left out. What was learnt counts for all requests of a connection. The forms of constraint to try
with each kind of server are those of ``LADDERS``, which a new kind gets a line in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from .model import AnswerForm, ChatRequest, Message, Role
from .profile import OPENAI_HOST, Profile

LIMIT = "max_tokens"
"""The setting for the most tokens of an answer, whatever a server calls it."""
SETTINGS = ("stream_options", "stream", "seed", "temperature", LIMIT)
ROLES = ("system", "developer", "user")
"""Roles in which instructions are sent, tried in this order; in the last they stand in the first message."""

_LIMIT = re.compile(r"\bmax_\w*tokens\b")
_LEAST = re.compile(r"(?:>=|at least|minimum(?: value)?(?: of| is)?)\s*(\d{1,5})\b", re.I)
_ROLE = re.compile(
    r"\broles?\b|['\"`](?:system|developer)['\"`]|\bsystem (?:message|prompt|instruction)", re.I
)
_FORM = re.compile(
    r"response_format|json_schema|json_object|\bschema|grammar|structured_outputs|guided", re.I
)


@dataclass(frozen=True, slots=True)
class ServerTerms:
    """Terms on which one server takes requests; ``least`` is the least limit of an answer that it takes."""

    left_out: tuple[str, ...] = ()
    limit_name: str = ""
    role: str = ROLES[0]
    least: int = 0

    def in_words(self) -> tuple[str, ...]:
        """Return what is otherwise than usual, a phrase each."""
        words = [f"without {name}" for name in self.left_out]
        if self.limit_name and LIMIT not in self.left_out:
            words.append(f"{LIMIT} is called {self.limit_name}")
        if self.role != ROLES[0]:
            words.append(f"instructions go in the role {self.role}")
        if self.least:
            words.append(f"answers have at least {self.least} tokens")
        return tuple(words)

    def after(self, words: str, body: Mapping[str, Any]) -> ServerTerms | None:
        """Return the terms after an error of the server; ``None`` where it names nothing of the request."""
        sent = next((name for name in body if _LIMIT.fullmatch(name)), "")
        least = _LEAST.search(words)
        if sent and _LIMIT.search(words) and least is not None and int(least[1]) > body[sent]:
            return replace(self, least=int(least[1]))
        if sent and _names(words, sent):
            other = next((name for name in _LIMIT.findall(words) if name != sent), "")
            if other and not self.limit_name:
                return replace(self, limit_name=other)
            return self.without(LIMIT)
        named = next((s for s in SETTINGS if s in body and _names(words, s)), None)
        if named is not None:
            return self.without(named)
        if _ROLE.search(words) and self.role in _roles(body):
            return self.with_next_role()
        return None

    def without(self, *names: str) -> ServerTerms:
        return replace(self, left_out=tuple(dict.fromkeys((*self.left_out, *names))))

    def with_next_role(self) -> ServerTerms | None:
        """Return the terms with instructions in the next role; ``None`` after the last one."""
        rest = ROLES[ROLES.index(self.role) + 1 :]
        return replace(self, role=rest[0]) if rest else None

    def barer(self, body: Mapping[str, Any]) -> ServerTerms | None:
        """Return the terms of a bare request, then without roles; ``None`` where nothing is left to try."""
        if any(name in SETTINGS or _LIMIT.fullmatch(name) for name in body):
            return self.without(*SETTINGS)
        return replace(self, role=ROLES[-1]) if self.role in _roles(body) - {ROLES[-1]} else None


LADDERS: Mapping[str, tuple[AnswerForm, ...]] = {
    "openai": ("lark", "json-schema", "json", "text"),
    "llamacpp": ("gbnf", "json-schema", "json", "text"),
    "vllm": ("lark", "json-schema", "json", "text"),
    "sglang": ("json-schema", "json", "text"),
    "other": ("json-schema", "json", "text"),
}
"""Forms to try with each kind of server, strongest first."""


def completion(
    request: ChatRequest, form: AnswerForm, profile: Profile, terms: ServerTerms
) -> dict[str, Any]:
    """Return the body of a chat completion."""
    extra, response_format = _constrained(request, form)
    # OpenAI's newer models turn the older name down, other servers know no other.
    limit = terms.limit_name or ("max_completion_tokens" if profile.host == OPENAI_HOST else LIMIT)
    body: dict[str, Any] = {
        "model": profile.model,
        "messages": [{"role": m.role, "content": _content(m)} for m in _in_roles(request.messages, terms)],
        "stream": "stream" not in terms.left_out,
        **_sampling(profile, terms),
    }
    if LIMIT not in terms.left_out:
        # The client takes no other name than these two.
        named = body if limit in (LIMIT, "max_completion_tokens") else extra
        named[limit] = limit_of(request, profile, terms)
    if body["stream"] and "stream_options" not in terms.left_out:
        body["stream_options"] = {"include_usage": True}
    if not body["stream"]:
        del body["stream"]
    if response_format is not None:
        body["response_format"] = response_format
    if extra:
        body["extra_body"] = extra
    return body


def response(request: ChatRequest, form: AnswerForm, profile: Profile, terms: ServerTerms) -> dict[str, Any]:
    """Return the body for OpenAI's responses API, where a custom tool may be bound to a Lark grammar."""
    body: dict[str, Any] = {
        "model": profile.model,
        "input": [
            {"role": m.role, "content": _content(m, "input_")} for m in _in_roles(request.messages, terms)
        ],
        **_sampling(profile, terms),
    }
    if LIMIT not in terms.left_out:
        body["max_output_tokens"] = limit_of(request, profile, terms)
    if form == "lark" and request.constraint is not None:
        grammar = {"type": "grammar", "syntax": "lark", "definition": request.constraint.lark}
        tool = {"type": "custom", "name": request.constraint.name, "format": grammar}
        body |= {"tools": [tool], "tool_choice": {"type": "custom", "name": request.constraint.name}}
    return body


def _in_roles(messages: Sequence[Message], terms: ServerTerms) -> Sequence[Message]:
    """Return the messages with instructions in the role that the server takes them in."""
    if terms.role == "user" and messages and messages[0].role == "system":
        first, *rest = messages
        if rest and rest[0].role == "user":
            return (replace(rest[0], content=f"{first.content}\n\n{rest[0].content}"), *rest[1:])
    role = cast(Role, terms.role)
    return [replace(m, role=role) if m.role == "system" else m for m in messages]


def _content(message: Message, kind: str = "") -> str | list[dict[str, Any]]:
    """Return the content of a message: a text, or parts where there are pictures, whose types begin alike."""
    if not message.images:
        return message.content
    urls = [image.url if kind else {"url": image.url} for image in message.images]
    pictures = [{"type": f"{kind}image" if kind else "image_url", "image_url": url} for url in urls]
    return [{"type": f"{kind}text", "text": message.content}, *pictures]


def limit_of(request: ChatRequest, profile: Profile, terms: ServerTerms) -> int:
    """Return the tokens that an answer may have: those asked for, or more where a server needs more."""
    if profile.max_tokens is not None:
        return profile.max_tokens
    return max(request.max_tokens, terms.least) if request.may_grow else request.max_tokens


def _sampling(profile: Profile, terms: ServerTerms) -> dict[str, Any]:
    """Return temperature and seed as the profile has them; the responses API has no seed."""
    given = {"temperature": profile.temperature, "seed": profile.seed if profile.api == "chat" else None}
    return {name: value for name, value in given.items() if value is not None and name not in terms.left_out}


def _constrained(request: ChatRequest, form: AnswerForm) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """Return what asks for a form of constraint: extra fields of the body, and the response format."""
    constraint = request.constraint
    if constraint is None:
        return {}, None
    match form:
        case "lark":
            return {"structured_outputs": {"grammar": constraint.lark}}, None
        case "gbnf":
            return {"grammar": constraint.gbnf}, None
        case "json-schema":
            schema = {"name": constraint.name, "schema": constraint.schema, "strict": True}
            return {}, {"type": "json_schema", "json_schema": schema}
        case "json":
            return {}, {"type": "json_object"}
    return {}, None


def names_form(words: str) -> bool:
    """Return whether an error is about the form that an answer was to have."""
    return _FORM.search(words) is not None


def _names(words: str, setting: str) -> bool:
    spelled = setting.replace("_", "[_ ]")
    return re.search(rf"(?<![\w-]){spelled}(?:ing|ed|s)?(?![\w-])", words, re.I) is not None


def _roles(body: Mapping[str, Any]) -> set[str]:
    messages: Sequence[Mapping[str, Any]] = body.get("messages") or body.get("input") or ()
    return {str(message["role"]) for message in messages}
