"""`groundplan run`: carry a goal out step by step in a simulated world, and show it live.

The work is done by ``acting.episode``; here are the options and what is printed. On a terminal a map of the
rooms stands beside the spinner; anywhere else there is a line for each event.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

import click

from ..acting.acting import act_in
from ..acting.beliefs.naming import task_priors
from ..acting.beliefs.spots import SimilarityPriors
from ..acting.certainty.knowledge import Knowledge
from ..acting.certainty.mendable import UNSEEN_CODES
from ..acting.episode import Episode
from ..acting.finish import Finish
from ..acting.log import Intended, Reported, Unreached
from ..acting.policies.likely import LeastExpectedCost
from ..acting.policies.policy import NearestUnlooked, OptimisticNearest, Policy, Priors
from ..acting.trajectory import NOTHING_DONE, Trajectory
from ..compiler.goals.goal import Goal
from ..domains.deadline import check_time, paused
from ..domains.errors import InputError
from ..domains.formula import Formula, names
from ..engines.engine import Engine
from ..language.chat.prompt_form import OwnPrompt
from ..language.embedded.supposing import Supposition
from ..language.english import embedding
from ..language.reader import Reader, ReaderError
from ..language.vision.described_world import DescribedWorld
from ..language.vision.eye import DESCRIBE
from ..methods.looking.instructed import read_instruction, to_be_repaired
from ..methods.looking.seeking import POLICIES
from ..pipeline.record import Record
from ..planners.request import Request
from ..robot.trace import Trace, TraceDiffers, TraceFile
from ..robot.trace_lines import entry_of
from ..simulator.belief import Belief, ground
from ..simulator.observations.observation import Change, Observations, StepOutcome
from ..simulator.sensing.environment import Environment, TrueWorld
from ..simulator.step import Step
from .case import Case
from .console.escape import json_text
from .console.outcomes import meaning
from .console.rooms import room_map
from .console.sections import Sectioned
from .console.story import show_put_back, show_rules
from .console.terminal import BAD, GOOD, NAME, QUIET, UNSURE, Screen, closing, number_of
from .engines import DEFAULT_ENGINE
from .eyes import EyeChoice, chosen_eye, eye_options
from .kinds import beside, with_class
from .knowing import KNOWN
from .options import (
    Given,
    NumberRange,
    checked_goal,
    goal_option,
    named_goal,
    refuse_beside_goal,
    scene_named,
    timeout_option,
    world_options,
)
from .output.folder import check_file, write_file
from .picture_files import view_option
from .pictures.page import page_of
from .readers import DEFAULT, ModelOptions, check_unread, model_options, reader_named, reader_options

BY_NAME: Mapping[str, Policy] = {policy.name: policy for policy in POLICIES}
NEEDS_NO_BELIEFS = (NearestUnlooked, OptimisticNearest)
"""The policies to which it is all the same where things are likely to be."""


@click.command(name="run", cls=Sectioned)
@click.argument("instruction", required=False)
@timeout_option()
@world_options
@goal_option
@reader_options
@click.option("--world", metavar="NAME_OR_FILE", help="What is really there, where it differs.")
@eye_options
@click.option(
    "--knows",
    type=click.Choice(list(KNOWN)),
    default="all",
    help="What the robot knows of the scene: all, its furniture, or where it is (here).",
)
@click.option(
    "--policy",
    type=click.Choice(list(BY_NAME)),
    metavar="NAME",
    help=f"Where to look next: {', '.join(BY_NAME)} (expected-cost; without embeddings nearest-unlooked).",
)
@click.option(
    "--failure", metavar="P", type=NumberRange(0, 1), default=0.0, help="Probability that a step fails (0)."
)
@click.option("--pace", metavar="S", type=NumberRange(0, 60), default=0.0, help="Seconds for each step (0).")
@click.option("--engine", metavar="NAME", default=DEFAULT_ENGINE, help="The planner (pyperplan).")
@click.option(
    "--trace",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Keep a trace of all that happens in a new file.",
)
@click.option("--resume", is_flag=True, help="Go on from the trace in the file of --trace.")
@view_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    instruction: str | None,
    given: Given,
    goal: str | None,
    reader: str | None,
    world: str | None,
    eye: str | None,
    pictures: Path | None,
    knows: str,
    policy: str | None,
    failure: float,
    pace: float,
    engine: str,
    trace: Path | None,
    resume: bool,
    view: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Carry a goal out step by step in a simulated world that the robot knows in part.

    The robot believes what it sees, looks for what is missing, and goes on from where it is. An INSTRUCTION,
    or with --reader that of the task, is read first; what it names and is unobserved is looked for,
    first where the instruction says it is. --seed is that of the failures and of a model's sampling.
    With --eye the robot is told of things by descriptions that may be wrong: those of a vision model for
    pictures of places, or of the simulator with faults. The true world decides what comes of a step.
    With --trace all that happens is kept (`groundplan schema trace`), and `groundplan replay` goes through it
    again. With --resume and the same options a run goes on where its trace was cut off: the simulated world
    does again what the trace says was done, and one that comes to something else is refused. Exit codes: 0
    the goal is reached in the true world, or a question was answered, 1 it is not, 2 bad input, 3 not
    understood, or the service of a model failed.
    """
    if resume and trace is None:
        raise click.UsageError("--resume goes on from the trace that --trace names")
    if eye is not None and resume:
        raise click.UsageError("--resume does again what a trace says, and no eye sees it: leave out --eye")
    if view is not None:
        check_file(view, force=False)
    case = given.case()
    reading = model_options(options)
    seed, words = reading.seed or 0, _instruction(instruction, goal, reader, case)
    of_eye, reading = _without_prompts_of_eye(reading)
    if words is not None and trace is not None:
        raise click.UsageError(
            "--trace needs a goal that does not change on the way: give one with --goal, or leave out --trace"
        )
    truth = ground(scene_named(world), case.belief.pack) if world is not None else case.belief
    truth = replace(truth, barred=case.belief.barred)  # the robot's own routes keep its rules
    environment, screen = Environment(truth, failure=failure, seed=seed), Screen(quiet=as_json)
    planner, chosen = Engine.named(engine), _policy(policy, words)
    reading_of: _Reading | None = None
    with ExitStack() as keep:
        chosen_by = chosen_eye(eye, pictures, truth.scene, of_eye, keep)
        setting = _Setting(case, environment, chosen_by, chosen, planner, knows, world is not None, screen)
        if words is not None:
            with paused():
                chosen_reader = reader_named(reader or DEFAULT, case.belief.pack, reading, keep)
            reading_of = _Reading(words, chosen_reader, setting)
            believed = KNOWN[knows](case.belief, ())
            episode = reading_of.first(believed)
        else:
            simulated = {"scene": truth.scene.hash, "failure": failure, "seed": seed if failure else None}
            simulated |= {"eye": chosen_by.name} if chosen_by is not None else {}
            kept = keep.enter_context(TraceFile(trace, resume, simulated)) if trace is not None else None
            believed, episode = _first_episode(goal, setting, reading, kept, simulated)
        keep.enter_context(screen.busy("acting ..."))
        robot: TrueWorld = environment
        if chosen_by is not None:
            robot = chosen_by.world(environment, believed, lambda: following[-1].belief)
        done, following = NOTHING_DONE, [episode]
        for episode in following:
            done += _acted(_Live(screen, episode, robot, pace))
            if reading_of is not None and (again := reading_of.again(episode)) is not None:
                following.append(again)
    answer = _answer(episode, done, robot, reading_of)
    if chosen_by is not None and isinstance(robot, DescribedWorld):
        answer["eye"] = {"eye": chosen_by.name, **robot.counts.as_json()}
    if view is not None:
        write_file(view, page_of(answer | {"instruction": words}, truth))
    _end(screen, episode, done, answer, reading_of)


