"""Pages of the runs of a comparison: the scene and the pack of a row are found by the hashes in its record.

What a run was given is not in its row. Its task names the scene, and the manifest or one of the packs that
come along has the pack; where neither is the one of the hashes, the row has no page.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..datasets.library import find_task
from ..domains.errors import GroundplanError, InputError, did_you_mean
from ..domains.pack import Pack, load_pack
from ..evaluation.bench.results import Results, RunRow
from ..simulator.belief import Belief, ground
from .output.folder import check_folder, write_folder
from .pictures.page import page_of

PACKS = ("household", "household-locks", "household-shut", "grasif", "grasif-looking", "search")
"""The packs that come along."""
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


def page_of_row(row: RunRow, belief: Belief) -> str:
    """Return the page of a run, with the truth of its task's gold, where the task is known here."""
    judged: dict[str, object] = {"key": row.key, **row.measures, "reasons": list(row.reasons)}
    goal = ""
    with suppress(InputError):
        gold = find_task(row.task).gold
        goal = gold.goal
        judged |= {"gold query": gold.query, "gold answers": list(gold.answers)} if gold.query else {}
    return page_of(record_of_row(row), belief, gold=goal, judged=judged)


def belief_of_row(row: RunRow, manifest: Mapping[str, Any]) -> Belief | None:
    """Return the scene of a run's task under the pack of its record or the manifest; ``None`` for another."""
    hashes, packs = row.record.get("hashes"), manifest.get("pack")
    pack_hash = hashes.get("pack_before") if isinstance(hashes, dict) else None
    pack_hash = pack_hash or (packs.get("hash") if isinstance(packs, dict) else None)
    task = manifest["tasks"].get(row.task)
    try:
        scene, pack = find_task(row.task).load(), _pack(pack_hash, manifest)
        if pack is None or not isinstance(task, dict) or task.get("scene") != scene.hash:
            return None
        return ground(scene, pack)
    except GroundplanError:
        return None


def _pack(pack_hash: object, manifest: Mapping[str, Any]) -> Pack | None:
    listed = manifest.get("pack")
    named = listed.get("name") if isinstance(listed, dict) else None
    for name in dict.fromkeys((named, *PACKS)):
        for variant in (None, "one-handed"):
            pack = _loaded(name, variant)
            if pack is not None and pack.hash == pack_hash:
                return pack
    return None


def _loaded(name: object, variant: str | None) -> Pack | None:
    try:
        return load_pack(str(name), variant)
    except GroundplanError:
        return None


def write_pages(
    rows: Sequence[RunRow], manifest: Mapping[str, Any], folder: Path, force: bool
) -> dict[str, str]:
    """Write a page for each of some runs into a folder; return their file names by the keys of the rows."""
    names: dict[str, str] = {}
    pages: dict[str, str] = {}
    for row in rows:
        belief = belief_of_row(row, manifest) if len(pages) < MOST_PAGES else None
        if belief is not None:
            names[row.key] = f"run-{len(pages) + 1}.html"
            pages[names[row.key]] = page_of_row(row, belief)
    write_folder(folder, pages, force, own=_own(folder))
    return names


def check_pages(folder: Path, force: bool) -> None:
    """Check that pages can be written, before any work. Raises :class:`InputError`."""
    check_folder(folder, force, own=_own(folder))


def _own(folder: Path) -> list[str]:
    """Return the names of pages of an earlier report."""
    names = sorted(os.listdir(folder)) if folder.is_dir() else []
    return [name for name in names if re.fullmatch(r"run-\d+\.html", name)]
