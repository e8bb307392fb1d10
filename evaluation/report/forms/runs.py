"""A failed run as a part of a page: its instruction, search as a tree, goals with feedback, plan and reasons.

The texts are of models, scenes and files: escaped, and cut off where they are long. The places of nodes in
the tree are those of the task's scene, where this installation has it; otherwise the moves alone are known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ....datasets.library import find_task
from ....datasets.task import Task
from ....domains.errors import InputError
from ....simulator.scene import Scene
from ...bench.results import RunRow
from ..failures import failed_parts, gold_text, instruction_of, objects, why_failed
from .escaping import as_html

MAX_LINES = 200
"""Most steps of a search or plan, and nodes of a tree, that are printed."""


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A node of the scene with the moves of the search that were about it, counted from 1.

    ``chosen`` is true for what the search handed on; ``others`` counts what it showed below and did not.
    """

    id: str
    moves: tuple[tuple[int, str], ...] = ()
    chosen: bool = False
    others: int = 0
    children: tuple[TreeNode, ...] = ()


def scene_of(task: str, hashes: Mapping[str, str]) -> Scene | None:
    """Return the scene of a task, where this installation has the one of the manifest, by its hash."""
    try:
        scene = find_task(task).load()
    except InputError:
        return None
    return scene if hashes.get(task) == scene.hash else None


def search_tree(row: RunRow, scene: Scene) -> tuple[TreeNode, ...]:
    """Return the tree of a search, from the nodes without parents down; nothing where nothing was searched.

    It has what was opened or closed, what was chosen, and all that is above these.
    """
    record = row.record
    moves: dict[str, list[tuple[int, str]]] = {}
    trace = record.get("trace")
    for number, step in enumerate(trace if isinstance(trace, list) else (), 1):
        if isinstance(step, dict) and str(step.get("node")) in scene.nodes:
            moves.setdefault(str(step["node"]), []).append((number, str(step.get("command", ""))))
    chosen = {name for name in _texts(record.get("subgraph")) if name in scene.nodes}
    shown = {name for name in _texts(record.get("shown")) if name in scene.nodes}
    drawn = set(moves) | chosen if moves else set()
    drawn |= {above for name in drawn for above in scene.ancestors(name)}

    def node(name: str) -> TreeNode:
        children = scene.children.get(name, ())
        below = tuple(node(child) for child in children if child in drawn)
        others = sum(child in shown for child in children if child not in drawn)
        return TreeNode(name, tuple(moves.get(name, ())), name in chosen, others, below)

    return tuple(node(name) for name in scene.nodes if name in drawn and scene.nodes[name].parent is None)


def run_section(
    row: RunRow, name: str, tree: Sequence[TreeNode], task: Task | None = None, page: str | None = None
) -> Iterable[str]:
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
    yield from _moves(objects(record.get("trace")))
    if tree:
        yield "<h4>Search tree</h4>"
        yield from _tree(tree, [MAX_LINES])
    for number, goal in enumerate(objects(record.get("goals")), 1):
        yield f"<h4>Goal {number}</h4><pre>{as_html(goal.get('goal'))}</pre>"
        yield from _list("Feedback", _texts(goal.get("feedback")))
    for number, attempt in enumerate(objects(record.get("attempts")), 1):
        yield f"<h4>Plan {number}, as written</h4><pre>{as_html(attempt.get('text'))}</pre>"
        yield from _list("Feedback", _texts(attempt.get("feedback")))
    yield from _list("Plan", _texts(record.get("plan")))
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


def _texts(value: object) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []
