"""A conversation with a model in the terminal: each call with its tokens, and what came of the answer.

Answers are a model's words: bounded here, and escaped by the screen. Layout and bounds may be changed; the
whole conversation is in the file that `plan --out` writes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from ...domains.errors import clip
from ...language.chat.servers.model import ChatRequest, Reply
from ...pipeline.events import MoveRefused, PlanJudged
from ...pipeline.record import Record
from .terminal import BAD, GOOD, NAME, QUIET, UNSURE, Screen, number_of

MAX_LINES = 24
"""Most lines of an answer that are shown."""
MAX_LINE = 400
"""Most characters of such a line."""


def tokens(prompt: int, completion: int) -> str:
    """Say what calls took."""
    return f"{prompt:,} tokens asked, {completion:,} answered"


def show_call(screen: Screen, number: int, request: ChatRequest, reply: Reply) -> None:
    """Print one call: what it was for, its tokens, and the answer."""
    purpose = f", {request.purpose}" if request.purpose else ""
    screen.heading(f"Call {number}{purpose}", tokens(reply.usage.prompt, reply.usage.completion))
    lines = list(answer_lines(reply.text))
    for key, words in lines[:MAX_LINES]:
        screen.line(clip(words, MAX_LINE), prefix=["  ", (key, QUIET)])
    if len(lines) > MAX_LINES:
        screen.line((f"and {number_of(len(lines) - MAX_LINES, 'line')} more", QUIET), prefix=["  "])
    if not lines:
        screen.line(("an empty answer", UNSURE), prefix=["  "])


def answer_lines(text: str) -> Iterator[tuple[str, str]]:
    """Yield the lines of an answer: each value of a JSON object after its key, any other text as it is."""
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError):
        raw = None
    if isinstance(raw, dict):
        yield from _values(raw)
    else:
        yield from (("", line.rstrip()) for line in text.splitlines() if line.strip())


def _values(raw: dict[str, object]) -> Iterator[tuple[str, str]]:
    for key, value in raw.items():
        if value in ("", [], {}, None):
            continue
        if isinstance(value, dict):
            yield from _values(value)
        elif isinstance(value, list):
            yield f"{key}: ", ", ".join(v if isinstance(v, str) else json.dumps(v) for v in value)
        else:
            yield f"{key}: ", value if isinstance(value, str) else json.dumps(value)


def show_judged(screen: Screen, plan: PlanJudged | MoveRefused) -> None:
    """Print what the simulator, or the search, says to a model's plan or command."""
    if isinstance(plan, MoveRefused):
        screen.line((clip(plan.reason, MAX_LINE), BAD), prefix=["  ", ("refused: ", UNSURE)])
        return
    for reason in plan.feedback:
        screen.line((clip(reason, MAX_LINE), BAD), prefix=["  ", ("simulator: ", UNSURE)])
    if not plan.feedback:
        accepted = f"accepts {number_of(len(plan.steps), 'step')}"
        screen.line((accepted, GOOD), prefix=["  ", ("simulator: ", QUIET)])


def show_by_model(screen: Screen, record: Record) -> str:
    """Print the plan that came of what a model wrote, or what its search showed, and return the last line.

    The plan stands as the simulator carried it out; nothing is called verified.
    """
    if record.outcome == "answered" and record.house:
        return f"answered: the search found {number_of(len(record.subgraph), 'thing')}"
    if record.outcome == "answered":
        screen.heading("Search", f"{number_of(len(record.opened), 'node')} opened")
        screen.line((", ".join(record.opened) or "none", NAME), prefix=["  ", "opened: "])
        if record.subgraph:
            screen.line(clip(", ".join(record.subgraph), 2 * MAX_LINE), prefix=["  ", "handed on: "])
        return f"answered: the search handed on {number_of(len(record.subgraph), 'node')}"
    steps = number_of(len(record.plan), "step")
    by = (
        f"by {record.engine} for what was written"
        if record.engine
        else f"by {record.reader or record.method}"
    )
    screen.heading("Plan", f"{steps}, {by}")
    wide = len(str(len(record.plan)))
    for number, step in enumerate(record.plan, 1):
        screen.line(str(step), prefix=["  ", (f"{number:>{wide}}", QUIET), "  "])
    return f"executable: the simulator accepts {steps}; there was no goal to check"
