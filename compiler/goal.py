"""Goals as text: parsing PDDL goal syntax with exact positions.

The grammar is ``goal.lark``. A :class:`Goal` keeps its source and the span of every subformula and
argument, so that a check can point at what is wrong. Names are scene names, in double quotes where PDDL
cannot spell them. Text from a model or a file is data: it is parsed, bounded and never evaluated.
"""

from __future__ import annotations

import bisect
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import lark

from ..domains.diagnostic import Diagnostic, Span
from ..domains.errors import GoalError, clip
from ..domains.formula import (
    MAX_DEPTH,
    And,
    Atom,
    Count,
    Equal,
    Exists,
    Forall,
    Formula,
    Imply,
    Not,
    Or,
    Sometime,
    Term,
    TypedVar,
    Var,
)

MAX_CHARACTERS = 200_000
MAX_WORDS = 120
"""Longest text of ``(missing "words")``."""

Path = tuple[int, ...]
"""Where a part is: the indexes of children from the root, and the index of an argument last."""


@dataclass(frozen=True)
class Goal:
    """A parsed goal. ``spans`` maps the path of a subformula or argument to its place in ``source``."""

    formula: Formula
    source: str
    spans: Mapping[Path, Span]

    def __str__(self) -> str:
        return str(self.formula)

    @classmethod
    def of(cls, formula: Formula) -> Goal:
        """A goal from a formula: printed and parsed again, so that it has spans."""
        return parse_goal(str(formula))


@dataclass(frozen=True, slots=True)
class Missing:
    """The answer ``(missing "words")``: no goal can be written because the scene shows no such thing."""

    words: str

    def __str__(self) -> str:
        spelled = json.dumps(self.words, ensure_ascii=not self.words.isprintable())
        return f"(missing {spelled})".replace("\x7f", "\\u007f")


class GoalSyntaxError(GoalError):
    """A text that is no goal. ``diagnostic`` has code, span and fix."""

    def __init__(self, where: str, diagnostic: Diagnostic, expected: str, got: str, hint: str = "") -> None:
        self.diagnostic = diagnostic
        place = f"{where}:{diagnostic.span.line}:{diagnostic.span.column}" if diagnostic.span else where
        super().__init__(place, expected, got, hint)


@dataclass(frozen=True, slots=True)
class _Part:
    """A subformula with its place and the parts below it."""

    formula: Formula
    start: int
    end: int
    below: tuple[_Part, ...] = ()
    terms: tuple[tuple[int, int], ...] = ()


def parse_goal(text: str, where: str = "goal") -> Goal:
    """Parse a goal.

    Raises :class:`GoalSyntaxError` with the place, what was expected and what was found.
    """
    found = parse_answer(text, where)
    if isinstance(found, Missing):
        hint = "name nodes of the scene, or look for what is missing first"
        raise _fail(text, where, 0, len(text.rstrip()), "missing", "a goal", clip(str(found)), hint)
    return found


def parse_answer(text: str, where: str = "answer") -> Goal | Missing:
    """Parse what a model may answer: a goal, or ``(missing "words")`` where the scene does not show enough.

    Raises :class:`GoalSyntaxError` as :func:`parse_goal` does.
    """
    _check_size(text, where)
    try:
        # One more character than the text, so that a keyword at its very end still has something after it.
        root: Any = _parser().parse(text + "\n")
    except lark.UnexpectedInput as error:
        raise _syntax_error(error, text, where) from None
    except ValueError as error:  # a quoted name that cannot be read
        expected = "quoted names with escapes as in JSON"
        raise _fail(text, where, 0, len(text), "syntax", expected, clip(str(error))) from None
    if isinstance(root, Missing):
        if len(root.words) > MAX_WORDS:
            got = f"{len(root.words)} characters"
            raise _fail(text, where, 0, len(text), "too-long", f"at most {MAX_WORDS} characters", got)
        return root
    lines = _Lines(text)
    spans: dict[Path, Span] = {}
    stack: list[tuple[Path, _Part]] = [((), root)]
    while stack:
        path, part = stack.pop()
        spans[path] = lines.span(part.start, part.end)
        for index, (start, end) in enumerate(part.terms):
            spans[(*path, index)] = lines.span(start, end)
        stack.extend(((*path, index), below) for index, below in enumerate(part.below))
    return Goal(root.formula, text, spans)


