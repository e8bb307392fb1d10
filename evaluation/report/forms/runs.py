"""A failed run as a part of a page: its instruction, gold, goals with feedback, plan and reasons.

The texts are of models, scenes and files: escaped, and cut off where they are long.
"""

from __future__ import annotations

from collections.abc import Iterable

from ....datasets.task import Task
from ....domains.files import items, objects
from ...bench.results import RunRow
from ..failures import failed_parts, gold_text, instruction_of, why_failed
from .escaping import as_html

MAX_LINES = 200
"""Most lines of a list that are printed."""


def run_section(row: RunRow, name: str, task: Task | None = None, page: str | None = None) -> Iterable[str]:
    """Yield the lines of a run; ``name`` is what links call it, and ``page`` the address of a page of it.

    ``task`` is its task where it is known.
    """
    record = row.record
    yield f'<details class="run" id="{as_html(name)}"><summary>{as_html(row.task)}: <b>{as_html(row.outcome)}'
    yield f"</b> <small>{as_html(_spent(row))}</small></summary>"
    yield f"<blockquote>{as_html(instruction_of(row, task))}</blockquote>"
    if page is not None:
        yield f'<p><a href="{as_html(page)}">The run step by step</a></p>'
    yield from _list("Gold", filter(None, [gold_text(task)]))
    yield from _list("Unmet parts of the gold", failed_parts(row, task))
    yield from _list("Why it failed", why_failed(row, task))
    yield from _list("Reasons", row.reasons)
    for number, goal in enumerate(objects(record.get("goals")), 1):
        yield f"<h4>Goal {number}</h4><pre>{as_html(goal.get('goal'))}</pre>"
        yield from _list("Feedback", items(goal.get("feedback")))
    for number, attempt in enumerate(objects(record.get("attempts")), 1):
        yield f"<h4>Plan {number}, as written</h4><pre>{as_html(attempt.get('text'))}</pre>"
        yield from _list("Feedback", items(attempt.get("feedback")))
    yield from _list("Plan", items(record.get("plan")))
    yield from _list(
        "Refused by the simulator", (each.get("message") for each in objects(record.get("violations")))
    )
    yield from _list("Names that do not exist", row.invented)
    yield "</details>"


def _spent(row: RunRow) -> str:
    """Return repeat, calls and tokens of a run in words."""
    calls = row.tokens.get("calls")
    parts = [f"repeat {row.repeat}"] if row.repeat > 1 else []
    if isinstance(calls, int) and calls:
        parts.append(f"{calls} calls, {row.total_tokens} tokens")
    return "; ".join(parts)


def _list(title: str, items: Iterable[object]) -> Iterable[str]:
    lines = list(items)
    if not lines:
        return
    left = len(lines) - MAX_LINES
    more = [f"... and {left} more"] if left > 0 else []
    yield f"<h4>{as_html(title)}</h4><pre>" + "\n".join(map(as_html, [*lines[:MAX_LINES], *more])) + "</pre>"
