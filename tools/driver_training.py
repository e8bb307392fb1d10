"""Training of the point-goal driver: houses as tables, episodes in lockstep, DAgger, and a GRU's gradients.

DAgger (Ross et al., 2011): the policy drives, with the expert's command now and then, and learns what the
expert would have done wherever it came. The expert is A* over the true floor: it labels, and is in no input.
The houses are tables of ranges by cell and heading, so that a thousand robots drive at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy

from groundplan.datasets.episodes.episode import largest_part
from groundplan.datasets.episodes.houses import StoredHouse
from groundplan.methods.houses.driving.policy import UNITS, RecurrentPolicy, first_weights, sigmoid
from groundplan.methods.houses.driving.view import (
    AROUND,
    FREE,
    RANGES,
    REMEMBERED,
    SHUT,
    SIDE,
    around,
    beside,
    numbers,
    ranges,
    recalled,
    window,
)
from groundplan.simulator.navigation import Camera, Grid
from groundplan.simulator.navigation.grid import STEPS, Cell

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

Array = Any
LEFT, RIGHT, FORWARD = range(3)
APART = 4
"""Cells between start and goal, at least."""
MOST_MOVES = 160
"""Moves of an episode of training."""
AT_ONCE = 500
"""Episodes that are driven in lockstep."""
STRIDE = 256
"""Cells of a row of a map: those of a house, and what is looked at outside of it."""
CLIP = 1.0
"""Largest norm of a gradient."""


@dataclass(frozen=True, eq=False)
class HouseTable:
    """The largest connected part of a house's floor: cells, neighbours by heading, ranges by heading.

    ``truth`` is a map of the house, ``corner`` its first cell, and ``shown`` the numbers of the cells in that
    map that are seen from each cell by heading.
    """

    name: str
    grid: Grid
    cells: tuple[Cell, ...]
    places: Array
    beside: Array
    ranges: Array
    corner: Array
    truth: Array
    shown: Sequence[Array]

    @classmethod
    def of(cls, house: StoredHouse) -> HouseTable:
        """Look around from every cell."""
        raster, camera = house.raster, Camera(house.plan, house.raster)
        grid = raster.grid()
        cells = largest_part(grid)
        number = {cell: n for n, cell in enumerate(cells)}
        beside = [[number.get((i + a, j + b), -1) for a, b in STEPS] for i, j in cells]
        corner = raster.cells.min(axis=0) - SIDE
        rows = int(raster.cells[:, 0].max() - corner[0]) + SIDE + 1
        truth = numpy.zeros(rows * STRIDE, dtype=numpy.uint8)
        truth[(raster.cells - corner) @ (STRIDE, 1)] = numpy.where(raster.free, FREE, SHUT)
        views, shown = [], []
        for cell in cells:
            for heading, (seen, free) in enumerate(camera.floor_from(cell)):
                views.append(ranges(window(seen[free], numpy.asarray(cell)), heading))
                shown.append(((seen - corner) @ (STRIDE, 1)).astype(numpy.int32))
        seen_ranges = numpy.asarray(views).reshape(len(cells), 4, RANGES)
        places = numpy.asarray(cells)
        return cls(house.id, grid, cells, places, numpy.asarray(beside), seen_ranges, corner, truth, shown)


@dataclass(frozen=True, eq=False)
class Floor:
    """Tables of several houses, one after the other; cells are numbered through."""

    tables: tuple[HouseTable, ...]
    first: Array
    """The number of each house's first cell."""
    places: Array
    beside: Array
    ranges: Array

    @classmethod
    def of(cls, tables: Sequence[HouseTable]) -> Floor:
        first = numpy.cumsum([0, *(len(t.cells) for t in tables)])
        beside = [numpy.where(t.beside >= 0, t.beside + f, -1) for t, f in zip(tables, first, strict=False)]
        return cls(
            tuple(tables),
            first,
            numpy.concatenate([t.places for t in tables]),
            numpy.concatenate(beside),
            numpy.concatenate([t.ranges for t in tables]),
        )


