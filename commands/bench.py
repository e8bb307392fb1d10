"""`groundplan bench`: methods of comparison on task sets, every run kept as soon as it has ended.

The comparison and its folder are those of ``evaluation.bench``; here are the options, the tools of a run (a
reader and a model by name) and the progress.
"""

from __future__ import annotations

import atexit
import errno
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..domains.errors import InputError, UnsupportedInput, clip, counted, did_you_mean
from ..domains.pack import Pack, load_pack
from ..engines.registry import ENGINES, EngineOptions
from ..evaluation.bench.account import Account, CountedModel
from ..evaluation.bench.comparison import Cell, Comparison, chosen_tasks
from ..evaluation.bench.processes import Executor, LocalProcesses
from ..evaluation.bench.program import file_hash
from ..evaluation.bench.replies import RepeatingModel, Replies
from ..evaluation.bench.results import NO_READER
from ..evaluation.bench.runner import Progress, check_place, run_comparison
from ..evaluation.bench.shared import SEARCHES, SharedSearch
from ..evaluation.bench.stored import KIND as STORED
from ..evaluation.bench.stored import StoredModel
from ..evaluation.gold_reader import GoldReader
from ..evaluation.judging import JudgedTask
from ..evaluation.synthetic_reader import SYNTHETIC, SyntheticReader, read_rates
from ..language.reader import ReaderListener
from ..methods.method import Tools, needs_of
from ..methods.variants import check_used, without_way
from ..simulator.navigation.floor_plan import shapely
from .bench_tables import print_results
from .console.escape import without_key
from .console.sections import Sectioned
from .console.terminal import QUIET, UNSURE, Screen
from .engines import DEFAULT_ENGINE
from .method_options import chosen_methods, listed, method_options
from .options import (
    FOLDER,
    RULES,
    RULES_HELP,
    SECONDS,
    pack_of,
    pack_option,
    positive_seconds,
    rules_text,
)
from .prompts import prompt_forms
from .readers import (
    KINDS,
    MODELS,
    ModelOptions,
    Opener,
    OpenModel,
    bare_name,
    model_flags,
    model_options,
    open_model,
    refuse_options,
    several_readers,
    unlimited,
)
from .setting import MEGABYTES
from .tools import Embeddings, check_models, check_pack, limits_of, tools_of

if TYPE_CHECKING:
    from ..evaluation.bench.cluster import DaskCluster
    from ..language.chat.servers.model import ChatModel

GOLD, EMBEDDED = "gold", "embedded"
NAMES = (*KINDS, f"{STORED}:FILE")
"""Names of readers, as people write them."""
PATIENCE = 300.0
"""Seconds beyond its limits after which a run that does not end is ended with its process."""
EVERY = 10.0
"""Seconds between lines of progress where there is no terminal."""


@dataclass(frozen=True)
class _Served:
    """A model in a file that this process serves with one seed, until ``keep`` is closed."""

    seed: int | None
    model: OpenModel
    keep: ExitStack


_served: dict[tuple[str, str], _Served] = {}
"""Models that this process serves, by file and options: loading one takes longer than most runs."""
_serving = ExitStack()
atexit.register(_serving.close)


@dataclass(frozen=True)
class Workshop:
    """Maker of the tools of a run, from the names of readers and the options of their models."""

    readers: Mapping[str, ModelOptions]
    searches: Path | None = None
    """The folder in which answers to searches are shared; none where everybody is to ask."""
    replies: Mapping[str, Replies] | None = None
    """The replies that runs get, by their keys, where no model is to be asked."""

    def __call__(self, case: JudgedTask, seed: int | None, account: Account, keep: ExitStack) -> Tools:
        """Return reader, model and similarity of one run. Raises :class:`InputError`."""
        reader = NO_READER if account.cell is None else account.cell.reader
        try:
            return self._tools(reader, case, seed, account, keep)
        except click.UsageError as error:  # the command line alone can print one
            raise UnsupportedInput(f"--reader {reader}", error.message) from error

    def _tools(
        self, reader: str, case: JudgedTask, seed: int | None, account: Account, keep: ExitStack
    ) -> Tools:
        tools = Tools(similarity=Embeddings())
        name = bare_name(reader)
        kind, _, target = name.partition(":")
        if name == NO_READER:
            return tools
        if name == GOLD:
            return replace(tools, reader=GoldReader(case))
        if kind == SYNTHETIC:
            return replace(tools, reader=SyntheticReader(case, read_rates(target), seed or 0))
        options = self.readers[reader]
        options = replace(options, seed=seed) if kind in ("openai", "local") else options

        def around(model: ChatModel) -> ChatModel:
            if self.searches is not None and kind in ("openai", "local"):  # others answer alike in any case
                run = "" if account.cell is None else account.cell.key
                scope = _scope(case.task.id, seed, account)
                model = SharedSearch(model, self.searches, scope, without_key, run)
            return CountedModel(model, account)

        openers: Mapping[str, Opener] = {"local": _served_model, STORED: partial(_stored_model, case.task.id)}
        opened = openers.get(kind)
        if self.replies is not None and kind in MODELS:
            key = "" if account.cell is None else account.cell.key
            replies = self.replies.get(key, Replies())
            options = ModelOptions(prompt=options.prompt, search=options.search, goal_form=options.goal_form)
            if replies.way is not None:
                options = replace(options, search=replies.way.search, goal_form=replies.way.goal)
            opened = partial(_repeated, RepeatingModel(replies, key))
        return tools_of(name, case.belief.pack, options, keep, around, opened=opened)


