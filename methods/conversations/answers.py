"""Answers of models that write plans: one JSON object each, bounded and checked, and the steps in it.

What a model writes is data. An answer that is no JSON object is an :class:`UnreadableAnswer`, which ends the
run of a method without a repair of its own; the parts of one that is are taken as far as they have the right
type, and what is missing is empty.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...domains.errors import InputError, clip
from ...domains.files import parse_json
from ...language.chat.thoughts import without_thought
from ...simulator.step import Step, read_step

MAX_ANSWER = 60_000
"""Most characters of an answer that is read."""
MAX_NAME = 300
"""Most characters of a name that are kept; no scene has a longer one."""
MAX_PLAN = 500
"""Most steps of a plan that a model writes; those of the published tasks have fewer than 100."""


class UnreadableAnswer(ValueError):
    """An answer that does not have the form that was asked for."""


class CutAnswer(ValueError):
    """An answer that the limit of its tokens ended: what it would have said is not known."""


def read_object(text: str) -> Mapping[str, object]:
    """Return the JSON object of an answer, words around it or not. Raises :class:`UnreadableAnswer`."""
    if len(text) > MAX_ANSWER:
        raise UnreadableAnswer(f"the answer has {len(text)} characters, and at most {MAX_ANSWER} are read")
    body = without_thought(text)
    start, end = body.find("{"), body.rfind("}")
    if not 0 <= start < end:
        raise UnreadableAnswer(f"the answer has no JSON object: {clip(body)}")
    try:
        raw = parse_json(body[start : end + 1], "answer")
    except InputError as error:
        raise UnreadableAnswer(str(error)) from error
    if not isinstance(raw, dict):
        raise UnreadableAnswer(f"the answer is no JSON object: {clip(body)}")
    return raw


def said(value: object) -> str:
    """Return what a model wrote under a key as text: a sentence, or a list of them joined."""
    if isinstance(value, list):
        return " ".join(v for v in value if isinstance(v, str))
    return value if isinstance(value, str) else ""


def listed(value: object) -> tuple[str, ...]:
    """Return the texts of a plan as a model wrote them; none where it is no list of texts."""
    if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
        return ()
    return tuple(value)


def read_plan(texts: Sequence[str]) -> tuple[Step, ...]:
    """Return the steps of a plan. Raises :class:`InputError` for too many, and for one that is no step."""
    if len(texts) > MAX_PLAN:
        raise InputError("plan", f"at most {MAX_PLAN} steps", str(len(texts)))
    return tuple(read_step(text, f"step {index}") for index, text in enumerate(texts, 1))


@dataclass(frozen=True, slots=True)
class GraphCommand:
    """An answer in SayPlan's form (appendix J): the mode, the command, and a plan where there is one."""

    mode: str
    name: str
    node: str
    plan: tuple[str, ...]
    thought: str


def read_command(text: str) -> GraphCommand:
    """Read an answer in SayPlan's form; ``mode`` may be left out. Raises :class:`UnreadableAnswer`."""
    raw = read_object(text)
    command = raw.get("command")
    if not isinstance(command, dict):
        command = raw if "plan" in raw or "command_name" in raw else {}
    name, node, mode = (command.get("command_name"), command.get("node_name"), raw.get("mode"))
    thought = " ".join(filter(None, (said(raw.get("chain_of_thought")), said(raw.get("reasoning")))))
    return GraphCommand(
        mode if isinstance(mode, str) else "",
        name if isinstance(name, str) else "",
        node[:MAX_NAME] if isinstance(node, str) else "",
        listed(command.get("plan")),
        thought[:2000],
    )


TEXT: Mapping[str, object] = {"type": "string"}
TEXTS: Mapping[str, object] = {"type": "array", "items": {"type": "string"}}
THOUGHTS: Mapping[str, object] = {**TEXTS, "maxItems": 6}
"""Thoughts before an answer. Without a bound a small model writes thoughts until its tokens are spent."""
