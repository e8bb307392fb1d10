"""Facts that no action of a pack ever adds, or ever deletes: an induction over its schemas.

Statements are over patterns ("nothing is ever put into the sink"), since a large building has millions of
bindings. Each is checked for every action that could break it: the action must lack a condition that never
changes, or that another statement denies. All statements are assumed together and checked one by one, so
they hold in every state if none breaks. A new rule by which an action is blocked must rule out nothing that
it can do.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Iterator, Sequence

from ...domains.action import Action, bound_args, extend
from ...domains.deadline import check_time
from ...domains.formula import Atom, GroundAtom
from ...simulator.belief import Belief, misfits
from ...simulator.facts import Args
from ...simulator.partial_state import PartialArgs
from .certificate import Pattern, Refused, written

Binding = dict[str, str]


class Induction:
    """Facts that no action adds, and facts that none deletes, over all bindings of the pack's actions.

    A pattern of ``added`` says that of its instances no other than those of the initial state are ever true.
    Looked up by :meth:`value`, they are a table for a :class:`PartialState`.
    """

    def __init__(
        self, belief: Belief, steps: int, added: Iterable[Pattern] = (), deleted: Iterable[GroundAtom] = ()
    ) -> None:
        self.belief, self.facts, self.pack = belief, belief.facts, belief.pack
        self.added: dict[str, dict[PartialArgs, None]] = {}
        for predicate, args in added:
            self.added.setdefault(predicate, {})[args] = None
        self.deleted = dict.fromkeys(deleted)
        self.most_steps = self.steps = steps
        self._unreachable: dict[str, bool] = {}
        self.open, self.doubtful = belief.unused.predicates, belief.unused.doubtful
        self.matching = functools.cache(belief.facts.matching)
        """The facts of the initial state that are instances of a pattern."""

    def spend(self, steps: int = 1) -> None:
        """Count bindings, facts and transitions that are looked at. Raises :class:`Refused` for too many."""
        if self.steps // 256 != (self.steps - steps) // 256:
            check_time("proving that there is no plan")
        self.steps -= steps
        if self.steps < 0:
            raise Refused(f"it takes more than {self.most_steps} steps to check")

    def value(self, predicate: str, args: PartialArgs) -> bool | None:
        """Return whether a fact is true in every state or in none, ``None`` where that is open."""
        self.spend()
        matching = self.matching(predicate, args)
        if not matching:
            return False if self.limited(predicate, args) else None
        static = predicate not in self.pack.fluents
        sure = static or (None not in args and self.kept(Atom(predicate, matching[0])))
        return True if sure and predicate not in self.doubtful else None

    def limited(self, predicate: str, args: PartialArgs) -> bool:
        """Return whether all instances that are ever true are so in the initial state."""
        if predicate not in self.pack.fluents or predicate in self.open:
            return predicate not in self.open
        table = self.added.get(predicate)
        return table is not None and any(general in table for general in generalisations(args))

    def kept(self, atom: GroundAtom) -> bool:
        """Return whether a fact of the initial state is true in every state."""
        return atom in self.deleted

    def blocked(self, action: Action, binding: Binding) -> bool:
        """Return whether no completion of a binding is ever applicable."""
        self.spend()
        distinct = not action.distinct or len(set(binding.values())) == len(binding)
        if not distinct or misfits(action, binding, self.belief):
            return True
        narrowest: tuple[Atom, Sequence[Args]] | None = None
        for condition in action.precondition:
            args = bound_args(condition, binding)
            if not self.limited(condition.predicate, args):
                continue
            matching = self.matching(condition.predicate, args)
            if not matching:
                return True
            if None in args and (narrowest is None or len(matching) < len(narrowest[1])):
                narrowest = condition, matching
        if action is self.pack.navigation and self.no_route(action, binding):
            return True
        if narrowest is None:
            return False
        choices = (extend(narrowest[0], args, binding) for args in narrowest[1])
        return all(self.blocked(action, choice) for choice in choices if choice is not None)

    def no_route(self, action: Action, binding: Binding) -> bool:
        """Return whether no drive leads to a place from anywhere that the robot may be."""
        area_of = self.belief.routes.area
        source, target = (binding.get(p.name) for p in action.parameters[:2])
        if target is None:
            return False
        area = area_of(target)
        if area is None or source is not None:
            return area is None or area_of(source or target) != area
        if area not in self._unreachable:
            at, places = self.pack.at, [(n,) for n in self.belief.scene.nodes if area_of(n) == area]
            self._unreachable[area] = all(self.limited(at, n) and not self.facts.holds(at, n) for n in places)
        return self._unreachable[area]

    def verify(self) -> None:
        """Check every listed statement by the others. Raises :class:`Refused` naming one that fails."""
        for predicate, table in self.added.items():
            for args in table:
                if action := self.added_by(predicate, args):
                    raise Refused(f"{written((predicate, args))} may be made true by {action.name}")
        for atom in self.deleted:
            if atom.predicate in self.doubtful or not self.facts.holds(atom.predicate, atom.args):
                raise Refused(f"{atom} does not hold in the initial state")
            if action := self.breaks(self.pack.deleters.get(atom.predicate, ()), atom.args):
                raise Refused(f"{atom} may be made false by {action.name}")

    def added_by(self, predicate: str, args: PartialArgs) -> Action | None:
        """Return an action that may add an instance of a pattern."""
        return self.breaks(self.pack.adders.get(predicate, ()), args)

    def breaks(self, effects: Iterable[tuple[Action, Atom]], args: PartialArgs) -> Action | None:
        """Return an action that may have one of some effects on an instance of a pattern."""
        for action, effect in effects:
            binding = extend(effect, args)
            if binding is not None and not self.blocked(action, binding):
                return action
        return None


def generalisations(args: PartialArgs) -> Iterator[PartialArgs]:
    """Yield every pattern that has more free places, and the pattern itself."""
    return itertools.product(*[(None,) if a is None else (None, a) for a in args])
