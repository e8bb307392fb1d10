"""Reasons of a failed run: the gold of its task, what of it does not hold at the end, its errors in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ...datasets.library import find_task
from ...datasets.task import Task
from ...domains.errors import InputError, counted
from ...domains.files import items, mapping, objects, texts
from ..bench.comparison import gold_hash
from ..bench.results import Results, RunRow
from ..plan_errors import ErrorKind
from ..searching import OPENING


def tasks_of(results: Results, rows: Iterable[RunRow]) -> Mapping[str, Task]:
    """Return the tasks of rows by id, where this installation has them with the gold of the manifest."""
    hashes = results.manifest["tasks"]
    tasks: dict[str, Task] = {}
    for name in dict.fromkeys(row.task for row in rows):
        described = hashes.get(name)
        try:
            task = find_task(name)
        except InputError:  # a task of a user, or of a set that is not prepared here or is sealed
            continue
        if isinstance(described, dict) and described.get("gold") == gold_hash(task):
            tasks[name] = task
    return tasks


def instruction_of(row: RunRow, task: Task | None) -> str:
    """Return the instruction of a run, from its record or its task."""
    return str(row.record.get("instruction") or (task.instruction if task is not None else ""))


def gold_text(task: Task | None) -> str:
    """Return the gold goal of a task, or its gold query with the answers; nothing where it is not known."""
    if task is None:
        return ""
    if task.house is not None:
        return f"find {', '.join(_called(task, target.id) for target in task.house.episode.targets)}"
    answers = ", ".join(task.gold.answers)
    return task.gold.goal or (f"{task.gold.query} = {answers or 'nothing'}" if task.gold.query else "")


ERRORS: Mapping[ErrorKind, str] = {
    "incomplete_search": "the search did not show what every plan for the gold needs",
    "hallucinated_nodes": "a step names what the scene does not have",
    "missing_pose": "a drive was left out",
    "missing_action": "an action was left out",
    "wrong_action": "an action is not what the gold needs",
}
"""The kinds of errors of a plan, in words."""
MOST_NAMES = 8
"""Most names of a list that a sentence gives."""


def why_failed(row: RunRow, task: Task | None) -> tuple[str, ...]:
    """Return sentences on why a run failed, beside the parts of a gold goal; none for a success."""
    if row.measures.get("success") is not False:
        return ()
    lines = list(_of_search(row, task) if row.kind == "search" else _of_plan(row))
    opened = [str(m.get("node")) for m in objects(row.record.get("trace")) if m.get("command") in OPENING]
    if repeated := len(opened) - len(set(opened)):
        lines.append(f"{counted(repeated, 'move')} opened again what was open")
    return tuple(lines)


def _of_search(row: RunRow, task: Task | None) -> Iterator[str]:
    chosen = texts(row.record.get("subgraph"))
    if task is not None and not row.measures.get("answered"):
        answers = task.gold.answers
        yield f"right is {_some(answers) if answers else 'that nothing fits'}; handed on was {_some(chosen)}"
    if chosen and set(chosen) == set(texts(row.record.get("shown"))):
        yield "the search named no answer: all that it had shown was handed on"
    match row.measures:
        case {"needed": int(needed), "opened": int(opened), "precision": float() | None as precision}:
            if (hits := round((precision or 0.0) * opened)) < needed:
                yield f"of {counted(needed, 'room')} that had to be looked into {hits} were opened"


def _of_plan(row: RunRow) -> Iterator[str]:
    kinds = items(row.measures.get("errors"))
    if row.outcome == "verified":
        yield "the plan reaches the goal that was written; that goal asks for something else than the gold"
    if mapping(row.measures.get("acting")).get("false_done"):
        yield "the robot said that it was done, and what was asked for did not hold"
    yield from (words for kind, words in ERRORS.items() if kind in kinds)
    plans = [one.get("steps") for one in objects(row.record.get("attempts"))]
    same = next((i for i, plan in enumerate(reversed(plans)) if plan != plans[-1]), len(plans))
    if same > 1:
        yield f"the last {same} plans that were written are the same"


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(names[:MOST_NAMES]) or "nothing"
    return shown if len(names) <= MOST_NAMES else f"{shown}, .. ({len(names)} in all)"


def failed_parts(row: RunRow, task: Task | None) -> tuple[str, ...]:
    """Return a sentence for each part of the gold that does not hold after a run.

    Of a plan those are in its measures, where the program that judged it kept them; of a search the answers
    that it did not hand on, if too few are left.
    """
    unmet = row.measures.get("unmet")
    if isinstance(unmet, list | tuple):
        return tuple(map(str, unmet))
    if row.kind != "search" or task is None:
        return ()
    chosen = items(row.record.get("subgraph"))
    missing = [name for name in task.gold.answers if name not in chosen]
    enough = task.gold.any or len(task.gold.answers)
    left = len(task.gold.answers) - len(missing)
    return tuple(f"{_called(task, name)} was not handed on" for name in missing) if left < enough else ()


def _called(task: Task, answer: str) -> str:
    """Return an answer, with its type where it is a thing in a house that nobody knows."""
    targets = task.house.episode.targets if task.house is not None else ()
    return next((f"{one.kind} ({answer})" for one in targets if one.id == answer), answer)
