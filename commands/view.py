"""`groundplan view`: a scene, a task or a run to look at.

The work is done in ``pictures``; here are the options, and what is a scene, a task or a record. Options and
exit codes are fixed, since scripts rely on them; the look of pictures is free.
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
from ..simulator.belief import Belief
from .console.terminal import Screen
from .options import open_case, read_text, timeout_option, world_options
from .output.seals import RECORD
from .picture_files import check_pictures, picture_options, say_written, write_pictures
from .pictures.picture import picture_of, picture_of_scene
from .pictures.shapes import Drawing


@click.command(name="view")
@click.argument("what", metavar="SCENE|TASK|RUN")
@timeout_option()
@world_options
@picture_options
@click.option("--force", is_flag=True, help="Replace files that exist.")
def command(
    what: str,
    scene: str | None,
    task: str | None,
    item: str,
    pack: str,
    one_handed: bool,
    svg: Path | None,
    png: Path | None,
    force: bool,
) -> None:
    """Draw a scene (a name or a file of any format), a task by its id, or a run.

    A run is a folder that `plan --out` wrote, its record.json, or a file of what `plan --json` printed. Its
    scene is that of its task, or what --scene names, and has to be the one that the run was given.
    """
    if svg is None and png is None:
        raise click.UsageError("give --svg FILE or --png FILE")
    check_pictures(svg, png, force)
    record = _record(what)
    if record is None and (scene is not None or task is not None):
        raise click.UsageError(
            f"--scene and --task say what a run was given, and {what!r} is no record of one"
        )
    if record is not None:
        drawing = _of_record(
            record, what, open_case(*_given(record, scene, task), item, pack, one_handed).belief
        )
    elif names_task(what) and not Path(what).exists():
        case = open_case(None, what, item, pack, one_handed)
        assert case.task is not None
        drawing = _of_task(case.task, case.belief)
    else:
        drawing = picture_of_scene(find_scene(what, item))
    write_pictures(drawing, svg, png, force)
    say_written(Screen(), svg, png)


def _record(what: str) -> dict[str, object] | None:
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
        return None  # what it is then, the reader of scenes says
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


def _of_record(record: Mapping[str, object], where: str, belief: Belief) -> Drawing:
    if record.get("hashes"):
        same_world(record, belief, where)
    return picture_of(record, belief)


def _of_task(task: Task, belief: Belief) -> Drawing:
    """Return the picture of a task: its scene, its instruction, and its gold goal in words."""
    fields: dict[str, object] = {"instruction": task.instruction, "goal": task.gold.goal}
    if task.gold.goal:
        fields["says"] = say(parse_goal(task.gold.goal).formula, belief)
    return picture_of(fields, belief)
