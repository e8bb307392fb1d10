"""Places of the parts of a formula where it is printed, so that nothing has to be parsed to have them.

The layout is that of ``str`` in ``domains.formula``; a new connective there needs a case here. A test holds
these places against those of the parser.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ...domains.formula import (
    ANYTHING,
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
    TypedVar,
    quote,
    quote_term,
)
from .tree import Part, Place


def printed(formula: Formula, start: int = 0) -> Part:
    """Return a formula with the places of its parts in its text, which begins at ``start``.

    Raises ``ValueError`` for a cardinality constraint, which a goal writes as a count.
    """
    match formula:
        case Atom(predicate, args):
            head, *terms = _row((quote(predicate), *map(quote_term, args)), start + 1)
            return Part(formula, (start, (terms or [head])[-1][1] + 1), (), (*terms, head))
        case Equal(left, right):
            both = tuple(_row((quote_term(left), quote_term(right)), start + len("(= ")))
            return Part(formula, (start, both[-1][1] + 1), (), both)
        case And(parts):
            return _over(formula, parts, start, "(and")
        case Or(parts):
            return _over(formula, parts, start, "(or")
        case Not(part):
            return _over(formula, (part,), start, "(not")
        case Sometime(body):
            return _over(formula, (body,), start, "(sometime")
        case Imply(left, right):
            return _over(formula, (left, right), start, "(imply")
        case Exists(variables, body):
            return _bound(formula, variables, body, start, "(exists (")
        case Forall(variables, body):
            return _bound(formula, variables, body, start, "(forall (")
        case Count(kind, number, variables, body):
            return _bound(formula, variables, body, start, f"({kind} {number} (")
        case Cardinality():
            raise ValueError(f"no goal is written with a cardinality constraint, got {formula}")


def _over(
    formula: Formula, parts: Iterable[Formula], start: int, head: str, named: tuple[Place, ...] = ()
) -> Part:
    """Place a formula and the formulas that follow its head, each after a space."""
    below, end = [], start + len(head)
    for part in parts:
        below.append(printed(part, end + 1))
        end = below[-1].place[1]
    return Part(formula, (start, end + 1), tuple(below), named)


def _bound(formula: Formula, variables: Sequence[TypedVar], body: Formula, start: int, head: str) -> Part:
    """Place a formula, the classes of its variables, and its body."""
    texts = tuple(map(str, variables))
    places = _row(texts, start + len(head))
    kinds = tuple(
        (end - len(quote(one.type)), end) if one.type != ANYTHING else (begin, end)
        for one, (begin, end) in zip(variables, places, strict=True)
    )
    return _over(formula, (body,), start, f"{head}{' '.join(texts)})", kinds)


def _row(texts: Iterable[str], start: int) -> Iterator[Place]:
    """Yield the places of texts that stand in a row with a space between them."""
    for text in texts:
        yield start, start + len(text)
        start += len(text) + 1
