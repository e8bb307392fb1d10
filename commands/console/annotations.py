"""Diagnostics as annotations of a workflow of GitHub: a command in each line, with file, line and column.

The form and its escapes are GitHub's ("Workflow commands"); line breaks in a message would begin a command of
their own, so nothing reaches a line unescaped.
"""

from __future__ import annotations

from ...domains.diagnostic import Diagnostic
from .escape import safe

_MESSAGE = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = _MESSAGE | {":": "%3A", ",": "%2C"}


def annotation(finding: Diagnostic, file: str | None, line: int, placed: bool) -> str:
    """Return the command for a finding in a file; its column only where its places are those of the file.

    >>> annotation(Diagnostic("empty", "error", "expected a goal"), "goals.txt", 3, placed=False)
    '::error file=goals.txt,line=3,title=empty::expected a goal'
    """
    places: dict[str, object] = {"file": file} if file is not None else {}
    span = finding.span
    places["line"] = span.line if span is not None and placed else line
    if span is not None and placed:
        places["col"] = span.column
    places["title"] = finding.code
    fixes = f" (try {' or '.join(map(str, finding.fixes))})" if finding.fixes else ""
    properties = ",".join(f"{key}={_escaped(str(value), _PROPERTY)}" for key, value in places.items())
    return f"::{finding.severity} {properties}::{_escaped(finding.message + fixes, _MESSAGE)}"


def _escaped(text: str, codes: dict[str, str]) -> str:
    """Return a text in which nothing ends a line or a property."""
    kept = "".join(codes.get(c, c) for c in text)
    return safe(kept)
