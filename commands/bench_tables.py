"""The end of a comparison on the terminal: a line for each set and system, and what is to be known of them.

The JSON form is fixed by ``bench.schema.json``; what people get may be changed. Every further table of a
comparison is in its report (``evaluation.report``).
"""

from __future__ import annotations

from pathlib import Path
from shlex import quote

import click

from ..domains.errors import counted
from ..evaluation.bench.results import Results
from ..evaluation.report.forms.formats import shown
from ..evaluation.report.papers.published import other_sets
from ..evaluation.report.statistics import Interval
from ..evaluation.report.tables import ReportTable, by_label, flat, unsupported
from .console.escape import json_text
from .console.terminal import GOOD, HEAD, UNSURE, Screen

COLUMNS = ("set", "method", "reader", "engine", "n", "success")
"""The columns of the flat table that people get."""


def print_results(results: Results, out: Path, as_json: bool) -> None:
    """Print what runs came to, what could not be run, and where the tables of it are."""
    table, left_out, labelled = flat(results), unsupported(results), by_label(results)
    if as_json:
        lines = {"results": _lines(table), "unsupported": [] if left_out is None else _lines(left_out)}
        lines |= {"labels": _lines(labelled)} if labelled is not None else {}
        click.echo(json_text({"out": str(out), "runs": len(results.rows)} | lines))
        return
    screen = Screen()
    kept = [table.columns.index(name) for name in COLUMNS]
    _print_table(screen, COLUMNS, [[shown(row[i]) for i in kept] for row in table.rows])
    if labelled is not None:
        _print_table(screen, labelled.columns, [list(map(shown, row)) for row in labelled.rows])
    if left_out is not None:
        columns = (*left_out.columns[:-1], "unsupported, because")
        _print_table(screen, columns, [list(map(shown, row)) for row in left_out.rows])
    for name, words in other_sets(row.set for row in results.rows).items():
        screen.line((name, UNSURE), f": {words}")
    screen.line(
        (f"{counted(len(results.rows), 'run')} in {out}", GOOD),
        f"; tables: groundplan report {quote(str(out))}",
    )


def _print_table(screen: Screen, columns: tuple[str, ...], rows: list[list[str]]) -> None:
    screen.rows([[(name, HEAD) for name in columns], *rows])
    screen.line()


def _lines(table: ReportTable) -> list[dict[str, object]]:
    """Return the rows of a table by its columns, shares as numbers without their intervals."""
    rows = ([v.value if isinstance(v, Interval) else v for v in row] for row in table.rows)
    return [dict(zip(table.columns, row, strict=True)) for row in rows]
