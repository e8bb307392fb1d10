"""What a goal over a subgraph may say: nodes by the places that they fit, types and classes, properties.

The decoding grammars are built from this. A node fits an argument of a predicate when its type is right, when
it has the affordances that the pack's ``[requires]`` names, and when some action or event can bring the fact
about for such a node, or the fact holds now: closed only for what closes, put only into what holds things,
filled only for vessels, ``under`` only for what lies under something. Poses are places to pass: no goal names
them. Nodes that fit the same places form one group, so that every name is written once in a grammar.

A quantified variable is named after its sort and how many of that sort are in scope: ``?item1``, ``?room2``.
The sort is the PDDL type of everything that a class ranges over, or ``thing`` where these differ.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ..domains.formula import Var
from ..domains.pack import Pack
from ..simulator.grounding import Belief
from ..simulator.scene import Node

Slot = tuple[str, int]
"""An argument of a predicate."""

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
    nodes = [n for n in scene.nodes.values() if n.id in chosen and n.type in pack.mapped.types]
    nodes = [n for n in nodes if n.type not in _PASSED]
    types = {n.id: pack.mapped.types[n.type] for n in nodes}
    places = _Places(belief)
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


def parameter_types(pack: Pack, predicate: str) -> tuple[str, ...]:
    """The PDDL type that a goal predicate wants of each argument."""
    meaning = pack.mapped.derived.get(predicate)
    if meaning is None:
        return tuple(p.type for p in pack.domain.predicates[predicate].parameters)
    if meaning == "room":
        return ("object", pack.mapped.types.get("room", "room"))
    return (pack.navigation.parameters[-1].type,)


@dataclass(frozen=True, slots=True)
class _Place:
    """An argument of a predicate: the type and the unary statics that it wants, and how it may come to be.

    ``ways`` are the types of the parameters of actions and events that add the fact, with the unary statics
    on them; ``None`` where the fact follows from others.
    """

    slot: Slot
    type: str
    excluded: str | None
    requires: tuple[str, ...]
    ways: tuple[tuple[str, tuple[str, ...]], ...] | None


class _Places:
    """Which arguments of which predicates a node fits."""

    def __init__(self, belief: Belief) -> None:
        self.belief, pack = belief, belief.pack
        actions = tuple(pack.domain.actions.values())
        added = frozenset(a.predicate for action in actions for a in action.add)
        ways: dict[Slot, dict[tuple[str, tuple[str, ...]], None]] = defaultdict(dict)
        for action in actions:
            kinds = {p.name: p.type for p in action.parameters}
            for atom in action.add:
                for index, term in enumerate(atom.args):
                    if isinstance(term, Var):
                        unary = [c.predicate for c in action.precondition if c.args == (term,)]
                        statics = tuple(u for u in unary if u not in added)
                        ways[atom.predicate, index][kinds[term.name], statics] = None
        room = pack.mapped.types.get("room", "room")
        self.by_type: dict[str, tuple[_Place, ...]] = {}
        places = []
        for predicate in pack.public_predicates():
            derived = pack.mapped.derived.get(predicate)
            for index, wanted in enumerate(parameter_types(pack, predicate)):
                variable = Var("xy"[index : index + 1])
                requires = pack.mapped.requires.get(predicate, ())
                needs = tuple(r.predicate for r in requires if r.args == (variable,))
                how = None if derived is not None else tuple(ways[predicate, index])
                excluded = room if derived == "room" and index == 0 else None
                places.append(_Place((predicate, index), wanted, excluded, needs, how))
        for kind in dict.fromkeys(pack.mapped.types.values()):
            self.by_type[kind] = tuple(
                p for p in places if pack.domain.is_a(kind, p.type) and kind != p.excluded
            )
        needed = (n for p in places for n in (p.requires, *(s for _, s in p.ways or ())))
        static = dict.fromkeys(predicate for names in needed for predicate in names)
        self.statics = {p: frozenset(args[0] for args in belief.facts.all(p)) for p in static}
        self.known: dict[tuple[str, tuple[bool, ...]], tuple[frozenset[Slot], tuple[Slot, ...]]] = {}
        self.holders: dict[Slot, frozenset[str]] = {}

    def of(self, node: Node) -> frozenset[Slot]:
        """The arguments that a node fits; worked out once for all nodes of a type that can do the same."""
        kind, name = self.belief.pack.mapped.types[node.type], node.id
        can = tuple([name in extent for extent in self.statics.values()])
        found = self.known.get((kind, can))
        if found is None:
            found = self.known[kind, can] = self.fits(kind, dict(zip(self.statics, can, strict=True)))
        fits, now = found
        held = [slot for slot in now if name in self.held(slot)]
        return fits.union(held) if held else fits

    def fits(self, kind: str, can: Mapping[str, bool]) -> tuple[frozenset[Slot], tuple[Slot, ...]]:
        """What nodes of a type that can do so much fit always, and what only where it holds of them now."""
        always: list[Slot] = []
        now: list[Slot] = []
        for place in self.by_type[kind]:
            if place.ways is None:
                always.append(place.slot)
            elif all(can[need] for need in place.requires):
                ways = (w for wanted, w in place.ways if self.belief.pack.domain.is_a(kind, wanted))
                reachable = any(all(can[static] for static in w) for w in ways)
                (always if reachable else now).append(place.slot)
        return frozenset(always), tuple(now)

    def held(self, slot: Slot) -> frozenset[str]:
        """The nodes that a fact has at an argument now."""
        if slot not in self.holders:
            predicate, index = slot
            self.holders[slot] = frozenset(args[index] for args in self.belief.facts.all(predicate))
        return self.holders[slot]


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
    type_words = dict.fromkeys([*types.values(), *pack.mapped.types, *pack.mapped.supertypes])
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
