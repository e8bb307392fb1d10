"""`groundplan find`: a question about a scene in, the nodes that answer it out.

The work is done by ``compiler.query``; here are the options, the table of answers and the JSON.
"""

from __future__ import annotations

import click

from ..compiler.query.answers import QueryAnswer, QueryResult, find
from ..compiler.query.query import Query, diagnosed_query
from ..domains.diagnostic import has_errors
from ..simulator.belief import Belief
from .case import Case
from .console.diagnostics import show_diagnostics
from .console.escape import json_text
from .console.losses import losses_json
from .console.pretty import pretty
from .console.terminal import GOOD, HEAD, NAME, QUIET, UNSURE, Piece, Screen
from .kinds import unnamed_class
from .options import Given, goal_text, timeout_option, world_options


@click.command(name="find")
@click.argument("query", metavar="[QUERY|@FILE]", required=False)
@timeout_option()
@world_options
@click.option("--json", "as_json", is_flag=True, help="Print the answers as JSON.")
def command(
    query: str | None,
    given: Given,
    as_json: bool,
) -> None:
    """Answer a question about a scene, such as

    \b
      (find (?r - office) (not (exists (?c - cabinet) (in_room ?c ?r))))
      (find (?r - meeting_room) :nearest-to kitchen :limit 1)
      (find (?r - room) :most (?b - book) (in_room ?b ?r))

    With --task and no QUERY, the gold query of a search task is answered. Exit codes: 0 answered, also
    where nothing fits, 1 cut off at a limit, 2 bad input.
    """
    case = given.case()
    text, where = _named(query, case)
    result = find(checked_query(text, where, case.belief), case.belief)
    if as_json:
        answer: dict[str, object] = {"task": case.task.id if case.task is not None else None}
        reading = {"losses": losses_json(case.belief.scene)}
        click.echo(json_text(answer | result.as_json() | reading))
    else:
        _show(Screen(), result, case, query is None)


def _named(option: str | None, case: Case) -> tuple[str, str]:
    """Return the text of the question, and the name of where it comes from."""
    if option is not None:
        text, where = goal_text(option)
        return text, "query" if where == "goal" else where
    if case.task is None:
        raise click.UsageError("give a QUERY such as (find (?r - room) ...), or --task ID of a search task")
    if not case.task.gold.query:
        raise click.UsageError(f"{case.task.id} asks for a plan, it has no gold query: give a QUERY")
    return case.task.gold.query, f"gold query of {case.task.id}"


def checked_query(text: str, where: str, belief: Belief) -> Query:
    """Return a question without errors; diagnostics go to standard error, and errors end with exit code 2."""
    query, diagnostics = diagnosed_query(text, where, belief)
    show_diagnostics(Screen(error=True), diagnostics, text, where, belief.scene)
    if query is None or has_errors(diagnostics):
        raise click.exceptions.Exit(2)
    return query


def _show(screen: Screen, result: QueryResult, case: Case, gold: bool) -> None:
    if case.task is not None:
        screen.heading(case.task.id, f"scene {case.belief.scene.name}")
        screen.line((case.task.instruction, HEAD), prefix=["  "])
        if gold:
            screen.line()
            for line in pretty(str(result.query)).splitlines():
                screen.line((line, NAME), prefix=["  "])
        screen.line()
    screen.rows([_row(a, result.query, case.belief) for a in result.answers])
    for note in result.notes:
        screen.line((note, QUIET))
    number = len(result.answers)
    if number:
        screen.line((f"{number} answer{'s' if number > 1 else ''}", GOOD))
    else:
        screen.line((f"no answer: nothing in {case.belief.scene.name} fits", UNSURE))


def _row(answer: QueryAnswer, query: Query, belief: Belief) -> list[Piece]:
    """Return the cells of an answer: the names, the count and distance, and the place of the first name."""
    row: list[Piece] = []
    for name in answer.nodes:
        kind = unnamed_class(belief.scene.nodes[name])
        row.append((f"{name} ({kind})" if kind else name, NAME))
    if query.measure is not None:
        row.append(str(answer.count))
    if query.nearest_to is not None:
        row.append(f"{answer.distance:.2f} m" if answer.distance is not None else ("no route", UNSURE))
    node = belief.scene.nodes[answer.nodes[0]]
    place = [f"{node.relation} {node.parent}"] if node.parent is not None else []
    if (room := belief.scene.room_of(node.id)) not in (None, node.id, node.parent):
        place.append(str(room))
    return [*row, (", ".join(place), QUIET)]
