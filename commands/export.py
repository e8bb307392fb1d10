"""`groundplan export`: a plan in a format that robots run, read back before it is written.

The formats are those of ``robot.exports.formats``; a new one there appears here by itself.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from ..compiler.engine_plan import is_engine_plan, read_engine_plan, read_symbols
from ..compiler.goals.goal import Goal
from ..domains.errors import InputError, clip
from ..domains.files import parse_json
from ..pipeline.record import Record
from ..robot.comparison import differences, under_written
from ..robot.exports.btcpp import TREE_FORMS, TreeForm
from ..robot.exports.formats import EXPORT_FORMATS, Files, read_plan, rules_written, write_export
from ..robot.exports.source import ExportSource, NotVerified, source_of
from ..robot.program import Program
from ..robot.reading import program_in
from ..simulator.step import Step
from ..simulator.verification import verify_actions
from .case import Case
from .console.escape import safe
from .console.outcomes import meaning
from .console.terminal import GOOD, NAME, QUIET, Screen, number_of
from .grouped import grouped
from .options import (
    Given,
    checked_goal,
    goal_option,
    named_goal,
    read_text,
    timeout_option,
    world_options,
)
from .output.folder import check_file, check_folder, write_file, write_folder

FOLDERS = ("plansys2",)
"""The formats of several files."""
FORMAT_NAMES = list(EXPORT_FORMATS)


@click.command(name="export")
@click.argument("plan", metavar="RUN_OR_PLAN")
@timeout_option()
@world_options
@goal_option
@click.option("--symbols", metavar="FILE", help="symbols.json of `compile`, for a planner's plan.")
@click.option("--to", "to", type=click.Choice(FORMAT_NAMES), required=True, help="The format.")
@click.option(
    "--tree",
    type=click.Choice(TREE_FORMS),
    help="The form of a btcpp tree: sequence, as planned (the default), or reactive, which looks at facts.",
)
@click.option(
    "--out", metavar="FILE", help="The file to write, for plansys2 a folder; standard output without."
)
@click.option("--force", is_flag=True, help="Replace the file, or the folder of results.")
def command(
    plan: str,
    given: Given,
    goal: str | None,
    symbols: str | None,
    to: str,
    tree: TreeForm | None,
    out: str | None,
    force: bool,
) -> None:
    """Write a plan in a format that robots run.

    RUN_OR_PLAN is a folder of `plan --out`, a robot program, a record, printed steps, a planner's plan, a
    tree or module that was exported, or - for standard input. The plan is simulated first, and what is
    written is read back and compared with it. The goal is that of the run, unless --goal gives another. Exit
    codes: 0 written, 1 the simulator refuses the plan or the goal does not hold at its end, 2 bad input.
    """
    check_tree_option(to, tree)
    check_place(to, out, force)
    case = given.case()
    try:
        source = _source(plan, case, goal, symbols)
    except NotVerified as error:
        click.echo(safe(f"not exported: {error}", lines=True), err=True)
        raise click.exceptions.Exit(1) from error
    files = write_export(to, source, tree or "sequence")
    put(files, to, out, force)
    if out is not None:
        steps = number_of(len(source.program.commands), "step")
        Screen().line(("written: ", GOOD), (out, NAME), (f"  {to}, {steps}", QUIET))


export_options = grouped(
    click.option(
        "--export",
        type=click.Choice(FORMAT_NAMES),
        metavar="FORMAT",
        help=f"Write a verified plan for robots, too: {', '.join(FORMAT_NAMES)}.",
    ),
    click.option("--tree", type=click.Choice(TREE_FORMS), help="The form of the tree of --export btcpp."),
)
"""Options by which a run is exported as well."""


def check_export(to: str | None, tree: str | None, in_folder: bool, as_json: bool) -> None:
    """Refuse options that do not go together. Raises :class:`click.UsageError`."""
    if to is None:
        if tree is not None:
            raise click.UsageError("--tree is the form of the tree of --export btcpp")
        return
    check_tree_option(to, tree)
    if not in_folder and to in FOLDERS:
        raise click.UsageError(f"{to} is several files: name a folder with --out")
    if not in_folder and as_json:
        raise click.UsageError("--json and --export both print: name a folder with --out, or leave one out")


def say_why_not(record: Record) -> None:
    """Say on standard error why a run has nothing that can be exported."""
    why = "; ".join(record.reasons[:1]) or meaning(record)
    click.echo(safe(f"not exported: {record.outcome}: {why}", lines=True), err=True)


def check_tree_option(to: str, tree: str | None) -> None:
    """Refuse the form of a tree for what is no tree."""
    if tree is not None and to != "btcpp":
        raise click.UsageError("--tree is the form of a tree for BehaviorTree.CPP: use it with btcpp")


def check_place(to: str, out: str | None, force: bool) -> None:
    """Check that the files of a format can be written, before any work."""
    if to in FOLDERS:
        if out is None:
            raise click.UsageError(f"{to} is several files: name a folder with --out")
        check_folder(Path(out), force, own=None)
    elif out is not None:
        check_file(Path(out), force)


def put(files: Files, to: str, out: str | None, force: bool) -> None:
    """Write the files of a format to their place, or to standard output."""
    if out is None:
        for text in files.values():
            click.echo(safe(text, lines=True), nl=False)
    elif to in FOLDERS:
        write_folder(Path(out), files, force)
    else:
        (text,) = files.values()
        write_file(Path(out), text, force)


def _source(name: str, case: Case, goal: str | None, symbols: str | None) -> ExportSource:
    """Return the plan that a file or folder holds, verified on the scene."""
    name = _file_of(name)
    text, where = read_text(name), "standard input" if name == "-" else name
    program = program_in(text, where)
    case = replace(case, belief=under_written(rules_written(text, where), case.belief, f"{where}: rules"))
    if program is not None:
        _check_made_for(program, case, where)
        steps = program.steps()
    elif symbols is not None or is_engine_plan(text, case.belief.pack):
        table = read_symbols(read_text(symbols), symbols) if symbols is not None else None
        actions = read_engine_plan(text, case.belief, table, where)
        steps = verify_actions(actions, case.belief)[0]
    else:
        steps = read_plan(text, where)
    read = _goal(text, case, goal, program, where)
    return _as_written(program, steps, case, read, where)


def _as_written(
    program: Program | None, steps: tuple[Step, ...], case: Case, goal: Goal | None, where: str
) -> ExportSource:
    """Return the source of steps; a program has to be as its steps say."""
    source = source_of(steps, case.belief, goal, where)
    if program is not None and (wrong := differences(program, case.belief)):
        at = f"{where}: {wrong[0].printed or 'the program'}"
        hint = "`groundplan simulate` lists every difference"
        raise InputError(at, "a program as its printed steps say", wrong[0].message, hint)
    return source


def _file_of(name: str) -> str:
    """Return the file of a run that has its plan; another name stays."""
    folder = Path(name)
    if name == "-" or not folder.is_dir():
        return name
    for file in ("program.json", "record.json"):
        if (folder / file).is_file():
            return str(folder / file)
    raise InputError(clip(name, 200), "a folder that `plan --out` wrote", "one without program.json")


def _check_made_for(program: Program, case: Case, where: str) -> None:
    """Refuse a program of another scene or pack, in words of their own."""
    belief = case.belief
    if program.scene_hash not in ("", belief.scene.hash):
        hint = "name it with --scene or --task"
        if program.scene == belief.scene.name:
            hint = "of this name there are several: read with other --labels or --robot, or changed since"
        raise InputError(
            where, f"the scene that it was made for ({clip(program.scene)})", belief.scene.name, hint
        )
    if program.pack_hash not in ("", belief.pack.hash):
        hint = "name it with --pack; a pack that was changed since is another one"
        raise InputError(where, "the pack that it was made for", belief.pack.name, hint)


def _goal(text: str, case: Case, option: str | None, program: Program | None, where: str) -> Goal | None:
    """Return the goal of an option, of the run itself, or of the task; ``None`` without any."""
    if option is not None:
        return checked_goal(*named_goal(option, case), case)
    if program is not None and program.goal:
        return checked_goal(f"(and {' '.join(program.goal)})", f"{where}: goal", case)
    if program is None and text.lstrip("\ufeff \n\t").startswith("{"):
        raw = parse_json(text.removeprefix("\ufeff"), where)
        if isinstance(raw, dict) and isinstance(raw.get("goal"), str):
            return checked_goal(raw["goal"], f"{where}: goal", case)
    if case.task is not None and case.task.gold.goal:
        return checked_goal(*named_goal(None, case), case)
    return None
