"""`groundplan simulate`: run printed steps on a scene, report violations, and decide the goal at the end.

The work is done by ``simulator.verification.verify_plan``; here are the options and what is printed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import click

from ..compiler.certificates.constraints import avoiding
from ..compiler.engine_plan import is_engine_plan, read_engine_plan, read_symbols
from ..compiler.goals.goal import Goal
from ..compiler.goals.unplaced import left_out, unplaced_in
from ..domains.formula import Formula, conjuncts
from ..language.sentences.saying import say
from ..robot.comparison import Difference, differences, under_written
from ..robot.exports.formats import read_plan, rules_written
from ..robot.monitor import Deviation, deviations
from ..robot.program import Program
from ..robot.reading import program_in
from ..simulator.belief import Belief
from ..simulator.printing import fill_routes
from ..simulator.step import Step
from ..simulator.verification import Verification, verify_actions, verify_plan
from .case import Case
from .console.escape import json_text
from .console.losses import losses_json
from .console.story import show_rules
from .console.terminal import BAD, GOOD, NAME, QUIET, UNSURE, Screen, closing, number_of
from .kinds import beside
from .options import (
    Given,
    checked_goal,
    goal_option,
    named_goal,
    read_text,
    timeout_option,
    world_options,
)
from .output.folder import check_file, write_file
from .picture_files import view_option
from .pictures.page import page_of

_MOMENTS = {"before": "before", "after": "afterwards", "waits_for": "to come about afterwards"}
_OF_RULES = {"rule": "a monitor does not do it, under", "end": "no success, under"}


@click.command(name="simulate")
@timeout_option()
@world_options
@click.option(
    "--plan",
    "plan_file",
    metavar="FILE",
    required=True,
    help="Steps, one a line, or JSON; a planner's plan; - for standard input.",
)
@click.option("--symbols", metavar="FILE", help="symbols.json of `compile`, for a planner's plan.")
@click.option("--route", is_flag=True, help="Fill in poses and rooms on the way by the shortest route.")
@goal_option
@view_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    given: Given,
    plan_file: str,
    symbols: str | None,
    route: bool,
    goal: str | None,
    view: Path | None,
    as_json: bool,
) -> None:
    """Run a plan step by step and say whether the goal holds.

    The plan is one of printed steps, a record or robot program of `plan`, a tree or Python module of
    `export`, or a planner's plan for what `compile` wrote (with --symbols): one ground action a line, such as
    (pickup_on apple1 desk2). A robot program is held to its own goal, where no other is given, to the facts
    that its commands expect, and in every key to what its printed steps say, on this scene and pack.

    Exit code 0 if every step can be done, every rule is kept and the goal, where there is one, holds at the
    end; 1 otherwise.
    Without a goal nothing is verified: the last line says so, and `verified` is null in JSON.
    """
    if view is not None:
        check_file(view, force=False)
    case = given.case()
    text, where = read_text(plan_file), "standard input" if plan_file == "-" else plan_file
    program = program_in(text, where)
    case = replace(case, belief=under_written(rules_written(text, where), case.belief, f"{where}: rules"))
    checked = _goal_of(goal, program, case, f"{where}: goal")
    formula = checked.formula if checked is not None else None
    if program is not None and not route:
        steps = program.steps()
        result = verify_plan(steps, case.belief, formula)
    elif program is not None:
        raise click.UsageError("--route is for printed steps: a robot program names its places itself")
    elif symbols is not None or is_engine_plan(text, case.belief.pack):
        if route:
            raise click.UsageError("--route is for printed steps: a planner's plan names its places itself")
        steps, result = _by_a_planner(text, where, symbols, case.belief, formula)
    else:
        steps = read_plan(text, where)
        steps = fill_routes(steps, case.belief) if route else steps
        result = verify_plan(steps, case.belief, formula)
    differing = unexpected(program, case.belief) if program is not None else None
    unplaced = unplaced_in(formula, case.belief) if formula is not None else ()
    if as_json:
        answer = {"plan": list(map(str, steps)), **result.as_json()}
        answer["unexpected"] = [d.as_json() for d in differing] if differing is not None else None
        answer |= {"verified": False} if differing else {}
        click.echo(json_text(answer | {"unplaced": list(unplaced), "losses": losses_json(case.belief.scene)}))
    else:
        screen = Screen()
        _show(screen, steps, result, checked, case)
        if unplaced:
            screen.line((left_out(unplaced), UNSURE))
        if program is not None:
            _show_differing(screen, program, differing or (), case)
        _show_end(screen, len(steps), result, checked, differing or ())
    if view is not None:
        write_file(view, page_of(_as_record(steps, result, checked, case), case.belief))
    raise click.exceptions.Exit(0 if result.verified and not differing else 1)


def _goal_of(goal: str | None, program: Program | None, case: Case, where: str) -> Goal | None:
    """Return the goal that is given, that of a task, or that of a robot program."""
    if goal is not None or (case.task is not None and case.task.gold.goal):
        return checked_goal(*named_goal(goal, case), case)
    if program is not None and program.goal:
        return checked_goal(f"(and {' '.join(program.goal)})", where, case)
    return None


def _by_a_planner(
    text: str, where: str, symbols: str | None, belief: Belief, formula: Formula | None
) -> tuple[tuple[Step, ...], Verification]:
    """Return the steps of a planner's plan, and what comes of them."""
    table = read_symbols(read_text(symbols), symbols) if symbols is not None else None
    actions = read_engine_plan(text, belief, table, where)
    # Its drives go the ways that `compile` gave the lengths of.
    return verify_actions(actions, belief if formula is None else avoiding(formula, belief), formula)


