"""The states of a few facts: all that can be reached, when whatever else an action needs counts as true.

Leaving facts out can only add ways, so the goal is impossible where every such state contradicts it
(a projection, as in Edelkamp 2001, "Planning with pattern databases", here of single facts).
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence

from ...domains.action import Action
from ...domains.deadline import check_time
from ...domains.formula import Atom
from ...simulator.facts import ground_args
from .certificate import Refused
from .groups import Exclusion
from .induction import Binding, Induction, bound, matched

Way = tuple[int, int, int]
"""The facts that an action needs, adds and deletes, as bits."""


class Projection:
    """The states of some facts: whatever else an action needs counts as true, so no state is missed.

    A parameter is bound to a name that these facts speak of, or stands for any other object. Of the
    predicates in ``whole`` no other facts are ever true; whoever names one must have shown that.
    """

    def __init__(
        self,
        induction: Induction,
        groups: Exclusion,
        facts: Sequence[Atom],
        whole: frozenset[str] = frozenset(),
    ) -> None:
        self.induction, self.groups, self.whole = induction, groups, whole
        self.facts = tuple(dict.fromkeys(facts))
        self.bits = {atom: 1 << i for i, atom in enumerate(self.facts)}
        self.names = dict.fromkeys(n for a in self.facts for n in ground_args(a))
        self.fits, self._others = induction.belief.has_type, dict[str, bool]()
        self._never: dict[Atom, bool] = {}
        self.count = 0
        pairs = ((a, b) for i, a in enumerate(self.facts) for b in self.facts[:i] if groups.exclude(a, b))
        self.conflicts = [self.bits[a] | self.bits[b] for a, b in pairs]

    def reachable(self, most: int) -> Iterator[int]:
        """Yield every state, the cheapest first. Raises :class:`Refused` beyond a number of them."""
        return (state for _, state in self.by_cost(most))

    def by_cost(self, most: int) -> Iterator[tuple[int, int]]:
        """Yield each state with a lower bound on the cost of reaching it, in millimetres (Dijkstra)."""
        facts = self.induction.facts
        start = sum(bit for atom, bit in self.bits.items() if facts.holds(atom.predicate, ground_args(atom)))
        operators = [(*way, cost) for way, cost in self.operators().items()]
        queue, least, done = [(0, start)], {start: 0}, set[int]()
        while queue:
            total, state = heapq.heappop(queue)
            if state in done:
                continue
            done.add(state)
            self.count += 1
            check_time("proving that there is no plan")
            yield total, state
            self.induction.spend(len(operators))
            for needs, adds, deletes, cost in operators:
                after = state & ~deletes | adds
                if state & needs == needs and total + cost < least.get(after, total + cost + 1):
                    least[after] = total + cost
                    if not any(after & both == both for both in self.conflicts):
                        heapq.heappush(queue, (total + cost, after))
            if len(least) > most:
                raise Refused(f"more than {most} states can be reached")

    def cheapest(self, most: int, possible: Callable[[dict[Atom, bool]], bool]) -> int | None:
        """Return a lower bound on the cost of every plan to where something is possible, in millimetres.

        ``None`` where it is possible in no state, and infinitely dear. Raises :class:`Refused` beyond a
        number of states.
        """
        return next((cost for cost, s in self.by_cost(most) if possible(self.values(s))), None)

    def values(self, state: int) -> dict[Atom, bool]:
        return {atom: bool(state & bit) for atom, bit in self.bits.items()}

    def operators(self) -> dict[Way, int]:
        """Return the facts that each action needs, adds and deletes, as sets of bits, and its least cost."""
        ways: dict[Way, int] = {}
        for action in self.induction.pack.domain.actions.values():
            for effect in (*action.add, *action.delete):
                for atom in self.facts:
                    binding = matched(effect, atom.args, {}) if effect.predicate == atom.predicate else None
                    for choice in self.completed(action, 0, binding) if binding is not None else ():
                        if way := self.way(action, choice):
                            ways[way] = min(self.cost(action, choice), ways.get(way, 10**12))
        return ways

    def cost(self, action: Action, binding: Binding) -> int:
        """Return the cost of an action in millimetres, 0 for a drive from or to any other place."""
        if action.cost is not None:
            return action.cost
        ends = [binding[p.name] for p in action.parameters[:2] if p.name in binding]
        return self.induction.belief.routes.distance(*ends) if len(ends) == 2 else 0

    def completed(self, action: Action, index: int, binding: Binding) -> Iterator[Binding]:
        """Yield the bindings of the parameters that are left; one that stays free is another object."""
        self.induction.spend()
        if index == len(action.parameters):
            yield binding
            return
        yield from self.completed(action, index + 1, binding)
        name = action.parameters[index].name
        for other in self.names if name not in binding else ():
            yield from self.completed(action, index + 1, {**binding, name: other})

    def way(self, action: Action, binding: Binding) -> Way | None:
        """Return the bits of a ground action, or ``None`` where it is never applicable or changes nothing."""
        induction, needs = self.induction, 0
        for parameter in action.parameters:
            name = binding.get(parameter.name)
            if not (self.others(parameter.type) if name is None else self.fits(name, parameter.type)):
                return None
        if action.distinct and len(set(binding.values())) < len(binding):
            return None
        for condition in action.precondition:
            args = bound(condition, binding)
            atom = Atom(condition.predicate, tuple(a or "" for a in args))
            if None not in args and atom in self.bits:
                needs |= self.bits[atom]
            elif condition.predicate in self.whole or (None not in args and self.never(atom)):
                return None
            elif induction.limited(condition.predicate, args):
                free = [i for i, a in enumerate(args) if a is None]
                matching = induction.matching(condition.predicate, args)
                if not any(all(m[i] not in self.names for i in free) for m in matching):
                    return None
        if action is induction.pack.navigation and induction.no_route(action, binding):
            return None
        adds, deletes = (self.mask(atoms, binding) for atoms in (action.add, action.delete))
        deletes &= ~adds
        return (needs, adds, deletes) if adds & ~needs or deletes else None

    def never(self, atom: Atom) -> bool:
        """Return whether a fact holds in no state: nothing is in itself, and no action adds it."""
        if atom not in self._never:
            predicate, args = atom.predicate, ground_args(atom)
            locations = self.induction.pack.locations
            itself = self.groups.contained and predicate in locations and args[0] == args[1]
            adders = self.induction.adders.get(predicate, ())
            starts = self.induction.facts.holds(predicate, args)
            self._never[atom] = itself or (not starts and self.induction.breaks(adders, args) is None)
        return self._never[atom]

    def others(self, kind: str) -> bool:
        """Return whether an object of a type is none of those that the facts speak of."""
        if kind not in self._others:
            nodes = self.induction.belief.scene.nodes
            self._others[kind] = any(n not in self.names and self.fits(n, kind) for n in nodes)
        return self._others[kind]

    def mask(self, atoms: Iterable[Atom], binding: Binding) -> int:
        bits = 0
        for atom in atoms:
            args = bound(atom, binding)
            if None not in args:
                bits |= self.bits.get(Atom(atom.predicate, tuple(a or "" for a in args)), 0)
        return bits
