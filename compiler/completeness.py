"""What a backward closure may have missed: whether there being no plan in it says that there is none.

A closure binds the parameters of actions by what is so now or is looked at already. That misses nothing as
long as more of it can only be made so by who has been through the fact that the action is there for.
"""

from __future__ import annotations

from functools import cached_property

from ..domains.action import Action, bind, unify
from ..domains.formula import Atom, Var
from ..simulator.belief import Belief
from ..simulator.facts import Facts, ground_args
from .attainable import Attainable


class Completeness:
    """What one closure rests on; its facts are as they are ``now``."""

    def __init__(self, belief: Belief, now: Facts) -> None:
        self.belief, self.now = belief, now
        self.pack = belief.pack
        # What bound a parameter, and the facts that must have been reached before more of it is made so.
        self.relied: dict[tuple[Atom, frozenset[Atom]], None] = {}

    @cached_property
    def attainable(self) -> Attainable:
        return Attainable(self.belief, self.now)

    @cached_property
    def relations(self) -> frozenset[str]:
        """The predicates of where things are."""
        return frozenset(self.pack.locations)

    @cached_property
    def roomy(self) -> bool:
        """Whether every place takes any number of things: taking and leaving them changes nothing else."""
        mapping = self.pack.mapping
        moved = {*self.relations, mapping.robot_free.predicate, mapping.robot_held.predicate}
        touched = ({a.predicate for a in (*x.add, *x.delete)} for x in self.pack.domain.actions.values())
        return all(t.isdisjoint(self.relations) or t <= moved for t in touched)

    def on_itself(self, atom: Atom) -> bool:
        return atom.predicate in self.relations and len(set(atom.args)) < len(atom.args)

    def of_type(self, type_name: str) -> list[str]:
        """Every node of a type of the domain."""
        types, domain = self.pack.mapping.types, self.pack.domain
        kinds = [k for k, t in types.items() if domain.is_a(t, type_name)]
        return [n for k in kinds for n in self.belief.scene.by_type.get(k, ())]

    def possible(self, action: Action, binding: dict[str, str]) -> bool:
        """Whether types and the static conditions that are fully bound hold."""
        nodes, types = self.belief.scene.nodes, self.pack.mapping.types
        for parameter in action.parameters:
            name = binding.get(parameter.name)
            if name is not None:
                kind = types.get(nodes[name].type)
                if kind is None or not self.pack.domain.is_a(kind, parameter.type):
                    return False
        for atom in action.precondition:
            if atom.predicate in self.pack.fluents:
                continue
            bound = bind(atom, binding)
            args = tuple(a for a in bound.args if isinstance(a, str))
            if len(args) == len(bound.args) and not self.now.holds(atom.predicate, args):
                return False
        return True

    def rely(self, action: Action, bound: Atom, binding: dict[str, str], who: tuple[Atom, bool]) -> None:
        """Note that a parameter is bound by what is so, unless nothing else could serve better."""
        fact, positive = who
        mapping = self.pack.mapping
        reached = self.belief.scene.nodes[ground_args(fact)[0]] if fact.predicate == self.pack.at else None
        if self.roomy and reached is not None and reached.type == "object":
            return  # who reaches for a movable thing could have reached for it where it was picked up
        after = {fact} if positive else set()
        if not positive and fact.predicate == mapping.robot_free.predicate:
            after = {bind(a, binding) for a in action.add if a.predicate == mapping.robot_held.predicate}
        self.relied[bound, frozenset(after)] = None

    def overlooks(self, relevant: Facts) -> bool:
        """Whether a condition that was bound by what is so could also be made so of something else.

        Nothing is lost where that takes the fact which the action is there for: who puts a thing down had it
        in hand. Where a place has room for some things only, having had it may not be enough.
        """
        for bound, reached in self.relied:
            for maker in self.pack.domain.actions.values():
                for atom in maker.add:
                    binding = partly(atom, bound)
                    if binding is None:
                        continue
                    late = not reached.isdisjoint(bind(a, binding) for a in maker.precondition)
                    if not (late and self.roomy) and self.makes_more(maker, atom, bound, relevant):
                        return True
        return False

    def makes_more(self, maker: Action, pattern: Atom, bound: Atom, relevant: Facts) -> bool:
        """Whether an action could make a fact that neither holds nor is looked at."""
        free = [i for i, a in enumerate(bound.args) if isinstance(a, Var)]
        if len(free) > 1:
            return True
        kind = self.pack.domain.predicates[bound.predicate].parameters[free[0]].type
        for name in self.of_type(kind):
            args = tuple(name if isinstance(a, Var) else a for a in bound.args)
            atom = Atom(bound.predicate, args)
            if self.now.holds(bound.predicate, args) or relevant.holds(bound.predicate, args):
                continue
            binding = unify(pattern, atom)
            if binding is None or self.on_itself(atom) or not self.possible(maker, binding):
                continue
            if self.attainable.could(atom):
                return True
        return False


def partly(pattern: Atom, atom: Atom) -> dict[str, str] | None:
    """The binding of a pattern by the names of an atom that may have variables left, or ``None``."""
    if pattern.predicate != atom.predicate:
        return None
    fixed = [(w, n) for w, n in zip(pattern.args, atom.args, strict=True) if isinstance(n, str)]
    return unify(Atom("", tuple(w for w, _ in fixed)), Atom("", tuple(n for _, n in fixed)))