class _Lines:
    """Line and column of an offset."""

    def __init__(self, text: str) -> None:
        self.starts = [0, *(m.end() for m in re.finditer("\n", text))]
        self.length = len(text)

    def span(self, start: int, end: int) -> Span:
        line = bisect.bisect_right(self.starts, start)
        return Span(start, min(end, self.length), line, start - self.starts[line - 1] + 1)


def _check_size(text: str, where: str) -> None:
    if len(text) > MAX_CHARACTERS:
        got = f"{len(text)} characters"
        raise _fail(text, where, 0, 1, "too-long", f"at most {MAX_CHARACTERS} characters", got)
    depth = 0
    for found in re.finditer(r'"(?:[^"\\]|\\.)*"|;[^\n]*|[()]', text, re.S):
        piece = found.group()
        depth += (piece == "(") - (piece == ")")
        if depth > MAX_DEPTH:
            got = f"more than {MAX_DEPTH} open brackets"
            expected = f"formulas at most {MAX_DEPTH} deep"
            raise _fail(text, where, found.start(), found.end(), "too-deep", expected, got)
    if not re.sub(r";[^\n]*", "", text).strip():
        hint = "write a formula such as (inside_of apple1 fridge)"
        raise _fail(text, where, 0, 0, "empty", "a goal", "an empty text", hint)


def _fail(
    text: str, where: str, start: int, end: int, code: str, expected: str, got: str, hint: str = ""
) -> GoalSyntaxError:
    span = _Lines(text).span(start, end)
    message = f"expected {expected}, got {got}" + (f"; {hint}" if hint else "")
    return GoalSyntaxError(where, Diagnostic(code, "error", message, span), expected, got, hint)


SUPPORTED = "and, or, not, imply, exists, forall, =, exactly, at-least, at-most, sometime"
NOT_YET = frozenset(
    "always at-most-once sometime-after sometime-before within always-within hold-during hold-after"
    " preference".split()
)
"""What PDDL3 has and the grammar has not, yet."""

_EXPECTED = {
    "LPAR": "(",
    "RPAR": ")",
    "NAME": "a name",
    "STRING": "a quoted name",
    "VARIABLE": "a variable",
    "NUMBER": "a number",
    "DASH": "- and a type",
    "$END": "the end",
}


def _not_yet(text: str, where: str, start: int) -> GoalSyntaxError | None:
    """The error for a form of PDDL3 that the grammar lacks, where one was begun just before an error."""
    opened = text.rfind("(", 0, start)
    words = list(re.finditer(r"\S+", text[opened + 1 : start])) if opened >= 0 else []
    if not 1 <= len(words) <= 2 or words[0].group().lower() not in NOT_YET:
        return None
    form = words[0].group()
    span = _Lines(text).span(opened + 1 + words[0].start(), opened + 1 + words[0].end())
    got, hint = f"{form}, which is not supported yet", f"supported: {SUPPORTED}"
    found = Diagnostic("unsupported", "error", f"{form} is not supported yet; {hint}", span)
    return GoalSyntaxError(where, found, "a form that is supported", got, hint)


def _syntax_error(error: lark.UnexpectedInput, text: str, where: str) -> GoalSyntaxError:
    wanted: Sequence[str] = ()
    got = "the end"
    start = min(error.pos_in_stream if error.pos_in_stream is not None else len(text), len(text))
    end = start
    if isinstance(error, lark.UnexpectedToken):
        wanted = sorted(error.expected)
        if error.token.type == "$END":
            start = end = len(text.rstrip())
        else:
            got, end = clip(str(error.token)), start + len(error.token)
    elif isinstance(error, lark.UnexpectedCharacters):
        wanted = sorted(error.allowed or ())
        got, end = clip(text[start : start + 20]) or "the end", start + 1
    if (lacking := _not_yet(text, where, start)) is not None:
        return lacking
    names = list(dict.fromkeys(_EXPECTED.get(w, w.lower()) for w in wanted))
    if len(names) > 6:
        names = ["a connective (and, or, not, exists, ...)", "a predicate"]
    hint = "a bracket may be missing" if got == "the end" else ""
    return _fail(text, where, start, end, "syntax", " or ".join(names) or "a formula", got, hint)


