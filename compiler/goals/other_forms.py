"""Forms that goals do not have: what is said of each, and what to write instead.

A bracket after a name, where a fact has names and variables, begins one: a connective or a quantifier of
another language, a section of a problem, an effect, a number. What a form is follows from what stands there;
the tables (``other_forms.toml``) have the words that mean something in goals, too, and may grow.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from ...domains.files import parse_toml
from .tree import Place

_TABLE: Mapping[str, Any] = parse_toml(
    files(__package__).joinpath("other_forms.toml").read_text("utf-8"), "other_forms.toml"
)
CONNECTIVES, QUANTIFIERS, _NUMBERS = (_TABLE[key] for key in ("connectives", "quantifiers", "numbers"))
SPELLINGS = {word: right for right, words in _TABLE["spellings"].items() for word in words.split()}
"""Words of other languages for a connective or quantifier of goals."""
INSTEAD = {word: hint for words, hint in _TABLE["instead"].items() for word in words.split()}
"""What to write in place of forms that no word of goals stands for."""

_TIMES = frozenset(("end", "start", "all"))
_EITHER = re.compile(r"\(\s*(either)(?=[\s()])", re.I)
_OPENED = re.compile(r"\(\s*([^\s()\";]+)((?:\s+[^\s()\";]+)*)\s*\Z")


@dataclass(frozen=True, slots=True)
class OtherForm:
    """A form that goals do not have: its word, the place of that, what to do, and the right word if any."""

    word: str
    place: Place
    hint: str
    right: str = ""


def other_form(text: str, start: int) -> OtherForm | None:
    """Return the form that makes a text no goal at a place, ``None`` where something else does.

    >>> other_form("(xor (open fridge) (open box1))", 5).hint
    'say (and (or a b) (not (and a b)))'
    >>> other_form("(=> (open fridge) (open box1))", 4).right
    'imply'
    """
    if (either := _EITHER.match(text, start)) is not None:
        hint = "quantify over one class that covers them, or over each of them in an (or ..)"
        return OtherForm("either", either.span(1), hint)
    opened = text.rfind("(", 0, start)
    before = _OPENED.match(text[opened:start]) if opened >= 0 else None
    if before is None or text[start : start + 1] != "(":
        return None
    word, others = before[1], before[2].split()
    place = (opened + before.start(1), opened + before.end(1))
    key = word.casefold()
    if key in ("at", "over") and not (others and others[0].casefold() in _TIMES):
        key = ""  # a fact, as in (at robot (kitchen))
    if (right := SPELLINGS.get(key)) is not None:
        return OtherForm(word, place, f"in goals it is {right}", right)
    if (instead := INSTEAD.get(key)) is not None:
        return OtherForm(word, place, instead)
    if key.startswith(":"):
        return OtherForm(word, place, "it is a section of a problem, and a goal is one formula")
    if re.fullmatch(r"[-+]?[\d.]+", key):
        return OtherForm(word, place, _NUMBERS)
    if re.match(r"\(\s*\?", text[start:]):
        return OtherForm(word, place, f"what is quantified begins with {QUANTIFIERS}")
    if others:
        return None  # a fact that is not closed
    return OtherForm(
        word, place, f"formulas are joined by {CONNECTIVES}; a fact has names in it, no brackets"
    )
