"""Which arguments of which predicates a node fits.

A node fits an argument of a predicate when its type is right, when it has the affordances that the pack's
``[requires]`` names, and when some action or event can bring the fact about for such a node, or the fact
holds now: closed only for what closes, put only into what holds things, filled only for vessels, ``under``
only for what lies under something.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from ...domains.formula import Var
from ...domains.pack import Pack
from ...simulator.belief import Belief
from ...simulator.scene import Node

Slot = tuple[str, int]
"""An argument of a predicate."""


def parameter_types(pack: Pack, predicate: str) -> tuple[str, ...]:
    """The PDDL type that a goal predicate wants of each argument."""
    meaning = pack.mapping.derived.get(predicate)
    if meaning is None:
        return tuple(p.type for p in pack.domain.predicates[predicate].parameters)
    if meaning == "room":
        return ("object", pack.mapping.types.get("room", "room"))
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


class Places:
    """The arguments that the nodes of one belief fit."""

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
        room = pack.mapping.types.get("room", "room")
        self.by_type: dict[str, tuple[_Place, ...]] = {}
        places = []
        for predicate in pack.public_predicates():
            derived = pack.mapping.derived.get(predicate)
            for index, wanted in enumerate(parameter_types(pack, predicate)):
                variable = Var("xy"[index : index + 1])
                requires = pack.mapping.requires.get(predicate, ())
                needs = tuple(r.predicate for r in requires if r.args == (variable,))
                how = None if derived is not None else tuple(ways[predicate, index])
                excluded = room if derived == "room" and index == 0 else None
                places.append(_Place((predicate, index), wanted, excluded, needs, how))
        for kind in dict.fromkeys(pack.mapping.types.values()):
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
        kind, name = self.belief.pack.mapping.types[node.type], node.id
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
