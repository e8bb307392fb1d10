"""Goals and questions laid out over several lines, as people write them.

The text must mean the same and parse again; where lines are broken may be changed. It is laid out by its
brackets alone, so a new connective needs no change here, unless some of its arguments are to stay on its line
(``_WITH_VARIABLES``).
"""

from __future__ import annotations

import re

Tree = str | list["Tree"]

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[()]|[^\s()"]+', re.S)
_WITH_VARIABLES = {"exists": 1, "forall": 1, "exactly": 2, "at-least": 2, "at-most": 2, "find": 1}
"""Connectives that keep some arguments on their own line: variables, and a number before them."""


def pretty(text: str, width: int = 76) -> str:
    """Lay out a printed formula; a bracket that fits in the width stays on one line."""
    return "\n".join(_lay_out(_read(text), width, ""))


def _read(text: str) -> Tree:
    stack: list[list[Tree]] = [[]]
    for token in _TOKEN.findall(text):
        if token == "(":
            stack.append([])
        elif token == ")" and len(stack) > 1:
            stack[-2].append(stack.pop())
        else:
            stack[-1].append(token)
    return stack[0][0] if stack[0] else ""


def _flat(tree: Tree) -> str:
    return tree if isinstance(tree, str) else f"({' '.join(map(_flat, tree))})"


def _lay_out(tree: Tree, width: int, indent: str) -> list[str]:
    line = indent + _flat(tree)
    if isinstance(tree, str) or len(line) <= width or all(isinstance(part, str) for part in tree):
        return [line]
    head = tree[0]
    kept = 1 + (_WITH_VARIABLES.get(head.lower(), 0) if isinstance(head, str) else 0)
    lines = [f"{indent}({' '.join(map(_flat, tree[:kept]))}"]
    for part in _with_values(tree[kept:]):
        lines += _lay_out(part, width - 1, indent + "  ")
    lines[-1] += ")"
    return lines


def _with_values(parts: list[Tree]) -> list[Tree]:
    """Join the keyword of an option with its value, so that both stand on one line."""
    joined: list[Tree] = []
    for number, part in enumerate(parts):
        before = parts[number - 1] if number else ""
        if isinstance(before, str) and before.startswith(":"):
            joined[-1] = f"{before} {_flat(part)}"
        else:
            joined.append(part)
    return joined
