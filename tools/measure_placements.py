"""Print what things are on or in, and how, for beliefs in which some spots are rarely those of a thing.

    python -P tools/measure_placements.py [SCENE ..]        home and the houses of this package

Counted are the movable things of a scene by the kind of what they are at and by their relation to it. Beside
each is the number of spots of that kind that the pack ``grasif-looking`` has; a room is one spot, its floor.
Furniture that has an inside is a kind of its own.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence

from groundplan.datasets.scenes import load_scene
from groundplan.domains.mapping import AROUND
from groundplan.domains.pack import load_pack
from groundplan.simulator.belief import ground
from groundplan.simulator.sensing.spots import spots_of

SCENES = ("home", *(f"house-{number}" for number in range(1, 9)))


def counted(name: str) -> tuple[Counter[tuple[str, str]], Counter[tuple[str, str]]]:
    """Return the number of things and of spots by kind of holder and relation."""
    belief = ground(load_scene(name), load_pack("grasif-looking"))
    nodes, spots = belief.scene.nodes, spots_of(belief)
    containers = {spot.node for spot in spots if spot.relation == "inside_of"}

    def kind(holder: str) -> str:
        type_ = nodes[holder].type
        return "asset with an inside" if type_ == "asset" and holder in containers else type_

    things: Counter[tuple[str, str]] = Counter()
    for node in nodes.values():
        if node.type == "object" and node.parent:
            things[kind(node.parent), node.relation] += 1
    relations = {AROUND: "ontop_of"}
    return things, Counter((kind(spot.node), relations.get(spot.relation, spot.relation)) for spot in spots)


def main(scenes: Sequence[str]) -> None:
    things: Counter[tuple[str, str]] = Counter()
    spots: Counter[tuple[str, str]] = Counter()
    for name in scenes:
        here, places = counted(name)
        things += here
        spots += places
    print("| at | relation | things | spots |")
    print("|---|---|---|---|")
    for kind in sorted({*things, *spots}):
        print(f"| {kind[0]} | {kind[1]} | {things[kind]} | {spots[kind]} |")


if __name__ == "__main__":
    main(sys.argv[1:] or SCENES)
