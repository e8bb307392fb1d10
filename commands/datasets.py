"""`groundplan datasets`: prepare data sets that cannot come with the package, list them, export tasks.

The sets are those of ``datasets.prepared``; a new one there appears here by itself. Options, JSON keys and
the fields of exported tasks (GRASIF's) are fixed; texts for people may be changed.
"""

from __future__ import annotations

import json
from pathlib import Path
from shlex import quote

import click

from ..compiler.goals.checker import check
from ..compiler.goals.goal import parse_goal
from ..datasets.grasif.goal_graphs import FORMS, Form
from ..datasets.library import PREPARED, SETS, load_set
from ..datasets.prepared import (
    DATASETS,
    MANIFEST,
    data_home,
    files_of,
    folder_of,
    left_out,
    place_of,
    prepared_files,
    task_record,
)
from ..datasets.task import LABELS, Task
from ..domains.pack import Pack, load_pack
from ..engines.base import Budget
from ..engines.engine import Engine
from ..evaluation.golds.task_sizes import SIZES, sizes_of
from ..evaluation.report.papers.published import other_sets, printed_sizes
from ..planners.classical import plan_goal
from ..simulator.belief import ground
from ..simulator.scene import DOUBT
from .console.escape import json_text
from .console.losses import PLACE, losses_by_kind
from .console.terminal import GOOD, NAME, QUIET, UNSURE, Screen, number_of
from .options import FOLDER, NumberRange
from .output.folder import check_file, check_folder, refuse_input, write_file, write_folder


@click.group(name="datasets")
def command() -> None:
    """Prepare, list and export data sets."""


@command.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_datasets(as_json: bool) -> None:
    """List the built-in task sets, and those to prepare with their sources."""
    rows: list[dict[str, object]] = [
        {"set": name, "tasks": len(load_set(name)), "ready": True} for name in SETS
    ]
    for dataset in DATASETS.values():
        place = place_of(dataset.set)
        ready = (place / MANIFEST).is_file()
        row: dict[str, object] = {"set": dataset.set, "name": dataset.name, "title": dataset.title}
        row |= {"from": dataset.source, "license": dataset.license, "folder": str(place), "ready": ready}
        rows.append(row | ({"tasks": len(load_set(dataset.set))} if ready else {}))
    if as_json:
        click.echo(json_text(rows))
        return
    screen = Screen()
    screen.heading("task sets", f"prepared ones are kept in {data_home()}")
    for row in rows:
        count = f"{row['tasks']} tasks" if row["ready"] else f"to prepare from {row['from']}"
        title = f"{row['title']}  " if "title" in row else ""
        screen.rows([((str(row["set"]), NAME if row["ready"] else QUIET), f"{title}{count}")])


@command.command(name="prepare")
@click.argument("name", type=click.Choice(list(DATASETS)))
@click.option("--from", "source", metavar="PATH", required=True, help="The archive, folder or file to read.")
@click.option("--out", type=FOLDER, metavar="DIR", help="Where to write; the data home if left out.")
@click.option(
    "--goals",
    type=click.Choice(FORMS),
    help="Goals from pairs of graphs: what changed (the default), or the whole graph: nothing else may.",
)
@click.option("--force", is_flag=True, help="Replace the set that is there.")
def prepare(name: str, source: str, out: Path | None, goals: Form | None, force: bool) -> None:
    """Read a data set from where it was downloaded to, and keep the tasks that are used.

    bddl: the source archive bddl-3.6.0.tar.gz. robothow: the wheel eai_eval-1.0.5-py3-none-any.whl, or
    VirtualHome's folder of programs and graphs. grasif: a JSONL file or pickle in GRASIF's fields. procthor:
    ProcTHOR houses, a file or a folder of them; a search for three things is drawn in each. context-matters:
    a clone of its repository with task folders. The hash of an archive is checked, and nothing in it is run
    or installed.
    """
    set_name = DATASETS[name].set
    target = out if out is not None else folder_of(set_name)
    for listed in sorted(files_of(target)) if Path(source).is_file() else ():
        refuse_input(target / listed, Path(source))
    check_folder(target, force, files_of(target))
    files = prepared_files(name, Path(source), goals)
    write_folder(target, files, force, files_of(target))
    tasks = load_set(set_name, target)
    screen = Screen()
    screen.line(("prepared: ", GOOD), (str(target), NAME), f"  {len(tasks)} tasks of {set_name}")
    if out is not None:
        screen.line(
            f"list them with: groundplan tasks list --set {set_name} --from {quote(str(target))}",
            prefix=["  "],
        )


