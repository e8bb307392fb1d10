"""Counting tokens: what a server reports where it does, and offline otherwise.

Offline counts use OpenAI's ``cl100k_base`` vocabulary (GPT-4's, which SayPlan was measured with), which the
package ``bpe-openai`` carries. Other models count a little differently; a usage says where it comes from.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any

from .chat import Usage

VOCABULARY = "cl100k_base"


@cache
def _encoding() -> Any:
    import bpe_openai  # 0.2 s: only where tokens are counted

    return bpe_openai.get_encoding(VOCABULARY)


def count_tokens(text: str) -> int:
    """Tokens of a text; markers such as ``<|endoftext|>`` in it are text like any other."""
    return len(_encoding().encode_ordinary(text))


@dataclass
class Meter:
    """What a run's calls cost, call by call."""

    calls: list[tuple[str, Usage]] = field(default_factory=list)

    def add(self, purpose: str, usage: Usage) -> None:
        self.calls.append((purpose, usage))

    @property
    def total(self) -> int:
        return sum(u.total for _, u in self.calls)
