"""Charts drawn as SVG by matplotlib, the same bytes for the same chart: no dates, no random names.

Letters are drawn as outlines, so a file looks alike everywhere and needs no font. Names of methods are text,
never formulas. matplotlib is loaded when something is drawn.
"""

from __future__ import annotations

import importlib.util
import io
import re
import warnings
from collections.abc import Callable, Mapping
from colorsys import hsv_to_rgb
from typing import TYPE_CHECKING, Any

from ....domains.errors import GroundplanError
from ..chart import Chart, ChartKind, Series, SystemLook
from .escaping import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

EXTRA = "groundplan[report]"
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#333333")
"""Colours that people tell apart who see few (Okabe and Ito); further ones are spread over all hues."""
PARTS = ("#77AADD", "#EE8866", "#EEDD88", "#FFAABB", "#99DDFF", "#44BB99", "#BBCC33", "#AAAA00", "#DDDDDD")
"""Colours of the parts of a bar (Tol's light scheme), none of which is the colour of a method."""
GOLDEN = 0.381966
"""The part of a circle between one further hue and the next, after which none comes back soon."""
DASHES = ("-", (0, (4, 1.5)), (0, (1, 1)), (0, (6, 1.5, 1, 1.5)))
MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")
WIDTH = 7.2
"""Width of a drawing, in inches."""
MAX_NAME = 42
"""Most characters of a name: two stand side by side below a chart."""
MAX_BESIDE, NAME_BESIDE = 8, 26
"""Most lines of a legend beside a chart, and most characters of one; any other stands below it."""
_STYLE: Any = {
    "svg.hashsalt": "groundplan",
    "svg.fonttype": "path",
    "text.parse_math": False,
    "font.family": ["DejaVu Sans"],
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10,
    "legend.frameon": False,
    "axes.grid": True,
    "grid.color": "#e4e4e4",
    "axes.axisbelow": True,
}


class PlotsMissing(GroundplanError):
    """Absence of the library that draws plots."""


def can_draw() -> bool:
    """Return whether matplotlib is installed."""
    return importlib.util.find_spec("matplotlib") is not None


def svg_of(chart: Chart) -> str:
    """Return a chart as an SVG element, whose names of parts begin with that of the chart.

    Raises :class:`PlotsMissing` where matplotlib is not installed.
    """
    return _element(_drawn(chart, "svg").decode("utf-8"), chart)


def pdf_of(chart: Chart) -> bytes:
    """Return a chart as a PDF file. Raises :class:`PlotsMissing` where matplotlib is not installed."""
    return _drawn(chart, "pdf")


def _drawn(chart: Chart, form: str) -> bytes:
    """Draw a chart, without a date."""
    if not can_draw():
        raise PlotsMissing(f"matplotlib is not installed; install {EXTRA}")
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # letters that the font does not have are boxes
        matplotlib.rcParams.update(matplotlib.rcParamsDefault)
        matplotlib.rcParams.update(_STYLE)
        figure = Figure(figsize=(WIDTH, _height(chart)), layout="constrained")
        axes = figure.add_subplot()
        _DRAW[chart.kind](axes, chart)
        axes.set_xlabel(chart.x)
        axes.set_ylabel(chart.y)
        file = io.BytesIO()
        dates = {"svg": {"Date": None, "Creator": None}, "pdf": {"CreationDate": None, "Creator": None}}
        figure.savefig(file, format=form, metadata=dates[form], transparent=True)
    return file.getvalue()


