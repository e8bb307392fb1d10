"""Chat model that replies from a list: for tests, demonstrations and adversaries.

It needs no server and no key. A reply may be a text, an error to raise, or a function of the request.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from .model import ChatRequest, Form, Reply, ServiceError, Usage

ScriptedReply = str | ServiceError | Callable[[ChatRequest], str]


@dataclass
class ScriptedModel:
    """Answers in order; ``history`` keeps every request. An answer may be a function of the request."""

    answers: list[ScriptedReply]
    name: str = "scripted"
    form: Form = "text"
    history: list[ChatRequest] = field(default_factory=list)

    @classmethod
    def of(cls, *answers: ScriptedReply) -> ScriptedModel:
        return cls(list(answers))

    @classmethod
    def always(cls, answer: Callable[[ChatRequest], str]) -> ScriptedModel:
        """A model that answers every request by one function."""
        return cls(_Endless(answer))

    def ask(self, request: ChatRequest) -> Reply:
        """Return the next answer. Raises :class:`ServiceError` when there is none, or as scripted."""
        self.history.append(request)
        if not self.answers:
            raise ServiceError("empty", f"the script has no answer to call {len(self.history)}")
        answer = self.answers.pop(0)
        if isinstance(answer, ServiceError):
            raise answer
        text = answer if isinstance(answer, str) else answer(request)
        prompt = sum(len(m.content) for m in request.messages) // 4
        return Reply(text, self.form, Usage(prompt, len(text) // 4, "counted"))


class _Endless(list[ScriptedReply]):
    """A list that never runs out of one answer."""

    def __init__(self, answer: ScriptedReply) -> None:
        super().__init__([answer])
        self.answer = answer

    def pop(self, index: object = -1) -> ScriptedReply:
        return self.answer
