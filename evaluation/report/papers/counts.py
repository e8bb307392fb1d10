"""Counts of scenes and tasks that papers print, made anew here: no run and no model is needed for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from ....datasets.library import load_set
from ....datasets.scenes import open_scene
from ....domains.errors import InputError
from ....language.chat.scene_tokens import TokenRow, reductions, scene_tokens
from ...golds.task_sizes import sizes_of
from ..tables import Value

Count = tuple[tuple[Value, ...], str]
"""The cells of a line, and what they were counted by, or what they need."""


@cache
def _tokens(scene: str) -> Mapping[str, TokenRow]:
    """Return the entities and tokens of a scene, by kind."""
    return {row.kind: row for row in scene_tokens(open_scene(scene))}


def entities_of_kind(scene_and_kind: str) -> Count:
    """Return how many entities of a kind a scene has, their tokens, and the tokens of one on average."""
    scene, _, kind = scene_and_kind.partition(" ")
    row = _tokens(scene)[kind]
    mean = round(row.compact / row.entities, 2)
    return (row.entities, row.compact, mean), f"groundplan scene tokens --scene {scene}"


def tokens_of_scene(name: str) -> Count:
    """Return the tokens of a scene, whole and collapsed, and the share saved, in per cent."""
    rows = _tokens(name)
    saved = round(100 * reductions(tuple(rows.values()))["collapsed"], 1)
    cells = (rows["full"].compact, rows["collapsed"].compact, saved, None)
    return cells, f"groundplan scene tokens --scene {name}"


@cache
def sizes_of_tasks(name: str) -> Count:
    """Return the number of tasks in a set, and means: rooms, nodes without poses, nodes that a task changes.

    Those that change are known of tasks that come with a plan or a goal graph.
    """
    try:
        tasks = load_set(name)
    except InputError as error:  # a set that nobody prepared
        return (None, None, None, None), f"not run: {error.hint}"
    made = sizes_of(tasks)
    return (made.tasks, made.rooms, made.nodes, made.changed), f"groundplan datasets describe {name}"


COUNTS: Mapping[str, Callable[[str], Count]] = {
    "tokens": tokens_of_scene,
    "entities": entities_of_kind,
    "sizes": sizes_of_tasks,
}
"""The counts by the names that ``published.toml`` has."""
