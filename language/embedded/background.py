"""Frames for what a clause only speaks of, and for things that must not be at a place.

A statement asks for nothing, and a request after it may be about what it speaks of. After a request it may
change that, so only the shapes of :data:`_REMARKS` are read there. Forms of requests are in ``forms.py``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from ..english import lexicon
from ..english.chunks import Chunk, kinds
from ..english.lexicon import STATES
from ..english.phrases import Phrase
from .arguments import arguments, phrase, placements, plain
from .forms import letters
from .frames import Background, Frame


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
LASTS = STAYING | {"keep", "keeps", "kept"}
_TELLS = re.compile(
    r"(?=.*[bBhVwRWlfmCKQUGDFd])(?!.*S(?!Xbg)|[nTo].*[hwR]t)(?:[nNTIHEo](?!b,)|Yhd?n)(?:(?<=[CKQUSmDtxXOFA])v|[^vq]|q(?!$))*"
    r"|O,[nNp]+"  # "oh no, soda on the desk"
)
"""Letters of a statement: a subject other than who is asked, a finite verb, no other after it, no "must"."""
_REMARKS = re.compile(
    r"I(?:b(?!.*[tXxoO])(?!g$)|C[xX]|D[xX]M|w.?v).*|If"  # "I am having a party", "I do not mind", "I know"
    r"|[HN](?:b(?!g$)|h|f|d)(?!.*[CKQUSmXxO]).*"  # "he is stuck at his desk"
    r"|T(?:b[gan]|[fG]).*|[nT]bg.*|n[fW]n"  # "they are stale", "it smells", "the guests are coming"
)
"""Letters of what may be said after a request without a change of it: how somebody is, or a thing is."""


def _told(clause: Sequence[Chunk]) -> str:
    """The letters of a clause, with somebody who acts as a third person."""
    somebody = bool(clause) and clause[0].base in ("someone", "somebody")
    return f"H{letters(clause[1:])}" if somebody else letters(clause)


def tells(clause: Sequence[Chunk]) -> bool:
    """Return whether a clause is a statement, which asks for nothing and is not left out.

    "The red one stays where it is" is none: it forbids what others may ask for. Nor is "the desk needs a
    mug", which asks for one.
    """
    shape = _told(clause)
    stays = any(c.text.lower() in STAYING for c in clause) and shape[0] in "nTo"
    odd = {c.base for c in clause if c.kind == "x"} & {*lexicon.LIMITS, lexicon.UNREAD}
    lacks = re.match(r"n(?:pn)*R", shape) is not None
    return not odd and not stays and not lacks and _TELLS.fullmatch(shape) is not None


def remarks(part: Sequence[Chunk]) -> bool:
    """Return whether a statement after a request leaves the request as it is.

    It says how somebody is, or what a thing is like. What it says of one of those asked for, of who else
    does it, of what else would do or should be so, might change the request.
    """
    body = [c for c in part if c.kind not in "c,:j"]
    ending = body[-1].text.lower().split() if body else []
    shape, joined = _told(body), part[0].kind == "c" and letters(body)[:1] in ("n", "T", "o")
    last = ending[:-1] if ending[-1:] and ending[-1] in STATES else ending  # "his open"
    owned = bool(last) and (last[-1] in _OWNED or last[-1].endswith(("'s", "s'")))
    named = shape[:2] == "Tb" and bool(ending) and ending[0] in lexicon.DETERMINERS  # "it was a joke"
    mine = shape.startswith("nbn") and body[0].text.lower().split()[0] in ("my", "our")
    plain = _REMARKS.fullmatch(shape) is not None and not named
    return (plain or mine) and not (owned or joined or any(map(_weighs, body)))


_OWNED = frozenset("his hers theirs mine yours ours one ones".split())


def _weighs(chunk: Chunk) -> bool:
    """Return whether a word says what the request is worth: "that is better", "it seems pointless"."""
    word = chunk.text.lower().split()[-1]
    worth = lexicon.WEIGHS | {"fine", "ok", "okay", "seems", "sounds", "against"}
    return word in worth or re.fullmatch(r"un(?!i[qt]|der)\w+|\w+less", word) is not None


def context(clause: Sequence[Chunk]) -> Iterator[Frame]:
    """A sentence that asks for nothing: whom and what it speaks of."""
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


def tenses(part: Sequence[Chunk]) -> bool:
    """Return whether a clause has a finite verb, so that it says that something is so."""
    acted = re.search("[nso][^b]*[dv]", kinds(part)) is not None
    return acted or any(c.kind in "bmhwf" and c.base not in ("being", "having", "been") for c in part)


_EXCEPTS = frozenset({"except", "without", "nor", lexicon.UNREAD})
_SHARES = frozenset("help let make have see go come try".split())
"""Verbs with another one in their clause: "so that they can see it close"."""
_VERBS, _THINGS = ("|".join(words) for words in (lexicon.PLAIN, lexicon.DETERMINERS | lexicon.OBJECTS))
_IMPERATIVE = re.compile(
    rf"(?i)\b(?:else (?:{_VERBS})|(?!(?:{_THINGS})\b)\w+ (?:{_VERBS}) (?:{_THINGS}|\w+'s))\b"
)


def runs_on(part: Sequence[Chunk]) -> bool:
    """Return whether a request or exception follows in a clause without a mark: "it is dirty wash it"."""
    shared = any(c.kind != "g" and c.base in _SHARES for c in part)
    pairs = list(pairwise([*part, Chunk("", "")]))
    hidden = any(c.kind == "n" and _IMPERATIVE.search(f"{c.text} {d.text}") for c, d in pairs)
    after = any(d.kind == "v" and c.kind in "noreadgfv" and not shared for c, d in pairs)
    return hidden or after or any(c.kind == "x" and c.base in _EXCEPTS for c in part)