@dataclass(frozen=True)
class _Setting:
    """The world of a run, and how the robot decides in it."""

    case: Case
    environment: Environment
    eye: EyeChoice | None
    policy: Policy
    engine: Engine
    knows: str
    other_world: bool
    screen: Screen

    @property
    def options(self) -> dict[str, Any]:
        """The options of its episodes."""
        # A scene that is said to be wrong is looked at before the goal is called reached.
        options: dict[str, Any] = {"confirm": self.other_world}
        if self.eye is not None:  # it may err: then the simulator has the last word, as in bench
            options["still"] = not self.eye.eye.errs
            options["judge"] = lambda goal: self.environment.judge(goal).reached
        return options


def _without_prompts_of_eye(reading: ModelOptions) -> tuple[tuple[OwnPrompt, ...], ModelOptions]:
    """Return the prompts that are the eye's, and the options of the reader."""
    prompts = reading.prompt or ()
    of_eye = tuple(one for one in prompts if one.name == DESCRIBE.name)
    rest = tuple(one for one in prompts if one not in of_eye) or None
    return of_eye, replace(reading, seed=reading.seed if reading.temperature else None, prompt=rest)


def _first_episode(
    goal: str | None,
    setting: _Setting,
    reading: ModelOptions,
    kept: TraceFile | None,
    simulated: Mapping[str, object],
) -> tuple[Belief, Episode]:
    """Return what the robot knows, and an episode for a goal, gone on with where a trace of it is kept."""
    case, log = setting.case, kept.entries() if kept is not None else ()
    differing = _done_again(setting.environment, kept) if kept is not None else None
    check_unread(reading, of_task=goal is None)
    # Where the world may be another one, there may be more than the scene has.
    seen_later = UNSEEN_CODES if setting.other_world else ()
    checked = checked_goal(*named_goal(goal, case), case, seen_later)
    believed = KNOWN[setting.knows](case.belief, names(checked.formula))
    _refuse_unknown_places(checked, case.belief, believed)
    instruction = case.task.instruction if goal is None and case.task is not None else ""
    looks = bool(believed.unseen or believed.scene.unplaced or setting.other_world)
    priors = _priors(checked.formula, instruction) if looks else None
    # A trace of another world is compared as far as it goes, and is not written to.
    recorder = Trace(kept.lines, simulated) if kept is not None and differing is not None else kept
    options = setting.options | {"priors": priors, "recorder": recorder}
    request = Request(believed, goal=checked)
    try:
        episode = Episode.resume(request, log, setting.policy, setting.engine, **options)
    except TraceDiffers as error:
        assert kept is not None, "it is the trace that differs"
        raise InputError(str(kept.path), "the trace of this run", str(error), SAME_OPTIONS) from error
    if kept is not None and differing is not None:
        raise InputError(str(kept.path), "the trace of this run", differing, SAME_OPTIONS)
    knows = f"in {case.belief.scene.name}, of which the robot knows: {setting.knows}"
    setting.screen.heading(str(checked), knows)
    return believed, episode


