"""Making text from scenes, models and users safe to print.

Names may hold anything: terminal escapes (OSC 52 writes the clipboard), line breaks that fake output, marks
that turn the direction of writing. A character that is not printable is shown as the escape that JSON has for
it. The key of the environment is not shown either, wherever somebody typed it. Text of others that is printed
must pass through here: by ``terminal.Screen``, :func:`json_text` or :func:`safe`. More may be escaped, never
less.
"""

from __future__ import annotations

import json
import os

SHORTEST_KEY = 20
"""Characters of the shortest key that is not taken for a placeholder such as ``no-key-required``."""


def safe(text: str, lines: bool = False) -> str:
    """Return the text with everything that is not printable escaped; `lines` keeps line breaks."""
    text = without_key(text)
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or (lines and c == "\n") else _escape(c) for c in text)


def _escape(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


def json_text(value: object) -> str:
    """Return JSON in ASCII, so that no name reaches a terminal as a control sequence."""
    return without_key(json.dumps(value, indent=2, ensure_ascii=True).replace("\x7f", "\\u007f"))


def without_key(text: str) -> str:
    """Return the text with the environment's key redacted, unless it is as short as a word of a scene."""
    key = os.environ.get("OPENAI_API_KEY", "")
    if len(key) < SHORTEST_KEY:
        return text
    from ...language.chat.servers.secret import Secret  # there is rarely a key, and rarely one in a text

    return Secret(key).redact(text)
