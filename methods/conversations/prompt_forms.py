"""The prompts of the baselines: what each is for, and what its text may hold."""

from __future__ import annotations

from collections.abc import Mapping

from ...language.chat.prompt_form import PromptForm

_HERE = __package__ or ""
_GRAPH = "3D scene graph"

CONVERSATION_PROMPTS: tuple[PromptForm, ...] = (
    PromptForm(
        "sayplan",
        _HERE,
        "sayplan, llm-as-planner and llm+p-sayplan, both stages",
        fields=("instruction", _GRAPH, "feedback"),
        optional=("memory", "mode", "navigation"),
    ),
    PromptForm(
        "sayplan-star",
        _HERE,
        "sayplan-star, both stages",
        fields=("instruction", _GRAPH, "feedback"),
        optional=("memory", "mode"),
    ),
    PromptForm(
        "sayplan-lite-search",
        _HERE,
        "sayplan-lite, the search",
        fields=("instruction", _GRAPH, "feedback"),
        optional=("memory",),
    ),
    PromptForm(
        "sayplan-lite-plan",
        _HERE,
        "sayplan-lite, the plan",
        fields=("instruction", "memory graph", "feedback"),
    ),
    PromptForm(
        "llm-p",
        _HERE,
        "llm+p: the example is a scene, a task and its problem",
        fields=("domain", "scene", "task"),
        optional=("example scene", "example task", "example problem"),
    ),
    PromptForm(
        "delta",
        _HERE,
        "delta and delta-given: a section for each stage, which its data follow; the text before them first",
        sections=("domain", "given", "prune", "problem", "subgoals"),
    ),
    PromptForm(
        "subgoals",
        _HERE,
        "subgoals: listing and task follow in a message of their own",
        must=("sentences",),
        may=("notes",),
    ),
    PromptForm(
        "lookplangraph",
        _HERE,
        "lookplangraph, each move",
        fields=("instruction", "memory graph", "feedback"),
    ),
    PromptForm(
        "declining",
        _HERE,
        "what those of the baselines above tell of tasks that have no plan, after their first paragraph",
        sections=("command", "plan", "move", "text"),
        default=0,
    ),
)

DECLINED_BY: Mapping[str, str] = {
    "sayplan": "command",
    "sayplan-star": "command",
    "sayplan-lite-search": "command",
    "sayplan-lite-plan": "plan",
    "llm-p": "text",
    "delta": "text",
    "subgoals": "text",
    "lookplangraph": "move",
}
"""The section of the prompt ``declining`` that each of them tells of."""

BY_NAME: Mapping[str, PromptForm] = {form.name: form for form in CONVERSATION_PROMPTS}


def sections(text: str) -> Mapping[str, str]:
    """Return the parts of a prompt with several stages: each by its heading, the first by none."""
    first, *others = text.split("\n## ")
    parts = (part.partition("\n") for part in others)
    return {"": first.strip(), **{head.strip(): body.strip() for head, _, body in parts}}
