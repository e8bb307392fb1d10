"""Step 2 of a decoding grammar (steps: ``decoding/__init__.py``): names that goals over a subgraph may use.

A grammar writes each name once: nodes that fit the same arguments form one group, types and classes whose
nodes do form one range of a variable. Poses are places to pass: no goal names them. A variable is named after
its sort and how many of that sort are in scope: ``?item1``, ``?room2``. The sort is the PDDL type of
everything that a class ranges over, or ``thing`` where these differ. ``MAX_SCOPE`` and ``MAX_EXACT`` trade
the size of the grammars against what they admit and may be changed, but any change of a grammar's text makes
recorded answers (cassettes) unusable.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ...domains.formula import step_atom
from ...domains.pack import forbidden_steps
from ...simulator.belief import Belief
from .arguments import Argument, FittingArguments

MAX_SCOPE = 3
"""Most quantifiers inside each other."""
MAX_EXACT = 24
"""Up to so many ranges, the outermost variable's arguments follow from its class; beyond, from its sort."""


@dataclass(frozen=True, slots=True)
class NodeGroup:
    """Nodes of one type that fit the same arguments."""

    type: str
    arguments: frozenset[Argument]
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class VariableRange:
    """Types and classes with the number of their nodes, whose variables have one sort and fit alike.

    The largest come first. A range is equal to itself only, so that looking one up does not go through its
    words.
    """

    sort: str
    arguments: frozenset[Argument]
    words: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Properties:
    """Classes and attributes that occur on nodes of exactly these types."""

    types: frozenset[str]
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BoundVariable:
    """A variable in scope; ``index`` counts those of its sort from 1."""

    sort: str
    index: int
    arguments: frozenset[Argument]

    @property
    def name(self) -> str:
        return f"{self.sort}{self.index}"


Scope = tuple[BoundVariable, ...]


def next_index(sort: str, scope: Scope) -> int:
    """Return the index of one more variable of a sort."""
    return 1 + sum(bound.sort == sort for bound in scope)


@dataclass(frozen=True)
class Vocabulary:
    """Everything that goals over a subgraph may name.

    ``predicates`` have their number of arguments, and so have ``steps`` that a goal may forbid; ``sorts``
    gives the types that a sort may stand for; ``synonyms`` leads from other names of a type to the used one.
    """

    predicates: Mapping[str, int]
    nodes: tuple[NodeGroup, ...]
    ranges: tuple[VariableRange, ...]
    properties: tuple[Properties, ...]
    sorts: Mapping[str, frozenset[str]]
    synonyms: Mapping[str, str]
    steps: Mapping[str, int]

    @cached_property
    def by_sort(self) -> Mapping[str, VariableRange]:
        """One range a sort: its variables fit what those of some class of the sort fit."""
        ranges: dict[str, list[VariableRange]] = defaultdict(list)
        for one in self.ranges:
            ranges[one.sort].append(one)
        return {
            sort: VariableRange(
                sort,
                frozenset().union(*(r.arguments for r in alike)),
                _sized(w for r in alike for w in r.words),
            )
            for sort, alike in ranges.items()
        }

    def choices(self, scope: Scope) -> tuple[VariableRange, ...]:
        """Return the ranges of one more variable."""
        if len(scope) >= MAX_SCOPE:
            return ()
        return tuple(self.by_sort.values()) if scope or len(self.ranges) > MAX_EXACT else self.ranges

    def bind(self, scope: Scope, chosen: VariableRange) -> Scope:
        """Return the scope with one more variable; of several each fits what its sort fits."""
        index = next_index(chosen.sort, scope)
        bound = [BoundVariable(b.sort, b.index, self.by_sort[b.sort].arguments) for b in scope]
        arguments = self.by_sort[chosen.sort].arguments if scope else chosen.arguments
        return tuple(
            sorted((*bound, BoundVariable(chosen.sort, index, arguments)), key=lambda b: (b.sort, b.index))
        )


