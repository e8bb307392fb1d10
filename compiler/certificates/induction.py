"""Facts that no action of a pack ever adds, or ever deletes: an induction over its schemas.

Statements are over patterns ("nothing is ever put into the sink"), since a large building has millions of
bindings. Each is checked for every action that could break it: the action must lack a condition that never
changes, or that another statement denies. All statements are supposed together and checked one by one, so
they hold in every state if none breaks. A new rule by which an action is blocked must rule out nothing that
it can do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from ...domains.action import Action
from ...domains.deadline import check_time
from ...domains.formula import Atom, Var
from ...simulator.belief import Belief
from ...simulator.facts import Args, ground_args
from .certificate import Pattern, Refused

MAX_STEPS = 20_000_000
"""Most bindings, formulas and transitions that one check looks at."""

Binding = dict[str, str]
PartialArgs = tuple[str | None, ...]


class Induction:
    """Facts that no action adds, and facts that none deletes, over all bindings of the pack's actions.

    A pattern of ``added`` says that of its instances no other than those of the initial state are ever true.
    """

    def __init__(self, belief: Belief, added: Iterable[Pattern] = (), deleted: Iterable[Atom] = ()) -> None:
        self.belief, self.facts, self.pack = belief, belief.facts, belief.pack
        self.added: dict[str, dict[PartialArgs, None]] = {}
        for predicate, args in added:
            self.added.setdefault(predicate, {})[args] = None
        self.deleted = dict.fromkeys(deleted)
        self.steps = MAX_STEPS
        self._unreachable: dict[str, bool] = {}
        self._matching: dict[Pattern, Sequence[Args]] = {}
        actions = self.pack.domain.actions.values()
        self.adders = _by_predicate((a, e) for a in actions for e in a.add)
        self.deleters = _by_predicate((a, e) for a in actions for e in a.delete if e not in a.add)

    def spend(self, steps: int = 1) -> None:
        self.steps -= steps
        if not self.steps & 255:
            check_time("proving that there is no plan")
        if self.steps < 0:
            raise Refused(f"it takes more than {MAX_STEPS} steps to check")

    def limited(self, predicate: str, args: PartialArgs) -> bool:
        """Return whether all instances that are ever true are so in the initial state."""
        if predicate not in self.pack.fluents:
            return True
        table = self.added.get(predicate)
        return table is not None and any(general in table for general in generalisations(args))

    def kept(self, atom: Atom) -> bool:
        """Return whether a fact is true in every state."""
        return atom in self.deleted

    def matching(self, predicate: str, args: PartialArgs) -> Sequence[Args]:
        """Return the facts of the initial state that are instances of a pattern."""
        known = self._matching.get((predicate, args))
        if known is None:
            known = self._matching[predicate, args] = self._matched(predicate, args)
        return known

    def _matched(self, predicate: str, args: PartialArgs) -> Sequence[Args]:
        fixed = [(i, a) for i, a in enumerate(args) if a is not None]
        if len(fixed) == len(args):
            whole = tuple(a for _, a in fixed)
            return [whole] if self.facts.holds(predicate, whole) else []
        if not fixed:
            return self.facts.all(predicate)
        shortest = min((self.facts.with_argument(predicate, i, a) for i, a in fixed), key=len)
        return shortest if len(fixed) == 1 else [f for f in shortest if all(f[i] == a for i, a in fixed)]

    def blocked(self, action: Action, binding: Binding) -> bool:
        """Return whether no completion of a binding is ever applicable."""
        self.spend()
        if any(
            p.name in binding and not self.belief.has_type(binding[p.name], p.type) for p in action.parameters
        ) or (action.distinct and len(set(binding.values())) < len(binding)):
            return True
        narrowest: tuple[Atom, Sequence[Args]] | None = None
        for condition in action.precondition:
            args = bound(condition, binding)
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
        choices = (matched(narrowest[0], args, binding) for args in narrowest[1])
        return all(self.blocked(action, choice) for choice in choices if choice is not None)

    def no_route(self, action: Action, binding: Binding) -> bool:
        """Return whether no drive leads to a place from anywhere that the robot may be."""
        source, target = (binding.get(p.name) for p in action.parameters[:2])
        if target is None:
            return False
        area = self.area(target)
        if source is not None or area is None:
            return area is None or self.area(source or "") != area
        if Atom(self.pack.at, (Var(action.parameters[0].name),)) not in action.precondition:
            return False
        if area not in self._unreachable:
            places = (n for n in self.belief.scene.nodes if self.area(n) == area)
            self._unreachable[area] = all(
                self.limited(self.pack.at, (n,)) and not self.facts.holds(self.pack.at, (n,)) for n in places
            )
        return self._unreachable[area]

    def area(self, place: str) -> str | None:
        """Return the part of the building, joined by links, through which a fixed place is reached."""
        scene = self.belief.scene
        anchor = place if scene.nodes[place].type in ("pose", "room") else scene.room_of(place)
        return None if anchor is None else self._areas.get(anchor, anchor)

    @cached_property
    def _areas(self) -> dict[str, str]:
        areas: dict[str, str] = {}
        near = self.belief.scene.neighbours
        for start in near:
            stack = [start] if start not in areas else []
            while stack:
                place = stack.pop()
                areas[place] = start
                stack += [n for n in near[place] if n not in areas]
        return areas

    def verify(self) -> None:
        """Check every listed statement by the others. Raises :class:`Refused` naming one that fails."""
        for predicate, table in self.added.items():
            for args in table:
                if action := self.breaks(self.adders.get(predicate, ()), args):
                    raise Refused(f"{written((predicate, args))} may be made true by {action.name}")
        for atom in self.deleted:
            if not self.facts.holds(atom.predicate, ground_args(atom)):
                raise Refused(f"{atom} does not hold in the initial state")
            if action := self.breaks(self.deleters.get(atom.predicate, ()), ground_args(atom)):
                raise Refused(f"{atom} may be made false by {action.name}")

    def breaks(self, effects: Iterable[tuple[Action, Atom]], args: PartialArgs) -> Action | None:
        """Return an action that may have one of some effects on an instance of a pattern."""
        for action, effect in effects:
            binding = matched(effect, args, {})
            if binding is not None and not self.blocked(action, binding):
                return action
        return None


def bound(atom: Atom, binding: Binding) -> PartialArgs:
    """Return the arguments of an atom under a binding, ``None`` where a variable is free."""
    return tuple([binding.get(a.name) if isinstance(a, Var) else a for a in atom.args])


def matched(atom: Atom, args: Sequence[object], binding: Binding) -> Binding | None:
    """Return a binding extended so that an atom becomes an instance of a pattern, or ``None``."""
    extended = dict(binding)
    for term, value in zip(atom.args, args, strict=True):
        if isinstance(value, str) and value != (
            extended.setdefault(term.name, value) if isinstance(term, Var) else term
        ):
            return None
    return extended


def generalisations(args: PartialArgs) -> Iterator[PartialArgs]:
    """Yield a pattern and every pattern that has more free places."""
    if not args:
        yield ()
        return
    for rest in generalisations(args[1:]):
        yield (None, *rest)
        if args[0] is not None:
            yield (args[0], *rest)


def written(pattern: Pattern) -> str:
    """Return a pattern as an atom, with variables for what stands for anything."""
    letters = iter("abcdefgh")
    return str(Atom(pattern[0], tuple(Var(next(letters)) if a is None else a for a in pattern[1])))


def _by_predicate(effects: Iterable[tuple[Action, Atom]]) -> dict[str, list[tuple[Action, Atom]]]:
    table: dict[str, list[tuple[Action, Atom]]] = {}
    for action, effect in effects:
        table.setdefault(effect.predicate, []).append((action, effect))
    return table
