"""The picture of a scene, and of what a run did in it: floors, the route with numbered stops, goal and end.

From top to bottom: what was asked and what came of it, the goal in words, the floors with everything that is
drawn upon them, the stops in words, and what the signs mean.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

from ...simulator.belief import Belief
from ...simulator.scene import Scene
from .contents import GOOD, Contents, contents_of, contents_of_scene
from .floors import floors_of, round_metres
from .journey import Stop
from .nested import SIZE
from .paper import Paper, laid_out
from .shapes import (
    BLUE,
    DIM,
    GREEN,
    INK,
    LINE,
    MARGIN,
    OPENED,
    ORANGE,
    PALE,
    RED,
    VISITED,
    WIDTH,
    Box,
    Dot,
    Drawing,
    Label,
    Path,
    Point,
    Shape,
    Words,
    fitted,
    name_of,
    placed,
    title_of,
    width_of,
    wrapped,
)  # fmt: skip

MOST_STOPS = 48
"""Most stops that are listed in words."""
MOST_LINES = 8
"""Most lines of the goal, and of the reasons."""
MOST_LABELS = 400
MOST_NAMED = 150
"""Most pieces of furniture that have their names in the picture of a scene alone."""
MOST_THINGS = 4000
"""Most things that are drawn as dots where they do not matter."""
_INNER = WIDTH - 2 * MARGIN
_LEADING = 18.0


def picture_of_scene(scene: Scene) -> Drawing:
    """Return the picture of a scene alone."""
    return _drawn(scene, contents_of_scene(scene))


def picture_of(record: Mapping[str, object], belief: Belief) -> Drawing:
    """Return the picture of a run, from the JSON of its record and the scene that it was given."""
    return _drawn(belief.scene, contents_of(record, belief))


def map_of(scene: Scene, contents: Contents) -> tuple[Drawing, Paper]:
    """Return the floors alone, with the route and what its signs mean, and where everything is drawn."""
    paper, shapes, y = _floors(scene, contents, 4.0)
    legend, y = _legend(paper, contents, y)
    return Drawing(WIDTH, y + 8, _title(contents), (*shapes, *legend)), paper


def _drawn(scene: Scene, contents: Contents) -> Drawing:
    head, y = _head(contents)
    paper, shapes, y = _floors(scene, contents, y)
    below, y = _stops(contents, scene, y)
    legend, y = _legend(paper, contents, y + 14)
    return Drawing(WIDTH, y + 12, _title(contents), (*head, *shapes, *below, *legend))


def _floors(scene: Scene, contents: Contents, y: float) -> tuple[Paper, list[Shape], float]:
    """Return the floors from a height on with all that is drawn upon them, and where they end."""
    way = contents.journey.way if contents.journey.stops else ()
    passed = {room for node in way if (room := scene.room_of(node)) is not None}
    matter = {*contents.marked, *contents.journey.way, *contents.opened}
    paper = laid_out(scene, floors_of(scene), y, matter)
    ground = list(_ground(paper, scene, passed, contents))
    signs, taken = _signs(paper, scene, contents)
    labels = placed(
        _labels(paper, scene, passed, contents),
        [*taken, *_titles(paper), *_furniture(paper, scene)],
        MOST_LABELS,
    )
    shapes = [*ground, *_route(paper, scene, contents), *_texts(paper), *labels, *signs]
    y = paper.bottom + 30
    if paper.left_out:
        floors = "1 other floor is" if paper.left_out == 1 else f"{paper.left_out} other floors are"
        shapes.append(Words(MARGIN, paper.bottom + 20, f"{floors} not drawn", 12, DIM))
        y += 20
    return paper, shapes, y


def _title(contents: Contents) -> str:
    words = [name_of(contents.heading or contents.goal, 300), name_of(contents.outcome.replace("-", " "))]
    return ": ".join(word for word in words if word) or "a scene"


def _head(contents: Contents) -> tuple[list[Shape], float]:
    """Return what was asked, what came of it and the goal, and where they end."""
    shapes: list[Shape] = []
    y = MARGIN + 14.0
    for line in wrapped(name_of(contents.heading or contents.goal, 600), _INNER, 17, 3, bold=True):
        shapes.append(Words(MARGIN, y, line, 17, bold=True))
        y += 23
    good = contents.outcome in GOOD
    x = float(MARGIN)
    if contents.outcome:
        words = f"{'✓' if good else '✗'} {name_of(contents.outcome.replace('-', ' '))}"
        words += ", relaxed" if contents.relaxed else ""
        shapes.append(Words(x, y, words, 14, GREEN if good else RED, bold=True))
        x += width_of(words, 14, bold=True) + 10
    facts = " · ".join(name_of(fact, 80) for fact in contents.facts)
    if facts:
        shapes.append(Words(x, y, fitted(facts, WIDTH - MARGIN - x, 13), 13, DIM))
    y += _LEADING + 2 if contents.outcome or facts else 0
    y = (
        _paragraph(shapes, "Asked for, and impossible: ", [contents.relaxed], y, RED)
        if contents.relaxed
        else y
    )
    if contents.goal and (contents.heading or contents.relaxed):
        lead = "Answer: " if contents.outcome == "answered" else "Goal: "
        y = _paragraph(shapes, lead, [contents.goal], y, INK)
    y = _paragraph(shapes, "", contents.reasons if not good else (), y, RED)
    return shapes, y


def _paragraph(shapes: list[Shape], lead: str, texts: Iterable[str], y: float, fill: str) -> float:
    """Add texts in lines from a height on; return where they end."""
    left = MOST_LINES
    for text in texts:
        for line in wrapped(lead + name_of(text, 1200), _INNER, 13, left):
            shapes.append(Words(MARGIN, y, line, 13, fill))
            y, left = y + _LEADING, left - 1
        if left <= 0:
            break
    return y


def _ground(paper: Paper, scene: Scene, passed: set[str], contents: Contents) -> Iterator[Shape]:
    """Yield frames, rooms, links, furniture and things: all that the route is drawn upon."""
    for _, frame in paper.frames:
        yield Box(frame.x, frame.y, frame.width, frame.height, "#ffffff", LINE, 4)
    for room, box in paper.rooms.items():
        fill = VISITED if room in passed else OPENED if room in contents.opened else PALE
        yield Box(box.x, box.y, box.width, box.height, fill, LINE, box.radius)
    nested = {placed.node for placed in paper.boxes}
    flat = {node: point for node, point in paper.at.items() if node not in nested}
    for link in scene.links:
        if link.a in flat and link.b in flat and _frame(flat[link.a], paper) == _frame(flat[link.b], paper):
            yield Path((flat[link.a], flat[link.b]), LINE, 1)
    things = [i for i in paper.at if i not in nested and scene.nodes[i].type in ("asset", "object", "part")]
    for thing in things[:MOST_THINGS]:
        x, y = paper.at[thing]
        if scene.nodes[thing].type == "object":
            yield Dot(x, y, 1.6, "#8b959f")
        else:
            yield Box(x - 3, y - 3, 6, 6, "#c8d0d8", "#8b959f")
    for one in paper.boxes:
        fill = ("#ffffff", "#ffffff", PALE)[min(one.depth, 2)] if one.depth else PALE
        if one.depth == 0:
            fill = VISITED if one.node in passed else OPENED if one.node in contents.opened else PALE
        mark = ORANGE if one.node in contents.answers else INK if one.node in contents.marked else LINE
        yield Box(one.box.x, one.box.y, one.box.width, one.box.height, fill, mark, one.box.radius)


def _titles(paper: Paper) -> Iterator[Box]:
    """Yield where the titles of floors, the scales and the names in boxes are."""
    for title, frame in paper.frames:
        if title:
            yield Box(frame.x, frame.y, width_of(title, 12, bold=True) + 12, 20)
    for ground in paper.grounds:
        x, y = ground.bar
        yield Box(x, y - 14, round_metres(70 / ground.scale) * ground.scale + 60, 16)


def _furniture(paper: Paper, scene: Scene) -> Iterator[Box]:
    """Yield where furniture is, which names keep off where there is not much of it."""
    flat = [a for a in scene.by_type.get("asset", ()) if a in paper.at]
    for x, y in (paper.at[asset] for asset in flat if len(flat) <= MOST_NAMED):
        yield Box(x - 3, y - 3, 6, 6)


def _texts(paper: Paper) -> Iterator[Shape]:
    """Yield the titles of floors, the scales, and the names in boxes."""
    for title, frame in paper.frames:
        if title:
            yield Words(
                frame.x + 8, frame.y + 15, fitted(name_of(title), frame.width - 16, 12, True), 12, DIM, True
            )
    for ground in paper.grounds:
        x, y = ground.bar
        metres = round_metres(70 / ground.scale)
        end = x + metres * ground.scale
        yield Path(((x, y - 4), (x, y), (end, y), (end, y - 4)), DIM, 1)
        yield Words(end + 5, y, f"{metres:g} m", 10, DIM, halo=True)
    for one in paper.boxes:
        yield Words(one.box.x + 6, one.box.y + 12.5, one.title, SIZE, INK, bold=not one.leaf, halo=True)


def _route(paper: Paper, scene: Scene, contents: Contents) -> Iterator[Shape]:
    """Yield the way of the robot; between two floors it is dashed."""
    points = [point for node in contents.journey.way if (point := paper.place(node, scene)) is not None]
    for ground in paper.grounds[:1] if contents.walked else ():
        yield Path(tuple(map(ground.on_paper, contents.walked)), BLUE, 2)
    drawn: set[frozenset[Point]] = set()
    for a, b in pairwise(points):
        if a != b and (ends := frozenset((a, b))) not in drawn:
            drawn.add(ends)
            changes = _frame(a, paper) != _frame(b, paper)
            yield Path((a, b), BLUE, 1.5 if changes else 3, dashed=changes)


def _frame(point: Point, paper: Paper) -> int:
    """Return the number of the frame around a point; -1 for none."""
    x, y = point
    frames = enumerate(box for _, box in paper.frames)
    return next((n for n, b in frames if b.x <= x <= b.x + b.width and b.y <= y <= b.y + b.height), -1)


def _signs(paper: Paper, scene: Scene, contents: Contents) -> tuple[list[Shape], list[Box]]:
    """Return the robot's start, the numbers of its stops and the marks of answers, and where they are."""
    shapes: list[Shape] = []
    taken: list[Box] = []
    for answer in contents.answers:
        if (point := paper.place(answer, scene)) is not None:
            shapes.append(_star(point))
            taken.append(Box(point[0] - 8, point[1] - 8, 16, 16))
    numbers: dict[Point, list[int]] = {}
    failed = {n for n, stop in enumerate(contents.journey.stops, 1) if stop.fails}
    for number, stop in enumerate(contents.journey.stops, 1):
        if (point := paper.place(stop.place, scene)) is not None:
            numbers.setdefault(point, []).append(number)
    for ground in paper.grounds[:1] if contents.walked else ():
        x, y = ground.on_paper(contents.walked[0])
        shapes.append(_robot((x, y)))
        taken.append(Box(x - 8, y - 8, 16, 16))
    for node in contents.journey.way[:1]:
        if (point := paper.place(node, scene)) is not None:
            x, y = (point[0], point[1]) if point not in numbers else (point[0] - 26, point[1])
            shapes.append(_robot((x, y)))
            taken.append(Box(x - 8, y - 8, 16, 16))
    for (x, y), listed in numbers.items():
        few = [str(n) for n in listed[:4]] + (["…"] if len(listed) > 4 else [])
        text = ",".join(few)
        bad = not failed.isdisjoint(listed)
        text = f"✗ {text}" if bad else text
        half = max(8.5, width_of(text, 11, True) / 2 + 4)
        shapes.append(Box(x - half, y - 8.5, 2 * half, 17, RED if bad else BLUE, "#ffffff", 8.5))
        shapes.append(Words(x, y + 4, text, 11, "#ffffff", True, "middle"))
        taken.append(Box(x - half, y - 8.5, 2 * half, 17))
    return shapes, taken


