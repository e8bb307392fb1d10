"""Houses for search episodes: read from files of ProcTHOR houses, and kept as the lines of those files."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ...domains.errors import InputError, SceneError, clip
from ...simulator.navigation.floor_plan import FloorPlan
from ...simulator.navigation.grid import Raster
from ...simulator.scene import Scene
from ...simulator.scene_json import parse_json
from ..formats.content import Content
from ..formats.procthor.floor_plan import house_plan
from ..formats.procthor.house import House
from ..formats.procthor.read import read_house
from ..formats.procthor.scene import house_scene

SUFFIXES = (".jsonl", ".jsonl.gz", ".json")
GENERATED, COLLECTED = "generated", "collected"
"""Where a house comes from: made by the generator without the simulator, which its seed shows, or not."""


@dataclass(frozen=True)
class StoredHouse:
    """A house as the line of its file, and what is read from it when asked for."""

    house: House
    line: str
    origin: str
    where: str

    @property
    def id(self) -> str:
        return self.house.name

    @cached_property
    def plan(self) -> FloorPlan:
        """The floor plan. Raises :class:`SceneError`."""
        return house_plan(self.house, self.where)

    @cached_property
    def raster(self) -> Raster:
        """The grid laid over the plan. Raises :class:`InputError` without the extra ``maps``."""
        return Raster.of_plan(self.plan)

    def scene(self) -> Scene:
        """Return the house as a scene. Raises :class:`SceneError`."""
        return house_scene(self.house, self.where)


def read_houses(source: Path) -> tuple[StoredHouse, ...]:
    """Read every house of a file, or of the files of a folder by name. Raises :class:`InputError`.

    Files have a house a line, one in all, or a JSON list of houses, and may be packed by gzip.
    """
    paths = [source]
    if source.is_dir():
        paths = sorted(p for p in source.iterdir() if p.name.endswith(SUFFIXES) and p.is_file())
    houses: dict[str, StoredHouse] = {}
    for path in paths:
        for stored in houses_in(Content(path).text, str(path)):
            if stored.id in houses:
                raise InputError(stored.where, "ids that are unique", clip(stored.id))
            houses[stored.id] = stored
    if not houses:
        raise InputError(clip(str(source), 200), "files of ProcTHOR houses", "none", ", ".join(SUFFIXES))
    return tuple(houses.values())


def houses_in(text: str, where: str) -> tuple[StoredHouse, ...]:
    """Read the houses of a text. Raises :class:`SceneError` with the place of what is wrong."""
    lines = [(n, line) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
    try:
        if lines:
            parse_json(lines[0][1], where)
    except SceneError:
        lines = [(1, text)]  # one house over several lines
    houses = []
    for number, line in lines:
        at = f"{where}:{number}"
        raw = parse_json(line, at)
        for place, entry in enumerate(raw, 1) if isinstance(raw, list) else [(number, raw)]:
            house = read_house(entry, at, f"house-{place}")
            origin = GENERATED if isinstance(entry, dict) and "seed" in entry else COLLECTED
            whole = json.dumps(entry) if entry is not raw else " ".join(line.split("\n"))
            houses.append(StoredHouse(house, whole, origin, at))
    return tuple(houses)
