"""Graphs of Hydra: things at their places, rooms as ends of routes, label spaces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from strategies import household

from groundplan import Engine, parse_goal, plan_goal
from groundplan.datasets.formats.spark_dsg import reader as spark_dsg
from groundplan.robot.program import translate
from groundplan.simulator.belief import ground


def test_a_room_is_an_end_of_routes_and_no_short_cut() -> None:
    """A square of places in one room, of which the file joins three sides."""
    corners = [(0.0, 0.0, 0.0), (9.0, 0.0, 0.0), (9.0, 9.0, 0.0), (0.0, 9.0, 0.0)]
    document = hydra(corners, [(0, 1), (1, 2), (2, 3)])
    scene = spark_dsg.read_graph(document, "x")
    routes = ground(scene, household()).routes
    assert routes.route("p(0)", "p(3)").hops == ("p(1)", "p(2)", "p(3)")
    assert routes.distance("p(0)", "p(3)") == 27_000
    assert routes.route("p(0)", "R(0)").hops[-2:] == ("p(1)", "R(0)"), "the place nearest to the centre"


def test_an_object_is_driven_to_at_its_place_and_taken_at_its_height() -> None:
    scene = spark_dsg.read_graph(hydra([(0.0, 0.0, 0.0), (9.0, 0.0, 0.0)], [(0, 1)]), "x")
    belief = ground(scene.changed(change={"agent": {"at": "p(0)"}}), household())
    goal = parse_goal('(holding "O(0)")')
    result = plan_goal(goal, belief, Engine.named("pyperplan"))
    assert list(map(str, result.steps)) == ['goto("p(1)")', 'pickup("O(0)")']
    pick = translate(result, belief, goal).commands[-1]
    assert (pick.pose, pick.position) == ("p(1)", (9.0, 0.0, 0.0))
    assert pick.target is not None
    assert pick.target.position == (9.5, 0.0, 1.25)


def hydra(places: Sequence[tuple[float, float, float]], edges: Sequence[tuple[int, int]]) -> dict[str, Any]:
    """Return a room with places, and a thing and a robot at the last and the first of them."""

    def entry(letter: str, number: int, layer: int, kind: str, position: Any) -> dict[str, Any]:
        attributes = {"type": f"{kind}NodeAttributes", "position": list(position), "name": ""}
        return {"id": ord(letter) << 56 | number, "layer": layer, "partition": 0, "attributes": attributes}

    last = len(places) - 1
    x, y, z = places[last]
    nodes = [entry("R", 0, 4, "Room", (8.0, 1.0, 2.5)), entry("O", 0, 2, "Object", (x + 0.5, y, z + 1.25))]
    nodes += [entry("p", n, 3, "Place", position) for n, position in enumerate(places)]
    room, thing, *keys = [node["id"] for node in nodes]
    pairs = [(keys[a], keys[b]) for a, b in edges] + [(room, key) for key in keys] + [(keys[last], thing)]
    return {
        "SPARK_DSG_header": {},
        "layer_ids": [2, 3, 4, 5],
        "nodes": nodes,
        "edges": [{"source": a, "target": b, "info": {}} for a, b in pairs],
    }
