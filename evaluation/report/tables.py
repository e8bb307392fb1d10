"""The tables of a report, as values: what is in them is decided here, how they look in ``formats``.

A cell is a text, a number, a share with its interval, or nothing. Columns keep their names, since people read
CSV by them; ``notes.toml`` says what they count. Times are in tables of their own (``timed``), so that all
others are the same for the same rows.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.resources import files
from itertools import chain
from statistics import fmean

from ...datasets.library import UNIONS
from ...datasets.task import LABELS, original_id
from ...domains.files import mapping, number
from ...methods.registry import variant_named
from ...methods.scene_texts import parameters_of, shown
from ..bench.results import NO_READER, Kind, Results, RunRow, System
from ..synthetic_reader import SYNTHETIC
from .statistics import Interval, agreement, share_of

Value = str | int | float | Interval | None

BUDGETS = (500, 1000, 2000, 4000, 8000, 16000, 32000)
"""Tokens at which success is asked for."""
STAGES = (
    "search", "write", "repair", "check", "plan", "engine", "engine_translate", "engine_search", "own", "run",
)  # fmt: skip
"""Keys of the seconds of a run, in the order of its stages; those of an engine's own clock among them."""
KINDS: tuple[Kind, ...] = ("plan", "search")
HEAD = ("set", "method", "reader", "engine", "n")
"""The columns that most tables begin with: :attr:`Entrant.head`."""
DECLINING = ("declined", "unsolvable")
"""Endings in which it is said that a task cannot be done."""
NO_MODELS = (NO_READER, "gold", "embedded", SYNTHETIC)
"""Readers, or kinds of them, that get the scene as data and not as a text."""
PLAN_MEASURES = ("executable", "intent", "intent_skip", "success", "success_asked")
MEASURES_OF: Mapping[str, tuple[str, ...]] = {
    "plan": PLAN_MEASURES,
    "search": ("success", "answered"),
    "open": ("executable",),
    "decline": ("success", "executable"),
}
"""The measures that runs of each kind have in the flat table."""


@dataclass(frozen=True, slots=True)
class ReportTable:
    """A table with a title, named columns and notes; ``timed`` ones hold what a clock measured."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    notes: tuple[str, ...] = ()
    timed: bool = False
    foreign: bool = False
    """True for figures that others published."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A system on one set, or on the sets of a union: a line of most tables."""

    system: System
    set: str
    rows: tuple[RunRow, ...]

    @property
    def method(self) -> str:
        return self.system.method

    @property
    def head(self) -> tuple[Value, ...]:
        """The first cells of a line, those of :data:`HEAD`; n is the number of runs."""
        return (self.set, *self.system, len(self.rows))


Cell = Callable[[Entrant], Value]
"""Maker of the cell that a line has in a column."""


NOTES: Mapping[str, list[str]] = tomllib.loads(
    files(__package__).joinpath("notes.toml").read_text(encoding="utf-8")
)


def table_of(
    title: str,
    columns: tuple[str, ...],
    rows: Iterable[tuple[Value, ...]],
    timed: bool = False,
    **words: object,
) -> ReportTable | None:
    """Return a table with its notes, ``words`` in their places; ``None`` without rows."""
    listed, notes = tuple(rows), tuple(note.format(**words) for note in NOTES[title])
    return ReportTable(title, columns, listed, notes, timed) if listed else None


def by_line(
    title: str, lines: Sequence[Entrant], cells: Mapping[str, Cell], timed: bool = False, **words: object
) -> ReportTable | None:
    """Return the table that has each line with its cells, by their columns; ``None`` without lines."""
    rows = ((*line.head, *(cell(line) for cell in cells.values())) for line in lines)
    return table_of(title, (*HEAD, *cells), rows, timed, **words)


def share(measure: str) -> Cell:
    """Return the cell with the share of runs for which a measure holds, with its interval over tasks."""
    return share_that(lambda row: row.holds(measure), measure)


def share_that(holds: Callable[[RunRow], object], measure: str = "", exact: bool = False) -> Cell:
    """Return the cell with the share of runs for which something holds, of those that decided its measure.

    It is empty where no run did.
    """

    def cell(line: Entrant) -> Interval | None:
        rows = [row for row in line.rows if row.decided(measure)]
        return share_in(rows, holds, exact) if rows else None

    return cell


def mean(number: Callable[[RunRow], float | None]) -> Cell:
    """Return the cell with the mean of a number over the runs that have it."""
    return lambda line: mean_of(map(number, line.rows))


