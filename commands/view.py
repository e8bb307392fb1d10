"""`groundplan view`: a scene, a task or a run to look at, as a page or as a picture.

The work is done in ``pictures``; here are the options, and what is a scene, a task or a record. Options and
exit codes are fixed, since scripts rely on them; the look of pages and pictures is free.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from ..compiler.certificates.records import same_world
from ..compiler.goals.goal import parse_goal
from ..datasets.library import find_scene, names_task
from ..datasets.scenes import SCENES
from ..datasets.task import Task
from ..domains.errors import InputError
from ..domains.files import parse_json
from ..language.sentences.saying import say
from ..simulator.belief import Belief, ground
from ..simulator.scene import Scene
from .console.terminal import Screen
from .options import open_case, read_text, timeout_option, world_options
from .output.folder import check_file, write_file
from .output.seals import RECORD
from .picture_files import check_pictures, picture_options, say_written, write_pictures
from .pictures.page import page_of, page_of_scene
from .pictures.picture import picture_of, picture_of_scene


@click.command(name="view")
@click.argument("what", metavar="SCENE|TASK|RUN")
@timeout_option()
@world_options
@click.option("--world", metavar="NAME_OR_FILE", help="What was really there, where the run acted in it.")
@click.option(
    "-o", "--out", type=click.Path(path_type=Path), metavar="FILE", help="The page (NAME.html here)."
)
@picture_options
@click.option("--force", is_flag=True, help="Replace files that exist.")
def command(
    what: str,
    scene: str | None,
    task: str | None,
    item: str,
    pack: str,
    one_handed: bool,
    world: str | None,
    out: Path | None,
    svg: Path | None,
    png: Path | None,
    force: bool,
) -> None:
    """Make a page of a scene (a name or a file of any format), a task by its id, or a run.

    The page is one HTML file that loads nothing: the floors, the scene as a tree, and of a run its plan step
    by step, the goal and what became of it. --svg and --png draw a picture instead; with -o both are made. A
    run is a folder that `plan --out` wrote, its record.json, or a file of what `plan --json` printed. Its
    scene is that of its task, or what --scene names, and has to be the one that the run was given.
    """
    if out is None and svg is None and png is None:
        out = Path(f"{Path(what).resolve().name or 'view'}.html")
    if out is not None:
        check_file(out, force)
    check_pictures(svg, png, force)
    record = _record(what)
    if record is None and (scene is not None or task is not None):
        raise click.UsageError(
            f"--scene and --task say what a run was given, and {what!r} is no record of one"
        )
    shown: Scene | Belief
    if record is not None:
        shown = open_case(*_given(record, scene, task), item, pack, one_handed).belief
        if record.get("hashes"):
            same_world(record, shown, what)
    elif names_task(what) and not Path(what).exists():
        case = open_case(None, what, item, pack, one_handed)
        assert case.task is not None
        shown, record = case.belief, _of_task(case.task, case.belief)
    else:
        shown = find_scene(what, item)
    if isinstance(shown, Scene):
        drawing, page = picture_of_scene(shown), page_of_scene(shown) if out is not None else ""
    else:
        assert record is not None
        truth = ground(find_scene(world), shown.pack) if world is not None else None
        drawing, page = picture_of(record, shown), page_of(record, shown, truth) if out is not None else ""
    if out is not None:
        write_file(out, page, force)
    write_pictures(drawing, svg, png, force)
    say_written(Screen(), out, svg, png)


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


def _given(
    record: Mapping[str, object], scene: str | None, task: str | None
) -> tuple[str | None, str | None]:
    """Return the scene and the task of a run: those that are named, else the task that its record names."""
    named = record.get("task")
    if scene is None and task is None and isinstance(named, str):
        return None, named
    if scene is None and task is None:
        raise click.UsageError("a record does not hold its scene: name it with --scene")
    return scene, task


def _of_task(task: Task, belief: Belief) -> Mapping[str, object]:
    """Return the keys of a record that a task has: its instruction, and its gold goal with its words."""
    fields: dict[str, object] = {"instruction": task.instruction, "goal": task.gold.goal}
    if task.gold.goal:
        fields["says"] = say(parse_goal(task.gold.goal).formula, belief)
    return fields
