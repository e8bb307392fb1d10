"""A failed run as a part of a page: its instruction, search, goals with feedback, plan and reasons.

The texts are of models, scenes and files: escaped, and cut off where they are long.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..bench.results import RunRow
from .escaping import as_html
from .search_tree import TreeNode

MAX_LINES = 200
"""Most steps of a search or plan, and nodes of a tree, that are printed."""


def run_section(row: RunRow, name: str, tree: Sequence[TreeNode]) -> Iterable[str]:
    """Yield the lines of a run; ``name`` is what links call it."""
    record = row.record
    yield f'<details class="run" id="{as_html(name)}"><summary>{as_html(row.task)}: <b>{as_html(row.outcome)}'
    yield f"</b> <small>{as_html(_spent(row))}</small></summary>"
    yield f"<blockquote>{as_html(record.get('instruction'))}</blockquote>"
    yield from _list("Reasons", row.reasons)
    yield from _moves(_objects(record.get("trace")))
    if tree:
        yield "<h4>Search tree</h4>"
        yield from _tree(tree, [MAX_LINES])
    for number, goal in enumerate(_objects(record.get("goals")), 1):
        yield f"<h4>Goal {number}</h4><pre>{as_html(goal.get('goal'))}</pre>"
        yield from _list("Feedback", _texts(goal.get("feedback")))
    for number, attempt in enumerate(_objects(record.get("attempts")), 1):
        yield f"<h4>Plan {number}, as written</h4><pre>{as_html(attempt.get('text'))}</pre>"
        yield from _list("Feedback", _texts(attempt.get("feedback")))
    yield from _list("Plan", _texts(record.get("plan")))
    yield from _list(
        "Refused by the simulator", (each.get("message") for each in _objects(record.get("violations")))
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


def _moves(trace: Sequence[Mapping[str, Any]]) -> Iterable[str]:
    """Yield the moves of a search as a table."""
    if not trace:
        return
    yield f"<details><summary>Moves of the search ({len(trace)})</summary><table>"
    yield "<tr><th></th><th>move</th><th>node</th><th>tokens</th><th>thought</th></tr>"
    for number, step in enumerate(trace[:MAX_LINES], 1):
        cells = (number, step.get("command"), step.get("node"), step.get("tokens") or "", step.get("thought"))
        yield "<tr>" + "".join(f"<td>{as_html(cell)}</td>" for cell in cells) + "</tr>"
    yield "</table>"
    if len(trace) > MAX_LINES:
        yield f"<p>... and {len(trace) - MAX_LINES} more</p>"
    yield "</details>"


def _tree(nodes: Sequence[TreeNode], left: list[int]) -> Iterable[str]:
    """Yield nodes as nested lists, as long as there is something in ``left``."""
    yield '<ul class="tree">'
    for node in nodes:
        left[0] -= 1
        if left[0] < 0:
            yield "<li>...</li>"
            break
        name = f"<b>{as_html(node.id)}</b>" if node.chosen else as_html(node.id)
        moves = ", ".join(f"{number} {as_html(command)}" for number, command in node.moves)
        others = f"{node.others} more shown" if node.others else ""
        words = "; ".join(filter(None, (moves, others)))
        yield f"<li>{name}" + (f" <small>({words})</small>" if words else "")
        if node.children:
            yield from _tree(node.children, left)
        yield "</li>"
    yield "</ul>"


def _list(title: str, items: Iterable[object]) -> Iterable[str]:
    lines = list(items)
    if not lines:
        return
    left = len(lines) - MAX_LINES
    more = [f"... and {left} more"] if left > 0 else []
    yield f"<h4>{as_html(title)}</h4><pre>" + "\n".join(map(as_html, [*lines[:MAX_LINES], *more])) + "</pre>"


def _objects(value: object) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _texts(value: object) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []
