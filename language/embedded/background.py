"""Frames for what a clause only speaks of, and for things that must not be at a place.

Apart from ``requests.py``, because ``declared.py`` and ``requests.py`` both need it; a new form of request
belongs in one of these two.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from itertools import pairwise

from ..english import lexicon
from ..english.chunks import Chunk, acts, kinds
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


LASTS = STAYING | {"keep", "keeps", "kept"}
_GRANTS = frozenset("mind care know can could cannot".split())
_LIMITS = re.compile(
    r"\b(?:stays?|remains?|keeps?|kept)\b(?![^<]*>g<)|v<let "  # "it stays", but "he keeps bumping into it"
)
_OF_REQUEST = re.compile(
    r"b<[^>]*>q<"  # "the bread is what I want"
    rf"|\b(?:{'|'.join(sorted(lexicon.WEIGHS))})\b"  # something else is set against what was asked for
    r"|[bfd]<[^>]*>(?:n<(?:too )?(?:un(?!i[qt]|der)\w+|\w+less) |p<against)"  # "it is unwise", "pointless"
    r"|[no]<[^>]*(?:\b(?:his|hers|theirs|mine|yours|ours|ones?)|'s|s')(?: (?:open|closed|shut|on|off))?>"
    r"|[os]<(?:that|this) [^>]*>(?!m<[^>]*>(?:b<[^>]*>)?\Z)"  # "that was wrong", "I take that back"
    r"|^s<it [^>]*>b<[^>]*>(?:n<[^>]* an? |d<[^>]*>\Z|s<there)"  # "it was a joke", "it is done"
    r"|m<did [^>]*>(?!x)|d<do |(?:d<[^>]*|f<[^>]*ed)>o<it it>\Z"  # "Tobi did it", "they cancelled it"
    r"|^s<(?:i|we) [^>]*>b<(?:was|were) [^>]*>(?:[an]<|\w<[^>]*>\Z)"  # "I was joking"
)
"""Statements about one of those asked for, or about the request, by kind, base and text of their chunks."""


def limits(part: Sequence[Chunk], same_sentence: bool, states: bool, requests: Set[str]) -> bool:
    """Return whether a clause after a request, which asks for nothing, limits the request or goes against it.

    ``states`` where it says something at all, ``requests`` are the verbs of those before. It limits where
    something stays so, is not so, should be so or is better so, where it speaks of one of those asked for
    ("the red one") or of the request, or of who else does it.
    """
    body = [c for c in part if c.kind not in "c,:j"]
    spelled = "".join(f"{c.kind}<{c.base} {c.text.lower()} >".replace(" >", ">") for c in body)
    negated = any(c.kind == "x" for c in part)
    if _LIMITS.search(spelled) or (same_sentence and (negated or _joined(part, body))):
        return True
    if not states:
        return False
    if _OF_REQUEST.search(spelled) or (same_sentence and not tenses(part)):
        return True
    if negated:
        granted = {w for c in part for w in (c.base, *c.text.lower().split())} & _GRANTS
        return not (body[0].base in ("i", "we") and granted) or any(c.kind == "d" for c in body)
    return _should_be(body) or _is_done(body, part, requests)


def _joined(part: Sequence[Chunk], body: Sequence[Chunk]) -> bool:
    """Return whether a clause says how a thing is, after "and": "and it is shut"."""
    joined = re.match(",?c[nopcs,]+b[^v]*$", kinds(part)) is not None
    return joined and body[0].base not in lexicon.SUBJECTS and not is_person(body[0].text)


def _modal(body: Sequence[Chunk]) -> int:
    verb = next((i for i, c in enumerate(body) if acts(c)), len(body))
    return next((i for i, c in enumerate(body[:verb]) if c.kind in "mt"), len(body))


def _should_be(body: Sequence[Chunk]) -> bool:
    """Return whether a clause says how one of the things should be: "it should end up off"."""
    modal = _modal(body)
    definite = any(c.text.lower().split()[0] in {"the", *lexicon.OBJECTS} for c in body[:modal])
    return definite and any(c.kind in "eapn" for c in body[modal:])


def _is_done(body: Sequence[Chunk], part: Sequence[Chunk], requests: Set[str]) -> bool:
    """Return whether somebody else will do what was asked, and not something else with the thing later."""
    verb = next((i for i, c in enumerate(body) if acts(c)), len(body))
    does = kinds(body[verb + 1 : verb + 2]) == "o" and bool(lexicon.meanings(body[verb].base))
    same = does and body[verb].base in requests
    later = any(c.base in lexicon.TO_COME for c in part) and not same
    return (_modal(body) < len(body) and does and not later) or (same and body[verb].kind == "d")


def unfinished(part: Sequence[Chunk]) -> bool:
    """Return whether a clause without a tense does something with a thing: "resume washing the mug"."""
    gerund = any(c.kind == "g" and lexicon.meanings(c.base) and d.kind in "eno" for c, d in pairwise(part))
    return (gerund and not tenses(part)) or runs_on(part)


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
