"""Keys of model servers: wrapped so that nothing prints them, and redacted in whatever a server answers.

A server knows the key that it is sent and may repeat it anywhere: in JSON, Python or HTML spelling, or inside
strings that are read as JSON again later (names in a reply are JSON in JSON). Spellings can be added to
``_spellings``; nothing here may keep, log or shorten a key.
"""

from __future__ import annotations

import html
import json
import re
from urllib.parse import quote

MIN_LENGTH = 8
"""Characters of the shortest key that is a secret; ``none``, ``EMPTY`` and the like are placeholders."""

MAX_ESCAPE_LEVELS = 4
"""Most levels of JSON in JSON in which a key is looked for."""

_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.S)
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


class Secret:
    """A text that is only shown by :meth:`reveal`."""

    __slots__ = ("_spellings", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._spellings = _spellings(text) if len(text) >= MIN_LENGTH else ()

    def reveal(self) -> str:
        return self._text

    def redact(self, text: str) -> str:
        """Return a text with the secret replaced, also where all of it is escaped in a usual way."""
        for spelling in self._spellings:
            text = text.replace(spelling, "[key]")
        return text

    def redact_json(self, text: str) -> str:
        """Return a text for JSON without the secret; nothing is left of one that hides it in escapes.

        Where strings begin and end does not matter: no escape reaches over a quote but the one of the quote.
        """
        plain = text = self.redact(text)
        for _ in range(MAX_ESCAPE_LEVELS if self._spellings else 0):
            plain = _ESCAPE.sub(_meant, plain)
            if self._text in plain:
                return "[key]"
        return text

    def partial_length(self, text: str) -> int:
        """Return how many characters at the end of a text could be the beginning of the secret."""
        longest = min(max(map(len, self._spellings), default=1) - 1, len(text))
        ends = (n for n in range(longest, 0, -1) if any(s.startswith(text[-n:]) for s in self._spellings))
        return next(ends, 0)

    def __repr__(self) -> str:
        return "Secret(…)"

    def __bool__(self) -> bool:
        return bool(self._text)


def _spellings(text: str) -> tuple[str, ...]:
    """Return a text as JSON, Python, HTML and addresses spell it, longest first."""
    plain = text.replace("\\", "\\\\")
    quoted = (plain.replace("'", "\\'"), plain.replace('"', '\\"'), json.dumps(text)[1:-1], repr(text)[1:-1])
    spellings = dict.fromkeys((text, plain, *quoted, html.escape(text), quote(text), quote(text, safe="")))
    return tuple(sorted(spellings, key=len, reverse=True))


def _meant(escape: re.Match[str]) -> str:
    """Return the character of an escape of JSON."""
    code, letter = escape.groups()
    return chr(int(code, 16)) if code else _LETTERS.get(letter, letter)
