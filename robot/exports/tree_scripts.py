"""Scripts of behavior trees: the small language of conditions and assignments, as far as its grammar goes.

The grammar is that of BehaviorTree.CPP 4.10 (`src/script_tokenizer.cpp`, `src/script_parser.cpp`): operators
with the library's binding powers, names, numbers and texts in single quotes. Only the ``;`` between
statements may not be left out, since releases before 4.9 want it. What comes out are the names that a script
reads and sets, in its order. Types of values are not looked at, nor is what an operator makes of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import SimpleNamespace
from typing import Literal

import lark

from ...domains.errors import clip

Use = Literal["read", "create", "set", "change"]
"""What a script does with a name: ``x``, ``x := 1``, ``x = 1`` (of an entry that is there), ``x += 1``."""

_SETS: Mapping[str, Use] = {":=": "create", "=": "set"}
"""What the operators of assignments do; all others change."""
_GRAMMAR = r"""
start: expression (_END+ expression)* _END*          -> joined
?expression: choice | either SET expression          -> assigned
?choice: either | either "?" expression _COLON choice -> joined
?either: both | either _OR both                      -> joined
?both: compared | both _AND compared                 -> joined
?compared: barred | compared _COMPARED barred        -> joined
?barred: masked | barred _BAR masked                 -> joined
?masked: summed | masked "&" summed                  -> joined
?summed: product | summed (_PLUS | _MINUS) product   -> joined
?product: signed | product _TIMES signed             -> joined
?signed: NAME -> name | _VALUE -> joined | (_MINUS | _SIGN) signed -> joined | "(" expression _CLOSED

_VALUE.4: /'[^']*+'|0[xX][0-9A-Fa-f]++(?![A-Za-z0-9_.@])|(?:true|false)(?![A-Za-z0-9_])/
        | /(?!0[xX])[0-9]++(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+(?![A-Za-z_@])/
NAME.3: /[A-Za-z_@][A-Za-z0-9_]*+/
_OR.2: "||"
_AND.2: "&&"
_COMPARED.2: /[=!<>]=|[<>]/
SET.1: /[:+*\/-]?=/
_BAR: /[|^]/
_PLUS: /\.\.|\+/
_MINUS: "-"
_TIMES: /[*\/]/
_SIGN: /[!~]/
_COLON: ":"
_CLOSED: ")"
_END: ";"
WRONG.-1: /'[\s\S]*+|[A-Za-z0-9_.@]++|[\s\S]/
%ignore /[ \t\n\r]++/
"""
"""Operators that bind stronger are further down."""
_EXPECTED = {"NAME": "a name, a number or a text in single quotes", "_CLOSED": ")", "_COLON": ":"}


@dataclass(frozen=True, slots=True)
class NameUse:
    """A name in a script, and what the script does with it."""

    name: str
    use: Use


Uses = NameUse | list["Uses"]
"""The uses in an expression: one for a single name, which can be set, and else a list of its parts."""


class ScriptFault(ValueError):
    """A text that is no script; the message says where, counted from the first character, and why."""


def names_in(script: str) -> tuple[NameUse, ...]:
    """Return the names that a script reads and sets, in its order. Raises :class:`ScriptFault`."""
    if not script.strip(" \t\n\r"):
        raise ScriptFault("a script is empty")
    try:
        left: list[Uses] = [_parser().parse(script)]  # type: ignore[list-item]
    except lark.UnexpectedToken as error:
        expected = next((words for name, words in _EXPECTED.items() if name in error.accepts), ";")
        ended = error.token.type == "$END"
        at = len(script) if ended else error.token.start_pos
        raise _fault(at, expected, "" if ended else error.token) from None
    uses: list[NameUse] = []
    while left:  # flattened once: joined at each operator, a long chain would be copied at each
        part = left.pop()
        if isinstance(part, NameUse):
            uses.append(part)
        else:
            left += reversed(part)
    return tuple(uses)


@cache
def _parser() -> lark.Lark:
    rules = SimpleNamespace(
        joined=list, assigned=_assigned, name=lambda names: NameUse(str(names[0]), "read")
    )
    any_text = SimpleNamespace(
        process=iter, always_accept=("WRONG",)
    )  # what is no token is one that is refused
    return lark.Lark(_GRAMMAR, parser="lalr", lexer="basic", transformer=rules, postlex=any_text)


def _assigned(parts: tuple[Uses, lark.Token, Uses]) -> list[Uses]:
    target, operator, value = parts
    if not isinstance(target, NameUse):
        raise _fault(operator.start_pos, "a single name before an assignment", operator)
    return [NameUse(target.name, _SETS.get(operator, "change")), value]


def _fault(at: int | None, expected: str, got: str) -> ScriptFault:
    shown = f"got {clip(got, 40)}" if got else "it ends"
    return ScriptFault(f"at character {(at or 0) + 1} {expected} is expected, {shown}")
