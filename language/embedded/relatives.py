"""Relative clauses: "the plate that is dirty",
"the mug I left on the desk" as noun phrases with their places.

What a relative clause says of a thing, a noun phrase can say, too: a state or a kind becomes a describing
word,
a place follows the noun. So the grammar of requests needs to know nothing of relative clauses.
"""

from __future__ import annotations

from collections.abc import Sequence

from . import lexicon as lex
from .positions import Chunk

_BETWEEN = "kbhmsj"


def folded(row: Sequence[Chunk]) -> list[Chunk]:
    """A row of chunks without relative clauses."""
    found: list[Chunk] = []
    at = 0
    while at < len(row):
        chunk = row[at]
        found.append(chunk)
        at += 1
        if chunk.kind not in ("n", "o"):
            continue
        after = "".join(c.kind for c in row[at : at + 5])
        reduced = after[:1] == "s" and row[at].base in lex.SUBJECTS and row[at].base != "there" and (
            after[1:2] in ("d", "v", "f") or after[1:3] in ("hd", "hv", "bd", "bg"))  # fmt: skip
        if not after.startswith("k") and not reduced:
            continue
        here = at
        while here < len(row) and row[here].kind in _BETWEEN:
            here += 1
        verb = row[here] if here < len(row) else None
        follows = row[here + 1].kind if here + 1 < len(row) else ""
        if verb is None:
            at = here
        elif verb.kind == "p":
            if follows in ("n", "o", "r"):
                at = here
            else:  # "the lab it is for"
                found[-1] = Chunk("n", described(chunk.text, "correct"), chunk.base)
                at = here + 1
        elif verb.base in ("smell", "smells", "stink", "stinks", "reek", "reeks"):
            found[-1] = Chunk("n", described(chunk.text, "smelly"), chunk.base)
            at = here + 1
        elif verb.kind in "dgvf":
            if follows == "p" and here + 2 < len(row) and row[here + 2].kind in ("n", "o"):
                at = here + 1
            elif follows in ("p", "e") and (here + 2 == len(row) or row[here + 2].kind not in ("n", "o")):
                found[-1] = Chunk("n", described(chunk.text, "correct"), chunk.base)
                at = here + 2
            elif follows in ("", ",", "c", ":", "m", "b", "w", "h", "j"):
                word = verb.text.lower()
                if word not in (
                    "want",
                    "wants",
                    "need",
                    "needs",
                    "like",
                    "likes",
                    "left",
                    "forgot",
                    "arrived",
                    "delivered",
                ):
                    found[-1] = Chunk("n", described(chunk.text, word), chunk.base)
                at = here + 1
            else:
                at = here + 1
        elif verb.kind in ("n", "a", "e") and (
            follows not in ("b", "m", "h", "w") or any(c.kind == "b" for c in row[at:here])
        ):
            found[-1] = Chunk("n", described(chunk.text, verb.text.lower()), chunk.base)
            at = here + 1
    return found


def described(text: str, word: str) -> str:
    """A noun phrase with one more describing word, after its determiner."""
    first, _, rest = text.partition(" ")
    low = first.lower()
    if low in ("everything", "all", "anything", "something", "whatever") and not rest:
        return f"all {word} things" if low != "something" else f"a {word} thing"
    return f"{first} {word} {rest}" if low in lex.DETERMINERS and rest else f"the {word} {text}"