def _robot(point: Point) -> Path:
    x, y = point
    return Path(((x, y - 9), (x + 8, y + 6), (x - 8, y + 6), (x, y - 9)), "#ffffff", 1.5, GREEN)


def _star(point: Point) -> Path:
    x, y = point
    return Path(((x, y - 8), (x + 8, y), (x, y + 8), (x - 8, y), (x, y - 8)), INK, 1, ORANGE)


def _labels(paper: Paper, scene: Scene, passed: set[str], contents: Contents) -> Iterator[Label]:
    """Yield names for what is drawn by positions, the most important ones first."""
    nested = {one.node for one in paper.boxes}
    stops = {stop.place for stop in contents.journey.stops}
    rooms = sorted(paper.rooms, key=lambda r: (r not in passed, r not in contents.opened))
    for room in rooms:
        if room in passed or room in contents.answers:
            yield Label(_head_of(paper.rooms[room]), title_of(room, scene), 12, INK, True, 3, True, True)
    named = (n for n in (*contents.answers, *contents.marked) if n not in paper.rooms and n not in nested)
    for node in dict.fromkeys(named):
        if scene.nodes[node].type != "pose" and (point := paper.place(node, scene)) is not None:
            gap = 11 if node in stops else 6
            yield Label(point, title_of(node, scene, 24), 11, INK, node in contents.answers, gap, far=True)
    for room in rooms:
        if room not in passed:
            yield Label(_head_of(paper.rooms[room]), title_of(room, scene, 24), 11, DIM, False, 3, True)
    if not contents.marked and len(scene.by_type.get("asset", ())) <= MOST_NAMED:
        for node, point in paper.at.items():
            if node not in nested and scene.nodes[node].type == "asset":
                yield Label(point, title_of(node, scene, 20), 9, DIM, False, 5)


