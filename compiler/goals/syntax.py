"""Parser of the goal language: its bounds, spans, and errors with a place.

The grammar is ``goal.lark``, for goals and questions alike; formulas are made by ``tree``. Text from a model
or a file is data: it is parsed, bounded and never evaluated. Messages and hints may be improved here, though
recorded repairs quote some; codes and spans are matched by editors, prompts and tests.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from types import SimpleNamespace
from typing import Any, Literal

import lark

from ...domains.diagnostic import Diagnostic, Fix, Span
from ...domains.errors import GoalError, clip, did_you_mean
from ...domains.formula import MAX_DEPTH
from .other_forms import OtherForm, other_form
from .tree import MAX_VARIABLES, RULES, Part, Place, TooManyVariables

MAX_CHARACTERS = 200_000

Path = tuple[int, ...]
"""Path of a part: the indexes of children from the root, and the index of an argument last.

The classes of a quantifier's variables follow its one child, from 1; the predicate of an atom follows its
arguments.
"""

Start = Literal["start", "question"]
EXAMPLES = {
    "start": "a formula such as (inside_of apple1 fridge)",
    "question": "a question such as (find (?r - room) (in_room fridge ?r))",
}
OPTIONS = (":nearest-to", ":most", ":fewest", ":limit")
"""Options of a question beside its formula."""


TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|;[^\n]*|[()]', re.S)
"""A quoted name, a comment or a bracket."""


def brackets(text: str, start: int = 0) -> Iterator[tuple[int, int, int]]:
    """Yield the first character, the end and the depth of each bracket that is closed, where it closes."""
    opened: list[int] = []
    for token in TOKEN.finditer(text, start):
        if token[0] == "(":
            opened.append(token.start())
        elif token[0] == ")" and opened:
            depth = len(opened)
            yield opened.pop(), token.end(), depth


class GoalSyntaxError(GoalError):
    """A text that is no goal, or no question. ``diagnostic`` has code, span and fix."""

    def __init__(self, where: str, diagnostic: Diagnostic, expected: str, got: str, hint: str = "") -> None:
        self.diagnostic = diagnostic
        place = f"{where}:{diagnostic.span.line}:{diagnostic.span.column}" if diagnostic.span else where
        super().__init__(place, expected, got, hint)


@dataclass(frozen=True)
class Source:
    """A text and its name in messages (``where``).

    Of a piece of a longer text, ``original`` is that, and ``places`` are the places in it of each character
    of the piece, and of its end: spans are those of the original.
    """

    text: str
    where: str
    original: str = ""
    places: Sequence[int] = ()

    def read(self, start: Start) -> Any:
        """Parse the text by a start rule of the grammar.

        Raises :class:`GoalSyntaxError` with the place, the expected and the given text.
        """
        self.check_size(start)
        try:
            # One more character than the text: a keyword at its very end still has something after it.
            return _parser(start).parse(self.text + "\n")
        except lark.UnexpectedInput as error:
            raise self._syntax_error(error, start) from None
        except TooManyVariables as error:
            expected = f"at most {MAX_VARIABLES} variables together"
            raise self.error(error.place, "too-many", expected, str(error.number)) from None
        except ValueError as error:  # a quoted name that cannot be read
            expected = "quoted names with escapes as in JSON"
            raise self.error((0, len(self.text)), "syntax", expected, clip(str(error))) from None

    def span(self, place: Place) -> Span:
        """Return the span of a place, with line and column."""
        start, end = place[0], min(place[1], len(self.text))
        if self.places:
            end = self.places[end - 1] + 1 if end > start else self.places[end]
            start = self.places[min(start, len(self.text))]
        line = bisect.bisect_right(self._lines, start)
        return Span(start, end, line, start - self._lines[line - 1] + 1)

    @cached_property
    def _lines(self) -> list[int]:
        return [0, *(m.end() for m in re.finditer("\n", self.original or self.text))]

    def spans(self, root: Part, above: Path = ()) -> dict[Path, Span]:
        """Return the spans of a part and of everything below it, by their paths."""
        spans: dict[Path, Span] = {}
        stack: list[tuple[Path, Part]] = [(above, root)]
        while stack:
            path, part = stack.pop()
            spans[path] = self.span(part.place)
            for index, place in enumerate(part.named, len(part.below)):
                spans[(*path, index)] = self.span(place)
            stack.extend(((*path, index), below) for index, below in enumerate(part.below))
        return spans

    def error(self, place: Place, code: str, expected: str, got: str, hint: str = "") -> GoalSyntaxError:
        """Return an error about a place of the text."""
        message = f"expected {expected}, got {got}" + (f"; {hint}" if hint else "")
        return GoalSyntaxError(
            self.where, Diagnostic(code, "error", message, self.span(place)), expected, got, hint
        )

    def check_size(self, start: Start) -> None:
        """Refuse a text that is empty, too long or too deep. Raises :class:`GoalSyntaxError`."""
        text = self.text
        if len(text) > MAX_CHARACTERS:
            expected = f"at most {MAX_CHARACTERS} characters"
            raise self.error((0, 1), "too-long", expected, f"{len(text)} characters")
        depth = 0
        for token in TOKEN.finditer(text):
            piece = token.group()
            depth += (piece == "(") - (piece == ")")
            if depth > MAX_DEPTH:
                expected, got = f"formulas at most {MAX_DEPTH} deep", f"more than {MAX_DEPTH} open brackets"
                raise self.error(token.span(), "too-deep", expected, got)
        if not re.sub(r";[^\n]*", "", text).strip():
            expected = "a goal" if start == "start" else "a question"
            raise self.error((0, 0), "empty", expected, "an empty text", f"write {EXAMPLES[start]}")

    def _syntax_error(self, error: lark.UnexpectedInput, start: Start) -> GoalSyntaxError:
        text = self.text
        terminals: Sequence[str] = ()
        got = "the end"
        first = min(error.pos_in_stream if error.pos_in_stream is not None else len(text), len(text))
        last = first
        if isinstance(error, lark.UnexpectedToken):
            terminals = sorted(error.expected)
            if error.token.type == "$END":
                first = last = len(text.rstrip())
            else:
                got, last = clip(str(error.token)), first + len(error.token)
        elif isinstance(error, lark.UnexpectedCharacters):
            terminals = sorted(error.allowed or ())
            got, last = clip(text[first : first + 20]) or "the end", first + 1
        if start == "start" and (question := QUESTION.match(text)) is not None:
            hint = "a goal says what shall hold; `find` answers questions"
            return self.error(question.span(1), "question", "a goal", "a question", hint)
        if (form := other_form(text, first)) is not None:
            return self._form_error(form)
        names = list(dict.fromkeys(_EXPECTED.get(t, t.lower()) for t in terminals))
        if "NUMBER" in terminals:
            before = re.sub(r";[^\n]*", "", text[:first]).rstrip().lower()
            names = [f"a number from {int(before.endswith(':limit'))} to 999999"]
        if len(names) > 6:
            names = ["a connective (and, or, not, exists, ...)", "a predicate"]
        hint = "a bracket may be missing" if got == "the end" else ""
        if got.startswith("(") and {"RPAR", "VARIABLE"} <= set(terminals):
            names, hint = [")"], "a fact has names in it, no brackets: one may be missing before this one"
        if terminals == ["LPAR"] and got.startswith("?"):
            hint = "variables stand in a bracket: (exists (?x - cup) ..)"
        if "FIND" in terminals or (start == "question" and first == 0):
            hint = f"write {EXAMPLES[start]}"
        elif "LIMIT" in terminals and (option := re.match(r":[^\s()\";]*", text[first:])) is not None:
            got, last = clip(option.group()), first + option.end()
            hint = did_you_mean(option.group(), OPTIONS) or f"options are {', '.join(OPTIONS)}"
        return self.error((first, last), "syntax", " or ".join(names) or "a formula", got, hint)

    def _form_error(self, form: OtherForm) -> GoalSyntaxError:
        shown = clip(form.word)
        message, span = f"{shown} is not supported; {form.hint}", self.span(form.place)
        fixes = (Fix(span, form.right),) if form.right else ()
        diagnostic = Diagnostic("unsupported", "error", message, span, fixes)
        got = f"{shown}, which is not supported"
        return GoalSyntaxError(self.where, diagnostic, "a form that is supported", got, form.hint)


QUESTION = re.compile(r"(?:\s|;[^\n]*\n)*(\(\s*find)(?=[\s(;])", re.I)
"""Beginning of a question; of a goal, too, where a class is called ``find``."""

_EXPECTED = {
    "LPAR": "(",
    "RPAR": ")",
    "NAME": "a name",
    "STRING": "a quoted name",
    "VARIABLE": "a variable",
    "NUMBER": "a number",
    "DASH": "- and a type",
    "NEAREST": ":nearest-to",
    "MOST": ":most",
    "LIMIT": ":limit",
    "$END": "the end",
}


@cache
def grammar_text() -> str:
    """Return the grammar of the goal language."""
    return files(__package__).joinpath("goal.lark").read_text(encoding="utf-8")


@cache
def _parser(start: Start) -> lark.Lark:
    return lark.Lark(grammar_text(), parser="lalr", start=start, transformer=SimpleNamespace(**RULES))
