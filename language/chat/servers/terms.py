"""Terms on which a server takes requests: what is called otherwise, left out, or said in another role.

No list says what servers turn down. What an error names, and the request has, is called as the error says, or
left out; where it names nothing, a bare request is the last try. The settings of a bare request are those in
``SETTINGS`` left out. What was learnt counts for all requests of a connection.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

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
    """What requests to one server look like. ``least`` is the least that the limit of an answer is set to."""

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


def names_form(words: str) -> bool:
    """Return whether an error is about the form that an answer was to have."""
    return _FORM.search(words) is not None


def _names(words: str, setting: str) -> bool:
    spelled = setting.replace("_", "[_ ]")
    return re.search(rf"(?<![\w-]){spelled}(?:ing|ed|s)?(?![\w-])", words, re.I) is not None


def _roles(body: Mapping[str, Any]) -> set[str]:
    messages: Sequence[Mapping[str, Any]] = body.get("messages") or body.get("input") or ()
    return {str(message["role"]) for message in messages}
