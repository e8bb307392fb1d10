"""Counting tokens: what a server reports where that can be true, and offline otherwise.

Offline counts use OpenAI's ``cl100k_base`` vocabulary (GPT-4's, which SayPlan was measured with), which the
package ``bpe-openai`` carries. Other models count a little differently; a usage says where it comes from.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from .model import FORMS, ChatModel, ChatRequest, Form, Reply, ServiceError, Usage

VOCABULARY = "cl100k_base"
PIECE = 50_000
"""Most characters that are counted at once: ``bpe-openai`` refuses more than 200,000 tokens."""

MOST = 10**9
"""Most tokens of one call that a server's report is believed."""
SHARE = 10
"""A report is believed when it is at least this part, a tenth, of what we count; vocabularies differ less."""

_CUT = re.compile(r"[A-Za-z](?=[\x00-@\[-`{-\x7f])")


@cache
def _encoding() -> Any:
    import bpe_openai  # 0.2 s: only where tokens are counted

    return bpe_openai.get_encoding(VOCABULARY)


def count_tokens(text: str) -> int:
    """Tokens of a text; markers such as ``<|endoftext|>`` in it are text like any other.

    A longer text is counted in pieces. It is cut where the vocabulary's splitting pattern always ends one,
    after a letter that no letter follows, so the sum is that of the whole but for rare texts, in which each
    cut may change it by a token or two.
    """
    text = text.encode("utf-8", "replace").decode()  # a lone surrogate is a token of some kind, too
    return sum(len(_encoding().encode_ordinary(piece)) for piece in _pieces(text))


def charged(request: ChatRequest, text: str, prompt: object = None, completion: object = None) -> Usage:
    """What an answer costs: what the server reports of prompt and completion, or what we count.

    A report is data like all else: what is no count, is larger than :data:`MOST` or far too small is counted
    here, so that a server cannot talk its way past a run's budget.
    """
    asked = [m.content for m in request.messages]
    sent, got = _believed(prompt, asked), _believed(completion, [text])
    if sent is not None and got is not None:
        return Usage(sent, got)
    counted = sum(map(count_tokens, asked)) if sent is None else sent
    return Usage(counted, count_tokens(text) if got is None else got, "counted")


def _believed(said: object, texts: list[str]) -> int | None:
    if not isinstance(said, int) or isinstance(said, bool) or not 0 <= said <= MOST:
        return None
    # No vocabulary needs more tokens than bytes, so most reports are believed without counting.
    if said * SHARE >= sum(len(text.encode("utf-8", "replace")) for text in texts):
        return said
    return said if said * SHARE >= sum(map(count_tokens, texts)) else None


def _pieces(text: str) -> Iterator[str]:
    start = 0
    while len(text) - start > PIECE:
        end = start + PIECE
        for window in (1_000, PIECE - 1):
            cuts = [m.end() for m in _CUT.finditer(text, end - window, end)]
            if cuts:
                end = cuts[-1]
                break
        yield text[start:end]
        start = end
    yield text[start:]


@dataclass
class Meter:
    """What a run's calls cost, answer by answer: their purpose, the form of constraint, and the tokens.

    ``failed`` are the calls without an answer, ``left_out`` the settings that the server turned down, and
    ``prompts`` the versions of the system texts, by purpose.
    """

    calls: list[tuple[str, Form, Usage]] = field(default_factory=list)
    failed: int = 0
    left_out: tuple[str, ...] = ()
    prompts: Mapping[str, str] = field(default_factory=dict)

    def add(self, purpose: str, reply: Reply) -> None:
        self.calls.append((purpose, reply.form, reply.usage))
        self.failed += reply.tries - 1
        self.left_out = tuple(sorted({*self.left_out, *reply.left_out}))

    def spent(self, *purposes: str) -> int:
        """Tokens of the calls for some purposes."""
        return sum(usage.total for purpose, _, usage in self.calls if purpose in purposes)

    def as_json(self) -> dict[str, object]:
        """Sums over all calls, of which ``failed`` gave no answer, be it that they were tried again.

        ``counted`` is how many answers were counted here and not by the server, ``left_out`` are the settings
        that were not sent since the server turns them down, ``prompts`` the versions of the system texts.
        """
        usages = [usage for _, _, usage in self.calls]
        purposes = {purpose for purpose, _, _ in self.calls}
        forms = Counter(form for _, form, _ in self.calls)
        return {
            "calls": len(usages) + self.failed,
            "failed": self.failed,
            "prompt": sum(u.prompt for u in usages),
            "completion": sum(u.completion for u in usages),
            "counted": sum(u.source == "counted" for u in usages),
            "forms": {form: forms[form] for form in FORMS if form in forms},
            "left_out": list(self.left_out),
            "prompts": {name: self.prompts[name] for name in self.prompts if name in purposes},
        }


@dataclass
class MeteredModel:
    """Passes requests on to a model and notes what they cost."""

    inner: ChatModel
    meter: Meter

    @property
    def name(self) -> str:
        return self.inner.name

    def ask(self, request: ChatRequest) -> Reply:
        """Ask the model. Raises :class:`ServiceError`."""
        try:
            reply = self.inner.ask(request)
        except ServiceError as error:
            self.meter.failed += error.tries
            raise
        self.meter.add(request.purpose, reply)
        return reply
