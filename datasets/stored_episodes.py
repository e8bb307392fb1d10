"""The prepared set ``multi-object-search``: its files, the episodes read back, and each as a search task.

A folder holds the houses as lines of their file (``houses.jsonl``, or packed by gzip) and the episodes
(``episodes.jsonl``).
Folders that users prepared before are read back: keep the names and the fields.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from ..domains.errors import InputError, clip
from ..domains.files import read_text
from ..simulator.navigation.grid import middle
from ..simulator.scene import Scene
from ..simulator.scene_json import parse_json
from .episodes.episode import SET, HouseEpisode, SearchEpisode, draw_episodes, episode_from_json
from .episodes.houses import StoredHouse, houses_in, read_houses
from .formats.content import Content
from .formats.procthor.scene import house_scene
from .task import Gold, Task

HOUSES, EPISODES, LICENSE = "houses.jsonl", "episodes.jsonl", "LICENSE"
HOUSES_PACKED = "houses.jsonl.gz"
"""The houses of the folder that comes with the package."""
MAX_LICENSE = 1 << 20
"""Most bytes of a licence beside the houses."""


@dataclass(frozen=True)
class EpisodeSet:
    """Episodes and the houses that they are in."""

    episodes: tuple[SearchEpisode, ...]
    houses: Mapping[str, StoredHouse]

    def house(self, episode: SearchEpisode) -> StoredHouse:
        """Return the house of an episode. Raises :class:`InputError` where there is none of its name."""
        if episode.house not in self.houses:
            raise InputError(clip(episode.id), f"a house in {HOUSES}", clip(episode.house))
        return self.houses[episode.house]


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


def read_episodes(folder: Path) -> EpisodeSet:
    """Read a prepared folder. Raises :class:`InputError`."""
    return _read(folder, *(path.stat().st_mtime_ns for path in (_houses(folder), folder / EPISODES)))


def _houses(folder: Path) -> Path:
    """Return the file of the houses in a folder."""
    packed = folder / HOUSES_PACKED
    return packed if packed.is_file() else folder / HOUSES


@cache
def _read(folder: Path, *stamps: int) -> EpisodeSet:
    """Read a folder; files that were written again have other ``stamps``."""
    file = _houses(folder)
    houses = houses_in(Content(file).text, str(file))
    where = folder / EPISODES
    lines = enumerate(Content(where).text.splitlines(), 1)
    episodes = tuple(
        episode_from_json(parse_json(line, f"{where}:{number}"), f"{where}:{number}")
        for number, line in lines
        if line.strip()
    )
    return EpisodeSet(episodes, {house.id: house for house in houses})


def episode_tasks(folder: Path) -> tuple[Task, ...]:
    """Return the episodes of a folder as search tasks over the whole scene. Raises :class:`InputError`."""
    stored = read_episodes(folder)
    return tuple(_task(episode, stored.house(episode)) for episode in stored.episodes)


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
