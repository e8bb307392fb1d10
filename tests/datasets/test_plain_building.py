"""Generated buildings: sizes as asked, the same for the same seed, every place reachable."""

from __future__ import annotations

import pytest
from plain_building import building

from groundplan.domains.pack import load_pack
from groundplan.simulator.belief import ground
from groundplan.simulator.scene_json import scene_from_json, scene_to_json


@pytest.mark.parametrize("sizes", [(1, 0, 0), (1, 1, 1), (7, 3, 20), (120, 200, 300)])
def test_sizes_are_as_asked_and_everything_can_be_reached(sizes: tuple[int, int, int]) -> None:
    scene = building(*sizes, seed=3)
    counts = tuple(len(scene.by_type.get(t, ())) for t in ("room", "asset", "object"))
    assert counts == sizes
    belief = ground(scene, load_pack())
    for name, node in scene.nodes.items():
        if node.type in ("room", "asset", "pose"):
            assert belief.routes.connected(belief.start, name)
    assert scene_from_json(scene_to_json(scene), "again") == scene


def test_a_building_is_a_function_of_its_sizes_and_seed() -> None:
    assert building(5, 9, 20, 1).hash == building(5, 9, 20, 1).hash
    assert building(5, 9, 20, 1).hash != building(5, 9, 20, 2).hash


@pytest.mark.parametrize("sizes", [(0, 1, 1), (1, 0, 1), (1, -1, 0), (1, 1, -1)])
def test_impossible_sizes_are_refused(sizes: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="no building"):
        building(*sizes)
