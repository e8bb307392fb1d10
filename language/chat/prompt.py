"""Prompts: the static texts from ``prompts/*.md``, and the data that goes with them.

Data travels as JSON strings in the user message, so that a name cannot end its field. Characters that
chat templates give a meaning (``<|``, ``[INST``) are written as JSON escapes, so that a name cannot forge a
role either. Each static text has a version, the hash of the file, which goes into records.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from .servers.model import Message

PROMPTS = ("search", "goal", "repair")


@cache
def static(name: str) -> str:
    """The text of a prompt file."""
    return files(__package__).joinpath("prompts", f"{name}.md").read_text(encoding="utf-8")


@cache
def version(name: str) -> str:
    """The first characters of a prompt's SHA-256."""
    return hashlib.sha256(static(name).encode()).hexdigest()[:12]


def as_data(value: object) -> str:
    """Compact JSON in which no string can look like a role marker, a fence or a tag."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=dict)
    return _looked_at(value) if _SUSPICIOUS.search(text) else text


def _looked_at(value: object) -> str:
    """The same, string by string: what nearly all scenes do without."""
    if isinstance(value, Mapping):
        items = (f"{_string(str(k))}:{_looked_at(v)}" for k, v in value.items())
        return "{" + ",".join(items) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(_looked_at, value)) + "]"
    if isinstance(value, str):
        return _string(value)
    return json.dumps(value, ensure_ascii=False)


_SUSPICIOUS = re.compile(r"""[^][<>{}A-Za-z0-9_ .,:;()'"?!-]|<(?!->)|(?<!<-)>|\[[/A-Z]""")
"""What JSON of plain strings does not contain: then its strings need no look one by one."""
_PLAIN = re.compile(r"(?:[A-Za-z0-9_ .,:;()'?!-]|<->)*")
"""What needs no second look: names, words, and the arrow of the paper's links."""
_DANGEROUS = re.compile(r"<(?!->)|\|>|>>|\[/?[A-Z]{2,}|```|##|^\s*# |\n", re.M)


def _string(text: str) -> str:
    """A JSON string; ASCII where a character could not be seen, escaped where it could mean more."""
    if _PLAIN.fullmatch(text):
        return f'"{text}"'
    plain = json.dumps(text, ensure_ascii=not text.isprintable())
    if not _DANGEROUS.search(text):
        return plain
    return re.sub(r"[<>\[\]|`#]", lambda m: f"\\u{ord(m.group()):04x}", plain)


def messages(name: str, data: Mapping[str, object], *more: str) -> tuple[Message, ...]:
    """A system message of static texts and a user message of data, one field a line."""
    system = "\n".join([static(name), *(static(m) for m in more)])
    lines = (f"{key}: {as_data(value)}" for key, value in data.items() if value not in ("", [], ()))
    return Message("system", system), Message("user", "\n".join(lines))
