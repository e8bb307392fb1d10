"""The prompts of the baselines that come along, by the names of their files."""

from __future__ import annotations

from collections.abc import Iterable

from groundplan.language.chat.prompt_form import PromptForm
from groundplan.methods.conversations.declining import CONVERSATION_PROMPTS, with_note


def texts(forms: Iterable[PromptForm]) -> dict[str, str]:
    return {form.file_of(n): form.text(version=n) for form in forms for n in form.versions}


def prompt_names() -> tuple[str, ...]:
    return tuple(sorted(texts(CONVERSATION_PROMPTS.values())))


def prompt(name: str) -> str:
    return texts(CONVERSATION_PROMPTS.values())[name]


def told(name: str) -> str:
    """Return a prompt as a model gets it: with what it tells of declining."""
    return with_note(name.rpartition("-")[0], prompt(name), ())
