"""Similarity of texts by meaning: what beliefs and searches ask of sentence embeddings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class TextSimilarity(Protocol):
    """TextSimilarity of meaning between a sentence and texts, such as that of sentence embeddings."""

    def scores(self, query: str, texts: Sequence[str]) -> tuple[float, ...]:
        """Return a number for each text, larger where it is closer to the query."""
        ...
