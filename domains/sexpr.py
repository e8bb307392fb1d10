"""S-expressions with positions, the layer under PDDL files and patterns of packs.

A list is an :class:`Expression` with its items, a word a :class:`Word`; both have line and column, so that
their reader can say where something is wrong. Case is kept: PDDL ignores it, scene names do not, so whoever
interprets the words lowers them. The grammar is ``sexpr.lark``; it may be made faster, but must know nothing
of PDDL.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import lark

from .errors import InputError, clip

MAX_NESTING = 1000

_WORDS = re.compile(r"[^\s();]+")
_BRACKETS = re.compile(r"[()]")


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


class _Build(lark.Transformer[lark.Token, tuple[Expression | Word, ...]]):
    def WORD(self, token: lark.Token) -> Word:
        return Word(str(token), token.line or 0, token.column or 0)

    def FLAT(self, token: lark.Token) -> Expression:
        """A list of words, each with its place."""
        text, line, column = str(token), token.line or 0, token.column or 0
        words: list[Expression | Word] = []
        counted = 0  # up to where line breaks are counted
        for match in _WORDS.finditer(text):
            breaks = text.count("\n", counted, match.start())
            if breaks:
                line += breaks
                column = -text.rfind("\n", counted, match.start())
            counted = match.start()
            words.append(Word(match.group(), line, column + counted))
        return Expression(tuple(words), token.line or 0, token.column or 0)

    def list(self, items: list[Any]) -> Expression:
        bracket = items[0]
        return Expression(tuple(items[1:]), bracket.line, bracket.column)

    def start(self, items: Sequence[Expression | Word]) -> tuple[Expression | Word, ...]:
        return tuple(items)


@cache
def _parser() -> lark.Lark:
    grammar = files(__package__).joinpath("sexpr.lark").read_text(encoding="utf-8")
    return lark.Lark(grammar, parser="lalr", transformer=_Build())


def read(text: str, where: str, problem: type[InputError] = InputError) -> tuple[Expression | Word, ...]:
    """Read every expression of a text.

    Raises ``problem`` with line and column where brackets do not match or nest too deep.
    """
    depth = deepest = 0
    for bracket in _BRACKETS.findall(text):
        depth += 1 if bracket == "(" else -1
        deepest = max(deepest, depth)
    if deepest > MAX_NESTING:
        raise problem(where, f"at most {MAX_NESTING} nested brackets", str(deepest))
    try:
        result: tuple[Expression | Word, ...] = _parser().parse(text)  # type: ignore[assignment]
    except lark.UnexpectedInput as error:
        line, column = getattr(error, "line", -1), getattr(error, "column", -1)
        token = getattr(error, "token", "")
        if not token:  # the end, for which Lark gives the place of the last token
            line, column = text.count("\n") + 1, len(text) - text.rfind("\n")
        place = f"{where}:{line}:{column}"
        token = clip(str(token or "the end"))
        raise problem(place, "matching brackets", token, "check the brackets before this place") from None
    return result
