"""Token counts: as a server reports them where that can be true, and counted offline otherwise.

Offline counts use OpenAI's ``cl100k_base`` vocabulary (GPT-4's, which SayPlan was measured with), which the
package ``bpe-openai`` carries. Other models count a little differently; a usage says where it comes from.
The vocabulary stays, so that counts can be compared with the paper's. Reports of servers are bounded here
(``MAX_REPORTED``, ``MIN_SHARE``), since budgets are charged with them; the bounds may be changed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from .model import FORMS, AnswerForm, ChatModel, ChatRequest, Reply, ServiceError, Usage

VOCABULARY = "cl100k_base"
MAX_PIECE = 50_000
"""Most characters that are counted at once: ``bpe-openai`` refuses more than 200,000 tokens."""

MAX_REPORTED = 10**9
"""Most tokens of one call that a server's report is believed."""
CUT_SHARE = 2
"""A prompt was cut where a server counts less than this part of our count, a half."""
MIN_SHARE = 10
"""A report is believed when it is at least this part, a tenth, of our count; vocabularies differ less."""

_CUT = re.compile(r"[A-Za-z](?=[\x00-@\[-`{-\x7f])")


@cache
def _encoding() -> Any:
    import bpe_openai  # 0.2 s: only where tokens are counted

    return bpe_openai.get_encoding(VOCABULARY)


def count_tokens(text: str) -> int:
    """Return the tokens of a text; markers such as ``<|endoftext|>`` in it are text like any other.

    A longer text is counted in pieces. It is cut where the vocabulary's splitting pattern always ends one,
    after a letter that no letter follows, so the sum is that of the whole but for rare texts, in which each
    cut may change it by a token or two.
    """
    text = text.encode("utf-8", "replace").decode()  # a lone surrogate is a token of some kind, too
    return sum(len(_encoding().encode_ordinary(piece)) for piece in _pieces(text))


def charged(
    request: ChatRequest,
    text: str,
    prompt: object = None,
    completion: object = None,
    cached: object = None,
) -> Usage:
    """Return the cost of an answer: prompt and completion as the server reports them, or as counted here.

    ``cached`` is the server's word on how much of the prompt it had kept, left out where it cannot be true.

    A report is data like all else: one that is not a number, is larger than :data:`MAX_REPORTED` or far too
    small is replaced by our count, so that a server cannot talk its way past a run's budget.
    """
    sent = [m.content for m in request.messages]
    prompt_tokens, completion_tokens = _believed(prompt, sent), _believed(completion, [text])
    if prompt_tokens is not None and completion_tokens is not None:
        return Usage(prompt_tokens, completion_tokens, cached=_part_of(prompt_tokens, cached))
    if prompt_tokens is None:
        prompt_tokens = sum(map(count_tokens, sent))
    if completion_tokens is None:
        completion_tokens = count_tokens(text)
    return Usage(prompt_tokens, completion_tokens, "counted")


def tokens_of_schema(request: ChatRequest, reply: Reply) -> int:
    """Return the tokens of the JSON schema that bound an answer, 0 where none did."""
    if reply.form != "json-schema" or request.constraint is None:
        return 0
    return count_tokens(request.constraint.sent("json-schema"))


def is_cut(request: ChatRequest, prompt: object) -> bool:
    """Return whether a server's count of the prompt says that it has not read the whole of it."""
    if not isinstance(prompt, int) or isinstance(prompt, bool) or prompt <= 0:
        return False
    sent = sum(count_tokens(m.content) for m in request.messages) if prompt < _bytes(request) // 2 else 0
    return prompt * CUT_SHARE < sent


def _bytes(request: ChatRequest) -> int:
    return sum(len(m.content.encode("utf-8", "replace")) for m in request.messages)


def _believed(report: object, texts: list[str]) -> int | None:
    """Return the tokens of a report that can be true of some texts, ``None`` for any other."""
    if not isinstance(report, int) or isinstance(report, bool) or not 0 <= report <= MAX_REPORTED:
        return None
    # No vocabulary needs more tokens than bytes, so most reports are believed without counting.
    if report * MIN_SHARE >= sum(len(text.encode("utf-8", "replace")) for text in texts):
        return report
    return report if report * MIN_SHARE >= sum(map(count_tokens, texts)) else None


