"""Pages of the runs of a comparison: the scene and the pack of a row are found by the hashes in its record.

What a run was given is not in its row. Its task names the scene: one that comes along, or that the folder of
the comparison has kept. A run in another state of its scene has no page. One in another state of its pack is
played under the present one, and its page says so.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..datasets.library import find_task
from ..datasets.task import Task
from ..domains.errors import InputError, clip, did_you_mean
from ..domains.files import mapping
from ..domains.pack import Pack, load_pack
from ..evaluation.bench.results import Results, RunRow
from ..evaluation.report.failures import why_failed
from ..simulator.belief import Belief, ground
from .output.folder import check_folder, write_folder
from .pictures.page import page_of

TOKENS = ("calls", "prompt", "completion")
"""Numbers of a run's tokens that its page has."""
MOST_PAGES = 500
"""Most pages that a report is given, those of the first runs that it lists."""


def row_named(results: Results, key: str) -> RunRow:
    """Return the row of a key. Raises :class:`InputError` with the nearest ones."""
    rows = {row.key: row for row in results.rows}
    if key not in rows:
        hint = did_you_mean(key, rows) or "the column run of `report --format runs-csv` has them"
        raise InputError("--row", "the key of a run", key, hint)
    return rows[key]


def record_of_row(row: RunRow) -> Mapping[str, object]:
    """Return the record of a run, with the outcome and the reasons of its row."""
    return dict(row.record) | {"outcome": row.outcome, "reasons": list(row.reasons)}


@dataclass(frozen=True)
class RunWorld:
    """The scene of a run under its pack, and its task, where that is known here.

    ``note`` says what is otherwise than it was.
    """

    belief: Belief
    task: Task | None = None
    note: str = ""

    def page(self, row: RunRow) -> str:
        """Return the page of a run, with the truth of its task's gold, where the task is known."""
        judged: dict[str, object] = {"key": row.key, **row.measures, "reasons": list(row.reasons)}
        judged |= (
            {"tokens": tokens} if (tokens := {k: row.tokens[k] for k in TOKENS if row.tokens.get(k)}) else {}
        )
        judged |= {"note": self.note} if self.note else {}
        judged |= {"why": list(why)} if (why := why_failed(row, self.task)) else {}
        goal = ""
        if self.task is not None:
            gold = self.task.gold
            goal = gold.goal
            judged |= {"gold query": gold.query, "gold answers": list(gold.answers)} if gold.query else {}
        return page_of(record_of_row(row), self.belief, gold=goal, judged=judged)


def world_of_row(
    row: RunRow, manifest: Mapping[str, Any], own: Mapping[str, Task], given: Belief | None = None
) -> RunWorld:
    """Return what a run was given; ``own`` are the tasks that its folder has kept.

    A scene and a pack that are ``given`` go before those of its task. Where the pack of its record is not
    here, the present one of that name is taken, and the note says so. Raises :class:`InputError` where task
    or scene are not here as they were.
    """
    task = own.get(row.task)
    if task is None:
        with suppress(InputError):
            task = find_task(row.task)
    wanted = mapping(manifest["tasks"].get(row.task)).get("scene")
    if given is not None:
        belief, note = given, _other_pack(given.pack, row, manifest)
    elif task is None:
        raise InputError(f"run {clip(row.key)}", "a task that is here", clip(row.task), "name its --scene")
    else:
        listed = mapping(manifest.get("pack"))
        pack = load_pack(str(listed.get("name")), "one-handed" if listed.get("one_handed") is True else None)
        belief, note = ground(task.load(), pack), _other_pack(pack, row, manifest)
    if wanted is not None and belief.scene.hash != wanted:
        raise InputError(
            f"run {clip(row.key)}", "the scene of the run", "another one, or another state of it"
        )
    return RunWorld(belief, task, note)


def _hash_of(row: RunRow, manifest: Mapping[str, Any]) -> object:
    """Return the hash of the pack of a run."""
    own = mapping(row.record.get("hashes")).get("pack_before")
    return own or mapping(manifest.get("pack")).get("hash")


def _other_pack(pack: Pack, row: RunRow, manifest: Mapping[str, Any]) -> str:
    """Say that a run had another pack, or another state of it; empty where it had this one."""
    if pack.hash == _hash_of(row, manifest):
        return ""
    return (
        f"the pack {pack.name} has changed since this run: its steps are played by the present one, in the "
        "same scene, and one may be refused here that was accepted then"
    )


def write_pages(
    rows: Sequence[RunRow], manifest: Mapping[str, Any], own: Mapping[str, Task], folder: Path, force: bool
) -> tuple[dict[str, str], Counter[str]]:
    """Write a page for each of some runs into a folder.

    Return their file names by the keys of the rows, and how many runs have none, by the reason.
    """
    names: dict[str, str] = {}
    pages: dict[str, str] = {}
    without: Counter[str] = Counter()
    for row in rows:
        if len(pages) == MOST_PAGES:
            without[f"a report has {MOST_PAGES} pages at most"] += 1
            continue
        try:
            page = world_of_row(row, manifest, own).page(row)
        except InputError as error:
            without[f"expected {error.expected}, got {error.got}"] += 1
            continue
        names[row.key] = f"run-{len(pages) + 1}.html"
        pages[names[row.key]] = page
    write_folder(folder, pages, force, own=_own(folder))
    return names, without


def check_pages(folder: Path, force: bool) -> None:
    """Check that pages can be written, before any work. Raises :class:`InputError`."""
    check_folder(folder, force, own=_own(folder))


def _own(folder: Path) -> list[str]:
    """Return the names of pages of an earlier report."""
    names = sorted(os.listdir(folder)) if folder.is_dir() else []
    return [name for name in names if re.fullmatch(r"run-\d+\.html", name)]