def mean_of(values: Iterable[float | None]) -> float | None:
    """Return the mean of the values that there are; ``None`` of none."""
    there = [value for value in values if value is not None]
    return fmean(there) if there else None


def measured(name: str) -> Callable[[RunRow], float | None]:
    """Return the function that takes a measure out of a row."""
    return lambda row: row.number(name)


def charged(name: str) -> Callable[[RunRow], float | None]:
    """Return the function that takes a count out of the account of a row's model."""
    return lambda row: number(row.tokens.get(name))


def took(stage: str) -> Callable[[RunRow], float | None]:
    """Return the function that takes the seconds of a stage out of a row."""
    return lambda row: row.timings.get(stage)


INVENTED = share_that(lambda row: row.invented, exact=True)
"""The share of runs that used a name that the scene does not have, with the exact interval."""


def by_task(rows: Iterable[RunRow]) -> Mapping[str, list[RunRow]]:
    """Return rows by task: the runs of a task's paraphrases are further answers to that task."""
    groups: dict[str, list[RunRow]] = {}
    for row in rows:
        groups.setdefault(original_id(row.task), []).append(row)
    return groups


def share_in(rows: Iterable[RunRow], holds: Callable[[RunRow], object], exact: bool = False) -> Interval:
    """Return the share of some runs for which something holds, with its interval over tasks."""
    return share_of([[bool(holds(row)) for row in group] for group in by_task(rows).values()], exact)


def system_names(systems: Iterable[System]) -> Mapping[System, str]:
    """Return short names of systems: the method, with the reader and the engine where there are several."""
    entered = list(dict.fromkeys(systems))
    readers = len({system.reader for system in entered} - {NO_READER}) > 1
    engines = len({system.engine for system in entered}) > 1
    names: dict[System, str] = {}
    for system in entered:
        reader = [system.reader] * (readers and system.reader != NO_READER)
        beside = ", ".join([*reader, *[system.engine] * engines])
        names[system] = f"{system.method} ({beside})" if beside else system.method
    return names


def judged(rows: Iterable[RunRow]) -> tuple[RunRow, ...]:
    """Return the rows of runs that their method could make."""
    return tuple(row for row in rows if not cannot(row))


def cannot(row: RunRow) -> bool:
    """Return whether a method has no way of doing such a task, which is no failure of a run.

    An engine that does not know what a goal needs is a failure: that run was made.
    """
    return row.outcome == "unsupported" and row.record.get("engine") is None


def entrants(results: Results, kind: str) -> list[Entrant]:
    """Return a line for each set and system with runs of a kind, in the order of the manifest."""
    rows = judged(row for row in results.rows if row.kind == kind)
    groups: dict[tuple[str, System], list[RunRow]] = {}
    for row in rows:
        groups.setdefault((row.set, row.system), []).append(row)
    several = {row.set for row in results.rows if row.kind != kind} if kind != "plan" else set()
    return [
        Entrant(system, f"{name} ({kind})" if name in several else name, tuple(groups[name, system]))
        for name in dict.fromkeys(row.set for row in rows)
        for system in results.systems
        if (name, system) in groups
    ]


def graded(results: Results) -> list[Entrant]:
    """Return the lines of planning and of searches, which have a gold."""
    return [line for kind in KINDS for line in entrants(results, kind)]


def with_unions(results: Results, lines: Sequence[Entrant]) -> list[Entrant]:
    """Return the lines of sets, and after them those of unions: one for each system that ran on every set.

    A union has a line where results have all of its sets, and several with lines; the same runs are pooled
    once, in the smallest such union.
    """
    there = {row.set for row in results.rows}
    pools: dict[frozenset[str], str] = {}
    for name, members in sorted(UNIONS.items(), key=lambda union: len(union[1])):
        pool = frozenset(line.set for line in lines if line.set in members)
        if len(pool) > 1 and there.issuperset(members):
            pools.setdefault(pool, name)
    pooled: list[Entrant] = []
    for pool, name in pools.items():
        for system in dict.fromkeys(line.system for line in lines):
            parts = [line for line in lines if line.system == system and line.set in pool]
            if len(parts) == len(pool):
                pooled.append(Entrant(system, name, tuple(chain.from_iterable(p.rows for p in parts))))
    return [*lines, *pooled]