@command.command(name="describe")
@click.argument("set_name", metavar="SET")
@click.option("--from", "folder", type=FOLDER, metavar="DIR", help="Where a prepared set is.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def describe(set_name: str, folder: Path | None, as_json: bool) -> None:
    """Count the tasks of a set, the rooms and nodes of their scenes, and the nodes that a task changes.

    Counted, too, is what the authors say of whether tasks can be done, what the scenes have not of their
    files, and the tasks that were left out.
    GRASIF's paper (LookPlanGraph, table 1) counts so; its figures stand beside.
    """
    made = sizes_of(load_set(set_name, folder))
    printed, not_kept = printed_sizes(set_name), left_out(set_name, folder)
    if as_json:
        rest = {"left_out": dict(not_kept), "paper": printed or None}
        click.echo(json_text({"set": set_name, **made.as_json(), **rest}))
        return
    screen = Screen()
    screen.heading(set_name, "means over its tasks")
    others = other_sets([set_name])
    cells = [("", "here", *(["paper (another set)" if others else "paper"] if printed else []))]
    for name, title in SIZES.items():
        value = getattr(made, name)
        here = "-" if value is None else f"{value:.2f}".removesuffix(".00")
        cells.append((title, here, *([printed.get(name, "")] if printed else [])))
    screen.rows([((line[0], NAME), *line[1:]) for line in cells])
    for words in others.values():
        screen.line(("not the paper's", UNSURE), f": {words}")
    if made.lacking:
        lacking = ", ".join(f"{name} in {count}" for name, count in made.lacking.items())
        screen.line(("no goal", UNSURE), f" where a predicate is asked for that no pack has: {lacking}")
    if made.misfits:
        misfits = ", ".join(f"{code} in {count}" for code, count in made.misfits.items())
        screen.line(("no goal", UNSURE), f" that fits its scene, for the error: {misfits}")
    for label, count in made.labels.items():
        meaning = LABELS.get(label, "the authors do not say")
        screen.line((label or "no label", NAME), f": {number_of(count, 'task')} ({meaning})")
    for line in losses_by_kind(made.losses):
        screen.line(("lost", UNSURE), f": {line}")
    if placeless := sum(loss.count for loss in made.losses if loss.kind == PLACE):
        screen.line(("place not known", UNSURE), f": {number_of(placeless, 'thing')}")
    if doubtful := sum(loss.count for loss in made.losses if loss.kind == DOUBT):
        screen.line(("doubtful in its file", UNSURE), f": {number_of(doubtful, 'place')} (--json has each)")
    for reason, count in not_kept.items():
        screen.line(("left out", UNSURE), f": {number_of(count, 'task')}, {reason}")


@command.command(name="export")
@click.argument("set_name", metavar="SET")
@click.option("--from", "folder", type=FOLDER, metavar="DIR", help="Where a prepared set is.")
@click.option("--out", metavar="FILE", required=True, help="The JSONL file to write.")
@click.option("--seconds", type=NumberRange(min=0.1), default=30.0, help="For each plan that is missing.")
@click.option("--force", is_flag=True, help="Replace the file if it exists.")
def export(set_name: str, folder: Path | None, out: str, seconds: float, force: bool) -> None:
    """Write a set in GRASIF's fields: instruction, initial and goal graph, actions, one task a line.

    The goal graph is what the task's plan leads to. A task without a plan is planned for; one for which no
    plan is found is left out, and named, with the error of its goal where that has one.
    """
    if set_name in PREPARED:
        refuse_input(Path(out), folder if folder is not None else folder_of(set_name))
    check_file(Path(out), force)
    engine = Engine.named("pyperplan")
    lines: list[str] = []
    without: dict[str, str] = {}
    for task in load_set(set_name, folder):
        pack = load_pack(task.pack)
        steps, error = (task.gold.plan, "") if task.gold.plan else _planned(task, pack, engine, seconds)
        if steps:
            lines.append(json.dumps(task_record(task, steps, pack).as_json(), ensure_ascii=True) + "\n")
        else:
            without[task.id] = error
    write_file(Path(out), "".join(lines), force)
    screen = Screen()
    screen.line(("written: ", GOOD), (out, NAME), f"  {len(lines)} tasks of {set_name}")
    for name, error in without.items():
        screen.line(("no plan", UNSURE), f": {name} is left out" + (f", {error}" if error else ""))


def _planned(task: Task, pack: Pack, engine: Engine, seconds: float) -> tuple[tuple[str, ...], str]:
    """Plan for a task; return the printed steps, none without a verified plan, and the error of its goal."""
    if not task.gold.goal:
        return (), ""
    goal, belief = parse_goal(task.gold.goal), ground(task.load(), pack)
    errors = [d.message for d in check(goal, belief).diagnostics if d.severity == "error"]
    if errors:
        return (), f"its goal has an error: {errors[0]}"
    result = plan_goal(goal, belief, engine, Budget(seconds))
    return (tuple(map(str, result.steps)) if result.verified else ()), ""
