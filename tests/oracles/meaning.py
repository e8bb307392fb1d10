"""The truth of a goal in a state, read off the formula as plainly as it can be: the judge's own definition.

Nothing here is shared with ``domains.evaluate``, which the simulator, the verifier and the checker of
certificates go by: a fault there must not be a fault of the judge as well. Slow, and meant to be.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

from groundplan.domains import formula as f
from oracles.states import State

Binding = Mapping[str, str]


def holds(goal: f.Formula, state: State, binding: Binding | None = None) -> bool:
    """Whether a formula is true. An inner declaration of a name hides the outer ones."""
    bound = dict(binding or {})
    match goal:
        case f.Atom(predicate, args):
            return state.holds(predicate, tuple(_name(a, bound) for a in args))
        case f.Equal(left, right):
            return _name(left, bound) == _name(right, bound)
        case f.Not(part):
            return not holds(part, state, bound)
        case f.And(parts):
            return all([holds(part, state, bound) for part in parts])
        case f.Or(parts):
            return any([holds(part, state, bound) for part in parts])
        case f.Imply(left, right):
            return holds(right, state, bound) or not holds(left, state, bound)
        case f.Cardinality(kind, number, parts):
            return _as_many(kind, [holds(part, state, bound) for part in parts], number)
        case f.Exists(variables, body):
            return any([holds(body, state, b) for b in _extensions(variables, state, bound)])
        case f.Forall(variables, body):
            return all([holds(body, state, b) for b in _extensions(variables, state, bound)])
        case f.Count(kind, number, variables, body):
            truths = [holds(body, state, b) for b in _extensions(variables, state, bound)]
            return _as_many(kind, truths, number)
        case f.Sometime(f.Not(f.Atom(predicate, args))):
            return state.happened(f.Not(f.Atom(predicate, tuple(_name(a, bound) for a in args))))
        case f.Sometime(f.Atom(predicate, args)):
            return state.happened(f.Atom(predicate, tuple(_name(a, bound) for a in args)))
        case f.TrajectoryConstraint():
            return state.happened(f.substitute(goal, bound))
    raise TypeError(f"no meaning for {goal}")


def _extensions(variables: tuple[f.TypedVar, ...], state: State, bound: Binding) -> Iterator[dict[str, str]]:
    for row in itertools.product(*[state.members(v.type) for v in variables]):
        extended = dict(bound)
        for variable, name in zip(variables, row, strict=True):
            extended[variable.name] = name
        yield extended


def _as_many(kind: str, truths: list[bool], number: int) -> bool:
    true = len([t for t in truths if t])
    return {"exactly": true == number, "at-least": true >= number, "at-most": true <= number}[kind]


def _name(term: f.Term, bound: Binding) -> str:
    return bound[term.name] if isinstance(term, f.Var) else term
