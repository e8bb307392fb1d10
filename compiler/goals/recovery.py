"""All syntax errors of a text: after each, the bracket that it is in is left out, and reading goes on.

Of a bracket that closes nothing only that one is left out.

The innermost bracket behind which reading goes on is taken for an empty conjunction of the same length, so
that all places stay. An error that only such an omission could have made is none: nothing is reported from
inside of what was left out.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

from ...domains.deadline import check_time
from ...domains.diagnostic import Diagnostic
from .syntax import TOKEN, GoalSyntaxError, Source, brackets

MAX_ERRORS = 20
"""Most errors that are reported of one text."""
MAX_OUTER = 4
"""Most brackets around an error that are left out for one after the other."""
_LEFT_OUT = "(and)"


def syntax_errors(text: str, where: str, first: GoalSyntaxError) -> tuple[Diagnostic, ...]:
    """Return the errors of a text in its order: the first, and those that are found without it."""
    errors, error, source = [first.diagnostic], first, Source(text, where)
    while (span := error.diagnostic.span) is not None and _closes_nothing(source.text, span.start):
        source = replace(source, text=f"{source.text[: span.start]} {source.text[span.start + 1 :]}")
        try:
            source.read("start")
        except GoalSyntaxError as other:
            error = other
            errors.append(error.diagnostic)
        else:
            return tuple(errors)
    while len(errors) < MAX_ERRORS and error.diagnostic.code in ("syntax", "unsupported"):
        check_time("looking for syntax errors")
        repaired = _next(source, error)
        if repaired is None:
            break
        source, error = repaired
        errors.append(error.diagnostic)
    return tuple(sorted(errors, key=lambda e: e.span.start if e.span is not None else 0))


def _closes_nothing(text: str, at: int) -> bool:
    """Return whether a bracket closes at a place, and none is open there."""
    pieces = [token.group() for token in TOKEN.finditer(text, 0, at)]
    return text[at : at + 1] == ")" and pieces.count("(") <= pieces.count(")")


def _next(source: Source, error: GoalSyntaxError) -> tuple[Source, GoalSyntaxError] | None:
    """Return a text without a bracket around an error, and its next error."""
    span = error.diagnostic.span
    assert span is not None
    around = (b for b in brackets(source.text) if b[2] > 1 and b[0] < span.start < b[1])
    for start, end, _ in islice(around, MAX_OUTER):
        left_out = _LEFT_OUT[:-1].ljust(end - start - 1) + ")"
        shorter = replace(source, text=source.text[:start] + left_out + source.text[end:])
        if len(shorter.text) != len(source.text):
            continue
        try:
            shorter.read("start")
        except GoalSyntaxError as later:
            if later.diagnostic.span is not None and later.diagnostic.span.start >= end:
                return shorter, later
        else:
            return None
    return None
