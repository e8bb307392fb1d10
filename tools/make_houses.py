"""Write the houses of the package, ``datasets/scenes/house-*.json``, from ProcTHOR's in the compact form.

    .venv/bin/python tools/make_houses.py HOUSES OUT

``HOUSES`` is the folder with ``real_houses_26.jsonl.gz`` and ``generated_houses.jsonl.gz``. A house is read
as ``groundplan.datasets.formats.procthor`` reads it. Then each node gets its class and a number as its id, in
the order of the file (``Apple|surface|4|31`` becomes ``apple2``), as people read them.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

from groundplan.datasets.formats.registry import read
from groundplan.simulator.scene import Link, Scene
from groundplan.simulator.scene_json import scene_to_json

REAL, GENERATED = "real_houses_26.jsonl.gz", "generated_houses.jsonl.gz"
HOUSES = {
    "house-1": (REAL, "zg_houses_20_house_12"),
    "house-2": (REAL, "zg_houses_20_house_5"),
    "house-3": (GENERATED, "gen_045"),
    "house-4": (GENERATED, "gen_049"),
    "house-5": (GENERATED, "gen_127"),
    "house-6": (REAL, "zg_houses_20_house_6"),
    "house-7": (REAL, "zg_klbr_house_12"),
    "house-8": (GENERATED, "gen_111"),
}
"""The name in the package, and the file and id of the house."""

SOURCE = {
    REAL: "ProcTHOR (Deitke et al., NeurIPS 2022), house {id} of zhiyuan-gao/procthor, a fork of "
    "allenai/procthor",
    GENERATED: "made with procthor 0.0.1.dev2 (Deitke et al., NeurIPS 2022) without its simulator, {id}; "
    "small objects were drawn from its receptacle table",
}


def renamed(scene: Scene, name: str, description: str) -> Scene:
    """Return a scene in which each node is called by its class and a number."""
    counts: Counter[str] = Counter()
    names: dict[str, str] = {}
    for node in scene.nodes.values():
        if node.type == "agent":
            names[node.id] = "agent"
            continue
        kind = node.classes[0]
        counts[kind] += 1
        names[node.id] = f"{kind}{counts[kind]}"
    nodes = {
        names[n.id]: replace(
            n,
            id=names[n.id],
            parent=names[n.parent] if n.parent else n.parent,
            at=names[n.at] if n.at else n.at,
            provenance={"node": n.id},
        )
        for n in scene.nodes.values()
    }
    links = tuple(Link(names[x.a], names[x.b], x.length, names.get(x.door, "")) for x in scene.links)
    return Scene(name, nodes, links, description)


def house_text(folder: Path, name: str) -> str:
    """Return the file of a house in the package."""
    file, house = HOUSES[name]
    scene, _ = read(folder / file, item=house)
    rooms = len(scene.by_type["room"])
    made = renamed(
        scene, name, f"A house of ProcTHOR with {rooms} rooms; lengths and positions are in metres."
    )
    raw = scene_to_json(made)
    raw = {
        **{k: raw[k] for k in ("format", "version", "name", "description")},
        "source": SOURCE[file].format(id=house) + "; ids changed, see docs/datasets/procthor.md",
        "license": "Apache-2.0, see LICENSE-ProcTHOR",
        **{k: v for k, v in raw.items() if k in ("nodes", "links")},
    }
    head = json.dumps({k: v for k, v in raw.items() if k not in ("nodes", "links")}, indent=1)[:-2]
    parts = [
        f',\n "{key}": [\n' + ",\n".join("  " + json.dumps(item) for item in raw[key]) + "\n ]"
        for key in ("nodes", "links")
    ]
    return head + "".join(parts) + "\n}\n"


def main() -> None:
    folder, out = map(Path, sys.argv[1:])
    for name in HOUSES:
        (out / f"{name}.json").write_text(house_text(folder, name), encoding="utf-8")


if __name__ == "__main__":
    main()
