"""The prepared set ``multi-object-search``: its files, the episodes read back, and each as a search task.

A folder holds the houses as lines of their file (``houses.jsonl``, or packed by gzip) and the episodes
(``episodes.jsonl``).
Folders that users prepared before are read back: keep the names and the fields.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from ..domains.errors import InputError, clip
from ..domains.files import read_text
from ..simulator.navigation.grid import middle
from ..simulator.scene import Scene
from .episodes.episode import SET, HouseEpisode, SearchEpisode, draw_episodes, episode_from_json
from .episodes.houses import StoredHouse, houses_in, read_houses
from .formats.content import Content
from .formats.document import object_lines
from .formats.procthor.scene import house_scene
from .task import Gold, Task

HOUSES, EPISODES, LICENSE = "houses.jsonl", "episodes.jsonl", "LICENSE"
HOUSES_PACKED = "houses.jsonl.gz"
"""The houses of the folder that comes with the package."""
MAX_LICENSE = 1 << 20
"""Most bytes of a licence beside the houses."""


def prepare_procthor(source: Path) -> dict[str, str]:
    """Draw the episodes of a file or folder of ProcTHOR houses; the licence beside the houses is kept.

    Raises :class:`InputError`.
    """
    houses = read_houses(source)
    episodes = draw_episodes(houses)
    used = {episode.house for episode in episodes}
    files = {
        HOUSES: "".join(f"{house.line}\n" for house in houses if house.id in used),
        EPISODES: "".join(f"{json.dumps(e.as_json(), ensure_ascii=True)}\n" for e in episodes),
    }
    beside = (source if source.is_dir() else source.parent) / LICENSE
    return files | ({LICENSE: read_text(beside, MAX_LICENSE)} if beside.is_file() else {})


def episode_tasks(folder: Path) -> tuple[Task, ...]:
    """Return the episodes of a folder as search tasks over the whole scene. Raises :class:`InputError`."""
    packed = folder / HOUSES_PACKED
    file = packed if packed.is_file() else folder / HOUSES
    houses = {house.id: house for house in houses_in(Content(file).text, str(file))}
    tasks = []
    for at, line in object_lines(Content(folder / EPISODES)):
        episode = episode_from_json(line, at)
        if episode.house not in houses:
            raise InputError(clip(episode.id), f"a house in {HOUSES}", clip(episode.house))
        tasks.append(_task(episode, houses[episode.house]))
    return tuple(tasks)


def _task(episode: SearchEpisode, house: StoredHouse) -> Task:
    kinds = " ".join(f"({kind} ?x)" for kind in episode.kinds)
    gold = Gold(
        goal="",
        rationale="The house has one of each.",
        source=f"Drawn from house {house.id} as docs/house-search.md says.",
        query=f"(find (?x - item) (or {kinds}))",
        answers=tuple(target.id for target in episode.targets),
    )
    scene, placed = _scene(episode, house), HouseEpisode(episode, house)
    return Task(episode.id, SET, house.id, episode.instruction, gold, base=scene, house=placed)


def _scene(episode: SearchEpisode, house: StoredHouse) -> Scene:
    """Return the scene of a house with the robot at the start of an episode."""
    return house_scene(replace(house.house, start=middle(episode.start.cell)), house.where)
