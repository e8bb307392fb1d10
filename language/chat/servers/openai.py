"""Chat models behind the OpenAI protocol: OpenAI itself, llama.cpp, vLLM, SGLang, Ollama and the like.

The only module that calls the ``openai`` client (``errors`` translates what it raises). Answers are bounded
in bytes and seconds, retried where that can help, and constrained by the strongest form that the server
takes: a form that it turns down for one purpose (a move, a goal) is not tried again for that. Of what it
turns down otherwise it is asked without from then on (``terms``), and the reply says so. A model that was cut
off while it was thinking is asked once more, with a larger limit. The words of a server's error are
shown with the key redacted. The constants for retries may be changed; the key must go out by the transport
alone, and every answer must be charged to the run.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qsl

import httpx2
import openai

from ....domains.deadline import time_left
from ....domains.errors import clip
from ..thoughts import without_thought
from .budget import Allowance
from .errors import client_error, network_error, told_error
from .meter import charged, is_cut
from .model import ANSWER_TOKENS, CUT, NO_COMPLETION, AnswerForm, ChatRequest, Reply, ServiceError
from .profile import MOST_TOKENS, OPENAI_HOST, Profile
from .requests import LADDERS, LIMIT, ServerTerms, completion, limit_of, names_form, response
from .streaming import StreamedReply
from .transport import BoundedTransport, deadline

RETRIES = 4
"""Tries after the first for answers that may get better: 408, 409, 429 and 5xx."""

BACKOFF = 0.5
MAX_BACKOFF = 20.0
MAX_RETRY_AFTER = 60.0
PROBE_SECONDS = 10.0
THINKING_TOKENS = 8192
"""Tokens that an answer may have of a model that was cut off before it answered."""
MAX_LISTED = 1000
"""Models of a server's list that are taken note of."""
MAX_NAME = 200
"""Characters of a listed model's name, as many as a name may have."""

NOT_THE_PROTOCOL = (ValueError, TypeError, LookupError, AttributeError, RecursionError)
"""Errors of the client over JSON that is of another kind, or nested too deeply."""
EXPECTED = 'expected {"choices": [{"message": {"content": TEXT}}]} as JSON, or in pieces with "delta"'
"""The words about an answer that is none; those of Python for it name no key."""


def _refuse_error(raw: object, profile: Profile) -> None:
    """Raise the error that a server sends in place of an answer."""
    if isinstance(raw, dict) and raw.get("error") and not raw.get("choices"):
        raise told_error(raw, profile)


