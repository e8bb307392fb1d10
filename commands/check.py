"""`groundplan check`: the diagnostics of a goal or a question, for people and for programs.

The checks are in ``compiler.goals.checker`` and ``compiler.query.query``; here are options and exit codes.
Options, exit codes and the keys of JSON are fixed, since scripts rely on them; texts for people are free.
"""

from __future__ import annotations

import click

from ..compiler.goals.goal import Goal, GoalSyntaxError, parse_goal
from ..compiler.query.query import diagnosed_query
from ..domains.diagnostic import Diagnostic, has_errors
from ..language.sentences.saying import say
from ..planners.proofs.finding import impossible
from .console.diagnostics import show_diagnostics, summary
from .console.escape import json_text
from .console.losses import losses_json
from .console.terminal import BAD, GOOD, QUIET, Screen
from .options import (
    Case,
    findings,
    goal_option,
    mixture_json,
    named_goal,
    open_case,
    timeout_option,
    world_options,
)


@click.command(name="check")
@timeout_option()
@world_options
@goal_option
@click.option(
    "--prove/--no-prove",
    default=None,
    help="Search longer for a proof that no plan exists, or not at all (short).",
)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="How to print.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, as --format json does.")
def command(
    scene: str | None,
    task: str | None,
    item: str,
    pack: str,
    one_handed: bool,
    goal: str | None,
    prove: bool | None,
    form: str,
    as_json: bool,
) -> None:
    """Check a goal, or a question for `find`, against a scene before anything is planned.

    Exit code 1 with errors, 0 with warnings only. Without findings there may be no plan all the same: only
    short proofs of that are looked for. A check that the time limit ends shows what it found, and the error
    unchecked. `groundplan explain CODE` says more about a finding.
    """
    case = open_case(scene, task, item, pack, one_handed)
    if goal is None and case.task is not None and case.task.gold.query:
        text, where = case.task.gold.query, f"gold query of {case.task.id}"
    else:
        text, where = named_goal(goal, case)
    diagnostics, goal_read = diagnose(text, where, case, prove)
    says = say(goal_read.formula, case.belief) if goal_read is not None else None
    failed = has_errors(diagnostics)
    if as_json or form == "json":
        findings_json = [d.as_json() for d in diagnostics]
        losses, mixture = losses_json(case.belief.scene), {"mixture": mixture_json()}
        click.echo(json_text({"says": says, "diagnostics": findings_json, "losses": losses} | mixture))
    else:
        screen = Screen()
        if says is not None:
            screen.line(("in words: ", QUIET), says)
        show_diagnostics(screen, diagnostics, text, where)
        screen.line((summary(diagnostics), BAD if failed else GOOD))
    raise click.exceptions.Exit(1 if failed else 0)


def diagnose(
    text: str, where: str, case: Case, prove: bool | None = None
) -> tuple[tuple[Diagnostic, ...], Goal | None]:
    """Return the diagnostics of a goal or a question, syntax included, and the goal where it is one."""
    try:
        goal = parse_goal(text, where)
    except GoalSyntaxError as error:
        if error.diagnostic.code == "question":
            return diagnosed_query(text, where, case.belief)[1], None
        return (error.diagnostic,), None
    static = findings(goal, case)
    if prove is False or has_errors(static) or any(d.code == "already-true" for d in static):
        return static, goal
    return (*static, *impossible(goal, case.belief, bool(prove))), goal
