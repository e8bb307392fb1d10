"""Chat model that replies from a list: for tests, demonstrations and adversaries.

It needs no server and no key. A reply may be a text, an error to raise, or a function of the request; another
kind is added to ``ScriptedReply``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import repeat

from .model import AnswerForm, ChatRequest, Reply, ServiceError, Usage

ScriptedReply = str | ServiceError | Callable[[ChatRequest], str]


@dataclass
class ScriptedModel:
    """Answers in order; ``history`` keeps every request."""

    answers: Iterable[ScriptedReply]
    name: str = "scripted"
    form: AnswerForm = "text"
    history: list[ChatRequest] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._rest = iter(self.answers)

    @classmethod
    def of(cls, *answers: ScriptedReply) -> ScriptedModel:
        """Return a model with these answers."""
        return cls(answers)

    @classmethod
    def always(cls, answer: Callable[[ChatRequest], str]) -> ScriptedModel:
        """Return a model that answers every request by one function."""
        return cls(repeat(answer))

    def ask(self, request: ChatRequest) -> Reply:
        """Return the next answer. Raises :class:`ServiceError` when there is none, or as scripted."""
        self.history.append(request)
        answer = next(self._rest, None)
        if answer is None:
            raise ServiceError("empty", f"the script has no answer to call {len(self.history)}")
        if isinstance(answer, ServiceError):
            raise answer
        text = answer if isinstance(answer, str) else answer(request)
        prompt = sum(len(m.content) for m in request.messages) // 4
        return Reply(text, self.form, Usage(prompt, len(text) // 4, "counted"))