def planning(results: Results) -> ReportTable | None:
    """Return the measures of planning tasks: shares with intervals, and cost beside the gold plans'."""
    best = gold_costs(results)
    cells = {
        **{measure: share(measure) for measure in PLAN_MEASURES},
        "invented": INVENTED,
        "inserted": mean(measured("inserted")),
        "cost": mean(lambda row: cost_ratio(row, best)),
    }
    return by_line("Planning", with_unions(results, entrants(results, "plan")), cells)


def information(results: Results) -> ReportTable | None:
    """Return what each system gets and sees of a task, and what is written in it; not of methods of users."""
    rows: list[tuple[Value, ...]] = []
    for name, parameters in results.manifest["methods"].items():
        of_readers: dict[bool, dict[str, None]] = {}
        for system in results.systems:
            if system.method == name:
                is_model = system.reader.partition(":")[0] not in NO_MODELS
                of_readers.setdefault(is_model, {})[system.reader] = None
        if (variant := variant_named(name)) is None:
            continue
        method, group = variant
        recorded = "descriptions=" in str(parameters) or "descriptions" not in parameters_of(method)
        for is_model, readers in of_readers.items():
            sees = shown(method, is_model) if recorded else "not recorded"
            rows.append((name, ", ".join(readers), group.gets, sees or None, group.writes, group.paper))
    if not rows:
        return None
    pack = mapping(results.manifest.get("pack"))
    columns = ("method", "reader", "gets", "sees", "writes", "from")
    table = table_of("What each system sees", columns, rows, pack=pack.get("name"))
    return table if table is None or pack else replace(table, notes=table.notes[:1])


def ungraded(results: Results) -> ReportTable | None:
    """Return what came of tasks without a gold: nothing says whether a plan was right."""
    cells = {"executable": share("executable"), **SPENT, "endings": _endings}
    return by_line("Tasks without a gold", entrants(results, "open"), cells)


def by_label(results: Results) -> ReportTable | None:
    """Return what came of tasks of which their authors say whether they can be done, by what they say."""
    tasks = results.manifest["tasks"]
    labels = {name: str(task.get("label") or "") for name, task in tasks.items() if isinstance(task, dict)}
    labelled = {row.set for row in results.rows if labels.get(row.task)}
    lines = [
        Entrant(system, name, rows)
        for name in sorted(labelled)
        for label in (*LABELS, "")
        for system in results.systems
        if (
            rows := tuple(
                row
                for row in judged(results.of(system))
                if (row.set, labels.get(row.task, "")) == (name, label)
            )
        )
    ]
    success = share("success")
    cells: dict[str, Cell] = {
        "label": lambda line: labels.get(line.rows[0].task) or "none",
        "success": lambda line: success(line) if any(row.kind != "open" for row in line.rows) else None,
        "executable": share("executable"),
        **{outcome: share_that(partial(_ended, outcome=outcome)) for outcome in DECLINING},
        "endings": _endings,
    }
    meanings = "; ".join(f"{label}: {meaning}" for label, meaning in LABELS.items())
    return by_line("Tasks by the label of their authors", lines, cells, meanings=meanings)


def without_solution(results: Results) -> ReportTable | None:
    """Return what came of tasks without a solution: whether a plan was made, or it was said that none is."""
    measures = ("success", "declined", "proved", "executable")
    cells = {**{measure: share(measure) for measure in measures}, **SPENT, "endings": _endings}
    lines = with_unions(results, entrants(results, "decline"))
    return by_line("Tasks without a solution", lines, cells)


def _endings(line: Entrant) -> str:
    """Return how often the runs of a line ended in each way."""
    counts = Counter(row.outcome for row in line.rows)
    return ", ".join(f"{outcome} {number}" for outcome, number in sorted(counts.items()))


SPENT = {key: mean(charged(key)) for key in ("calls", "prompt", "completion")}


def _ended(row: RunRow, outcome: str) -> bool:
    return row.outcome == outcome


def within(budget: int) -> Callable[[RunRow], bool]:
    """Return the function that says whether a run succeeded with so many tokens."""
    return lambda row: row.succeeded and row.total_tokens <= budget


def budgets(results: Results) -> ReportTable | None:
    """Return the share of runs that succeeded within a number of tokens, for several numbers."""
    if not any(row.total_tokens for row in results.rows):
        return None
    lines = with_unions(results, graded(results))
    cells = {str(budget): share_that(within(budget)) for budget in BUDGETS}
    return by_line("Success within a budget of tokens", lines, cells)