def _repeated(
    model: RepeatingModel, name: str, options: ModelOptions, keep: ExitStack, listen: ReaderListener
) -> OpenModel:
    return model, None


def _stored_model(
    task: str, name: str, options: ModelOptions, keep: ExitStack, listen: ReaderListener
) -> OpenModel:
    """Return the model that answers about a task as one did before."""
    refuse_options(options, f"{STORED}:FILE")
    return StoredModel.open(Path(name.partition(":")[2]), task), None


def _scope(task: str, seed: int | None, account: Account) -> str:
    """Return what answers to searches belong to: further repeats without a seed are asked for themselves."""
    repeat, reader = (1, "") if account.cell is None else (account.cell.repeat, account.cell.reader)
    return f"{reader} {task} {seed}" + (f" {repeat}" if seed is None and repeat > 1 else "")


def _served_model(name: str, options: ModelOptions, keep: ExitStack, listen: ReaderListener) -> OpenModel:
    """Return a model in a file that this process serves for all runs with the same options.

    The account ends a run: the limits inside the model would be those of all runs of the process.
    """
    options = unlimited(options)
    others = repr(replace(options, seed=None))
    served = _served.get((name, others))
    if served is None or served.seed != options.seed:
        if served is not None:
            served.keep.close()
        keep = _serving.enter_context(ExitStack())
        served = _Served(options.seed, open_model(name, options, keep, lambda event: None), keep)
        _served[name, others] = served
    return served.model


