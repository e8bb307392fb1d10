"""A decoding grammar as GBNF, the grammar language of llama.cpp (and, with few changes, of XGrammar)."""

from __future__ import annotations

from collections.abc import Mapping

from .decoding import Grammar, Ref, Row, Some, Text
from .decoding_lark import literal


def render(grammar: Grammar) -> str:
    """The grammar as text; the first rule is ``root``. Names of rules have hyphens for underscores."""
    first = next(iter(grammar.rules))
    named = {r: r.replace("_", "-") for r in (*grammar.rules, *grammar.lists)} | {first: "root"}
    lines = [
        f"{named[name]} ::= {' | '.join(_row(one, named) for one in alternatives)}"
        for name, alternatives in grammar.rules.items()
    ]
    lines += [f"{named[name]} ::= {' | '.join(map(literal, t))}" for name, t in grammar.lists.items()]
    return "\n".join(lines) + "\n"


def _row(row: Row, named: Mapping[str, str]) -> str:
    """One alternative, neighbouring texts put together: llama.cpp matches characters, not words."""
    out: list[str] = []
    text = ""
    for symbol in row:
        if isinstance(symbol, Text):
            text += symbol.text
            continue
        if text:
            out.append(literal(text))
            text = ""
        if isinstance(symbol, Ref):
            out.append(named[symbol.rule])
        elif isinstance(symbol, Some):
            name = named[symbol.rule]
            out.append(f'{name} (" " {name}){{0,{symbol.most - 1}}}')
        else:
            out.append(rf'[^"\\\x00-\x20\x7F] [^"\\\x00-\x1F\x7F]{{0,{symbol.most - 1}}}')
    if text:
        out.append(literal(text))
    return " ".join(out)
