"""Files of pictures: the options that verbs share, and the writing of what they name."""

from __future__ import annotations

from collections.abc import Callable
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
    """Add the options that :func:`check_pictures` and :func:`write_pictures` take."""
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


def check_pictures(svg: Path | None, png: Path | None, force: bool) -> None:
    """Check that pictures can be drawn and written, before any work. Raises :class:`GroundplanError`."""
    for target in filter(None, (svg, png)):
        check_file(target, force)
    if png is not None and not can_draw():
        raise PlotsMissing(f"--png needs matplotlib, which is not installed; install {EXTRA}, or take --svg")


def write_pictures(drawing: Drawing, svg: Path | None, png: Path | None, force: bool) -> None:
    """Write a drawing to the files that are named. Raises :class:`InputError`."""
    if svg is not None:
        write_file(svg, svg_of(drawing), force)
    if png is not None:
        write_file(png, png_of(drawing), force)


def say_written(screen: Screen, *files: Path | None) -> None:
    """Print the names of files that were written."""
    for file in filter(None, files):
        screen.line("written to ", (str(file), NAME))