@dataclass(frozen=True, eq=False)
class Walks:
    """Episodes that were driven, step by step: (steps, episodes), with the expert's commands.

    ``lengths`` are the steps of each, ``arrived`` whether it ended at its goal.
    """

    cells: Array
    headings: Array
    last: Array
    labels: Array
    memory: Array
    lengths: Array
    arrived: Array
    goals: Array

    def part(self, chosen: Array) -> Walks:
        steps = int(self.lengths[chosen].max())
        by_step = (self.cells, self.headings, self.last, self.labels, self.memory)
        walked = [a[:steps, chosen] for a in by_step]
        return Walks(*walked, self.lengths[chosen], self.arrived[chosen], self.goals[chosen])


@dataclass(frozen=True, slots=True)
class Memories:
    """Maps of robots, a row each, of what each saw and where it was; as :class:`FloorMemory`, in lockstep."""

    floor: Floor
    houses: Array
    first: Array
    """The number, in its map, of each house's corner less its place: to be added to a place's own."""
    maps: Array

    @classmethod
    def of(cls, floor: Floor, houses: Array) -> Memories:
        size = max(len(t.truth) for t in floor.tables)
        first = numpy.asarray([-(t.corner @ (STRIDE, 1)) for t in floor.tables])[houses]
        return cls(floor, houses, first, numpy.zeros((len(houses), size), dtype=numpy.uint8))

    def see(self, robots: Array, cells: Array, headings: Array) -> Array:
        """Take in what robots see, and where they are; return their 53 whole numbers."""
        tables = self.floor.tables
        local = cells - self.floor.first[self.houses[robots]]
        for robot, place in zip(robots.tolist(), (4 * local + headings).tolist(), strict=True):
            table, values = tables[self.houses[robot]], self.maps[robot]
            shown = table.shown[place]
            values[shown] = numpy.maximum(values[shown], table.truth[shown])
        flat = self.maps.reshape(-1)
        here = robots * self.maps.shape[1] + self.first[robots] + self.floor.places[cells] @ (STRIDE, 1)
        flat[here] = numpy.minimum(numpy.maximum(flat[here], FREE) + 1, 250)
        ways, near = _NUMBERED
        return recalled(flat[here[:, None, None] + ways[headings]], flat[here[:, None] + near[headings]])


_NUMBERED = around() @ (STRIDE, 1), beside() @ (STRIDE, 1)


def drive(
    floor: Floor,
    policy: RecurrentPolicy | None,
    count: int,
    draw: Array,
    beta: float = 1.0,
    most: int = MOST_MOVES,
) -> Walks:
    """Drive episodes with random starts and goals; the expert decides a share ``beta`` of the moves."""
    parts = [
        drive_at_once(floor, policy, min(AT_ONCE, count - done), draw, beta, most)
        for done in range(0, count, AT_ONCE)
    ]
    steps = max(len(p.cells) for p in parts)

    def joined(name: str) -> Array:
        arrays = [getattr(p, name) for p in parts]
        longer = [((0, steps - len(a)), *[(0, 0)] * (a.ndim - 1)) for a in arrays]
        return numpy.concatenate([numpy.pad(a, w) for a, w in zip(arrays, longer, strict=True)], axis=1)

    by_step = [joined(name) for name in ("cells", "headings", "last", "labels", "memory")]
    by_walk = [numpy.concatenate([getattr(p, n) for p in parts]) for n in ("lengths", "arrived")]
    return Walks(*by_step, *by_walk, goals=numpy.concatenate([p.goals for p in parts]))


