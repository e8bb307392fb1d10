"""Finding a text in another that writes some of its characters as escapes: of JSON, Python, HTML, addresses.

Servers may repeat a key in whatever they answer, and what is escaped now is read later; names in an answer
are JSON in JSON, so escapes are looked for in what escapes stand for, too.
"""

from __future__ import annotations

import re

LONGEST_ESCAPE = 42
"""Characters of one character that was escaped twice."""
MOST_LEVELS = 4
"""How often escapes are read in what escapes were read in."""

_UNIT = re.compile(
    r"\\+u([0-9a-fA-F]{4})|\\+x([0-9a-fA-F]{2})|%([0-9a-fA-F]{2})|&#[xX]0*([0-9a-fA-F]{1,6});|&#0*([0-9]{1,7});"
    r"|\\+([^\\])|([\s\S])"
)
_ESCAPES = re.compile(r"[\\%&]")
_OPEN = re.compile(
    r"(?:\\+(?:u[0-9a-fA-F]{0,3}|x[0-9a-fA-F]?)?|%[0-9a-fA-F]?|&(?:#[xX]?[0-9a-fA-F]{0,7})?)\Z"
)
"""An escape at the end that may go on."""


def has_escapes(text: str) -> bool:
    """Whether anything in a text may be an escape."""
    return _ESCAPES.search(text) is not None


def _units(text: str) -> tuple[str, list[int]]:
    """A text with its escapes read, and where each character of that begins; then the end."""
    plain: list[str] = []
    starts: list[int] = []
    for found in _UNIT.finditer(text):
        u, x, percent, hexadecimal, decimal, escaped, other = found.groups()
        code = u or x or percent or hexadecimal
        if code or decimal:
            number = int(code, 16) if code else int(decimal)
            plain.append(chr(number) if number < 0x110000 else "\ufffd")
        else:
            plain.append(escaped or other)
        starts.append(found.start())
    return "".join(plain), [*starts, len(text)]


def blotted(text: str, secret: str, instead: str) -> str:
    """A text with every occurrence of a secret, escaped in any part of it or not, replaced."""
    plain, starts, found = text, list(range(len(text) + 1)), set[tuple[int, int]]()
    for _ in range(MOST_LEVELS):
        if not has_escapes(plain):
            break
        plain, inner = _units(plain)
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


def begun(text: str, secret: str) -> int:
    """How many characters at the end of a text could be the beginning of a secret, or of an escape in it."""
    half = _OPEN.search(text)
    whole = text[: half.start()] if half else text
    plain, starts = _units(whole)
    for length in range(min(len(secret) - 1, len(plain)), 0, -1):
        if plain.endswith(secret[:length]):
            return len(text) - starts[len(plain) - length]
    return len(text) - len(whole)