def _part_of(prompt: int, report: object) -> int | None:
    """Return how much of a prompt was kept by a report that can be true, ``None`` for any other."""
    if not isinstance(report, int) or isinstance(report, bool) or not 0 <= report <= prompt:
        return None
    return report


def _pieces(text: str) -> Iterator[str]:
    """Yield a text in pieces of at most ``MAX_PIECE`` characters, cut between tokens where it can be."""
    start = 0
    while len(text) - start > MAX_PIECE:
        end = start + MAX_PIECE
        for window in (1_000, MAX_PIECE - 1):
            cuts = [m.end() for m in _CUT.finditer(text, end - window, end)]
            if cuts:
                end = cuts[-1]
                break
        yield text[start:end]
        start = end
    yield text[start:]


@dataclass
class Meter:
    """Account of a run's calls, answer by answer: their purpose, the form of constraint, and the tokens.

    ``prompts`` are the versions of the system texts, by purpose, ``schema_tokens`` the tokens of JSON
    schemas, which are in no usage, ``failed`` the calls without an answer, ``left_out`` the settings that the
    server turned down, and ``cut_prompts`` the prompts of which it read a part only.
    """

    prompts: Mapping[str, str] = field(default_factory=dict)
    calls: list[tuple[str, AnswerForm, Usage]] = field(default_factory=list)
    schema_tokens: int = 0
    failed: int = 0
    left_out: tuple[str, ...] = ()
    cut_prompts: int = 0

    def add(self, request: ChatRequest, reply: Reply) -> None:
        """Charge an answer."""
        self.calls.append((request.purpose, reply.form, reply.usage))
        self.schema_tokens += tokens_of_schema(request, reply)
        self.failed += reply.tries - 1
        self.left_out = tuple(sorted({*self.left_out, *reply.left_out}))
        self.cut_prompts += reply.cut_prompt

    def spent(self, *purposes: str) -> int:
        """Return the tokens of the calls for some purposes."""
        return sum(usage.total for purpose, _, usage in self.calls if purpose in purposes)

    def as_json(self) -> dict[str, object]:
        """Return sums over all calls; ``failed`` of them gave no answer, those that were tried again too.

        ``schema_tokens`` are those of JSON schemas, which stand beside the prompts and in no count of these;
        ``counted`` is how many answers were counted here and not by the server, ``left_out`` are the settings
        that the server turned down, ``prompts`` the versions of the system texts that were used.
        """
        usages = [usage for _, _, usage in self.calls]
        purposes = {purpose for purpose, _, _ in self.calls}
        forms = Counter(form for _, form, _ in self.calls)
        return {
            "calls": len(usages) + self.failed,
            "failed": self.failed,
            "prompt": sum(u.prompt for u in usages),
            "completion": sum(u.completion for u in usages),
            "schema_tokens": self.schema_tokens,
            "counted": sum(u.source == "counted" for u in usages),
            "forms": {form: forms[form] for form in FORMS if form in forms},
            "left_out": list(self.left_out),
            "cut_prompts": self.cut_prompts,
            "prompts": {
                name: version for name, version in self.prompts.items() if name.partition("-")[0] in purposes
            },
        }


@dataclass
class MeteredModel:
    """Passes requests on to a model and charges them to a meter; without constraints, if it is told so."""

    inner: ChatModel
    meter: Meter
    constrained: bool = True

    @property
    def name(self) -> str:
        return self.inner.name

    def ask(self, request: ChatRequest) -> Reply:
        """Ask the model. Raises :class:`ServiceError`."""
        try:
            reply = self.inner.ask(request if self.constrained else replace(request, constraint=None))
        except ServiceError as error:
            self.meter.failed += error.tries
            raise
        self.meter.add(request, reply)
        return reply
