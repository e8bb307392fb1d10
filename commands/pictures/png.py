"""A drawing as a PNG file, by matplotlib: the same shapes as in SVG, the same bytes for the same drawing."""

from __future__ import annotations

import io
import warnings
from typing import TYPE_CHECKING

from ...evaluation.report.forms.plots import EXTRA, PlotsMissing, can_draw
from .shapes import Box, Dot, Drawing, Path, Shape, Words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.patches import Patch

SCALE = 2.0
"""Pixels of the file for a pixel of the drawing."""
MAX_PIXELS = 40_000_000
"""Most pixels of a file; a larger drawing is drawn smaller."""
_INCH = 100
"""Pixels of a drawing in an inch of matplotlib's paper."""


def png_of(drawing: Drawing) -> bytes:
    """Return a drawing as a PNG file. Raises :class:`PlotsMissing` where matplotlib is not installed."""
    if not can_draw():
        raise PlotsMissing(
            f"a PNG is drawn by matplotlib, which is not installed; install {EXTRA}, or take --svg"
        )
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # letters that the font does not have are boxes
        matplotlib.rcParams.update(matplotlib.rcParamsDefault)
        matplotlib.rcParams.update({"text.parse_math": False, "font.family": ["DejaVu Sans"]})
        figure = Figure(figsize=(drawing.width / _INCH, drawing.height / _INCH), facecolor="white")
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_axis_off()
        axes.set_xlim(0, drawing.width)
        axes.set_ylim(drawing.height, 0)
        for place, shape in enumerate(drawing.shapes):
            _draw(axes, shape, place)
        file = io.BytesIO()
        scale = min(SCALE, (MAX_PIXELS / (drawing.width * drawing.height)) ** 0.5)
        figure.savefig(file, format="png", dpi=_INCH * scale, metadata={"Software": None})
    return file.getvalue()


def _draw(axes: Axes, shape: Shape, place: int) -> None:
    """Draw a shape in front of those before it."""
    from matplotlib import patches
    from matplotlib.lines import Line2D
    from matplotlib.patheffects import withStroke

    match shape:
        case Box(x, y, width, height, fill, stroke, radius):
            style = patches.BoxStyle.Round(pad=0, rounding_size=min(radius, width / 2, height / 2))
            box = patches.FancyBboxPatch((x, y), width, height, boxstyle=style)
            _paint(axes, box, fill, stroke, 1, place)
        case Dot(x, y, radius, fill, stroke):
            _paint(axes, patches.Circle((x, y), radius), fill, stroke, 1, place)
        case Path(points, stroke, width, fill, dashed) if fill == "none":
            xs, ys = [x for x, _ in points], [y for _, y in points]
            line = Line2D(xs, ys, color=stroke, linewidth=_points(width), zorder=place)
            line.set_linestyle((0, (5 / width, 4 / width)) if dashed else "-")
            line.set_solid_capstyle("round")
            line.set_solid_joinstyle("round")
            axes.add_line(line)
        case Path(points, stroke, width, fill):
            _paint(axes, patches.Polygon(points), fill, stroke, width, place)
        case Words(x, y, text, size, fill, bold, anchor, halo):
            side = {"start": "left", "middle": "center", "end": "right"}[anchor]
            drawn = axes.text(
                x, y, text, fontsize=_points(size * 0.93), color=fill, ha=side, va="baseline", zorder=place,
                fontweight="bold" if bold else "normal",
            )  # fmt: skip
            if halo:
                drawn.set_path_effects([withStroke(linewidth=_points(3), foreground="white")])


def _paint(axes: Axes, patch: Patch, fill: str, stroke: str, width: float, place: int) -> None:
    patch.set(facecolor=fill, edgecolor=stroke, linewidth=_points(width), zorder=place)
    axes.add_patch(patch)


def _points(pixels: float) -> float:
    return pixels * 72 / _INCH
