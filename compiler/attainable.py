"""What could ever become true by what the actions of a pack add, with everything they forget left out.

An upper bound that looks at one fact at a time: where it says no, no plan makes the fact true. It judges by
the actions themselves and not by what the pack's mapping says that a fact requires.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property

from ..domains.action import Action, bind
from ..domains.formula import Atom, Var
from ..simulator.belief import Belief
from ..simulator.facts import Facts, ground_args

ANY = Var("any")


class Attainable:
    """Answers about one belief, from ``facts`` on. Answers are kept."""

    def __init__(self, belief: Belief, facts: Facts) -> None:
        self.belief, self.facts = belief, facts
        self.pack = belief.pack
        self.relations = self.pack.locations
        self._answers: dict[Atom, bool] = {}
        self._by_place: dict[str, tuple[str, ...]] = {}

    def could(self, atom: Atom) -> bool:
        """Whether an atom could become true; a variable in it stands for anything."""
        atom = Atom(atom.predicate, tuple(ANY if isinstance(a, Var) else a for a in atom.args))
        answer = self._answers.get(atom)
        if answer is None:
            self._answers[atom] = True  # what rests on itself is not ruled out
            answer = self._answers[atom] = self._holds(atom) or any(
                self._makes(action, made, atom)
                for action in self.pack.domain.actions.values()
                for made in action.add
                if made.predicate == atom.predicate
            )
        return answer

    def _holds(self, atom: Atom) -> bool:
        fixed = [(i, a) for i, a in enumerate(atom.args) if isinstance(a, str)]
        if len(fixed) == len(atom.args):
            return self.facts.holds(atom.predicate, ground_args(atom))
        if not fixed:
            return bool(self.facts.all(atom.predicate))
        (place, name), *others = fixed
        here = self.facts.with_argument(atom.predicate, place, name)
        return any(all(args[i] == a for i, a in others) for args in here)

    def _makes(self, action: Action, made: Atom, atom: Atom) -> bool:
        """Whether an action could make a fact, as far as its conditions on what the fact names tell."""
        binding: dict[str, str] = {}
        for wanted, name in zip(made.args, atom.args, strict=True):
            if isinstance(name, Var):
                continue
            value = binding.setdefault(wanted.name, name) if isinstance(wanted, Var) else wanted
            if value != name:
                return False
        if not all(self._fits(p.type, binding[p.name]) for p in action.parameters if p.name in binding):
            return False
        # What never changes first: it is looked up, and rules most out.
        needs = sorted(action.precondition, key=lambda a: a.predicate in self.pack.fluents)
        return all(self.could(bind(need, binding)) for need in needs)

    def _fits(self, kind: str, name: str) -> bool:
        own = self.pack.mapping.types.get(self.belief.scene.nodes[name].type)
        return own is not None and self.pack.domain.is_a(own, kind)

    # Carriers

    def could_hold(self, name: str) -> bool:
        """Whether the robot could ever have a thing in its hand."""
        return self.could(Atom(self.pack.mapping.robot_held.predicate, (name,)))

    @cached_property
    def carriers(self) -> dict[str, tuple[str, ...]]:
        """The movable things that something could be in a relation to, by the relation's predicate."""
        objects = self.belief.scene.by_type.get("object", ())
        return {r: tuple(c for c in objects if self.could(Atom(r, (ANY, c)))) for r in self.relations}

    def others(self, name: str, place: str, predicates: Collection[str]) -> bool:
        """Whether a thing could be in another relation to a fixed place than some."""
        return any(
            predicate not in predicates and self.could(Atom(predicate, (name, place)))
            for predicate in self._ways(place)
        )

    def _ways(self, place: str) -> tuple[str, ...]:
        """The relations that anything could have to a place."""
        ways = self._by_place.get(place)
        if ways is None:
            ways = tuple(r for r in self.relations if self.could(Atom(r, (ANY, place))))
            self._by_place[place] = ways
        return ways

    def room_for_good(self, name: str) -> str | None:
        """The room of a thing that nothing can take out of it, or ``None``."""
        nodes, above = self.belief.scene.nodes, name
        while nodes[above].type == "object":
            parent = nodes[above].parent
            if parent is None or self.could_hold(above):
                return None
            above = parent
        return self.belief.scene.room_of(name)
