"""Declining: how the model of any method says that a task has no plan, and why.

The published prompts have no such answer, so a task without a solution can only be failed by them. Ours tell
of one, in the form of each method's answers; a prompt of a user tells of it or does not. Whoever asks reads
it in every answer, so a method need not know of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ...compiler.decoding.dialects import Dialect, literal
from ...language.chat.prompt_form import OwnPrompt, forms_of, sections
from ...language.chat.thoughts import without_thought
from .answers import UnreadableAnswer, read_object, said

CONVERSATION_PROMPTS = forms_of(__package__ or "")
"""The prompts of the baselines, by name."""
DECLINE = "decline"
"""The command, the step of a plan, and the function by which a model declines."""
MAX_REASON = 300
"""Most characters of a reason that are kept."""
_TEXT = re.compile(r'\(declined(?:\s+"([^"]*)"?)?\s*\)?\s*\Z')


class Declined(ValueError):
    """An answer by which a model says that a task has no plan."""


def with_note(name: str, text: str, own: Sequence[OwnPrompt]) -> str:
    """Return a prompt that comes along with what it tells of declining, after its first paragraph."""
    parts = sections(CONVERSATION_PROMPTS["declining"].text(own))
    first, gap, rest = text.partition("\n\n")
    return f"{first}\n\n{parts['']} {parts[CONVERSATION_PROMPTS[name].declines]}{gap}{rest}"


def reason_of(text: str) -> str | None:
    """Return why an answer declines, empty where it does not say; ``None`` for any other answer.

    >>> reason_of('(declined "there is no ladder")')
    'there is no ladder'
    >>> reason_of('{"chain_of_thought": ["no ladder"], "plan": ["decline()"]}')
    'no ladder'
    """
    body = without_thought(text).strip()
    if (match := _TEXT.match(body)) is not None:
        return (match[1] or "")[:MAX_REASON]
    if DECLINE not in body:
        return None
    try:
        raw = read_object(body)
    except UnreadableAnswer:
        return None
    if not _declines(raw):
        return None
    return " ".join(filter(None, (said(raw.get("chain_of_thought")), said(raw.get("reasoning")))))[
        :MAX_REASON
    ]


def _declines(raw: Mapping[str, object]) -> bool:
    """Return whether an object declines: by a command, by a move, or by a plan of that one step."""
    for part in (raw, raw.get("command"), raw.get("next_move")):
        if isinstance(part, dict):
            plan = part.get("plan")
            step = plan[0] if isinstance(plan, list) and len(plan) == 1 else None
            if DECLINE in (part.get("command_name"), part.get("function_name")) or step == f"{DECLINE}()":
                return True
    return False


def declined_text(dialect: Dialect) -> str:
    """Return the row of a grammar that is ``(declined "why")``."""
    return " ".join([literal('(declined "'), dialect.free(MAX_REASON), literal('")')])
