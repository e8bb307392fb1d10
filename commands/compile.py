"""`groundplan compile`: a goal and a scene as a PDDL domain and problem, and the table of symbols."""

from __future__ import annotations

import json
from pathlib import Path

import click

from ..compiler.goals.goal import Goal
from ..compiler.normal import normal_form
from ..compiler.pddl import RenderedProblem, render
from ..compiler.problem import build
from ..compiler.relevance import NEAREST
from ..simulator.belief import Belief
from .console.terminal import GOOD, NAME, QUIET, Screen
from .options import FOLDER, checked_goal, goal_option, named_goal, open_case, world_options
from .output import check_folder, write_folder


@click.command(name="compile")
@world_options
@goal_option
@click.option("--out", type=FOLDER, required=True, metavar="DIR", help="Where to write.")
@click.option("--costs/--no-costs", default=True, help="With costs, or plain typed STRIPS.")
@click.option("--whole", is_flag=True, help="Keep every helper, not only the nearest ones.")
@click.option("--force", is_flag=True, help="Write to a folder that has files, too.")
def command(
    scene: str | None,
    task: str | None,
    pack: str,
    one_handed: bool,
    goal: str | None,
    out: Path,
    costs: bool,
    whole: bool,
    force: bool,
) -> None:
    """Write domain.pddl, problem.pddl and symbols.json (PDDL symbols and the names that they stand for)."""
    check_folder(out, force)
    case = open_case(scene, task, pack, one_handed)
    text = pddl(checked_goal(*named_goal(goal, case), case), case.belief, costs, whole)
    write_folder(out, pddl_files(text), force)
    screen = Screen()
    problem = text.source
    screen.line(("written: ", GOOD), (str(out), NAME), "/domain.pddl, problem.pddl, symbols.json")
    screen.line(f"{len(problem.objects)} objects, {len(problem.actions)} actions, {len(problem.init)} facts")
    if not problem.complete:
        note = f"Only the {NEAREST} nearest interchangeable helpers are in it; --whole keeps all."
        screen.line((note, QUIET))


def pddl(goal: Goal, belief: Belief, costs: bool = True, whole: bool = False) -> RenderedProblem:
    """The PDDL of a checked goal, over what the goal depends on.

    Raises :class:`GoalError` for an expansion that is too large, ``Unsupported`` for what no engine may be
    asked.
    """
    return render(build(normal_form(goal.formula, belief), belief, nearest=None if whole else NEAREST), costs)


def pddl_files(text: RenderedProblem) -> dict[str, str]:
    """The files of a compiled problem by name."""
    table = text.table
    back = {
        kind: {symbol: name for name, symbol in sorted(names.items())}
        for kind, names in (
            ("types", table.types),
            ("predicates", table.predicates),
            ("actions", table.actions),
            ("objects", table.objects),
        )
    }
    symbols = json.dumps(back, indent=2, ensure_ascii=True) + "\n"
    return {"domain.pddl": text.domain, "problem.pddl": text.problem, "symbols.json": symbols}
