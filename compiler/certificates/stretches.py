"""The plan's own spending on each errand: the stretch in which it does one, and what that costs.

A record states what its errands cost. Here as much of that is found in the plan as its own actions show: the
plan is cut into stretches, one for each errand in turn, from the place where the errand begins to the one
where it ends. A stretch counts for what its actions cost, and for the drives between the places at which
something is done in it, the shortest way: driving for nothing shows nothing. The cuts are those under which
most is shown, by dynamic programming. The limits may be tuned. Must stay: no part of the plan counts twice,
and nothing counts for more than the plan spends on it.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...domains.deadline import LimitReached, check_time
from ...domains.ending import Ending
from ...simulator.belief import Belief
from ...simulator.verification import Verification
from .order_bounds import WORK, Stop

MAX_CUTS = 500_000
"""Most pairs of a beginning and an end that are tried as stretches of errands; beyond, nothing is checked."""


def action_cost(belief: Belief, name: str, args: Sequence[str]) -> int:
    """Return the cost of an action in millimetres. Raises :class:`NoRoute` for a drive without a route."""
    cost = belief.pack.domain.actions[name].cost
    return belief.routes.distance(args[0], args[1]) if cost is None else cost


@dataclass(frozen=True, slots=True)
class Shown:
    """The part of an order that a plan shows.

    ``passed`` counts the places of the order that the plan passes one after the other; ``missing`` are the
    millimetres of the costs stated that it does not spend.
    """

    passed: int
    missing: int


class Stretches:
    """A plan that was carried out, cut by its moments: moment 0 is before its first action."""

    def __init__(self, belief: Belief, run: Verification) -> None:
        self.belief = belief
        anchor_of, mapping_of = belief.routes.anchor_of, belief.pack.mapping_of
        held = belief.pack.mapping.robot_held.predicate
        self.full = bool(belief.facts.all(held))
        """True if the robot holds something at first, and may have to put it down before all errands."""
        here = next((anchor_of(args[0]) for args in belief.facts.all(belief.pack.at)), None)
        self._first_place, self.driven = here, False
        self._spent, self._done = [0], [0]  # up to each moment: by all actions, by those that are no drive
        self._works: list[int] = []  # the moments before which something is done, with ...
        self._places: list[str | None] = []  # ... where that is, and ...
        self._legs = [0]  # ... the ways between these places up to each
        self._arrivals = [0]  # the first moment of each stay at a place, and ...
        self._stays: dict[str | None, list[int]] = {here: [0]}  # ... those of the stays at each place
        for moment, action in enumerate(run.actions):
            check_time(WORK)
            cost = action_cost(belief, action.name, action.args)
            drive = mapping_of(action.name).navigation
            self._spent.append(self._spent[-1] + cost)
            self._done.append(self._done[-1] + (0 if drive else cost))
            if drive:
                here, self.driven = anchor_of(action.args[1]), True
                self._arrivals.append(moment + 1)
                self._stays.setdefault(here, []).append(moment + 1)
            else:
                self._works.append(moment)
                self._places.append(here)
        for one, other in itertools.pairwise(self._places):
            self._legs.append(self._legs[-1] + self._way(one, other))

    @property
    def spent(self) -> int:
        """The cost of the plan, in millimetres."""
        return self._spent[-1]

    def shown(self, start: str, before: int, plans: Sequence[Stop]) -> Shown:
        """Return how much of an order the plan shows: ``before``, up to ``start``, and then some plans.

        Before the first errand only a full hand is emptied; an empty one leaves nothing to do there. Raises
        :class:`LimitReached` where too many cuts would have to be tried.
        """
        self._tried = 0
        emptied = self._moments(start, 0) if self.full and before else [0] * (start == self._first_place)
        missing = {end: max(0, before - self._credit(0, end, self._first_place, start)) for end in emptied}
        passed = int(bool(missing))
        for plan in plans if missing else ():
            check_time(WORK)
            begun = plan.entry is None or self._next(plan.entry, min(missing)) is not None
            missing = self._after(missing, plan)
            passed += (begun + bool(missing)) * (plan.entry is not None)
            if not missing:
                break
        return Shown(passed, min(missing.values(), default=0))

    def _after(self, missing: dict[int, int], plan: Stop) -> dict[int, int]:
        """Return what is missing at least by each moment at which a plan may end, later ones only if less."""
        ends: dict[int, int] = {}
        for moment, short in missing.items():
            begin = moment if plan.entry is None else self._next(plan.entry, moment)
            if begin is None:
                continue
            for end in self._moments(plan.exit, begin):
                self._tried += 1
                if self._tried > MAX_CUTS:
                    raise LimitReached(Ending.OUT_OF_MEMORY, WORK, f"{MAX_CUTS} ways to cut the plan")
                more = short + max(0, plan.cost - self._credit(begin, end, plan.entry, plan.exit))
                ends[end] = min(more, ends.get(end, more))
                if more == short:  # a longer stretch shows no more
                    break
        least: dict[int, int] = {}
        best: int | None = None
        for end, short in sorted(ends.items()):
            if best is None or short < best:
                least[end] = best = short
        return least

    def _next(self, place: str, moment: int) -> int | None:
        """Return the first moment from one on at which the robot is at a place."""
        return next(iter(self._moments(place, moment)), None)

    def _moments(self, place: str | None, begin: int) -> Iterator[int]:
        """Yield the moments from one on at which the robot is at a place; without one, where it is then."""
        now = bisect_right(self._arrivals, begin) - 1
        if place is None:
            yield from range(begin, self._left(now))
            return
        arrivals = self._stays.get(place, [])
        earliest = max(0, bisect_right(arrivals, begin) - 1)
        for arrived in itertools.islice(arrivals, earliest, None):
            left = self._left(bisect_right(self._arrivals, arrived) - 1)
            yield from range(max(arrived, begin), left)

    def _left(self, stay: int) -> int:
        """Return the moment after the last one of a stay."""
        return self._arrivals[stay + 1] if stay + 1 < len(self._arrivals) else len(self._spent)

    def _credit(self, begin: int, end: int, entry: str | None, leave: str | None) -> int:
        """Return what a stretch shows: its actions, and the ways from one place of work to the next."""
        first, beyond = bisect_left(self._works, begin), bisect_left(self._works, end)
        ways = self._way(entry, leave)
        if first < beyond:
            inner = self._legs[beyond - 1] - self._legs[first]
            ways = self._way(entry, self._places[first]) + inner + self._way(self._places[beyond - 1], leave)
        return min(self._spent[end] - self._spent[begin], self._done[end] - self._done[begin] + ways)

    def _way(self, source: str | None, target: str | None) -> int:
        """Return the shortest way, 0 from or to what is no place of its own; what no route joins counts 0."""
        if source is None or target is None:
            return 0
        return self.belief.routes.lengths(source).get(target, 0)
