"""`groundplan plan`: an instruction or a goal in, a verified plan and a robot program out.

The pipeline is ``pipeline.hybrid.run``; here are the options, the input of the run and the files of `--out`.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..acting.carried import carried_out
from ..compiler.goals.goal import Goal, GoalSyntaxError
from ..compiler.shown_part import COMPILE_FORMS, CompileForm
from ..domains.deadline import LimitReached, extended, paused, time_left
from ..domains.errors import InputError
from ..engines.base import Budget
from ..engines.engine import Engine
from ..language.reader import ReaderEvent, Unreadable
from ..pipeline.clarifying import Clarification
from ..pipeline.events import Event, GoalWritten, Listener
from ..pipeline.hybrid import Cancelled, run
from ..pipeline.record import Record
from ..planners.classical import cut_off
from ..planners.request import Request
from ..planners.verdict import OWN_SECONDS
from ..robot.exports.btcpp import TreeForm
from ..robot.exports.formats import EXPORT_FORMATS, write_export
from ..robot.exports.source import ExportSource
from ..robot.program import Program, translate
from ..simulator.belief import Belief, ground
from .case import Case
from .console.escape import json_text
from .console.sections import Sectioned
from .console.story import RunInput, Story
from .engines import engine_named, engine_options
from .export import check_export, export_options, put, say_why_not
from .house_options import house_options, take_house_settings
from .options import (
    FOLDER,
    SECONDS,
    Given,
    goal_text,
    gold_goal,
    read_goal,
    refuse_beside_goal,
    scene_named,
    timeout_option,
    world_options,
)
from .output.folder import check_folder, write_folder
from .picture_files import DrawnFiles, picture_options, view_option
from .pictures.page import page_of
from .pictures.picture import picture_of
from .plan_files import run_files
from .prompts import take_versions
from .readers import DEFAULT, ModelOptions, check_unread, model_options, reader_named, reader_options
from .setting import MEGABYTES, Make, PlanSetting, Tell

if TYPE_CHECKING:
    from .by_method import MethodRun

MOMENT = 0.001
"""Seconds of a budget where the last moment passed."""


def _cut_short(cut: LimitReached) -> dict[str, object]:
    """Return the JSON of a run that a limit ended before there was a goal to settle."""
    return Record(cut.ending.value, planning=cut_off(cut)).as_json() | {"program": None}


@click.command(name="plan", cls=Sectioned)
@click.argument("instruction", required=False)
@timeout_option(_cut_short)
@world_options
@click.option("--goal", metavar="FORMULA|@FILE", help="A goal in PDDL syntax instead of an instruction.")
@click.option(
    "--method", metavar="NAME", help="Run a method of comparison, or module:Class (`groundplan methods`)."
)
@reader_options
@click.option(
    "--world", metavar="NAME_OR_FILE", help="What is really there, where it differs from what the scene says."
)
@click.option("--world-item", metavar="ID", default="", help="One scene of several that --world names.")
@engine_options
@click.option(
    "--no-tidy",
    is_flag=True,
    help="Leave the hand, doors and switches of which the goal says nothing as the plan leaves them.",
)
@click.option(
    "--ask",
    is_flag=True,
    help="Ask back where an instruction has several readings; without a terminal they are listed.",
)
@click.option(
    "--relax",
    is_flag=True,
    help="Give up part of a goal that is proved impossible, as little as can be; all of it is said.",
)
@click.option(
    "--suggest",
    is_flag=True,
    help="Tell a reader whose goal is impossible what can be had of it, with prices.",
)
@click.option(
    "--compile",
    "compile_form",
    type=click.Choice(COMPILE_FORMS),
    help="What a reader's goal is planned with: scene, all of it (the default), or subgraph, what its search "
    "showed.",
)
@click.option("--memory", metavar="MB", type=int, default=MEGABYTES, help="Memory of the engine (2048).")
@export_options
@house_options
@click.option("--json", "as_json", is_flag=True, help="Print the record of the run as JSON.")
@click.option("--out", type=FOLDER, metavar="DIR", help="Write all results to a folder.")
@picture_options
@view_option
@click.option("--force", is_flag=True, help="Replace a folder of results, and pictures.")
def command(
    instruction: str | None,
    given: Given,
    goal: str | None,
    method: str | None,
    reader: str | None,
    world: str | None,
    world_item: str,
    no_tidy: bool,
    ask: bool,
    relax: bool,
    suggest: bool,
    compile_form: CompileForm | None,
    memory: int,
    export: str | None,
    tree: TreeForm | None,
    as_json: bool,
    out: Path | None,
    svg: Path | None,
    png: Path | None,
    view: Path | None,
    force: bool,
    **options: Any,
) -> None:
    """Plan for an instruction or a goal, and verify the plan in simulation.

    With --task and nothing else, its gold goal is planned for; with --task and --reader, its instruction is
    read; a reader's time does not count against --timeout. With --world the plan is carried out in that
    scene: the robot believes what it sees there, looks for what is not where it was believed, and goes on
    from where it is; the program has all that it did. A question is answered from the scene, without a plan.
    With --method a method of comparison makes the run, such as SayPlan: each call of its model is shown, and
    --out keeps the whole conversation. Where a model writes the plan, it is run on the simulator, and no
    goal is checked: the last line says `executable`. With --export a verified plan is written in a format of
    `groundplan export` as well: to the folder of --out, or without one alone to standard output. Exit codes:
    0 verified, executable or answered, 1 no plan (with --optimal: none that is proved to be the cheapest), 2
    bad input, 3 not understood; 130 for Ctrl-C, with the record so far in --out and --json, and 141 where
    nobody reads the output to its end.
    """
    if memory <= 0:
        raise click.BadParameter("give a positive number of megabytes", param_hint="--memory")
    check_export(export, tree, out is not None, as_json)
    if out is not None:
        check_folder(out, force)
    drawn = DrawnFiles(svg, png, view, force)
    drawn.check()
    bare = export is not None and out is None
    case = given.case()
    truth = _world(world, world_item, case)
    if method is not None:
        _check_method(relax or ask or suggest, compile_form)
        ours, run_input, reading = _method_input(method, instruction, goal, case, memory, options)
    else:
        ours, reading = None, _pipeline_options(options)
        run_input = _input(instruction, goal, reader, case)
        if run_input.goal is not None:
            _check_given(ask, compile_form, reading, of_task=goal is None)
        elif compile_form == "subgraph" and truth is not None:
            raise click.UsageError("--compile subgraph: with --world the robot plans with all that it knows")
    planner = engine_named(options)
    story: Story | None = None

    def tell(event: Event | ReaderEvent) -> None:
        if story is not None:
            story.tell(event)

    def answer(question: Clarification) -> int | None:
        return story.ask(question) if story is not None and at_terminal() else None

    with ExitStack() as keep:
        who = reader or DEFAULT
        setting = PlanSetting(run_input, case, truth, planner, who, reading, memory, not no_tidy)
        setting = replace(setting, relax=relax, ask=ask, suggest=suggest, answer=answer)
        setting = replace(setting, compile_form=compile_form or "scene")
        make, name = (_by_pipeline if ours is None else ours.prepared)(setting, keep, tell)
        if not as_json and not bare:
            story = Story(case, run_input, name, ours.title if ours is not None else "")
            keep.enter_context(story.working())
        if ours is not None:
            ours.story = story
        try:
            record = _run(run_input, case, planner, make, tell)
        except KeyboardInterrupt as stop:
            so_far = stop.record if isinstance(stop, Cancelled) else None
            partial = so_far or Record("cancelled")
            if ours is not None:
                partial = ours.cancelled(so_far, setting)
            _keep(partial, setting, out, force, as_json, ours)
            raise
    shown, program = _program(record, setting)
    more = dict(ours.files()) if ours is not None else {}
    exported, fault = _exported(export, tree, shown, program, truth or case.belief)
    if out is not None:
        write_folder(out, run_files(record, program, case, more | exported), force)
    with extended(OWN_SECONDS):
        drawn.write(
            lambda: picture_of(record.as_json(), case.belief),
            lambda: page_of(record.as_json(), case.belief, truth),
        )
    if fault is not None:
        raise fault
    if export is not None and not exported:
        say_why_not(record)
    if bare:
        put(exported, export or "", None, False)
    elif story is None:
        commands = program.as_json() if program is not None else None
        click.echo(json_text(record.as_json() | {"program": commands}))
    else:
        places = [*filter(None, (out, *drawn))]
        story.end(shown, program, places, ours.sums(record, setting) if ours is not None else ())
    unproved = planner.options.optimal and record.verified and not record.planning.optimal
    raise click.exceptions.Exit(1 if unproved else record.exit_code)


def at_terminal() -> bool:
    """Return whether a person can be asked."""
    return sys.stdin is not None and sys.stdin.isatty()


def _world(name: str | None, item: str, case: Case) -> Belief | None:
    """Return the world of --world, if one is named."""
    if name is None:
        if item:
            raise click.UsageError("--world-item picks one of the scenes that --world names")
        return None
    try:
        return ground(scene_named(name, item), case.belief.pack)
    except InputError as error:
        raise click.UsageError(f"--world: {error}") from error


def _program(record: Record, setting: PlanSetting) -> tuple[Record, Program | None]:
    """Return the record as it is told, and the robot program of a verified plan."""
    last = record.goal if isinstance(record.goal, Goal) else None
    if not record.verified:
        return record, None
    belief = setting.case.belief
    world = setting.truth or (belief if record.trajectory.executed else None)
    with extended(OWN_SECONDS):
        if world is not None and last is not None:
            # The last plan begins on the way; a robot that starts anew needs all that was done.
            done = carried_out(record.trajectory.executed, world, last.formula)
            record = replace(record, planning=done)
        return record, translate(record.planning, world or belief, last)


def _exported(
    to: str | None, tree: TreeForm | None, record: Record, program: Program | None, belief: Belief
) -> tuple[dict[str, str], InputError | None]:
    """Return the files of a format, and why there are none where a format cannot hold the plan."""
    if to is None or program is None:
        return {}, None
    goal = record.goal if isinstance(record.goal, Goal) else None
    source = ExportSource(program, record.planning, belief, goal)
    try:
        with extended(OWN_SECONDS):
            files = write_export(to, source, tree or "sequence")
        return {EXPORT_FORMATS[to].in_run(name): text for name, text in files.items()}, None
    except InputError as error:  # the run is kept all the same
        return {}, error


def _by_pipeline(setting: PlanSetting, keep: ExitStack, tell: Tell) -> tuple[Make, str | None]:
    """Return what makes a run of the pipeline, and the name of the reader, if one is needed."""
    run_input, case = setting.run_input, setting.case
    chosen = None
    if run_input.goal is None:
        with paused():
            chosen = reader_named(setting.reader, case.belief.pack, setting.reading, keep, tell)
    task = case.task.id if case.task is not None else None

    def make(goal: Goal | None) -> Record:
        budget = Budget(max(time_left() or SECONDS, MOMENT), setting.memory)
        request = Request(case.belief, run_input.instruction, goal, task, setting.truth, tidy=setting.tidy)
        form, relax = setting.compile_form, setting.relax
        request = replace(request, compile_form=form, relax=relax, ask=setting.ask, suggest=setting.suggest)
        return run(request, setting.engine, chosen, budget, tell, answer=setting.answer)

    return make, chosen.name if chosen is not None else None


def _keep(
    record: Record, setting: PlanSetting, out: Path | None, force: bool, as_json: bool, ours: MethodRun | None
) -> None:
    """Write and print what there is of a run that was cancelled."""
    if out is not None:
        more = ours.files() if ours is not None else {}
        write_folder(out, run_files(record, None, setting.case, more), force)
    if as_json:
        click.echo(json_text(record.as_json() | {"program": None}))


def _input(instruction: str | None, goal: str | None, reader: str | None, case: Case) -> RunInput:
    """Return the input of the run. Raises :class:`click.UsageError` for none, and for too much."""
    refuse_beside_goal(goal, instruction, reader)
    task_instruction = case.task.instruction if case.task is not None else None
    instruction_text = instruction if instruction is not None else task_instruction
    if instruction is not None and not instruction.strip():
        raise click.UsageError("the instruction is empty")
    if goal is not None:
        return RunInput(instruction_text, *goal_text(goal))
    if instruction_text is None:
        raise click.UsageError("give an INSTRUCTION, --goal FORMULA or --task ID")
    if case.task is not None and instruction is None and reader is None:
        return RunInput(instruction_text, *gold_goal(case.task))
    return RunInput(instruction_text, None)


def _check_given(ask: bool, form: CompileForm | None, reading: ModelOptions, of_task: bool) -> None:
    """Refuse what is about an instruction, where a goal is given."""
    if ask:
        raise click.UsageError("--ask is about an instruction, and a goal that is given has one reading")
    check_unread(reading, of_task)
    if form is not None:
        raise click.UsageError("--compile is about what a search shows, and a goal that is given takes none")


def _check_method(changed: bool, form: CompileForm | None) -> None:
    """Refuse what would change a method of comparison."""
    if changed:
        raise click.UsageError(
            "--relax, --ask and --suggest are not for --method: a method is compared as it is"
        )
    if form is not None:
        raise click.UsageError(
            "--compile is not for --method: hybrid is of the form subgraph, hybrid-scene not"
        )


def _pipeline_options(options: dict[str, Any]) -> ModelOptions:
    """Return how a model reads; refuse what only a method of comparison has a use for."""
    if any(take_house_settings(options)):
        raise click.UsageError("--driver, --perception and --reach are for --method: a search of a house")
    return model_options(options)


def _method_input(
    name: str, instruction: str | None, goal: str | None, case: Case, memory: int, options: dict[str, Any]
) -> tuple[MethodRun, RunInput, ModelOptions]:
    """Return the run of a method of comparison, what it gets, and how its model is asked."""
    from .by_method import method_input, method_run  # all methods: not needed for a run of the pipeline

    versions, house = take_versions(options), take_house_settings(options)
    reading = model_options(options)
    ours = method_run(name, versions, house, reading, max(time_left() or SECONDS, MOMENT), memory)
    return ours, method_input(ours.method, instruction, goal, case), reading


def _run(run_input: RunInput, case: Case, engine: Engine, make: Make, listener: Listener) -> Record:
    """Read the goal that is given, if one is, and make the run for it."""
    try:
        given, where = run_input.goal, run_input.where
        goal = read_goal(given, where, case.belief) if given is not None else None
    except GoalSyntaxError as error:
        return Record(
            "goal-error",
            task=case.task.id if case.task is not None else None,
            instruction=run_input.instruction,
            goal=Unreadable(run_input.goal or "", str(error)),
            engine=engine.name,
            diagnostics=(error.diagnostic,),
            failures=(str(error),),
            losses=case.belief.scene.losses,
        )
    if goal is not None:
        listener(GoalWritten(goal))
    return make(goal)
