"""`groundplan check`: the diagnostics of goals or questions, for people and for programs.

The checks are in ``compiler.goals.checker`` and ``compiler.query.query``, the proofs in ``planners.proofs``;
here are options, exit codes and what is printed.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import click

from ..compiler.goals.checker import check
from ..compiler.goals.goal import Goal, GoalSyntaxError
from ..compiler.goals.recovery import syntax_errors
from ..compiler.query.query import diagnosed_query
from ..domains.diagnostic import Diagnostic, has_errors
from ..language.sentences.saying import say
from ..planners.proofs.finding import impossible
from ..simulator.scene import Scene
from .case import Case
from .console.annotations import annotation
from .console.diagnostics import show_diagnostics, summary
from .console.escape import json_text
from .console.losses import losses_json
from .console.terminal import BAD, GOOD, HEAD, QUIET, Screen, number_of
from .goal_texts import GoalText, GoalTexts, goals_of
from .options import (
    Given,
    goal_option,
    named_goal,
    read_goal,
    timeout_option,
    world_options,
)

MAX_ROUNDS = 10
"""Most rounds of mending: what is mended may show what else is wrong."""


@dataclass(frozen=True, slots=True)
class CheckedGoal:
    """A goal or question of a text with its diagnostics, and in words where it is a goal."""

    goal: GoalText
    diagnostics: tuple[Diagnostic, ...]
    says: str | None

    def as_json(self) -> dict[str, object]:
        return {"says": self.says, "diagnostics": [d.as_json() for d in self.diagnostics]}


@click.command(name="check")
@click.argument("formula", metavar="[GOAL]", required=False)
@timeout_option()
@world_options
@goal_option
@click.option(
    "--prove/--no-prove",
    default=None,
    help="Search longer for a proof that no plan exists, or not at all (short).",
)
@click.option("--fix", is_flag=True, help="Print the goals with every finding mended that has just one fix.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "github"]),
    default="text",
    help="How to print; github makes annotations of a workflow.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, as --format json does.")
def command(
    formula: str | None,
    given: Given,
    goal: str | None,
    prove: bool | None,
    fix: bool,
    form: str,
    as_json: bool,
) -> None:
    """Check goals, or questions for `find`, against a scene before anything is planned.

    A text may hold several formulas, or JSON lines {"id": .., "goal": ..}. Exit code 1 with errors in any, 0
    with warnings only. Without findings there may be no plan all the same: only short proofs of that are
    looked for. A check that the time limit ends shows what it found, and the error unchecked. `groundplan
    explain CODE` says more about a finding. GOAL is what --goal takes.
    """
    if formula is not None and goal is not None:
        raise click.UsageError("give the goal once: as GOAL, or with --goal")
    goal = formula if goal is None else goal
    case = given.case()
    if goal is None and case.task is not None and case.task.gold.query:
        text, where = case.task.gold.query, f"gold query of {case.task.id}"
    else:
        text, where = named_goal(goal, case, lines=True)
    texts = goals_of(text, where)
    checked = tuple(_checked(texts, where, case, prove))
    for _ in range(MAX_ROUNDS if fix else 0):
        better = texts.mended([one.diagnostics for one in checked])
        if better == texts.text:
            break
        texts = goals_of(better, where)
        checked = tuple(_checked(texts, where, case, prove))
    if as_json or form == "json":
        answer = checked[0].as_json() if len(checked) == 1 and not texts.lines else _all_json(checked)
        more = {"fixed": texts.text} if fix else {}
        losses = losses_json(case.belief.scene)
        click.echo(json_text(answer | more | {"losses": losses}))
    elif form == "github":
        file = where if goal is not None and goal.startswith("@") and goal != "@-" else None
        for one in checked:
            for finding in one.diagnostics:
                click.echo(annotation(finding, file, one.goal.line, placed=not texts.lines))
    else:
        if fix:
            same = texts.text.encode("utf-8", "surrogateescape")  # bytes that are no UTF-8 as they were
            click.echo(same, nl=not same.endswith(b"\n"))
        _show(Screen(error=fix), texts, checked, where, case.belief.scene)
    raise click.exceptions.Exit(1 if any(has_errors(one.diagnostics) for one in checked) else 0)


def _all_json(checked: tuple[CheckedGoal, ...]) -> dict[str, object]:
    goals = [{"id": one.goal.id, "line": one.goal.line} | one.as_json() for one in checked]
    return {"goals": goals}


def _show(
    screen: Screen, texts: GoalTexts, checked: tuple[CheckedGoal, ...], where: str, scene: Scene
) -> None:
    """Print the findings of each goal, and how many there are."""
    for one in checked:
        several = len(checked) > 1
        if several:
            screen.line((one.goal.id, HEAD), f" ({where}:{one.goal.line})")
        if one.says is not None:
            screen.line(("in words: ", QUIET), one.says)
        at = f"{where}: {one.goal.id}" if texts.lines and several else where
        text = one.goal.text if texts.lines else texts.text
        show_diagnostics(screen, one.diagnostics, text, at, scene)
    every = tuple(itertools.chain.from_iterable(one.diagnostics for one in checked))
    number = f"{number_of(len(checked), 'goal')}: " if len(checked) > 1 else ""
    screen.line((f"{number}{summary(every)}", BAD if has_errors(every) else GOOD))


def _checked(texts: GoalTexts, where: str, case: Case, prove: bool | None) -> Iterator[CheckedGoal]:
    for one in texts.goals:
        if one.fault is not None:
            yield CheckedGoal(one, one.placed((one.fault,)), None)
            continue
        diagnostics, goal = diagnose(one.text, where, case, prove)
        says = say(goal.formula, case.belief) if goal is not None else None
        yield CheckedGoal(one, one.placed(diagnostics), says)


def diagnose(
    text: str, where: str, case: Case, prove: bool | None = None
) -> tuple[tuple[Diagnostic, ...], Goal | None]:
    """Return the diagnostics of a goal or a question, syntax included, and the goal where it is one."""
    try:
        goal = read_goal(text, where, case.belief)
    except GoalSyntaxError as error:
        if error.diagnostic.code == "question":
            return diagnosed_query(text, where, case.belief)[1], None
        return syntax_errors(text, where, error), None
    static = check(goal, case.belief).diagnostics
    if prove is False or has_errors(static) or any(d.code == "already-true" for d in static):
        return static, goal
    return (*static, *impossible(goal, case.belief, bool(prove))), goal