def vocabulary(belief: Belief, ids: Iterable[str] | None = None, of_run: bool = False) -> Vocabulary:
    """Collect what goals may name of a subgraph; of the whole scene where no ids are given.

    Goals that may say something ``of_run`` may forbid steps as well.
    """
    scene, pack = belief.scene, belief.pack
    chosen = scene.nodes.keys() if ids is None else frozenset(ids)
    types = {
        name: pack.mapping.types[node.type]
        for name, node in scene.nodes.items()
        if name in chosen and node.type in pack.mapping.types and node.type != "pose"
    }
    fitting = FittingArguments(belief)
    arguments = {name: fitting.of(scene.nodes[name]) for name in types}
    taken: frozenset[Argument] = frozenset().union(*set(arguments.values()))
    public = {step_atom(name, ()).predicate: arity for name, arity in forbidden_steps(pack)} if of_run else {}
    steps, predicates = (
        {
            name: arity
            for name, arity in some.items()
            if taken.issuperset((name, index) for index in range(arity))
        }
        for some in (public, pack.public_predicates())
    )
    usable, with_steps = (
        frozenset((name, i) for name, arity in some.items() for i in range(arity))
        for some in (predicates, predicates | steps)
    )
    # Most nodes fit what many others do: sets are cut and put in order once each.
    cut = {fits: fits & usable for fits in arguments.values()}
    ordered = {fits: tuple(sorted(fits & with_steps)) for fits in cut}
    grouped: dict[tuple[str, tuple[Argument, ...]], list[str]] = defaultdict(list)
    for name, kind in types.items():
        grouped[kind, ordered[arguments[name]]].append(name)
    arguments = {name: cut[fits] for name, fits in arguments.items()}
    groups = [NodeGroup(t, frozenset(a), tuple(sorted(names))) for (t, a), names in sorted(grouped.items())]
    mixed = _mixed_sort(types.values())
    ranges, synonyms = _ranges(belief, types, arguments, mixed)
    sorts = {r.sort: frozenset(types.values() if r.sort == mixed else [r.sort]) for r in ranges}
    return Vocabulary(predicates, tuple(groups), ranges, _properties(belief, types), sorts, synonyms, steps)


def _mixed_sort(types: Iterable[str]) -> str:
    """Return the sort of nodes of several types: a word that is no type."""
    name, taken = "thing", frozenset(types)
    while name in taken:
        name += "s"
    return name


def _sized(words: Iterable[tuple[str, int]]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(words, key=lambda word: (-word[1], word[0])))


def _ranges(
    belief: Belief, types: Mapping[str, str], arguments: Mapping[str, frozenset[Argument]], mixed: str
) -> tuple[tuple[VariableRange, ...], dict[str, str]]:
    """Return the ranges of variables, and the types that have the same nodes as another, with that other."""
    pack = belief.pack
    type_words = dict.fromkeys([*types.values(), *pack.mapping.types, *pack.mapping.supertypes])
    class_words = [c for c in sorted(belief.scene.by_class) if not _names_a_level(belief, c)]
    synonyms: dict[str, str] = {}
    by_members: dict[tuple[str, ...], str] = {}
    grouped: dict[tuple[str, tuple[Argument, ...]], list[tuple[str, int]]] = defaultdict(list)
    for word in [*type_words, *class_words]:
        everything: Sequence[str] = belief.members(word)
        members = [m for m in everything if m in types]
        if not members:
            continue
        if word in type_words:
            # ``object`` and ``item`` are one type to a goal; the pack's own word for it stands for both.
            first = by_members.setdefault(tuple(sorted(everything)), word)
            if first != word:
                synonyms[word] = first
                continue
        kinds = {types[m] for m in members}
        fits = frozenset().union(*{arguments[m] for m in members})
        sort = kinds.pop() if len(kinds) == 1 else mixed
        grouped[sort, tuple(sorted(fits))].append((word, len(members)))
    ranges = [
        VariableRange(sort, frozenset(fits), _sized(words)) for (sort, fits), words in sorted(grouped.items())
    ]
    return tuple(ranges), synonyms


def _names_a_level(belief: Belief, word: str) -> bool:
    """Return whether a class has the name of a type or level, which a goal then takes the word for."""
    return belief.is_type(word) or word in ("floor", "building", "campus")


def _properties(belief: Belief, types: Mapping[str, str]) -> tuple[Properties, ...]:
    """Return the classes and attributes that are not predicates, by the types of the nodes that have them."""
    scene = belief.scene
    public = belief.pack.public_predicates()
    holders: dict[str, set[str]] = defaultdict(set)
    for index in (scene.by_class, scene.by_attribute):
        for word, members in index.items():
            if word not in public and not _names_a_level(belief, word):
                holders[word] |= {types[m] for m in members if m in types}
    grouped: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for word, kinds in sorted(holders.items()):
        if kinds:
            grouped[tuple(sorted(kinds))].append(word)
    return tuple(Properties(frozenset(kinds), tuple(words)) for kinds, words in sorted(grouped.items()))