def _acted(live: _Live) -> Trajectory:
    """Act in one episode to its end."""
    try:
        act_in(live, live.episode, live.tell)
    except ReaderError as error:  # of the model that is the robot's eye
        live.episode.finish = Finish(error.outcome, (str(error),))
    live.tell(None, ())
    return live.episode.trajectory


NO_SERVICE = 3
"""Exit code where the service of a model failed."""
SAME_OPTIONS = "give the options with which the trace was begun, --world, --failure and --seed too"


def _done_again(environment: Environment, trace: Trace) -> str | None:
    """Do in a world what a trace says was tried, and return how it came to something else, if it did."""
    for number, line in enumerate(trace.lines, 1):
        check_time("doing again what a trace says")
        entry = entry_of(line, f"line {number}")
        if not isinstance(entry, Reported):
            continue
        step = entry.step
        outcome = environment.act(step) if step is not None else StepOutcome(True, 0, environment.look())
        if outcome.as_json() != entry.outcome.as_json():
            return f"line {number}: {step or 'looking around'} comes to something else in this world"
    return None


def _instruction(instruction: str | None, goal: str | None, reader: str | None, case: Case) -> str | None:
    """Return the instruction that is to be read; ``None`` where a goal is given, or a task's is taken."""
    if instruction is not None and not instruction.strip():
        raise click.UsageError("the instruction is empty")
    refuse_beside_goal(goal, instruction, reader)
    if goal is not None:
        return None
    if instruction is None and reader is not None:
        if case.task is None:
            raise click.UsageError("--reader reads an INSTRUCTION, or that of --task ID")
        return case.task.instruction
    return instruction


