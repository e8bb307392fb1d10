"""Step 3 of a decoding grammar (steps: ``decoding/__init__.py``): the forms of formulas, from ``goal.lark``.

A decoding grammar restricts what a language model can write. Its keywords and the order of parts come from
the grammar of the goal language, so another keyword or connective there needs no change here; another name
of a rule does: ``negation``, ``sometime``, ``equal`` and ``missing`` are named below, others in ``rules``
and ``schema``. The bounds ``MAX_LEVELS``, ``MAX_PARTS`` and ``MAX_NUMBER`` are declared here and applied
where the grammar is built. They may be changed, but any change of a grammar's text makes recorded answers
(cassettes) unusable.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property

import lark
from lark.lexer import TerminalDef

from ..goals.goal import grammar_text

MANY = "formula*"
RUN = "run"
"""The rule of the forms about the whole run, which a grammar has where they are asked for."""
RUNS = ("one", "two", "never")
"""Those of its forms that hold formulas and nothing else."""

PROHIBITION = "prohibition"
"""The rule of the form that forbids a step."""

MAX_LEVELS = 3
"""How deep ``and``, ``or`` and ``imply`` nest outside of quantifiers, and below the outermost one."""
MAX_PARTS = 32
"""Most parts of an ``and`` or ``or``."""
MAX_NUMBER = 20
"""Largest number of a count."""


@dataclass(frozen=True, slots=True)
class Construct:
    """A bracketed form: its keyword, or one of them, and what follows it.

    ``parts`` are ``formula``, ``formula*``, ``variables``, ``NUMBER``, ``term`` or ``STRING``.
    """

    rule: str
    keywords: tuple[str, ...]
    parts: tuple[str, ...]


@dataclass(frozen=True)
class Templates:
    """The forms of a formula in the order of the grammar, and the word before a variable's type."""

    constructs: tuple[Construct, ...]
    missing: Construct
    dash: str
    runs: tuple[Construct, ...] = ()
    """The forms about the whole run; those of one shape as one with several keywords."""
    prohibition: tuple[str, ...] = ()
    """The keywords of a forbidden step: before the step, and before its condition."""

    @cached_property
    def quantifiers(self) -> tuple[Construct, ...]:
        """The forms that declare variables; those of one shape as one with several keywords."""
        return _merged(c for c in self.constructs if "variables" in c.parts)

    @cached_property
    def connectives(self) -> tuple[Construct, ...]:
        """Forms that join formulas: all but quantifiers and the forms that have rules of their own."""
        special = ("negation", "sometime", "equal")
        return tuple(c for c in self.constructs if "variables" not in c.parts and c.rule not in special)

    @cached_property
    def joined(self) -> tuple[Construct, ...]:
        """The connectives, those of one shape as one with several keywords."""
        return _merged(self.connectives)

    @cached_property
    def _by_rule(self) -> dict[str, Construct]:
        return {c.rule: c for c in self.constructs}

    def __getitem__(self, rule: str) -> Construct:
        """Return the form of a rule. Raises ``KeyError`` when the grammar has none."""
        return self._by_rule[rule]


def _merged(constructs: Iterable[Construct]) -> tuple[Construct, ...]:
    alike: dict[tuple[str, ...], list[Construct]] = {}
    for one in constructs:
        alike.setdefault(one.parts, []).append(one)
    return tuple(
        Construct(same[0].rule, tuple(k for c in same for k in c.keywords), parts)
        for parts, same in alike.items()
    )


@cache
def templates(source: str | None = None) -> Templates:
    """Read a grammar of the goal language, the package's own by default.

    Raises ``ValueError`` for a form that is not a bracket, a keyword and the parts of a :class:`Construct`.
    """
    parser = lark.Lark(grammar_text() if source is None else source, parser="lalr")
    terminals = {t.name: t for t in parser.terminals}
    longest: dict[str, list[str]] = {}
    inner: dict[str, str] = {}
    order: list[str] = []
    runs: list[Construct] = []
    for rule in parser.rules:
        origin, symbols = str(rule.origin.name), [str(s.name) for s in rule.expansion]
        if origin == "formula":
            order += symbols
        if origin in RUNS:
            runs.append(Construct(origin, _spellings(terminals[symbols[1]]), tuple(symbols[2:-1])))
        if origin.startswith("__") and len(symbols) == 1:
            inner[origin] = symbols[0]
        if len(symbols) > len(longest.get(origin, ())):
            longest[origin] = symbols

    def construct(name: str) -> Construct:
        symbols = longest[name]
        body = [f"{inner[s]}*" if s in inner else s for s in symbols[2:-1]]
        keywords = _spellings(terminals[symbols[1]]) if symbols[1] in terminals else ()
        parts = {"formula", MANY, "variables", "NUMBER", "term", "STRING"}
        if (symbols[0], symbols[-1]) != ("LPAR", "RPAR") or not keywords or not parts.issuperset(body):
            raise ValueError(
                f"the rule {name} is no bracket with a keyword and formulas: {' '.join(symbols)}"
            )
        return Construct(name, keywords, tuple(body))

    constructs = tuple(construct(name) for name in order if name not in ("atom", RUN))
    words = (_spellings(terminals[s]) for s in longest.get(PROHIBITION, ()) if s in terminals)
    prohibition = tuple(spelled[0] for spelled in words if spelled and spelled[0] not in "()")
    dash = _spellings(terminals["DASH"])[0]
    return Templates(constructs, construct("missing"), dash, _merged(runs), prohibition)


def _spellings(terminal: TerminalDef) -> tuple[str, ...]:
    """Return the words that a keyword's terminal matches; none for a pattern that is more than words."""
    pattern = re.sub(r"\(\?=.*\)\Z", "", terminal.pattern.value)
    start, bracket, inner = pattern.partition("(")
    words = [start + end for end in inner.removesuffix(")").split("|")] if bracket else [pattern]
    return tuple(words) if all(re.fullmatch(r"[\w=:-]+", w) for w in words) else ()
