"""Completeness of a backward closure: whether unsolvability within it is unsolvability of the scene.

A closure binds the parameters of actions by facts that hold now or are relevant already. That loses no plan
as long as further facts of that kind can only be achieved after the fact for which the action is taken; those
that can be achieved before are found here, and the closure takes them in. Every rule here must err on the
side of "incomplete": a wrong "complete" is a false proof.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

from ...domains.action import Action, bind, bound_args, extend, unify
from ...domains.deadline import check_time
from ...domains.formula import Atom, GroundAtom, Var, is_ground_atom
from ...simulator.belief import Belief
from ...simulator.facts import Facts
from ..attainable import Attainable, fits


class Completeness:
    """Record of the bindings that one closure relies on, and the test that they lose nothing."""

    def __init__(self, belief: Belief, now: Facts) -> None:
        self.belief, self.now = belief, now
        self.pack = belief.pack
        # Atoms that bound a parameter, with the facts that precede any achiever of further such atoms.
        self.relied: dict[tuple[Atom, frozenset[Atom]], None] = {}
        self.left_out = False
        """Whether the closure left something out that may help."""

    @cached_property
    def attainable(self) -> Attainable:
        return Attainable(self.belief, self.now)

    @cached_property
    def relations(self) -> frozenset[str]:
        """The predicates of the places of things."""
        return frozenset(self.pack.locations)

    def is_reflexive(self, atom: GroundAtom) -> bool:
        """Return whether a fact puts a thing into itself, which the pack's actions are shown not to do."""
        equal = atom.predicate in self.relations and len(set(atom.args)) < len(atom.args)
        return equal and self.belief.invariants.contained

    def of_type(self, type_name: str) -> list[str]:
        """Return every node of a type of the domain."""
        types, domain = self.pack.mapping.types, self.pack.domain
        kinds = [k for k, t in types.items() if domain.is_a(t, type_name)]
        return [n for k in kinds for n in self.belief.scene.by_type.get(k, ())]

    def possible(self, action: Action, binding: dict[str, str]) -> bool:
        """Return whether types and the static conditions that are fully bound hold."""
        static = [bind(a, binding) for a in action.precondition if a.predicate not in self.pack.fluents]
        holding = (self.now.holds(a.predicate, a.args) for a in static if is_ground_atom(a))
        return fits(action, binding, self.belief) and all(holding)

    def rely(
        self, action: Action, bound: Atom, binding: dict[str, str], target: tuple[GroundAtom, bool]
    ) -> None:
        """Note that current facts bind a parameter of an achiever of ``target``, if others may matter."""
        fact, positive = target
        mapping = self.pack.mapping
        reached = self.belief.scene.nodes[fact.args[0]] if fact.predicate == self.pack.at else None
        if self.pack.unlimited_capacity and reached is not None and reached.type == "object":
            return  # a movable thing that is reached into could have been reached into where it was picked up
        after: set[Atom] = {fact} if positive else set()
        if not positive and fact.predicate == mapping.robot_free.predicate:
            after = {bind(a, binding) for a in action.add if a.predicate == mapping.robot_held.predicate}
        self.relied[bound, frozenset(after)] = None

    def missing(
        self, relevant: Facts, needs_no_more: Callable[[Atom], bool]
    ) -> Iterator[tuple[Atom, GroundAtom | None]]:
        """Yield conditions that facts bound, each with a fact for another object that may be achieved.

        Nothing is lost where achieving it needs the target of the action first: to put a thing down, the
        robot must have held it. Where places have a capacity, having held it may not be enough. ``None``
        stands for facts that are too many to list. Conditions that need no more are left out: the objects
        of a large building are gone through for each of the others.
        """
        for bound, preceding in self.relied:
            for achiever, effect in self.pack.adders.get(bound.predicate, ()):
                binding = extend(effect, bound_args(bound, {}))
                if binding is None or not self.possible(achiever, binding):
                    continue
                late = not preceding.isdisjoint(bind(a, binding) for a in achiever.precondition)
                if late and self.pack.unlimited_capacity:
                    continue
                if needs_no_more(bound):
                    break
                for atom in self.achieved_for_others(achiever, effect, bound, relevant):
                    yield bound, atom
                    if needs_no_more(bound):
                        break

    def achieved_for_others(
        self, achiever: Action, effect: Atom, bound: Atom, relevant: Facts
    ) -> Iterator[GroundAtom | None]:
        """Yield the facts that an action may achieve and that neither hold nor are relevant."""
        free = [i for i, a in enumerate(bound.args) if isinstance(a, Var)]
        if len(free) > 1:
            yield None
            return
        kind = self.pack.domain.predicates[bound.predicate].parameters[free[0]].type
        for name in self.of_type(kind):
            check_time("finding what the goal depends on")
            args = tuple(name if isinstance(a, Var) else a for a in bound.args)
            atom = Atom(bound.predicate, args)
            if self.now.holds(bound.predicate, args) or relevant.holds(bound.predicate, args):
                continue
            binding = unify(effect, atom)
            if binding is None or self.is_reflexive(atom) or not self.possible(achiever, binding):
                continue
            if self.attainable.reachable(atom):
                yield atom
