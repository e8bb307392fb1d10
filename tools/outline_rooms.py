"""Compare the scenes of ProcTHOR houses with their files, by a program that shares nothing with the reader.

    .venv/bin/python tools/outline_rooms.py HOUSE.json ..

Each file has one house in ProcTHOR's own JSON. Printed are the number of things, of those in another room
than the one whose outline is around them, of those in no outline, and of those of another type than stated.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from groundplan.datasets.formats.registry import read


def within(corners: list[dict[str, float]], x: float, z: float) -> bool:
    """Whether a ray along x crosses an outline an odd number of times."""
    sides = zip(corners, [*corners[1:], corners[0]], strict=True)
    crossings = 0
    for a, b in sides:
        if (a["z"] > z) != (b["z"] > z):
            crossings += x < a["x"] + (z - a["z"]) / (b["z"] - a["z"]) * (b["x"] - a["x"])
    return crossings % 2 == 1


def things(entries: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for entry in entries:
        yield entry
        yield from things(entry.get("children") or [])


def compared(file: Path) -> Counter[str]:
    house, scene = json.loads(file.read_text(encoding="utf-8")), read(file)[0]
    counts: Counter[str] = Counter()
    for thing in things(house["objects"]):
        at = thing["position"]
        around = [r["id"] for r in house["rooms"] if within(r["floorPolygon"], at["x"], at["z"])]
        counts["things"] += 1
        counts["in another room"] += bool(around) and scene.room_of(thing["id"]) not in around
        counts["in no outline"] += not around
        stated = thing.get("objectType", "").removeprefix("Obja").lower()
        kind = "".join(scene.nodes[thing["id"]].classes[:1]).replace("_", "")
        counts["that state a type"] += bool(stated)
        counts["of another type"] += bool(stated) and kind != stated.replace("_", "")
    return counts


if __name__ == "__main__":
    total: Counter[str] = Counter()
    for name in sys.argv[1:]:
        total += compared(Path(name))
    print(len(sys.argv) - 1, "houses:", ", ".join(f"{total[k]} {k}" for k in (
        "things", "in another room", "in no outline", "that state a type", "of another type")))  # fmt: skip