def spending(results: Results) -> ReportTable | None:
    """Return the mean number of calls and tokens of a run."""
    if not any(row.total_tokens for row in results.rows):
        return None
    schemas = ("schema_tokens",) if any("schema_tokens" in row.tokens for row in results.rows) else ()
    served = ("served_prompt", "served_completion", "served_cached")
    keys = ("calls", "prompt", "completion", *schemas, "kept_calls", "kept_tokens", *served)
    cells = {key: mean(charged(key)) for key in keys}
    table = by_line("Calls and tokens", graded(results), cells)
    return table if table is None or schemas else replace(table, notes=table.notes[:1])


def seconds(results: Results) -> ReportTable | None:
    """Return the mean seconds of a run by stage."""
    stages = [k for k in STAGES if any(k in row.timings for row in results.rows)]
    cells = {stage: mean(took(stage)) for stage in stages}
    return by_line("Seconds by stage", graded(results) if stages else (), cells, timed=True)


def clusters(results: Results) -> ReportTable | None:
    """Return how alike the answers to a task are, where tasks have several: by repeats or paraphrases."""
    rows: list[tuple[Value, ...]] = []
    for line in graded(results):
        groups = by_task(line.rows).values()
        alike = agreement([[float(row.succeeded) for row in group] for group in groups])
        if alike is not None:
            numbers = (alike.tasks, round(alike.correlation, 3), round(alike.effective, 1))
            rows.append((*line.head, *numbers))
    columns = (*HEAD, "tasks", "correlation", "effective n")
    return table_of("Answers to the same task", columns, rows)


def endings(results: Results) -> ReportTable | None:
    """Return how often each outcome came, with the runs that clocks decided."""
    outcomes = sorted({row.outcome for row in results.rows})
    if not outcomes:
        return None
    rows: list[tuple[Value, ...]] = []
    for system in results.systems:
        runs = results.of(system)
        counts = Counter(run.outcome for run in runs)
        by_clock = sum(not run.reproducible for run in runs)
        rows.append((*system, len(runs), *(counts[outcome] for outcome in outcomes), by_clock))
    columns = (*System._fields, "runs", *outcomes, "by a clock")
    return table_of("Endings", columns, rows)


def unsupported(results: Results) -> ReportTable | None:
    """Return the tasks that a method has no way of doing, by set, system and reason."""
    counts = Counter(
        (row.set, *row.system, next(iter(row.reasons), "")) for row in results.rows if cannot(row)
    )
    if not counts:
        return None
    rows = tuple((*line[:-1], count, line[-1]) for line, count in counts.items())
    return table_of("Unsupported", (*HEAD, "reason"), rows)


def gold_costs(results: Results) -> Mapping[str, float]:
    """Return for each task the best lower bound on plans for its gold goal, or the least cost of one."""
    costs: dict[str, float] = {}
    bounds: dict[str, float] = {}
    for row in results.rows:
        if row.method == "gold" and row.succeeded and (cost := row.number("cost")):
            costs[row.task] = min(cost, costs.get(row.task, cost))
            bound = row.record.get("bound")
            if isinstance(bound, int | float) and bound > 0:
                bounds[row.task] = max(bound, bounds.get(row.task, 0.0))
    return costs | bounds


def cost_ratio(row: RunRow, best: Mapping[str, float]) -> float | None:
    cost = row.number("cost")
    return cost / best[row.task] if row.succeeded and cost is not None and row.task in best else None


def flat(results: Results) -> ReportTable:
    """Return one table for programs, a line for each set and system; shares are fractions."""
    columns = tuple(
        "method engine reader set n intent executable success success_asked intent_skip success_low "
        "success_high answered precision invented calls prompt_tokens completion_tokens schema_tokens "
        "seconds".split()
    )
    rows: list[tuple[Value, ...]] = []
    for kind, known_of in MEASURES_OF.items():
        for line in entrants(results, kind):
            shares = {measure: share(measure)(line) for measure in known_of}
            value, low, high = (
                {measure: getattr(known, end) for measure, known in shares.items() if known is not None}
                for end in ("value", "low", "high")
            )
            rows.append((
                line.method,
                line.system.engine,
                line.system.reader,
                line.set,
                len(line.rows),
                *(value.get(m) for m in ("intent", "executable", "success", "success_asked", "intent_skip")),
                low.get("success"),
                high.get("success"),
                value.get("answered"),
                mean(measured("precision"))(line),
                fmean(bool(row.invented) for row in line.rows),
                *(mean(charged(key))(line) for key in ("calls", "prompt", "completion", "schema_tokens")),
                mean(took("run"))(line),
            ))  # fmt: skip
    return ReportTable("Results", columns, tuple(rows), timed=False)
