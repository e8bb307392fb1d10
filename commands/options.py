"""Options that several verbs share: a scene or a task, a domain pack, a goal.

A verb decorates its function with `world_options`, and gets what opens the scene as `given`, or with
`scene_options` and opens what they name with `open_world`. Texts are read from a file, standard input or a
pipe, within a bound. A new shared option is added here; names and meanings of the present ones stay, since
every verb has them. `--task` stands wherever `--scene` does: it gives the task's scene with its overlay, and
its instruction, gold goal or gold query where none is given. With both, the task's overlay is applied to the
scene that is named.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from math import isnan
from pathlib import Path
from shlex import quote
from typing import Any, TypeVar

import click

from ..compiler.certificates.rules import read_rules
from ..compiler.goals.checker import check
from ..compiler.goals.goal import MAX_CHARACTERS, Goal, GoalSyntaxError, parse_goal, parse_wrapped
from ..compiler.goals.recovery import syntax_errors
from ..compiler.goals.spelling import known_facts, spelled
from ..datasets.library import find_scene, find_task
from ..datasets.task import Task, apply_overlay
from ..domains.deadline import LimitReached, limited
from ..domains.diagnostic import Diagnostic, has_errors
from ..domains.errors import InputError, clip
from ..domains.files import decode_lines, decode_text, read_bytes
from ..domains.files import read_text as read_file
from ..domains.pack import load_pack
from ..simulator.belief import Belief, ground
from ..simulator.scene import Scene
from .case import Case
from .console.diagnostics import show_diagnostics
from .console.escape import json_text, safe
from .console.terminal import Screen
from .grouped import grouped

SECONDS = 30.0
"""Time for a verb where no other is given."""

RULES = "operator_rules"
"""Name of the option of rules in the context of a command."""
RULES_HELP = "Rules that every plan keeps: a file of formulas about the run, as (never (robot_at lobby))."
MAX_RULES_BYTES = 1024 * 1024
MAX_BYTES = 64 * 1024 * 1024
"""Most bytes of a plan file."""
MAX_GOALS_BYTES = 16 * 1024 * 1024
"""Most bytes of a file of several goals."""

HARMLESS = frozenset(
    ("affordance", "contradiction", "count", "impossible", "irreversible", "place-unknown", "rule")
)
"""Errors of a check that say what a goal asks for: it is well-formed all the same."""

PIPES = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")
"""Beginnings of the names of what a process was started with."""


class _Folder(click.Path):
    """Name of a folder. An empty one (a variable that is not set) is refused and not the current one."""

    name = "folder"

    def convert(
        self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        if not os.fspath(value):
            self.fail("give the name of a folder; . is the one that you are in", param, ctx)
        return super().convert(value, param, ctx)


FOLDER = _Folder(path_type=Path)


class NumberRange(click.FloatRange):
    """A range of numbers; ``nan``, which no bound of a range turns down, is refused."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if isnan(number):
            self.fail("nan is not a number", param, ctx)
        return number