@cache
def grammar_text() -> str:
    """The grammar of the goal language."""
    return files(__package__).joinpath("goal.lark").read_text(encoding="utf-8")


@cache
def _parser() -> lark.Lark:
    return lark.Lark(grammar_text(), parser="lalr", transformer=_Build())


_Term = tuple[Term, int, int]


def _text(token: lark.Token) -> str:
    """The name that a token spells."""
    if token.type != "STRING":
        return str(token)
    value = json.loads(re.sub(r"[\x00-\x1f]", lambda m: f"\\u{ord(m.group()):04x}", str(token)))
    if not value:
        raise ValueError("an empty quoted name")
    return str(value)


class _Build(lark.Transformer[lark.Token, _Part]):
    def start(self, items: list[_Part | Missing]) -> _Part | Missing:
        return items[0]

    def missing(self, items: list[lark.Token]) -> Missing:
        words = " ".join(_text(items[2]).split())
        if not words:
            raise ValueError("no words for what is missing")
        return Missing(words)

    def name(self, items: list[lark.Token]) -> tuple[str, int, int]:
        token = items[0]
        return _text(token), token.start_pos or 0, token.end_pos or 0

    def term(self, items: list[lark.Token]) -> _Term:
        token = items[0]
        value = Var(str(token)[1:]) if token.type == "VARIABLE" else _text(token)
        return value, token.start_pos or 0, token.end_pos or 0

    def typed(self, items: list[Any]) -> list[TypedVar]:
        type_name = items[-1][0]
        return [TypedVar(str(v)[1:], type_name) for v in items[:-2]]

    def variables(self, items: list[Any]) -> tuple[TypedVar, ...]:
        return tuple(v for group in items[1:-1] for v in group)

    def _part(self, items: list[Any], formula: Formula, below: Sequence[_Part] = ()) -> _Part:
        return _Part(formula, items[0].start_pos, items[-1].end_pos, tuple(below))

    def conjunction(self, items: list[Any]) -> _Part:
        parts = items[2:-1]
        return self._part(items, And(tuple(p.formula for p in parts)), parts)

    def disjunction(self, items: list[Any]) -> _Part:
        parts = items[2:-1]
        return self._part(items, Or(tuple(p.formula for p in parts)), parts)

    def negation(self, items: list[Any]) -> _Part:
        return self._part(items, Not(items[2].formula), items[2:3])

    def implication(self, items: list[Any]) -> _Part:
        return self._part(items, Imply(items[2].formula, items[3].formula), items[2:4])

    def exists(self, items: list[Any]) -> _Part:
        return self._part(items, Exists(items[2], items[3].formula), items[3:4])

    def forall(self, items: list[Any]) -> _Part:
        return self._part(items, Forall(items[2], items[3].formula), items[3:4])

    def count(self, items: list[Any]) -> _Part:
        kind: Any = str(items[1]).lower()
        formula = Count(kind, int(items[2]), items[3], items[4].formula)
        return self._part(items, formula, items[4:5])

    def sometime(self, items: list[Any]) -> _Part:
        return self._part(items, Sometime(items[2].formula), items[2:3])

    def equal(self, items: list[Any]) -> _Part:
        left, right = items[2], items[3]
        formula = Equal(left[0], right[0])
        spans = ((left[1], left[2]), (right[1], right[2]))
        return _Part(formula, items[0].start_pos, items[-1].end_pos, (), spans)

    def atom(self, items: list[Any]) -> _Part:
        name, terms = items[1][0], items[2:-1]
        formula = Atom(name, tuple(t[0] for t in terms))
        return _Part(formula, items[0].start_pos, items[-1].end_pos, (), tuple((t[1], t[2]) for t in terms))
