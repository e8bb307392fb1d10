"""First-order formulas over a finite world, as goals, conditions and questions use them.

The nodes are plain values: frozen, comparable, hashable. A term is a name (``str``) or a :class:`Var`.
``And(())`` is true and ``Or(())`` is false, so simplification needs no special constants. Printing gives PDDL
goal syntax, with counts beside it and names that PDDL cannot spell in double quotes; it must stay, since
records hold goals as text. A new kind of node needs a case in :func:`children`, :func:`rebuild` and
:func:`with_terms`, in ``evaluate`` and in ``compiler/normal``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Generic, Literal, TypeGuard, cast

if TYPE_CHECKING:
    from typing_extensions import TypeVar
else:
    from typing import TypeVar

MAX_DEPTH = 200
"""Deepest nesting of a formula; recursion over formulas relies on it."""


@dataclass(frozen=True, slots=True, order=True)
class Var:
    """A variable, named without the question mark."""

    name: str

    def __str__(self) -> str:
        return f"?{self.name}"


Term = str | Var

if TYPE_CHECKING:
    Argument = TypeVar("Argument", bound=Term, covariant=True, default=Term)
else:
    Argument = TypeVar("Argument", bound=Term, covariant=True)


ANYTHING = ""
"""The type of a variable that is declared without one: it ranges over all that the pack has types for."""


@dataclass(frozen=True, slots=True)
class TypedVar:
    """A quantified variable and the type or class it ranges over; those of :data:`ANYTHING` come last."""

    name: str
    type: str

    def __str__(self) -> str:
        return f"?{self.name}" if self.type == ANYTHING else f"?{self.name} - {quote(self.type)}"


@dataclass(frozen=True, slots=True)
class Atom(Generic[Argument]):
    """Predicate with its arguments, as in `(inside_of apple1 fridge)`; `Atom[str]` has no variables."""

    predicate: str
    args: tuple[Argument, ...] = ()

    def __str__(self) -> str:
        return "(" + " ".join([quote(self.predicate), *(quote_term(a) for a in self.args)]) + ")"


GroundAtom = Atom[str]
"""An atom without variables: a fact, or what can be one. Only a type checker tells it from others."""


def is_ground_atom(formula: Formula) -> TypeGuard[GroundAtom]:
    """Return whether a formula is an atom without variables."""
    return isinstance(formula, Atom) and Var not in map(type, formula.args)


def as_ground(atom: Atom) -> GroundAtom:
    """Return an atom that has no variables. Raises ``ValueError`` for one that has."""
    if is_ground_atom(atom):
        return atom
    raise ValueError(f"not ground: {atom}")


@dataclass(frozen=True, slots=True)
class Equal:
    """Equality of two terms, `(= ?a ?b)`."""

    left: Term
    right: Term

    def __str__(self) -> str:
        return f"(= {quote_term(self.left)} {quote_term(self.right)})"


class _Named:
    """Base of what is printed as the name of its class in a bracket, its variables and its parts."""

    __slots__ = ()

    def __str__(self) -> str:
        formula = cast("Formula", self)
        variables = (
            [f"({' '.join(map(str, declared(formula)))})"] if isinstance(self, Exists | Forall) else []
        )
        return "(" + " ".join([type(self).__name__.lower(), *variables, *map(str, children(formula))]) + ")"


@dataclass(frozen=True, slots=True)
class Not(_Named):
    """Negation of a formula."""

    part: Formula


@dataclass(frozen=True, slots=True)
class And(_Named):
    """Conjunction of formulas, true without any."""

    parts: tuple[Formula, ...] = ()


@dataclass(frozen=True, slots=True)
class Or(_Named):
    """Disjunction of formulas, false without any."""

    parts: tuple[Formula, ...] = ()


@dataclass(frozen=True, slots=True)
class Imply(_Named):
    """Implication: the right part holds where the left one does."""

    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class Exists(_Named):
    """Formula that holds for at least one choice of its typed variables."""

    variables: tuple[TypedVar, ...]
    body: Formula


@dataclass(frozen=True, slots=True)
class Forall(_Named):
    """Formula that holds for every choice of its typed variables."""

    variables: tuple[TypedVar, ...]
    body: Formula


CountKind = Literal["exactly", "at-least", "at-most"]


@dataclass(frozen=True, slots=True)
class Count:
    """Bound on the number of bindings of the variables that satisfy the body."""

    kind: CountKind
    number: int
    variables: tuple[TypedVar, ...]
    body: Formula

    def __str__(self) -> str:
        return f"({self.kind} {self.number} ({' '.join(map(str, self.variables))}) {self.body})"


@dataclass(frozen=True, slots=True)
class Cardinality:
    """Cardinality constraint, a count with its variables expanded: a bound on the true ``parts``."""

    kind: CountKind
    number: int
    parts: tuple[Formula, ...]

    def __str__(self) -> str:
        return f"({self.kind} {self.number} {' '.join(map(str, self.parts))})"


@dataclass(frozen=True, slots=True)
class Sometime(_Named):
    """PDDL3 ``sometime``: the body, a literal, holds in at least one state of the run."""

    body: Formula


ConstraintKind = Literal["always", "at-most-once", "sometime-after", "sometime-before", "never-do"]


@dataclass(frozen=True, slots=True)
class TrajectoryConstraint:
    """Constraint on the whole run, of PDDL3 but for ``never-do``; ``simulator.trajectory`` decides it.

    The parts of ``never-do`` are a step, as an atom of :func:`step_atom`, and the condition under which it is
    forbidden.
    """

    kind: ConstraintKind
    parts: tuple[Formula, ...]

    def __str__(self) -> str:
        if self.kind != "never-do":
            return "(" + " ".join([self.kind, *map(str, self.parts)]) + ")"
        step, condition = self.parts
        assert isinstance(step, Atom)
        words = " ".join([quote(step_name(step)), *(quote_term(a) for a in step.args)])
        return f"(never (do {words})" + (f" :when {condition})" if condition != TRUE else ")")


_STEP = "do "
PASSING = "goto"
"""The step whose two arguments are the ends of a way that is not to be gone, in either direction."""


def step_atom(name: str, args: tuple[Argument, ...]) -> Atom[Argument]:
    """Return the pattern of printed steps that a ``never-do`` forbids; a variable stands for any argument."""
    return Atom(_STEP + name, args)


def step_name(step: Atom) -> str:
    """Return the name of the steps that a pattern is about."""
    return step.predicate.removeprefix(_STEP)


Formula = (
    Atom
    | Equal
    | Not
    | And
    | Or
    | Imply
    | Exists
    | Forall
    | Count
    | Cardinality
    | Sometime
    | TrajectoryConstraint
)

TRUE = And(())
FALSE = Or(())

_PLAIN = re.compile(r"[^\s()\";?=][^\s()\";?]*\Z")
# Matched as the grammar matches its keywords: without regard to case, where ``ı`` is an ``i`` as well.
_RESERVED = re.compile(
    r"(and|or|not|imply|exists|forall|sometime|sometime-after|sometime-before|always|at-most-once|at-end|never"
    r"|exactly|at-least|at-most|missing|-|=)\Z",
    re.I,
)


@lru_cache(maxsize=65_536)
def quote(name: str) -> str:
    """Spell a name in a formula: as it is where the syntax allows, in double quotes otherwise.

    What is not printable is escaped as in JSON, so that a formula can be shown as it is.
    """
    if name.isprintable():
        if _PLAIN.match(name) and not _RESERVED.match(name):
            return name
        escaped = name.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    return json.dumps(name).replace("\x7f", "\\u007f")


def quote_term(term: Term) -> str:
    return str(term) if isinstance(term, Var) else quote(term)


def children(formula: Formula) -> tuple[Formula, ...]:
    """Return the direct subformulas, in the order in which they are printed."""
    match formula:
        case Atom() | Equal():
            return ()
        case TrajectoryConstraint("never-do", (_, condition)):
            return (condition,) if condition != TRUE else ()
        case And(parts) | Or(parts) | Cardinality(_, _, parts) | TrajectoryConstraint(_, parts):
            return parts
        case Imply(left, right):
            return (left, right)
        case Not(part):
            return (part,)
        case _:
            return (formula.body,)


def rebuild(formula: Formula, change: Callable[[Formula], Formula]) -> Formula:
    """Return the same connective over changed direct subformulas."""
    match formula:
        case Atom() | Equal():
            return formula
        case TrajectoryConstraint("never-do", (step, condition)):
            return replace(formula, parts=(step, change(condition)))
        case And(parts) | Or(parts):
            return type(formula)(tuple(map(change, parts)))
        case Cardinality(_, _, parts) | TrajectoryConstraint(_, parts):
            return replace(formula, parts=tuple(map(change, parts)))
        case Imply(left, right):
            return Imply(change(left), change(right))
        case Not(part):
            return Not(change(part))
        case _:
            return replace(formula, body=change(formula.body))


def denied(formula: Formula) -> Formula:
    """Return the negation of a formula, without doubling one."""
    return formula.part if isinstance(formula, Not) else Not(formula)


def named(term: Term, binding: Mapping[str, str]) -> str:
    """Return the name that a term stands for. Raises ``KeyError`` for a variable that is not bound."""
    return binding[term.name] if isinstance(term, Var) else term


def declared(formula: Formula) -> tuple[TypedVar, ...]:
    """Return the variables that a quantifier or a count declares; none of any other formula."""
    return formula.variables if isinstance(formula, Exists | Forall | Count) else ()


def terms(formula: Formula) -> tuple[Term, ...]:
    """Return the terms of an atom, an equality or a forbidden step; none of any other formula."""
    match formula:
        case Atom(_, args) | TrajectoryConstraint("never-do", (Atom(_, args), _)):
            return args
        case Equal(left, right):
            return (left, right)
    return ()


def walk(formula: Formula) -> Iterator[Formula]:
    """Yield every subformula, outermost first."""
    stack = [formula]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(children(node)))


def names(formula: Formula) -> list[str]:
    """Return the node names in a formula's atoms, each once, in order."""
    atoms = (node for node in walk(formula) if not isinstance(node, Equal))
    return list(dict.fromkeys(a for atom in atoms for a in terms(atom) if isinstance(a, str)))


