"""`groundplan find`: a question about a scene in, the nodes that answer it out."""

from __future__ import annotations

import click

from ..compiler.goals.goal import GoalSyntaxError
from ..compiler.query.answers import Answer, Answers, find
from ..compiler.query.query import Query, check_query, parse_query
from ..domains.diagnostic import Diagnostic, has_errors
from ..simulator.belief import Belief
from .console.diagnostics import show_findings
from .console.escape import json_text
from .console.pretty import pretty
from .console.terminal import GOOD, HEAD, NAME, QUIET, UNSURE, Piece, Screen
from .options import Case, goal_text, open_case, world_options


@click.command(name="find")
@click.argument("query", metavar="[QUERY|@FILE]", required=False)
@world_options
@click.option("--json", "as_json", is_flag=True, help="Print the answers as JSON.")
def command(
    query: str | None, scene: str | None, task: str | None, pack: str, one_handed: bool, as_json: bool
) -> None:
    """Answer a question about a scene, such as

    \b
      (find (?r - office) (not (exists (?c - cabinet) (in_room ?c ?r))))
      (find (?r - meeting_room) :nearest-to kitchen :limit 1)
      (find (?r - room) :most (?b - book) (in_room ?b ?r))

    With --task and no QUERY, the gold query of a search task is answered. Exit codes: 0 answered, also
    where nothing fits, 2 bad input.
    """
    case = open_case(scene, task, pack, one_handed)
    text, where = _named(query, case)
    asked = checked_query(text, where, case.belief)
    answers = find(asked, case.belief)
    if as_json:
        click.echo(json_text({"task": case.task.id if case.task is not None else None} | answers.as_json()))
    else:
        _show(Screen(), answers, case, query is None)


def _named(option: str | None, case: Case) -> tuple[str, str]:
    """The text of the question, and where it comes from."""
    if option is not None:
        text, where = goal_text(option)
        return text, "query" if where == "goal" else where
    if case.task is None:
        raise click.UsageError("give a QUERY such as (find (?r - room) ...), or --task ID of a search task")
    if not case.task.gold.query:
        raise click.UsageError(f"{case.task.id} asks for a plan, it has no gold query: give a QUERY")
    return case.task.gold.query, f"gold query of {case.task.id}"


def checked_query(text: str, where: str, belief: Belief) -> Query:
    """A question without errors; findings are shown on standard error, and errors end with exit code 2."""
    query, found = diagnosed(text, where, belief)
    show_findings(Screen(error=True), found, text, where)
    if query is None or has_errors(found):
        raise click.exceptions.Exit(2)
    return query


def diagnosed(text: str, where: str, belief: Belief) -> tuple[Query | None, tuple[Diagnostic, ...]]:
    """A question, if the text is one, and every finding about it."""
    try:
        query = parse_query(text, where)
    except GoalSyntaxError as error:
        return None, (error.diagnostic,)
    return query, check_query(query, belief).diagnostics


def _show(screen: Screen, answers: Answers, case: Case, gold: bool) -> None:
    if case.task is not None:
        screen.heading(case.task.id, f"scene {case.belief.scene.name}")
        screen.line((case.task.instruction, HEAD), prefix=["  "])
        if gold:
            screen.line()
            for line in pretty(str(answers.query)).splitlines():
                screen.line((line, NAME), prefix=["  "])
        screen.line()
    screen.rows([_row(a, answers.query, case.belief) for a in answers.found])
    for note in answers.notes:
        screen.line((note, QUIET))
    number = len(answers.found)
    if number:
        screen.line((f"{number} answer{'s' if number > 1 else ''}", GOOD))
    else:
        screen.line((f"no answer: nothing in {case.belief.scene.name} fits", UNSURE))


def _row(answer: Answer, query: Query, belief: Belief) -> list[Piece]:
    """The names, what was measured, and where the first of them is."""
    row: list[Piece] = [(name, NAME) for name in answer.nodes]
    if query.measure is not None:
        row.append(str(answer.count))
    if query.nearest_to is not None:
        row.append(f"{answer.distance:.2f} m" if answer.distance is not None else ("no route", UNSURE))
    node = belief.scene.nodes[answer.nodes[0]]
    place = [f"{node.relation} {node.parent}"] if node.parent is not None else []
    if (room := belief.scene.room_of(node.id)) not in (None, node.id, node.parent):
        place.append(str(room))
    return [*row, (", ".join(place), QUIET)]
