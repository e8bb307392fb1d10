"""An answer that comes in pieces: put together, shown as it grows, and with the key blotted out.

A server knows the key that it is sent and may say it anywhere, split over pieces too. So what could be the
beginning of the key is held back until it is seen to be something else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..domains.errors import clip
from .chat import ServiceError, Usage
from .profile import Secret


@dataclass
class Streamed:
    """Collects the chunks of a chat completion."""

    key: Secret
    tell: Callable[[str], None]
    finish: str = ""
    usage: Usage | None = None
    _text: str = ""
    _refusal: str = ""
    _told: int = field(default=0)

    def add(self, chunk: Any) -> None:
        """Take one chunk of the client. What is malformed in it raises what Python raises for that."""
        if chunk.usage is not None:
            self.usage = Usage(int(chunk.usage.prompt_tokens), int(chunk.usage.completion_tokens))
        for choice in chunk.choices[:1]:
            if choice.delta.content:
                self._text = self.key.redact(self._text + choice.delta.content)
                self._show()
            self._refusal += choice.delta.refusal or ""
            self.finish = clip(self.key.redact(choice.finish_reason or self.finish), 40)

    def text(self, host: str) -> str:
        """The whole answer. Raises :class:`ServiceError` when it is refused or was broken off."""
        if self._refusal or self.finish == "content_filter":
            said = clip(self.key.redact(self._refusal), 200)
            raise ServiceError("refusal", f"the model refused: {said}" if said else "the model refused")
        if not self.finish:
            what = "broke off its answer" if self._text else "answered something that is no completion"
            raise ServiceError("malformed", f"{host} {what}", retryable=bool(self._text))
        return self._text

    def _show(self) -> None:
        end = len(self._text) - self.key.begun(self._text)
        if end > self._told:
            self.tell(self._text[self._told : end])
            self._told = end
