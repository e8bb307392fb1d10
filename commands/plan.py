"""`groundplan plan`: an instruction or a goal in, a verified plan and a robot program out.

The pipeline is ``pipeline.hybrid.run``; here are the options, the input of the run and the files of `--out`.
Options, exit codes, the record's JSON and the names of files are fixed, since scripts rely on them; what is
told in the terminal (``console.story``) may be changed.
"""

from __future__ import annotations

from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from ..acting.carried import carried_out
from ..compiler.goals.goal import Goal, GoalSyntaxError
from ..compiler.pddl import compile_goal
from ..compiler.problem import Unsupported
from ..datasets.library import find_scene
from ..domains.deadline import LimitReached, extended, paused, time_left
from ..domains.errors import GoalError, InputError
from ..engines.base import Budget
from ..engines.engine import Engine
from ..language.reader import Reader, ReaderEvent, Unreadable
from ..pipeline.events import Event, GoalWritten, Listener
from ..pipeline.hybrid import Cancelled, run
from ..pipeline.record import Record
from ..planners.classical import cut_off
from ..planners.request import Request
from ..planners.verdict import OWN_SECONDS
from ..robot.program import Program, translate
from ..simulator.belief import Belief, ground
from .case import Case
from .console.escape import json_text, without_key
from .console.pretty import pretty
from .console.sections import Sectioned
from .console.story import RunInput, Story
from .engines import engine_named, engine_options
from .options import (
    FOLDER,
    SECONDS,
    goal_text,
    gold_goal,
    open_case,
    read_goal,
    refuse_beside_goal,
    timeout_option,
    world_options,
)
from .output.folder import check_folder, write_folder
from .output.seals import sealed
from .readers import DEFAULT, check_unread, model_options, reader_named, reader_options

MEGABYTES = 2048
MOMENT = 0.001
"""Seconds of a budget where the last moment passed."""

CERTIFICATE = "certificate.json"


def _cut_short(cut: LimitReached) -> dict[str, object]:
    """Return the JSON of a run that a limit ended before there was a goal to settle."""
    return Record(cut.ending.value, planning=cut_off(cut)).as_json() | {"program": None}


@click.command(name="plan", cls=Sectioned)
@click.argument("instruction", required=False)
@timeout_option(_cut_short)
@world_options
@click.option("--goal", metavar="FORMULA|@FILE", help="A goal in PDDL syntax instead of an instruction.")
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
@click.option("--memory", metavar="MB", type=int, default=MEGABYTES, help="Memory of the engine (2048).")
@click.option("--json", "as_json", is_flag=True, help="Print the record of the run as JSON.")
@click.option("--out", type=FOLDER, metavar="DIR", help="Write all results to a folder.")
@click.option("--force", is_flag=True, help="Replace a folder of results.")
def command(
    instruction: str | None,
    scene: str | None,
    task: str | None,
    item: str,
    pack: str,
    one_handed: bool,
    goal: str | None,
    reader: str | None,
    world: str | None,
    world_item: str,
    no_tidy: bool,
    memory: int,
    as_json: bool,
    out: Path | None,
    force: bool,
    **options: Any,
) -> None:
    """Plan for an instruction or a goal, and verify the plan in simulation.

    With --task and nothing else, its gold goal is planned for; with --task and --reader, its instruction is
    read; a reader's time does not count against --timeout. With --world the plan is carried out in that
    scene: the robot believes what it sees there, looks for what is not where it was believed, and goes on
    from where it is; the program has all that it did. A question is answered from the scene, without a plan.
    Exit codes: 0 verified or answered, 1 no plan (with --optimal: none that is proved to be the cheapest), 2
    bad input, 3 not understood; 130 for Ctrl-C, with the record so far in --out and --json, and 141 where
    nobody reads the output to its end.
    """
    if world_item and world is None:
        raise click.UsageError("--world-item picks one of the scenes that --world names")
    if memory <= 0:
        raise click.BadParameter("give a positive number of megabytes", param_hint="--memory")
    if out is not None:
        check_folder(out, force)
    case = open_case(scene, task, item, pack, one_handed)
    truth = None
    if world is not None:
        try:
            truth = ground(find_scene(world, world_item), case.belief.pack)
        except InputError as error:
            raise click.UsageError(f"--world: {error}") from error
    run_input = _input(instruction, goal, reader, case)
    reading = model_options(options)
    if run_input.goal is not None:
        check_unread(reading, of_task=goal is None)
    planner = engine_named(options)
    story: Story | None = None

    def tell(event: Event | ReaderEvent) -> None:
        if story is not None:
            story.tell(event)

    with ExitStack() as keep:
        chosen = None
        if run_input.goal is None:
            with paused():
                chosen = reader_named(reader or DEFAULT, case.belief.pack, reading, keep, tell)
        if not as_json:
            story = Story(case, run_input, chosen.name if chosen is not None else None)
            keep.enter_context(story.working())
        budget = Budget(max(time_left() or SECONDS, MOMENT), memory)
        try:
            record = _run(run_input, case, truth, planner, chosen, budget, tell, not no_tidy)
        except Cancelled as cancelled:
            _keep(cancelled.record, case, out, force, as_json)
            raise
    shown, last = record, record.goal if isinstance(record.goal, Goal) else None
    with extended(OWN_SECONDS):
        if truth is not None and record.verified and last is not None:
            # The last plan begins on the way; a robot that starts anew needs all that was done.
            shown = replace(record, planning=carried_out(record.trajectory.executed, truth, last.formula))
        program = translate(shown.planning, truth or case.belief, last) if record.verified else None
    if out is not None:
        write_folder(out, _files(record, program, case), force)
    if story is None:
        commands = program.as_json() if program is not None else None
        click.echo(json_text(record.as_json() | {"program": commands}))
    else:
        story.end(shown, program, out)
    unproved = planner.options.optimal and record.verified and not record.planning.optimal
    raise click.exceptions.Exit(1 if unproved else record.exit_code)


