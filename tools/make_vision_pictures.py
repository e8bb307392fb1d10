"""Pictures of 24 places of the scene ``home`` with annotations, for `groundplan vision` and `run --pictures`.

    python -P tools/make_vision_pictures.py [FOLDER]

Each is drawn from the scene alone, by Pillow (the extra ``report`` brings it): a room with its furniture and
what lies in the open, or what is inside of a piece of furniture. They are drawings, not photographs. A file
is called like its place, and ``NAME.json`` beside it says what is there, in the form of LookPlanGraph's
appendix B. How things look is in ``vision_shapes.toml``.
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path

from PIL import Image, ImageDraw

from groundplan import load_scene
from groundplan.language.vision.eye import named_of
from groundplan.simulator.scene import Node, Scene

SCENE = "home"
FOLDER = Path(__file__).parent.parent / "datasets" / "pictures" / SCENE
WIDTH, HEIGHT = 480, 360
FINE = 3
"""How much larger everything is drawn than it is kept, for smooth edges."""
COLOURS = 96
MOST_BYTES = 20_000

Shape = tuple[str, str, Sequence[float]]
"""A shape of a thing: its kind, its colour, its points in a square of 1 by 1."""
Box = tuple[float, float, float, float]


def _shape(text: str) -> Shape:
    kind, colour, *points = text.split()
    return kind, colour, tuple(map(float, points))


_LOOKS = tomllib.loads((Path(__file__).parent / "vision_shapes.toml").read_text(encoding="utf-8"))
THINGS = {
    name: (float(looks["height"]), tuple(map(_shape, looks["shapes"])))
    for name, looks in _LOOKS["things"].items()
}
"""Things by name: how high each is drawn, in pixels of the picture, and its shapes."""
MORE = {name: tuple(map(_shape, shapes)) for name, shapes in _LOOKS["more"].items()}
"""Further shapes of things by what the scene says of them, or by the first word of their name."""
SOCKS = {"red": "#c7362f", "blue": "#2f62b8", "green": "#3c9950"}
WALLS = {
    "bathroom": "#cfe3e6",
    "bedroom": "#e6dccd",
    "kitchen": "#e9e4cf",
    "living": "#dfd9e6",
    "dining": "#ead9c8",
    "home": "#d9e0d4",
    "closet": "#e3e0dc",
    "playroom": "#f0dfb8",
}
FLOORS = {"bathroom": "#9fb7ba", "kitchen": "#b9ab8d"}
WOOD = "#9c6b3f"
SHADOW = "#6d6258"
PIECES: dict[str, tuple[int, int, str]] = {
    "bathtub": (190, 78, "#f4f6f7"), "bed": (330, 84, "#7a9bb8"), "chair": (54, 96, "#8a5a33"),
    "chest": (190, 110, WOOD), "couch": (260, 92, "#8c5d6b"), "counter": (210, 112, "#c9b79a"),
    "desk": (330, 120, WOOD), "dishwasher": (78, 112, "#dfe3e6"), "fridge": (84, 196, "#eef1f3"),
    "microwave": (70, 60, "#55595f"), "nightstand": (86, 96, WOOD), "oven": (84, 112, "#6d7278"),
    "shelf": (220, 190, WOOD), "side_table": (100, 96, WOOD), "sink": (150, 112, "#f4f6f7"),
    "table": (320, 112, WOOD), "toilet": (92, 104, "#f7f8f8"), "tv_stand": (300, 84, "#5b4636"),
    "wardrobe": (200, 250, WOOD),
}  # fmt: skip
"""Furniture by kind: width and height in pixels of the picture, and colour."""


class Canvas:
    """A picture that is drawn larger than it is kept."""

    def __init__(self) -> None:
        self.image = Image.new("RGB", (WIDTH * FINE, HEIGHT * FINE), "white")
        self.draw = ImageDraw.Draw(self.image)

    def rectangle(self, box: Box, colour: str, outline: str | None = None, radius: float = 3) -> None:
        scaled = [FINE * value for value in box]
        self.draw.rounded_rectangle(scaled, radius * FINE, colour, outline, FINE)

    def polygon(self, points: Sequence[float], colour: str) -> None:
        self.draw.polygon([FINE * value for value in points], colour)

    def line(self, points: Sequence[float], colour: str, width: float = 4) -> None:
        self.draw.line([FINE * value for value in points], colour, int(width * FINE), joint="curve")

    def ellipse(self, box: Box, colour: str) -> None:
        self.draw.ellipse([FINE * value for value in box], colour)

    def shapes(self, shapes: Sequence[Shape], box: Box, own: str) -> None:
        """Draw shapes of a square in a box."""
        left, top, right, bottom = box
        for kind, colour, points in shapes:
            placed = [
                left + value * (right - left) if i % 2 == 0 else top + value * (bottom - top)
                for i, value in enumerate(points)
            ]
            colour = own if colour == "SELF" else colour
            if kind == "e":
                self.ellipse((placed[0], placed[1], placed[2], placed[3]), colour)
            elif kind == "r":
                self.rectangle((placed[0], placed[1], placed[2], placed[3]), colour)
            elif kind == "p":
                self.polygon(placed, colour)
            else:
                self.line(placed, colour, (right - left) / 14)

    def save(self, path: Path) -> None:
        small = self.image.resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS)
        small.quantize(COLOURS).save(path, optimize=True)


def kind_of(node: Node) -> str:
    return named_of(node.id)[0]


def draw_things(canvas: Canvas, things: Sequence[Node], left: float, right: float, bottom: float) -> None:
    """Draw things that share a line, smaller where they would hide each other."""
    room = (right - left) / max(1, len(things))
    for number, thing in enumerate(things):
        draw_thing(canvas, thing, left + room * (number + 0.5), bottom, most=room)


def draw_thing(canvas: Canvas, thing: Node, middle: float, bottom: float, most: float = WIDTH) -> None:
    """Draw a thing that stands on a line, at most so wide."""
    kind = kind_of(thing)
    first, _, last = kind.rpartition("_")
    name = kind if kind in THINGS else last
    size, shapes = THINGS[name]
    words = [*thing.attributes, *thing.state, first]
    extra = [shape for word in dict.fromkeys(words) for shape in MORE.get(word, ())]
    own = next((SOCKS[word] for word in words if word in SOCKS), "#777777")
    narrow = 0.8 if name in ("potted_plant", "vase") else 1
    size = min(size, most / narrow)
    width = size * narrow
    box = (middle - width / 2, bottom - size, middle + width / 2, bottom)
    canvas.ellipse((middle - width * 0.42, bottom - 3, middle + width * 0.42, bottom + 3), SHADOW)
    canvas.shapes((*shapes, *extra), box, own)


def draw_piece(
    canvas: Canvas, piece: Node, left: float, ground: float, scale: float = 1
) -> tuple[float, float, float]:
    """Draw furniture from the left; return where its top begins and ends, and how high that is."""
    kind = kind_of(piece)
    wide, height, colour = PIECES[kind]
    width = wide * scale
    if kind == "microwave":  # on a board at the wall
        ground -= 130
        canvas.rectangle((left - 10, ground, left + width + 10, ground + 8), WOOD)
    right, top = left + width, ground - height
    dark = shade(colour, 0.72)
    if kind in ("table", "desk", "side_table", "tv_stand"):
        for x in (left + 8, right - 18):
            canvas.rectangle((x, top + 10, x + 10, ground), dark)
        canvas.rectangle((left, top, right, top + 16), colour, dark)
    elif kind == "chair":
        canvas.rectangle((left + 4, top, left + 12, ground), dark)
        canvas.rectangle((left + 4, ground - 46, right - 4, ground - 38), colour)
        canvas.rectangle((right - 12, ground - 46, right - 4, ground), dark)
        canvas.rectangle((left + 4, top, left + 14, ground - 40), colour)
    elif kind == "bed":
        canvas.rectangle((left, top - 50, left + 14, ground), WOOD)
        canvas.rectangle((left + 10, top + 12, right, ground - 14), colour, dark)
        canvas.rectangle((left + 10, top, right, top + 26), "#dfe9f2", dark)
        canvas.rectangle((right - 12, top + 10, right, ground), WOOD)
    elif kind == "couch":
        canvas.rectangle((left, top - 44, right, ground - 8), dark, None, 12)
        canvas.rectangle((left + 20, top, right - 20, ground - 10), colour, dark, 8)
        for x in (left, right - 26):
            canvas.rectangle((x, top - 14, x + 26, ground - 8), colour, dark, 10)
        return left + 30, right - 30, top + 6
    elif kind == "toilet":
        canvas.rectangle((left + 8, top - 10, right - 8, top + 44), colour, dark)
        canvas.ellipse((left + 4, top + 38, right - 4, top + 74), colour)
        canvas.polygon(
            (left + 22, top + 60, right - 22, top + 60, right - 30, ground, left + 30, ground), colour
        )
    elif kind == "bathtub":
        canvas.rectangle((left, top, right, ground - 10), colour, dark, 24)
        canvas.rectangle((left + 12, top + 8, right - 12, top + 22), "#a9d4e6")
    elif kind == "sink":
        canvas.rectangle((left, top, right, top + 18), colour, dark)
        canvas.rectangle((left + 8, top + 18, right - 8, ground), "#b8c4c8", dark)
        canvas.line(
            (right - 30, top, right - 30, top - 26, right - 52, top - 26, right - 52, top - 14), "#8b979d"
        )
        return left + 4, right - 56, top + 2
    elif kind == "shelf":
        canvas.rectangle((left, top, right, ground), shade(colour, 0.5))
        for y in (top, top + height / 2 - 6, ground - 14):
            canvas.rectangle((left, y, right, y + 12), colour)
        for x in (left, right - 10):
            canvas.rectangle((x, top, x + 10, ground), colour)
        return left + 14, right - 14, top + height / 2 - 4
    else:
        canvas.rectangle((left, top, right, ground), colour, dark)
        if kind in ("counter", "nightstand", "wardrobe", "chest"):
            canvas.rectangle((left - 3, top, right + 3, top + 12), shade(colour, 0.85), dark)
        doors = {"counter": 3, "wardrobe": 2, "fridge": 1, "dishwasher": 1, "oven": 1, "nightstand": 1}.get(
            kind, 1
        )
        for number in range(doors):
            x = left + number * width / doors
            canvas.rectangle((x + 5, top + 18, x + width / doors - 5, ground - 6), shade(colour, 0.92), dark)
            canvas.line((x + width / doors - 14, top + 30, x + width / doors - 14, top + 56), dark, 3)
        if kind in ("oven", "microwave"):
            canvas.rectangle((left + 12, top + 24, right - 18, ground - 14), "#22252a")
    return left + 6, right - 6, top + 3


def shade(colour: str, by: float) -> str:
    parts = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{min(255, int(value * by)):02x}" for value in parts)


def draw_room(scene: Scene, room: str) -> tuple[Canvas, list[Node]]:
    """Draw a room with its furniture, and what is in the open; return also the things, as they are drawn."""
    canvas = Canvas()
    kind = named_of(room)[0].split("_")[0]
    wall, floor = WALLS.get(kind, "#dddddd"), FLOORS.get(kind, "#b08d68")
    ground = 262.0
    canvas.rectangle((0, 0, WIDTH, 236), wall, radius=0)
    canvas.rectangle((0, 236, WIDTH, HEIGHT), floor, radius=0)
    canvas.line((0, 236, WIDTH, 236), shade(floor, 0.7), 3)
    if kind == "bathroom":
        for x in range(0, WIDTH, 40):
            canvas.line((x, 0, x, 236), shade(wall, 0.93), 1)
    pieces = [n for n in scene.nodes.values() if n.type in ("asset", "part") and scene.room_of(n.id) == room]
    order = sorted(pieces, key=lambda n: (kind_of(n) == "chair", kind_of(n) == "microwave"))
    widths = {n.id: PIECES[kind_of(n)][0] for n in order}
    chairs = [n for n in order if kind_of(n) == "chair"]
    row = [n for n in order if n not in chairs]
    scale = min(1.0, (WIDTH - 12 * (len(row) + 1)) / max(1, sum(widths[n.id] for n in row)))
    gap = (WIDTH - scale * sum(widths[n.id] for n in row)) / (len(row) + 1)
    drawn: list[Node] = []
    left = gap
    tops: list[tuple[Node, tuple[float, float, float]]] = []
    for piece in row:
        tops.append((piece, draw_piece(canvas, piece, left, ground, scale)))
        left += scale * widths[piece.id] + gap
    for piece, (start, end, top) in tops:
        things = [scene.nodes[i] for i in scene.children.get(piece.id, ())]
        things = [n for n in things if n.type == "object" and n.relation == "ontop_of"]
        draw_things(canvas, things, start, end, top)
        drawn += things
    for number, chair in enumerate(chairs):
        draw_piece(canvas, chair, 20 + number * (WIDTH - 80) / max(1, len(chairs) - 1) * 0.98, 318)
    on_floor = [scene.nodes[i] for i in scene.children.get(room, ()) if scene.nodes[i].type == "object"]
    draw_things(canvas, on_floor, 40, WIDTH - 40, 346)
    return canvas, [*drawn, *on_floor]


def draw_inside(scene: Scene, name: str) -> tuple[Canvas, list[Node]]:
    """Draw a piece of furniture that is open, with what is in it."""
    canvas, piece = Canvas(), scene.nodes[name]
    kind = kind_of(piece)
    colour = PIECES[kind][2]
    light = {"fridge": "#f2fbff", "dishwasher": "#cdd6da"}.get(kind, shade(colour, 0.55))
    canvas.rectangle((0, 0, WIDTH, HEIGHT), "#d7d2c8", radius=0)
    canvas.rectangle((100, 20, 380, 346), shade(colour, 0.9), shade(colour, 0.6))
    canvas.rectangle((116, 36, 364, 330), light)
    things = [scene.nodes[i] for i in scene.children.get(name, ()) if scene.nodes[i].relation == "inside_of"]
    bottom = 322.0
    if kind == "chest":
        canvas.rectangle((0, 0, WIDTH, HEIGHT), "#d7d2c8", radius=0)
        canvas.polygon((90, 60, 390, 60, 410, 170, 70, 170), shade(colour, 0.8))
        canvas.rectangle((70, 170, 410, 330), shade(colour, 0.45))
        bottom = 286
    elif kind == "wardrobe":
        canvas.line((116, 62, 364, 62), "#8a8a8a", 4)
        bottom = 300
    else:
        for side in ((30, 20, 100, 346), (380, 20, 450, 346)):
            canvas.rectangle(side, colour, shade(colour, 0.6))
        lines = (150, 238, 326)
        for y in lines:
            canvas.line((118, y, 362, y), shade(colour, 0.7), 4)
        bottom = 238
    hanging = [n for n in things if kind == "wardrobe" and kind_of(n) == "shirt"]
    draw_things(canvas, hanging, 130, 250, 182)
    draw_things(canvas, [n for n in things if n not in hanging], 250 if hanging else 130, 350, bottom)
    if kind == "chest":
        canvas.rectangle((70, 280, 410, 340), colour, shade(colour, 0.6))
        canvas.rectangle((226, 312, 254, 336), "#d9b44a")
    if kind == "wardrobe":
        for side in ((30, 20, 100, 346), (380, 20, 450, 346)):
            canvas.rectangle(side, colour, shade(colour, 0.6))
    return canvas, things


def annotation(scene: Scene, things: Sequence[Node], known: Sequence[str]) -> dict[str, object]:
    """Return what is to be said of a picture: names as in the scene, numbers from 1 in the order drawn."""
    counts: dict[str, int] = {}
    objects: list[dict[str, object]] = []
    for thing in things:
        kind = kind_of(thing)
        counts[kind] = counts.get(kind, 0) + 1
        parent = scene.nodes[thing.parent or ""]
        place = "floor" if parent.type == "room" else kind_of(parent)
        states = {"open": "open", "closed": "closed", "on": "turned_on", "off": "turned_off"}
        objects.append({
            "name": [kind, counts[kind]],
            "relation": thing.relation,
            "related_to": [place, 1],
            "states": ", ".join(states[word] for word in thing.state if word in states),
            "properties": "",
        })  # fmt: skip
    return {"known": list(known), "objects": objects}


def places(scene: Scene) -> list[tuple[str, str, Callable[[Scene, str], tuple[Canvas, list[Node]]]]]:
    """Return the places with things in them: the name of the file, the node, and how it is drawn."""
    things = [n for n in scene.nodes.values() if n.type == "object" and n.parent is not None]
    rooms = [n.id for n in scene.nodes.values() if n.type == "room"]
    in_open = {scene.room_of(n.id) for n in things if n.relation == "ontop_of"}
    inside = dict.fromkeys(n.parent or "" for n in things if n.relation == "inside_of")
    return [
        *((room, room, draw_room) for room in rooms if room in in_open),
        *((f"inside_of-{name}", name, draw_inside) for name in inside),
    ]


def main(folder: Path) -> None:
    scene = load_scene(SCENE)
    folder.mkdir(parents=True, exist_ok=True)
    for name, node, draw in places(scene):
        canvas, things = draw(scene, node)
        path = folder / f"{name}.png"
        canvas.save(path)
        if path.stat().st_size > MOST_BYTES:
            raise SystemExit(f"{path} has {path.stat().st_size} bytes")
        fixed = [
            n.id for n in scene.nodes.values() if n.type in ("asset", "part") and scene.room_of(n.id) == node
        ]
        text = json.dumps(annotation(scene, things, fixed or [node]), indent=1)
        path.with_suffix(".json").write_text(text + "\n", encoding="utf-8")
    print(f"{len(places(scene))} pictures in {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
