"""Files of pictures and pages: the options that verbs share, and what is said of what they name."""

from __future__ import annotations

from pathlib import Path

import click

from .console.terminal import NAME, Screen

_PATH = click.Path(path_type=Path)
svg_option = click.option("--svg", type=_PATH, metavar="FILE", help="Draw a picture as an SVG file.")
view_option = click.option(
    "--view", type=_PATH, metavar="FILE", help="Make a page of the run to look at: one HTML file."
)


def say_written(screen: Screen, *files: Path | None) -> None:
    """Print the names of files that were written."""
    for file in filter(None, files):
        screen.line("written to ", (str(file), NAME))
