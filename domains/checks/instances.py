"""Symbolic instances of action schemas: each way in which its parameters may be the same object.

Two parameters may be one object where their types allow it, as PDDL means it, unless the schema says that its
arguments are distinct. In an instance different symbols are different objects, so whatever is shown for all
instances of all schemas holds for every scene. The bound on their number may be raised.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..action import Action, ground_all
from ..formula import GroundAtom
from ..pddl import Domain

MAX_INSTANCES = 1000
"""Most instances of one schema: all of those with up to six parameters of one type."""


@dataclass(frozen=True, slots=True)
class Instance:
    """One action over symbols such as ``?x``; what it both adds and deletes is added."""

    name: str
    symbols: Mapping[str, str]
    """Type of each symbol: the narrowest of those of the parameters that it stands for."""
    same: Mapping[str, str]
    """Symbol of each parameter."""
    precondition: tuple[GroundAtom, ...]
    add: tuple[GroundAtom, ...]
    delete: frozenset[GroundAtom]


def instances(action: Action, domain: Domain) -> list[Instance] | None:
    """Return every instance of a schema, ``None`` where there are too many."""
    result: list[Instance] = []
    for same in _ways(action, domain):
        if len(result) == MAX_INSTANCES:
            return None
        types: dict[str, str] = {}
        for parameter in action.parameters:
            symbol = same[parameter.name]
            before = types.get(symbol, parameter.type)
            types[symbol] = before if domain.is_a(before, parameter.type) else parameter.type
        add = tuple(dict.fromkeys(ground_all(action.add, same)))
        delete = frozenset(ground_all(action.delete, same)).difference(add)
        pre = tuple(dict.fromkeys(ground_all(action.precondition, same)))
        result.append(Instance(action.name, types, same, pre, add, delete))
    return result


def _ways(action: Action, domain: Domain) -> Iterator[dict[str, str]]:
    """Yield for each partition of the parameters the symbol of each; all different first."""
    types = {p.name: p.type for p in action.parameters}

    def fits(name: str, group: Sequence[str]) -> bool:
        return not action.distinct and all(comparable(types[name], types[g], domain) for g in group)

    def place(rest: Sequence[str], groups: Sequence[Sequence[str]]) -> Iterator[dict[str, str]]:
        if not rest:
            yield {name: f"?{group[0]}" for group in groups for name in group}
            return
        name, *others = rest
        yield from place(others, [*groups, [name]])
        for i, group in enumerate(groups):
            if fits(name, group):
                yield from place(others, [*groups[:i], [*group, name], *groups[i + 1 :]])

    yield from place(list(types), [])


def comparable(first: str, second: str, domain: Domain) -> bool:
    """Return whether an object can be of both types."""
    return domain.is_a(first, second) or domain.is_a(second, first)
