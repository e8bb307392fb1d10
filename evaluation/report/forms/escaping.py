"""Texts of rows made harmless: for a terminal, and for a page of HTML."""

from __future__ import annotations

from html import escape

MAX_TEXT = 4000
"""Most characters of one text of a run."""


def printable(text: str) -> str:
    """Return a text without characters that command a terminal or cannot be seen; ends of lines stay."""
    return "".join(c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in text)


def as_html(text: object) -> str:
    """Return a value as text that a page shows as it is, cut off where it is long; nothing for ``None``."""
    words = "" if text is None else str(text)
    return escape(printable(words if len(words) <= MAX_TEXT else words[: MAX_TEXT - 1] + "…"))
