"""Diagnostics for people: code and message with their place, the source line, a caret below it, the fixes.

The messages themselves are written where they are found (``compiler.goals``, ``compiler.query``); here is
only their layout, which may be changed: programs read diagnostics as JSON.
"""

from __future__ import annotations

from collections.abc import Iterable

from rich.cells import cell_len

from ...domains.diagnostic import Diagnostic, Span
from ...simulator.scene import Scene
from ..kinds import classes_in
from .escape import safe
from .terminal import BAD, GOOD, QUIET, UNSURE, Screen, number_of

CONTEXT = 50
"""Characters shown before and after what a caret points at, in a line that is longer."""


def show_diagnostics(
    screen: Screen,
    diagnostics: Iterable[Diagnostic],
    source: str,
    where: str = "goal",
    scene: Scene | None = None,
) -> None:
    """Print diagnostics with their place in a source text, and what the names of a scene in them are."""
    for one in diagnostics:
        place = f"{where}:{one.span.line}:{one.span.column}: " if one.span else f"{where}: "
        style = BAD if one.severity == "error" else UNSURE
        screen.line(place, (f"{one.severity}[{one.code}]", style), f": {one.message}")
        if one.span is not None and source.strip():
            line, marker = excerpt(source, one.span)
            screen.line(line, prefix=["  "])
            screen.line((marker, style), prefix=["  "])
        if scene is not None and (classes := classes_in(one.message, scene)):
            screen.line(("names: ", QUIET), classes, prefix=["  "])
        if one.fixes:
            screen.line(("try ", GOOD), " or ".join(map(str, one.fixes)), prefix=["  "])


def excerpt(source: str, span: Span) -> tuple[str, str]:
    """Return the part of a line that a span begins in, and the carets that go below it."""
    begin = source.rfind("\n", 0, span.start) + 1
    end = source.find("\n", begin)
    end = len(source) if end < 0 else end
    last = max(min(span.end, end), span.start)
    first = max(begin, span.start - CONTEXT)
    stop = min(end, max(last, span.start + 1) + CONTEXT, span.start + 2 * CONTEXT)
    before = ("…" if first > begin else "") + _shown(source[first : span.start])
    marked, after = _shown(source[span.start : min(last, stop)]), _shown(source[min(last, stop) : stop])
    line = before + marked + after + ("…" if stop < end else "")
    return line, " " * cell_len(before) + "^" * max(1, cell_len(marked))


def _shown(text: str) -> str:
    return safe(text.replace("\t", " ").replace("\r", ""))


def summary(diagnostics: Iterable[Diagnostic]) -> str:
    """Count the errors and warnings, such as "1 error, 2 warnings"."""
    severities = [d.severity for d in diagnostics]
    counts = {s: severities.count(s) for s in ("error", "warning")}
    return ", ".join(number_of(n, s) for s, n in counts.items() if n) or "no findings"
