"""Goals of a text: one, several formulas one after the other, or JSON lines with ids.

Each keeps the place in the text where it stands, so that what is found in it has the line and the column of
the file. A line of JSON is an object with a `goal` and, if wanted, an `id`; places in such a goal are those
of its own text, since JSON may write it otherwise, and the line is that of the file.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..domains.diagnostic import Diagnostic, Fix, Span, mended, of_line
from ..domains.errors import InputError, clip
from ..domains.files import json_lines, undecoded
from .console.diagnostics import show_diagnostics
from .console.terminal import Screen

MAX_FAULTS = 20
"""Most lines at fault that are shown to people."""
MAX_GOALS = 10_000
"""Most goals of one text."""
_PIECE = re.compile(r'"(?:[^"\\]|\\.)*"|;[^\n]*|[()]|[^\s()";]+|"', re.S)


@dataclass(frozen=True, slots=True)
class GoalText:
    """A goal or question in a text: its id, what is written, and where that begins; ``line`` counts from 1.

    ``row`` is the line of JSON that it was read from, ``fault`` says why a line is none.
    """

    id: str
    text: str
    line: int = 1
    start: int = 0
    column: int = 1
    row: Mapping[str, object] = field(default_factory=dict)
    fault: Diagnostic | None = None

    def placed(self, diagnostics: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
        """Return diagnostics of the goal with their places in the text that it stands in."""
        if (self.start, self.line, self.column) == (0, 1, 1):
            return diagnostics
        return tuple(
            replace(
                one,
                span=one.span and self._moved(one.span),
                fixes=tuple(Fix(self._moved(fix.span), fix.text) for fix in one.fixes),
            )
            for one in diagnostics
        )

    def _moved(self, span: Span) -> Span:
        if self.row:  # a goal in JSON has one line in the file, however many are in its text
            return replace(span, line=self.line)
        column = span.column + (self.column - 1 if span.line == 1 else 0)
        return Span(span.start + self.start, span.end + self.start, span.line + self.line - 1, column)


@dataclass(frozen=True, slots=True)
class GoalTexts:
    """All goals of a text; ``lines`` where they are JSON lines."""

    text: str
    goals: tuple[GoalText, ...]
    lines: bool

    def mended(self, findings: Sequence[Sequence[Diagnostic]]) -> str:
        """Return the text with each finding mended that has just one fix; findings are those of each goal."""
        if not self.lines:
            return mended(self.text, itertools.chain.from_iterable(findings))
        lines = self.text.split("\n")
        for goal, some in zip(self.goals, findings, strict=True):
            if (text := mended(goal.text, some)) != goal.text:
                lines[goal.line - 1] = json.dumps({**goal.row, "goal": text}, ensure_ascii=True)
        return "\n".join(lines)


def goals_of(text: str, where: str) -> GoalTexts:
    """Return the goals of a text; one that is neither JSON lines nor several formulas is one goal.

    Raises :class:`InputError` for too many.

    >>> [goal.line for goal in goals_of("(open fridge)\\n(hot bread) ; warm", "goals.txt").goals]
    [1, 2]
    """
    lines = text.lstrip().startswith("{")
    goals = tuple(itertools.islice(_of_lines(text, where) if lines else _of_formulas(text), MAX_GOALS + 1))
    if len(goals) > MAX_GOALS:
        raise InputError(where, f"at most {MAX_GOALS} goals", "more")
    if not lines:
        goals = tuple(map(_decoded, goals if len(goals) > 1 else (GoalText("1", text),)))
    return GoalTexts(text, goals, lines)


def _decoded(goal: GoalText) -> GoalText:
    """Return a goal with its fault where a byte of it is no UTF-8."""
    if (other := undecoded(goal.text)) is None:
        return goal
    start, byte = other
    line, before = goal.text.count("\n", 0, start) + 1, goal.text.rfind("\n", 0, start)
    message = f"expected UTF-8 text, got {byte}; save the file as UTF-8"
    span = Span(start, start + 1, line, start - before)
    return replace(goal, fault=Diagnostic("syntax", "error", message, span))


def _of_lines(text: str, where: str) -> Iterator[GoalText]:
    for line in rows_of(text, where, "goal"):
        fault = of_line(line.fault) if line.fault is not None else None
        yield GoalText(line.id, str(line.row.get("goal", "")), line.number, row=line.row, fault=fault)


@dataclass(frozen=True, slots=True)
class JsonLine:
    """A line of JSON lines: its number, from 1, its id and its object; ``fault`` says why there is none."""

    number: int
    id: str
    row: Mapping[str, object]
    fault: InputError | None = None


def rows_of(text: str, where: str, *keys: str) -> Iterator[JsonLine]:
    """Yield the lines of JSON that are not blank; ``keys`` are texts that all have."""
    seen: dict[str, int] = {}
    needed = ", ".join(f'"{key}": ".."' for key in keys)
    for number, row in json_lines(text, where, f"write {{{needed}}}"):
        try:
            if isinstance(row, InputError):
                raise row
            name = _id(row, where, number, keys)
            if (first := seen.setdefault(name, number)) != number:
                hint = f"line {first} has it"
                raise InputError(f"{where}:{number}: id", "an id of its own", clip(name), hint)
        except InputError as error:
            yield JsonLine(number, str(number), {}, error)
        else:
            yield JsonLine(number, name, row)


def _id(row: Mapping[str, object], where: str, number: int, keys: Sequence[str]) -> str:
    """Return the id of a line with the keys that it needs. Raises :class:`InputError`."""
    at = f"{where}:{number}"
    if not all(isinstance(row.get(key), str) for key in keys):
        named = " and ".join(f'"{key}"' for key in keys)
        texts = "a text" if len(keys) == 1 else "texts"
        got = json.dumps(row, ensure_ascii=False)
        raise InputError(at, f"an object of JSON with {named}, {texts}", clip(got))
    name = row.get("id", number)
    if not isinstance(name, str | int) or isinstance(name, bool):
        raise InputError(f"{at}: id", "a text or a whole number", clip(str(name)))
    return str(name)


def show_faults(screen: Screen, faults: Sequence[InputError]) -> None:
    """Print what is wrong with lines that could not be used."""
    for error in faults[:MAX_FAULTS]:
        show_diagnostics(screen, (of_line(error),), "", error.where)
    if len(faults) > MAX_FAULTS:
        screen.line(f"and {len(faults) - MAX_FAULTS} more, in --json")


def faults_json(faults: Sequence[InputError]) -> list[dict[str, object]]:
    """Return lines that could not be used, each with its place and its finding."""
    return [{"place": error.where, **of_line(error).as_json()} for error in faults]


def _of_formulas(text: str) -> Iterator[GoalText]:
    """Yield the outermost brackets of a text, the last one to the end; none where other words are beside.

    A domain and a problem of PDDL are one text and no goals.
    """
    places: list[tuple[int, int]] = []
    depth = start = 0
    for piece in _PIECE.finditer(text):
        token = piece.group()
        if token.startswith(";"):
            continue
        if depth == 0 and token != "(":
            return
        start = start if depth else piece.start()
        if depth == 1 and token.casefold() == "define":
            return
        depth += (token == "(") - (token == ")")
        if depth == 0:
            places.append((start, piece.end()))
            if len(places) > MAX_GOALS:
                break
    if depth:
        places.append((start, len(text)))
    line, before = 1, 0
    for number, (first, end) in enumerate(places, 1):
        line, before = line + text.count("\n", before, first), first
        yield GoalText(str(number), text[first:end], line, first, first - text.rfind("\n", 0, first))