def _height(chart: Chart) -> float:
    below = (
        0.0 if _beside(chart) or chart.kind not in ("curves", "stacks") else 0.2 * -(-len(chart.series) // 2)
    )
    if chart.kind in ("curves", "points"):
        return 3.6 + below
    return 1.1 + below + 0.36 * len(chart.categories)


def _name(text: str) -> str:
    """Return a name for a chart; of a long one both ends, which are the method's and the reader's."""
    shown = printable(" ".join(text.split()))
    half = MAX_NAME // 2
    return shown if len(shown) <= MAX_NAME else f"{shown[:half]}…{shown[1 - half :]}"


def _curves(axes: Axes, chart: Chart) -> None:
    for series in chart.series:
        look = _look(chart, series)
        xs = [point.x for point in series.points]
        ys = [point.y for point in series.points]
        if series.level:
            axes.plot(xs, ys, color=look["color"], linestyle="--", linewidth=1.2, label=_name(series.name))
            continue
        axes.plot(xs, ys, **look, markersize=4, linewidth=1.6, label=_name(series.name))
        _band(axes, series, look["color"])
    if chart.logarithmic and not chart.percent:
        axes.set_xscale("log")
        _plain_numbers(axes.xaxis)
        axes.set_ylim(bottom=0)
    elif chart.logarithmic:
        ticks = sorted({point.x for series in chart.series for point in series.points})
        axes.set_xscale("log", base=2)
        axes.set_xticks(ticks, [f"{tick:,.0f}".replace(",", " ") for tick in ticks])
        axes.minorticks_off()
        axes.set_ylim(-2, 102)
    else:
        axes.set_ylim(bottom=0)
        axes.locator_params(axis="x", integer=True)
    _legend(axes, chart)


def _plain_numbers(axis: Axis) -> None:
    """Label a logarithmic axis with numbers: powers would be formulas."""
    from matplotlib.ticker import LogFormatter

    axis.set_major_formatter(lambda number, _: f"{number:g}")
    axis.set_minor_formatter(LogFormatter())


def _beside(chart: Chart) -> bool:
    """Return whether the legend stands beside a chart; that of many lines, or long ones, stands below."""
    return len(chart.series) <= MAX_BESIDE and all(
        len(_name(one.name)) <= NAME_BESIDE for one in chart.series
    )


def _legend(axes: Axes, chart: Chart) -> None:
    if _beside(chart):
        axes.figure.legend(loc="outside right center")
    else:
        axes.figure.legend(loc="outside lower center", ncols=2)


def _look(chart: Chart, series: Series) -> dict[str, Any]:
    """Return the look of a line: that of its system in all charts of a report."""
    place = [one.name for one in chart.series].index(series.name)
    look = chart.looks.get(series.name, SystemLook(place, 0))
    dash = (look.mark + look.mark // len(MARKS)) % len(DASHES)
    return {
        "color": colour_of(look.colour),
        "linestyle": DASHES[dash],
        "marker": MARKS[look.mark % len(MARKS)],
    }


def colour_of(number: int) -> str:
    """Return the colour of a number, another one for each."""
    if number < len(COLOURS):
        return COLOURS[number]
    further = number - len(COLOURS)
    light = (0.78, 0.55, 0.68)[further % 3]
    parts = hsv_to_rgb(further * GOLDEN % 1, 0.75, light)
    return "#" + "".join(f"{round(255 * part):02X}" for part in parts)


def _band(axes: Axes, series: Series, colour: str) -> None:
    ends = [(p.x, p.low, p.high) for p in series.points if p.low is not None and p.high is not None]
    if ends:
        xs, lows, highs = zip(*ends, strict=True)
        axes.fill_between(xs, lows, highs, color=colour, alpha=0.12, linewidth=0)


def _stacks(axes: Axes, chart: Chart) -> None:
    left = [0.0] * len(chart.categories)
    for place, series in enumerate(chart.series):
        widths = [point.x for point in series.points]
        axes.barh(
            range(len(widths)), widths, left=left, height=0.62, color=PARTS[place % len(PARTS)],
            label=_name(series.name),
        )  # fmt: skip
        left = [a + b for a, b in zip(left, widths, strict=True)]
    _categories(axes, chart)
    _legend(axes, chart)


def _dots(axes: Axes, chart: Chart) -> None:
    for place, series in enumerate(chart.series):
        values = [point.x for point in series.points]
        # Equal values lie above each other: spread over the height of the line, in a fixed order.
        heights = [place + 0.24 * ((7 * i) % 11 - 5) / 5 for i in range(len(values))]
        look = _look(chart, series)
        colour, mark = look["color"], look["marker"]
        axes.plot(values, heights, mark, color=colour, markersize=3.2, alpha=0.55, markeredgewidth=0)
        axes.vlines(sum(values) / len(values), place - 0.36, place + 0.36, color=colour, linewidth=2)
    _categories(axes, chart)
    low, high = axes.get_xlim()
    axes.set_xlim(low, max(high, low + 0.1))


def _ranges(axes: Axes, chart: Chart) -> None:
    for series in chart.series:
        look = _look(chart, series)
        colour, mark = look["color"], look["marker"]
        for point in series.points:
            low, high = (point.x if end is None else end for end in (point.low, point.high))
            axes.hlines(point.y, low, high, color=colour, linewidth=2)
            axes.plot([point.x], [point.y], mark, color=colour, markersize=6)
    _categories(axes, chart)
    axes.set_xlim(-2, 102)


def _points(axes: Axes, chart: Chart) -> None:
    for series in chart.series:
        xs, ys = [p.x for p in series.points], [p.y for p in series.points]
        axes.plot(xs, ys, "o", color=COLOURS[0], markersize=4, alpha=0.6, markeredgewidth=0)
    if chart.logarithmic:
        axes.set_xscale("log")
        axes.set_yscale("log")
        for axis in (axes.xaxis, axes.yaxis):
            _plain_numbers(axis)
    if chart.diagonal:
        ends = [min(axes.get_xlim()[0], axes.get_ylim()[0]), max(axes.get_xlim()[1], axes.get_ylim()[1])]
        axes.plot(ends, ends, color="#888888", linewidth=1)


def _categories(axes: Axes, chart: Chart) -> None:
    axes.set_yticks(range(len(chart.categories)), [_name(name) for name in chart.categories])
    axes.set_ylim(len(chart.categories) - 0.5, -0.5)
    axes.grid(visible=False, axis="y")


_DRAW: Mapping[ChartKind, Callable[[Axes, Chart], None]] = {
    "curves": _curves,
    "stacks": _stacks,
    "dots": _dots,
    "ranges": _ranges,
    "points": _points,
}


def _element(text: str, chart: Chart) -> str:
    """Return the SVG element alone, without comments and metadata, for a file or within a page."""
    text = text[text.index("<svg") :]
    text = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r'( id="|href="#|url\(#)', rf"\g<1>{chart.name}-", text)
    title = f'<svg role="img" aria-label="{chart.title}"'
    return re.sub(r"\n\s*\n+", "\n", text.replace("<svg", title, 1)).strip() + "\n"
