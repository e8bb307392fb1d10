"""`groundplan run`: carry a goal out step by step in a simulated world, and show it live.

The work is done by ``planners.online.execution``; here are the options and what is printed. On a terminal a
map of the rooms stands beside the spinner; anywhere else there is a line for each event. Options, exit codes
and the keys of JSON are fixed, since scripts rely on them; texts for people are free.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import click

from ..datasets.library import find_scene
from ..domains.deadline import check_time, paused
from ..domains.errors import InputError
from ..planners.engines.engine import Engine
from ..planners.online.execution import Execution
from ..planners.online.log import Intended, Reported, Unreached
from ..planners.online.policy import Policy
from ..planners.online.seeking import POLICIES
from ..planners.request import Request
from ..robot.trace import TraceDiffers, TraceFile
from ..simulator.belief import ground
from ..simulator.sensing.environment import Environment
from ..simulator.sensing.observation import Change, StepOutcome
from .console.escape import json_text
from .console.rooms import room_map
from .console.terminal import BAD, GOOD, NAME, QUIET, UNSURE, Screen, closing
from .engines import DEFAULT_ENGINE
from .knowing import KNOWN
from .options import checked_goal, goal_option, named_goal, open_case, timeout_option, world_options

BY_NAME: Mapping[str, Policy] = {policy.name: policy for policy in POLICIES}
"""The policies; all places are as likely as any other to them."""


@click.command(name="run")
@timeout_option()
@world_options
@goal_option
@click.option("--world", metavar="NAME_OR_FILE", help="What is really there, where it differs.")
@click.option(
    "--knows",
    type=click.Choice(list(KNOWN)),
    default="all",
    help="What the robot knows of the scene: all, its furniture, or where it is (here).",
)
@click.option("--policy", type=click.Choice(list(BY_NAME)), default="nearest-unlooked", help="Looks by this.")
@click.option("--failure", metavar="P", type=click.FloatRange(0, 1), default=0.0, help="Steps that fail (0).")
@click.option("--seed", metavar="N", type=int, default=0, help="Seed of the failures (0).")
@click.option(
    "--pace", metavar="S", type=click.FloatRange(0, 60), default=0.0, help="Seconds for each step (0)."
)
@click.option("--engine", metavar="NAME", default=DEFAULT_ENGINE, help="The planner (pyperplan).")
@click.option("--trace", type=click.Path(path_type=Path), metavar="FILE", help="Keep a trace in a new file.")
@click.option("--resume", is_flag=True, help="Go on from the trace in the file of --trace.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    scene: str | None,
    task: str | None,
    item: str,
    pack: str,
    one_handed: bool,
    goal: str | None,
    world: str | None,
    knows: str,
    policy: str,
    failure: float,
    seed: int,
    pace: float,
    engine: str,
    trace: Path | None,
    resume: bool,
    as_json: bool,
) -> None:
    """Carry a goal out step by step in a simulated world that the robot knows in part.

    The robot believes what it sees, looks for what is missing, and goes on from where it is. With --trace all
    that happens is kept (`groundplan schema trace`), and `groundplan replay` goes through it again. A trace
    that was cut off is gone on from with --resume and the same options: the simulated world does again what
    the trace says was done. Exit codes: 0 the goal is reached in the true world, 1 it is not, 2 bad input.
    """
    if resume and trace is None:
        raise click.UsageError("--resume goes on from the trace that --trace names")
    case = open_case(scene, task, item, pack, one_handed)
    goal_checked = checked_goal(*named_goal(goal, case), case)
    truth = ground(find_scene(world), case.belief.pack) if world is not None else case.belief
    request = Request(KNOWN[knows](case.belief, goal_checked), goal=goal_checked)
    environment, screen = Environment(truth, failure=failure, seed=seed), Screen()
    planner, chosen = Engine.named(engine), BY_NAME[policy]
    with ExitStack() as keep:
        kept = keep.enter_context(TraceFile(trace, resume)) if trace is not None else None
        log = kept.entries() if kept is not None else ()
        try:
            # A scene that is said to be wrong is looked at before the goal is called reached.
            execution = Execution.resume(
                request, log, chosen, planner, confirm=world is not None, recorder=kept
            )
        except TraceDiffers as error:
            raise InputError(str(trace), "the trace of this run", str(error)) from error
        for entry in log:
            if isinstance(entry, Reported) and entry.step is not None:
                environment.act(entry.step)
        live = _Live(screen, execution, not as_json)
        if not as_json:
            robot_knows = f"in {case.belief.scene.name}, of which the robot knows: {knows}"
            screen.heading(str(goal_checked), robot_knows)
            keep.enter_context(screen.busy("acting ..."))
        if not log:
            live.tell(execution.report(StepOutcome(True, 0, environment.look())))
        while (step := execution.next()) is not None:
            check_time("acting in the world")
            live.tell(())
            with paused():
                time.sleep(pace)
            live.tell(execution.report(environment.act(step)))
        live.tell(())
    _end(screen, execution, environment, as_json)


class _Live:
    """The events of an execution as lines, and the map of the rooms beside the spinner."""

    def __init__(self, screen: Screen, execution: Execution, shown: bool) -> None:
        self.screen, self.execution, self.shown = screen, execution, shown
        self._told = len(execution.log)

    def tell(self, changes: Sequence[Change]) -> None:
        """Print what is new, and draw the map anew."""
        execution, screen = self.execution, self.screen
        new, self._told = execution.log[self._told :], len(execution.log)
        if not self.shown:
            return
        for entry in new:
            match entry:
                case Intended(None, steps):
                    word = "plans again" if execution.replans else "plans"
                    screen.line((f"{word}: {len(steps)} steps to the goal", GOOD), prefix=["  "])
                case Intended(look):
                    screen.line((f"looks next: {look}", NAME), prefix=["  "])
                case Reported(step, outcome) if step is not None and not outcome.done:
                    screen.line((f"{step} failed: {outcome.message}", UNSURE), prefix=["    "])
                case Reported(step, _) if step is not None:
                    screen.line(str(step), prefix=["    "])
                case Unreached(spot, reason):
                    screen.line((f"gives up {spot}: {reason}", UNSURE), prefix=["  "])
        for change in changes:
            seen = change.seen if change.seen is not None else f"not there (believed: {change.believed})"
            screen.line((f"sees {change.node}: {seen}", QUIET), prefix=["      "])
        metres = f"{len(execution.executed)} steps, {execution.executed_mm / 1000:.2f} metres"
        doing = f"{execution.due}  " if execution.due is not None else ""
        screen.progress(f"{doing}{metres}", room_map(execution))


def _end(screen: Screen, execution: Execution, environment: Environment, as_json: bool) -> None:
    """Print how it ended, and end the command."""
    finish = execution.finish
    assert finish is not None
    reached = environment.judge(execution.goal.formula).reached
    if as_json:
        answer = {
            "outcome": finish.outcome,
            "reached": reached,
            "reasons": list(finish.reasons),
            "places": list(finish.places),
            "executed": [str(step) for step in execution.executed],
            "executed_metres": execution.executed_mm / 1000,
            "looks": [str(spot) for spot in execution.looks],
            "replans": execution.replans,
        }
        click.echo(json_text(answer))
    else:
        screen.line()
        for reason in finish.reasons:
            screen.line((reason, BAD), prefix=["  "])
        done = closing(len(execution.executed), execution.executed_mm, finish.outcome)
        screen.line((f"{done}, {len(execution.looks)} looks, {execution.replans} plans given up", QUIET))
        verdict = "the goal is reached" if reached else "the goal is not reached"
        screen.line((f"in the true world {verdict}", GOOD if reached else BAD))
    raise click.exceptions.Exit(0 if reached and finish.outcome == "verified" else 1)
