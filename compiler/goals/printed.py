"""Places of the parts of a formula in its own text, so that nothing is parsed to know them.

In that text the parts come last, each after a space, and variables stand in a bracket of their own before
them. A test holds the places against those of the parser.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...domains.formula import (
    ANYTHING,
    TRUE,
    And,
    Atom,
    Cardinality,
    Count,
    Equal,
    Exists,
    Forall,
    Formula,
    Imply,
    Not,
    Or,
    Sometime,
    TrajectoryConstraint,
    children,
    quote,
    quote_term,
    step_name,
)
from .tree import Part, Place


def printed(formula: Formula, text: str, start: int = 0) -> Part:
    """Return a formula with the places of its parts in its text, which begins at ``start`` of ``text``.

    Raises ``ValueError`` for a cardinality constraint: a goal has a count in its place.
    """
    named, at = _head(formula, text, start)
    below = []
    for part in children(formula):
        below.append(printed(part, text, at + 1))
        at = below[-1].place[1]
    return Part(formula, (start, at + 1), tuple(below), named)


def _head(formula: Formula, text: str, start: int) -> tuple[tuple[Place, ...], int]:
    """Return the places of an atom's terms and its predicate, or of the classes of variables, and the end.

    That is where the head ends: what stands before the parts.
    """
    match formula:
        case Atom(predicate, args):
            first, *terms = row = _row((quote(predicate), *map(quote_term, args)), start + 1)
            return (*terms, first), row[-1][1]
        case Equal(left, right):
            row = _row((quote_term(left), quote_term(right)), start + len("(= "))
            return tuple(row), row[-1][1]
        case Exists(variables, _) | Forall(variables, _) | Count(_, _, variables, _):
            row = _row(map(str, variables), text.index("(", start + 1) + 1)
            kinds = (
                (begin if one.type == ANYTHING else end - len(quote(one.type)), end)
                for one, (begin, end) in zip(variables, row, strict=True)
            )
            return tuple(kinds), row[-1][1] + 1
        case Cardinality():
            raise ValueError(f"no goal is written with a cardinality constraint, got {formula}")
        case TrajectoryConstraint("never-do", (Atom(args=args) as step, condition)):
            row = _row((quote(step_name(step)), *map(quote_term, args)), start + len("(never (do "))
            return (*row[1:], row[0]), row[-1][1] + len(")" if condition == TRUE else ") :when")
        case TrajectoryConstraint(kind, _):
            return (), start + 1 + len(kind)
        case And() | Or() | Not() | Imply() | Sometime():
            return (), start + 1 + len(type(formula).__name__)  # the keyword is the name of the class


def _row(texts: Iterable[str], start: int) -> list[Place]:
    """Return the places of texts that stand in a row with a space between them."""
    row = []
    for text in texts:
        row.append((start, start + len(text)))
        start += len(text) + 1
    return row