def _keep(record: Record, case: Case, out: Path | None, force: bool, as_json: bool) -> None:
    """Write and print what there is of a run that was cancelled."""
    if out is not None:
        write_folder(out, _files(record, None, case), force)
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


def _run(
    run_input: RunInput,
    case: Case,
    world: Belief | None,
    engine: Engine,
    reader: Reader | None,
    budget: Budget,
    listener: Listener,
    tidy: bool,
) -> Record:
    """Run the pipeline."""
    task = case.task.id if case.task is not None else None
    try:
        given, where = run_input.goal, run_input.where
        goal = read_goal(given, where, case.belief) if given is not None else None
    except GoalSyntaxError as error:
        return Record(
            "goal-error",
            task=task,
            instruction=run_input.instruction,
            goal=Unreadable(run_input.goal or "", str(error)),
            engine=engine.name,
            diagnostics=(error.diagnostic,),
            failures=(str(error),),
            losses=case.belief.scene.losses,
        )
    if goal is not None:
        listener(GoalWritten(goal))
    request = Request(case.belief, run_input.instruction, goal, task, world, tidy=tidy)
    return run(request, engine, reader, budget, listener)


def _files(record: Record, program: Program | None, case: Case) -> dict[str, str]:
    """Return everything that a run gives, by file name; what depends on the clock is apart.

    A reader that came to no plan leaves the record alone: its goals are in there, and none of them is meant.
    """
    fields = record.as_json()
    del fields["timings"]
    files: dict[str, str] = {}
    proof = fields["certificate"]
    if isinstance(proof, dict):
        files[CERTIFICATE] = json_text(proof.pop("content")) + "\n"
        proof["file"] = CERTIFICATE
    if record.reader is None or record.outcome in ("verified", "rejected"):
        files |= _files_of_plan(record, program, case)
    return sealed({name: without_key(text) for name, text in files.items()}, fields, record.timings)


def _files_of_plan(record: Record, program: Program | None, case: Case) -> dict[str, str]:
    """Return the last goal, what was planned for it, and the problem that engines get for it."""
    files: dict[str, str] = {}
    goal = record.goal if record.outcome != "cancelled" else None
    if isinstance(goal, Goal):
        files["goal.txt"] = pretty(str(goal)) + "\n"
    if record.outcome in ("verified", "rejected"):
        files["plan.txt"] = "".join(f"{step}\n" for step in record.plan)
    if record.trajectory.executed:
        files["executed.txt"] = "".join(f"{step}\n" for step in record.trajectory.executed)
    if program is not None:
        files["program.json"] = json_text(program.as_json()) + "\n"
    if isinstance(goal, Goal) and record.outcome != "goal-error":
        # Without a problem the record says that no engine was asked, or what a limit ended.
        with suppress(Unsupported, GoalError, LimitReached), extended(OWN_SECONDS):
            text = compile_goal(goal.formula, case.belief)
            files |= replace(text, domain=without_key(text.domain), problem=without_key(text.problem)).files()
    return files
