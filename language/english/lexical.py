"""Likeness of texts by the words that they share: the fallback where no embeddings are installed.

It finds what is named in the instruction's own words and nothing else, so the reader that uses it declines
more often. Words count by how rare they are among the texts compared; endings are ignored. Another measure
from 0 to 1 may stand here; the thresholds of ``linking`` apply to it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from .words import content_words, stem


class Lexical:
    """Weighted word overlap, from 0 to 1."""

    def scores(self, query: str, texts: Sequence[str]) -> tuple[float, ...]:
        """The share of the query's words, and of the text's, that both have (their harmonic mean)."""
        query_words, *bags = (frozenset(map(stem, content_words(text))) for text in (query, *texts))
        spread = Counter(word for bag in bags for word in bag)
        weight = {w: math.log(1 + len(texts) / (1 + spread[w])) + 0.1 for w in {*query_words, *spread}}
        return tuple(round(_overlap(query_words, bag, weight), 6) for bag in bags)


def _overlap(a: frozenset[str], b: frozenset[str], weight: dict[str, float]) -> float:
    both = sum(sorted(weight[w] for w in a & b))
    if not both:
        return 0.0
    return 2 * both / (sum(sorted(weight[w] for w in a)) + sum(sorted(weight[w] for w in b)))
