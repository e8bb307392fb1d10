"""An answer that comes in pieces or whole: put together, shown as it grows, and with the key blotted out.

A server knows the key that it is sent and may say it anywhere, split over pieces too. So what could be the
beginning of the key is held back until it is seen to be something else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ....domains.errors import clip
from .model import ServiceError
from .profile import Secret

LONGEST_TOKEN = 128
"""Characters of the longest token of any vocabulary in use: a row of spaces."""


@dataclass
class Answer:
    """Collects a chat completion; ``max_tokens`` is what was asked for."""

    key: Secret
    tell: Callable[[str], None]
    max_tokens: int
    finish: str = ""
    prompt: object = None
    """Tokens of the prompt as the server reports them, unchecked."""
    completion: object = None
    _text: str = ""
    _refusal: str = ""
    _told: int = field(default=0)

    def add(self, chunk: Any) -> None:
        """Take one chunk of the client. What is malformed in it raises what Python raises for that."""
        self._take(chunk, "delta")

    def whole(self, completion: Any) -> None:
        """Take a completion that came in one piece, in the same way."""
        self._take(completion, "message")
        if self._text and not self.finish:
            self.finish = "stop"

    @property
    def begun(self) -> str:
        """What has come so far of the text or of a refusal."""
        return self._text or self._refusal

    def text(self, host: str) -> str:
        """The whole answer. Raises :class:`ServiceError` when it is refused or was broken off."""
        if self._refusal or self.finish == "content_filter":
            said = clip(self.key.redact(self._refusal), 200)
            raise ServiceError("refusal", f"the model refused: {said}" if said else "the model refused")
        if not self.finish:
            what = "broke off its answer" if self._text else "answered something that is no completion"
            raise ServiceError("malformed", f"{host} {what}", retryable=bool(self._text))
        return self.key.redact_answer(self._text)

    def _take(self, part: Any, kind: str) -> None:
        usage = getattr(part, "usage", None)
        if usage is not None:
            self.prompt = getattr(usage, "prompt_tokens", None)
            self.completion = getattr(usage, "completion_tokens", None)
        for choice in (part.choices or [])[:1]:
            said = getattr(choice, kind)
            if said is not None:
                self.say(said.content or "", getattr(said, "refusal", None) or "")
            self.finish = clip(self.key.redact(choice.finish_reason or self.finish), 40)

    def say(self, content: str, refusal: str = "") -> None:
        """Take a piece of the text. Raises :class:`ServiceError` where it grows too long."""
        most = self.max_tokens * LONGEST_TOKEN
        if len(self._text) + len(self._refusal) + len(content) + len(refusal) > most:
            raise ServiceError("too-large", f"the answer has more than {self.max_tokens} tokens can hold")
        self._refusal += refusal
        if content:
            self._text = self.key.redact(self._text + content)
            self._show()

    def _show(self) -> None:
        end = len(self._text) - self.key.begun(self._text)
        if end > self._told:
            self.tell(self._text[self._told : end])
            self._told = end
