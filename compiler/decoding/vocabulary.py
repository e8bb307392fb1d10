"""What a goal over a subgraph may say: nodes by the places that they fit, types and classes, properties.

The decoding grammars are built from this. ``decoding_places`` says which node fits which argument of a
predicate. Poses are places to pass: no goal names them. Nodes that fit the same places form one group, so
that every name is written once in a grammar.

A quantified variable is named after its sort and how many of that sort are in scope: ``?item1``, ``?room2``.
The sort is the PDDL type of everything that a class ranges over, or ``thing`` where these differ.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ...simulator.belief import Belief
from .places import Places, Slot

MAX_SCOPE = 3
"""Most quantifiers inside each other."""
MAX_EXACT = 24
"""Up to so many ranges, what the outermost variable may do is known by class; else by its sort."""
_PASSED = frozenset({"pose"})


@dataclass(frozen=True, slots=True)
class NodeGroup:
    """Nodes of one type that fit the same places."""

    type: str
    slots: frozenset[Slot]
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Range:
    """Types and classes with the number of their nodes, whose variables have one sort and fit alike.

    A range is equal to itself only, so that looking one up does not go through its words.
    """

    sort: str
    slots: frozenset[Slot]
    words: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Properties:
    """Classes and attributes that occur on nodes of exactly these types."""

    types: frozenset[str]
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Bound:
    """A variable in scope."""

    sort: str
    index: int
    slots: frozenset[Slot]

    @property
    def name(self) -> str:
        return f"{self.sort}{self.index}"


Scope = tuple[Bound, ...]


@dataclass(frozen=True)
class Lexicon:
    """Everything that goals over a subgraph may name. ``sorts`` gives the types that a sort may stand for."""

    predicates: Mapping[str, int]
    nodes: tuple[NodeGroup, ...]
    ranges: tuple[Range, ...]
    properties: tuple[Properties, ...]
    sorts: Mapping[str, frozenset[str]]
    synonyms: Mapping[str, str]

    @cached_property
    def coarse(self) -> tuple[Range, ...]:
        """The ranges with every sort taken as one: a variable may do what some class of its sort can."""
        by_sort: dict[str, list[Range]] = defaultdict(list)
        for one in self.ranges:
            by_sort[one.sort].append(one)
        return tuple(
            Range(
                sort,
                frozenset().union(*(r.slots for r in ranges)),
                tuple(sorted(w for r in ranges for w in r.words)),
            )
            for sort, ranges in by_sort.items()
        )

    @cached_property
    def by_sort(self) -> Mapping[str, frozenset[Slot]]:
        """What some class of each sort can do."""
        return {r.sort: r.slots for r in self.coarse}

    def choices(self, scope: Scope) -> tuple[Range, ...]:
        """What one more variable may range over."""
        if len(scope) >= MAX_SCOPE:
            return ()
        return self.coarse if scope or len(self.ranges) > MAX_EXACT else self.ranges

    def bind(self, scope: Scope, chosen: Range) -> Scope:
        """The scope with one more variable."""
        index = 1 + sum(b.sort == chosen.sort for b in scope)
        bound = (*scope, Bound(chosen.sort, index, chosen.slots))
        if scope:
            bound = tuple(Bound(b.sort, b.index, self.by_sort[b.sort]) for b in bound)
        return tuple(sorted(bound, key=lambda b: (b.sort, b.index)))


def lexicon(belief: Belief, ids: Iterable[str] | None = None) -> Lexicon:
    """What may be said of the nodes of a subgraph; of the whole scene where no ids are given."""
    scene, pack = belief.scene, belief.pack
    chosen = scene.nodes.keys() if ids is None else frozenset(ids) & scene.nodes.keys()
    nodes = [n for n in scene.nodes.values() if n.id in chosen and n.type in pack.mapping.types]
    nodes = [n for n in nodes if n.type not in _PASSED]
    types = {n.id: pack.mapping.types[n.type] for n in nodes}
    places = Places(belief)
    slots = {n.id: places.of(n) for n in nodes}
    known = frozenset().union(*slots.values()) if slots else frozenset()
    predicates = {
        p: arity
        for p, arity in pack.public_predicates().items()
        if all((p, index) in known for index in range(arity))
    }
    usable = frozenset((p, i) for p, arity in predicates.items() for i in range(arity))
    slots = {name: found & usable for name, found in slots.items()}
    grouped: dict[tuple[str, tuple[Slot, ...]], list[str]] = defaultdict(list)
    for node in nodes:
        grouped[types[node.id], tuple(sorted(slots[node.id]))].append(node.id)
    groups = [NodeGroup(t, frozenset(s), tuple(sorted(names))) for (t, s), names in sorted(grouped.items())]
    ranges, synonyms = _ranges(belief, types, slots)
    mixed = _mixed(types.values())
    sorts = {r.sort: frozenset(types.values()) if r.sort == mixed else frozenset({r.sort}) for r in ranges}
    return Lexicon(predicates, tuple(groups), ranges, _properties(belief, types), sorts, synonyms)


def _mixed(types: Iterable[str]) -> str:
    """The sort of what is of several types: a word that is no type."""
    name, taken = "thing", frozenset(types)
    while name in taken:
        name += "s"
    return name


def _ranges(
    belief: Belief, types: Mapping[str, str], slots: Mapping[str, frozenset[Slot]]
) -> tuple[tuple[Range, ...], dict[str, str]]:
    pack, mixed = belief.pack, _mixed(types.values())
    type_words = dict.fromkeys([*types.values(), *pack.mapping.types, *pack.mapping.supertypes])
    class_words = [c for c in sorted(belief.scene.by_class) if not _names_a_level(belief, c)]
    synonyms: dict[str, str] = {}
    members_of: dict[tuple[str, ...], str] = {}
    grouped: dict[tuple[str, tuple[Slot, ...]], list[tuple[str, int]]] = defaultdict(list)
    for word in [*type_words, *class_words]:
        everything: Sequence[str] = belief.members(word)
        members = [m for m in everything if m in types]
        if not members:
            continue
        if word in type_words:
            # ``object`` and ``item`` are one type to a goal; the pack's own word for it stands for both.
            first = members_of.setdefault(tuple(sorted(everything)), word)
            if first != word:
                synonyms[word] = first
                continue
        kinds = sorted({types[m] for m in members})
        fits = frozenset().union(*(slots[m] for m in members))
        sort = kinds[0] if len(kinds) == 1 else mixed
        grouped[sort, tuple(sorted(fits))].append((word, len(members)))
    ranges = tuple(
        Range(sort, frozenset(fits), tuple(sorted(words))) for (sort, fits), words in sorted(grouped.items())
    )
    return ranges, synonyms


def _names_a_level(belief: Belief, word: str) -> bool:
    """Whether a class has the name of a type, which then means the type."""
    return belief.is_type(word) or word in ("floor", "building", "campus")


def _properties(belief: Belief, types: Mapping[str, str]) -> tuple[Properties, ...]:
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
