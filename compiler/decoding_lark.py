"""A decoding grammar as Lark text, in the dialect of llguidance.

That engine reads it wherever it is behind a server: OpenAI's custom tools, vLLM and SGLang with llguidance as
their backend (SGLang wants the line ``%llguidance {}`` before it), llama.cpp built with it. Rules are lower
case, lists of words are terminals in upper case. The dialect lacks look-around, priorities and templates, and
its lexer takes the longest match: so spaces and brackets are words of their own, and nothing is ignored.
"""

from __future__ import annotations

from functools import lru_cache

from .decoding import Grammar, Ref, Row, Some, Text


def render(grammar: Grammar) -> str:
    """The grammar as text; lists are named after their rule in upper case."""
    free: dict[str, str] = {}
    named = {r: r for r in grammar.rules} | {r: r.upper() for r in grammar.lists}

    def row(symbols: Row) -> str:
        out: list[str] = []
        for symbol in symbols:
            if isinstance(symbol, Text):
                out.append(literal(symbol.text))
            elif isinstance(symbol, Ref):
                out.append(named[symbol.rule])
            elif isinstance(symbol, Some):
                name = named[symbol.rule]
                out.append(f'{name} (" " {name})~0..{symbol.most - 1}')
            else:
                free["FREE"] = rf'/[^"\\\x00-\x20\x7f][^"\\\x00-\x1f\x7f]{{0,{symbol.most - 1}}}/'
                out.append("FREE")
        return " ".join(out)

    lines = [f"{name}: {' | '.join(map(row, alternatives))}" for name, alternatives in grammar.rules.items()]
    lines += [f"{name.upper()}: {' | '.join(map(literal, texts))}" for name, texts in grammar.lists.items()]
    lines += [f"{name}: {pattern}" for name, pattern in free.items()]
    return "\n".join(lines) + "\n"


@lru_cache(maxsize=8192)
def literal(text: str) -> str:
    """A text in double quotes."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
