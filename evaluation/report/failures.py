"""The gold of a failed run's task, and the parts of it that do not hold at its end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...datasets.library import find_task
from ...datasets.task import Task
from ...domains.errors import InputError
from ..bench.comparison import gold_hash
from ..bench.results import Results, RunRow


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
    if task is None or task.house is not None:
        return ""
    answers = ", ".join(task.gold.answers)
    return task.gold.goal or (f"{task.gold.query} = {answers or 'nothing'}" if task.gold.query else "")


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
    chosen = row.record.get("subgraph")
    missing = [name for name in task.gold.answers if name not in (chosen if isinstance(chosen, list) else ())]
    enough = task.gold.any or len(task.gold.answers)
    left = len(task.gold.answers) - len(missing)
    return tuple(f"{name} was not handed on" for name in missing) if left < enough else ()