def _refuse_unknown_places(goal: Goal, scene: Belief, believed: Belief) -> None:
    """Refuse a goal that names places of the scene which the robot does not know by name."""
    nodes = believed.scene.nodes
    unknown = [n for n in names(goal.formula) if n in scene.scene.nodes and n not in nodes]
    if unknown:
        rooms = ", ".join(believed.scene.by_type.get("room", ()))
        hint = "with --knows furniture the robot knows all rooms and furniture"
        raise InputError("goal", f"places that the robot knows ({rooms})", ", ".join(unknown), hint)


def _policy(name: str | None, words: str | None) -> Policy:
    """Return the policy of a name; an instruction, or else embeddings, say where things are likely to be."""
    believes = words is not None or embedding.installed()
    chosen = BY_NAME[name or (LeastExpectedCost() if believes else NearestUnlooked()).name]
    if not believes and not isinstance(chosen, NEEDS_NO_BELIEFS):
        hint = f"install {embedding.EXTRA}, or look by {' or '.join(p().name for p in NEEDS_NO_BELIEFS)}"
        raise InputError("--policy", "a policy without beliefs of where things are", chosen.name, hint)
    return chosen


def _priors(goal: Formula, instruction: str) -> Priors | None:
    """Return where things are believed to be, for a goal and what was asked for; none without embeddings."""
    if not embedding.installed():
        return None
    return task_priors(SimilarityPriors(embedding.load(), instruction), goal, instruction)


class _Reading:
    """A reader at one instruction: its first goal, and repairs of that on what the world shows."""

    def __init__(self, instruction: str, reader: Reader, setting: _Setting) -> None:
        self.instruction, self.reader, self.setting = instruction, reader, setting
        self.screen = setting.screen
        self.record: Record | None = None

    def first(self, belief: Belief) -> Episode:
        """Return an episode for the goal of the instruction; without one, end the command."""
        self.screen.heading(self.instruction, f"read by {self.reader.name}")
        with self.screen.busy("reading ..."):
            record, goal, supposition = read_instruction(
                self.instruction, belief, self.reader, self.setting.engine
            )
        if goal is None:
            self._end_unread(record, supposition)
        for thing, phrase in supposition.phrases.items():
            there = ", ".join(supposition.places[thing])
            place = f"said to be at {there}" if there else "nobody says where"
            words = f": '{phrase}', {place}"
            self.screen.line(("supposes ", QUIET), (thing, NAME), (words, QUIET), prefix=["  "])
        return self._episode(belief, record, goal, supposition)

    def again(self, episode: Episode) -> Episode | None:
        """Return an episode for a repaired goal, where the world has shown that the last one is wrong."""
        assert self.record is not None, "there was a first goal"
        earlier, belief = to_be_repaired(episode, self.record), episode.belief
        if earlier is None:
            return None
        record, goal, supposition = read_instruction(
            self.instruction, belief, self.reader, self.setting.engine, earlier=earlier
        )
        for reason in earlier.reasons:
            self.screen.line(("but ", UNSURE), reason, prefix=["  "])
        if goal is None:
            reason = record.failures[-1] if record.failures else meaning(record)
            self.screen.line(("no other goal: ", UNSURE), reason, prefix=["  "])
            self.record = replace(self.record, goals=record.goals)
            return None
        return self._episode(belief, record, goal, supposition, episode.knowledge)

    def _episode(
        self,
        belief: Belief,
        record: Record,
        goal: Goal,
        supposition: Supposition,
        earlier: Knowledge | None = None,
    ) -> Episode:
        self.record = record
        self.screen.line((f"goal: {goal}", GOOD), prefix=["  "])
        return Episode(
            Request(belief, goal=goal),
            self.setting.policy,
            self.setting.engine,
            priors=_priors(goal.formula, self.instruction),
            supposition=supposition,
            earlier=earlier,
            **self.setting.options,
        )

    def _end_unread(self, record: Record, supposition: Supposition) -> NoReturn:
        screen = self.screen
        if screen.quiet:
            whole = record.as_json()
            unread = {name: whole[name] for name in ("outcome", "goal", "reasons")}
            if record.answer is not None:
                unread |= {"reply": record.answer.words, "notes": list(record.answer.notes)}
            click.echo(json_text(NOT_ACTED | unread | {"supposed": dict.fromkeys(supposition.phrases)}))
        else:
            for reason in record.reasons:
                screen.line((reason, BAD), prefix=["  "])
            if record.answer is not None:
                for note in record.answer.notes:
                    screen.line((note, UNSURE), prefix=["  "])
                screen.line((f"answered: {record.answer.words}", GOOD))
            else:
                screen.line((f"{record.outcome}: {meaning(record)}", BAD))
        raise click.exceptions.Exit(record.exit_code if record.answer is not None else record.exit_code or 1)


