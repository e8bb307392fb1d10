"""The runner: runs what a folder of results does not have yet, and keeps each row as soon as there is one.

A folder holds the manifest, written first, and the rows. Running the same comparison again with the same
folder goes on where it ended, however it ended. With further methods, readers or engines the comparison
grows by these. With any other comparison the folder is refused, and says what differs. So nothing is lost,
and nothing counted twice.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...domains.errors import InputError, clip
from ...domains.storage.likeness import refuse_irreplaceable
from ...domains.storage.own_file import replace_whole
from ...domains.storage.temporary import is_temporary
from ..journal import Journal
from .comparison import Comparison, differences, family_of
from .kept_tasks import keep_tasks
from .processes import Executor, Inline
from .results import MANIFEST, ROW_BEGINS, ROWS, Results, RunRow, load_results, read_manifest, run_key
from .trial import CellRunner, ToolMaker

MACHINES = "machines"
PROGRAMS = "programs"
"""Keys of the manifest that do not decide results: the machines that ran it, and the hashes of the program
where it was changed in between."""
COMMANDS = "commands"
"""Key of the manifest for the options by which its runs were asked for, a list for each time it grew."""
BESIDE = (MACHINES, PROGRAMS, COMMANDS)
OF_PROGRAM = ("version", "program")
GROWING = ("methods", "readers", "engines")
"""Keys of the manifest by whose entries a comparison may grow."""
OF_SYSTEMS = (*GROWING, "systems", "family", "runs")
"""Keys that follow from the systems."""


@dataclass(frozen=True, slots=True)
class Progress:
    """State of a comparison: runs that have ended, all runs, the last row, and the seconds left, estimated.

    ``row`` is ``None`` at the beginning, ``seconds_left`` as long as there is nothing to estimate from.
    """

    done: int
    total: int
    row: RunRow | None = None
    seconds_left: float | None = None


def run_comparison(
    comparison: Comparison,
    make_tools: ToolMaker,
    folder: Path,
    executor: Executor | None = None,
    listen: Callable[[Progress], None] = lambda progress: None,
    redact: Callable[[str], str] = str,
    changed_program: bool = False,
    options: Sequence[str] = (),
) -> Results:
    """Run what a folder lacks of a comparison, and return all results.

    ``executor`` runs the cells, in this process where none is given; ``redact`` takes secrets out of every
    text before it is kept. With ``changed_program`` it goes on where another state of the program began, and
    the manifest has both hashes. ``options`` are kept there, for whoever makes it again. The folder is made
    where there is none. Raises :class:`InputError` for a folder of another comparison, or one that another
    process writes to, and for tasks or tools at fault; ``OSError`` where a row cannot be kept: the rows
    before it are.
    """
    check_place(folder)
    executor = executor or Inline()
    trial = CellRunner(comparison, make_tools)
    with ExitStack() as running:
        for task in comparison.tasks:
            trial.check(task.id)
        manifest = comparison.manifest()
        folder.mkdir(parents=True, exist_ok=True)
        journal = running.enter_context(Journal(folder / ROWS, run_key, ROW_BEGINS, redact))
        _keep_manifest(manifest, folder, not journal.empty, executor.machines(), changed_program, options)
        keep_tasks(comparison.tasks, folder)
        left = [cell for cell in comparison.cells if cell.key not in journal]
        there = len(comparison.cells) - len(left)
        listen(Progress(there, len(comparison.cells)))
        started = time.monotonic()
        # Rows are on the disk and nowhere else, so that thousands of runs take no more memory than a few.
        for made, row in enumerate(executor.rows(trial, left), 1):
            journal.append(row.as_json())
            # Runs are task by task, so those that are left are of the same systems as those that were made.
            seconds = (time.monotonic() - started) / made * (len(left) - made)
            listen(Progress(there + made, len(comparison.cells), row, seconds))
    return load_results(folder)


def check_place(folder: Path) -> None:
    """Refuse a folder for results that has other files and no comparison. Raises :class:`InputError`."""
    if not folder.is_dir() or read_manifest(folder) is not None:
        return
    others = sorted(p.name for p in folder.iterdir() if not is_temporary(p.name) and not _is_empty_rows(p))
    if others:
        got = f"one with {clip(others[0])} and no {MANIFEST}"
        raise InputError(str(folder), "a new folder, or one of a comparison", got, "give another folder")


def _is_empty_rows(path: Path) -> bool:
    """Return whether a kill left a file of rows before it had a row, or a manifest beside it."""
    return path.name == ROWS and path.is_file() and path.lstat().st_size == 0


def _keep_manifest(
    manifest: Mapping[str, object],
    folder: Path,
    begun: bool,
    machines: Sequence[Mapping[str, object]],
    changed_program: bool,
    options: Sequence[str],
) -> None:
    """Write the manifest, or compare it with the one that is there.

    Raises :class:`InputError` with the first differences.
    """
    refuse_irreplaceable(folder / MANIFEST)
    there, now = read_manifest(folder), json.loads(json.dumps(manifest))
    complete: dict[str, Any] = dict(now) | ({COMMANDS: [list(options)]} if options else {})
    if there is None or not begun:  # without a row nothing rests on a manifest
        if begun:
            raise InputError(str(folder), f"a {MANIFEST} beside the rows", "none", "give another folder")
        complete[MACHINES] = list(machines)
    else:
        ignored = {*BESIDE, *(OF_PROGRAM if changed_program else ())}
        if differing := other_differences(there, now, ignored):
            program = all(difference.startswith(OF_PROGRAM) for difference in differing)
            hint = "give another folder, or the options of the first time"
            if program:
                hint = "give another folder, or --changed-program to go on and have the report say so"
            raise InputError(
                str(folder), "the results of the same comparison", "; ".join(differing[:5]), hint
            )
        programs = _with(there.get(PROGRAMS, [there.get("program")]), [now["program"]])
        commands = _with(there.get(COMMANDS), [list(options)] if options else [])
        complete = {**there, **_grown(there, now), MACHINES: _with(there.get(MACHINES), machines)}
        complete |= {COMMANDS: commands} if commands else {}
        if len(programs) > 1:
            complete[PROGRAMS] = programs
        if complete == there:
            return
    replace_whole(folder / MANIFEST, json.dumps(complete, indent=2, ensure_ascii=True) + "\n")


def other_differences(there: Mapping[str, Any], now: Mapping[str, Any], ignored: Container[str]) -> list[str]:
    """Say where two manifests differ, but for the systems that only one has and for ignored keys."""
    one, other = (
        {key: value for key, value in each.items() if key not in ignored and key not in OF_SYSTEMS}
        for each in (there, now)
    )
    both = ((key, name) for key in GROWING for name in now.get(key, {}) if name in there.get(key, {}))
    changed = (differences(there[key][name], now[key][name], f"{key}.{name}") for key, name in both)
    return [*differences(one, other, ""), *(difference for part in changed for difference in part)]


def _grown(there: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys of a manifest that systems decide, with those of both manifests.

    They are in the order that one comparison of all would have, so that a folder that grew is like that.
    """
    grown: dict[str, Any] = {}
    for key in GROWING:
        old, new = there.get(key, {}), now[key]
        grown[key] = new if old.keys() <= new.keys() else old | new
    systems = in_their_order(grown, [*there.get("systems", []), *now["systems"]])
    runs = len(systems) * len(now["tasks"]) * now["repeats"]
    return grown | {"systems": systems, "family": family_of(list(grown["methods"])), "runs": runs}


def in_their_order(manifest: Mapping[str, Any], systems: Iterable[Sequence[str]]) -> list[list[str]]:
    """Return systems, each once, in the order of a comparison: by method, by reader, and by engine."""
    places = [{name: i for i, name in enumerate(manifest[key])} for key in GROWING]

    def place(system: Sequence[str]) -> list[int]:
        return [order.get(name, len(order)) for order, name in zip(places, system, strict=True)]

    return sorted(map(list, dict.fromkeys(map(tuple, systems))), key=place)


def _with(listed: object, more: Sequence[object]) -> list[object]:
    """Return a list of a manifest with further values in it, each one once."""
    values = list(listed) if isinstance(listed, list) else []
    return [*values, *(value for value in more if value not in values)]