@dataclass
class OpenAIModel:
    """One model on one server. ``on_piece`` gets pieces of the reply as they come, for a progress display.

    ``retries`` are the tries after the first of one answer.
    """

    profile: Profile
    allowance: Allowance = field(default_factory=Allowance)
    on_piece: Callable[[str], None] = lambda piece: None
    random: random.Random = field(default_factory=random.Random)
    retries: int = RETRIES
    _kind: str | None = field(default=None, init=False)
    _refused: set[tuple[str, AnswerForm]] = field(default_factory=set, init=False)
    terms: ServerTerms = field(default_factory=ServerTerms, init=False)
    """What the server was found to take."""
    _remaining: Callable[[], float] = field(default=lambda: 0.0, init=False)
    """Seconds that the present answer may still take."""
    _open_client: openai.OpenAI | None = field(default=None, init=False)

    @property
    def name(self) -> str:
        return f"{self.profile.model} at {self.profile.host}"

    @property
    def settings(self) -> dict[str, object]:
        return self.profile.settings

    def ask(self, request: ChatRequest) -> Reply:
        """Ask the server. Raises :class:`ServiceError`."""
        before, terms = self.allowance.spent_calls, self.terms
        refusal: ServiceError | None = None
        while True:
            form = self._form(request)
            try:
                reply = self._retried(request, form)
            except ServiceError as error:
                error.tries = self.allowance.spent_calls - before
                if error.kind == "cut" and self._grow(request):
                    continue
                if not self._weaken(error, request, form):
                    self.terms = terms  # to leave something out was no help
                    if error.kind == "malformed" and refusal is not None:
                        raise refusal from None
                    raise
                refusal = error
            else:
                tries = self.allowance.spent_calls - before
                return replace(reply, tries=tries, left_out=self.terms.left_out)

    def _grow(self, request: ChatRequest) -> bool:
        """Give answers of this server more tokens from now on; false where that was done, or may not be."""
        fixed = self.profile.max_tokens is not None or not request.may_grow or LIMIT in self.terms.left_out
        if fixed or self.terms.least >= THINKING_TOKENS:
            return False
        self.terms = replace(self.terms, least=THINKING_TOKENS)
        return True

    def _weaken(self, error: ServiceError, request: ChatRequest, form: AnswerForm) -> bool:
        """Ask for less than the server turned down: what its words name, else the form, else a bare request.

        False where nothing is left that could be turned down.
        """
        most = max(self.terms.least, request.max_tokens)
        if error.kind == "too-long" and most >= ANSWER_TOKENS and LIMIT not in self.terms.left_out:
            # What the prompt leaves room for.
            self.terms = replace(self.terms.without(LIMIT), least=0)
            return True
        if error.kind != "bad-request":
            return False
        weaker = form != "text" and self.profile.form is None and request.constraint is not None
        of_form, body = names_form(error.words), self._body(request, form)
        body |= body.pop("extra_body", {})
        if of_form and not weaker and form != "text":
            return False
        new = self.terms.after(error.words, body) if not of_form else None
        if new is None and not weaker:
            new = self.terms.barer(body)
        if new is not None:
            self.terms = new
            return True
        if weaker and request.constraint is not None:
            self._refused.add((request.constraint.name, form))
        return weaker

    def _body(self, request: ChatRequest, form: AnswerForm) -> dict[str, Any]:
        """Return the body of a request as it goes out now."""
        if self._responds(form):
            return response(request, form, self.profile, self.terms)
        return completion(request, form, self.profile, self.terms)

    def _responds(self, form: AnswerForm) -> bool:
        """Return whether a form is asked for by the responses API."""
        return self.profile.api == "responses" and form in ("lark", "text")

    def close(self) -> None:
        if self._open_client is not None:
            self._open_client.close()
            self._open_client = None

    def _form(self, request: ChatRequest) -> AnswerForm:
        """Return the strongest form that the request has and the server has not turned down."""
        if request.constraint is None:
            return "text"
        if self.profile.form is not None:
            return self.profile.form if request.constraint.has(self.profile.form) else "text"
        refused = {form for name, form in self._refused if name == request.constraint.name}
        ladder = [f for f in LADDERS[self._server_kind()] if f not in refused]
        if self.profile.host == OPENAI_HOST and self.profile.api == "chat":
            ladder = [f for f in ladder if f != "lark"]  # only its responses take grammars
        return next((f for f in ladder if request.constraint.has(f)), "text")

    def _server_kind(self) -> str:
        """Return the kind of server: a key of ``LADDERS``, which its list of models names, found once."""
        if self._kind is None and self.profile.host == OPENAI_HOST:
            self._kind = "openai"
        elif self._kind is None:
            try:
                owners = {owner for _, owner in self.listed()}
            except ServiceError:
                owners = set()  # a server without a list: its answers to requests decide
            # Proxies repeat "openai", but only OpenAI's own host has its grammars.
            self._kind = min(owners & (LADDERS.keys() - {"openai"}), default="other")
        return self._kind

    def listed(self) -> list[tuple[str, str]]:
        """Return the models that the server lists: the name of each, and its owner, the kind of server.

        At most :data:`MAX_LISTED`, clipped and with the key redacted. Raises :class:`ServiceError`.
        """
        seconds = min(PROBE_SECONDS, max(0.1, self._seconds()))
        self._remaining = deadline(seconds)
        try:
            models = self._client().models.list(timeout=seconds).data[:MAX_LISTED]
            names = [(m.id, getattr(m, "owned_by", "")) for m in models]
        except openai.OpenAIError as error:
            raise client_error(error, self.profile) from None
        except httpx2.HTTPError as error:
            raise network_error(error, self.profile) from None
        except NOT_THE_PROTOCOL:
            message = f"{self.profile.host} sent no list of models"
            raise ServiceError("malformed", message, 'expected {"data": [{"id": NAME}]} as JSON') from None
        return [
            (clip(self.profile.key.redact(str(name)), MAX_NAME), clip(self.profile.key.redact(str(owner))))
            for name, owner in names
        ]

    def _client(self) -> openai.OpenAI:
        if self._open_client is None:
            # The transport alone adds the key: what the client takes from the environment is not sent
            # (OPENAI_CUSTOM_HEADERS, OPENAI_ADMIN_KEY, ...). No redirects: the key must not travel.
            transport = BoundedTransport(lambda: self._remaining(), self.profile.headers())
            http = httpx2.Client(transport=transport, follow_redirects=False, trust_env=False)
            address, _, query = self.profile.base_url.partition("?")
            self._open_client = openai.OpenAI(
                api_key="none",
                base_url=address,
                default_query=dict(parse_qsl(query)),
                max_retries=0,
                timeout=self.profile.timeout,
                http_client=http,
            )
        return self._open_client

    def _retried(self, request: ChatRequest, form: AnswerForm) -> Reply:
        """Ask until there is an answer, where that may help and the budget allows it."""
        attempt = 0
        while True:
            self.allowance.call()
            try:
                return self._once(request, form)
            except ServiceError as error:
                if error.kind == "timed-out":
                    self.allowance.check_time()
                wait = error.retry_after
                if not error.retryable or attempt >= self.retries or (wait or 0.0) > MAX_RETRY_AFTER:
                    raise
                if wait is None:
                    wait = min(MAX_BACKOFF, BACKOFF * 2**attempt) * (0.5 + self.random.random())
                attempt += 1
                self.allowance.sleep(wait)

    def _seconds(self) -> float:
        """Return the seconds that an answer may take: what is left of the run, and of a limit around it."""
        left = time_left()
        around = math.inf if left is None else max(0.0, left)
        return min(self.profile.timeout, self.allowance.remaining(), around)

    def _once(self, request: ChatRequest, form: AnswerForm) -> Reply:
        """Ask once, and charge the run for it."""
        seconds = self._seconds()
        self._remaining = deadline(seconds)
        limits = replace(self.profile, timeout=round(seconds, 1))
        try:
            if self._responds(form):
                reply = self._responses(request, form, seconds)
            else:
                reply = self._completions(request, form, seconds)
        except openai.OpenAIError as error:
            raise client_error(error, limits) from None
        except httpx2.HTTPError as error:
            raise network_error(error, limits) from None
        except UnicodeEncodeError:  # the client makes UTF-8 of all that it sends
            message = f"a name or text has half a character (a lone surrogate) and cannot be sent as {form}"
            raise ServiceError(
                "bad-request", message, "rename it in the scene, or use another --form"
            ) from None
        except NOT_THE_PROTOCOL as error:
            message = f"{self.profile.host} {NO_COMPLETION}"
            parsed = not isinstance(error, json.JSONDecodeError)
            hint = EXPECTED if parsed else clip(self.profile.key.redact(str(error)))
            raise ServiceError("malformed", message, hint) from None
        self.allowance.spend(reply.usage)
        if not without_thought(reply.text) and (reply.finish == CUT or not reply.text.strip()):
            raise self._without_answer(reply, request)
        return reply

    def _without_answer(self, reply: Reply, request: ChatRequest) -> ServiceError:
        """Return the error of a reply that is empty, or a thought that was cut off."""
        host, tokens = self.profile.host, limit_of(request, self.profile, self.terms)
        if reply.finish == CUT:
            message = f"{host} gave no answer within {tokens} tokens (finish reason {reply.finish})"
            hint = "a model that thinks first needs more: --max-answer-tokens"
            return ServiceError("cut", message, hint)
        thoughts = "thoughts and no answer" if reply.thought else "an empty answer"
        return ServiceError("empty", f"{host} gave {thoughts} (finish reason {reply.finish})")

    def _completions(self, request: ChatRequest, form: AnswerForm, seconds: float) -> Reply:
        """Ask for a chat completion: streamed, or whole where the server does not stream."""
        body = self._body(request, form)
        reply = self._reply(request)
        try:
            completed: Any = self._client().chat.completions.create(**body, timeout=seconds)
            self._collect(completed, reply, seconds, "stream" in body)
            text = reply.text(self.profile.host)
        except (ServiceError, openai.OpenAIError, httpx2.HTTPError):
            if reply.begun:  # what came before the end was paid for, too
                self.allowance.spend(charged(request, reply.begun))
            raise
        usage = charged(request, text, reply.prompt, reply.completion, reply.cached)
        cut = is_cut(request, reply.prompt)
        return Reply(text, form, usage, reply.finish, cut_prompt=cut, thought=reply.thought)

    def _reply(self, request: ChatRequest) -> StreamedReply:
        limit = limit_of(request, self.profile, self.terms)
        if LIMIT in self.terms.left_out:
            limit = max(limit, MOST_TOKENS)
        return StreamedReply(self.profile.key, self.on_piece, limit)

    def _collect(self, completed: Any, reply: StreamedReply, seconds: float, streamed: bool) -> None:
        """Take a completion as the client gives it: a stream of chunks, or one piece."""
        if not streamed:
            _refuse_error({"error": getattr(completed, "error", None)}, self.profile)
            reply.add(completed, "message")
            return
        with completed as stream:
            if stream.response.headers.get("content-type", "").startswith("application/json"):
                raw = json.loads(stream.response.read())
                _refuse_error(raw, self.profile)
                reply.add(openai.types.chat.ChatCompletion.model_construct(**raw), "message")
                return
            for chunk in stream:
                reply.add(chunk)
                if self._remaining() <= 0:
                    raise ServiceError("timed-out", f"{self.profile.host} took over {round(seconds, 1):g} s")

    def _responses(self, request: ChatRequest, form: AnswerForm, seconds: float) -> Reply:
        """Ask by the responses API, for one piece; under a grammar that is the input of a tool call."""
        body = self._body(request, form)
        answer = self._client().responses.create(**body, timeout=seconds)
        calls = [item.input for item in answer.output if item.type == "custom_tool_call"]
        reply = self._reply(request)
        reply.finish = clip(self.profile.key.redact(str(answer.status)), 40)
        reply.extend(calls[0] if calls else answer.output_text)
        text = reply.text(self.profile.host)
        prompt, completion = (getattr(answer.usage, f"{way}_tokens", None) for way in ("input", "output"))
        cached = getattr(getattr(answer.usage, "input_tokens_details", None), "cached_tokens", None)
        usage = charged(request, text, prompt, completion, cached)
        return Reply(text, form if calls else "text", usage, reply.finish)
