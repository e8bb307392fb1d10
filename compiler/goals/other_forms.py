"""Forms that goals do not have: what is said of each, and what to write instead.

A bracket after a name, where a fact has names and variables, begins one: a connective or a quantifier of
another language, a section of a problem, an effect, a number. What a form is follows from what stands there;
the tables have the words that mean something in goals, too, and may grow.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .tree import Place

CONNECTIVES = (
    "and, or, not, imply, exists, forall, =, exactly, at-least, at-most, sometime, always, never, "
    "at-most-once, sometime-after, sometime-before"
)
QUANTIFIERS = "exists, forall, exactly 2, at-least 2, at-most 2"

SPELLINGS = {
    word: right
    for right, words in {
        "and": "& && ∧ both",
        "or": "| || ∨ either-or",
        "not": "! ~ ¬",
        "imply": "=> -> ==> --> → ⇒ implies if",
        "forall": "∀ all every each for-all foreach",
        "exists": "∃ some any exist there-is there-exists",
        "at-least": "atleast at_least",
        "at-most": "atmost at_most",
        "sometime": "eventually",
    }.items()
    for word in words.split()
}
"""Words of other languages for a connective or quantifier of goals."""

_BOTH_WAYS = "say (and (imply a b) (imply b a))"
_COSTS = "costs are the planner's: a goal says what holds"
_NUMBERS = "goals have numbers in counts alone: (at-least 2 (?x - cup) ..)"
_NO_CLOCK = "goals have no clock: say always, sometime, at-most-once, sometime-after or sometime-before"
_IN_THE_END = "a goal is what holds in the end: leave it out"
INSTEAD = {
    "xor": "say (and (or a b) (not (and a b)))",
    **dict.fromkeys(("iff", "<=>", "<->", "↔", "⇔", "equiv"), _BOTH_WAYS),
    "nand": "say (not (and a b))",
    "nor": "say (not (or a b))",
    "when": "it belongs to effects of actions; in a goal say (imply condition fact)",
    **dict.fromkeys("increase decrease assign scale-up scale-down minimize maximize".split(), _COSTS),
    "preference": "goals have no preferences: all of a goal is asked for",
    **dict.fromkeys("within always-within hold-during hold-after".split(), _NO_CLOCK),
    **dict.fromkeys("< > <= >= + - * / count".split(), _NUMBERS),
    "=": "with a bracket in it: it compares two names, and goals have no functions",
    **dict.fromkeys(("at", "over"), _IN_THE_END),
    ":metric": _COSTS,
    "define": "a domain or problem is read for its (:goal ..), and this has none that is one formula",
}
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
