"""Relaxed reachability of single facts: an upper bound on the facts that plans can make true.

Each fact is followed backward through the add lists of the pack's actions, with deletes ignored and every
condition on its own. Where the answer is no, no plan makes the fact true; a yes proves nothing. It judges by
the actions themselves and not by the mapping's ``[requires]``, so that it can correct ``normal`` and
``relevance.completeness``. A sharper bound is welcome as long as it stays an upper one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache, cached_property

from ..domains.action import Action, bind, bound_args, extend
from ..domains.deadline import check_time
from ..domains.formula import Atom, Var
from ..simulator.belief import Belief
from ..simulator.facts import Facts

ANY = Var("any")


def fits(action: Action, binding: Mapping[str, str], belief: Belief) -> bool:
    """Return whether the parameters that are bound are of their types."""
    return all(belief.has_type(binding[p.name], p.type) for p in action.parameters if p.name in binding)


class Attainable:
    """Relaxed reachability from ``facts`` in one belief's scene; answers are kept."""

    def __init__(self, belief: Belief, facts: Facts) -> None:
        self.belief, self.facts = belief, facts
        self.pack = belief.pack
        self.relations = self.pack.locations
        self._answers: dict[Atom, bool] = {}
        self._open: list[Atom] = []
        """Those that are answered with yes as long as what they may rest on is."""
        self.relations_to = cache(self._relations_to)

    def reachable(self, atom: Atom) -> bool:
        """Return whether an atom may become true; a variable in it stands for anything."""
        atom = Atom(atom.predicate, tuple(ANY if isinstance(a, Var) else a for a in atom.args))
        answer = self._answers.get(atom)
        if answer is None:
            check_time("finding what can be brought about")
            earlier = len(self._open)
            self._answers[atom] = True  # a fact that depends on itself is not ruled out
            self._open.append(atom)
            pattern = bound_args(atom, {})
            answer = self._answers[atom] = bool(self.facts.matching(atom.predicate, pattern)) or any(
                binding is not None and self.applies(action, binding)
                for action, effect in self.pack.adders.get(atom.predicate, ())
                for binding in (extend(effect, pattern),)
            )
            if not answer:  # the answers since then may rest on it
                for other in self._open[earlier + 1 :]:
                    del self._answers[other]
            if not answer or not earlier:
                del self._open[earlier:]
        return answer

    def applies(self, action: Action, binding: Mapping[str, str]) -> bool:
        """Return whether an action may be done with some parameters bound: types and single conditions."""
        if not fits(action, binding, self.belief):
            return False
        # Static conditions first: they are looked up, and rule out most.
        conditions = sorted(action.precondition, key=lambda a: a.predicate in self.pack.fluents)
        return all(self.reachable(bind(c, binding)) for c in conditions)

    # Carriers

    def can_be_held(self, name: str) -> bool:
        """Return whether the robot may ever hold a thing."""
        return self.reachable(Atom(self.pack.mapping.robot_held.predicate, (name,)))

    @cached_property
    def carriers(self) -> dict[str, tuple[str, ...]]:
        """The movable things that something may be in or on, by the predicate of the relation."""
        objects = self.belief.scene.by_type.get("object", ())
        return {r: tuple(c for c in objects if self.reachable(Atom(r, (ANY, c)))) for r in self.relations}

    def other_relations(self, name: str, place: str, predicates: Collection[str]) -> bool:
        """Return whether a thing may be in a relation to a fixed place that is not among some predicates."""
        return any(
            predicate not in predicates and self.reachable(Atom(predicate, (name, place)))
            for predicate in self.relations_to(place)
        )

    def _relations_to(self, place: str) -> tuple[str, ...]:
        """Return the relations that anything may have to a place."""
        return tuple(r for r in self.relations if self.reachable(Atom(r, (ANY, place))))

    def permanent_room(self, name: str) -> str | None:
        """Return the room of a thing that cannot be taken out of it, or ``None``."""
        nodes, above = self.belief.scene.nodes, name
        while nodes[above].type == "object":
            parent = nodes[above].parent
            if parent is None or self.can_be_held(above):
                return None
            above = parent
        return self.belief.scene.room_of(name)
