"""`groundplan why-not`: why a goal has no plan and what to ask for instead, or what each part of it costs.

The search is ``planners.why_not``; here are options, exit codes and what is printed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import click

from ..compiler.comparison.conjuncts import requirements
from ..domains.deadline import time_left
from ..domains.diagnostic import Diagnostic
from ..domains.formula import Formula
from ..engines.base import Budget
from ..engines.engine import Engine
from ..engines.result import PlanResult
from ..language.sentences.saying import say
from ..planners.why_not import Correction, WhyNot, effort_of, why_not
from .case import Case
from .console.diagnostics import show_diagnostics
from .console.escape import json_text
from .console.losses import losses_json
from .console.terminal import BAD, GOOD, HEAD, NAME, QUIET, UNSURE, Screen, number_of
from .engines import DEFAULT_ENGINE
from .goal_texts import GoalText, goals_of
from .options import (
    SECONDS,
    Given,
    goal_option,
    named_goal,
    timeout_option,
    well_formed,
    world_options,
)

MAX_PARTS = 20
"""Most parts of a goal, or of a conflict, that are shown to people."""


@dataclass(frozen=True, slots=True)
class _Answered:
    """A goal of a text with its answer, or with the diagnostics for which there is none."""

    goal: GoalText
    diagnostics: tuple[Diagnostic, ...]
    answer: WhyNot | None

    def as_json(self) -> dict[str, object]:
        answer = self.answer
        keys: dict[str, object] = {"outcome": "goal-error"} if answer is None else answer.as_json()
        says = None if answer is None else say(answer.goal.formula, answer.belief)
        findings = [d.as_json() for d in self.diagnostics]
        return {"goal": self.goal.text, "says": says, "diagnostics": findings} | keys


@click.command(name="why-not")
@click.argument("formula", metavar="[GOAL]", required=False)
@timeout_option()
@world_options
@goal_option
@click.option("--engine", metavar="NAME", default=DEFAULT_ENGINE, help="The planner (pyperplan).")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    formula: str | None,
    given: Given,
    goal: str | None,
    engine: str,
    as_json: bool,
) -> None:
    """Say why a goal has no plan, and what to ask for instead; of a possible goal, what each part costs.

    \b
      groundplan why-not "(and (hot pepsi) (holding pepsi) (hand_free))" --scene office
      groundplan why-not @goals.jsonl --scene office --json

    Of an impossible goal, parts are shown that exclude each other, with the proof, and what is left where
    some part is dropped, lowered (a count, an instance of a forall) or replaced. Each price is that of a
    verified plan; `nearest` gives up least, by proof. A text may hold several goals, as in `groundplan
    check`. Exit codes: 0 each goal has a plan, 1 one has none or the time was over, 2 bad input.
    """
    if formula is not None and goal is not None:
        raise click.UsageError("give the goal once: as GOAL, or with --goal")
    planner = Engine.named(engine)
    case = given.case()
    text, where = named_goal(formula if goal is None else goal, case)
    texts = goals_of(text, where)
    answered = tuple(_answered(texts.goals, where, case, planner))
    several = len(answered) > 1 or texts.lines
    if as_json:
        rows = [{"id": one.goal.id, "line": one.goal.line} | one.as_json() for one in answered]
        answer: dict[str, object] = {"goals": rows} if several else answered[0].as_json()
        click.echo(json_text(answer | {"losses": losses_json(case.belief.scene)}))
    else:
        for one in answered:
            if several:
                Screen().line((one.goal.id, HEAD), f" ({where}:{one.goal.line})")
            if one.answer is None:
                show_diagnostics(Screen(error=True), one.diagnostics, one.goal.text, where, case.belief.scene)
            else:
                _show(Screen(), one.answer)
    if any(one.answer is None for one in answered):
        raise click.exceptions.Exit(2)
    possible = all(one.answer is not None and one.answer.outcome == "possible" for one in answered)
    raise click.exceptions.Exit(0 if possible else 1)


def _answered(goals: Sequence[GoalText], where: str, case: Case, engine: Engine) -> Iterator[_Answered]:
    for number, one in enumerate(goals):
        if one.fault is not None:
            yield _Answered(one, (one.fault,), None)
            continue
        diagnostics, goal = well_formed(one.text, where, case)
        answer = None
        if goal is not None:
            seconds = (time_left() or SECONDS) / (len(goals) - number)
            answer = why_not(goal, case.belief, engine, Budget(seconds))
        yield _Answered(one, one.placed(diagnostics), answer)


def _show(screen: Screen, answer: WhyNot) -> None:
    screen.line(("in words: ", QUIET), say(answer.goal.formula, answer.belief))
    if answer.outcome == "possible":
        _show_prices(screen, answer)
    else:
        _show_conflict(screen, answer)
    if answer.cut:
        screen.line((f"not all was looked at: {answer.cut}", UNSURE))


def _price(result: PlanResult) -> str:
    if not result.steps:
        return "nothing has to be done"
    handling = f" and {effort:.2f} for handling" if (effort := effort_of(result)) else ""
    return f"{result.verification.metres:.2f} metres{handling}, {number_of(len(result.steps), 'step')}"


def _show_prices(screen: Screen, answer: WhyNot) -> None:
    """Print what the whole costs, and what it costs without each part."""
    screen.line(("possible: ", GOOD), f"a verified plan, {_price(answer.result)}")
    if answer.parts:
        screen.line()
        screen.line(("Without one part:", HEAD))
    for one in answer.parts[:MAX_PARTS]:
        less = answer.result.verification.length_mm - one.without.verification.length_mm
        saved = f", {less / 1000:.2f} metres less" if less else ""
        screen.line(say(one.part, answer.belief), ("  " + str(one.part), NAME), prefix=["  "])
        screen.line((f"without it: {_price(one.without)}{saved}", QUIET), prefix=["    "])
    if len(answer.parts) > MAX_PARTS:
        screen.line(f"and {len(answer.parts) - MAX_PARTS} more parts (--json has all)", prefix=["  "])


def _show_conflict(screen: Screen, answer: WhyNot) -> None:
    """Print the parts that exclude each other, and what to ask for instead."""
    conflict = answer.conflict
    if conflict is None:
        screen.line(("unknown: ", UNSURE), "no plan was found, and no proof that there is none")
        for reason in answer.result.reasons:
            screen.line((reason, QUIET), prefix=["  "])
    else:
        screen.line(("impossible: ", BAD), "no plan makes the goal true")
        screen.line()
        alone = len(conflict.parts) == 1 or conflict.none is not None
        together = "possible without any one of these" if answer.minimal else "not known to be minimal"
        title = "Impossible by itself" if alone else f"Impossible together, {together}"
        screen.line((f"{title}:", HEAD))
        _show_parts(screen, conflict.parts, answer, "  ")
        for reason in conflict.reasons if alone else ():
            screen.line((reason, QUIET), prefix=["  "])
        screen.line((f"proved by {conflict.proof}", QUIET), prefix=["  "])
    if answer.corrections:
        screen.line()
        screen.line(("What can be had:", HEAD))
    for number, one in enumerate(answer.corrections, 1):
        _show_correction(screen, number, one, answer)
    if answer.unknown_sets:
        words = "without a plan and without a proof that there is none"
        screen.line((f"  {number_of(answer.unknown_sets, 'choice')} left {words}", UNSURE))
    elif not answer.complete and answer.corrections and not answer.cut:
        screen.line(("  and more", QUIET))


def _show_parts(screen: Screen, parts: Sequence[Formula], answer: WhyNot, indent: str) -> None:
    for part in parts[:MAX_PARTS]:
        screen.line(say(part, answer.belief), ("  " + str(part), NAME), prefix=[indent])
    if len(parts) > MAX_PARTS:
        screen.line(f"and {len(parts) - MAX_PARTS} more", prefix=[indent])


def _show_correction(screen: Screen, number: int, one: Correction, answer: WhyNot) -> None:
    nearest = ("nearest: ", GOOD) if one.nearest else ("", QUIET)
    screen.line(
        f"{number}. ",
        nearest,
        "; ".join(change.words(answer.belief) for change in one.changes),
        prefix=["  "],
    )
    if not requirements(one.goal.formula):
        screen.line(("nothing of the goal is left", UNSURE), prefix=["     "])
    else:
        screen.line((_price(one.result), GOOD), ("  " + str(one.goal), NAME), prefix=["     "])
    for other in one.instead:
        words = "; ".join(change.words(answer.belief) for change in other.changes if change.replaced)
        screen.line("or ", words, (f"  {_price(other.result)}", GOOD), prefix=["     "])
