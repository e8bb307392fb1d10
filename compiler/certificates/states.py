"""The states of a few facts: all that can be reached, when whatever else an action needs counts as true.

Leaving facts out can only add ways, so the goal is impossible where every such state contradicts it
(a projection, as in Edelkamp 2001, "Planning with pattern databases", here of single facts).
"""

from __future__ import annotations

import heapq
import itertools
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence

from ...domains.action import Action, bound_args, extend
from ...domains.exclusive import ExclusionIndex, Groups
from ...domains.formula import Atom, GroundAtom
from .certificate import Refused
from .induction import Binding, Induction

Way = tuple[int, int, int]
"""The facts that an action needs, adds and deletes, as bits."""
Cost = Callable[[Action, Binding], int]
"""A lower bound on the cost of an action, in millimetres."""


class Projection:
    """The states of some facts: whatever else an action needs counts as true, so no state is missed.

    A parameter is bound to a name that these facts mention, or stands for any other object. Of the
    predicates in ``whole`` no other facts are ever true; whoever names one must have shown that.
    """

    def __init__(self, induction: Induction, groups: Groups, facts: Sequence[GroundAtom]) -> None:
        self.induction, self.count = induction, 0
        self.whole: frozenset[str] = frozenset()
        contained = bool(groups) and induction.belief.invariants.contained
        self.places = induction.pack.locations if contained else ()  # nothing is ever in itself
        tracked = (a for a in dict.fromkeys(facts) if a.predicate not in induction.open | induction.doubtful)
        self.bits = {atom: 1 << i for i, atom in enumerate(tracked)}
        self.names = dict.fromkeys(n for a in self.bits for n in a.args)
        belief = induction.belief
        rest = [n for n in belief.scene.nodes if n not in self.names]
        self.others = {
            kind: any(belief.may_be_of(n, kind) for n in rest) for kind in induction.pack.domain.types
        }
        # Of the bits of each at most one is set.
        self.rivals = [sum(self.bits[a] for a in atoms) for atoms in ExclusionIndex(groups).rivals(self.bits)]

    def reachable(self, most: int) -> Iterator[dict[GroundAtom, bool]]:
        """Yield every state as the truth of the facts. Raises :class:`Refused` beyond a number of them."""
        return (values for _, values in self.by_cost(most, lambda action, binding: 0))

    def by_cost(self, most: int, cost: Cost) -> Iterator[tuple[int, dict[GroundAtom, bool]]]:
        """Yield each state with a lower bound on the cost of reaching it, in millimetres (Dijkstra)."""
        facts = self.induction.facts
        start = sum(bit for atom, bit in self.bits.items() if facts.holds(atom.predicate, atom.args))
        operators = [(*way, price) for way, price in self.operators(cost).items()]
        queue, least = [(0, start)], {start: 0}
        while queue:
            total, state = heapq.heappop(queue)
            if total > least[state]:
                continue
            self.count += 1
            yield total, {atom: bool(state & bit) for atom, bit in self.bits.items()}
            # Comparing bits is many times faster than looking at facts.
            self.induction.spend(1 + (len(operators) + len(self.bits)) // 32)
            for needs, adds, deletes, price in operators:
                after = state & ~deletes | adds
                if state & needs == needs and total + price < least.get(after, total + price + 1):
                    least[after] = total + price
                    self.induction.spend(len(self.rivals) // 32)
                    if not any((both := after & some) & (both - 1) for some in self.rivals):
                        heapq.heappush(queue, (total + price, after))
            if len(least) > most:
                raise Refused(f"more than {most} states can be reached")

    def operators(self, cost: Cost) -> dict[Way, int]:
        """Return the facts that each action needs, adds and deletes, as sets of bits, and its least cost."""
        ways: dict[Way, int] = {}
        for action in self.induction.pack.domain.actions.values():
            for effect in (*action.add, *action.delete):
                for atom in (a for a in self.bits if a.predicate == effect.predicate):
                    binding = extend(effect, atom.args)
                    for choice in self.completed(action, binding) if binding is not None else ():
                        if way := self.way(action, choice):
                            ways[way] = min(cost(action, choice), ways.get(way, sys.maxsize))
        return ways

    def completed(self, action: Action, binding: Binding) -> Iterator[Binding]:
        """Yield the bindings of the parameters that are left; one that stays free is another object."""
        names = [[binding[p.name]] if p.name in binding else [None, *self.names] for p in action.parameters]
        for args in itertools.product(*names):
            self.induction.spend()
            yield {p.name: n for p, n in zip(action.parameters, args, strict=True) if n is not None}

    def way(self, action: Action, binding: Binding) -> Way | None:
        """Return the bits of a ground action, or ``None`` where it is never applicable or changes nothing."""
        induction, belief, needs = self.induction, self.induction.belief, 0
        for parameter in action.parameters:
            name, kind = binding.get(parameter.name), parameter.type
            if not (self.others[kind] if name is None else belief.may_be_of(name, kind)):
                return None
        if (action.distinct and len({*binding.values()}) < len(binding)) or belief.forbids(action, binding):
            return None
        for condition in action.precondition:
            predicate, args = condition.predicate, bound_args(condition, binding)
            bit = self.bits.get(Atom(predicate, tuple([n or "" for n in args])))
            if bit is not None:
                needs |= bit
            elif predicate in self.whole or (predicate in self.places and args[0] == args[1] is not None):
                return None
            elif induction.limited(predicate, args):
                free = [i for i, a in enumerate(args) if a is None]
                matching = induction.matching(predicate, args)
                if not any(all(m[i] not in self.names for i in free) for m in matching):
                    return None
        if action is induction.pack.navigation and induction.no_route(action, binding):
            return None
        adds, deletes = (self.mask(atoms, binding) for atoms in (action.add, action.delete))
        deletes &= ~adds
        return (needs, adds, deletes) if adds & ~needs or deletes else None

    def mask(self, atoms: Iterable[Atom], binding: Binding) -> int:
        bound = (Atom(a.predicate, tuple([n or "" for n in bound_args(a, binding)])) for a in atoms)
        return sum({self.bits.get(atom, 0) for atom in bound})
