"""Bodies of requests to model servers, for each API, and the forms of constraint to try with each server.

Not every server takes every setting; ``terms`` say what one takes. A new kind of server is a line in
``LADDERS``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from .model import AnswerForm, ChatRequest, Message, Role
from .profile import OPENAI_HOST, Profile
from .terms import LIMIT, ServerTerms

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
        **_sampling(request, profile, terms),
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
        "input": [{"role": m.role, "content": _input(m)} for m in _in_roles(request.messages, terms)],
        **_sampling(request, profile, terms),
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


def _content(message: Message) -> str | list[dict[str, Any]]:
    """Return the content of a message of a chat: a text, or parts where there are pictures."""
    if not message.images:
        return message.content
    pictures = [{"type": "image_url", "image_url": {"url": image.url}} for image in message.images]
    return [{"type": "text", "text": message.content}, *pictures]


def _input(message: Message) -> str | list[dict[str, Any]]:
    """Return the content of a message of the responses API."""
    if not message.images:
        return message.content
    pictures = [{"type": "input_image", "image_url": image.url} for image in message.images]
    return [{"type": "input_text", "text": message.content}, *pictures]


def limit_of(request: ChatRequest, profile: Profile, terms: ServerTerms) -> int:
    """Return the tokens that an answer may have: those asked for, or more where a server needs more."""
    if profile.max_tokens is not None:
        return profile.max_tokens
    return max(request.max_tokens, terms.least) if request.may_grow else request.max_tokens


def _sampling(request: ChatRequest, profile: Profile, terms: ServerTerms) -> dict[str, Any]:
    """Return temperature and seed: those of the request before those of the profile.

    The responses API has no seed. What a profile does not send at all is not sent for a sample either.
    """
    given = {"temperature": profile.temperature, "seed": profile.seed if profile.api == "chat" else None}
    sent = {name: value for name, value in given.items() if value is not None and name not in terms.left_out}
    if request.sampling is not None:
        drawn = {"temperature": request.sampling.temperature, "seed": request.sampling.seed}
        sent = {name: drawn[name] for name in sent}
    return sent


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
