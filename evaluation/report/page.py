"""A report as one HTML file that needs nothing else: no script, no font, no picture from anywhere.

Everything that comes from rows is escaped, and a policy in the page forbids it to load or run anything. Every
failed run can be opened: its instruction, search, goals with feedback, plan and reasons.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

from ..bench.results import RunRow
from .document import Report
from .statistics import Interval
from .tables import ReportTable, Value

MAX_TEXT = 4000
"""Most characters of one text of a run."""
MAX_LINES = 200
"""Most steps of a search or plan that are printed."""

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; color: #1a1a1a; max-width: 75rem; margin: 2rem auto; }
body { padding: 0 1rem; }
h1 { font-size: 1.6rem; }
h2 { font-size: 1.15rem; margin-top: 2.2rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; display: block; overflow-x: auto; }
th, td { padding: .25rem .6rem; text-align: left; white-space: nowrap; border-bottom: 1px solid #ddd; }
th { border-bottom: 2px solid #888; }
.foreign { background: #f6f1e4; }
small { color: #666; }
.note { color: #444; max-width: 60rem; }
.warning { border-left: 4px solid #c80; padding-left: .8rem; }
dl { display: grid; grid-template-columns: max-content auto; gap: .1rem 1rem; }
dt { color: #666; }
dd { margin: 0; }
details { margin: .3rem 0; }
summary { cursor: pointer; }
pre { background: #f5f5f5; padding: .6rem; overflow-x: auto; }
"""


def html_page(report: Report) -> str:
    """Return a report as a page of HTML."""
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_safe(_POLICY)}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{_safe(report.title)}</title><style>{_STYLE}</style></head><body>",
        f"<h1>{_safe(report.title)}</h1>",
        "<dl>",
        *(f"<dt>{_safe(name)}</dt><dd>{_safe(text)}</dd>" for name, text in report.facts if text),
        "</dl>",
        *(f'<p class="note warning">{_safe(note)}</p>' for note in report.notes),
        *(line for table in report.tables for line in _table(table)),
    ]
    if report.failures:
        parts += ["<h2>Runs that failed</h2>", *(line for row in report.failures for line in _run(row))]
    return "\n".join([*parts, "</body></html>", ""])


def _table(table: ReportTable) -> Iterable[str]:
    yield f"<h2>{_safe(table.title)}</h2>"
    yield '<table class="foreign">' if table.foreign else "<table>"
    yield "<tr>" + "".join(f"<th>{_safe(column)}</th>" for column in table.columns) + "</tr>"
    for row in table.rows:
        yield "<tr>" + "".join(f"<td>{_cell(value)}</td>" for value in row) + "</tr>"
    yield "</table>"
    for note in table.notes:
        yield f'<p class="note">{_safe(note)}</p>'


def _cell(value: Value) -> str:
    if isinstance(value, Interval):
        ends = f"{100 * value.low:.1f} to {100 * value.high:.1f}, {_safe(value.method)}"
        return f"{100 * value.value:.1f} <small>({ends})</small>"
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.3g}" if abs(value) < 100 else f"{value:.0f}"
    return _safe(str(value))


def _run(row: RunRow) -> Iterable[str]:
    record = row.record
    yield f"<details><summary>{_safe(row.key)}: <b>{_safe(row.outcome)}</b></summary>"
    yield f"<p>{_text(record.get('instruction'))}</p>"
    yield from _list("Reasons", row.reasons)
    yield from _list("Search", (_move(step) for step in _objects(record.get("trace"))))
    for number, goal in enumerate(_objects(record.get("goals")), 1):
        yield f"<p>Goal {number}</p><pre>{_text(goal.get('goal'))}</pre>"
        yield from _list("Feedback", _texts(goal.get("feedback")))
    for number, attempt in enumerate(_objects(record.get("attempts")), 1):
        yield f"<p>Plan {number}</p><pre>{_text(attempt.get('text'))}</pre>"
        yield from _list("Feedback", _texts(attempt.get("feedback")))
    yield from _list("Plan", _texts(record.get("plan")))
    yield from _list("Names that do not exist", row.invented)
    yield "</details>"


def _list(title: str, items: Iterable[object]) -> Iterable[str]:
    lines = list(items)
    if not lines:
        return
    left = len(lines) - MAX_LINES
    more = [f"... and {left} more"] if left > 0 else []
    yield f"<p>{_safe(title)}</p><pre>" + "\n".join(map(_text, [*lines[:MAX_LINES], *more])) + "</pre>"


def _move(step: Mapping[str, Any]) -> str:
    thought = step.get("thought")
    words = f"{step.get('command', '')} {step.get('node', '')}".strip()
    return f"{words}   ({thought})" if thought else words


def _objects(value: object) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _texts(value: object) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []


def _text(value: object) -> str:
    text = "" if value is None else str(value)
    return _safe(text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…")


def _safe(text: str) -> str:
    """Return a text that a page shows as it is."""
    return escape(printable(text))


def printable(text: str) -> str:
    """Return a text without characters that command a terminal or cannot be seen; ends of lines stay."""
    return "".join(c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in text)
