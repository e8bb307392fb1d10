"""Finding a text in another that writes some of its characters as escapes of JSON.

Servers may repeat a key in whatever they answer, and what is escaped now is read later; names in an answer
are JSON in JSON, so escapes are looked for in what escapes stand for, too.
"""

from __future__ import annotations

import re

MOST_LEVELS = 4
"""How often escapes are read in what escapes were read in."""

_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.S)
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


def _read(text: str) -> tuple[str, list[int]]:
    """A text with its escapes read as JSON reads them, and where each character of that begins; then the end.

    Where strings begin and end does not matter: no escape reaches over a quote but the one of the quote.
    """
    plain: list[str] = []
    starts: list[int] = []
    end = 0
    for found in _ESCAPE.finditer(text):
        starts += range(end, found.start() + 1)
        code, letter = found.groups()
        plain += [text[end : found.start()], chr(int(code, 16)) if code else _LETTERS.get(letter, letter)]
        end = found.end()
    plain.append(text[end:])
    starts += range(end, len(text) + 1)
    return "".join(plain), starts


def blotted(text: str, secret: str, instead: str) -> str:
    """A text with every occurrence of a secret that has escaped characters replaced."""
    plain, starts, found = text, list(range(len(text) + 1)), set[tuple[int, int]]()
    for _ in range(MOST_LEVELS):
        if "\\" not in plain:
            break
        plain, inner = _read(plain)
        starts = [starts[i] for i in inner]
        at = plain.find(secret)
        while at >= 0:
            found.add((starts[at], starts[at + len(secret)]))
            at = plain.find(secret, at + len(secret))
    out, end = [], 0
    for first, last in sorted(found):
        if first >= end:
            out += [text[end:first], instead]
            end = last
    return "".join([*out, text[end:]])
