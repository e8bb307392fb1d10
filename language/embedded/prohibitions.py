"""Clauses with a "not": prohibitions are not read, but much that has a "not" in it is none.

"Do not forget to", "do not leave it open", "there should be no vodka in the kitchen" ask for something; "Will
cannot find his drone" only says what is spoken of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from . import lexicon as lex
from .arguments import arguments
from .background import absent, context, kinds
from .forms import plainly
from .frames import Frame
from .positions import Chunk
from .senses import command


def negated(clause: Sequence[Chunk], frames: Callable[[list[Chunk]], Iterator[Frame]]) -> Iterator[Frame]:
    """What must not be is not read, unless it only says what is spoken of, or that a thing was forgotten."""
    at = next(i for i, c in enumerate(clause) if c.kind == "x")
    after = list(clause[at + 1 :])
    if (
        after[:1]
        and after[0].base == "forget"
        and not any(c.kind in "ns" and c.base != "you" for c in clause[:at])
    ):
        yield from frames([c for c in after[1:] if c.kind != "t"])
        return
    before = kinds(clause[:at])
    if (
        "s" in before
        and clause[0].base == "i"
        and any(c.kind == "w" or c.base in ("mind", "care", "know") for c in clause)
    ):
        yield from context(clause)
        return
    keep = next((i for i, c in enumerate(after) if c.base in ("leave", "keep", "let")), None)
    if keep is not None and kinds(after[:keep]).strip("tmn") in ("", "v"):
        args = arguments([c for c in after[keep + 1 :]])
        turned = {
            "open": "close",
            "on": "off",
            "running": "off",
            "closed": "open",
            "shut": "open",
            "dirty": "wash",
        }
        state = args.state or next((p for p in ("on",) if p in args.particles), "")
        if state in turned:
            yield from plainly(turned[state], args)
            return
    if at == 0 and clause[0].base in ("nobody", "none") and any(c.kind in "wf" for c in after[:2]):
        yield from context(clause)
        return
    opposite = {"close": "open", "open": "close"}
    if before in ("m", "") and after[:1] and after[0].base in opposite and after[0].kind == "v":
        for frame in plainly(opposite[after[0].base], arguments(after[1:])):
            yield replace(frame, said="not")
        return
    if at == 0 and clause[0].base == "no" and kinds(after).startswith("nmb"):
        yield from absent([c for c in after if c.kind in "np"])
        return
    if at == 0 and clause[0].base == "no" and not any(c.kind in "vbm" for c in after):
        yield from absent(after)
        return
    if clause[0].base == "there" and "m" in before:
        yield from absent([c for c in after if c.kind not in "bg"])
        return
    if at == 0:
        if clause[0].base == "not" and after[:1] and after[0].kind == "p":
            yield Frame("nothing")  # "on the cabinet, not in it"
        return
    if (
        before.startswith(("s", "n"))
        and clause[0].base not in ("you", "we")
        and "m" not in before.replace("m", "", 0)[:0]
    ):
        owner = clause[0]
        done = next((c for c in after if c.kind == "d"), None)
        if "h" in before and done is not None and lex.meanings(done.base) and owner.kind == "n":
            subject = [c for c in clause[:at] if c.kind in "npc,"]
            yield from command(done.base, arguments([*subject, *after[after.index(done) + 1 :]]))
            return
        if any(
            c.base in ("should", "must", "may", "need", "want", "ought") for c in clause
        ) and owner.base not in ("he", "she"):
            if owner.kind == "n" and (
                any(c.base == "need" for c in clause) or any(c.kind == "g" for c in after)
            ):
                yield from context(clause)
            return
        yield from context(clause)
