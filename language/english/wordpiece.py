"""BERT's WordPiece, uncased: text to the token ids that a sentence embedding model was trained on.

Text is cleaned, lower-cased, stripped of accents and split at white space, punctuation and Chinese
characters; each word is then cut greedily into the longest pieces of the vocabulary. Written here, since
the package ``tokenizers`` brings a dozen others with it (``docs/decisions/0002-small-readers-of-text.md``).
It may be made faster, but must give the ids of the reference implementation, which tests have recorded.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

MAX_TOKENS = 256
"""Longer texts are cut: what all-MiniLM-L6-v2 was built for."""
MAX_WORD = 100
"""Words longer than this are unknown words, as in the original."""

_CJK = (
    *((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F)),
    *((0x2B740, 0x2B81F), (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F)),
)


@cache
def vocabulary() -> Mapping[str, int]:
    """The 30,522 pieces and their ids."""
    text = files(__package__).joinpath("vocabulary", "vocab.txt").read_text(encoding="utf-8")
    return {piece: index for index, piece in enumerate(text.split("\n")) if piece}


def encode(text: str) -> list[int]:
    """The ids of a text between ``[CLS]`` and ``[SEP]``, at most :data:`MAX_TOKENS`."""
    ids_by_piece = vocabulary()
    ids: list[int] = []
    # No more characters than could matter are looked at: a word gives at least one token.
    for word in split(text[: MAX_TOKENS * (MAX_WORD + 1)]):
        ids += pieces(word, ids_by_piece)
        if len(ids) >= MAX_TOKENS - 2:
            break
    return [ids_by_piece["[CLS]"], *ids[: MAX_TOKENS - 2], ids_by_piece["[SEP]"]]


def split(text: str) -> list[str]:
    """Words and punctuation marks, cleaned and lower-cased."""
    return "".join(f" {char} " if _alone(char) else char for char in _clean(text)).split()


def pieces(word: str, ids_by_piece: Mapping[str, int]) -> list[int]:
    """A word as the longest pieces of the vocabulary from the left; the unknown token where that fails."""
    unknown = [ids_by_piece["[UNK]"]]
    if len(word) > MAX_WORD:
        return unknown
    ids: list[int] = []
    start = 0
    while start < len(word):
        prefix = "##" if start else ""
        for end in range(len(word), start, -1):
            piece_id = ids_by_piece.get(prefix + word[start:end])
            if piece_id is not None:
                ids.append(piece_id)
                start = end
                break
        else:
            return unknown
    return ids


def _clean(text: str) -> str:
    """A text without control characters and accents, in lower case, with plain spaces."""
    spaces = (" " if c in "\t\n\r" or unicodedata.category(c) == "Zs" else c for c in text)
    kept = (c for c in spaces if c != "\N{REPLACEMENT CHARACTER}" and unicodedata.category(c)[0] != "C")
    folded = unicodedata.normalize("NFD", "".join(kept).lower())
    return "".join(c for c in folded if unicodedata.category(c) != "Mn")


def _alone(char: str) -> bool:
    """Return whether a character is a word by itself: punctuation (all ASCII symbols, too) or Chinese."""
    code = ord(char)
    if code < 128:
        return not char.isalnum() and char != " "
    return unicodedata.category(char).startswith("P") or any(low <= code <= high for low, high in _CJK)
