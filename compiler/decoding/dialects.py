"""Step 4 of a decoding grammar (steps: ``decoding/__init__.py``): Lark, as llguidance reads it, and GBNF.

``terms`` and ``rules`` build the rules and a dialect writes them: another grammar language is another class
with these methods. Another spelling makes recorded answers (cassettes) unusable, as each keeps the hash of
its grammar. The moves of ``language/chat/search/dialogue.py`` are written with these dialects too.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache


@lru_cache(maxsize=4096)
def literal(text: str) -> str:
    """Return a fixed text in double quotes, the same in every dialect."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


class LarkDialect:
    """Lark, wherever llguidance is behind a server: OpenAI's custom tools, vLLM and SGLang with it as backend
    (SGLang wants the line ``%llguidance {}`` before it), llama.cpp built with it.

    Rules are lower case, lists of words are terminals in upper case. The dialect lacks look-around,
    priorities and templates, and its lexer takes the longest match: so spaces and brackets are words of
    their own, and nothing is ignored. A row of symbols has spaces between them.
    """

    start = "start"

    def rule(self, name: str) -> str:
        """Return the symbol of a rule by its name of lower case letters, digits and underscores."""
        return name

    def words(self, name: str) -> str:
        """Return the symbol of a list of fixed texts by its name."""
        return name.upper()

    def some(self, rule: str, most: int) -> str:
        """Repeat a rule one to ``most`` times, with a space between."""
        return f'{rule} (" " {rule})~0..{most - 1}'

    def free(self, most: int) -> str:
        """Match up to ``most`` printable characters that need no escape in a string, the first no space."""
        return rf'/[^"\\\x00-\x20\x7f][^"\\\x00-\x1f\x7f]{{0,{most - 1}}}/'

    def definition(self, symbol: str, rows: Iterable[str]) -> str:
        """Return the line that defines a rule or a list."""
        return f"{symbol}: {' | '.join(rows)}"


class GbnfDialect:
    """GBNF, the grammar language of llama.cpp (and, with few changes, of XGrammar).

    Names have hyphens for underscores. Characters are matched, not words, so lists are rules like others.
    """

    start = "root"

    def rule(self, name: str) -> str:
        return name.replace("_", "-")

    def words(self, name: str) -> str:
        return name.replace("_", "-")

    def some(self, rule: str, most: int) -> str:
        return f'{rule} (" " {rule}){{0,{most - 1}}}'

    def free(self, most: int) -> str:
        return rf'[^"\\\x00-\x20\x7F] [^"\\\x00-\x1F\x7F]{{0,{most - 1}}}'

    def definition(self, symbol: str, rows: Iterable[str]) -> str:
        return f"{symbol} ::= {' | '.join(rows)}"


Dialect = LarkDialect | GbnfDialect
