"""A decoding grammar as Lark text, in the dialect of llguidance.

That engine reads it wherever it is behind a server: OpenAI's custom tools, vLLM and SGLang with llguidance as
their backend (SGLang wants the line ``%llguidance {}`` before it), llama.cpp built with it. Rules are lower
case, lists of words are terminals in upper case. The dialect lacks look-around, priorities and templates, and
its lexer takes the longest match: so spaces and brackets are words of their own, and nothing is ignored.
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