def _head_of(box: Box) -> Point:
    """Return the middle of the upper side of a room."""
    return box.x + box.width / 2, box.y


def _stops(contents: Contents, scene: Scene, y: float) -> tuple[list[Shape], float]:
    """Return the stops in words, in two columns, and where they end."""
    stops = contents.journey.stops[:MOST_STOPS]
    if not stops:
        return [], y - 16
    shapes: list[Shape] = [Words(MARGIN, y, "Stops", 13, INK, True)]
    half = (_INNER - 24) / 2
    wide = half if len(stops) > 4 else _INNER
    rows = [_stop_lines(n, stop, scene, wide) for n, stop in enumerate(stops, 1)]
    total = sum(map(len, rows))
    top = y + _LEADING
    x, y, lowest, done, second = float(MARGIN), top, top, 0, False
    for stop, lines in zip(stops, rows, strict=True):
        if wide == half and not second and done >= total / 2:
            x, y, second = MARGIN + half + 24, top, True
        for line in lines:
            shapes.append(Words(x, y, line, 12, RED if stop.fails else INK))
            y, done = y + 16, done + 1
        lowest = max(lowest, y)
    if more := len(contents.journey.stops) - len(stops):
        shapes.append(Words(MARGIN, lowest, f"and {more} more stops", 12, DIM))
        lowest += 16
    return shapes, lowest


