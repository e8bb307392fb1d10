"""A scene that comes with the package as plain JSON, read without the package.

For tests in which data and code must not share a mistake: counts, provenance, and what the answer of a
question is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

ROOT = Path(__file__).resolve().parents[1]

Node = dict[str, Any]


def natural(name: str) -> list[tuple[bool, int, str]]:
    """A key that sorts desk2 before desk10."""
    parts = re.split(r"(\d+)", name.casefold())
    return [(p.isdigit(), int(p) if p.isdigit() else 0, p) for p in parts if p]


class PlainScene:
    """The JSON of ``datasets/scenes/NAME.json``, and the published facts about it where they are at hand."""

    def __init__(self, name: str) -> None:
        self.file = ROOT / "datasets" / "scenes" / f"{name}.json"
        self._facts = ROOT.parent / "shared" / "data" / f"sayplan_{name}_facts.json"

    @cache  # noqa: B019 - a scene lives as long as the tests
    def scene(self) -> dict[str, Any]:
        raw: dict[str, Any] = json.loads(self.file.read_text(encoding="utf-8"))
        return raw

    @cache  # noqa: B019
    def nodes(self) -> dict[str, Node]:
        return {n["id"]: n for n in self.scene()["nodes"]}

    @cache  # noqa: B019
    def facts(self) -> dict[str, Any]:
        if not self._facts.exists():
            pytest.skip("the published facts are not beside the repository")
        raw: dict[str, Any] = json.loads(self._facts.read_text(encoding="utf-8"))
        return raw

    @cache  # noqa: B019
    def graph(self) -> nx.Graph[str]:
        """The ways, with lengths in millimetres."""
        found: nx.Graph[str] = nx.Graph()
        for link in self.scene()["links"]:
            found.add_edge(link["a"], link["b"], length=round(1000 * link["length"]))
        return found

    def of_type(self, *wanted: str) -> list[str]:
        return [n["id"] for n in self.scene()["nodes"] if n["type"] in wanted]

    def of_class(self, *wanted: str) -> list[str]:
        return [n["id"] for n in self.scene()["nodes"] if set(wanted) & set(n.get("classes", ()))]

    def with_argument(self, attribute: str) -> set[str]:
        return {n["id"] for n in self.scene()["nodes"] if attribute in n.get("attributes", ())}

    def below(self, parent: str) -> list[str]:
        return [n["id"] for n in self.scene()["nodes"] if n.get("parent") == parent]

    def room_of(self, name: str) -> str:
        while self.nodes()[name]["type"] != "room":
            name = self.nodes()[name]["parent"]
        return name

    def rooms_of(self, names: Iterable[str]) -> set[str]:
        return {self.room_of(n) for n in names}

    def rooms(self, category: str) -> list[str]:
        return [r for r in self.of_type("room") if self.nodes()[r]["classes"][0] == category]

    def inside(self, room: str, *wanted: str) -> list[str]:
        """What is in a room to any depth, of any of the classes; all of it where none is given."""
        return [
            n
            for n in self.of_type("asset", "object")
            if self.room_of(n) == room
            and (not wanted or set(wanted) & set(self.nodes()[n].get("classes", ())))
        ]

    def nearest(self, start: str, found: list[str], weight: str | None = "length") -> set[str]:
        """The nearest of some rooms by the length of the way, or by its links where ``weight`` is None."""
        length = nx.single_source_dijkstra_path_length(self.graph(), start, weight=weight)
        best = min(length[f] for f in found)
        return {f for f in found if length[f] == best}
