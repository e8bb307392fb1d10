"""Questions as text, parsed and checked: ``(find (?r - office) φ)`` over the formulas of goals, with options.

A question asks for the bindings of its variables under which φ holds in the scene as it is; without φ,
all of them. A new option is a rule of ``goal.lark``, a field of :class:`Query` and a check here, and is
applied in ``answers``. The options stand before or after φ and apply in this order, however written:

- ``:most (?x - t) ψ`` keeps the answers for which most bindings of ?x satisfy ψ, ``:fewest`` the fewest;
- ``:nearest-to place`` ranks by the length of the route between the place and the first variable; the place
  is a node, the robot, or another of the variables;
- ``:limit n`` keeps the first n.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ...domains.diagnostic import Diagnostic, Span
from ...domains.errors import clip
from ...domains.formula import (
    TRUE,
    Formula,
    Sometime,
    Term,
    TrajectoryConstraint,
    TypedVar,
    Var,
    children,
    quote_term,
)
from ...simulator.belief import Belief
from ...simulator.world import World
from ..goals.checker import CheckReport
from ..goals.syntax import GoalSyntaxError, Path, Source
from ..goals.tree import Option, ParsedQuery
from ..goals.types import TypeChecker

CONDITION, MEASURED, PLACE, KINDS, NAMES, COUNTED = range(6)
"""The first index of the paths of a question: its formula, what it counts, the place, its variables' classes
and names, and the names of the variables that are counted. What is counted is laid out as a quantifier: the
body is its child 0, its classes follow."""


@dataclass(frozen=True, slots=True)
class Measure:
    """Bindings to count for each answer; the answers with the most, or the fewest, are kept."""

    kind: Literal["most", "fewest"]
    variables: tuple[TypedVar, ...]
    body: Formula

    def __str__(self) -> str:
        return f":{self.kind} ({' '.join(map(str, self.variables))}) {self.body}"


@dataclass(frozen=True)
class Query:
    """A parsed question. ``spans`` maps the path of a part to its place in ``source``."""

    variables: tuple[TypedVar, ...]
    condition: Formula
    measure: Measure | None
    nearest_to: Term | None
    limit: int | None
    source: str
    spans: Mapping[Path, Span]

    def __str__(self) -> str:
        parts = ["(find", f"({' '.join(map(str, self.variables))})"]
        parts += [str(self.condition)] if self.condition != TRUE else []
        parts += [str(self.measure)] if self.measure is not None else []
        parts += [f":nearest-to {quote_term(self.nearest_to)}"] if self.nearest_to is not None else []
        parts += [f":limit {self.limit}"] if self.limit is not None else []
        return " ".join(parts) + ")"


def parse_query(text: str, where: str = "query") -> Query:
    """Parse a question.

    Parameters:
        text: the question, such as ``(find (?r - room) (not (exists (?c - cabinet) (in_room ?c ?r))))``.
        where: the name of the text in messages, such as the path of a file.

    The names in it are not looked up: that is :func:`check_query`, for which ``spans`` keeps the place of
    every part. Raises :class:`GoalSyntaxError` with the place, what was expected and what was found.

    >>> from groundplan import parse_query
    >>> query = parse_query("(find (?r - office) :limit 2 (dirty ?r))")
    >>> query.limit, str(query.condition)
    (2, '(dirty ?r)')
    """
    source = Source(text, where)
    parsed: ParsedQuery = source.read("question")
    if not parsed.declared:
        hint = "write (find (?r - room) ...); `check` tells whether a goal holds already"
        raise source.error(parsed.place, "syntax", "at least one variable to find", "none", hint)
    options = _options(parsed, source)
    spans: dict[Path, Span] = {(): source.span(parsed.place)}
    for index, one in enumerate(parsed.declared):
        spans[KINDS, index], spans[NAMES, index] = source.span(one.kind), source.span(one.name)
    if parsed.condition is not None:
        spans |= source.spans(parsed.condition, (CONDITION,))
    measure = None
    if (counted := options.get("measure")) is not None:
        kind: Literal["most", "fewest"] = "most" if counted.keyword == ":most" else "fewest"
        measure = Measure(kind, tuple(d.variable for d in counted.declared), counted.value.formula)
        spans[MEASURED,] = source.span((counted.keyword_place[0], counted.place[1]))
        spans |= source.spans(counted.value, (MEASURED, 0))
        spans |= {(MEASURED, i): source.span(d.kind) for i, d in enumerate(counted.declared, 1)}
        spans |= {(COUNTED, i): source.span(d.name) for i, d in enumerate(counted.declared)}
    if (near := options.get(":nearest-to")) is not None:
        spans[PLACE,] = source.span(near.place)
    return Query(
        variables=tuple(d.variable for d in parsed.declared),
        condition=parsed.condition.formula if parsed.condition is not None else TRUE,
        measure=measure,
        nearest_to=near.value if near is not None else None,
        limit=options[":limit"].value if ":limit" in options else None,
        source=text,
        spans=spans,
    )


def _options(parsed: ParsedQuery, source: Source) -> dict[str, Option]:
    """Return the options by keyword, ``:most`` and ``:fewest`` as one; each at most once."""
    options: dict[str, Option] = {}
    for option in parsed.options:
        key = "measure" if option.keyword in (":most", ":fewest") else option.keyword
        if (other := options.get(key)) is not None:
            expected = f"{other.keyword} once" if other.keyword == option.keyword else f"only {other.keyword}"
            got = "it again" if other.keyword == option.keyword else f"{option.keyword} as well"
            raise source.error(option.keyword_place, "syntax", expected, got)
        if key == ":limit" and option.value < 1:
            hint = "leave :limit out for all answers"
            raise source.error(option.place, "syntax", "a number from 1 to 999999", str(option.value), hint)
        options[key] = option
    return options


def diagnosed_query(text: str, where: str, belief: Belief) -> tuple[Query | None, tuple[Diagnostic, ...]]:
    """Parse and check a question: the query, ``None`` for a syntax error, and every diagnostic."""
    try:
        query = parse_query(text, where)
    except GoalSyntaxError as error:
        return None, (error.diagnostic,)
    return query, check_query(query, belief).diagnostics


def check_query(query: Query, belief: Belief) -> CheckReport:
    """Check a question against a scene and its pack: names, classes, types, the place of ``:nearest-to``.

    A fact that no action can bring about is an error in a goal, not in a question: ``(closed chair2)`` is
    false, and so has no answers.
    """
    checker = TypeChecker(query.spans, belief, [])
    candidates = checker.candidates(query.variables, (KINDS,), 0)
    scope = _declare(checker, query.variables, {}, NAMES)
    if candidates == 0:
        kinds = ", ".join(v.type for v in query.variables)
        checker.report("vacuous", "warning", f"no answers: the scene has no {clip(kinds)}", (KINDS, 0))
    checker.visit(query.condition, (CONDITION,), scope, False)
    _no_sometime(checker, query.condition, (CONDITION,))
    if query.measure is not None:
        checker.candidates(query.measure.variables, (MEASURED,), 1)
        # A counted variable named like another would hide the answer: every answer would count the same.
        inner = _declare(checker, query.measure.variables, scope, COUNTED)
        checker.visit(query.measure.body, (MEASURED, 0), inner, False)
        _no_sometime(checker, query.measure.body, (MEASURED, 0))
    _place(checker, query, scope)
    return CheckReport(checker.finish())


def _declare(
    checker: TypeChecker, variables: Sequence[TypedVar], outer: Mapping[str, str], part: int
) -> dict[str, str]:
    """Return the types of the variables in scope, and report names that are declared twice."""
    scope = dict(outer)
    for index, variable in enumerate(variables):
        if variable.name in scope:
            message = f"?{clip(variable.name)} is declared twice"
            checker.report("duplicate-variable", "error", message, (part, index))
        scope[variable.name] = variable.type
    return scope


def _no_sometime(checker: TypeChecker, formula: Formula, path: Path) -> None:
    """Check that no part of a question is about the course of a plan."""
    stack = [(formula, path)]
    while stack:
        node, at = stack.pop()
        if isinstance(node, Sometime | TrajectoryConstraint):
            word = node.kind if isinstance(node, TrajectoryConstraint) else "sometime"
            message = f"a question is about the scene as it is: {word} is for goals"
            checker.report("unsupported", "error", message, at)
        stack += [(c, (*at, i)) for i, c in enumerate(children(node))]


def _place(checker: TypeChecker, query: Query, scope: Mapping[str, str]) -> None:
    """Check the place of ``:nearest-to``."""
    near = query.nearest_to
    if near is None or not checker.term(near, (PLACE,), dict(scope)):
        return
    if isinstance(near, Var):
        if near.name == query.variables[0].name:
            message = f"{clip(str(near))} is the variable that is ranked: every distance is 0"
            checker.report("vacuous", "warning", message, (PLACE,))
        return
    if standing(near, World(checker.belief)) is None:
        kind = checker.belief.scene.nodes[near].type
        message = f"{clip(near)} is a {kind} in no room: name a room, a pose or something in a room"
        checker.report("place", "error", message, (PLACE,))


def standing(name: str, world: World) -> str | None:
    """Return the room or pose to which a route to a node leads; ``None`` for a node in no room."""
    held = world.pack.mapping.robot_held.predicate
    top = world.state.anchor_of(name)
    if world.scene.nodes[top].type == "agent" or world.state.facts.holds(held, (top,)):
        top = world.state.anchor
    return top if world.scene.nodes[top].type in ("room", "pose") else None
