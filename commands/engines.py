"""`groundplan engines`: the planners by name, what is installed and how to get the others.

The list is that of ``engines.registry``, which imports no engine (their licence is GPL). The options with
which other verbs choose an engine are here too.
"""

from __future__ import annotations

import os
from typing import Any

import click

from ..domains.errors import InputError
from ..engines.engine import Engine
from ..engines.registry import EngineOptions, available_engines
from .console.escape import json_text
from .console.terminal import GOOD, HEAD, QUIET, Screen
from .grouped import grouped

DEFAULT_ENGINE = "pyperplan"
OTHERS = (
    "The default is pyperplan. Any other engine of unified-planning works by its name there, and any planner "
    "by its command line: groundplan plan --engine-command 'planner {domain} {problem} {plan}'"
)


engine_options = grouped(
    click.option("--engine", metavar="NAME", help="The planner: pyperplan, ... (see `groundplan engines`)."),
    click.option(
        "--engine-command",
        metavar="COMMAND",
        help="Any planner, instead of --engine: 'planner {domain} {problem} {plan}'.",
    ),
    click.option(
        "--engine-env",
        metavar="NAME",
        multiple=True,
        help="A variable that the engine's process gets, too.",
    ),
    click.option(
        "--engine-search",
        metavar="ALIAS|SEARCH",
        help="Fast Downward's search: lama, 'astar(blind())', ...",
    ),
    click.option("--costs/--no-costs", default=True, help="Problems with costs (if the engine knows them)."),
    click.option("--no-split", is_flag=True, help="Give the engine the whole problem in one piece."),
    click.option(
        "--optimal",
        is_flag=True,
        help="Exit with 1 unless the plan is proved to be the cheapest; the proof gets most of the time.",
    ),
)
"""Options that :func:`engine_named` takes."""


def engine_named(options: dict[str, Any]) -> Engine:
    """Return the engine that the options of a verb name. Raises :class:`InputError`."""
    name, planner = options["engine"], options["engine_command"]
    if name is not None and planner is not None:
        raise click.UsageError("give --engine or --engine-command, not both")
    chosen = EngineOptions(
        command=planner,
        search=options["engine_search"],
        costs=options["costs"],
        environment=options["engine_env"],
        whole=options["no_split"],
        optimal=options["optimal"],
    )
    unset = [variable for variable in chosen.environment if variable not in os.environ]
    if unset:
        raise InputError("--engine-env", "variables that are set", ", ".join(unset))
    usual = "fast-downward" if chosen.search is not None else DEFAULT_ENGINE
    return Engine.named(name or usual, chosen)


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
    screen.line((OTHERS, QUIET))
