"""Step 3 of a decoding grammar (steps: ``decoding/__init__.py``): the forms of formulas, as a table.

A decoding grammar restricts what a language model can write. The forms are those of ``goal.lark`` that an
answer may have; a test holds the two together. The bounds ``MAX_LEVELS``, ``MAX_PARTS`` and ``MAX_NUMBER``
are declared here and applied where the grammar is built. They may be changed, but any change of a grammar's
text makes recorded answers (cassettes) unusable.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

MANY = "formula*"

MAX_LEVELS = 3
"""How deep ``and``, ``or`` and ``imply`` nest outside of quantifiers, and below the outermost one."""
MAX_PARTS = 32
"""Most parts of an ``and`` or ``or``."""
MAX_NUMBER = 20
"""Largest number of a count."""


class Construct(NamedTuple):
    """A bracketed form: its keyword, or one of them, and what follows it.

    ``parts`` are ``formula``, ``formula*``, ``variables``, ``NUMBER``, ``term`` or ``STRING``.
    """

    rule: str
    keywords: tuple[str, ...]
    parts: tuple[str, ...]


CONJUNCTION = Construct("conjunction", ("and",), (MANY,))
DISJUNCTION = Construct("disjunction", ("or",), (MANY,))
NEGATION = Construct("negation", ("not",), ("formula",))
IMPLICATION = Construct("implication", ("imply",), ("formula", "formula"))
COUNT = Construct("count", ("exactly", "at-least", "at-most"), ("NUMBER", "variables", "formula"))
SOMETIME = Construct("sometime", ("sometime",), ("formula",))
EQUAL = Construct("equal", ("=",), ("term", "term"))
MISSING = Construct("missing", ("missing",), ("STRING",))

CONSTRUCTS: Mapping[str, Construct] = {
    one.rule: one
    for one in (
        CONJUNCTION,
        DISJUNCTION,
        NEGATION,
        IMPLICATION,
        Construct("exists", ("exists",), ("variables", "formula")),
        Construct("forall", ("forall",), ("variables", "formula")),
        COUNT,
        SOMETIME,
        EQUAL,
    )
}
"""The forms of formulas by their rules in ``goal.lark``, without atoms and what is said of the whole run."""

# Those of one shape are one with several keywords.
JOINED = (Construct("conjunction", ("and", "or"), (MANY,)), IMPLICATION)
QUANTIFIERS = (Construct("exists", ("exists", "forall"), ("variables", "formula")), COUNT)
RUNS = (
    Construct("one", ("always", "at-most-once", "never"), ("formula",)),
    Construct("two", ("sometime-after", "sometime-before"), ("formula", "formula")),
)
"""The forms about the whole run that hold formulas and nothing else."""
DASH = "-"
PROHIBITION = ("never", "do", ":when")
"""The keywords of a forbidden step: before the step, and before its condition."""
