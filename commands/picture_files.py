"""Files of pictures: the options that verbs share, and the writing of what they name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from ..evaluation.report.forms.plots import EXTRA, PlotsMissing, can_draw
from .console.terminal import NAME, Screen
from .output.folder import check_file, write_file
from .pictures.png import png_of
from .pictures.shapes import Drawing
from .pictures.svg import svg_of

_Command = TypeVar("_Command", bound=Callable[..., Any])


def picture_options(command: _Command) -> _Command:
    """Add the options of pictures in :class:`DrawnFiles`."""
    path = click.Path(path_type=Path)
    for name, words in (
        ("--png", f"Draw a picture as a PNG file ({EXTRA})."),
        ("--svg", "Draw a picture as an SVG file."),
    ):
        command = click.option(name, type=path, metavar="FILE", help=words)(command)
    return command


def view_option(command: _Command) -> _Command:
    """Add the option for a page of a run."""
    path = click.Path(path_type=Path)
    words = "Make a page of the run to look at: one HTML file."
    return click.option("--view", type=path, metavar="FILE", help=words)(command)


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