def drive_at_once(
    floor: Floor, policy: RecurrentPolicy | None, count: int, draw: Array, beta: float, most: int
) -> Walks:
    """Drive episodes in lockstep, as :func:`drive`."""
    houses, starts, goals, left = drawn_goals(floor, count, draw)
    widest = left.shape[1] - 1
    offset = floor.first[houses]
    cells, headings = starts.copy(), draw.integers(4, size=count)
    last = numpy.full(count, -1)
    state = policy.start(count) if policy is not None else None
    memories = Memories.of(floor, houses)
    robots = numpy.arange(count)
    walked: list[tuple[Array, ...]] = []
    lengths_of = numpy.zeros(count, dtype=int)
    for _ in range(most):
        robots = robots[cells[robots] != goals[robots]]
        if not len(robots):
            break
        here, facing = cells[robots], headings[robots]
        beside_them = floor.beside[here]
        local = numpy.where(beside_them >= 0, beside_them - offset[robots, None], widest)
        mine = left[robots]
        closer = (
            numpy.take_along_axis(mine, local, 1)
            == numpy.take_along_axis(mine, (here - offset[robots])[:, None], 1) - 1
        )
        turned = numpy.stack([closer[numpy.arange(len(robots)), (facing + k) % 4] for k in (0, 1, 3)], axis=1)
        label = numpy.where(turned[:, 0], FORWARD, numpy.where(turned[:, 1], RIGHT, LEFT))
        label = numpy.where(turned.any(axis=1), label, RIGHT)
        memory = memories.see(robots, here, facing)
        walked.append((robots, here, facing, last[robots], label, memory))
        action = label
        if policy is not None and state is not None:
            given = numbers(
                floor.ranges[here, facing],
                floor.places[goals[robots]] - floor.places[here],
                facing,
                last[robots],
                memory,
            )
            scores, state[robots] = policy.step(given, state[robots])
            own = scores.argmax(axis=1)
            action = numpy.where(draw.random(len(robots)) < beta, label, own)
        headings[robots] = (facing + numpy.asarray([3, 1, 0])[action]) % 4
        ahead = beside_them[numpy.arange(len(robots)), facing]
        cells[robots] = numpy.where((action == FORWARD) & (ahead >= 0), ahead, here)
        last[robots] = action
        lengths_of[robots] += 1
    shape = len(walked), count
    arrays = [numpy.zeros(shape, dtype=t) for t in (numpy.int32, numpy.int8, numpy.int8, numpy.int8)]
    arrays.append(numpy.zeros((*shape, REMEMBERED), dtype=numpy.uint8))
    for step, (who, *values) in enumerate(walked):
        for array, value in zip(arrays, values, strict=True):
            array[step, who] = value
    return Walks(*arrays, lengths_of, cells == goals, goals)


def drawn_goals(floor: Floor, count: int, draw: Array) -> tuple[Array, Array, Array, Array]:
    """Draw houses, starts and goals; return them, and the steps to the goal from each cell of the house."""
    houses = draw.integers(len(floor.tables), size=count)
    starts, goals = numpy.empty(count, dtype=int), numpy.empty(count, dtype=int)
    widest = max(len(t.cells) for t in floor.tables)
    left = numpy.zeros((count, widest + 1), dtype=numpy.int16)
    left[:, -1] = numpy.iinfo(numpy.int16).max  # the cell that is none
    for n, house in enumerate(houses.tolist()):
        table = floor.tables[house]
        while True:
            start, goal = draw.integers(len(table.cells), size=2)
            if numpy.abs(table.places[start] - table.places[goal]).sum() >= APART:
                break
        starts[n], goals[n] = start + floor.first[house], goal + floor.first[house]
        lengths = table.grid.distances(table.cells[goal])
        left[n, : len(table.cells)] = [lengths[cell] for cell in table.cells]
    return houses, starts, goals, left


def path_lengths(floor: Floor, walks: Walks) -> Array:
    """Return the cells of the shortest way of each walk, and of the way that was driven: (n, 2)."""
    lengths = []
    for n, steps in enumerate(walks.lengths.tolist()):
        way = [*walks.cells[:steps, n].tolist(), *([walks.goals[n]] if walks.arrived[n] else [])]
        driven = sum(a != b for a, b in pairwise(way))
        house = int(numpy.searchsorted(floor.first, way[0], side="right")) - 1
        table, first = floor.tables[house], floor.first[house]
        ways = table.grid.distances(table.cells[walks.goals[n] - first])
        lengths.append((ways[table.cells[way[0] - first]], driven))
    return numpy.asarray(lengths)


