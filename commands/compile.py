"""`groundplan compile`: a goal and a scene as a PDDL domain and problem, and the table of symbols.

The work is done by ``compiler.pddl.compile_goal`` and ``engines.unified_problem.compile_problem``; here are
the options, the files and what is printed.
"""

from __future__ import annotations

from pathlib import Path
from shlex import quote

import click

from ..compiler.certificates.constraints import avoiding
from ..compiler.pddl import compile_goal
from ..compiler.relevance import NEAREST
from ..domains.formula import constraints
from ..engines.unified_problem import compile_problem
from .console.losses import reading_note
from .console.terminal import GOOD, NAME, QUIET, UNSURE, Screen
from .options import FOLDER, Given, checked_goal, goal_option, named_goal, timeout_option, world_options
from .output.folder import check_folder, write_folder

CONSTRAINTS = (
    "What the run has to keep is in (:constraints ..), for planners that know PDDL3; --no-costs and "
    "--to unified compile it into the actions."
)
IN_ACTIONS = "What the run has to keep is compiled into the actions and the routes."


@click.command(name="compile")
@timeout_option()
@world_options
@goal_option
@click.option("--out", type=FOLDER, required=True, metavar="DIR", help="Where to write.")
@click.option("--costs/--no-costs", default=True, help="With costs, or plain typed STRIPS.")
@click.option(
    "--to",
    "form",
    type=click.Choice(["pddl", "unified"]),
    default="pddl",
    help="Our text, or what unified-planning writes of the same problem as its objects.",
)
@click.option("--whole", is_flag=True, help="Keep every helper, not only the nearest ones.")
@click.option("--force", is_flag=True, help="Replace a folder of results.")
def command(
    given: Given,
    goal: str | None,
    out: Path,
    costs: bool,
    form: str,
    whole: bool,
    force: bool,
) -> None:
    """Write domain.pddl, problem.pddl and symbols.json (PDDL symbols and the names that they stand for)."""
    check_folder(out, force)
    case = given.case()
    read = checked_goal(*named_goal(goal, case), case)
    belief = avoiding(read.formula, case.belief)
    if form == "unified":
        unified = compile_problem(read, belief, costs, whole)
        compiled, texts = unified.rendered, unified.files()
    else:
        compiled = compile_goal(read.formula, belief, costs, whole)
        texts = compiled.files()
    write_folder(out, texts, force)
    screen = Screen()
    problem = compiled.source
    screen.line(("written: ", GOOD), (str(out), NAME), "/domain.pddl, problem.pddl, symbols.json")
    screen.line(f"{len(problem.objects)} objects, {len(problem.actions)} actions, {len(problem.init)} facts")
    back = f"groundplan simulate .. --plan sas_plan --symbols {quote(str(out / 'symbols.json'))}"
    without = " (--no-costs for one that knows no costs)" if costs else ""
    screen.line((f"A plan of any planner for it{without}: {back}", QUIET))
    if note := reading_note(case.belief.scene):
        screen.line((note, UNSURE))
    if constraints(read.formula) or case.belief.rules:
        screen.line((CONSTRAINTS if problem.constraints else IN_ACTIONS, QUIET))
    if case.belief.scene.doors:
        screen.line(("Its drives pass closed doors between rooms; `plan` opens them on the way.", UNSURE))
    if not problem.complete:
        note = f"Only the {NEAREST} nearest interchangeable helpers are in it; --whole keeps all."
        screen.line((note, QUIET))