_Command = TypeVar("_Command", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Given:
    """Options that name a scene or a task, and the pack that it is under."""

    scene: str | None
    task: str | None
    item: str
    pack: str | None
    one_handed: bool

    def case(self, form: str = "") -> Case:
        """Load the scene, or that of the task, under the domain pack, by default the task's own.

        ``form`` is the format of a file. Raises :class:`InputError`.
        """
        loaded, entry = open_world(self.scene, self.task, self.item, form)
        name = self.pack or pack_of((entry,) if entry is not None else ())
        domain = load_pack(name, "one-handed" if self.one_handed else None)
        return Case(under_given_rules(ground(loaded, domain)), entry)


def _kept(context: click.Context, option: click.Parameter, value: str | None) -> None:
    """Keep an option in the context of its command, for whoever reads the scene: nothing else needs it."""
    context.meta[f"groundplan.{option.name}"] = value


pack_option = click.option(
    "--pack", metavar="NAME_OR_DIR", help="Domain pack; that of the task, or household, if left out."
)
rules_option = click.option(
    "--rules", RULES, metavar="FILE", expose_value=False, callback=_kept, help=RULES_HELP
)
"""Option of a file of rules, which every run keeps; :meth:`Given.case` reads it."""
item_option = grouped(
    click.option(
        "--item",
        metavar="ID",
        default="",
        help="One scene of a file, folder or prepared set of several: its id, or what a message lists.",
    ),
    click.option(
        "--labels",
        metavar="FILE",
        default="",
        expose_value=False,
        callback=_kept,
        help="The label space of a Spark-DSG file that has numbers for classes: Hydra's YAML, CSV or JSON.",
    ),
    click.option(
        "--robot",
        metavar="ID",
        default="",
        expose_value=False,
        callback=_kept,
        help="The agent that is the robot, where a scene file has several (the first).",
    ),
)
"""Options of every verb with a scene: which one of several, and how :func:`scene_named` reads it."""
scene_options = grouped(
    click.option("--scene", metavar="NAME_OR_FILE", help="A scene that comes along, or any scene file."),
    click.option("--task", metavar="ID", help="A task: its scene, and its instruction or gold."),
    item_option,
)
"""Options that :func:`open_world` takes."""
goal_option = click.option("--goal", metavar="FORMULA|@FILE", help="A goal in PDDL syntax; @- reads it.")
"""Option that :func:`named_goal` takes."""


def world_options(command: _Command) -> _Command:
    """Add the options of a scene under a pack; the command gets them as ``given``."""

    @functools.wraps(command)
    def with_given(
        *args: Any,
        scene: str | None,
        task: str | None,
        item: str,
        pack: str | None,
        one_handed: bool,
        **options: Any,
    ) -> Any:
        return command(*args, given=Given(scene, task, item, pack, one_handed), **options)

    one_handed = click.option(
        "--one-handed", is_flag=True, help="Doors open and close with an empty hand only."
    )
    return grouped(scene_options, pack_option, one_handed, rules_option)(with_given)  # type: ignore[return-value]


def scene_named(name_or_file: str, item: str = "", form: str = "") -> Scene:
    """Open a scene as :func:`find_scene` does, with the labels and the robot that the command was given."""
    meta = click.get_current_context().meta
    labels, robot = (meta.get(f"groundplan.{option}", "") for option in ("labels", "robot"))
    return find_scene(name_or_file, item, form, labels, robot)


def timeout_option(
    answer: Callable[[LimitReached], dict[str, object]] = LimitReached.as_json,
    seconds: float = SECONDS,
    unlimited: tuple[str, Callable[[Mapping[str, Any]], bool]] | None = None,
) -> Callable[[_Command], _Command]:
    """Add a time limit for all that a verb does; one that is cut off says so and ends with exit code 1.

    ``answer`` makes the JSON that is then printed with ``--json``. ``unlimited`` names work without a limit
    unless one is given, and knows it by the options.
    """

    def with_option(command: _Command) -> _Command:
        @functools.wraps(command)
        def in_time(*args: Any, timeout: float | None, **options: Any) -> Any:
            if timeout is None and unlimited is not None and unlimited[1](options):
                return command(*args, **options)
            try:
                with limited(positive_seconds(seconds if timeout is None else timeout)):
                    return command(*args, **options)
            except LimitReached as cut:
                if options.get("as_json"):
                    click.echo(json_text(answer(cut)))
                else:
                    click.echo(f"{cut.ending.value}: {safe(str(cut))}", err=True)
                raise click.exceptions.Exit(1) from cut

        words = f"{seconds:g}" + (f"; none for {unlimited[0]}" if unlimited is not None else "")
        option = click.option("--timeout", metavar="S", type=float, help=f"Seconds for all of it ({words}).")
        return option(in_time)  # type: ignore[return-value]

    return with_option


def positive_seconds(timeout: float) -> float:
    """Return the seconds of ``--timeout``. Raises :class:`click.BadParameter` for what is no time."""
    if not 0 < timeout < 1e9:
        raise click.BadParameter("give a positive number of seconds", param_hint="--timeout")
    return timeout


def under_given_rules(belief: Belief) -> Belief:
    """Return a belief with the rules of its pack and of ``--rules``. Raises :class:`InputError`."""
    path = click.get_current_context().meta.get(f"groundplan.{RULES}")
    return read_rules(rules_text(path), belief, path or "")


def rules_text(path: str | None) -> str | None:
    """Return the text of a file of rules, if one is named. Raises :class:`InputError`."""
    return None if path is None else read_file(Path(path), MAX_RULES_BYTES)


def pack_of(tasks: Iterable[Task]) -> str:
    """Return the pack in which the golds of tasks are written. Raises :class:`InputError` for several."""
    names = tuple(dict.fromkeys(task.pack for task in tasks)) or ("household",)
    if len(names) > 1:
        raise InputError("tasks", "tasks of one domain pack", " and ".join(names), "take one set at a time")
    return names[0]


def open_world(
    scene: str | None, task: str | None, item: str = "", form: str = ""
) -> tuple[Scene, Task | None]:
    """Load a scene, a task's scene, or a scene with the overlay of a task.

    ``item`` picks one of several scenes, ``form`` is the format of a file. Raises :class:`InputError`,
    :class:`click.UsageError` for neither scene nor task, and for the item of a task.
    """
    if item and scene is None:
        raise click.UsageError("--item picks one of several scenes: name their file or set with --scene")
    entry = find_task(task) if task is not None else None
    meta = click.get_current_context().meta
    if scene is None and any(meta.get(f"groundplan.{option}") for option in ("labels", "robot")):
        raise click.UsageError("--labels and --robot say how a scene file is read: name one with --scene")
    if scene is not None:
        loaded = scene_named(scene, item, form)
        return (apply_overlay(loaded, entry.overlay, entry.id) if entry is not None else loaded), entry
    if entry is None:
        raise click.UsageError("give --scene NAME_OR_FILE or --task ID (see `groundplan scene list`)")
    return entry.load(), entry


def refuse_beside_goal(goal: str | None, instruction: str | None, reader: str | None) -> None:
    """Refuse what a goal would leave unread. Raises :class:`click.UsageError`."""
    if goal is not None and (instruction is not None or reader is not None):
        raise click.UsageError("--goal needs no INSTRUCTION and no --reader: leave one out")


def goal_text(option: str, lines: bool = False) -> tuple[str, str]:
    """Return the text of a goal and its source: the option itself, or a file after an @.

    ``lines`` is for a text of several goals, read as :func:`decode_lines` does.
    """
    if not option.startswith("@"):
        return option, "goal"
    name = option[1:]
    where = "standard input" if name == "-" else name
    data = read_named(name, MAX_GOALS_BYTES if lines else 4 * MAX_CHARACTERS)
    return (decode_lines(data) if lines else decode_text(data, clip(where, 200))), where


def read_text(name: str, limit: int = MAX_BYTES) -> str:
    """Return the text of what :func:`read_named` reads. Raises :class:`InputError`."""
    return decode_text(read_named(name, limit), "standard input" if name == "-" else clip(name, 200))


def read_named(name: str, limit: int = MAX_BYTES) -> bytes:
    """Return the bytes of a file, of standard input for `-`, or of a pipe that the shell made.

    Such a pipe (`<(...)`) has a name in `/dev`; other pipes and devices are refused, since they may never
    end. Raises :class:`InputError`.
    """
    if name != "-" and not name.startswith(PIPES):
        return read_bytes(Path(name), limit)
    where = "standard input" if name == "-" else name
    try:
        if name == "-":
            data = sys.stdin.buffer.read(limit + 1) if sys.stdin is not None else b""
        else:
            with open(name, "rb") as pipe:
                data = pipe.read(limit + 1)
    except OSError as error:
        raise InputError(where, "a readable file", error.strerror or clip(str(error))) from error
    if len(data) > limit:
        raise InputError(where, f"a file of at most {limit} bytes", "more")
    return data


def named_goal(option: str | None, case: Case, lines: bool = False) -> tuple[str, str]:
    """Return the text of the goal that an option gives, or of the task's gold goal, and its source.

    ``lines`` is that of :func:`goal_text`.
    """
    if option is not None:
        return goal_text(option, lines)
    if case.task is None:
        raise click.UsageError("give --goal FORMULA, or --task ID for its gold goal")
    return gold_goal(case.task)


def gold_goal(task: Task) -> tuple[str, str]:
    """Return the gold goal of a task and its source. Raises :class:`InputError` for a search task."""
    if not task.gold.goal:
        hint = f"`groundplan find --task {quote(task.id)}` answers it"
        if task.gold.lacking:
            got = f"one that asks for {', '.join(task.gold.lacking)}"
            raise InputError(f"task {task.id}", "a task with a gold goal", got, "no pack has this")
        got = "a question about the scene"
        if not task.gold.query:
            got = "one to be declined" if task.gold.unsolvable else "one without a gold"
            hint = "give --reader, which reads its instruction, or --goal"
        raise InputError(f"task {task.id}", "a task with a gold goal", got, hint)
    return task.gold.goal, f"gold goal of {task.id}"


def read_goal(text: str, where: str, belief: Belief) -> Goal:
    """Read the goal of a text, out of what models wrap it in, with names as the scene spells them.

    Raises :class:`GoalSyntaxError`.
    """
    try:
        goal = parse_goal(text, where)
    except GoalSyntaxError as error:
        if error.diagnostic.code == "too-long":  # and so is what it is wrapped in
            raise
        answer = parse_wrapped(text, where, known_facts(belief))
        if not isinstance(answer, Goal):  # (missing "..") is no goal, however it is wrapped
            raise
        goal = answer
    return spelled(goal, belief)


def well_formed(text: str, where: str, case: Case) -> tuple[tuple[Diagnostic, ...], Goal | None]:
    """Return the diagnostics of a goal, and the goal where it is well-formed, whatever it asks for."""
    try:
        goal = read_goal(text, where, case.belief)
    except GoalSyntaxError as error:
        return syntax_errors(text, where, error), None
    report = check(goal, case.belief)
    if report.cut is not None:
        raise report.cut
    wrong = has_errors(tuple(d for d in report.diagnostics if d.code not in HARMLESS))
    return report.diagnostics, None if wrong else goal


def checked_goal(text: str, where: str, case: Case, mendable: Collection[str] = ()) -> Goal:
    """Parse and check a goal; show what is wrong with it, and end the command with exit code 2 for errors.

    ``mendable`` are codes of errors that whoever acts may find to be none.
    """
    try:
        goal = read_goal(text, where, case.belief)
        report = check(goal, case.belief)
        diagnostics = report.diagnostics
        if report.cut is not None:
            raise report.cut
    except GoalSyntaxError as error:
        diagnostics = (error.diagnostic,)
    if has_errors(tuple(d for d in diagnostics if d.code not in mendable)):
        show_diagnostics(Screen(error=True), diagnostics, text, where, case.belief.scene)
        raise click.exceptions.Exit(2)
    return goal