NOT_ACTED = {
    "added": [],
    "left": [],
    "reached": False,
    "places": [],
    "assumes": [],
    "executed": [],
    "executed_metres": 0.0,
    "looks": [],
    "replans": 0,
    "rules": [],
    "eye": {},
    "goals": [],
    "dropped_as_impossible": [],
}
"""The part of the JSON that says that nothing was done."""


class _Live:
    """A robot whose events are lines, with the map of the rooms beside the spinner; it keeps a pace."""

    def __init__(self, screen: Screen, episode: Episode, robot: TrueWorld, pace: float) -> None:
        self.screen, self.episode, self.robot, self.pace = screen, episode, robot, pace
        self._printed = len(episode.log)
        self._taken: dict[str, str | None] = {}

    def look(self) -> Observations:
        return self.robot.look()

    def act(self, step: Step) -> StepOutcome:
        """Say what is to be done, wait, and do it."""
        self.tell(step, ())
        with paused():
            time.sleep(self.pace)
        return self.robot.act(step)

    def tell(self, step: Step | None, changes: Sequence[Change]) -> None:
        """Print what is new, and draw the map anew."""
        episode, done, screen = self.episode, self.episode.trajectory, self.screen
        scene = episode.belief.scene
        new, self._printed = episode.log[self._printed :], len(episode.log)
        for entry in new:
            match entry:
                case Intended(None, steps):
                    word = "plans again" if done.replans else "plans"
                    screen.line((f"{word}: {number_of(len(steps), 'step')} to the goal", GOOD), prefix=["  "])
                case Intended(look):
                    screen.line((f"looks next: {look}", NAME), prefix=["  "])
                case Reported(step, outcome) if step is not None and not outcome.done:
                    screen.line((f"{step} failed: {outcome.message}", UNSURE), prefix=["    "])
                case Reported(step, _) if step is not None:
                    screen.line(str(step), (beside(step.args, scene), QUIET), prefix=["    "])
                case Unreached(spot, reason):
                    screen.line((f"gives up {spot}: {reason}", UNSURE), prefix=["  "])
        for change in changes:
            seen = change.seen if change.seen is not None else f"not there (believed: {change.believed})"
            screen.line((f"sees {with_class(change.node, scene)}: {seen}", QUIET), prefix=["      "])
        for name, thing in episode.knowledge.placeholders.taken.items():
            if thing is not None and name not in self._taken:
                self._taken[name] = thing
                screen.line((f"takes {thing} for {name}", GOOD), prefix=["  "])
        metres = f"{number_of(len(done.executed), 'step')}, {done.executed_mm / 1000:.2f} metres"
        doing = f"{episode.due}  " if episode.due is not None else ""
        screen.progress(f"{doing}{metres}", room_map(episode))


