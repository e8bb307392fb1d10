"""Scripts of behavior trees: the small language of conditions and assignments, as far as its grammar goes.

The grammar is that of BehaviorTree.CPP 4.10 (`src/script_tokenizer.cpp`, `src/script_parser.cpp`): operators
with the library's binding powers, names, numbers and texts in single quotes. Only the ``;`` between
statements may not be left out, since releases before 4.9 want it. What comes out are the names that a script
reads and sets, in its order. Types of values are not looked at, nor is what an operator makes of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ...domains.errors import clip

MAX_NESTING = 100
"""Most expressions within one another."""

Use = Literal["read", "create", "set", "change"]
"""What a script does with a name: ``x``, ``x := 1``, ``x = 1`` (of an entry that is there), ``x += 1``."""

_SETS: dict[str, Use] = {":=": "create", "=": "set", **dict.fromkeys(("+=", "-=", "*=", "/="), "change")}
_BINDING = {
    **dict.fromkeys(_SETS, 2),
    "?": 4,
    "||": 6,
    "&&": 8,
    **dict.fromkeys(("==", "!=", "<", ">", "<=", ">="), 10),
    **dict.fromkeys("|^", 12),
    "&": 14,
    **dict.fromkeys(("+", "-", ".."), 16),
    **dict.fromkeys("*/", 18),
}
"""How strongly an operator between two operands binds."""
_TOKEN = re.compile(
    r"[ \t\n\r]*+(?:(?P<value>'[^']*+'"
    r"|0[xX][0-9A-Fa-f]++(?![\w.@])"
    r"|(?!0[xX])\d++(?:\.\d++)?+(?:[eE][+-]?\d++)?+(?![A-Za-z_@])"
    r"|(?:true|false)(?!\w))"
    r"|(?P<name>[A-Za-z_@]\w*+)"
    r"|(?P<operator>\.\.|&&|\|\||[=!<>:+\-*/]=|[-+*/&|^~!<>=?:();])"
    r"|(?P<end>\Z)|(?P<wrong>'.*+|[\w.@]++|.))",
    re.ASCII | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class NameUse:
    """A name in a script, and what the script does with it."""

    name: str
    use: Use


class ScriptFault(ValueError):
    """A text that is no script; the message says where, counted from the first character, and why."""


def names_in(script: str) -> tuple[NameUse, ...]:
    """Return the names that a script reads and sets, in its order. Raises :class:`ScriptFault`."""
    parser = _Parser(script)
    if parser.kind == "end":
        raise ScriptFault("a script is empty")
    while parser.kind != "end":
        parser.expression(0)
        if parser.kind != "end":
            parser.take(";")
        while parser.token == ";":
            parser.go_on()
    return tuple(parser.uses)


class _Parser:
    """One script: ``token`` is the next one, of a ``kind`` that the pattern of tokens names."""

    def __init__(self, script: str) -> None:
        self.uses: list[NameUse] = []
        self.depth = 0
        self.tokens = self._matches(script)
        self.go_on()

    @staticmethod
    def _matches(script: str) -> Iterator[re.Match[str]]:
        at = 0
        while (match := _TOKEN.match(script, at)) is not None:
            yield match
            at = match.end()

    def go_on(self) -> None:
        match = next(self.tokens)
        self.kind = str(match.lastgroup)
        self.token, self.at = match[self.kind], match.start(self.kind) + 1

    def fault(self, expected: str) -> ScriptFault:
        got = f"got {clip(self.token, 40)}" if self.token else "it ends"
        return ScriptFault(f"at character {self.at} {expected} is expected, {got}")

    def expression(self, least: int) -> int | None:
        """Read an expression of operators that bind at least so strongly; return the use that it is alone."""
        self.depth += 1
        if self.depth > MAX_NESTING:
            raise ScriptFault(f"expressions are nested more than {MAX_NESTING} deep")
        left = self.operand()
        while self.kind == "operator" and (binding := _BINDING.get(self.token, -1)) >= least:
            operator = self.token
            if operator in _SETS and left is None:
                raise self.fault("a single name before an assignment")
            self.go_on()
            if left is not None and operator in _SETS:
                self.uses[left] = NameUse(self.uses[left].name, _SETS[operator])
            self.expression(0 if binding <= _BINDING["?"] else binding + 1)
            if operator == "?":
                self.take(":")
                self.expression(binding)
            left = None
            if binding <= _BINDING["?"]:
                break
        self.depth -= 1
        return left

    def operand(self) -> int | None:
        signed = False
        while self.token in ("-", "~", "!") and self.kind == "operator":
            signed = True
            self.go_on()
        use = None
        if self.kind == "operator" and self.token == "(":
            self.go_on()
            use = self.expression(0)
            self.take(")")
        elif self.kind == "name":
            use = len(self.uses)
            self.uses.append(NameUse(self.token, "read"))
            self.go_on()
        elif self.kind == "value":
            self.go_on()
        else:
            raise self.fault("a name, a number or a text in single quotes")
        return None if signed else use

    def take(self, token: str) -> None:
        if self.kind != "operator" or self.token != token:
            raise self.fault(token)
        self.go_on()
