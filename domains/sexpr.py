"""S-expressions with positions, the layer under PDDL files and patterns of packs.

A list is an :class:`Expression` with its items, a word a :class:`Word`; both have line and column, so that
their reader can say where something is wrong. Case is kept: PDDL ignores it, scene names do not, so whoever
interprets the words lowers them. A comment goes from a semicolon to the end of its line. The reader may be
made faster, but must know nothing of PDDL.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .errors import InputError

MAX_NESTING = 1000
MAX_SPELT = 200_000
"""Different words that are kept once each: an initial state repeats its names. More are kept as read."""

_TOKENS = re.compile(r"[()]|;[^\n]*|[^\s();]+")
_WORDS = re.compile(r"[^\s();]+")


@dataclass(frozen=True, slots=True)
class Word:
    text: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Expression:
    items: tuple[Expression | Word, ...]
    line: int
    column: int

    def head(self) -> str:
        """Return the first word, lower-cased; empty for an empty list or one that starts with a list."""
        first = self.items[0] if self.items else None
        return first.text.lower() if isinstance(first, Word) else ""


def read(text: str, where: str, problem: type[InputError] = InputError) -> tuple[Expression | Word, ...]:
    """Read every expression of a text.

    Raises ``problem`` with line and column where brackets do not match or nest too deep.
    """
    line, begun = 1, 0  # the line that is read, and where it begins
    passed = 0  # up to where line breaks are counted
    around: list[tuple[list[Expression | Word], int, int]] = []  # the lists that are open, and their places
    items: list[Expression | Word] = []
    spelt: dict[str, str] = {}  # words that are spelt alike are one text
    for token in _TOKENS.finditer(text):
        word, start = token.group(), token.start()
        breaks = text.count("\n", passed, start)
        if breaks:
            line += breaks
            begun = text.rfind("\n", passed, start) + 1
        passed = start
        column = start - begun + 1
        if word == "(":
            around.append((items, line, column))
            items = []
            if len(around) > MAX_NESTING:
                raise problem(f"{where}:{line}:{column}", f"at most {MAX_NESTING} nested brackets", "more")
        elif word == ")":
            if not around:
                raise _unmatched(where, line, column, word, problem)
            inside = tuple(items)
            items, *place = around.pop()
            items.append(Expression(inside, *place))
        elif not word.startswith(";"):
            if len(spelt) < MAX_SPELT:
                spelt.setdefault(word, word)
            items.append(Word(spelt.get(word, word), line, column))
    if around:
        end = text.count("\n") + 1, len(text) - text.rfind("\n")
        raise _unmatched(where, *end, "the end", problem)
    return tuple(items)


def has_more_words(text: str, most: int) -> bool:
    """Count the words and lists of a text without keeping them: whether there are more than ``most``."""
    if len(text) <= most:
        return False
    count = text.count("(")
    return count > most or any(count + n > most for n, _ in enumerate(_WORDS.finditer(text), 1))


def _unmatched(where: str, line: int, column: int, got: str, problem: type[InputError]) -> InputError:
    hint = "check the brackets before this place"
    return problem(f"{where}:{line}:{column}", "matching brackets", got, hint)
