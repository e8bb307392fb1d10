"""Diagnostics as a compiler front end gives them, for people, editors and models alike.

Codes, severities and JSON keys are stable, since editors, prompts and tests match on them; messages may be
reworded, and every check may add codes of its own, with an explanation in ``diagnostics.toml``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal, cast

from .errors import InputError
from .files import parse_toml
from .storage.json_record import JsonRecord

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True, order=True)
class Span(JsonRecord):
    """A half-open range of characters in a source text; line and column count from 1."""

    start: int
    end: int
    line: int
    column: int

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Span:
        """Return what ``as_json`` gave. Raises ``KeyError`` or ``TypeError`` for another value."""
        places = [raw[key] for key in ("start", "end", "line", "column")]
        if not all(isinstance(place, int) for place in places):
            raise TypeError("a span has numbers")
        return cls(*places)


@dataclass(frozen=True, slots=True, order=True)
class Fix(JsonRecord):
    """A text that would be right in place of the characters of a span, which need not be a finding's own."""

    span: Span
    text: str

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Fix:
        """Return what ``as_json`` gave. Raises ``KeyError`` or ``TypeError`` for another value."""
        return cls(Span.from_json(raw["span"]), str(raw["text"]))

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Diagnostic(JsonRecord):
    """One finding: a stable ``code``, a message, and what would be right instead (``fixes``), the best first.

    Any one of the fixes mends it; with several, what was meant is open.
    """

    code: str
    severity: Severity
    message: str
    span: Span | None = None
    fixes: tuple[Fix, ...] = ()

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Diagnostic:
        """Return what ``as_json`` gave. Raises ``KeyError`` or ``TypeError`` for another value."""
        code, message = (str(raw[key]) for key in ("code", "message"))
        severity: Severity = "error" if raw["severity"] == "error" else "warning"
        span = Span.from_json(raw["span"]) if raw["span"] is not None else None
        return cls(code, severity, message, span, tuple(map(Fix.from_json, raw["fixes"])))

    def __str__(self) -> str:
        place = f"{self.span.line}:{self.span.column}: " if self.span else ""
        fix = f" (try {' or '.join(map(str, self.fixes))})" if self.fixes else ""
        return f"{place}{self.severity}[{self.code}]: {self.message}{fix}"


def mended(source: str, diagnostics: Iterable[Diagnostic]) -> str:
    """Return a text with the findings mended that have just one fix; of fixes that overlap, the first.

    >>> mended("(hot fridg)", [Diagnostic("", "error", "", None, (Fix(Span(5, 10, 1, 6), "fridge"),))])
    '(hot fridge)'
    """
    only = sorted({one.fixes[0] for one in diagnostics if len(one.fixes) == 1})
    pieces: list[str] = []
    done = 0
    for fix in only:
        if fix.span.start >= done:
            pieces += [source[done : fix.span.start], fix.text]
            done = fix.span.end
    return "".join([*pieces, source[done:]])


def of_line(error: InputError) -> Diagnostic:
    """Return the finding for a line of a file that cannot be used."""
    hint = f"; {error.hint}" if error.hint else ""
    return Diagnostic("bad-line", "error", f"expected {error.expected}, got {error.got}{hint}")


def has_errors(diagnostics: tuple[Diagnostic, ...]) -> bool:
    return any(d.severity == "error" for d in diagnostics)


@dataclass(frozen=True, slots=True)
class CodeExplanation:
    """The meaning of a code: when it is given, an example over the office where there is one, what to do."""

    code: str
    severity: Severity
    meaning: str
    remedy: str
    example: str = ""


@dataclass(frozen=True, slots=True)
class FindingExplanation:
    """The meaning of a code of ``pack check``, and what to do."""

    code: str
    meaning: str
    remedy: str


@cache
def explained_codes() -> Mapping[str, CodeExplanation]:
    """Return the explanation of every code of a diagnostic, in the order in which they are listed."""
    tables = cast(Mapping[str, Mapping[str, Any]], _tables())
    return {c: CodeExplanation(code=c, **t) for c, t in tables.items() if c not in (OUTCOMES, PACK)}


@cache
def explained_findings() -> Mapping[str, FindingExplanation]:
    """Return the explanation of every code of ``pack check``, in the order in which they are listed."""
    tables = cast(Mapping[str, Mapping[str, str]], _tables()[PACK])
    return {code: FindingExplanation(code, **t) for code, t in tables.items()}


@cache
def explained_outcomes() -> Mapping[str, str]:
    """Return what each outcome of a run means."""
    return cast(Mapping[str, str], _tables()[OUTCOMES])


OUTCOMES, PACK = "outcomes", "pack"


@cache
def _tables() -> Mapping[str, object]:
    text = files(__package__).joinpath("diagnostics.toml").read_text(encoding="utf-8")
    return parse_toml(text, "diagnostics.toml")
