"""The prompts of the reader that asks a chat model: what each is for, and what its text may hold."""

from __future__ import annotations

from .prompt_form import PromptForm

_HERE = __package__ or ""

READER_PROMPTS: tuple[PromptForm, ...] = (
    PromptForm(
        "naming",
        _HERE,
        "search by naming: names of things and rooms that the task needs",
    ),
    PromptForm(
        "query",
        _HERE,
        "search by query: questions about the scene",
        may=("within", "relation"),
    ),
    PromptForm(
        "search",
        _HERE,
        "search by dialogue: one move at a time",
        fields=("scene", "expanded before", "task", "feedback"),
        optional=("still needed",),
        default=0,
    ),
    PromptForm(
        "goal",
        _HERE,
        "the goal as a formula",
        fields=("scene", "task"),
        must=("facts",),
        may=("notes", "examples"),
        default=2,
    ),
    PromptForm(
        "whole-run",
        _HERE,
        "behind the prompt goal, where a task forbids, keeps or orders something",
        default=2,
    ),
    PromptForm(
        "readings",
        _HERE,
        "behind the prompt goal, for all readings at once (--ask)",
    ),
    PromptForm(
        "repair",
        _HERE,
        "behind the prompt goal, after a goal was turned down",
        fields=("history", "feedback"),
        optional=("scene", "task", "hints"),
        default=3,
    ),
    PromptForm(
        "sentences",
        _HERE,
        "the goal in sentences (--goal-form sentences)",
        must=("sentences",),
        may=("notes",),
        default=3,
    ),
    PromptForm(
        "sentences-repair",
        _HERE,
        "the turn after sentences that were turned down",
        must=("feedback",),
        default=2,
    ),
)
