"""Reports as text: Markdown, CSV and LaTeX.

CSV is the flat table alone, or a line for each run, for programs; the others have every table. Texts that
come from rows (names of methods and sets, reasons) are escaped for the form. Numbers are rounded here and
nowhere else.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping

from ...bench.results import RunRow
from ..document import Report
from ..failures import failed_parts, gold_text, instruction_of, why_failed
from ..statistics import Interval
from ..tables import ReportTable, Value
from .escaping import printable
from .grids import grids, words_within
from .page import html_page

_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "[": "{[}",  # after the end of a row, or a rule, it would begin a length
    "]": "{]}",
    "*": "{*}",  # after the end of a row it would forbid a break
}
_WIDE = 0xFEE0
"""How far the full-width form of a sign is from it, which some programs read alike."""
_FORMULA = (*"=+-@", *(chr(ord(sign) + _WIDE) for sign in "=+-@"))
"""Beginnings of texts that programs for tables take for formulas."""


def shown(value: Value) -> str:
    """Return a cell in words: a share in per cent with its interval, a number with three digits."""
    if isinstance(value, Interval):
        return f"{_percent(value.value)} ({_percent(value.low)} to {_percent(value.high)})"
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.3g}" if abs(value) < 100 else f"{value:.0f}"
    return str(value)


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def markdown(report: Report, width: int | None = None) -> str:
    """Return a report as Markdown; shares are in per cent with 95 % intervals.

    With a ``width``, lines are wrapped to so many columns, and a table that is wider comes in several.
    """

    def text(words: str, mark: str = "") -> str:
        return words_within(f"{mark}{_inline(words)}", width, mark if mark == "> " else " " * len(mark))

    lines = [f"# {report.title}", "", *(f"{text(sentence)}\n" for sentence in report.summary)]
    lines += [text(f"{name}: {value}", "- ") for name, value in report.facts if value]
    lines += ["", *(f"{text(note, '> ')}\n" for note in report.notes)]
    for table in report.tables:
        lines += [text(table.title, "## "), ""]
        cells = [[_inline(shown(value)) for value in row] for row in table.rows]
        for grid in grids([[_inline(column) for column in table.columns], *cells], width):
            lines += [*grid, ""]
        lines += [f"{text(note)}\n" for note in table.notes]
    if report.failures:
        lines += ["## Runs that failed", ""]
        for row in report.failures:
            why = f": {row.reasons[0][:300]}" if row.reasons else ""
            lines.append(text(f"{row.key}: {row.outcome}{why}", "- "))
            lines += [text(f"{name}: {part}", "  - ") for name, part in _wanted(row, report) if part]
    return "\n".join(lines).rstrip() + "\n"


def _wanted(row: RunRow, report: Report) -> Iterable[tuple[str, str]]:
    """Yield what a run was asked for, the gold, and what of it does not hold."""
    task = report.tasks.get(row.task)
    yield "instruction", instruction_of(row, task)
    yield "gold", gold_text(task)
    unmet = failed_parts(row, task)
    yield "unmet", "; ".join(unmet)
    yield "why", "" if unmet else "; ".join(why_failed(row, task))


def _inline(text: str) -> str:
    """Return a text as one line of Markdown that means nothing but itself."""
    text = printable(" ".join(text.split()))
    for sign in "\\`*[]<>|":
        text = text.replace(sign, f"\\{sign}")
    return text


def csv_text(report: Report) -> str:
    """Return the flat table as CSV, with shares as fractions of one and an empty cell for nothing."""
    return _csv(report.flat)


def runs_csv(report: Report) -> str:
    """Return a line of CSV for each run."""
    return _csv(report.runs)


def _csv(table: ReportTable) -> str:
    """Return a table as CSV; a text that a program for tables would take for a formula gets an apostrophe."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(table.columns)
    for row in table.rows:
        writer.writerow([_plain(value) for value in row])
    return file.getvalue()


def _plain(value: Value) -> str:
    if isinstance(value, Interval):
        value = value.value
    if value is None:
        return ""
    if isinstance(value, int | float):
        return f"{value:.6g}" if isinstance(value, float) else str(value)
    text = printable(value)
    return f"'{text}" if text.lstrip().startswith(_FORMULA) else text


def latex(report: Report) -> str:
    """Return the tables as LaTeX, for the packages ``booktabs`` and ``longtable``."""
    parts = [f"% {report.title}: needs \\usepackage{{booktabs,longtable}}"]
    parts += [f"\\noindent {_tex(sentence)}\\par" for sentence in report.summary]
    parts += [f"% {name}: {_comment(text)}" for name, text in report.facts if text]
    for table in report.tables:
        columns = "l" * len(table.columns)
        parts += [
            "",
            f"\\begin{{longtable}}{{{columns}}}",
            f"\\caption{{{_tex(table.title)}}}\\\\",
            "\\toprule",
            " & ".join(map(_tex, table.columns)) + r" \\",
            "\\midrule",
            *(" & ".join(_tex(shown(value)) for value in row) + r" \\" for row in table.rows),
            "\\bottomrule",
            "\\end{longtable}",
            *(f"\\noindent {_tex(note)}\\par" for note in table.notes),
        ]
    parts += ["", *(f"\\noindent {_tex(note)}\\par" for note in report.notes)]
    return "\n".join(parts).rstrip() + "\n"


def _tex(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in printable(" ".join(text.split())))


def _comment(text: str) -> str:
    return printable(" ".join(text.split()))


FORMATS: Mapping[str, Callable[[Report], str]] = {
    "md": markdown,
    "html": html_page,
    "csv": csv_text,
    "runs-csv": runs_csv,
    "latex": latex,
}
"""The forms of a report by the names of ``--format``."""
