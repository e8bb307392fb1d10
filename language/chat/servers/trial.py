"""Trial of the forms of constraint that a server takes: one tiny request for each.

A server may turn a form down, or take it and not keep to it, which no error tells. So the request asks for
what a model answers of itself in another way: the colour of grass, out of two that it is not. Which words are
asked for may be changed; a result says only what one answer showed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from ....domains.errors import clip
from .budget import Allowance
from .model import FORMS, AnswerForm, ChatRequest, Constraint, Message, ServiceError
from .openai import OpenAIModel
from .profile import Profile
from .requests import ServerTerms

Result = Literal["kept", "not-kept", "refused", "failed", "not-tried"]
"""An answer in the form, one in no such form, a form that is turned down, no answer, and no request."""

COLOURS = ("crimson", "violet")
SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {"colour": {"type": "string", "enum": list(COLOURS)}},
    "required": ["colour"],
    "additionalProperties": False,
}
MAX_TOKENS = 64
"""Tokens of one answer."""
LIMITS = (8 * len(FORMS), 20_000, 300.0)
"""Calls, tokens and seconds of a trial: a server that turns something down is asked without it."""
_HOPELESS = ("refused", "tls", "unauthorized", "forbidden", "no-such-model", "redirected", "budget")
"""Kinds of errors that every form would end with."""


@dataclass(frozen=True, slots=True)
class FormTried:
    """One form and what became of it; ``note`` is the server's own word or the answer, clipped."""

    form: AnswerForm
    result: Result
    note: str = ""

    def as_json(self) -> dict[str, object]:
        return {"form": self.form, "result": self.result, "note": self.note or None}


def limits() -> Allowance:
    """Return the limits of a trial, as an account of its own."""
    calls, tokens, seconds = LIMITS
    return Allowance(calls, tokens, seconds)


def try_forms(
    profile: Profile, listen: Callable[[str], None] = lambda form: None
) -> tuple[tuple[FormTried, ...], tuple[str, ...]]:
    """Ask a model once in every form, strongest first; ``listen`` hears of each before it is asked.

    Returns what became of each, and on which terms the server answers, in words.

    After an error that every request would meet (no connection, a key that is not accepted, no such model)
    the rest is *not-tried*.
    """
    allowance, tried, end, terms = limits(), list[FormTried](), "", ServerTerms()
    for form in FORMS:
        if end:
            tried.append(FormTried(form, "not-tried"))
            continue
        listen(form)
        model = OpenAIModel(replace(profile, form=form, max_tokens=None), allowance, retries=0)
        model.terms = terms
        try:
            reply = model.ask(request(form))
        except ServiceError as error:
            refused = error.kind == "bad-request"
            tried.append(FormTried(form, "refused" if refused else "failed", clip(str(error), 300)))
            end = error.kind if error.kind in _HOPELESS else ""
        else:
            result: Result = "kept" if reply.form == form and keeps(reply.text, form) else "not-kept"
            tried.append(FormTried(form, result, clip(reply.text.strip(), 60)))
        finally:
            terms = model.terms
            model.close()
    return tuple(tried), terms.in_words()


def request(form: AnswerForm) -> ChatRequest:
    """Return the request by which a form is tried."""
    how = 'Answer in JSON, as {"colour": ".."}.' if form in ("json-schema", "json") else "Answer in one word."
    either = " | ".join(f'"{colour}"' for colour in COLOURS)
    constraint = Constraint(
        "colour", lambda: SCHEMA, lambda: f"start: {either}", lambda: f"root ::= {either}"
    )
    messages = (Message("system", "You answer briefly."), Message("user", f"What colour is grass? {how}"))
    return ChatRequest(messages, constraint, MAX_TOKENS, "trial")


def keeps(text: str, form: AnswerForm) -> bool:
    """Return whether an answer is in a form: a colour of the grammar, JSON of the schema, any JSON object."""
    if form == "text":
        return bool(text.strip())
    if form in ("lark", "gbnf"):
        return text.strip() in COLOURS
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    if form == "json":
        return isinstance(value, dict)
    return isinstance(value, dict) and list(value) == ["colour"] and value["colour"] in COLOURS
