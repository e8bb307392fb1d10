"""Answers to questions: what a query finds in a scene, counted, ranked and cut as its options say.

Answers come in scene order; with ``:nearest-to`` in the order of their distance and then in scene order.
Distances are the lengths of shortest routes, in metres, from the room or pose of the place to that of the
first variable. What no route leads to comes last, without a distance, and a note says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...domains.errors import NoRoute
from ...domains.formula import Term, Var
from ...simulator.belief import Belief
from .query import Measure, Query, check_query, standing
from .solutions import Search


@dataclass(frozen=True, slots=True)
class Answer:
    """The nodes that the variables stand for; with the options also metres, and how many were counted.

    ``distance`` is ``None`` without ``:nearest-to``, and where no route leads to the answer.
    """

    nodes: tuple[str, ...]
    distance: float | None = None
    count: int | None = None


@dataclass(frozen=True, slots=True)
class Answers:
    """What a question found, best first; ``notes`` say what the list alone does not."""

    query: Query
    found: tuple[Answer, ...]
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, object]:
        """``answers`` are names, or lists of names where the question has several variables.

        ``distances`` (metres) and ``counts`` are beside them, where the question asks for them.
        """
        one = len(self.query.variables) == 1
        told: dict[str, object] = {
            "query": str(self.query),
            "variables": [v.name for v in self.query.variables],
            "answers": [a.nodes[0] if one else list(a.nodes) for a in self.found],
        }
        if self.query.nearest_to is not None:
            told["distances"] = [a.distance for a in self.found]
        if self.query.measure is not None:
            told["counts"] = [a.count for a in self.found]
        return told | {"notes": list(self.notes)}


def find(query: Query, belief: Belief) -> Answers:
    """Answer a question about a scene.

    Raises :class:`GoalError` for a question that does not fit the scene, and for one that is too large.
    """
    check_query(query, belief).raise_errors("query")
    search = Search(belief)
    order = {name: index for index, name in enumerate(belief.scene.nodes)}
    names = [v.name for v in query.variables]
    bindings = search.solutions(search.ranges.over(query.variables, query.condition), {})
    found = [Answer(tuple([b[n] for n in names])) for b in bindings]
    found.sort(key=lambda a: [order[n] for n in a.nodes])
    notes: list[str] = []
    if query.measure is not None:
        found = _measured(query.measure, names, found, search)
        if found and found[0].count == 0:
            notes.append(f"there is nothing to count: {query.measure.kind} is 0 here")
    if query.nearest_to is not None:
        found = _ranked(query.nearest_to, names, found, search)
        if lost := sum(a.distance is None for a in found):
            notes.append(f"no route leads to {lost} of the answers; they come last")
    if query.limit is not None and len(found) > query.limit:
        left = found[query.limit :]
        last = found[query.limit - 1].distance
        tied = sum(a.distance == last for a in left) if last is not None else 0
        note = f"{len(left)} more left out by :limit {query.limit}"
        notes.append(note + (f", {tied} of them as near as the last one shown" if tied else ""))
        found = found[: query.limit]
    return Answers(query, tuple(found), tuple(notes))


def _measured(measure: Measure, names: Sequence[str], found: list[Answer], search: Search) -> list[Answer]:
    """The answers for which the count is the highest, or the lowest."""
    over = search.ranges.over(measure.variables, measure.body)
    counted = []
    for answer in found:
        binding = dict(zip(names, answer.nodes, strict=True))
        counted.append(replace(answer, count=sum(1 for _ in search.solutions(over, binding))))
    choose = max if measure.kind == "most" else min
    best = choose((a.count or 0 for a in counted), default=0)
    return [a for a in counted if a.count == best]


def _ranked(place: Term, names: Sequence[str], found: list[Answer], search: Search) -> list[Answer]:
    """The answers by the length of the route from the place; sorting keeps equals in their order."""
    routes, world = search.at_hand.belief.routes, search.at_hand.world
    where: dict[str, str | None] = {}

    def length(answer: Answer) -> int | None:
        search.step()
        from_node = answer.nodes[names.index(place.name)] if isinstance(place, Var) else place
        for node in (from_node, answer.nodes[0]):
            if node not in where:
                where[node] = standing(node, world)
        source, target = where[from_node], where[answer.nodes[0]]
        if source is None or target is None:
            return None
        try:
            return routes.distance(source, target)
        except NoRoute:
            return None

    measured = [(length(a), a) for a in found]
    measured.sort(key=lambda m: (m[0] is None, m[0] or 0))
    return [replace(a, distance=m / 1000 if m is not None else None) for m, a in measured]