def gradients(
    weights: dict[str, Array], given: Array, labels: Array, mask: Array
) -> tuple[dict[str, Array], float]:
    """Return the gradients of the mean cross entropy over sequences, and that mean.

    ``given`` are numbers (steps, sequences, 49), ``labels`` commands and ``mask`` whether a step is one.
    """
    w, (steps, count, _), two = weights, given.shape, 2 * UNITS
    inner = numpy.maximum(given @ w["in"] + w["in_bias"], 0)
    gates = inner @ w["gates"] + w["gates_bias"]
    states = numpy.zeros((steps + 1, count, UNITS), dtype=numpy.float32)
    both = numpy.empty((steps, count, two), dtype=numpy.float32)
    candidates = numpy.empty((steps, count, UNITS), dtype=numpy.float32)
    kept_n = numpy.empty((steps, count, UNITS), dtype=numpy.float32)
    for t in range(steps):
        kept = states[t] @ w["state"] + w["state_bias"]
        both[t] = sigmoid(gates[t, :, :two] + kept[:, :two])
        kept_n[t] = kept[:, two:]
        candidates[t] = numpy.tanh(gates[t, :, two:] + both[t, :, :UNITS] * kept_n[t])
        states[t + 1] = candidates[t] + both[t, :, UNITS:] * (states[t] - candidates[t])
    scores = states[1:] @ w["out"] + w["out_bias"]
    scores -= scores.max(axis=2, keepdims=True)
    shares = numpy.exp(scores)
    shares /= shares.sum(axis=2, keepdims=True)
    total = numpy.float32(mask.sum())
    right = numpy.take_along_axis(shares, labels[..., None].astype(int), 2)[..., 0]
    loss = float(-(numpy.log(numpy.maximum(right, 1e-9)) * mask).sum() / total)
    d_scores = (shares - (numpy.arange(3) == labels[..., None])) * (mask[..., None] / total)
    d_scores = d_scores.astype(numpy.float32)
    d_states = d_scores @ w["out"].T
    d_gates = numpy.empty((steps, count, 3 * UNITS), dtype=numpy.float32)
    d_kept = numpy.empty_like(d_gates)
    back = numpy.zeros((count, UNITS), dtype=numpy.float32)
    # The derivatives that do not depend on what comes back, for all steps at once.
    reset, update = both[..., :UNITS], both[..., UNITS:]
    slope_n = (1 - update) * (1 - candidates * candidates)
    slope_z = (states[:-1] - candidates) * update * (1 - update)
    slope_r = kept_n * reset * (1 - reset)
    for t in range(steps - 1, -1, -1):
        back += d_states[t]
        d_n = back * slope_n[t]
        d_gates[t, :, two:] = d_n
        d_gates[t, :, :UNITS] = d_n * slope_r[t]
        d_gates[t, :, UNITS:two] = back * slope_z[t]
        d_kept[t, :, :two] = d_gates[t, :, :two]
        d_kept[t, :, two:] = d_n * reset[t]
        back = back * update[t] + d_kept[t] @ w["state"].T
    flat = {"gates": d_gates.reshape(-1, 3 * UNITS), "kept": d_kept.reshape(-1, 3 * UNITS)}
    d_inner = (flat["gates"] @ w["gates"].T) * (inner.reshape(-1, UNITS) > 0)
    d_out = d_scores.reshape(-1, 3)
    return {
        "in": given.reshape(steps * count, -1).T @ d_inner,
        "in_bias": d_inner.sum(axis=0),
        "gates": inner.reshape(-1, UNITS).T @ flat["gates"],
        "gates_bias": flat["gates"].sum(axis=0),
        "state": states[:-1].reshape(-1, UNITS).T @ flat["kept"],
        "state_bias": flat["kept"].sum(axis=0),
        "out": states[1:].reshape(-1, UNITS).T @ d_out,
        "out_bias": d_out.sum(axis=0),
    }, loss


@dataclass
class Adam:
    """Adam (Kingma and Ba, 2015) with gradients cut to :data:`CLIP`."""

    weights: dict[str, Array]
    steps: int = 0

    def __post_init__(self) -> None:
        self.first = {name: numpy.zeros_like(w) for name, w in self.weights.items()}
        self.second = {name: numpy.zeros_like(w) for name, w in self.weights.items()}

    def step(self, slopes: dict[str, Array], rate: float) -> None:
        self.steps += 1
        norm = float(numpy.sqrt(sum(float((g * g).sum()) for g in slopes.values())))
        cut = numpy.float32(min(1.0, CLIP / max(norm, 1e-9)))
        scale = rate * (1 - 0.999**self.steps) ** 0.5 / (1 - 0.9**self.steps)
        for name, slope in slopes.items():
            slope *= cut
            self.first[name] += numpy.float32(0.1) * (slope - self.first[name])
            self.second[name] += numpy.float32(0.001) * (slope * slope - self.second[name])
            change = self.first[name] / (numpy.sqrt(self.second[name]) + numpy.float32(1e-8))
            self.weights[name] -= numpy.float32(scale) * change


