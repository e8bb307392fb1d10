"""`groundplan engines`: the planners by name, what is installed and how to get the others.

The list is that of ``planners.engines.registry``, which imports no engine (their licence is GPL). The option
and the keys of JSON are fixed, since scripts rely on them; the layout of the table may be changed.
"""

from __future__ import annotations

import click

from ..planners.engines.registry import available_engines
from .console.escape import json_text
from .console.terminal import GOOD, HEAD, QUIET, Screen


@click.command(name="engines")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(as_json: bool) -> None:
    """List the planning engines and what is installed."""
    engines = available_engines()
    if as_json:
        keys = ("name", "installed", "version", "licence", "supports", "package", "install", "complete")
        click.echo(json_text([{key: getattr(one, key) for key in keys} for one in engines]))
        return
    screen = Screen()
    screen.heading("Installed")
    screen.rows(
        ((e.name, HEAD), (e.version, GOOD), e.licence, (e.supports, QUIET)) for e in engines if e.installed
    )
    others = [e for e in engines if not e.installed]
    if others:
        screen.heading("Not installed")
        screen.rows(((e.name, HEAD), e.licence, e.install, (e.supports, QUIET)) for e in others)
    screen.line()
    screen.line(
        ("Any other engine of unified-planning works by its name there. The default is pyperplan.", QUIET)
    )
