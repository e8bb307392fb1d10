"""Chat models behind the OpenAI protocol: OpenAI itself, llama.cpp, vLLM, SGLang, Ollama and the like.

The only module that speaks to the ``openai`` client. Answers are bounded in bytes and seconds, retried
where that can help, and constrained by the strongest form that the server takes: each form that a server
turns down is not tried again. What a server says in an error is shown with the key blotted out.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx2
import openai

from ..domains.errors import clip
from .allowance import Allowance
from .chat import FORMS, ChatRequest, Form, Reply, ServiceError
from .faults import broken, explained
from .metering import charged
from .profile import OPENAI_URL, Profile, origin
from .streaming import Answer
from .transport import BoundedTransport, deadline

RETRIES = 4
"""Tries after the first for answers that may get better: 408, 409, 429 and 5xx."""

BACKOFF = 0.5
MAX_BACKOFF = 20.0
MAX_RETRY_AFTER = 60.0
PROBE_SECONDS = 10.0

OPENAI_HOST = origin(OPENAI_URL)

LADDERS: Mapping[str, tuple[Form, ...]] = {
    "openai": ("lark", "json-schema", "json", "text"),
    "llamacpp": ("gbnf", "json-schema", "json", "text"),
    "vllm": ("lark", "json-schema", "json", "text"),
    "sglang": ("json-schema", "json", "text"),
    "other": ("json-schema", "json", "text"),
}
"""Which forms each kind of server is offered, strongest first."""


@dataclass
class OpenAIModel:
    """One model on one server. ``tell`` gets pieces of the answer as they come, for a progress display."""

    profile: Profile
    allowance: Allowance = field(default_factory=Allowance)
    tell: Callable[[str], None] = lambda piece: None
    random: random.Random = field(default_factory=lambda: random.Random(0))
    _kind: str | None = field(default=None, init=False)
    _refused: set[Form] = field(default_factory=set, init=False)
    _until: Callable[[], float] = field(default=lambda: 0.0, init=False)
    _made: openai.OpenAI | None = field(default=None, init=False)

    @property
    def name(self) -> str:
        return f"{self.profile.model} at {self.profile.host}"

    @property
    def settings(self) -> dict[str, object]:
        return self.profile.settings

    def ask(self, request: ChatRequest) -> Reply:
        """Ask the server. Raises :class:`ServiceError`."""
        while True:
            form = self._form(request)
            try:
                return self._retried(request, form)
            except ServiceError as error:
                if error.kind != "bad-request" or form == "text" or self.profile.form is not None:
                    raise
                self._refused.add(form)

    def close(self) -> None:
        if self._made is not None:
            self._made.close()
            self._made = None

    def _form(self, request: ChatRequest) -> Form:
        """The strongest form that the request has and the server has not turned down."""
        if request.constraint is None:
            return "text"
        if self.profile.form is not None:
            return self.profile.form if request.constraint.has(self.profile.form) else "text"
        ladder = [f for f in LADDERS[self._probe()] if f not in self._refused]
        if self.profile.host == OPENAI_HOST and self.profile.api == "chat":
            ladder = [f for f in ladder if f != "lark"]  # only its responses take grammars
        return next((f for f in ladder if request.constraint.has(f)), "text")

    def _probe(self) -> str:
        """What kind of server it is, asked once: it says so in its list of models."""
        if self._kind is None:
            self._kind = "other"
            if self.profile.host == OPENAI_HOST:
                self._kind = "openai"
            else:
                seconds = min(PROBE_SECONDS, self.profile.timeout, max(0.1, self.allowance.remaining()))
                self._until = deadline(seconds)
                try:
                    listed = self._client().models.list(timeout=seconds)
                    owners = {str(getattr(m, "owned_by", "")) for m in listed.data}
                    self._kind = next((o for o in sorted(owners) if o in LADDERS), "other")
                except (openai.OpenAIError, httpx2.HTTPError, ValueError, TypeError, AttributeError):
                    self._kind = "other"  # a server without a list; the question itself will tell
        return self._kind

    def _client(self) -> openai.OpenAI:
        if self._made is None:
            # The transport alone adds the key: what the client takes from the environment is not sent
            # (OPENAI_CUSTOM_HEADERS, OPENAI_ADMIN_KEY, ...). No redirects: the key must not travel.
            transport = BoundedTransport(lambda: self._until(), self.profile.headers())
            http = httpx2.Client(transport=transport, follow_redirects=False, trust_env=False)
            self._made = openai.OpenAI(
                api_key="none",
                base_url=self.profile.base_url,
                max_retries=0,
                timeout=self.profile.timeout,
                http_client=http,
            )
        return self._made

    def _retried(self, request: ChatRequest, form: Form) -> Reply:
        attempt = 0
        while True:
            self.allowance.call()
            try:
                return self._once(request, form)
            except ServiceError as error:
                wait = error.retry_after
                if not error.retryable or attempt >= RETRIES or (wait or 0.0) > MAX_RETRY_AFTER:
                    raise
                if wait is None:
                    wait = min(MAX_BACKOFF, BACKOFF * 2**attempt) * (0.5 + self.random.random())
                attempt += 1
                self.allowance.sleep(wait)

    def _once(self, request: ChatRequest, form: Form) -> Reply:
        seconds = min(self.profile.timeout, self.allowance.remaining())
        self._until = deadline(seconds)
        try:
            if self.profile.api == "responses" and form in ("lark", "text"):
                reply = self._responses(request, form)
            else:
                reply = self._completions(request, form, seconds)
        except openai.OpenAIError as error:
            raise explained(error, self.profile) from None
        except httpx2.HTTPError as error:
            raise broken(error, self.profile) from None
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
            message = f"{self.profile.host} answered something that is no completion"
            raise ServiceError("malformed", message, clip(self._clean(str(error)))) from None
        self.allowance.spend(reply.usage)
        if not reply.text.strip():
            what = f"an empty answer (finish reason {reply.finish})"
            raise ServiceError("empty", f"{self.profile.host} gave {what}")
        return reply

    def _completions(self, request: ChatRequest, form: Form, seconds: float) -> Reply:
        extra, response_format = self._constrained(request, form)
        # OpenAI's newer models turn the older name down, other servers know no other.
        limit = "max_completion_tokens" if self.profile.host == OPENAI_HOST else "max_tokens"
        arguments: dict[str, Any] = {
            "model": self.profile.model,
            "messages": [{"role": m.role, "content": m.content} for m in request.messages],
            "temperature": self.profile.temperature,
            limit: min(request.max_tokens, self.profile.max_tokens),
            "stream": True,
            "stream_options": {"include_usage": True},
            "timeout": seconds,
        }
        if self.profile.seed is not None:
            arguments["seed"] = self.profile.seed
        if response_format is not None:
            arguments["response_format"] = response_format
        if extra:
            arguments["extra_body"] = extra
        answer = Answer(self.profile.key, self.tell, arguments[limit])
        with self._client().chat.completions.create(**arguments) as stream:
            for chunk in stream:
                answer.add(chunk)
                if self._until() <= 0:
                    raise ServiceError("timed-out", f"{self.profile.host} took over {seconds:g} s")
        text = answer.text(self.profile.host)
        usage = charged(request, text, answer.prompt, answer.completion)
        return Reply(text, form, usage, answer.finish)

    def _responses(self, request: ChatRequest, form: Form) -> Reply:
        """OpenAI's responses API, where a custom tool may be bound to a Lark grammar."""
        arguments: dict[str, Any] = {
            "model": self.profile.model,
            "input": [{"role": m.role, "content": m.content} for m in request.messages],
            "max_output_tokens": min(request.max_tokens, self.profile.max_tokens),
            "timeout": min(self.profile.timeout, self.allowance.remaining()),
        }
        if form == "lark" and request.constraint is not None:
            grammar = {"type": "grammar", "syntax": "lark", "definition": request.constraint.lark}
            tool = {"type": "custom", "name": request.constraint.name, "format": grammar}
            arguments |= {"tools": [tool], "tool_choice": {"type": "custom", "name": request.constraint.name}}
        answer = self._client().responses.create(**arguments)
        calls = [item.input for item in answer.output if item.type == "custom_tool_call"]
        text = self._clean(calls[0] if calls else answer.output_text)
        said = answer.usage
        usage = charged(
            request, text, getattr(said, "input_tokens", None), getattr(said, "output_tokens", None)
        )
        return Reply(text, form, usage, clip(self._clean(str(answer.status)), 40))

    def _constrained(self, request: ChatRequest, form: Form) -> tuple[dict[str, Any], dict[str, Any] | None]:
        """How each form is asked for: extra body fields, and the response format."""
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

    def _clean(self, text: str) -> str:
        return self.profile.key.redact(text)


__all__ = ["FORMS", "LADDERS", "OpenAIModel"]
