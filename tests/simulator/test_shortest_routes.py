"""Routes of the reconstructed scenes: Bellman's equations hold, and routes are as long as their links."""

from __future__ import annotations

from dataclasses import replace

import pytest

from groundplan.datasets.scenes import load_scene
from groundplan.simulator.routes import Routes
from groundplan.simulator.scene import Node, Scene


@pytest.mark.parametrize("name", ["office", "home"])
def test_no_detour_by_a_neighbour_is_shorter(name: str) -> None:
    """Bellman's equations: links are longer than 0, so that only the shortest lengths solve them."""
    scene = load_scene(name)
    near, routes = scene.neighbours, Routes(scene)
    for source in sorted(near):
        lengths = routes.lengths(source)
        assert lengths[source] == 0
        for here in lengths:
            assert near[here].keys() <= lengths.keys()
            if here != source:
                assert lengths[here] == min(lengths[there] + link for there, link in near[here].items())


@pytest.mark.parametrize("name", ["office", "home"])
def test_a_route_is_as_long_as_its_links_and_the_same_from_a_file_in_another_order(name: str) -> None:
    scene = load_scene(name)
    turned = replace(scene, nodes=dict(reversed(scene.nodes.items())), links=tuple(reversed(scene.links)))
    routes, others = Routes(scene), Routes(turned)
    for source in sorted(scene.neighbours):
        for target in routes.lengths(source):
            route = routes.route(source, target)
            stops = [source, *route.hops]
            links = [scene.neighbours[a][b] for a, b in zip(stops, route.hops, strict=False)]
            assert stops[-1] == target
            assert sum(links) == route.length == routes.distance(source, target)
            assert others.route(source, target) == route


def test_a_room_without_a_link_is_reached_only_from_within() -> None:
    scene = Scene("apart", {name: Node(name, "room", classes=("room",)) for name in ("attic", "hall")}, ())
    routes = Routes(scene)
    assert routes.lengths("attic") == {"attic": 0}
    assert routes.route("attic", "attic").hops == ()
    assert not routes.connected("attic", "hall")
