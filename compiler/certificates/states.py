"""The states of a few facts: all that can be reached, when whatever else an action needs counts as true.

Leaving facts out can only add ways, so the goal is impossible where every such state contradicts it
(a projection, as in Edelkamp 2001, "Planning with pattern databases", here of single facts). What groups of
facts exclude counts for facts that are left out as well. A run with constraints to keep passes no state, and
takes no step, that breaks one whatever is true of the facts that are left out (``run_memory``).
"""

from __future__ import annotations

import functools
import heapq
import itertools
import operator
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from ...domains.action import Action, bound_args, extend
from ...domains.exclusive import ExclusionIndex, Groups
from ...domains.formula import Atom, Formula, GroundAtom, TrajectoryConstraint
from ...simulator.belief import forbids, may_be_of
from ...simulator.partial_state import PartialArgs
from .certificate import Refused
from .induction import Binding, Induction
from .run_memory import Memory, RunMemory


class Way(NamedTuple):
    """The facts that an action needs, needs to be false, adds and deletes, as bits.

    It is not done where one of ``unless`` is true of the state before it.
    """

    needs: int
    denies: int
    adds: int
    deletes: int
    unless: tuple[Formula, ...] = ()


Cost = Callable[[Action, Binding], int]
"""A lower bound on the cost of an action, in millimetres."""


class Projection:
    """The states of some facts: whatever else an action needs counts as true, so no state is missed.

    A parameter is bound to a name that these facts mention, or stands for any other object. Of the
    predicates in ``whole`` no other facts are ever true; whoever names one must have shown that. The runs
    that are looked at keep the ``run``, constraints on all of their states.
    """

    def __init__(
        self,
        induction: Induction,
        groups: Groups,
        facts: Sequence[GroundAtom],
        run: Sequence[TrajectoryConstraint] = (),
    ) -> None:
        self.induction, self.count = induction, 0
        self.run = RunMemory(induction, groups, run)
        self.whole: frozenset[str] = frozenset()
        contained = bool(groups) and induction.belief.invariants.contained
        self.places = induction.pack.locations if contained else ()  # nothing is ever in itself
        tracked = (a for a in dict.fromkeys(facts) if a.predicate not in induction.open | induction.doubtful)
        self.bits = {atom: 1 << i for i, atom in enumerate(tracked)}
        self.names = dict.fromkeys(n for a in self.bits for n in a.args)
        belief = induction.belief
        rest = [n for n in belief.scene.nodes if n not in self.names]
        self.others = {k: any(may_be_of(n, k, belief) for n in rest) for k in induction.pack.domain.types}
        self.index = ExclusionIndex(groups)
        self.groups: dict[tuple[str, str | None], int] = {}
        """The bits of each group, of which at most one is set."""
        for atom, bit in self.bits.items():
            for key in self.index.keys(atom.predicate, atom.args):
                self.groups[key] = self.groups.get(key, 0) | bit

    def reachable(self, most: int) -> Iterator[dict[GroundAtom, bool]]:
        """Yield every state as the truth of the facts. Raises :class:`Refused` beyond a number of them."""
        return (values for _, values in self.by_cost(most, lambda action, binding: 0))

    def by_cost(self, most: int, cost: Cost) -> Iterator[tuple[int, dict[GroundAtom, bool]]]:
        """Yield each state with a lower bound on the cost of reaching it, in millimetres (Dijkstra).

        A state in which a run may not end is left out.
        """
        facts = self.induction.facts
        start = sum(bit for atom, bit in self.bits.items() if facts.holds(atom.predicate, atom.args))
        operators = list(self.operators(cost).items())
        rivals = [bits for bits in self.groups.values() if bits & (bits - 1)]
        first = start, self.run.after(self.run.start, start, self.values)
        least: dict[tuple[int, Memory], int] = {first: 0}
        queue = [(0, *first)] if all(first[1]) else []
        while queue:
            total, state, memory = heapq.heappop(queue)
            if total > least[state, memory]:
                continue
            self.count += 1
            if self.run.may_end(memory):
                yield total, self.values(state)
            # Comparing bits is many times faster than looking at facts.
            self.induction.spend(1 + (len(operators) + len(self.bits)) // 32)
            for way, price in operators:
                after = state & ~way.deletes | way.adds
                if after == state or state & (way.needs | way.denies) != way.needs:
                    continue
                if not self.run.constraints and total + price >= least.get((after, memory), sys.maxsize):
                    continue
                self.induction.spend(len(rivals) // 32)
                if any((both := after & some) & (both - 1) for some in rivals):
                    continue
                if self.run.forbids(way.unless, state, self.values):
                    continue
                node = after, self.run.after(memory, after, self.values)
                if all(node[1]) and total + price < least.get(node, total + price + 1):
                    least[node] = total + price
                    heapq.heappush(queue, (total + price, *node))
            if len(least) > most:
                raise Refused(f"more than {most} states can be reached")

    def values(self, state: int) -> dict[GroundAtom, bool]:
        """Return the truth of the facts in a state."""
        return {atom: bool(state & bit) for atom, bit in self.bits.items()}

    def operators(self, cost: Cost) -> dict[Way, int]:
        """Return what each action needs, adds and deletes, as sets of bits, and its least cost."""
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
        if not self.allows(action, binding):
            return None
        needs = denies = 0
        for condition in action.precondition:
            bits = self.condition(condition.predicate, bound_args(condition, binding))
            if bits is None:
                return None
            needs, denies = needs | bits[0], denies | bits[1]
        adds, deletes = (self.mask(atoms, binding) for atoms in (action.add, action.delete))
        deletes &= ~adds
        if needs & denies or not (adds & ~needs or deletes):
            return None
        return Way(needs, denies, adds, deletes, self.run.conditions(action, binding))

    def allows(self, action: Action, binding: Binding) -> bool:
        """Return whether types, different arguments, routes and forbidden steps let an action be done."""
        belief = self.induction.belief
        for parameter in action.parameters:
            name, kind = binding.get(parameter.name), parameter.type
            if not (self.others[kind] if name is None else may_be_of(name, kind, belief)):
                return False
        if (action.distinct and len({*binding.values()}) < len(binding)) or forbids(action, binding, belief):
            return False
        return action is not belief.pack.navigation or not self.induction.no_route(action, binding)

    def condition(self, predicate: str, args: PartialArgs) -> tuple[int, int] | None:
        """Return the facts that a condition needs, and those that it denies; ``None`` if it is never true."""
        bit = self.bits.get(Atom(predicate, tuple([n or "" for n in args])))
        if bit is not None:
            return bit, 0
        if predicate in self.whole or (predicate in self.places and args[0] == args[1] is not None):
            return None
        if self.induction.limited(predicate, args):
            free = [i for i, a in enumerate(args) if a is None]
            matching = self.induction.matching(predicate, args)
            if not any(all(m[i] not in self.names for i in free) for m in matching):
                return None
        return 0, self.rivals_of(predicate, args)

    def rivals_of(self, predicate: str, args: PartialArgs) -> int:
        """Return the facts that are false where one that is left out is true."""
        bits = (self.groups.get(key, 0) for key in self.index.keys(predicate, args))
        return functools.reduce(operator.or_, bits, 0)

    def mask(self, atoms: Iterable[Atom], binding: Binding) -> int:
        bound = (Atom(a.predicate, tuple([n or "" for n in bound_args(a, binding)])) for a in atoms)
        return sum({self.bits.get(atom, 0) for atom in bound})
