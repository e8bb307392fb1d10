"""Shortest routes against networkx's Dijkstra: the same lengths, and the same choice among equal routes."""

from __future__ import annotations

import networkx
import pytest

from groundplan.datasets.scenes import load_scene
from groundplan.simulator.routes import Routes


@pytest.mark.parametrize("name", ["office", "home"])
def test_routes_are_those_of_networkx(name: str) -> None:
    routes = Routes(load_scene(name))
    for source in sorted(routes.graph):
        before, lengths = networkx.dijkstra_predecessor_and_distance(routes.graph, source)
        for target in lengths:
            route = routes.route(source, target)
            assert route.length == lengths[target]
            stops = [source, *route.hops]
            assert all(before[b][0] == a for a, b in zip(stops, route.hops, strict=False))
