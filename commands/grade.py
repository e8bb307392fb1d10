"""`groundplan grade`: runs of anybody's system graded by several graders, and how far these agree.

The graders are ``evaluation.golds.grading``; here are options, exit codes and what is printed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import click

from ..compiler.comparison.laws import Laws
from ..datasets.library import find_task
from ..datasets.own_tasks import read_own_tasks
from ..datasets.task import Task
from ..domains.errors import InputError, clip, counted
from ..domains.files import read_lines
from ..domains.pack import Pack, load_pack
from ..engines.base import Budget
from ..engines.engine import Engine
from ..evaluation.bench.results import load_results
from ..evaluation.golds.grading import GRADERS, GradedRun, graded
from ..evaluation.golds.label_agreement import LabelAgreement, agreement, kappa_interval
from ..evaluation.golds.model_judge import FORM, JUDGE, ModelJudge
from ..evaluation.judging import JudgedTask
from ..evaluation.report.tables import cannot
from ..language.sentences.saying import say
from ..simulator.step import Step, read_steps
from .console.escape import json_text
from .console.terminal import BAD, HEAD, NAME, QUIET, UNSURE, Screen
from .engines import DEFAULT_ENGINE
from .goal_texts import JsonLine, faults_json, rows_of, show_faults
from .method_options import listed
from .options import NumberRange
from .readers import server_model, server_options

_ALL = ",".join(GRADERS)
BY_MODEL = "judge"
"""The grader that is a model; it is asked only where one is named."""
NO_SERVICE = 3
"""Exit code where the service of the judge failed."""
MAX_RUNS = 64 * 2**20
MAX_SHOWN = 20
"""Most runs on which graders differ that are shown to people."""
YES_NO = {True: "yes", False: "no", None: "-"}


@dataclass(frozen=True, slots=True)
class _Run:
    """A run as it was given: its id, its task, its goal and its plan, where it has one."""

    id: str
    task: str
    where: str
    goal: str | None
    steps: tuple[Step, ...] | None


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Agreement of two graders over the runs that both graded, with the interval of kappa."""

    first: str
    second: str
    counts: LabelAgreement
    interval: tuple[float, float] | None

    def as_json(self) -> dict[str, object]:
        one, other, both = self.counts.first, self.counts.second, self.counts.both
        neither = self.counts.cases - one - other + both
        return {
            "graders": [self.first, self.second],
            "runs": self.counts.cases,
            "both": both,
            "first_only": one - both,
            "second_only": other - both,
            "neither": neither,
            "agreement": self.counts.observed,
            "kappa": self.counts.kappa,
            "interval": list(self.interval) if self.interval is not None else None,
        }


def _graders(ctx: click.Context, param: click.Parameter, value: str) -> tuple[str, ...]:
    names = listed(value, "--graders")
    for name in names:
        if name not in (*GRADERS, BY_MODEL):
            raise click.BadParameter(f"graders are {', '.join((*GRADERS, BY_MODEL))}, got {clip(name)}")
    return names


