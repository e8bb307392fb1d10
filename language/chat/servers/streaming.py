"""A reply that comes in pieces or whole: put together, shown as it grows, and with the key redacted.

A server knows the key that it is sent and may repeat it anywhere, split over pieces too. So what could be the
beginning of the key must not be shown until it is seen to be something else. Nothing here reads what a reply
says. ``MAX_TOKEN_LENGTH`` follows the vocabularies in use.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ....domains.errors import clip
from ..thoughts import is_thought
from .model import NO_COMPLETION, ServiceError
from .secret import Secret

MAX_TOKEN_LENGTH = 128
"""Characters of the longest token of any vocabulary in use: a row of spaces."""

SPOKEN = ("text", "output_text")
"""Types of the parts of a content that are the answer; others hold thoughts, summaries of them, sources."""
_HELD_BACK = re.compile(r"filter|safety|block|prohibit|recitation|spii", re.I)
"""What an answer ended by that a server's rules held back."""
_BROKEN_OFF = re.compile(r"error|abort|cancel", re.I)
"""What an answer ended by that the server did not finish."""


@dataclass
class StreamedReply:
    """Collects a chat completion; ``max_tokens`` is the limit of the request."""

    key: Secret
    on_piece: Callable[[str], None]
    max_tokens: int
    finish: str = ""
    prompt: object = None
    """Tokens of the prompt as the server reports them, unchecked."""
    completion: object = None
    cached: object = None
    """Tokens of the prompt that the server had kept, as it reports them, unchecked."""
    thought: bool = False
    """True where the server sent thoughts beside the answer."""
    _text: str = ""
    _calls: dict[int, str] = field(default_factory=dict)
    """Arguments of the tools that the model called, though it was offered none."""
    _thoughts: set[int] = field(default_factory=set)
    """Calls of tools for thinking."""
    _refusal: str = ""
    _shown: int = 0

    @property
    def begun(self) -> str:
        """Text or refusal, as much of it as has come so far."""
        return self._text or self._refusal

    def text(self, host: str) -> str:
        """Return the whole reply. Raises :class:`ServiceError` when it is refused or was broken off."""
        if self._refusal:
            words = clip(self.key.redact(self._refusal), 200)
            raise ServiceError("refusal", f"the model refused: {words}")
        if _HELD_BACK.search(self.finish):
            hint = "word the instruction in another way, or use another server"
            raise ServiceError("refusal", f"the content filter of {host} held the answer back", hint)
        if not self._text and len(self._calls) == 1:
            self.extend(_only_text(self._calls.popitem()[1]))
        if not self.finish or _BROKEN_OFF.search(self.finish):
            problem = "broke off its answer" if self._text else f"{NO_COMPLETION}: it has no choice"
            raise ServiceError("malformed", f"{host} {problem}", retryable=bool(self._text))
        return self.key.redact_json(self._text)

    def add(self, part: Any, kind: str = "delta") -> None:
        """Take a chunk of the client, or a completion that came in one piece, a ``message``.

        What is malformed in it raises what Python raises for that.
        """
        usage = getattr(part, "usage", None)
        if usage is not None:
            self.prompt = getattr(usage, "prompt_tokens", None)
            self.completion = getattr(usage, "completion_tokens", None)
            self.cached = getattr(getattr(usage, "prompt_tokens_details", None), "cached_tokens", self.cached)
        timings = getattr(part, "timings", None)  # llama.cpp's, beside the protocol
        if self.cached is None and isinstance(timings, dict):
            self.cached = timings.get("cache_n")
        choices = part.choices or []
        first = [one for one in choices if not getattr(one, "index", None)]
        for choice in (first or (choices if kind == "message" else []))[:1]:
            message = getattr(choice, kind, None)
            if message is not None:
                self._take_message(message)
            else:
                self.extend(_spoken(getattr(choice, "text", None)))
            self.finish = clip(self.key.redact(choice.finish_reason or self.finish), 40)
        if kind == "message" and self._text and not self.finish:
            self.finish = "stop"

    def _take_message(self, message: Any) -> None:
        content = message.content
        self.extend(_spoken(content), getattr(message, "refusal", None) or "")
        thoughts = [getattr(message, name, None) for name in ("reasoning_content", "reasoning", "thinking")]
        self.thought = self.thought or any(thoughts) or (bool(content) and not _spoken(content))
        for index, call in enumerate(getattr(message, "tool_calls", None) or ()):
            function, at = getattr(call, "function", None), getattr(call, "index", None) or index
            if is_thought(str(getattr(function, "name", None))):
                self._thoughts.add(at)
            written = getattr(function, "arguments", None)
            if at in self._thoughts:
                self.thought = True
            elif isinstance(written, str):
                self._calls[at] = self._calls.get(at, "") + written

    def extend(self, content: str, refusal: str = "") -> None:
        """Take a piece of the text. Raises :class:`ServiceError` where it grows too long."""
        limit = self.max_tokens * MAX_TOKEN_LENGTH
        if len(self._text) + len(self._refusal) + len(content) + len(refusal) > limit:
            raise ServiceError("too-large", f"the answer is longer than {self.max_tokens} tokens can be")
        self._refusal += refusal
        if content:
            self._text = self.key.redact(self._text + content)
            self._show()

    def _show(self) -> None:
        end = len(self._text) - self.key.partial_length(self._text)
        if end > self._shown:
            self.on_piece(self._text[self._shown : end])
            self._shown = end


def _spoken(content: object) -> str:
    """Return the text of a message: a text, or the parts of a list that are the answer."""
    if isinstance(content, str):
        return content
    if content is None:
        return ""
    if not isinstance(content, list):
        raise TypeError("a content of another kind")
    spoken = (part for part in content if isinstance(part, Mapping) and part.get("type", "text") in SPOKEN)
    return "".join(part["text"] for part in spoken if isinstance(part.get("text"), str))


def _only_text(arguments: str) -> str:
    """Return the JSON in the one text of a call's arguments; else them, with their keys."""
    try:
        raw = json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments
    values = list(raw.values()) if isinstance(raw, dict) else []
    inner = len(values) == 1 and isinstance(values[0], str) and values[0].lstrip().startswith("{")
    return values[0] if inner else arguments
