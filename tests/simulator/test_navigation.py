"""Floor plans: walls and doors, the grid and its routes, what a camera shows, and the map made of it."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise, product
from random import Random

import networkx
import pytest
import shapely
from draws import draws
from hypothesis import given
from hypothesis import strategies as st
from plain_house import two_rooms

from groundplan.domains.errors import InputError, SceneError
from groundplan.simulator.navigation import (
    Body,
    Camera,
    Control,
    FloorPlan,
    Grid,
    HouseWorld,
    Noise,
    Passage,
    Raster,
    RoomArea,
    SeenMap,
    Stance,
    complete_graph,
    shortest_sighting,
    shortest_tour,
)
from groundplan.simulator.navigation.grid import STEPS, middle


def camera_in(plan: FloorPlan, reach: float = 2.0, noise: Noise | None = None) -> Camera:
    return Camera(plan, Raster.of_plan(plan), reach, noise)


def seen_ids(camera: Camera, stance: Stance) -> set[str]:
    return {body.id for body in camera.look(stance).bodies}


def test_a_wall_is_absent_where_a_door_is_and_a_shut_door_is_in_the_way() -> None:
    plan = two_rooms()
    shut = two_rooms(closed=True)
    length = sum(math.dist(*wall) for wall in plan.walls)
    # Two rooms of 4 by 4 m that share a wall: 28 m less a door of 1 m, but for a millimetre at its ends.
    assert length == pytest.approx(27.002, abs=1e-6)
    assert plan.walls == shut.walls and len(shut.barriers) == len(plan.barriers) + 1
    way = Raster.of_plan(plan).grid().route((4, 4), (24, 8))
    assert way is not None and way[0] == (4, 4) and way[-1] == (24, 8)
    assert Raster.of_plan(shut).grid().route((4, 4), (24, 8)) is None


def test_the_robot_keeps_its_radius_from_walls_and_furniture() -> None:
    plan = two_rooms()
    grid = Raster.of_plan(plan).grid()
    barriers = shapely.union_all(
        [shapely.LineString(w) for w in plan.barriers]
        + [shapely.Polygon(b.outline) for b in plan.bodies if b.outline and b.parent is None]
    )
    cells = set(product(range(-2, 36), range(-2, 20)))
    rooms = shapely.union_all([shapely.Polygon(r.corners) for r in plan.rooms])
    free = {
        c
        for c in cells
        if rooms.intersects(p := shapely.Point(middle(c))) and barriers.distance(p) >= 0.2 - 1e-9
    }
    assert set(grid.cells) == free and free


def test_the_view_is_ninety_degrees_and_small_things_are_seen_from_near() -> None:
    camera = camera_in(two_rooms())
    # The robot at (1, 1); table1 at (1, 3) with mug1 on it, shelf1 at (3, 0.5); a corner of the
    # bed is seen through the door.
    assert seen_ids(camera, Stance((4, 4), 0)) == {"table1", "mug1"}
    assert seen_ids(camera, Stance((4, 4), 1)) == {"shelf1", "bed1"}
    assert seen_ids(camera, Stance((4, 4), 2)) == set()
    assert seen_ids(camera, Stance((4, 4), 3)) == set()
    assert "mug1" not in seen_ids(camera_in(two_rooms(), 1.9), Stance((4, 4), 0))
    # Furniture hides nothing: book1 lies behind the table.
    assert "book1" in seen_ids(camera, Stance((4, 8), 0))


def test_walls_and_shut_doors_hide_and_open_doors_do_not() -> None:
    # On the line through the middle of the door, with the bed of the other room behind it.
    through = Stance((8, 8), 1)
    assert "bed1" in seen_ids(camera_in(two_rooms()), through)
    assert "bed1" not in seen_ids(camera_in(two_rooms(closed=True)), through)
    beside = Stance((14, 3), 1)
    assert "bed1" not in seen_ids(camera_in(two_rooms()), beside)
    shown = camera_in(two_rooms(closed=True)).look(through).passages
    assert [(p.id, p.rooms, p.closed) for p in shown] == [("door1", ("hall",), True)]
    open_one = camera_in(two_rooms()).look(through).passages
    assert [(p.id, p.rooms, p.closed) for p in open_one] == [("door1", ("bedroom", "hall"), False)]


def test_what_is_in_something_closed_is_never_seen() -> None:
    plan = two_rooms()
    assert plan.hidden == {"sock1", "ring1"}
    camera = camera_in(plan)
    cells = Raster.of_plan(plan).grid().cells
    everything = {i for c in cells for h in range(4) for i in seen_ids(camera, Stance(c, h))}
    assert everything == {b.id for b in plan.bodies} - {"sock1", "ring1"}
    assert not any(camera.sees(c, "ring1") for c in cells)
    opened = replace(plan, bodies=tuple(replace(b, closed=False) for b in plan.bodies))
    assert opened.hidden == frozenset()


@draws(60, deadline=None)
@given(st.data())
def test_lines_of_sight_are_those_of_an_independent_geometry(data: st.DataObject) -> None:
    closed = data.draw(st.booleans())
    plan = two_rooms(closed=closed)
    camera = camera_in(plan)
    walls = shapely.union_all([shapely.LineString(w) for w in plan.barriers])
    cell = data.draw(st.sampled_from(Raster.of_plan(plan).grid().cells))
    eye = middle(cell)
    shown = {b.id for h in range(4) for b in camera.look(Stance(cell, h)).bodies}
    for body in plan.bodies:
        lines = [shapely.LineString([eye, p]) for p in plan.anchors[body.id] if p != eye]
        clear = not lines or any(not line.intersects(walls) for line in lines)
        touches = any(line.intersection(walls).length > 0 for line in lines)
        near = not body.small or math.dist(eye, body.at) <= 2.0
        if not touches:
            assert (body.id in shown) == (clear and near and body.id not in plan.hidden), body.id


@draws(60, deadline=None)
@given(st.integers(0, 10**6))
def test_routes_are_as_short_as_they_can_be_and_turn_as_little(seed: int) -> None:
    random = Random(seed)
    cells = [c for c in product(range(7), range(7)) if random.random() < 0.7]
    grid = Grid.of_cells(cells)
    start, goal = random.choice(cells or [(0, 0)]), random.choice(cells or [(0, 0)])
    heading = random.randrange(4)
    states = networkx.DiGraph()
    cost = 1000
    for (i, j), facing in product(cells, range(4)):
        for direction, (a, b) in enumerate(STEPS):
            if (i + a, j + b) in set(cells):
                turns = (0, 1, 2, 1)[direction - facing]
                states.add_edge(((i, j), facing), ((i + a, j + b), direction), weight=cost + turns)
    states.add_nodes_from(((c, f) for c, f in product(cells, range(4))))
    if not cells:
        return
    lengths = networkx.single_source_dijkstra_path_length(states, (start, heading))
    best = min((lengths[goal, f] for f in range(4) if (goal, f) in lengths), default=None)
    route = grid.route(start, goal, heading)
    assert (route is None) == (best is None)
    assert grid.distances(start)[goal] == (-1 if best is None else best // cost)
    if route is not None:
        assert route[0] == start and route[-1] == goal
        total, facing = 0, heading
        for (i, j), (k, m) in pairwise(route):
            direction = STEPS.index((k - i, m - j))
            total += cost + (0, 1, 2, 1)[direction - facing]
            facing = direction
        assert total == best


def test_distances_over_a_winding_way_and_to_what_is_out_of_reach() -> None:
    ways = list(product(range(0, 40, 2), range(3)))
    turns = [(row + 1, 2 if row % 4 == 0 else 0) for row in range(0, 38, 2)]
    grid = Grid.of_cells([*ways, *turns, (60, 60)])
    distances = grid.distances((0, 0))
    assert [distances[0, 2], distances[2, 0], distances[38, 0], distances[60, 60]] == [2, 6, 78, -1]
    assert distances[-5, 1] == -1 and distances.reached() == tuple(sorted([*ways, *turns]))
    assert grid.distances((1, 1)).reached() == ()


def test_the_five_commands_and_what_they_count() -> None:
    world = HouseWorld(two_rooms(), Stance((4, 2), 0))
    assert world.act(Control.FORWARD).done
    turned = world.act(Control.RIGHT)
    assert turned.glimpses[-1].stance == Stance((4, 3), 1)
    around = world.act(Control.LOOK)
    assert [g.stance.heading for g in around.glimpses] == [2, 3, 0, 1]
    assert world.act(Control.LEFT).glimpses[-1].stance == Stance((4, 3), 0)
    # The table is in the way from (1, 2).
    steps = [world.act(Control.FORWARD).done for _ in range(8)]
    assert False in steps and steps == sorted(steps, reverse=True)
    driven = world.driven
    assert (driven.turns, driven.looks) == (6, 1)
    assert driven.steps == 1 + sum(steps) and driven.bumps == 8 - sum(steps)
    assert driven.moves == driven.steps + driven.bumps + 6
    assert driven.metres == 0.25 * driven.steps
    assert world.act(Control.STOP).done and not world.act(Control.FORWARD).done
    assert world.driven == driven
    with pytest.raises(InputError, match="a cell on which the robot fits"):
        HouseWorld(two_rooms(), Stance((0, 0), 0))


def everything_seen(plan: FloorPlan) -> SeenMap:
    raster = Raster.of_plan(plan)
    camera = Camera(plan, raster)
    seen = SeenMap(reach=2.0)
    for cell in raster.grid().cells:
        for heading in range(4):
            seen.add(camera.look(Stance(cell, heading)))
    return seen


@st.composite
def rows_of_rooms(draw: st.DrawFn) -> FloorPlan:
    """A row of rectangular rooms with doors between them, a thing or two in each."""
    widths = draw(st.lists(st.sampled_from((2.0, 2.5, 3.1)), min_size=1, max_size=4))
    depth = draw(st.sampled_from((2.0, 2.75)))
    rooms, doors, bodies, x = [], [], [], 0.0
    for n, width in enumerate(widths):
        rooms.append(RoomArea(f"r{n}", ((x, 0), (x, depth), (x + width, depth), (x + width, 0)), "room"))
        if n:
            doors.append(Passage(f"d{n}", (f"r{n - 1}", f"r{n}"), ((x, 0.5), (x, 1.5))))
        kind = draw(st.sampled_from(("table", "bed")))
        spot = (x + width / 2, depth - 0.3)
        corners = tuple((spot[0] + a, spot[1] + b) for a, b in ((-0.2, -0.2), (0.2, -0.2), (0.2, 0.2)))
        bodies.append(Body(f"b{n}", kind, f"r{n}", spot, corners, 0.0, 0.8))
        if draw(st.booleans()):
            bodies.append(Body(f"s{n}", "mug", f"r{n}", spot, (), 0.8, 0.9, f"b{n}", small=True))
        x += width
    return FloorPlan("row", tuple(rooms), tuple(doors), tuple(bodies))


@draws(15, by_day=4, deadline=None)
@given(rows_of_rooms())
def test_the_graph_equals_the_true_one_after_everything_was_seen(plan: FloorPlan) -> None:
    seen = everything_seen(plan)
    assert set(seen.floor) == set(camera_in(plan).cells)
    assert seen.graph() == complete_graph(plan, camera_in(plan))


@draws(25, by_day=8, deadline=None)
@given(st.lists(st.sampled_from([*Control]), max_size=30), st.integers(0, 3))
def test_a_map_holds_nothing_but_what_was_shown(commands: list[Control], heading: int) -> None:
    world = HouseWorld(two_rooms(), Stance((4, 4), heading))
    seen, glimpses = SeenMap(reach=2.0), [world.observe()]
    for command in commands:
        glimpses += world.act(command).glimpses
    for glimpse in glimpses:
        seen.add(glimpse)
    bodies = {b for g in glimpses for b in g.bodies}
    rooms = (
        {b.room for b in bodies} | {g.room for g in glimpses} | {r for g in glimpses for _, (r, _) in g.cells}
    )
    rooms |= {r for g in glimpses for p in g.passages for r in p.rooms}
    assert set(seen.bodies.values()) == bodies
    assert set(seen.rooms) == rooms and set(seen.rooms.values()) <= {""}
    assert set(seen.floor) == {c for g in glimpses for c, _ in g.cells}
    assert set(seen.passages) == {p.id for g in glimpses for p in g.passages}
    graph = seen.graph()
    assert {*graph.large, *graph.small} == {b.id for b in bodies}


def test_noise_misses_and_blurs_as_much_as_it_says_and_alike_for_a_seed() -> None:
    plan = two_rooms()
    stance = Stance((4, 4), 0)

    def views(noise: Noise) -> list[frozenset[tuple[str, tuple[float, float, float]]]]:
        camera = camera_in(plan, noise=noise)
        return [frozenset((b.id, b.place) for b in camera.look(stance).bodies) for _ in range(400)]

    noise = Noise(0.25, 0.1, 0.0, seed=5)
    assert views(noise) == views(noise) != views(replace(noise, seed=6))
    sightings = [place for view in views(noise) for name, place in view if name == "mug1"]
    assert 0.68 < len(sightings) / 400 < 0.82
    errors = [x - 1.0 for x, _, _ in sightings]
    assert 0.08 < math.sqrt(sum(e * e for e in errors) / len(errors)) < 0.12
    assert (
        views(Noise(0, 0, 0))
        == [frozenset((b.id, b.place) for b in camera_in(plan).look(stance).bodies)] * 400
    )
    doors = [camera_in(plan, noise=Noise(0, 0, 1)).look(Stance((8, 8), 1)).passages[0].closed]
    assert doors == [True]
    with pytest.raises(ValueError, match="shares"):
        Noise(missed=2)


def test_tours_over_all_orders_and_sightings_from_a_distance() -> None:
    grid = Grid.of_cells((i, 0) for i in range(21))
    tour = shortest_tour(grid, (8, 0), {"a": (0, 0), "b": (10, 0), "c": (20, 0)})
    # Left first: 8 + 20 steps; right first: 12 + 20.
    assert tour is not None and (tour.order, tour.metres) == (("a", "b", "c"), 7.0)
    assert shortest_tour(grid, (8, 0), {"a": (30, 0)}) is None
    views = [frozenset({(0, 0), (1, 0)}), frozenset({(9, 0)}), frozenset({(19, 0), (20, 0)})]
    path = shortest_sighting(grid, (8, 0), views)
    assert path == (*((i, 0) for i in range(8, 0, -1)), *((i, 0) for i in range(2, 20)))
    assert shortest_sighting(grid, (8, 0), [frozenset({(8, 0)})]) == ((8, 0),)
    assert shortest_sighting(grid, (8, 0), [frozenset()]) is None
    with pytest.raises(ValueError, match="at most 8"):
        shortest_tour(grid, (8, 0), {str(i): (i, 0) for i in range(9)})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"rooms": ()}, "at least one room"),
        ({"rooms": (RoomArea("hall", ((0, 0), (1, 1), (2, 2))),)}, "without area"),
        ({"rooms": (RoomArea("hall", ((0, 0), (0, 1), (900, 1))),)}, "at most 200 m"),
        ({"rooms": (RoomArea("hall", ((0, 0), (0, math.nan), (9, 1))),)}, "finite"),
        ({"passages": (Passage("d", ("hall", "attic"), ((0, 0), (0, 1))),)}, "hole between two rooms"),
        ({"bodies": (Body("b", "bed", "attic", (1, 1)),)}, "attic"),
        ({"bodies": (Body("b", "bed", "hall", (1, 1), parent="b"),)}, "parent"),
        ({"bodies": (Body("b", "bed", "hall", (1, 1), parent="c"),)}, "parent"),
        ({"bodies": (Body("b", "bed", "hall", (1, 1), ((0, 0), (1, 1))),)}, "three corners"),
        ({"bodies": (Body("b", "bed", "hall", (1, 1), ((0, 0), (1, math.nan), (1, 0))),)}, "finite"),
        ({"bodies": (Body("hall", "bed", "hall", (1, 1)),)}, "unique"),
    ],
)
def test_a_plan_that_is_none_is_refused(change: dict[str, object], words: str) -> None:
    with pytest.raises(SceneError, match=words):
        replace(FloorPlan("p", (RoomArea("hall", ((0, 0), (0, 3), (3, 3), (3, 0))),)), **change)  # type: ignore[arg-type]


def test_things_in_things_in_things_take_time_in_proportion() -> None:
    """20,000 things in each other, the outermost of which is shut."""
    room = RoomArea("hall", ((0, 0), (0, 3), (3, 3), (3, 0)))
    count = 20_000
    bodies = tuple(
        Body(f"b{n}", "box", "hall", (1, 1), parent=f"b{n - 1}" if n else None, inside=n > 0, closed=n == 0)
        for n in range(count)
    )
    plan = FloorPlan("deep", (room,), (), tuple(reversed(bodies)))
    assert len(plan.hidden) == count - 1 and "b0" not in plan.hidden
    half = tuple(replace(b, closed=b.id == "b9999") for b in bodies)
    assert len(replace(plan, bodies=half).hidden) == count - 10_000
