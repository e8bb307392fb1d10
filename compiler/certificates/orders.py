"""Rechecking the bound of an order of errands: no order of the stops that a record lists costs less.

A record with such a bound lists the errands in the order chosen, each with the places where its plans begin
and end and what they cost, and charges for the places. Here that is read within limits, distances are looked
up in the scene again, the plan is seen to pass the places in this order and to spend what the errands are
said to cost (`stretches`), and the bound is computed anew (`order_bounds`). Words may be changed. Must stay:
nothing here trusts a number that it can compute, and a list that does not belong to the plan shows nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...domains.deadline import LimitReached, share_of_time
from ...domains.ending import Ending
from ...domains.errors import NoRoute, clip
from ...domains.formula import Atom, Formula, conjuncts
from ...simulator.belief import Belief
from ...simulator.verification import Verification
from .certificate import Refused
from .findings import Finding, millimetres
from .order_bounds import (
    FINE,
    WORK,
    Distance,
    Stop,
    exhausted,
    fitting,
    least_costs,
    path_cost,
    placed,
    tree_value,
)
from .stretches import Stretches

KEY = "order_evidence"
CLAIMS = ("order_cost", "order_bound", "order_gap")
MAX_STOPS = 2_000
"""Most plans of all errands together; beyond, nothing is checked."""


@dataclass(frozen=True, slots=True)
class Errands:
    """The parts of an order, from a record: each errand with its plans, that of the order first.

    ``charges`` are those for entering and for leaving, for the start and each errand with a place, in 1/100
    millimetre. ``ends`` says that the last errand comes at the end of every order; ``before`` is
    spent at first in any.
    """

    start: str
    stops: tuple[tuple[Stop, ...], ...]
    before: int
    ends: bool
    charges: tuple[tuple[int, ...], tuple[int, ...]]

    @property
    def chosen(self) -> list[str]:
        """The anchors that the order passes."""
        ends = [(plans[0].entry, plans[0].exit) for plans in self.stops]
        return [self.start, *(place for pair in ends for place in pair if place is not None)]


@dataclass(frozen=True, slots=True)
class OrderCheck:
    """The numbers computed again: the cost of the order listed, and a bound on all orders of its stops.

    ``exact`` says that an order as the record means them costs ``bound``. ``excess`` is what the stops cost
    more than the plan spends on them, and ``unlisted`` what the plan costs more than all stops.
    ``passed`` counts the places of the order, of ``places``, that the plan was seen to pass one after the
    other. ``how`` names the way of bounding. Lengths are millimetres.
    """

    cost: int
    bound: int
    exact: bool
    excess: int
    unlisted: int
    passed: int
    places: int
    how: str


def order_findings(
    record: Mapping[str, object], belief: Belief, goal: Formula, run: Verification
) -> dict[str, Finding]:
    """Recheck what a record says of the order of its errands; ``run`` is its plan as it was carried out."""
    key = record.get(KEY)
    if key is None:
        bare = all(record.get(name) is None for name in CLAIMS)
        return {} if bare else {"order_bound": Finding("not checked", f"there is no {KEY}")}
    if belief.rides:
        ways = ", ".join(belief.rides)
        return {KEY: Finding("not checked", f"the pack may take the robot elsewhere by {ways} too")}
    try:
        with share_of_time(0.5):
            order = check_order(key, belief, goal, run)
        cost, bound = (_counted(record.get(name), name) for name in CLAIMS[:2])
    except Refused as refused:
        return {KEY: Finding("refused", clip(str(refused), 300))}
    except LimitReached as reached:
        return {KEY: Finding("not checked", str(reached))}
    if order.passed < order.places:
        why = f"the plan passes {order.passed} of its {order.places} places in this order"
        return {KEY: Finding("not checked", why)}
    judged = _judged(bound, order)
    gap = round(cost / bound - 1, 4) if bound else float(cost > 0)
    share = Finding(judged.status, "" if judged.status == "rechecked" else "as order_bound")
    return {
        KEY: Finding("rechecked", f"the plan passes its {order.places} places in this order"),
        "order_cost": _same_cost(cost, order),
        "order_bound": judged,
        "order_gap": share if record.get("order_gap") == gap else Finding("refused", f"it is {gap}"),
    }


def _same_cost(cost: int, order: OrderCheck) -> Finding:
    if cost != order.cost:
        return Finding("refused", f"it is {order.cost / 1000} m")
    if order.excess:
        stated = f"the plan shows {(cost - order.excess) / 1000} m of it"
        return Finding("not checked", f"at the costs that the record states; {stated}")
    return Finding("rechecked")


def _judged(bound: int, order: OrderCheck) -> Finding:
    """Compare a bound with what was computed of the same stops."""
    if bound > order.cost:
        return Finding("refused", f"the order of the record costs {order.cost / 1000} m")
    if order.exact and bound > order.bound:
        return Finding("refused", f"an order of these stops costs {order.bound / 1000} m")
    if order.unlisted:
        more = f"the plan costs {order.unlisted / 1000} m more than these stops"
        return Finding("not checked", f"{more}: they are not all that it does, or it drives for nothing")
    shown = max(0, order.bound - order.excess)
    if shown >= bound:
        return Finding("rechecked", f"of the order of these stops, by {order.how}")
    dearer = f"; alone they cost {order.excess / 1000} m more than in the plan" if order.excess else ""
    up_to = f"rechecked up to {shown / 1000} m of {bound / 1000} m"
    return Finding("not checked", f"{up_to}, of the order of these stops, by {order.how}{dearer}")


def check_order(key: object, belief: Belief, goal: Formula, run: Verification) -> OrderCheck:
    """Compute an order's cost and bound again from the key of a record, and compare its stops with the plan.

    Raises :class:`Refused` for a list that contradicts itself, the scene or the plan, :class:`LimitReached`
    for one that is too long.
    """
    errands, stretches = read_errands(key, belief), Stretches(belief, run)
    leads = any(plan.entry for plans in errands.stops for plan in plans)
    if stretches.driven and not leads and not (errands.before and stretches.full):
        raise Refused("errands: none that leads anywhere, and the plan drives")
    between = _distances(belief)
    cost = errands.before + path_cost(errands.start, [plans[0] for plans in errands.stops], between)
    ends = errands.ends and _ends_there(errands, belief, goal)
    least = exhausted(errands.start, errands.stops, between, ends)
    if least is not None:
        bound, how = least, f"all orders of {_number(len(errands.stops))}"
    else:
        going, lost = placed(errands.stops, between)
        matrix = least_costs(errands.start, going, between)
        last = len(going) if ends and going and errands.stops[-1] is going[-1] else None
        bound = max(0, tree_value(matrix, *fitting(errands.charges, matrix, last), last) - lost)
        how = f"spanning trees over {_number(len(going))}"
    exact = least is not None and ends == errands.ends
    shown = stretches.shown(errands.start, errands.before, [plans[0] for plans in errands.stops])
    return OrderCheck(
        cost,
        errands.before + bound,
        exact,
        shown.missing,
        max(0, stretches.spent - cost),
        shown.passed,
        len(errands.chosen),
        how,
    )


def _number(errands: int) -> str:
    return f"{errands} errand{'s' * (errands != 1)}"


# Reading


def read_errands(key: object, belief: Belief) -> Errands:
    """Read what an order is made of. Raises :class:`Refused` with the first thing that cannot be.

    Raises :class:`LimitReached` for more than :data:`MAX_STOPS` plans.
    """
    if not isinstance(key, dict):
        raise Refused("no object with stops")
    listed = key.get("errands")
    if not isinstance(listed, list) or not all(isinstance(plans, list) and plans for plans in listed):
        raise Refused("errands: no list of errands with their plans")
    if sum(len(plans) for plans in listed) > MAX_STOPS:
        raise LimitReached(Ending.OUT_OF_MEMORY, WORK, f"{MAX_STOPS} plans")
    stops = tuple(tuple(_stop(plan, belief) for plan in plans) for plans in listed)
    start = _anchor(key.get("start"), belief)
    if start is None:
        raise Refused("start: no place")
    ends = key.get("fixed_end")
    if not isinstance(ends, bool):
        raise Refused("fixed_end: neither true nor false")
    charges = []
    for name in ("entering", "leaving"):
        numbers = key.get(name)
        if not isinstance(numbers, list) or len(numbers) > len(stops) + 1:
            raise Refused(f"{name}: no list with a charge for the start and each errand")
        charges.append(tuple(_counted(number, name, FINE) for number in numbers))
    before = _counted(key.get("before"), "before")
    if before < 0:
        raise Refused("before: less than nothing")
    return Errands(start, stops, before, ends, (charges[0], charges[1]))


def _stop(plan: object, belief: Belief) -> Stop:
    if not isinstance(plan, list) or len(plan) != 3:
        raise Refused("errands: a plan is no list of where it begins, where it ends and its cost")
    entry, leave, cost = _anchor(plan[0], belief), _anchor(plan[1], belief), _counted(plan[2], "cost")
    if cost < 0:
        raise Refused("errands: a plan costs less than nothing")
    if (entry is None) != (leave is None):
        raise Refused("errands: a plan begins or ends nowhere, and not both")
    return Stop(entry, leave, cost)


def _anchor(name: object, belief: Belief) -> str | None:
    if name is None:
        return None
    anchor = belief.routes.anchor_of(name) if isinstance(name, str) and name in belief.scene.nodes else None
    if anchor is None:
        raise Refused(f"{clip(name)} is no place of the scene that a route leads to")
    return anchor


def _counted(metres: object, name: str, parts: int = 1) -> int:
    """Return metres as a whole number of parts of a millimetre."""
    number = millimetres(metres, parts)
    if number is None:
        raise Refused(f"{name}: no length in metres")
    return number


# What the stops have to do with the goal


def _ends_there(errands: Errands, belief: Belief, goal: Formula) -> bool:
    """Return whether the last errand may come at the end of any order without making it dearer.

    It may if the goal says where the robot ends and the errand begins and ends there: then every order ends
    there, and doing this errand at the end saves at least what it costs.
    """
    robot = {belief.pack.at, belief.pack.standing}
    ends = [c.args[0] for c in conjuncts(goal) if isinstance(c, Atom) and c.predicate in robot]
    at = {belief.routes.anchor_of(n) for n in ends if isinstance(n, str) and n in belief.scene.nodes}
    return bool(errands.stops) and all({p.entry, p.exit} <= at and p.entry for p in errands.stops[-1])


def _distances(belief: Belief) -> Distance:
    def between(source: str, target: str) -> int:
        length = belief.routes.lengths(source).get(target)
        if length is None:
            raise Refused(str(NoRoute(source, target)))
        return length

    return between
