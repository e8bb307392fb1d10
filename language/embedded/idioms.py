"""Verbs with a clause of their own: "get the microwave going", "see whether it works", "make it stop"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .arguments import arguments
from .background import acts, context, kinds, phrases_of
from .declared import done, wants
from .forms import plainly
from .frames import Frame
from .positions import Chunk
from .senses import command


def idiom(clause: Sequence[Chunk], at: int) -> Iterator[Frame]:
    """Verbs with a clause of their own: "get the microwave going", "see whether it works", "make it stop"."""
    verb, before, after = clause[at], clause[:at], clause[at + 1 :]
    if any(c.kind == "i" and c.base == "whether" for c in clause):
        start = next(i for i, c in enumerate(clause) if c.base == "whether")
        said = [c for c in clause[start + 1 :] if c.kind in "npco"][:3]
        if said and said[0].text.split()[-1] in ("runs", "works", "functions"):
            said[0] = Chunk("n", " ".join(said[0].text.split()[:-1]))
        yield from plainly("check", arguments(said))
        return
    if verb.base in ("see", "find", "check", "look", "know", "investigate") and any(
        c.kind == "q" for c in after[:2]
    ):
        yield Frame("nothing")
        return
    if before and before[0].base == "let" and verb.kind == "v" and any(c.kind in "no" for c in before):
        yield from command(verb.base, arguments([*(c for c in before if c.kind in "npco"), *after]))
        return
    lead = [
        i
        for i, c in enumerate(before)
        if c.base in ("have", "get", "let", "see", "make", "want", "like", "need", "ensure")
        and c.kind in "hvzw"
    ]
    inner = next((i for i, c in enumerate(after) if i > 0 and (acts(c) or c.kind == "f")), None)
    if (
        (
            verb.base in ("get", "make", "see", "let")
            and verb.kind in "vg"
            and inner is not None
            and after[inner - 1].kind in "noeacj"
        )
        and kinds(after[:inner]).strip("npo") == ""
        and not (verb.base == "get" and after[inner].kind == "v")
    ):
        yield from command(after[inner].base, arguments([*after[:inner], *after[inner + 1 :]]))
        return
    if (
        verb.kind in "dg"
        and lead
        and any(c.kind in "no" for c in before[lead[-1] :])
        and not any(
            c.kind in "nb" or (c.kind == "s" and c.base not in ("you", "i", "we", "someone", "somebody"))
            for c in before[: lead[-1]]
        )
    ):
        yield from done([*before[lead[-1] + 1 :], verb, *after])
        return
    if (
        verb.base in ("look", "ask", "wait", "beg", "call")
        and verb.kind in "gfd"
        and after[:1]
        and after[0].base in ("for", "after")
    ):
        who = " ".join(c.text for c in before if c.kind in "ns")
        if who and who.lower() not in ("you", "we"):
            yield from wants(who, after)
            yield from context(clause)
        return
    if (
        verb.base in ("sit", "stand", "wait", "work", "eat")
        and verb.kind == "g"
        and before[:1]
        and before[0].base in ("i", "we")
    ):
        where = (
            phrases_of([c for c in after if c.kind in "npo"]) if after[:1] and after[0].kind == "p" else None
        )
        if where is not None:
            yield Frame("speaker", (), "at", where)
        yield from context(clause)
        return
    forgot = next((i for i, c in enumerate(before) if c.base in ("forgot", "forget", "forgotten")), None)
    if forgot is not None and any(c.kind == "n" for c in before[:forgot]):
        yield from command(verb.base, arguments(after))
        return
    if verb.kind == "d" and verb.base in ("need", "want", "require") and any(c.base == "you" for c in before):
        where = phrases_of(after)
        if where is not None:
            yield Frame("go", (), "at", where)