def substitute(formula: Formula, binding: Mapping[str, Term]) -> Formula:
    """Replace free variables; a quantifier hides the variables that it declares.

    A variable of a forbidden step stands for anything, unless a quantifier around it declares it.
    """
    hidden = {v.name for v in declared(formula)}
    inner = {name: t for name, t in binding.items() if name not in hidden} if hidden else binding
    return with_terms(
        formula,
        lambda t: binding.get(t.name, t) if isinstance(t, Var) else t,
        lambda part: substitute(part, inner),
    )


def with_names(formula: Formula, new: Mapping[str, str]) -> Formula:
    """Put other node names in the place of some; variables stay."""
    return with_terms(
        formula, lambda t: new.get(t, t) if isinstance(t, str) else t, lambda part: with_names(part, new)
    )


def with_terms(
    formula: Formula, term: Callable[[Term], Term], change: Callable[[Formula], Formula]
) -> Formula:
    """Return a formula with its own terms changed, and its direct subformulas."""
    match formula:
        case Atom(predicate, args):
            return Atom(predicate, tuple(map(term, args)))
        case Equal(left, right):
            return Equal(term(left), term(right))
        case TrajectoryConstraint("never-do" as do, (step, condition)):
            return TrajectoryConstraint(do, (with_terms(step, term, change), change(condition)))
    return rebuild(formula, change)