def sequences(floor: Floor, walks: Walks, mirrored: bool) -> tuple[Array, Array, Array]:
    """Return numbers, labels and mask of walks; mirrored, left is right."""
    steps, count = walks.cells.shape
    here, facing = walks.cells.ravel(), walks.headings.ravel().astype(int)
    seen = floor.ranges[here, facing]
    away = floor.places[numpy.tile(walks.goals, steps)] - floor.places[here]
    last, labels = walks.last.ravel().astype(int), walks.labels
    given = numbers(seen, away, facing, last, walks.memory.reshape(-1, REMEMBERED))
    if mirrored:
        given, labels = mirror(given), numpy.asarray([RIGHT, LEFT, FORWARD])[labels]
    mask = numpy.arange(steps)[:, None] < walks.lengths[None, :]
    return given.reshape(steps, count, -1), labels, mask.astype(numpy.float32)


def mirror(given: NDArray[float32]) -> NDArray[float32]:
    """Return the numbers in a house that is mirrored."""
    goal = RANGES
    out = given.copy()
    out[:, :RANGES] = given[:, RANGES - 1 :: -1]
    for place in (goal + 1, goal + 3, goal + 7):
        out[:, place] = -given[:, place]
    for one, other in ((goal + 10, goal + 11), (goal + 13, goal + 14)):
        out[:, one], out[:, other] = given[:, other], given[:, one]
    first = RANGES + 16
    for place in range(first, first + 3 * AROUND, AROUND):
        out[:, place : place + AROUND] = given[:, place + -numpy.arange(AROUND) % AROUND]
    near = first + 3 * AROUND
    out[:, near + 2], out[:, near + 4] = given[:, near + 4], given[:, near + 2]
    return out


@dataclass(frozen=True, slots=True)
class Recipe:
    """Episodes of the expert and of each round, passes after each and at the end, and how fast is learned."""

    expert: int = 2000
    round: int = 2500
    rounds: int = 3
    epochs: int = 1
    last_epochs: int = 4
    beta: float = 0.2
    batch: int = 32
    rate: float = 2e-3


def trained(floor: Floor, recipe: Recipe, seed: int, tell: Any = None) -> tuple[RecurrentPolicy, int]:
    """Train a policy in some houses; return it, and the number of states that were labelled."""
    draw = numpy.random.default_rng(seed)
    weights = first_weights(seed)
    policy, adam = RecurrentPolicy(weights), Adam(weights)
    walks = [drive(floor, None, recipe.expert, draw)]
    for number in range(recipe.rounds + 1):
        final = number == recipe.rounds
        loss = fit(floor, walks, adam, recipe, recipe.last_epochs if final else recipe.epochs, draw, final)
        if not final:
            walks.append(drive(floor, policy, recipe.round, draw, recipe.beta))
        if tell is not None:
            tell(f"round {number}: loss {loss:.3f}, arrived {walks[-1].arrived.mean():.3f}")
    return policy, int(sum(w.lengths.sum() for w in walks))


def fit(
    floor: Floor, walks: Sequence[Walks], adam: Adam, recipe: Recipe, epochs: int, draw: Array, falling: bool
) -> float:
    """Go through all walks some times, in batches of like length; return the mean loss of the last pass."""
    batches: list[tuple[int, Array]] = []
    for n, walk in enumerate(walks):
        order = numpy.argsort(walk.lengths, kind="stable")
        order = order[walk.lengths[order] > 0]
        batches += [(n, order[b : b + recipe.batch]) for b in range(0, len(order), recipe.batch)]
    total, losses = epochs * len(batches), []
    done = 0
    for _ in range(epochs):
        losses = []
        for place in draw.permutation(len(batches)).tolist():
            n, chosen = batches[place]
            given = sequences(floor, walks[n].part(chosen), bool(draw.integers(2)))
            slopes, loss = gradients(adam.weights, *given)
            adam.step(slopes, recipe.rate * (1 - 0.95 * done / total if falling else 1))
            losses.append(loss)
            done += 1
    return float(numpy.mean(losses))
