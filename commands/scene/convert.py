"""`groundplan scene convert` and `groundplan scene formats`: scenes between the formats of other programs.

The formats are those of ``datasets.formats.registry``; a new one there appears here by itself.
"""

from __future__ import annotations

from pathlib import Path

import click

from ...datasets.formats.content import Format
from ...datasets.formats.registry import FORMATS, by_file_name, by_name
from ...datasets.library import PREPARED
from ...datasets.prepared import folder_of
from ...simulator.scene import Scene
from ..console.escape import json_text, safe
from ..console.losses import doubts, losses_by_kind
from ..console.terminal import GOOD, HEAD, NAME, QUIET, UNSURE, Screen
from ..options import item_option, scene_named, timeout_option
from ..output.folder import check_file, refuse_input, write_file

WRITTEN = [f.name for f in FORMATS if f.write is not None]

form_option = click.option(
    "--from",
    "form",
    metavar="FORMAT",
    type=click.Choice([f.name for f in FORMATS]),
    help="The format of the file, where its content does not show it.",
)
"""Option for the format of a scene file."""


@click.command(name="convert")
@click.argument("source", metavar="NAME_OR_FILE")
@click.argument("target", metavar="FILE")
@timeout_option()
@form_option
@item_option
@click.option("--to", metavar="FORMAT", type=click.Choice(WRITTEN), help="The format to write.")
@click.option("--force", is_flag=True, help="Replace the file if it exists.")
def convert(source: str, target: str, form: str | None, item: str, to: str | None, force: bool) -> None:
    """Convert a scene between formats; FILE may be - for standard output.

    The format of NAME_OR_FILE is found from its content. Without --to the end of FILE decides what is
    written: .json is groundplan's own, .sayplan.json and so on are others (`groundplan scene formats`).
    What the file has and the scene has not, and what the scene has and the format cannot hold, is listed on
    standard error.
    """
    chosen = by_name(to) if to is not None else by_file_name(target)
    if chosen is None or chosen.write is None:
        raise click.UsageError(f"say which format to write: --to {', --to '.join(WRITTEN)}")
    if target != "-":
        refuse_input(Path(target), folder_of(source) if source in PREPARED else Path(source))
        check_file(Path(target), force)
    scene = scene_named(source, item, form or "")
    data = chosen.write(scene).decode("utf-8")
    if target == "-":
        _say_lost(chosen, scene)
        click.echo(safe(data, lines=True), nl=False)
        return
    write_file(Path(target), data, force)
    _say_lost(chosen, scene)
    Screen().line(("written: ", GOOD), (target, NAME))


def _say_lost(form: Format, scene: Scene) -> None:
    screen = Screen(error=True)
    for line in losses_by_kind(scene.losses):
        screen.line(("lost in reading", UNSURE), f": {line}")
    for line in doubts(scene.losses):
        screen.line(("doubtful in reading", UNSURE), f": {line}")
    for line in form.loses(scene) if form.loses is not None else ():
        screen.line(("lost", UNSURE), f": {line}")


@click.command(name="formats")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def formats(as_json: bool) -> None:
    """List the scene formats: what is read, what is written, and the file names that mean it."""
    if as_json:
        rows = [
            {"name": f.name, "title": f.title, "write": f.write is not None, "endings": list(f.extensions)}
            for f in FORMATS
        ]
        click.echo(json_text(rows))
        return
    screen = Screen()
    screen.rows(
        (
            (f.name, HEAD),
            f.title,
            "read, written" if f.write is not None else "read",
            (" ".join(f.extensions), QUIET),
        )
        for f in FORMATS
    )
