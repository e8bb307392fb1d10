"""A decoding grammar as GBNF, the grammar language of llama.cpp (and, with few changes, of XGrammar)."""

from __future__ import annotations

from .decoding import Free, Grammar, Ref, Row, Some, Symbol, Text
from .decoding_lark import literal


def render(grammar: Grammar) -> str:
    """The grammar as text; the first rule is ``root``. Names of rules have hyphens for underscores."""
    first = next(iter(grammar.rules))

    def named(rule: str) -> str:
        return "root" if rule == first else rule.replace("_", "-")

    def written(symbol: Symbol) -> str:
        match symbol:
            case Text(text):
                return literal(text)
            case Ref(rule):
                return named(rule)
            case Some(rule, most):
                return f'{named(rule)} (" " {named(rule)}){{0,{most - 1}}}'
            case Free(most):
                return rf'[^"\\\x00-\x20\x7F] [^"\\\x00-\x1F\x7F]{{0,{most - 1}}}'

    lines = [
        f"{named(name)} ::= {' | '.join(' '.join(map(written, _joined(one))) for one in alternatives)}"
        for name, alternatives in grammar.rules.items()
    ]
    lines += [f"{named(name)} ::= {' | '.join(map(literal, t))}" for name, t in grammar.lists.items()]
    return "\n".join(lines) + "\n"


def _joined(row: Row) -> Row:
    """A row with neighbouring texts put together: llama.cpp matches characters, not words."""
    out: list[Symbol] = []
    for symbol in row:
        last = out[-1] if out else None
        if isinstance(symbol, Text) and isinstance(last, Text):
            out[-1] = Text(last.text + symbol.text)
        else:
            out.append(symbol)
    return tuple(out)
