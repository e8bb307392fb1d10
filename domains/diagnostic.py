"""Diagnostics as a compiler front end gives them, for people, editors and models alike.

Codes, severities and JSON keys are stable, since editors, prompts and tests match on them; messages may be
reworded, and every check may add codes of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open range of characters in a source text; line and column count from 1."""

    start: int
    end: int
    line: int
    column: int

    def as_json(self) -> dict[str, int]:
        return {"start": self.start, "end": self.end, "line": self.line, "column": self.column}


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding: a stable ``code``, a message, and replacement texts for the span (``fixes``)."""

    code: str
    severity: Severity
    message: str
    span: Span | None = None
    fixes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, object]:
        return {
            "code": self.code,
            "severity": self.severity,
            "message": self.message,
            "span": self.span.as_json() if self.span else None,
            "fixes": list(self.fixes),
        }

    def __str__(self) -> str:
        place = f"{self.span.line}:{self.span.column}: " if self.span else ""
        fix = f" (try {' or '.join(self.fixes)})" if self.fixes else ""
        return f"{place}{self.severity}[{self.code}]: {self.message}{fix}"


def has_errors(diagnostics: tuple[Diagnostic, ...]) -> bool:
    return any(d.severity == "error" for d in diagnostics)
