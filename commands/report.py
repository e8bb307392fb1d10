"""`groundplan report`: the tables of a folder that `groundplan bench` wrote, finished or not.

What is in a report is decided in ``evaluation.report``. Options and exit codes, and the columns of CSV, are
fixed, since scripts rely on them; texts and layout may be changed.
"""

from __future__ import annotations

from pathlib import Path

import click

from ..evaluation.bench.results import load_results
from ..evaluation.report.document import report_on
from ..evaluation.report.formats import FORMATS
from .console.escape import safe, without_key
from .options import FOLDER
from .output.folder import check_file, refuse_input, write_file


@click.command(name="report")
@click.argument("folder", metavar="DIR", type=FOLDER)
@click.option(
    "--format",
    "form",
    type=click.Choice(list(FORMATS)),
    default="md",
    help="md (the default), html, csv, latex.",
)
@click.option("--no-times", is_flag=True, help="Leave out what a clock measured.")
@click.option(
    "--out", metavar="FILE", type=click.Path(path_type=Path), help="Write to a file that is not there yet."
)
@click.option("--force", is_flag=True, help="Replace the file.")
def command(folder: Path, form: str, no_times: bool, out: Path | None, force: bool) -> None:
    """Make tables of the results in DIR: shares with 95 % intervals, paired tests, costs, and what failed.

    md and latex are for papers, html is one page with every failed run, csv is for programs, with shares as
    fractions. Figures that papers published stand beside, and are marked as theirs. Exit codes: 0, and 2 for
    a folder without results.
    """
    if out is not None:
        refuse_input(out, folder)
        check_file(out, force)
    text = without_key(FORMATS[form](report_on(load_results(folder), timed=not no_times)))
    if out is None:
        click.echo(safe(text, lines=True), nl=False)
    else:
        write_file(out, text, force)
