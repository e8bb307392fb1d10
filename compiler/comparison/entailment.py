"""Entailment between ground formulas: whether one follows from another, by a small satisfiability solver.

``a`` entails ``b`` when ``a`` and not ``b`` together cannot be satisfied: unit propagation, pure literals,
then branching (Davis, Logemann and Loveland 1962). Another solver may stand behind :func:`entails` and
:class:`Entailment`, which alone are used elsewhere. ``None`` must remain the answer where the bound runs out:
gates and literals looked at, not a clock, so that speed does not change answers. All questions to one
:class:`Entailment` share the bound and the background knowledge ``given``, so a later one may get ``None``
that alone would get an answer.

Every connective becomes a gate *at least k of these* (a conjunction of n is n of n, a disjunction 1 of n),
whose negation is a gate again; a literal is a signed number. Gates are monotone in their literals.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...domains.deadline import check_time
from ...domains.formula import (
    TRUE,
    And,
    Atom,
    Cardinality,
    Equal,
    Formula,
    Imply,
    Not,
    Or,
    Sometime,
    is_ground_atom,
)

MAX_WORK = 100_000
"""Most gates and literals looked at, about 0.1 s."""

Node = int | tuple[int, tuple["Node", ...]]
"""A literal, or how many of some nodes must be true at least."""

_TRUE: Node = (0, ())
_FALSE: Node = (1, ())


def entails(a: Formula, b: Formula, given: Formula = TRUE) -> bool | None:
    """Return whether ``b`` is true wherever ``a`` and ``given`` are; ``None`` where the bound runs out.

    The formulas are ground: a quantifier or a variable raises ``ValueError``. ``Sometime`` is an atom of its
    own that follows from its body, and from another whose body entails its own; ``given`` is taken to be
    true in every state. What follows only from several ``Sometime`` at once is not seen.
    """
    return Entailment(given).entails(a, b)


class Entailment:
    """Entailment under one body of knowledge: questions share compiled formulas and a bound on the work."""

    def __init__(self, given: Formula = TRUE, work: int = MAX_WORK) -> None:
        self.left = work
        self._numbers: dict[Formula, int] = {}
        self._compiled: dict[Formula, Node] = {}
        self._sometimes: list[Sometime] = []
        self._given: list[Node] = []
        self._given.append(self._node(given))

    def entails(self, a: Formula, b: Formula) -> bool | None:
        """Return whether ``b`` follows from ``a``; ``None`` when the work that is left does not tell."""
        counterexample = self._satisfiable(self._node(a), _negated(self._node(b)))
        return None if counterexample is None else not counterexample

    def satisfiable(self, a: Formula) -> bool | None:
        """Return whether ``a`` can be true; ``None`` when the work that is left does not tell."""
        return self._satisfiable(self._node(a))

    # Compiling

    def _node(self, formula: Formula) -> Node:
        if formula not in self._compiled:
            check_time("comparing goals")
            self._compiled[formula] = self._compile(formula)
        return self._compiled[formula]

    def _compile(self, formula: Formula) -> Node:
        match formula:
            case Atom() if is_ground_atom(formula):
                return self._number(formula)
            case Equal(str() as left, str() as right):
                return _TRUE if left == right else _FALSE
            case Not(part):
                return _negated(self._node(part))
            case And(parts):
                return len(parts), tuple(map(self._node, parts))
            case Or(parts):
                return 1, tuple(map(self._node, parts))
            case Imply(left_part, right_part):
                return 1, (_negated(self._node(left_part)), self._node(right_part))
            case Cardinality(kind, number, parts):
                nodes = tuple(map(self._node, parts))
                least, most = (number, nodes), _negated((number + 1, nodes))
                return (2, (least, most)) if kind == "exactly" else least if kind == "at-least" else most
            case Sometime():
                return self._sometime(formula)
        raise ValueError(f"not ground: {formula}")

    def _number(self, formula: Formula) -> int:
        return self._numbers.setdefault(formula, len(self._numbers) + 1)

    def _sometime(self, formula: Sometime) -> int:
        """Return a new atom, tied to its body and to the other ``Sometime`` by further conditions."""
        number, body = self._number(formula), self._node(formula.body)
        ties: list[Node] = [(1, (_negated(body), number))]
        if self.satisfiable(formula.body) is False:
            ties.append(-number)
        for other in self._sometimes:
            if self.entails(formula.body, other.body):
                ties.append((1, (-number, self._number(other))))
            if self.entails(other.body, formula.body):
                ties.append((1, (-self._number(other), number)))
        self._sometimes.append(formula)
        self._given += ties
        return number

    # Deciding

    def _satisfiable(self, *nodes: Node) -> bool | None:
        stack: list[list[Node]] = [[*nodes, *self._given]]
        while stack:
            check_time("comparing goals")
            remaining = self._propagated(stack.pop())
            if self.left <= 0:
                return None
            if remaining is None:
                continue
            if not remaining:
                return True
            shortest = min(remaining, key=lambda n: 1 if isinstance(n, int) else len(n[1]))
            literal = next(_literals(shortest))
            stack += [[-literal, *remaining], [literal, *remaining]]
        return False

    def _propagated(self, nodes: list[Node]) -> list[Node] | None:
        """Propagate units and pure literals: return what is left to satisfy, ``None`` for a conflict."""
        values: dict[int, bool] = {}
        while self.left > 0:
            rest: list[Node] = []
            forced = False
            todo = nodes[::-1]
            while todo:
                node = self._simplified(todo.pop(), values)
                if isinstance(node, int):
                    values[abs(node)] = node > 0
                    forced = True
                elif node[0] > len(node[1]):
                    return None
                elif node[0] == len(node[1]):
                    todo += node[1][::-1]
                else:
                    rest.append(node)
            nodes = rest
            if forced:
                continue
            signs = dict.fromkeys(lit for node in nodes for lit in _literals(node))
            self.left -= len(signs)
            pure = [lit for lit in signs if -lit not in signs]
            if not pure:
                return nodes
            values.update({abs(lit): lit > 0 for lit in pure})
        return nodes

    def _simplified(self, node: Node, values: dict[int, bool]) -> Node:
        """Return a node without decided parts: true is 0 of none, false is more than there are."""
        self.left -= 1
        if isinstance(node, int):
            value = values.get(abs(node))
            return node if value is None else _TRUE if value == (node > 0) else _FALSE
        number, parts = node
        open_parts: list[Node] = []
        for part in parts:
            simple = self._simplified(part, values)
            if isinstance(simple, int) or 0 < simple[0] <= len(simple[1]):
                open_parts.append(simple)
            elif simple[0] <= 0:
                number -= 1
        if number <= 0:
            return _TRUE
        if number == len(open_parts) == 1:
            return open_parts[0]
        return number, tuple(open_parts)


def _negated(node: Node) -> Node:
    """Return the negation: fewer than k of n is at least n - k + 1 of the negations."""
    if isinstance(node, int):
        return -node
    number, parts = node
    return len(parts) - number + 1, tuple(map(_negated, parts))


def _literals(node: Node) -> Iterator[int]:
    stack: list[Node] = [node]
    while stack:
        top = stack.pop()
        if isinstance(top, int):
            yield top
        else:
            stack += top[1][::-1]