def _as_record(
    steps: Sequence[Step], result: Verification, goal: Goal | None, case: Case
) -> Mapping[str, object]:
    """Return what a page shows of a plan, with the keys of a record."""
    judged = "executable" if goal is None else "verified"
    if not result.verified:
        judged = "goal-not-reached" if result.goal_value is False else "rules-not-kept"
    return {
        "outcome": judged if result.executable else "not-executable",
        "instruction": case.task.instruction if case.task is not None else "",
        "goal": str(goal.formula) if goal is not None else "",
        "says": say(goal.formula, case.belief) if goal is not None else "",
        "plan": list(map(str, steps)),
        "violations": result.as_json()["violations"],
        "rules": [one.as_json() for one in result.rules],
        "metres": result.metres,
        "reasons": list(result.unsatisfied) if result.executable else [],
    }


def _show(screen: Screen, steps: Sequence[Step], result: Verification, goal: Goal | None, case: Case) -> None:
    failed = {v.index: v for v in result.violations}
    ran = min(failed, default=len(steps) - len(result.ignored))
    screen.heading(f"Simulation on {case.belief.scene.name}", case.task.id if case.task else "")
    wide = len(str(len(steps)))
    for index, step in enumerate(steps):
        number = f"{index + 1:>{wide}}"
        if index < ran:
            classes = (beside(step.args, case.belief.scene), QUIET)
            screen.line(str(step), classes, prefix=["  ", ("✓ ", GOOD), (number, QUIET), "  "])
        elif index in failed:
            screen.line((str(step), BAD), prefix=["  ", ("✗ ", BAD), (number, QUIET), "  "])
            screen.line((failed[index].message, BAD), prefix=[" " * (wide + 6)])
        else:
            screen.line((str(step), QUIET), prefix=["    ", (number, QUIET), "  "])
    if result.ignored:
        screen.line((f"ignored after done(): {number_of(len(result.ignored), 'step')}", UNSURE))
    if goal is not None:
        screen.heading("Goal", "" if result.executable else "where the run ended")
        show_truth(screen, goal, result)
    if result.rules:
        screen.heading("Rules", "of the run as a whole")
        show_rules(screen, result.rules)


