"""Results of several folders as one, where their runs can stand beside each other.

Folders can be joined that have the same tasks, scenes and golds, the same pack, repeats and limits of
planning, and that the same state of the program judged. Each then adds its systems: methods, readers and
engines.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...domains.errors import InputError
from .comparison import family_of
from .results import Results, RunRow, System, in_order, load_results, readers_of, systems_of
from .runner import BESIDE, COMMANDS, GROWING, OF_PROGRAM, PROGRAMS, in_their_order, other_differences

SINGLE_READER = ("reader", "settings")
"""Keys of older manifests, which have one reader."""


class UnlikeFolders(InputError):
    """Folders that cannot stand as one comparison."""


def load_joined(folders: Sequence[Path], changed_program: bool = False) -> Results:
    """Read folders of results as one comparison, in the order given; a single one as it is.

    With ``changed_program`` folders that different states of the program made may be joined. A run that is in
    two folders must have the same outcome and measures in both. Raises :class:`UnlikeFolders` naming what
    differs, and :class:`InputError` for a folder without results.
    """
    first, *others = (load_results(folder) for folder in folders)
    if not others:
        return first
    ignored = {*BESIDE, *SINGLE_READER, *(OF_PROGRAM if changed_program else ())}
    rows = {_run(row): row for row in first.rows}
    for folder, part in zip(folders[1:], others, strict=True):
        if differing := other_differences(first.manifest, part.manifest, ignored):
            hint = "folders are joined that have the same tasks, scenes, golds, pack, limits and judge"
            if all(difference.startswith(OF_PROGRAM) for difference in differing):
                hint = "--changed-program joins them, and the report says so"
            raise UnlikeFolders(str(folder), f"what {folders[0]} has", "; ".join(differing[:5]), hint)
        for row in part.rows:
            mine = rows.setdefault(_run(row), row)
            if (mine.outcome, mine.measures) != (row.outcome, row.measures):
                raise UnlikeFolders(
                    f"{folder}: {row.key}", f"the outcome and measures of {folders[0]}", row.outcome
                )
    manifest = _joined([first.manifest, *(part.manifest for part in others)])
    return Results(manifest, in_order(manifest, list(rows.values())))


def _run(row: RunRow) -> tuple[System, str, int]:
    """Return what tells runs apart; keys of older rows have no reader."""
    return row.system, row.task, row.repeat


def _joined(manifests: Sequence[Any]) -> dict[str, Any]:
    """Return the manifest of the systems of several."""
    joined = {key: value for key, value in manifests[0].items() if key not in (*SINGLE_READER, COMMANDS)}
    for key in GROWING:
        parts = (readers_of(each) if key == "readers" else each[key] for each in manifests)
        joined[key] = {name: value for part in parts for name, value in part.items()}
    systems = in_their_order(joined, (system for each in manifests for system in systems_of(each)))
    programs = dict.fromkeys(p for each in manifests for p in each.get(PROGRAMS, [each.get("program")]))
    if len(programs) > 1:
        joined[PROGRAMS] = list(programs)
    runs = len(systems) * len(joined["tasks"]) * int(joined.get("repeats", 1))
    family = family_of(list(joined["methods"]))
    return joined | {"systems": systems, "family": family, "runs": runs}
