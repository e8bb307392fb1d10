"""A drawing as SVG text: attributes alone, no style, no script, no link; every text is escaped."""

from __future__ import annotations

from html import escape

from .shapes import Box, Dot, Drawing, Path, Shape, Words

FONT = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"


def svg_of(drawing: Drawing) -> str:
    """Return a drawing as an SVG element on white paper, the same bytes for the same drawing."""
    wide, high = _number(drawing.width), _number(drawing.height)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" height="{high}"'
    )
    head += f' role="img" font-family="{FONT}">'
    paper = f'<rect width="{wide}" height="{high}" fill="#ffffff"/>'
    title = f"<title>{escape(drawing.title)}</title>"
    return "\n".join([head, title, paper, *map(_element, drawing.shapes), "</svg>", ""])


def _element(shape: Shape) -> str:
    match shape:
        case Box(x, y, width, height, fill, stroke, radius):
            size = f'x="{_number(x)}" y="{_number(y)}" width="{_number(width)}" height="{_number(height)}"'
            corners = f' rx="{_number(radius)}"' if radius else ""
            return f"<rect {size}{corners} {_paint(fill, stroke)}/>"
        case Dot(x, y, radius, fill, stroke):
            place = f'cx="{_number(x)}" cy="{_number(y)}" r="{_number(radius)}"'
            return f"<circle {place} {_paint(fill, stroke)}/>"
        case Path(points, stroke, width, fill, dashed):
            turns = " ".join(f"{_number(x)},{_number(y)}" for x, y in points)
            look = f'{_paint(fill, stroke)} stroke-width="{_number(width)}" stroke-linejoin="round"'
            dashes = ' stroke-dasharray="5 4"' if dashed else ' stroke-linecap="round"'
            return f'<polyline points="{turns}" {look}{dashes}/>'
        case Words():
            return _text(shape)


def _text(words: Words) -> str:
    look = f'x="{_number(words.x)}" y="{_number(words.y)}" font-size="{_number(words.size)}"'
    look += f' fill="{words.fill}"'
    if words.bold:
        look += ' font-weight="bold"'
    if words.anchor != "start":
        look += f' text-anchor="{words.anchor}"'
    if words.halo:
        look += ' stroke="#ffffff" stroke-width="3" stroke-linejoin="round" paint-order="stroke"'
    return f"<text {look}>{escape(words.text)}</text>"


def _paint(fill: str, stroke: str) -> str:
    return f'fill="{fill}"' if stroke == "none" else f'fill="{fill}" stroke="{stroke}"'


def _number(value: float) -> str:
    return f"{round(value, 1):g}" if abs(value) < 1e5 else f"{value:.0f}"