def unexpected(program: Program, belief: Belief) -> tuple[Deviation | Difference, ...]:
    """Return the facts that are not as a program expects, then the keys that are not as its steps say.

    A key is left out where a fact of it is listed already.
    """
    facts = deviations(program, belief)
    listed = {(d.index, "waits_for" if d.when == "waits_for" else f"expects.{d.when}") for d in facts}
    keys = (d for d in differences(program, belief) if (d.index, d.key) not in listed)
    return (*facts, *keys)


def _show_differing(
    screen: Screen, program: Program, differing: Sequence[Deviation | Difference], case: Case
) -> None:
    """Print what is not as a robot program expects, and whether it was made for this scene and pack."""
    for one in differing:
        if isinstance(one, Difference):
            step = f"step {one.index + 1}, {one.printed}: " if one.index is not None else "the program: "
            screen.line((step + one.message, BAD))
            continue
        step = f"step {one.index + 1}, {one.printed}"
        if one.when in _OF_RULES:
            screen.line((f"{step}: {_OF_RULES[one.when]} the rule {one.fact}: {one.message}", BAD))
            continue
        screen.line((f"{step}: {one.fact} is expected {_MOMENTS[one.when]}, but {one.message}", BAD))
    made_for = {"scene": program.scene_hash, "pack": program.pack_hash}
    here = {"scene": case.belief.scene.hash, "pack": case.belief.pack.hash}
    others = [kind for kind, made in made_for.items() if made and made != here[kind]]
    if others:
        screen.line((f"the program was made for another {' and another '.join(others)}", UNSURE))


def _show_end(
    screen: Screen,
    steps: int,
    result: Verification,
    goal: Goal | None,
    differing: Sequence[Deviation | Difference],
) -> None:
    """Print the last line: what the run comes to."""
    screen.line()
    ran = steps - len(result.ignored)
    if not result.executable:
        screen.line((f"not executable: {result.feedback()[0]}", BAD))
    elif differing:
        facts = sum(isinstance(d, Deviation) for d in differing)
        kinds = {"fact": facts, "key": len(differing) - facts}
        counted = " and ".join(number_of(count, kind) for kind, count in kinds.items() if count)
        screen.line((f"executable, but not as the program expects: {counted} otherwise", BAD))
    elif missing := _missing(result):
        screen.line((f"executable, but {missing}", UNSURE))
    elif goal is None:
        run = closing(ran, result.length_mm, "executable")
        screen.line((f"{run}; no goal was given, so nothing was verified", UNSURE))
    else:
        screen.line((closing(ran, result.length_mm), GOOD))


def _missing(result: Verification) -> str:
    """Say of a run that could be done what it lacks: the goal, or rules; empty where it lacks nothing."""
    unkept = sum(not one.kept for one in result.rules)
    goal = ["the goal does not hold at the end"] if result.goal_value is False else []
    rules = [f"{number_of(unkept, 'rule')} {'is' if unkept == 1 else 'are'} not kept"] if unkept else []
    return " and ".join((*goal, *rules))


def show_truth(screen: Screen, goal: Goal, result: Verification) -> None:
    """Print the conjuncts of a goal, marked by whether they hold; those that fail with the reason."""
    parts = list(map(str, conjuncts(goal.formula)))
    reasons = {p: u for u in result.unsatisfied for p in parts if u.startswith(f"{p} does not hold")}
    for part in parts:
        holds = result.goal_value or (part not in reasons and bool(reasons))
        screen.line((part, NAME), prefix=["  ", ("✓ ", GOOD) if holds else ("✗ ", BAD)])
        if part in reasons:
            reason = reasons[part].removeprefix(f"{part} does not hold at the end").removeprefix(": ")
            if reason:
                screen.line((reason, QUIET), prefix=["      "])
