"""`groundplan view`: a scene, a task or a run to look at, as a page or as a picture.

The work is done in ``pictures``; here are the options, and what is a scene, a task or a record.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import click

from ..compiler.certificates.records import same_world
from ..compiler.goals.goal import parse_goal
from ..datasets.library import names_task
from ..datasets.scenes import SCENES
from ..domains.errors import InputError
from ..domains.files import open_regular, parse_json
from ..evaluation.bench.kept_tasks import tasks_of
from ..evaluation.bench.results import load_results
from ..language.sentences.saying import say
from ..robot.trace import read_trace
from ..robot.trace_lines import BEGINS
from ..simulator.belief import ground
from .case import Case
from .console.terminal import Screen
from .options import Given, read_text, scene_named, timeout_option, world_options
from .output.seals import RECORD
from .picture_files import DrawnFiles, picture_options, say_written
from .pictures.page import page_of, page_of_scene
from .pictures.picture import picture_of, picture_of_scene
from .pictures.shapes import Drawing
from .pictures.traced import check_world, record_of
from .row_pages import record_of_row, row_named, world_of_row


@click.command(name="view")
@click.argument("what", metavar="SCENE|TASK|RUN")
@timeout_option()
@world_options
@click.option("--row", metavar="KEY", help="One run of a folder that bench wrote (`report` has the keys).")
@click.option("--world", metavar="NAME_OR_FILE", help="What was really there, where the run acted in it.")
@click.option(
    "-o", "--out", type=click.Path(path_type=Path), metavar="FILE", help="The page (NAME.html here)."
)
@picture_options
@click.option("--force", is_flag=True, help="Replace files that exist.")
def command(
    what: str,
    given: Given,
    row: str | None,
    world: str | None,
    out: Path | None,
    svg: Path | None,
    png: Path | None,
    force: bool,
) -> None:
    """Make a page of a scene (a name or a file of any format), a task by its id, or a run.

    The page is one HTML file that loads nothing: the floors, the scene as a tree, and of a run its plan step
    by step, the goal and what became of it. --svg and --png draw a picture instead; with -o both are made. A
    run is a folder that `plan --out` wrote, its record.json, a file of what `plan --json` printed, or a trace
    of `run`. Its scene is that of its task, or what --scene names, and has to be the one that the run was
    given; for a trace that of the true world.
    """
    if out is None and svg is None and png is None:
        out = Path(f"{Path(what).resolve().name or 'view'}.html")
    files = DrawnFiles(svg, png, out, force)
    files.check()
    if row is not None:
        drawing, page = _of_row(Path(what), row, given)
    elif _is_trace(what):
        drawing, page = _of_trace(Path(what), given)
    elif (record := _record(what)) is not None:
        drawing, page = _of_record(record, what, world, given)
    elif given.scene is not None or given.task is not None:
        raise click.UsageError(f"--scene and --task are what a run was given; {what!r} is no record of one")
    elif names_task(what) and not Path(what).exists():
        drawing, page = _of_task(replace(given, task=what))
    else:
        shown = scene_named(what, given.item)
        drawing, page = lambda: picture_of_scene(shown), lambda: page_of_scene(shown)
    files.write(drawing, page)
    say_written(Screen(), filter(None, (out, svg, png)))


def _case(given: Given) -> Case:
    if given.scene is None and given.task is None:
        raise click.UsageError("a run does not hold its scene: name it with --scene")
    return given.case()


_View = tuple[Callable[[], Drawing], Callable[[], str]]
"""The makers of a picture and of a page."""


def _of_row(folder: Path, key: str, given: Given) -> _View:
    results = load_results(folder)
    row = row_named(results, key)
    named = given.scene is not None or given.task is not None
    world = world_of_row(row, results.manifest, tasks_of(folder), _case(given).belief if named else None)
    return lambda: picture_of(record_of_row(row), world.belief), lambda: world.page(row)


def _of_trace(path: Path, given: Given) -> _View:
    trace, belief = read_trace(path), _case(given).belief
    check_world(trace, belief, str(path))
    record = record_of(trace)
    record["says"] = say(parse_goal(str(record["goal"]), str(path)).formula, belief)
    return lambda: picture_of(record, belief), lambda: page_of(record, belief)


def _of_record(record: Mapping[str, object], where: str, world: str | None, given: Given) -> _View:
    named = record.get("task")
    if given.scene is None and given.task is None and isinstance(named, str):
        given = replace(given, task=named)
    belief = _case(given).belief
    if record.get("hashes"):
        same_world(record, belief, where)
    truth = ground(scene_named(world), belief.pack) if world is not None else None
    return lambda: picture_of(record, belief), lambda: page_of(record, belief, truth)


def _of_task(given: Given) -> _View:
    """Draw a task: its scene, its instruction, and its gold goal in words."""
    case = _case(given)
    assert case.task is not None
    belief, goal = case.belief, case.task.gold.goal
    record: dict[str, object] = {"instruction": case.task.instruction, "goal": goal}
    if goal:
        record["says"] = say(parse_goal(goal).formula, belief)
    return lambda: picture_of(record, belief), lambda: page_of(record, belief)


def _is_trace(what: str) -> bool:
    """Return whether a file begins as a trace of an execution does."""
    try:
        with open_regular(Path(what)) as file:
            return file.read(len(BEGINS)) == BEGINS
    except (OSError, InputError):
        return False  # the reader of scenes says what is wrong


def _record(what: str) -> Mapping[str, object] | None:
    """Return the record of a run that a folder or file has; ``None`` for anything else."""
    path = Path(what)
    if what in SCENES or not path.exists():
        return None
    if path.is_dir():
        if not (path / RECORD).exists():
            return None
        path = path / RECORD
    elif path.suffix != ".json":
        return None
    try:
        raw = parse_json(read_text(str(path)), str(path))
    except InputError:
        return None  # the reader of scenes says what is wrong
    return raw if isinstance(raw, dict) and isinstance(raw.get("outcome"), str) else None