def _engines(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[str, ...]:
    return listed(value, param.opts[0]) if value is not None else ()


def _commands(ctx: click.Context, param: click.Parameter, values: Sequence[str]) -> dict[str, str]:
    """Return the command lines of engines by their names."""
    commands: dict[str, str] = {}
    for value in values:
        name, equals, command = value.partition("=")
        if not equals or not re.fullmatch(r"[A-Za-z][\w.+-]*", name) or name in ENGINES or name in commands:
            raise click.BadParameter(f"give NAME=COMMAND, with a name of its own, got {clip(value)}")
        if name.endswith("-opt"):  # an engine of such a name is asked for proofs of optimality
            raise click.BadParameter(f"{clip(name)}: names that end in -opt are kept for optimal engines")
        commands[name] = command
    return commands


RAW = "groundplan.bench"
"""Name of a command line's options as they were written, in the context of the command."""
OUTSIDE = ("jobs", "scheduler", "out", "changed_program", "as_json", "record")
"""Options that decide nothing of a run."""


class _Bench(Sectioned):
    """The verb, which keeps its options as they were written."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[RAW] = self.make_parser(ctx).parse_args(list(args))[0]
        return super().parse_args(ctx, args)


@click.command(name="bench", cls=_Bench)
@method_options
@click.option(
    "--tasks",
    required=True,
    metavar="SET,..",
    help="Task sets, unions, ids of tasks (`groundplan tasks`), or a file of yours, NAME.jsonl.",
)
@click.option("--sealed", is_flag=True, help="Allow a sealed task set: for a last measurement.")
@model_flags
@click.option(
    "--readers", metavar="A,B", default="", help=f"Readers, each method with each: {', '.join(NAMES)}."
)
@click.option(
    "--reader",
    metavar="NAME [OPTION=VALUE ..]",
    multiple=True,
    help=f"A reader, with options of its own ({EMBEDDED}); may be given several times.",
)
@click.option(
    "--engines",
    metavar="A,B",
    callback=_engines,
    help=f"Planners ({DEFAULT_ENGINE}).",
)
@click.option(
    "--engine-command",
    "commands",
    metavar="NAME=COMMAND",
    multiple=True,
    callback=_commands,
    help="Any planner, by a name for it: 'mine=planner {domain} {problem} {plan}'.",
)
@click.option(
    "--no-costs",
    metavar="A,B",
    callback=_engines,
    help="Planners that get problems without costs: those that know none.",
)
@click.option("--no-split", is_flag=True, help="Give the engines the whole problem in one piece.")
@click.option("--optimal", is_flag=True, help="Give the engines most of the time for a proof of optimality.")
@click.option(
    "--limit", metavar="N", type=click.IntRange(1), help="Tasks of each set: the first, or --seed's."
)
@click.option(
    "--repeats", metavar="N", type=click.IntRange(1, 1000), default=1, help="Runs of each task (1)."
)
@click.option(
    "--jobs", metavar="N", type=click.IntRange(1, 256), default=1, help="Runs at the same time (1)."
)
@click.option(
    "--scheduler", metavar="tcp://HOST:PORT", help="Run on the workers of a Dask scheduler instead."
)
@click.option("--timeout", metavar="S", type=float, default=SECONDS, help=f"Seconds of a run ({SECONDS:g}).")
@click.option(
    "--memory",
    metavar="MB",
    type=click.IntRange(1),
    default=MEGABYTES,
    help=f"Memory of an engine ({MEGABYTES}).",
)
@click.option(
    "--max-expansions",
    metavar="N",
    type=click.IntRange(1),
    help="States that an engine may expand in a run (no limit; pyperplan alone counts them).",
)
@pack_option
@click.option("--rules", RULES, metavar="FILE", help=RULES_HELP)
@click.option("--one-handed", is_flag=True, help="Doors open and close with an empty hand only.")
@click.option(
    "--out", type=FOLDER, metavar="DIR", required=True, help="The folder of results; goes on there."
)
@click.option(
    "--changed-program", is_flag=True, help="Go on although groundplan has changed; the report says so."
)
@click.option("--json", "as_json", is_flag=True, help="Print the flat table as JSON.")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    jobs: int,
    scheduler: str | None,
    out: Path,
    changed_program: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Compare methods, models and engines on task sets, by one simulator and one definition of success.

    Every run is a row in DIR as soon as it has ended; the same command goes on where it was stopped, by
    Ctrl-C or anything else. `groundplan report DIR` makes tables of it, and `groundplan replay DIR` makes its
    runs again without a model. With --methods gold --engines A,B it compares engines. --seed draws the tasks
    of --limit, and is the seed of a model's sampling. Exit codes: 0 all runs have ended, whatever their
    outcomes; 2 bad input, or results that cannot be written; 130 for Ctrl-C.
    """
    check_place(out)
    screen = Screen(error=True)
    comparison, read_by = comparison_of(options, jobs)
    for text, names in without_way(comparison.methods, listed(options["scene_text"], "--scene-text")).items():
        screen.line((f"--scene-text {text} changes nothing for {', '.join(names)}", UNSURE))
    if scheduler is not None:
        recorded = [options["record"], *(own.record for own in read_by.values())]
        _check_scheduler(scheduler, any(one is not None for one in recorded), jobs)
    workshop = Workshop(
        {n: own if _kind(n) in MODELS else replace(own, seed=None) for n, own in read_by.items()},
        out / SEARCHES,
    )
    first = comparison.tasks[0]
    for name in read_by:
        if _kind(name) != "local":  # that would be loaded here, and be of no use
            cell = Cell("", "", first.id, reader=name)
            with ExitStack() as keep:
                account = Account(comparison.limits_of(cell), cell)
                workshop(
                    JudgedTask.of(first, comparison.domain(), comparison.rules),
                    comparison.seed,
                    account,
                    keep,
                )
    models = max(options.max_seconds or PATIENCE for options in read_by.values())
    patience = 2 * comparison.limits.seconds + models + PATIENCE  # a run, and its judgement
    meter = RunMeter(screen)
    with screen.busy("starting ..."), ExitStack() as keep:
        executor = processes(jobs, patience)
        if scheduler is not None:
            files = [path for each in read_by.items() for path in _files(*each).values()]
            executor = keep.enter_context(_cluster(scheduler, patience, files))
        with room_for(out):
            results = run_comparison(
                comparison, workshop, out, executor, meter.show, without_key, changed_program, asked_by(ctx)
            )
    print_results(results, out, as_json)


def comparison_of(
    params: Mapping[str, Any], jobs: int = 1, settings: Mapping[str, Mapping[str, object]] | None = None
) -> tuple[Comparison, dict[str, ModelOptions]]:
    """Return the comparison that options ask for, and its readers with their options.

    ``settings`` are those of the readers where their files need not be there. Raises :class:`InputError` and
    :class:`click.UsageError`.
    """
    options = dict(params)
    chosen = chosen_methods(options)
    model = model_options(options)
    check_used(model.prompt or (), chosen)
    tasks = chosen_tasks(options["tasks"], options["limit"], model.seed, options["sealed"])
    pack = options["pack"] or pack_of(tasks)
    check_pack(chosen, load_pack(pack))
    asking = any(needs_of(method) != "nothing" for method in chosen)
    names = [*options["reader"], *(listed(options["readers"], "--readers") if options["readers"] else ())]
    read_by = several_readers(names or [EMBEDDED if asking else NO_READER], model)
    for name, own in read_by.items():
        _check_reader(name, own, options["repeats"], jobs)
        check_models(chosen, name)
    if any(task.house is not None for task in tasks):
        shapely()
    most = (positive_seconds(options["timeout"]), options["memory"], options["max_expansions"])
    limits = {name: limits_of(own, *most) for name, own in read_by.items()}
    usual = limits_of(model, *most)
    commands = options["commands"]
    if settings is None:
        settings = {name: _settings(name, own, load_pack(pack)) for name, own in read_by.items()}
    comparison = Comparison(
        chosen,
        tasks,
        (*(options["engines"] or (() if commands else (DEFAULT_ENGINE,))), *commands),
        tuple(read_by),
        options["repeats"],
        model.seed,
        usual,
        pack,
        options["one_handed"],
        EngineOptions(whole=options["no_split"], optimal=options["optimal"]),
        settings,
        {name: own for name, own in limits.items() if own != usual},
        commands,
        options["no_costs"],
        rules_text(options[RULES]),
    )
    for engine in comparison.engines:
        comparison.engine(engine).limited_to(options["max_expansions"])
    return comparison, read_by


def asked_by(ctx: click.Context) -> tuple[str, ...]:
    """Return the options of a command line that decide its runs, as they were written, without keys."""
    raw = ctx.meta[RAW]
    words: list[str] = []
    for option in (one for one in ctx.command.params if one.name in raw and one.name not in OUTSIDE):
        given = raw[option.name]
        if isinstance(option, click.Option) and option.is_flag:
            words.append(option.opts[0])
        else:
            for value in given if option.multiple else (given,):
                words += (option.opts[0], without_key(str(value)))
    return tuple(words)


def processes(jobs: int, patience: float) -> Executor:
    """Return what runs cells on this machine, and ends one that goes on for ``patience`` seconds."""
    return LocalProcesses(jobs, patience)


@contextmanager
def room_for(out: Path) -> Iterator[None]:
    """Say what to do where the disk is full. Raises :class:`InputError`."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        hint = "make room and give the same command again: it goes on with the runs that are missing"
        place = clip(str(error.filename or out), 200)
        raise InputError(place, "room for the results", error.strerror or "none", hint) from error


def _kind(reader: str) -> str:
    """Return the kind of a reader: what stands before the colon of its name."""
    return bare_name(reader).partition(":")[0]


def _check_reader(reader: str, options: ModelOptions, repeats: int, jobs: int) -> None:
    """Refuse what no reader is called, and options that would make no sense together."""
    name = bare_name(reader)
    kind, colon, target = name.partition(":")
    if kind == SYNTHETIC and (target or not colon):
        read_rates(target)
    elif name not in (NO_READER, GOLD, EMBEDDED) and (kind not in MODELS or not target):
        names = (GOLD, SYNTHETIC, *NAMES)
        hint = did_you_mean(name, names) or f"readers are {', '.join(names)}"
        raise InputError("reader", "the name of a reader", repr(clip(name)), hint)
    sampled = kind in ("openai", "local") and options.temperature not in (None, 0)
    seeded = options.seed is not None or (sampled and options.api == "responses")  # that API has no seed
    if repeats > 1 and not (seeded and (sampled or kind == SYNTHETIC)):
        hint = "give a model and a --temperature above 0"
        if sampled or kind == SYNTHETIC:
            hint = "give a --seed, which grows by one each time"
        raise click.UsageError(f"--repeats {repeats} of what is the same every time; {hint}")
    if options.record is not None and jobs > 1:
        raise click.UsageError("--record takes one run at a time: leave out --jobs")
    if name in (NO_READER, GOLD) or kind == SYNTHETIC:
        rest = replace(options, seed=None)
        given = [f.name for f in fields(rest) if getattr(rest, f.name) is not None]
        if given:
            raise click.UsageError(f"--reader {name} takes no options of a model (found {', '.join(given)})")


def _check_scheduler(address: str, recording: bool, jobs: int) -> None:
    """Refuse what is no address of a scheduler, and options that belong to runs on this machine."""
    if not address.startswith(("tcp://", "tls://")):
        hint = "start one with `dask scheduler`"
        raise InputError("scheduler", "an address like tcp://HOST:8786", repr(clip(address)), hint)
    if jobs > 1:
        raise click.UsageError("with --scheduler the workers decide how much runs at once: leave out --jobs")
    if recording:
        raise click.UsageError("--record takes one run at a time: leave out --scheduler")


def _cluster(address: str, seconds: float, files: Sequence[Path]) -> DaskCluster:
    """Return the cluster at an address. Raises :class:`UnsupportedInput` without the extra."""
    try:
        from ..evaluation.bench.cluster import DaskCluster
    except ImportError as error:
        if (error.name or "").split(".")[0] not in ("distributed", "dask"):
            raise
        raise UnsupportedInput(
            "--scheduler", "Dask is not installed; install groundplan[distributed]"
        ) from error
    return DaskCluster(address, seconds, files=files)


def _settings(reader: str, options: ModelOptions, pack: Pack) -> Mapping[str, object]:
    """Return what else the results depend on, for the manifest: no keys, and files by their hashes."""
    kind = _kind(reader)
    given = {f.name: getattr(options, f.name) for f in fields(options)}
    settings: dict[str, object] = {
        name: without_key(value) if isinstance(value, str) else value
        for name, value in given.items()
        if value is not None and name not in ("record", "profiles", "seed", "prompt")
    }
    if options.prompt:
        settings["own prompts"] = {one.name: one.sha256 for one in options.prompt}
    files = _files(reader, options)
    settings |= {name: file_hash(path) for name, path in files.items()}
    if kind in MODELS:
        settings["prompts"] = _prompts(pack)
    return settings


def _files(reader: str, options: ModelOptions) -> Mapping[str, Path]:
    """Return the files that a reader reads, by what they are."""
    kind, _, target = bare_name(reader).partition(":")
    files = {} if options.profiles is None else {"profiles": options.profiles}
    return files | ({"model": Path(target)} if kind in ("local", "recorded", STORED) else {})


def _prompts(pack: Pack) -> Mapping[str, str]:
    """Return the versions of the prompts of readers and methods that come along."""
    from ..language.chat.prompt import READER_PROMPTS, prompts, version
    from ..language.chat.search.protocols import PROTOCOLS, protocol_named

    texts = prompts(pack) | {f"search {name}": protocol_named(name, pack).prompt for name in PROTOCOLS}
    for form in prompt_forms().values():
        if form.name not in READER_PROMPTS:
            texts |= {form.file_of(number): form.text(version=number) for number in form.versions}
    return {name: version(text) for name, text in texts.items()}


class RunMeter:
    """The progress of a comparison on standard error: beside a spinner, or a line now and then."""

    def __init__(self, screen: Screen) -> None:
        self.screen = screen
        self.last = time.monotonic()

    def show(self, progress: Progress) -> None:
        words = f"{progress.done} of {counted(progress.total, 'run')}"
        if progress.seconds_left is not None:
            words += f", {_span(progress.seconds_left)} left"
        if progress.row is None and progress.done:
            self.screen.line((f"{words} are there already", QUIET))
        if progress.row is not None:
            words += f"; {progress.row.key}: {progress.row.outcome}"
        self.screen.progress(words)
        if not self.screen.terminal and time.monotonic() - self.last >= EVERY:
            self.last = time.monotonic()
            self.screen.line(words)


def _span(seconds: float) -> str:
    """Return a time in words, with two digits or so."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
