"""Frames for what a clause only speaks of, and for things that must not be at a place.

Apart from ``requests.py``, because ``declared.py`` and ``requests.py`` both need it; a new form of request
belongs in one of these two.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..english import lexicon
from ..english.chunks import Chunk
from ..english.phrases import Phrase
from .arguments import arguments, phrase, placements, plain
from .frames import Background, Frame
from .senses import is_person


def phrases_of(after: Sequence[Chunk]) -> Phrase | None:
    args = arguments(after)
    if not args.slots:
        return None
    return phrase(args.slots[0].nouns[0], [(s.prep, s.nouns[0]) for s in args.slots[1:]])


def absent(after: Sequence[Chunk]) -> Iterator[Frame]:
    for items, relation, to in placements(arguments(after)):
        if len(to) == 1:
            yield Frame("absent", items, relation, to[0])


STAYING = frozenset({"stay", "stays", "remain", "remains"})


def _asks_to_stay(clause: Sequence[Chunk]) -> bool:
    """Test whether a clause such as "the red one stays where it is" forbids what others may ask for."""
    at = next((i for i, c in enumerate(clause) if c.text.lower() in STAYING), None)
    subject = clause[:at] if at is not None else ()
    somebody = any(c.kind == "s" or (c.kind == "n" and is_person(c.text)) for c in subject)
    return not somebody and any(c.kind == "n" for c in subject)


def context(clause: Sequence[Chunk]) -> Iterator[Frame]:
    """A sentence that asks for nothing: whom and what it speaks of; none where something is to stay so."""
    if _asks_to_stay(clause):
        return
    mentioned: list[Phrase] = []
    row = [c for c in clause if c.kind not in "jx"]
    spilt = any(c.text.lower() in ("spilled", "spilt") for c in row)
    for i, c in enumerate(row):
        if spilt and (i == 0 or row[i - 1].kind != "p"):
            continue  # what is to be done is to be done to what it was spilt on
        if c.kind != "n" or (i > 0 and row[i - 1].kind in "b" and row[0].base != "there"):
            continue
        stop = next((k for k in range(i, len(row)) if row[k].kind not in "np"), len(row))
        rest = arguments(row[i:stop])
        for items in plain(rest):
            if items[0].words or items[0].kind == "held":
                mentioned.append(replace(items[0], kind="the") if items[0].kind == "person" else items[0])
                break
    for p in mentioned[:3]:
        yield Frame("context", background=Background(p, tuple(mentioned)))
    yield Frame("context", background=Background(None, tuple(mentioned)))


_EXCEPTS = frozenset({"except", "without", "nor", lexicon.UNREAD})
_SHARES = frozenset("help let make have see go come try".split())
"""Verbs with another one in their clause: "so that they can see it close"."""


def runs_on(part: Sequence[Chunk]) -> bool:
    """Return whether a clause goes on with a request or exception that is cut off by no mark.

    "The mug is dirty wash it", "(before) anything else close Niko's cabinet": an imperative after a thing, or
    in the middle of a noun phrase.
    """
    for before, chunk, after in zip([None, *part], part, [*part[1:], None], strict=False):
        shared = any(c.base in _SHARES for c in part)
        if chunk.kind == "x" and chunk.base in _EXCEPTS:
            return True
        if chunk.kind == "v" and before is not None and before.kind in "noreadgfv" and not shared:
            return True
        words = chunk.text.split() if chunk.kind == "n" else []
        for last, word, *rest in zip(words, words[1:], [*words[2:], ""], strict=False):
            thing = rest[0] or (after.text.split()[0] if after is not None and after.kind in "no" else "")
            definite = thing.lower() in lexicon.DETERMINERS | lexicon.OBJECTS or thing.endswith("'s")
            if word in lexicon.PLAIN and thing and (definite or last.lower() == "else"):
                return True
    return False