def _answer(
    episode: Episode, done: Trajectory, world: TrueWorld, reading: _Reading | None
) -> dict[str, object]:
    """Return the JSON of a run; ``done`` is all that was done, for earlier goals too."""
    finish = episode.finish
    assert finish is not None
    placeholders, tidying = episode.knowledge.placeholders, episode.tries.tidying
    goal = tidying.goal(episode.goal)
    record = reading.record if reading is not None else None
    rounds, dropped = (record.goals, record.dropped) if record is not None else ((), ())
    return {
        "outcome": finish.outcome,
        "goal": str(goal),
        "added": list(map(str, tidying.added)),
        "left": [one.as_json() for one in tidying.left],
        "supposed": dict(placeholders.taken),
        "reached": not placeholders.unbound and world.judge(goal.formula).reached,
        "reasons": list(finish.reasons),
        "places": list(finish.places),
        "assumes": list(finish.assumes),
        **{key: value for key, value in done.as_json().items() if key in NOT_ACTED},
        "rules": [one.as_json() for one in done.rules],
        "eye": {},
        "goals": [one.as_json() for one in rounds],
        "dropped_as_impossible": [one.as_json() for one in dropped],
    }


def _told_by_eye(seen: Mapping[str, Any]) -> str:
    """Return how much an eye said, and how that agrees with what was there: nothing where none was said."""
    parts = [number_of(seen["looks"], "description")] if seen["looks"] else []
    if seen["looks"]:
        parts.append(f"node F1 {seen['node_f1']:.3f}, edge F1 {seen['edge_f1']:.3f}")
    if seen["unanswered"]:
        parts.append(f"{number_of(seen['unanswered'], 'request')} unanswered")
    if seen["not_asked"]:
        parts.append(f"not asked at {number_of(seen['not_asked'], 'look')} without a picture")
    return ", ".join(parts) or "not asked"


def _end(
    screen: Screen,
    episode: Episode,
    done: Trajectory,
    answer: Mapping[str, object],
    reading: _Reading | None,
) -> None:
    """Print how it ended, and end the command."""
    finish, tidying, reached = episode.finish, episode.tries.tidying, answer["reached"]
    assert finish is not None
    if screen.quiet:
        click.echo(json_text(answer))
    else:
        screen.line()
        for one in reading.record.dropped if reading is not None and reading.record is not None else ():
            screen.line(("without: ", UNSURE), f"{one.says}: {one.why}", prefix=["  "])
        show_put_back(screen, episode.belief, tidying.added, tidying.left)
        show_rules(screen, done.rules)
        for reason in finish.reasons:
            screen.line((reason, BAD), prefix=["  "])
        summary = closing(len(done.executed), done.executed_mm, finish.outcome)
        looks = number_of(len(done.looks), "look")
        screen.line((f"{summary}, {looks}, {number_of(done.replans, 'plan')} given up", QUIET))
        if isinstance(seen := answer["eye"], dict) and seen:
            screen.line((f"the eye {seen['eye']}: {_told_by_eye(seen)}", QUIET))
        for sentence in finish.assumes:
            screen.line((f"takes for granted: {sentence}", UNSURE))
        verdict = "the goal is reached" if reached else "the goal is not reached"
        screen.line((f"in the true world {verdict}", GOOD if reached else BAD))
    code = NO_SERVICE if finish.outcome == "service-failed" else 1
    raise click.exceptions.Exit(0 if reached and finish.outcome == "verified" else code)
