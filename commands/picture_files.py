"""Files of pictures: the options that verbs share, and the writing of what they name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from ..evaluation.report.forms.plots import EXTRA, PlotsMissing, can_draw
from .console.terminal import NAME, Screen
from .grouped import grouped
from .output.folder import check_file, write_file
from .pictures.png import png_of
from .pictures.shapes import Drawing
from .pictures.svg import svg_of

_FILE = click.Path(path_type=Path)
picture_options = grouped(
    click.option("--svg", type=_FILE, metavar="FILE", help="Draw a picture as an SVG file."),
    click.option("--png", type=_FILE, metavar="FILE", help=f"Draw a picture as a PNG file ({EXTRA})."),
)
"""Options of pictures in :class:`DrawnFiles`."""
view_option = click.option(
    "--view", type=_FILE, metavar="FILE", help="Make a page of the run to look at: one HTML file."
)
"""Option for a page of a run."""


@dataclass(frozen=True, slots=True)
class DrawnFiles:
    """Files that a picture and a page are written to, each where it was asked for."""

    svg: Path | None
    png: Path | None
    page: Path | None
    force: bool

    def __iter__(self) -> Iterator[Path]:
        return filter(None, (self.svg, self.png, self.page))

    def check(self) -> None:
        """Check that they can be drawn and written, before any work. Raises :class:`GroundplanError`."""
        for target in self:
            check_file(target, self.force)
        if self.png is not None and not can_draw():
            why = f"--png needs matplotlib, which is not installed; install {EXTRA}, or take --svg"
            raise PlotsMissing(why)

    def write(self, drawing: Callable[[], Drawing], page: Callable[[], str] = str) -> None:
        """Write what is asked for. Raises :class:`InputError`."""
        if self.page is not None:
            write_file(self.page, page(), self.force)
        drawn = drawing() if self.svg is not None or self.png is not None else None
        if self.svg is not None and drawn is not None:
            write_file(self.svg, svg_of(drawn), self.force)
        if self.png is not None and drawn is not None:
            write_file(self.png, png_of(drawn), self.force)


def say_written(screen: Screen, files: Iterable[Path]) -> None:
    """Print the names of files that were written."""
    for file in files:
        screen.line("written to ", (str(file), NAME))
