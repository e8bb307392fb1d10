"""A decoding grammar as Lark text, in the dialect of llguidance that the Python package lark reads as well.

Rules are lower case and lists of words are terminals in upper case. There is nothing that either dialect
lacks: no look-around, no priorities, no ``%ignore`` (spaces are written out), repetition as ``~0..31``.
"""

from __future__ import annotations

from .decoding import Free, Grammar, Ref, Some, Symbol, Text


def render(grammar: Grammar) -> str:
    """The grammar as text; lists are named after their rule in upper case."""
    free: dict[str, str] = {}

    def written(symbol: Symbol) -> str:
        match symbol:
            case Text(text):
                return literal(text)
            case Ref(rule):
                return rule.upper() if rule in grammar.lists else rule
            case Some(rule, most):
                name = rule.upper() if rule in grammar.lists else rule
                return f'{name} (" " {name})~0..{most - 1}'
            case Free(most):
                free["FREE"] = rf'/[^"\\\x00-\x20\x7f][^"\\\x00-\x1f\x7f]{{0,{most - 1}}}/'
                return "FREE"

    lines = [
        f"{name}: {' | '.join(' '.join(map(written, one)) for one in alternatives)}"
        for name, alternatives in grammar.rules.items()
    ]
    lines += [f"{name.upper()}: {' | '.join(map(literal, texts))}" for name, texts in grammar.lists.items()]
    lines += [f"{name}: {pattern}" for name, pattern in free.items()]
    return "\n".join(lines) + "\n"


def literal(text: str) -> str:
    """A text in double quotes."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
