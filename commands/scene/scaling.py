"""`groundplan scene scaling`: tokens of each request of a search, with and without contracting and memory.

It is SayPlan's figure 3 for a scene, and its appendix H for buildings that grow. The searches are those of
``evaluation.search_scaling``; here are options, table and chart.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from ...domains.errors import UnsupportedInput
from ...evaluation.report.chart import Chart, Point, Series
from ...evaluation.report.forms.plots import EXTRA, can_draw, svg_of
from ...evaluation.search_scaling import CONTEXT, FORMS, ROOMS, SearchRequests, building, search_requests
from ...language.chat.servers.meter import VOCABULARY
from ..console.escape import json_text
from ..console.terminal import HEAD, QUIET, Screen
from ..options import open_world, scene_options, timeout_option
from ..output.folder import check_file, write_file

MOST_ROOMS = 2000


@click.command(name="scaling")
@timeout_option()
@scene_options
@click.option(
    "--rooms",
    metavar="N",
    multiple=True,
    type=click.IntRange(1, MOST_ROOMS),
    help=f"Rooms of a building that is made; may be given several times ({', '.join(map(str, ROOMS))}).",
)
@click.option(
    "--context",
    metavar="N",
    type=click.IntRange(1),
    default=CONTEXT,
    help=f"Tokens of prompt and answer together ({CONTEXT}).",
)
@click.option(
    "--plot", metavar="FILE", type=click.Path(path_type=Path), help="Write a chart to FILE, as SVG."
)
@click.option("--force", is_flag=True, help="Replace the file.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with the tokens of every request.")
def scaling(
    scene: str | None,
    task: str | None,
    item: str,
    rooms: tuple[int, ...],
    context: int,
    plot: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """Measure the requests of a search that expands every room and finds nothing (SayPlan's figure 3).

    Without --scene it is made in buildings of growing size (its appendix H). No model is asked: a script
    expands room after room, as long as the context lasts, and contracts each again where the search lets it.
    """
    if plot is not None:
        if not can_draw():
            raise UnsupportedInput("--plot", f"matplotlib is not installed; install {EXTRA}")
        check_file(plot, force)
    one = scene is not None or task is not None
    if one and rooms:
        raise click.UsageError("give a scene, or --rooms of buildings that are made")
    scenes = [open_world(scene, task, item)[0]] if one or item else map(building, rooms or ROOMS)
    searches = [search_requests(each, form, context) for each in scenes for form in FORMS]
    if plot is not None:
        write_file(plot, svg_of(by_step(searches) if one else by_size(searches)), force)
    if as_json:
        listed = [each.as_json() for each in searches]
        click.echo(json_text({"vocabulary": VOCABULARY, "context": context, "searches": listed}))
        return
    screen = Screen()
    screen.heading("tokens of each request of a search", f"{VOCABULARY}, context {context}")
    titles = ("scene", "rooms", "search", "requests", "first", "largest", "expanded", "ended")
    screen.rows([[(title, HEAD) for title in titles], *map(_cells, searches)])
    if plot is not None:
        screen.line(("written: ", QUIET), str(plot))


def _cells(one: SearchRequests) -> list[str]:
    ends = {"answered": "all rooms expanded", "service-failed": "context full", "search-exhausted": "steps"}
    first, largest = (one.tokens[0], max(one.tokens)) if one.tokens else ("none fits", "")
    cells = (one.scene, one.rooms, one.form, len(one.tokens), first, largest, one.expanded)
    return [*map(str, cells), ends.get(one.outcome, one.outcome)]


def by_step(searches: Sequence[SearchRequests]) -> Chart:
    """Return the tokens of each request of the searches of one scene, as figure 3 draws them."""
    series = tuple(
        Series(one.form, tuple(Point(step, tokens) for step, tokens in enumerate(one.tokens, 1)))
        for one in searches
        if one.tokens
    )
    title = f"Tokens of each request, {searches[0].scene}"
    return Chart("scaling", title, "curves", "request of the search", "tokens", series)


def by_size(searches: Sequence[SearchRequests]) -> Chart:
    """Return the largest request of each search by the number of rooms of its building."""
    sizes = {form: [one for one in searches if one.form == form and one.tokens] for form in FORMS}
    series = tuple(
        Series(form, tuple(Point(one.rooms, max(one.tokens)) for one in ones)) for form, ones in sizes.items()
    )
    return Chart("scaling", "Largest request by size", "curves", "rooms", "tokens", series)
