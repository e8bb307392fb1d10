"""Descriptions of pictures by a vision model: LookPlanGraph's output format (appendix B), read and checked.

An answer is a JSON list of objects with a name and a number, a relation to another name and number or to
nothing, states and properties. One that is something else is an :class:`UnreadableDescription`, and counts as
nothing seen.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...domains.errors import InputError, clip
from ...domains.files import parse_json
from ..chat.thoughts import without_thought

MAX_TEXT = 60_000
"""Most characters of an answer that is read."""
MAX_OBJECTS = 200
"""Most objects of one picture."""
MAX_WORDS = 100
"""Most characters of a name or a property."""
RELATIONS = ("ontop_of", "inside_of")
STATES = {
    "open": "open",
    "closed": "closed",
    "turned_on": "on",
    "turned_off": "off",
    "on": "on",
    "off": "off",
}
"""Words for states, with those of scenes."""

_OBJECTS = re.compile(r"\[\s*\{")
"""The beginning of a list of objects, which "[1]" in a sentence is not."""
_NOTHING = re.compile(r"\[\s*\](?=[^\]]*\Z)")
"""An empty list after which there is no other, and which is in none."""
_BRACKETS = re.compile(r'\\.|"(?:[^"\\]|\\.)*"|[\[\]]', re.DOTALL)
"""Brackets, and what is stepped over: texts in quotes, and what a backslash escapes."""

Named = tuple[str, int]
"""A name and a number, which tells things of one name apart."""


class UnreadableDescription(InputError):
    """A description that does not have the form of appendix B."""


@dataclass(frozen=True, slots=True)
class Described:
    """One object of a description; without a relation nobody knows where it is."""

    name: Named
    relation: str | None = None
    related_to: Named | None = None
    states: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()


def read_description(text: str) -> tuple[Described, ...]:
    """Read the answer of a vision model, with words around the list or without.

    Of several lists of objects the last is the answer, whether it is well-formed or not. Names are put into
    small letters with ``_`` between words; states that are none are left out. Raises
    :class:`UnreadableDescription` for an answer without a list, for one with an entry of another form, for
    two objects of one name and number, and beyond the bounds.

    >>> read_description('[{"name": ["Red Apple", 2], "relation": null, "related_to": null}]')[0].name
    ('red_apple', 2)
    """
    if len(text) > MAX_TEXT:
        raise UnreadableDescription("description", f"at most {MAX_TEXT} characters", str(len(text)))
    body = without_thought(text)
    raw = parse_json(_listed(body), "description", UnreadableDescription)
    return checked_description(raw)


def _listed(body: str) -> str:
    """Return the list of an answer: from its bracket to the one that closes it, or to the end."""
    lists: list[str] = []
    at = 0
    while begin := _OBJECTS.search(body, at):
        at = _end_of_list(body, begin.start())
        lists.append(body[begin.start() : at])
    if lists:
        return lists[-1]
    if empty := _NOTHING.search(body):
        return empty.group()
    start, end = body.find("["), body.rfind("]")
    if not 0 <= start < end:
        raise UnreadableDescription("description", "a JSON list of objects", clip(body))
    return body[start : end + 1]


def _end_of_list(body: str, start: int) -> int:
    depth = 0
    for bracket in _BRACKETS.finditer(body, start):
        depth += {"[": 1, "]": -1}.get(bracket.group(), 0)
        if not depth:
            return bracket.end()
    return len(body)


def checked_description(raw: object, where: str = "description") -> tuple[Described, ...]:
    """Check a list of objects. Raises :class:`UnreadableDescription` with the place in it."""
    if not isinstance(raw, list) or len(raw) > MAX_OBJECTS:
        raise UnreadableDescription(where, f"a list of at most {MAX_OBJECTS} objects", clip(str(raw)))
    seen: dict[Named, Described] = {}
    for number, entry in enumerate(raw):
        one = _object(entry, f"{where}[{number}]")
        if one.name in seen:
            raise UnreadableDescription(
                f"{where}[{number}]", "each name and number once", clip(str(one.name))
            )
        seen[one.name] = one
    return tuple(seen.values())


def _object(raw: object, where: str) -> Described:
    if not isinstance(raw, dict) or "name" not in raw:
        raise UnreadableDescription(where, "an object with a name", clip(str(raw)))
    relation, related = raw.get("relation"), raw.get("related_to")
    if relation in (None, "", "null") or related in (None, "", "null"):
        relation = related = None
    elif relation not in RELATIONS:
        raise UnreadableDescription(f"{where}.relation", " or ".join(RELATIONS), clip(str(relation)))
    name = _named(raw["name"], f"{where}.name")
    other = _named(related, f"{where}.related_to") if related is not None else None
    if other == name:
        raise UnreadableDescription(f"{where}.related_to", "another object", clip(str(other)))
    words = _words(raw.get("states"), f"{where}.states")
    states = tuple(dict.fromkeys(STATES[word] for word in words if word in STATES))
    properties = _words(raw.get("properties"), f"{where}.properties")
    return Described(name, relation, other, states, properties)


def _named(raw: object, where: str) -> Named:
    match raw:
        case str(text):
            number = 1
        case [str(text), int(number)] if not isinstance(number, bool):
            pass
        case _:
            raise UnreadableDescription(where, 'a name and a number, such as ["bowl", 1]', clip(str(raw)))
    word = "_".join(text.lower().split())
    if not word or len(word) > MAX_WORDS or not word.isprintable() or not 0 <= number <= MAX_OBJECTS:
        raise UnreadableDescription(where, f"a short name, a number from 0 to {MAX_OBJECTS}", clip(str(raw)))
    return word, number


def _words(raw: object, where: str) -> tuple[str, ...]:
    """Return words: of a text with commas, or of a list of texts."""
    if raw is None:
        return ()
    listed = raw.split(",") if isinstance(raw, str) else raw
    if not isinstance(listed, list) or not all(isinstance(x, str) and len(x) <= MAX_WORDS for x in listed):
        raise UnreadableDescription(where, "short texts", clip(str(raw)))
    return tuple(word for text in listed if (word := text.strip().lower()))
