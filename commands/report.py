"""`groundplan report`: the tables of a folder that `groundplan bench` wrote, finished or not.

What is in a report is decided in ``evaluation.report``.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

import click

from ..domains.errors import InputError, UnsupportedInput, counted
from ..evaluation.bench.joined import UnlikeFolders, load_joined
from ..evaluation.bench.kept_tasks import tasks_of
from ..evaluation.bench.results import load_results
from ..evaluation.report.chart import Chart
from ..evaluation.report.document import report_on, report_on_papers
from ..evaluation.report.forms.formats import FORMATS, markdown
from ..evaluation.report.forms.page import html_page
from ..evaluation.report.forms.plots import EXTRA, can_draw, pdf_of, svg_of
from ..evaluation.report.papers.counterparts import Folder
from ..evaluation.report.prices import read_prices
from .console.escape import safe, without_key
from .console.terminal import GOOD, UNSURE, Screen
from .options import FOLDER, timeout_option
from .output.folder import check_file, refuse_input, write_file
from .row_pages import check_pages, write_pages

SECONDS = 600.0
"""Time for a report: some of its tests try very many draws."""
ROWS_ALONE = ("csv", "runs-csv")
"""Forms that have no printed table."""


@click.command(name="report")
@click.argument("folders", metavar="DIR ..", type=FOLDER, nargs=-1, required=True)
@click.option(
    "--format",
    "form",
    type=click.Choice(list(FORMATS)),
    default="md",
    help="md (the default), html, csv, runs-csv (a line for each run), latex.",
)
@click.option("--no-times", is_flag=True, help="Leave out what a clock measured.")
@click.option(
    "--out", metavar="FILE", type=click.Path(path_type=Path), help="Write to a file that is not there yet."
)
@click.option(
    "--view",
    metavar="FOLDER",
    type=FOLDER,
    help="Pages of the runs, linked from the html.",
)
@click.option("--plots", metavar="FOLDER", type=FOLDER, help="Write the charts to FOLDER, SVG and PDF.")
@click.option(
    "--prices",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Prices of models (TOML), for a table of what runs cost.",
)
@click.option(
    "--papers", is_flag=True, help="Every printed table of the papers, with lines of the runs here beside."
)
@click.option("--changed-program", is_flag=True, help="Join folders though groundplan changed between them.")
@click.option("--force", is_flag=True, help="Replace files.")
@timeout_option(seconds=SECONDS)
def command(
    folders: tuple[Path, ...],
    form: str,
    no_times: bool,
    out: Path | None,
    view: Path | None,
    plots: Path | None,
    prices: Path | None,
    papers: bool,
    changed_program: bool,
    force: bool,
) -> None:
    """Make tables of the results in DIR: shares with 95 % intervals, paired tests, costs, and what failed.

    Several folders are joined that have the same tasks, scenes, golds and judge: what each adds are methods,
    readers and engines. With --papers others are taken table by table, each line with its folder.

    md and latex are for papers, html is one page with every failed run, csv is for programs, with shares as
    fractions, runs-csv a line for each run. Figures that papers published stand beside, and are marked as
    theirs. Charts are in html, and files with --plots; both need the extra `report`. Exit codes: 0, 1 where
    --timeout cut it off, and 2 for a folder without results.
    """
    if plots is not None and not can_draw():
        raise UnsupportedInput("--plots", f"matplotlib is not installed; install {EXTRA}")
    if out is not None:
        for folder in folders:
            refuse_input(out, folder)
        check_file(out, force)
    if view is not None:
        if form != "html" or out is None:
            raise click.UsageError("--view needs --format html and --out FILE, which links to the pages")
        check_pages(view, force)
    table = read_prices(prices) if prices is not None else None
    try:
        results = load_joined(folders, changed_program)
        report = report_on(results, timed=not no_times, prices=table, papers=papers)
    except UnlikeFolders as error:
        if not papers or form in ROWS_ALONE or plots is not None or prices is not None or view is not None:
            raise
        unlike = [Folder(load_results(folder), str(folder)) for folder in folders]
        report = report_on_papers(unlike, f"{error.where}: {error.got}")
    if plots is not None:
        _write_plots(report.charts, plots, force)
    screen = Screen()
    if view is not None and out is not None:
        failed = {row.key for row in report.failures}
        others = [row for row in results.rows if row.key not in failed]
        own = {name: task for folder in folders for name, task in tasks_of(folder).items()}
        names, without = write_pages([*report.failures, *others], results.manifest, own, view, force)
        Screen(error=True).line((f"{counted(len(names), 'page')} in {view}", GOOD))
        for reason, number in without.items():
            Screen(error=True).line((f"{counted(number, 'run')} without a page: {reason}", UNSURE))
        place = os.path.relpath(view, out.parent)
        text = html_page(report, {key: quote(f"{place}/{name}") for key, name in names.items()})
    elif out is None and form == "md":
        text = markdown(report, screen.width)
    else:
        text = FORMATS[form](report)
    text = without_key(text)
    if out is None:
        click.echo(safe(text, lines=True), nl=False)
    else:
        write_file(out, text, force)


def _write_plots(charts: Sequence[Chart], folder: Path, force: bool) -> None:
    """Write each chart as SVG and as PDF; all files are checked before one is written."""
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise InputError(str(folder), "a folder, or a place for one", error.strerror or "none") from error
    for chart in charts:
        for form in ("svg", "pdf"):
            check_file(folder / f"{chart.name}.{form}", force)
    for chart in charts:
        write_file(folder / f"{chart.name}.svg", without_key(svg_of(chart)), force)
        write_file(folder / f"{chart.name}.pdf", pdf_of(chart), force)