def free_variables(formula: Formula) -> frozenset[str]:
    """Return the names of the variables of a formula that no quantifier in it declares."""
    own = (t.name for t in terms(formula) if isinstance(t, Var))
    below = frozenset(own).union(*map(free_variables, children(formula)))
    return below - {v.name for v in declared(formula)}


def conjunction(parts: Iterable[Formula]) -> Formula:
    """Conjoin formulas: true dropped, nesting flattened, repetition removed, false absorbing."""
    return _joined(parts, And, FALSE)


def disjunction(parts: Iterable[Formula]) -> Formula:
    """Disjoin formulas: false dropped, nesting flattened, repetition removed, true absorbing."""
    return _joined(parts, Or, TRUE)


def _joined(parts: Iterable[Formula], connective: type[And] | type[Or], decided: Formula) -> Formula:
    flat: dict[Formula, None] = {}
    for part in parts:
        for piece in part.parts if isinstance(part, connective) else (part,):
            if piece == decided:
                return decided
            flat[piece] = None
    return next(iter(flat)) if len(flat) == 1 else connective(tuple(flat))


def constraints(formula: Formula) -> tuple[TrajectoryConstraint, ...]:
    """Return the constraints on the run in a formula, each once."""
    return tuple(dict.fromkeys(node for node in walk(formula) if isinstance(node, TrajectoryConstraint)))


def conjuncts(formula: Formula) -> tuple[Formula, ...]:
    """Return the top-level conjuncts; a formula that is no conjunction is its own only one."""
    return formula.parts if isinstance(formula, And) else (formula,)