@click.command(name="grade")
@click.argument("runs", metavar="RUNS", type=click.Path(path_type=Path))
@click.option("--tasks", metavar="FILE.jsonl", type=click.Path(path_type=Path), help="Tasks of yours.")
@click.option(
    "--graders",
    metavar="A,B",
    callback=_graders,
    default=_ALL,
    help=f"{_ALL} (all of these), and judge: the model of --reader.",
)
@click.option("--reader", metavar="NAME", help="The judge: openai:MODEL, local:FILE or recorded:FILE.")
@server_options
@click.option("--pack", metavar="NAME_OR_DIR", default="household", help="Domain pack (household).")
@click.option("--engine", metavar="NAME", default=DEFAULT_ENGINE, help="The planner, for goals alone.")
@click.option("--timeout", metavar="S", type=NumberRange(min=0.1), default=30.0, help="Seconds a plan (30).")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    runs: Path,
    tasks: Path | None,
    graders: tuple[str, ...],
    pack: str,
    engine: str,
    timeout: float,
    as_json: bool,
    reader: str | None,
    **options: Any,
) -> None:
    """Grade runs by several graders, and say how far the graders agree, such as

    \b
      groundplan grade runs.jsonl
      groundplan grade results --graders simulator,diff,f1 --json
      groundplan grade runs.jsonl --graders simulator,judge --reader openai:MODEL --record judge.jsonl

    RUNS is a file with a JSON line for each run, {"task": .., "goal": ..}, {"task": .., "plan": [..]} or
    both, or a folder of `groundplan bench`. A task is the id of one that comes along or was prepared, or of
    --tasks. The judge is told instruction, gold goal, goal and plan, and is to answer {"reason": "..",
    "right": true or false}; another answer is no grade, and is counted. Exit codes: 0 graded, 2 bad input,
    also in one line of several (the others are graded), 3 the judge's service failed.
    """
    if (BY_MODEL in graders) != (reader is not None):
        raise click.UsageError("the grader judge is a model: give --graders ..,judge and --reader together")
    rules, planner = load_pack(pack), Engine.named(engine)
    faults: list[InputError] = []
    own = {} if tasks is None else {task.id: task for task in read_own_tasks(tasks, faults)}
    given = list(_of_folder(runs) if runs.is_dir() else _of_file(runs, faults))
    cases: dict[str, JudgedTask] = {}
    laws: Laws | None = None
    screen, results, judge = Screen(error=True), list[GradedRun](), None
    with ExitStack() as keep:
        if reader is not None:
            judge = ModelJudge(*server_model(reader, options, JUDGE, keep))
        keep.enter_context(screen.busy("starting ..."))
        for number, run in enumerate(given, 1):
            screen.progress(f"{number} of {counted(len(given), 'run')}: {run.id}")
            try:
                if run.task not in cases:
                    cases[run.task] = _case(run, own, rules)
                case = cases[run.task]
                gold = case.gold
            except InputError as error:
                faults.append(_placed(error, run.where))
                continue
            if laws is None or laws.belief is not case.belief:
                laws = Laws(case.belief)
            name, budget = (run.id, run.task), Budget(timeout)
            made = graded(name, run.goal, run.steps, gold, case.belief, planner, graders, budget, laws)
            results.append(made if judge is None else _judged(made, run, case, judge))
    pairs = tuple(_agreements(results, graders))
    if as_json:
        answer = {"runs": [_json(one) for one in results], "pairs": [p.as_json() for p in pairs]}
        judged = None if judge is None else {"answers": judge.answers, "unreadable": judge.unreadable}
        click.echo(json_text(answer | {"judge": judged, "faults": faults_json(faults)}))
    else:
        _show(Screen(), results, pairs, graders)
        if judge is not None and judge.unreadable:
            words = f"{judge.unreadable} of {counted(judge.answers, 'answer')} of the judge"
            screen.line((f"{words} not {FORM}: no grade", UNSURE))
        show_faults(screen, faults)
    if judge is not None and judge.failure:
        screen.line(("the judge's service failed: ", BAD), judge.failure)
        raise click.exceptions.Exit(NO_SERVICE)
    raise click.exceptions.Exit(2 if faults else 0)


def _judged(made: GradedRun, run: _Run, case: JudgedTask, judge: ModelJudge) -> GradedRun:
    """Return a graded run with the grade of a model."""
    steps = tuple(map(str, run.steps)) if run.steps is not None else None
    reference = f"{case.gold} {say(case.gold.formula, case.belief)}"
    grade, reason = judge.grade(case.task.instruction, reference, run.goal, steps)
    notes = (*made.notes, f"{BY_MODEL}: {reason}") if reason else made.notes
    return replace(made, grades={**made.grades, BY_MODEL: grade}, notes=notes)


def _case(run: _Run, own: Mapping[str, Task], pack: Pack) -> JudgedTask:
    """Return the task of a run. Raises :class:`InputError` for none, and for one without a gold goal."""
    task = own.get(run.task) or find_task(run.task)
    if not task.gold.goal:
        raise InputError(run.where, "a task with a gold goal", clip(run.task))
    return JudgedTask.of(task, pack)


def _placed(error: InputError, where: str) -> InputError:
    """Return an error about the task of a run with the place of the run."""
    of_task = error.where == "task" or error.where.startswith(where)
    return InputError(
        f"{where}: task{'' if of_task else f' {error.where}'}", error.expected, error.got, error.hint
    )


def _of_file(path: Path, faults: list[InputError]) -> Iterator[_Run]:
    """Yield the runs of a file of JSON lines; lines that are none are put to ``faults``."""
    where = clip(str(path), 200)
    lines = tuple(rows_of(read_lines(path, MAX_RUNS), where, "task"))
    if not lines:
        raise InputError(where, "a run a line", "none", 'write {"task": "..", "goal": ".."}')
    for line in lines:
        try:
            yield _of_line(line, f"{where}:{line.number}")
        except InputError as error:
            faults.append(error)


