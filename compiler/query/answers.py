"""Answers to questions: the nodes that a query asks for, counted, ranked and cut as its options say.

Answers come in scene order; with ``:nearest-to`` in the order of their distance and then in scene order.
Distances are the lengths of shortest routes, in metres, from the room or pose of the place to that of the
first variable. Answers that no route leads to come last, without a distance, and a note says so. The notes
below are shown to users and may be reworded; the keys of the JSON stay. A new option is parsed in ``query``
and applied in :func:`find`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...domains.errors import NoRoute
from ...domains.formula import Term, Var
from ...simulator.belief import Belief
from ..goals.unplaced import places_unknown, unplaced_in
from .query import Measure, Query, check_query, standing
from .solutions import Search

LEFT_OUT = "left out, since "
"""Beginning of the note on things without a known place, which are not among the answers."""


@dataclass(frozen=True, slots=True)
class QueryAnswer:
    """The nodes that the variables stand for; ``distance`` (metres) and ``count`` where options ask for them.

    ``distance`` is ``None`` without ``:nearest-to``, and where no route leads to the answer.
    """

    nodes: tuple[str, ...]
    distance: float | None = None
    count: int | None = None


@dataclass(frozen=True, slots=True)
class QueryResult:
    """The answers to a question, best first, and notes on what the list alone does not say."""

    query: Query
    answers: tuple[QueryAnswer, ...]
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, object]:
        """Return the result for ``--json``.

        ``answers`` are names, or lists of names where the question has several variables. ``distances``
        (metres) and ``counts`` are beside them, where the question asks for them.
        """
        single = len(self.query.variables) == 1
        fields: dict[str, object] = {
            "query": str(self.query),
            "variables": [v.name for v in self.query.variables],
            "answers": [a.nodes[0] if single else list(a.nodes) for a in self.answers],
        }
        if self.query.nearest_to is not None:
            fields["distances"] = [a.distance for a in self.answers]
        if self.query.measure is not None:
            fields["counts"] = [a.count for a in self.answers]
        return fields | {"notes": list(self.notes)}


def find(query: Query, belief: Belief) -> QueryResult:
    """Answer a question about a scene.

    Parameters:
        query: a question, from :func:`~groundplan.compiler.query.query.parse_query`.
        belief: the scene, grounded with a pack; the facts that it has now are what is asked about.

    Returns every binding of the variables under which the condition holds, in scene order, then counted,
    ranked and cut by the options of the question. Distances are in metres.

    Raises :class:`GoalError` for a question that does not fit the scene (an unknown name, a wrong type), and
    for one that takes more than ``MAX_STEPS`` steps.

    >>> from groundplan import find, ground, load_pack, load_scene, parse_query
    >>> office = ground(load_scene("office"), load_pack())
    >>> result = find(parse_query("(find (?r - meeting_room) :nearest-to kitchen :limit 1)"), office)
    >>> result.answers
    (QueryAnswer(nodes=('meeting_room3',), distance=12.005, count=None),)
    """
    check_query(query, belief).raise_errors("query")
    search = Search(belief)
    order = {name: index for index, name in enumerate(belief.scene.nodes)}
    names = [v.name for v in query.variables]
    bindings = search.solutions(search.over(query.variables, query.condition), {})
    answers = [QueryAnswer(tuple([b[n] for n in names])) for b in bindings]
    answers.sort(key=lambda a: [order[n] for n in a.nodes])
    notes: list[str] = []
    if unplaced := _left_out(query, belief):
        notes.append(f"{LEFT_OUT}{places_unknown(unplaced)}")
    if query.measure is not None:
        answers = _measured(query.measure, names, answers, search)
        if answers and answers[0].count == 0:
            notes.append(f"there is nothing to count: {query.measure.kind} is 0 here")
    if query.nearest_to is not None:
        answers = _ranked(query.nearest_to, names, answers, search)
        if unreachable := sum(a.distance is None for a in answers):
            notes.append(f"no route leads to {unreachable} of the answers; they come last")
    if query.limit is not None and len(answers) > query.limit:
        left = answers[query.limit :]
        answers = answers[: query.limit]
        last = answers[-1].distance
        tied = sum(a.distance == last for a in left) if last is not None else 0
        note = f"{len(left)} more left out by :limit {query.limit}"
        notes.append(note + (f", {tied} of them as near as the last one shown" if tied else ""))
    return QueryResult(query, tuple(answers), tuple(notes))


def _left_out(query: Query, belief: Belief) -> list[str]:
    """Return the things without a known place that the question would range over, in scene order."""
    variables = (*query.variables, *(query.measure.variables if query.measure is not None else ()))
    left = {name for v in variables for name in belief.unplaced_members(v.type)}
    bodies = (query.condition, *((query.measure.body,) if query.measure is not None else ()))
    left.update(name for body in bodies for name in unplaced_in(body, belief))
    return [name for name in belief.scene.unplaced if name in left]


def _measured(
    measure: Measure, names: Sequence[str], answers: list[QueryAnswer], search: Search
) -> list[QueryAnswer]:
    """Return the answers for which the count is the highest, or the lowest."""
    counted_query = search.over(measure.variables, measure.body)
    counted = []
    for answer in answers:
        binding = dict(zip(names, answer.nodes, strict=True))
        number = sum(1 for _ in search.solutions(counted_query, binding))
        counted.append(replace(answer, count=number))
    choose = max if measure.kind == "most" else min
    best = choose((a.count or 0 for a in counted), default=0)
    return [a for a in counted if a.count == best]


def _ranked(
    place: Term, names: Sequence[str], answers: list[QueryAnswer], search: Search
) -> list[QueryAnswer]:
    """Return the answers by the length of the route from the place; sorting keeps equals in their order."""
    routes, world = search.lookup.belief.routes, search.lookup.world
    stands: dict[str, str | None] = {}

    def millimetres(answer: QueryAnswer) -> int | None:
        search.step()
        origin = answer.nodes[names.index(place.name)] if isinstance(place, Var) else place
        for node in (origin, answer.nodes[0]):
            if node not in stands:
                stands[node] = standing(node, world)
        source, target = stands[origin], stands[answer.nodes[0]]
        if source is None or target is None:
            return None
        try:
            return routes.distance(source, target)
        except NoRoute:
            return None

    measured = [(millimetres(a), a) for a in answers]
    measured.sort(key=lambda m: (m[0] is None, m[0] or 0))
    return [replace(a, distance=m / 1000 if m is not None else None) for m, a in measured]
