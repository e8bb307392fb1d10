"""A report as one HTML file that needs nothing else: no script, no font, no picture from anywhere.

Everything that comes from rows is escaped, and a policy in the page forbids it to load or run anything.
Charts are drawn into the page where matplotlib is installed. Every failed run can be opened.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.resources import files

from ...bench.results import RunRow
from ..document import Report
from ..statistics import Interval
from ..tables import ReportTable, Value
from .escaping import as_html
from .plots import EXTRA, can_draw, svg_of
from .runs import run_section

MAX_RUNS = 2000
"""Most failed runs that a page has."""

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_STYLE = files(__package__).joinpath("page.css").read_text(encoding="utf-8")


def html_page(report: Report, pages: Mapping[str, str] | None = None) -> str:
    """Return a report as a page of HTML; ``pages`` are the addresses of pages of runs, by their keys."""
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{as_html(_POLICY)}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="referrer" content="no-referrer">',
        f"<title>{as_html(report.title)}</title><style>\n{_STYLE}</style></head><body>",
        f"<h1>{as_html(report.title)}</h1>",
        *(f'<p class="summary">{as_html(sentence)}</p>' for sentence in report.summary),
        "<dl>",
        *(f"<dt>{as_html(name)}</dt><dd>{as_html(text)}</dd>" for name, text in report.facts if text),
        "</dl>",
        *(f'<p class="note warning">{as_html(note)}</p>' for note in report.notes),
        *_contents(report),
        *_figures(report),
        *(line for place, table in enumerate(report.tables, 1) for line in _table(table, f"table-{place}")),
        *_failures(report, pages or {}),
        *_others(report, pages or {}),
    ]
    return "\n".join([*parts, "</body></html>", ""])


def _contents(report: Report) -> Iterable[str]:
    yield "<nav>"
    if report.charts:
        yield '<a href="#charts">Charts</a>'
    for place, table in enumerate(report.tables, 1):
        yield f'<a href="#table-{place}">{as_html(table.title)}</a>'
    if report.failures:
        yield f'<a href="#failed">Runs that failed ({len(report.failures)})</a>'
    yield "</nav>"


def _figures(report: Report) -> Iterable[str]:
    if not report.charts:
        return
    yield '<h2 id="charts">Charts</h2>'
    if not can_draw():
        yield f'<p class="note">Charts are drawn where matplotlib is installed ({as_html(EXTRA)}).</p>'
        return
    for chart in report.charts:
        yield f"<figure><h3>{as_html(chart.title)}</h3>{svg_of(chart)}"
        yield f"<figcaption>{as_html(chart.note)}</figcaption></figure>"


def _table(table: ReportTable, name: str) -> Iterable[str]:
    yield f'<h2 id="{name}">{as_html(table.title)}</h2>'
    yield '<div class="wide foreign"><table>' if table.foreign else '<div class="wide"><table>'
    numbers = [_is_number(table, place) for place in range(len(table.columns))]
    kinds = [' class="number"' if number else "" for number in numbers]
    heads = zip(kinds, table.columns, strict=True)
    yield "<tr>" + "".join(f"<th{kind}>{as_html(column)}</th>" for kind, column in heads) + "</tr>"
    for row in table.rows:
        cells = (f"<td{kind}>{_cell(value)}</td>" for kind, value in zip(kinds, row, strict=True))
        yield "<tr>" + "".join(cells) + "</tr>"
    yield "</table></div>"
    for note in table.notes:
        yield f'<p class="note">{as_html(note)}</p>'


def _is_number(table: ReportTable, place: int) -> bool:
    """Return whether a column has numbers, and nothing else."""
    values = [row[place] for row in table.rows if row[place] is not None]
    return bool(values) and all(not isinstance(value, str) for value in values)


def _cell(value: Value) -> str:
    if isinstance(value, Interval):
        ends = f"{100 * value.low:.1f} to {100 * value.high:.1f}"
        return f'{100 * value.value:.1f} <small title="{as_html(value.method)}">{ends}</small>'
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.3g}" if abs(value) < 100 else f"{value:.0f}"
    return as_html(str(value))


def _failures(report: Report, pages: Mapping[str, str]) -> Iterable[str]:
    """Yield the failed runs by system and set, in the order of the comparison."""
    if not report.failures:
        return
    yield '<h2 id="failed">Runs that failed</h2>'
    groups: dict[str, list[RunRow]] = {}
    for row in report.failures[:MAX_RUNS]:
        groups.setdefault(f"{', '.join(row.system)}: {row.set}", []).append(row)

    number = 0
    for title, rows in groups.items():
        yield f"<h3>{as_html(title)} <small>({len(rows)})</small></h3>"
        for row in rows:
            number += 1
            yield from run_section(row, f"run-{number}", report.tasks.get(row.task), pages.get(row.key))
    if (more := len(report.failures) - MAX_RUNS) > 0:
        yield f"<p>... and {more} more</p>"


def _others(report: Report, pages: Mapping[str, str]) -> Iterable[str]:
    """Yield links to the pages of the runs that did not fail."""
    failed = {row.key for row in report.failures}
    if others := {key: page for key, page in pages.items() if key not in failed}:
        yield '<h2 id="others">Runs that did not fail</h2><details>'
        yield f"<summary>{len(others)} pages</summary><ul>"
        yield from (f'<li><a href="{as_html(page)}">{as_html(key)}</a></li>' for key, page in others.items())
        yield "</ul></details>"
