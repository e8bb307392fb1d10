"""The part of the goal that each action of a plan works towards: the next conjunct to come true for good.

After an action only the conjuncts are evaluated that it can have changed, so that plans for a thousand things
take no longer than their simulation; ``domains.evaluate`` still defines the truth. Another meaning of
``serves`` belongs into :func:`served`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..domains.action import PlanAction
from ..domains.evaluate import evaluate
from ..domains.formula import Atom, Count, Exists, Forall, Formula, Sometime, Var, walk
from ..domains.mapping import ROOM
from ..simulator.belief import Belief
from ..simulator.facts import ground_args
from ..simulator.verification import watched
from ..simulator.watch import moved
from ..simulator.world import Effect, World


def served(plan: Sequence[PlanAction], belief: Belief, parts: Sequence[Formula]) -> list[int | None]:
    """Return for each action the index of the conjunct whose coming true it leads up to.

    What comes after the last of these completes that one: putting down a thing that is in its room already
    as long as it is carried. Without conjuncts there is ``None`` for each.
    """
    if not parts:
        return [None] * len(plan)
    events = [w for p in parts for w in watched(p, belief)]
    world = World(belief, tuple(dict.fromkeys(events)))
    touched = _Conjuncts(parts, world)
    truth = [evaluate(p, world) for p in parts]
    last: dict[int, int] = {}
    for number, action in enumerate(plan):
        effect = world.perform(action) if not action.event else None
        if not isinstance(effect, Effect):
            continue
        for index in touched.by(effect):
            before, truth[index] = truth[index], evaluate(parts[index], world)
            if truth[index] and not before:
                last[index] = number
    # Of several conjuncts that come true together, the last one gives the action its name.
    by_action = {last[index]: index for index in sorted(last)}
    following = by_action[max(by_action)] if by_action else 0
    serves: list[int | None] = [None] * len(plan)
    for number in range(len(plan) - 1, -1, -1):
        following = by_action.get(number, following)
        serves[number] = following
    return serves


class _Conjuncts:
    """Conjuncts by the facts, and by the things whose rooms, they are about; others are always touched."""

    def __init__(self, parts: Sequence[Formula], world: World) -> None:
        self._world = world
        self._by_fact: dict[Atom, dict[int, None]] = {}
        self._by_thing: dict[str, dict[int, None]] = {}
        self._always: dict[int, None] = {}
        derived = world.pack.mapping.derived
        for index, part in enumerate(parts):
            for node in walk(part):
                if isinstance(node, Sometime | Exists | Forall | Count):
                    self._always[index] = None
                if not isinstance(node, Atom) or any(isinstance(a, Var) for a in node.args):
                    continue
                if node.predicate not in derived:
                    self._by_fact.setdefault(node, {})[index] = None
                elif derived[node.predicate] == ROOM:
                    self._by_thing.setdefault(ground_args(node)[0], {})[index] = None
                else:
                    self._always[index] = None

    def by(self, effect: Effect) -> Iterator[int]:
        """Yield the conjuncts that what happened can have made true or false."""
        actions = self._world.pack.domain.actions
        changed: dict[Atom, None] = {}
        for action in effect.actions:
            ground = actions[action.name].ground(action.args)
            changed |= dict.fromkeys((*ground.delete, *ground.add))
        indexes = dict(self._always)
        for fact in changed:
            indexes |= self._by_fact.get(fact, {})
        for thing in moved(self._world, tuple(changed)) if self._by_thing else ():
            indexes |= self._by_thing.get(thing, {})
        yield from indexes
