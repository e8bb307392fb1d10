"""Things that an event could change although the goal denies it, and where they are.

Events happen by themselves. A goal such as "the dishwasher is on and the plate is not clean" has a plan where
the plate is taken out first, which no engine sees, since to it an event is a free action. What counts as
exposed may be widened; it only decides what is tried, and the simulator judges the plan.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ...domains.action import Action, unify
from ...domains.formula import Atom, GroundAtom, Var
from ...simulator.belief import Belief
from ...simulator.facts import Args, Facts


def exposed(denied: Iterable[GroundAtom], belief: Belief, now: Facts) -> tuple[GroundAtom, ...]:
    """Return the facts on where things are from which an event could make a denied fact true."""
    places: dict[GroundAtom, None] = {}
    for fact in denied:
        for event in belief.pack.events:
            for added in event.add:
                binding = unify(added, fact)
                if binding is not None:
                    places |= dict.fromkeys(_places(event, binding, belief, now))
    return tuple(places)


def _places(event: Action, binding: Mapping[str, str], belief: Belief, now: Facts) -> Iterator[GroundAtom]:
    """Yield the facts that match an event's conditions on places, where its fixed conditions hold."""
    for condition in event.precondition:
        if condition.predicate not in belief.pack.locations:
            continue
        for args in now.all(condition.predicate):
            place = unify(condition, Atom(condition.predicate, args))
            if place is None or any(binding.get(name, value) != value for name, value in place.items()):
                continue
            if _possible(event, {**binding, **place}, belief, now):
                yield Atom(condition.predicate, args)


def _possible(event: Action, binding: Mapping[str, str], belief: Belief, now: Facts) -> bool:
    """Return whether the event's conditions hold that no action changes."""
    changing = belief.pack.domain.fluents()
    fixed = [(c.predicate, _ground(c, binding)) for c in event.precondition if c.predicate not in changing]
    return all(args is None or now.holds(predicate, args) for predicate, args in fixed)


def _ground(atom: Atom, binding: Mapping[str, str]) -> Args | None:
    args = tuple(binding.get(a.name, "") if isinstance(a, Var) else a for a in atom.args)
    return args if all(args) else None
