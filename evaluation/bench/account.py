"""Account of a run's model: calls and tokens, counted alike for every method, and ended at the run's limits.

All methods are charged by one offline vocabulary, whatever their servers report: a comparison of tokens needs
one unit. The reports of the servers are kept beside. The count is of the texts sent and received: all
messages of a request, and the answer with its thoughts. JSON schemas are counted apart, and are part of what
a limit bounds. Answers that another run had been given are charged like all others, with the seconds that
they had taken, and counted beside; and so are the tokens of prompts that a server had kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from ...language.chat.servers.cassette import KeepsWay, MadeWith
from ...language.chat.servers.meter import count_tokens, tokens_of_schema
from ...language.chat.servers.model import ChatModel, ChatRequest, Reply, ServiceError, Usage
from ...methods.method import Limits
from .comparison import Cell
from .replies import Replies


@dataclass
class Account:
    """Calls and tokens of one run. ``exhausted`` is true after a call that the limits refused.

    ``kept_calls`` and ``kept_tokens`` are the part of calls and tokens that was answered from what another
    run had asked, ``kept_seconds`` what all kept answers had taken, and ``served_cached`` the part of
    ``served_prompt`` that the server had kept: ``None`` where it says nothing of that. ``foreign_calls`` were
    answered by what was written to another request before. ``cell`` says which run it is.
    """

    limits: Limits
    cell: Cell | None = None
    calls: int = 0
    prompt: int = 0
    completion: int = 0
    schema_tokens: int = 0
    served_prompt: int = 0
    served_completion: int = 0
    served_cached: int | None = None
    kept_calls: int = 0
    kept_tokens: int = 0
    kept_seconds: float = 0.0
    foreign_calls: int = 0
    purposes: dict[str, int] = field(default_factory=dict)
    exhausted: bool = False
    unstored: str = ""
    """What was not stored of the answers that the run would have had; it is then no run of its method."""
    replies: Replies = field(default_factory=Replies)
    """What the model replied, for the row."""

    def check(self) -> None:
        """Refuse a call beyond the limits. Raises :class:`ServiceError` of the kind ``budget``."""
        for spent, limit, unit in (
            (self.calls, self.limits.calls, "model calls"),
            (self.prompt + self.completion + self.schema_tokens, self.limits.tokens, "tokens"),
        ):
            if spent >= limit:
                self.exhausted = True
                raise ServiceError("budget", f"the run used its {limit} {unit}")

    def charge(self, request: ChatRequest, reply: Reply) -> Usage:
        """Add an answer, and return what it is charged with."""
        prompt = sum(count_tokens(message.content) for message in request.messages)
        completion = count_tokens(reply.text)
        self.prompt += prompt
        self.completion += completion
        self.schema_tokens += tokens_of_schema(request, reply)
        if reply.usage.source == "server":
            self.served_prompt += reply.usage.prompt
            self.served_completion += reply.usage.completion
            if reply.usage.cached is not None:
                self.served_cached = (self.served_cached or 0) + reply.usage.cached
        self.kept_seconds += reply.seconds
        if reply.kept:
            self.kept_calls += 1
            self.kept_tokens += prompt + completion
        self.foreign_calls += reply.foreign
        self.purposes[request.purpose] = self.purposes.get(request.purpose, 0) + prompt + completion
        return Usage(prompt, completion, "counted")

    def as_json(self) -> dict[str, object]:
        counts: dict[str, object] = {name: getattr(self, name) for name in COUNTS}
        foreign = {"foreign_calls": self.foreign_calls} if self.foreign_calls else {}
        return {**counts, **foreign, "purposes": dict(sorted(self.purposes.items()))}


COUNTS = (
    *("calls", "prompt", "completion", "schema_tokens", "served_prompt", "served_completion"),
    *("served_cached", "kept_calls", "kept_tokens"),
)
"""The counts of an account that a row has."""


@dataclass(frozen=True)
class CountedModel:
    """Passes requests on to a model, within the limits of an account; ``hear`` gets each answer."""

    inner: ChatModel
    account: Account
    hear: Callable[[ChatRequest, Reply, Usage], None] = lambda request, reply, usage: None

    @property
    def name(self) -> str:
        return self.inner.name

    def asked_by(self, way: MadeWith) -> None:
        """Note how requests will be written, and tell a cassette. Raises :class:`InputError`."""
        replies = self.account.replies
        replies.way = replies.way or way
        if isinstance(self.inner, KeepsWay):
            self.inner.asked_by(way)

    def ask(self, request: ChatRequest) -> Reply:
        """Ask the model. Raises :class:`ServiceError`, also where the account is exhausted."""
        self.account.check()
        self.account.calls += 1
        most = self.account.limits.answer
        if most is not None:
            request = replace(request, max_tokens=min(most, request.max_tokens), may_grow=False)
        replies = self.account.replies
        try:
            reply = self.inner.ask(request)
        except ServiceError as error:
            if error.kind == "not-stored":
                self.account.unstored = error.message
            replies.add(self.name, request, error)
            raise
        replies.add(self.name, request, reply)
        self.hear(request, reply, self.account.charge(request, reply))
        return reply
