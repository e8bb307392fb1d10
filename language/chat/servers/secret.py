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
        """Return a text that will be read as JSON with the secret replaced, whichever of it is escaped."""
        return redact_escaped(self.redact(text), self._text, "[key]") if self._spellings else text

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


def redact_escaped(text: str, secret: str, replacement: str) -> str:
    """Return a text with every occurrence of a secret replaced, whichever characters of it are escaped."""
    plain, starts = text, list(range(len(text) + 1))
    spans: set[tuple[int, int]] = set()
    for _ in range(MAX_ESCAPE_LEVELS):
        if "\\" not in plain:
            break
        plain, inner = _unescape(plain)
        starts = [starts[i] for i in inner]
        at = plain.find(secret)
        while at >= 0:
            spans.add((starts[at], starts[at + len(secret)]))
            at = plain.find(secret, at + len(secret))
    out, end = [], 0
    for first, last in sorted(spans):
        if first >= end:
            out += [text[end:first], replacement]
            end = last
    return "".join([*out, text[end:]])


def _unescape(text: str) -> tuple[str, list[int]]:
    """Return a text with its escapes read as JSON reads them, and the start of each character, then the end.

    Where strings begin and end does not matter: no escape reaches over a quote but the one of the quote.
    """
    plain: list[str] = []
    starts: list[int] = []
    end = 0
    for escape in _ESCAPE.finditer(text):
        starts += range(end, escape.start() + 1)
        code, letter = escape.groups()
        plain += [text[end : escape.start()], chr(int(code, 16)) if code else _LETTERS.get(letter, letter)]
        end = escape.end()
    plain.append(text[end:])
    starts += range(end, len(text) + 1)
    return "".join(plain), starts