def _stop_lines(number: int, stop: Stop, scene: Scene, wide: float) -> list[str]:
    room = scene.room_of(stop.place)
    where = title_of(stop.place, scene)
    if room is not None and room != stop.place:
        where += f" in {title_of(room, scene)}"
    deeds = Counter(stop.deeds)
    words = ", ".join(f"{deed} ({n} times)" if n > 1 else deed for deed, n in deeds.items())
    return wrapped(f"{'✗ ' if stop.fails else ''}{number}  {where}: {words}", wide, 12, 3)


def _legend(paper: Paper, contents: Contents, y: float) -> tuple[list[Shape], float]:
    """Return what the signs mean that are on the paper, in a line."""
    shapes: list[Shape] = []
    x = float(MARGIN)

    def add(sign: list[Shape], wide: float, words: str) -> None:
        nonlocal x
        shapes.extend([*sign, Words(x + wide + 5, y + 4, words, 11, DIM)])
        x += wide + 5 + width_of(words, 11) + 14

    if contents.journey.way or contents.walked:
        add([_robot((x + 8, y))], 16, "robot at the start")
    if contents.walked:
        add([Path(((x, y), (x + 22, y)), BLUE, 2)], 22, "its way")
    if contents.journey.stops:
        add([Path(((x, y), (x + 22, y)), BLUE, 3)], 22, "its route")
        if len(paper.frames) > 1:
            add([Path(((x, y), (x + 22, y)), BLUE, 1.5, dashed=True)], 22, "to another floor")
        stop = Box(x, y - 8, 16, 16, BLUE, "none", 8)
        add([stop, Words(x + 8, y + 4, "1", 11, "#ffffff", True, "middle")], 16, "stop")
        add([Box(x, y - 7, 14, 14, VISITED, LINE, 2)], 14, "room passed")
    if contents.opened:
        add([Box(x, y - 7, 14, 14, OPENED, LINE, 2)], 14, "room opened by the search")
    if contents.answers:
        add([_star((x + 8, y))], 16, "answer")
    if paper.rooms:
        add([Box(x, y - 3, 6, 6, "#c8d0d8", "#8b959f")], 6, "furniture")
        add([Dot(x + 2, y, 1.6, "#8b959f")], 4, "thing")
        add([Path(((x, y), (x + 18, y)), LINE, 1)], 18, "way")
    return shapes, y + 8
