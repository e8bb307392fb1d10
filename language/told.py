"""Sentences that command nothing: what they speak of, and what is amiss with it.

"The shelf is dusty. Give it a wipe": the first sentence says what "it" is. "The shelf is dusty." alone asks
for something, too. Both are read here; which it is, turns out when the rest has been read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from .patterns import HARMLESS, MENTIONS, PERSON, SPEAKER
from .phrases import Phrase, read_phrase

_FORBIDS = re.compile(
    r"\b(?:should|must|may|can|want|wants|need|needs|allowed)\b.*\b(?:not|never|no|nobody|nothing|alone)\b"
    r"|\b(?:nobody|no one|nothing|never)\b.*\b(?:should|must|may|can|is to|are to)\b"
    r"|\A(?:i|we) (?:do|would) (?:not|never|rather)\b|\A(?:not|never|no|do not|avoid|stop)\b",
    re.I,
)
_CONDITION = re.compile(
    r"\b(?:if|unless|except|either|otherwise|whether|or|until|how|what|why|when|who)\b", re.I
)
_PAST = re.compile(r"\b(?:yesterday|last \w+|ago|earlier|used to|once)\b", re.I)
_CHUNK = re.compile(
    r"(?:\b(?:something|the|a|an|some|his|her|my|our|their|this|that|these|those)\s+"
    r"|\b[A-Z]\w+'s\s+)(?:[\w']+\s*)+",
    re.I,
)
_BREAK = re.compile(
    r"\b(?:is|are|was|were|be|been|being|am|has|have|had|does|did|do|can|could|will"
    r"|would|should|needs?|wants?|just|still|again|really"
    r"|all over|that|which|who|because|so|but|cannot|not|got|ended|looks?|smells?"
    r"|stinks?|keeps?|went|goes|gone|arrived|came|left|with|for|as"
    r"|forgot|to (?=\w+ (?:the|it))|too|very|awfully|pretty|quite|away|next|out|up"
    r"|down|and|open|shut|ajar|running|going|lying|sitting|already|waiting)\b",
    re.I,
)
_NAME = re.compile(r"\b[A-Z][a-z]+\b")
_AMISS = (
    re.compile(r"it is (?:so |very |really |pretty |quite )?(?P<how>\w+) (?:on|in) (?P<x>.+)", re.I),
    re.compile(
        r"(?P<x>.+?) (?:is|are|looks?|feels?|seems?|smells?|has (?:gone|become|got|been"
        r"|gotten)|have (?:gone|become|got|been|gotten)"
               r"|was|were|got|has been left|got left|stays?|keeps?) (?P<how>(?!going to be|to\b"
               r"|in\b|on (?:the|a|his|my)\b|at\b|inside\b|under\b|from\b|for\b).+)", re.I),
    re.compile(
        r"(?P<x>.+?) (?P<how>(?:really |still |just )?(?:smells?|stinks?|reeks?|leaks?"
        r"|drips?|needs (?:attention|sorting|looking at))(?: .+)?)", re.I),
    re.compile(
        r"\S+ (?:has |have )?(?:accidentally |again )?(?:left|forgot) (?P<x>.+?) "
        r"(?P<how>(?:wide )?(?:open|on|running|dirty|unlocked|ajar))", re.I),
    re.compile(r"there (?:is|are) (?:still )?(?P<x>(?:a|an|some) (?P<how>\w+) .+)", re.I),
    re.compile(r"(?P<x>(?-i:[A-Z][a-z]+)) (?P<does>(?:has|had|did|does|needs|could|would|feels|must|can) .+)",
               re.I),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Told:
    """What a sentence speaks of: a phrase that "it" may stand for, people, and what is amiss."""

    phrase: Phrase | None = None
    people: tuple[str, ...] = ()
    how: str = ""
    all: tuple[Phrase, ...] = ()


def forbids(clause: str) -> bool:
    """Whether a sentence says what must not be: no rule of this reader keeps a prohibition."""
    return bool(_FORBIDS.search(clause))


def speaker(clause: str) -> Phrase | None:
    """Where the speaker says to be."""
    found = SPEAKER.fullmatch(clause)
    return read_phrase(found["x"]) if found is not None else None


def harmless(clause: str) -> bool:
    return HARMLESS.fullmatch(clause) is not None


def chunks(clause: str) -> list[Phrase]:
    """The noun phrases of a sentence, the first first."""
    found: dict[Phrase, None] = {}
    for match in _CHUNK.finditer(clause):
        text = match[0]
        breaks = [m.start() for m in _BREAK.finditer(text) if m.start() > 0]
        for end in (*breaks[:1], len(text)):
            phrase = read_phrase(text[:end])
            if phrase is not None and phrase.kind in ("the", "a", "all", "count") and phrase.words:
                found[phrase] = None
                break
    return list(found)


def people(clause: str) -> tuple[str, ...]:
    """Words that are written like names; whether they are, the scene tells."""
    return tuple(dict.fromkeys(n for n in _NAME.findall(clause) if n != "I"))


def mentions(clause: str) -> Iterator[tuple[str, Phrase]]:
    """What the patterns of context find: the kind of mention and the phrase."""
    for pattern in MENTIONS:
        found = pattern.fullmatch(clause)
        if found is None:
            continue
        groups = {k: v for k, v in found.groupdict().items() if v}
        said = (
            " ".join(v for k, v in groups.items() if k in ("x", "where"))
            if "x" in groups
            else ("something " + groups.get("where", "").strip())
        )
        phrase = read_phrase(said)
        if phrase is None:
            continue
        if "how" in groups:
            phrase = replace(phrase, words=(groups["how"].lower(), *phrase.words))
        yield "mention", phrase
        source = read_phrase(groups["x"]) if "doing" in groups else None
        if source is not None:
            yield "source", source
        return


def told(clause: str) -> Iterator[Told]:
    """What a sentence may be speaking of, and last of nothing that matters."""
    if forbids(clause) or _CONDITION.search(clause):
        return
    phrases, names = tuple(chunks(clause)), people(clause)
    for phrase in phrases[:3]:
        yield Told(phrase, names, "", phrases)
    yield Told(None, names, "", phrases)


def amiss(clause: str) -> Iterator[Told]:
    """What is wrong with what, where a sentence says so: the reader knows a remedy or does not."""
    if forbids(clause) or _CONDITION.search(clause) or _PAST.search(clause):
        return
    for pattern in _AMISS:
        found = pattern.fullmatch(clause)
        if found is None:
            continue
        phrase = read_phrase(found["x"])
        if phrase is not None:
            groups = found.groupdict()
            how = f"it {groups['does']}" if "does" in groups else f"it is {groups['how']}"
            yield Told(phrase, people(clause), how)


def person(clause: str) -> Phrase | None:
    found = PERSON.fullmatch(clause)
    return read_phrase(found["who"]) if found is not None else None