def _of_line(line: JsonLine, at: str) -> _Run:
    """Return the run of a line. Raises :class:`InputError`."""
    if line.fault is not None:
        raise line.fault
    goal, plan = line.row.get("goal"), line.row.get("plan")
    if goal is None and plan is None:
        raise InputError(at, "a goal or a plan", "neither", 'write {"task": "..", "goal": ".."}')
    if not isinstance(goal, str | None):
        raise InputError(f"{at}: goal", "a text", clip(goal))
    return _Run(line.id, str(line.row["task"]), at, goal, _steps(plan, f"{at}: plan"))


def _steps(plan: object, at: str) -> tuple[Step, ...] | None:
    if plan is None:
        return None
    if not isinstance(plan, list) or not all(isinstance(step, str) for step in plan):
        raise InputError(at, "a list of printed steps", clip(plan))
    return read_steps("\n".join(plan), at) if plan else ()


def _of_folder(folder: Path) -> Iterator[_Run]:
    """Yield the planning runs of a comparison; one without a goal and a plan ended where it began."""
    for row in load_results(folder).rows:
        goal, plan = row.record.get("goal"), row.record.get("plan")
        written = goal if isinstance(goal, str) else None
        if row.kind == "plan" and not cannot(row):
            steps = _steps(plan or [], f"{row.key}: plan") if plan or written is None else None
            yield _Run(row.key, row.task, row.key, written, steps)


def _agreements(runs: Sequence[GradedRun], graders: Sequence[str]) -> Iterator[PairAgreement]:
    """Yield the agreement of each two graders that graded some runs both."""
    for first, second in combinations(graders, 2):
        grades = [(run.grades[first], run.grades[second]) for run in runs]
        both = [(a, b) for a, b in grades if a is not None and b is not None]
        if both:
            one, other = [a for a, _ in both], [b for _, b in both]
            yield PairAgreement(first, second, agreement(one, other), kappa_interval(one, other))


def _json(run: GradedRun) -> dict[str, object]:
    return {
        "id": run.id,
        "task": run.task,
        "grades": dict(run.grades),
        "relation": run.relation or None,
        "f1": run.f1,
        "witness": list(run.witness),
        "notes": list(run.notes),
    }


def _show(
    screen: Screen, runs: Sequence[GradedRun], pairs: Sequence[PairAgreement], graders: Sequence[str]
) -> None:
    """Print how often each grader says yes, how far they agree, and the runs on which they differ."""
    screen.heading("Graders", "runs that each could grade, and of these the right ones")
    rows: list[Sequence[str]] = []
    for name in graders:
        grades = [run.grades[name] for run in runs if run.grades[name] is not None]
        rows.append((name, str(len(grades)), str(sum(map(bool, grades)))))
    screen.rows([[("grader", HEAD), ("graded", HEAD), ("right", HEAD)], *rows])
    screen.heading("Agreement", "Cohen's kappa, with its 95 % interval by a bootstrap over runs")
    head = [(name, HEAD) for name in ("graders", "runs", "both", "first", "second", "neither", "kappa")]
    screen.rows([head, *map(_pair_cells, pairs)])
    disputed = [run for run in runs if run.disputed]
    screen.heading("Graders differ", counted(len(disputed), "run"))
    for run in disputed[:MAX_SHOWN]:
        words = ", ".join(f"{name} {YES_NO[grade]}" for name, grade in run.grades.items())
        words += f"; the goal is {run.relation}" if run.relation else ""
        screen.line((run.id, NAME), f" ({run.task}): {words}")
        if run.witness:
            screen.line(("the goal holds, the gold does not: ", QUIET), " ".join(run.witness), prefix=["  "])
        for note in run.notes:
            screen.line((note, UNSURE), prefix=["  "])
    if len(disputed) > MAX_SHOWN:
        screen.line((f"and {len(disputed) - MAX_SHOWN} more, in --json", QUIET))


def _pair_cells(pair: PairAgreement) -> list[str]:
    made = pair.as_json()
    kappa, ends = pair.counts.kappa, pair.interval
    words = "-" if kappa is None else f"{kappa:.2f}"
    if kappa is not None and ends is not None:
        words += " ({:.2f} to {:.2f})".format(*(round(end, 2) + 0.0 for end in ends))  # no -0.00
    counts = [str(made[key]) for key in ("runs", "both", "first_only", "second_only", "neither")]
    return [f"{pair.first}, {pair.second}", *counts, words]
