"""`groundplan replay`: go through an execution or a comparison again, and say whether every line follows.

The work is done by ``robot.trace`` and ``replayed_comparison``; here are the options and what is printed.
"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from ..compiler.goals.goal import parse_goal
from ..domains.errors import clip
from ..domains.formula import names
from ..engines.engine import Engine
from ..planners.request import Request
from ..robot.trace import Replay, SavedTrace, TraceDiffers, belief_at_start, read_trace, replay, trace_of
from .case import Case
from .console.escape import json_text
from .console.terminal import BAD, GOOD, QUIET, UNSURE, Screen, number_of
from .knowing import KNOWN
from .options import FOLDER, Given, timeout_option, world_options
from .replayed_comparison import replay_comparison


@click.command(name="replay")
@click.argument("trace", metavar="TRACE_OR_DIR")
@timeout_option(unlimited=("a comparison", lambda options: Path(options["trace"]).is_dir()))
@world_options
@click.option("--engine", metavar="NAME", help="The planner; that of the trace, where none is given.")
@click.option("--jobs", metavar="N", type=click.IntRange(1, 256), help="Runs of a comparison at a time (1).")
@click.option("--out", type=FOLDER, metavar="DIR", help="Keep the runs of a comparison that are made here.")
@click.option("--own-code", is_flag=True, help="Run methods and engines of a comparison that are users' own.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    trace: str,
    given: Given,
    engine: str | None,
    jobs: int | None,
    out: Path | None,
    own_code: bool,
    as_json: bool,
) -> None:
    """Replay the TRACE of an execution, or a folder of `groundplan bench`; - reads standard input.

    The goal, what the robot knew and how it looked for things are in the trace; the scene and the pack are
    those that it was given. What was reported is believed again, and every line compared with what follows:
    steps handed out, facts that they need, changes of the belief, metres, and the end. Exit code 0 if all of
    them are as they follow and the trace has its end; 1 otherwise, with the line and the reason, also for a
    trace that is cut off; 2 for a malformed line, and for a scene or an engine that cannot be used.

    The runs of a comparison are made again, from its options and what its models replied, without a model;
    0 if every row comes out as it was, but for times and what a clock cut off.
    """
    if Path(trace).is_dir():
        _refuse(scene=given.scene, task=given.task, item=given.item or None, engine=engine)
        replays = replay_comparison(Path(trace), out, jobs or 1, own_code, as_json)
        raise click.exceptions.Exit(0 if replays else 1)
    _refuse(jobs=jobs, out=out, own_code=own_code or None)
    if trace == "-":
        name = "standard input"
        saved = trace_of(sys.stdin.buffer, name)
    else:
        name, saved = trace, read_trace(Path(trace))
    case = given.case()
    result = _replayed(saved, case, engine, name)
    if as_json:
        click.echo(json_text(result.as_json()))
    else:
        _show(Screen(), saved, result)
    raise click.exceptions.Exit(0 if result.replays else 1)


def _refuse(**options: object) -> None:
    """Refuse options of the other kind of replay. Raises :class:`click.UsageError`."""
    for name, value in options.items():
        if value is not None:
            what = (
                "the trace of an execution" if name in ("scene", "task", "item", "engine") else "a comparison"
            )
            raise click.UsageError(f"--{name.replace('_', '-')} is for {what}")


def _replayed(trace: SavedTrace, case: Case, engine: str | None, name: str) -> Replay:
    goal = parse_goal(str(trace.start["goal"]), f"{clip(name)}:1: goal")
    planner = Engine.named(engine if engine is not None else str(trace.settings["engine"]))
    try:
        belief = belief_at_start(
            trace, [knowing(case.belief, names(goal.formula)) for knowing in KNOWN.values()]
        )
    except TraceDiffers as error:
        ended = trace.lines[-1]["kind"] == "end"
        return Replay(error.line - 1, ended, trace.cut, None, error.line, error.reason)
    return replay(trace, Request(belief, goal=goal), engine=planner)


def _show(screen: Screen, trace: SavedTrace, result: Replay) -> None:
    """Print the kinds of lines, and the first that does not follow or how the execution ended."""
    kinds = [str(line["kind"]) for line in trace.lines]
    counted = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
    screen.heading(str(trace.start["goal"]), f"in {clip(trace.start['scene'])}")
    screen.line((counted, QUIET), prefix=["  "])
    if result.cut:
        screen.line(("the last line is cut off and left out", UNSURE), prefix=["  "])
    screen.line()
    if result.line is not None:
        screen.line((f"does not replay: line {result.line}: {result.reason}", BAD))
    elif not result.ended:
        screen.line((f"cut off: {number_of(result.lines, 'line')} replayed, and there is no end", UNSURE))
    else:
        screen.line((f"replayed: {number_of(result.lines, 'line')}, ended {result.outcome}", GOOD))
