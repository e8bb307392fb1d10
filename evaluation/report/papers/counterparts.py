"""Own lines of the tables that papers printed: each printed line by the runs at hand, or the words "not run".

Printed figures are not among them: they stand in a table of their own before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from shlex import quote

from ....datasets.library import UNIONS, load_set
from ....datasets.scenes import open_scene
from ....domains.errors import InputError
from ....domains.files import mapping
from ....language.chat.scene_tokens import TokenRow, reductions, scene_tokens
from ....methods.method import Needs, actions_of, needs_of
from ....methods.registry import METHODS
from ...bench.results import NO_READER, Results, System
from ...golds.task_sizes import sizes_of
from ...plan_errors import ERROR_KINDS
from ..error_tables import graph_holds, graph_number, has_error
from ..tables import Cell, Entrant, ReportTable, Value, judged, mean, measured, share, share_that
from .published import PublishedTable, other_sets

MEASURES: Mapping[str, Cell] = {
    "success": share("success"),
    "executable": share("executable"),
    **{kind: share_that(partial(has_error, kind=kind), "execution_errors") for kind in ERROR_KINDS},
    "SR": share_that(partial(graph_holds, key="whole")),
    "APP": mean(partial(graph_number, key="precision")),
    "APL": mean(partial(graph_number, key="actions")),
    "NRR": mean(partial(graph_number, key="relevance")),
    "SPL": mean(measured("spl")),
    "tau": mean(measured("tau")),
}
"""The measures of printed tables, by the names that ``published.toml`` has."""


DRIVER = " with driver "
"""What stands between the name of a search of houses and that of its driver."""
READERS: Mapping[Needs, str] = {"model": "openai:MODEL", "reader": "embedded", "nothing": NO_READER}
"""The reader that a command names, by what a method needs."""


@dataclass(frozen=True, slots=True)
class Folder:
    """Results of one folder, or of several that were joined; ``name`` tells folders of one table apart."""

    results: Results
    name: str = ""

    def titled(self, text: str) -> str:
        """Return a title or the head of a column with the name of the folder, where it has one."""
        return f"{text} ({self.name})" if self.name else text


def counterpart(
    folders: Sequence[Folder], printed: PublishedTable, always: bool = False
) -> ReportTable | None:
    """Return own lines of a printed table: those of each system that made its runs, or what a line needs.

    Where there are several folders, each line or column names its own. Without any run there is no table,
    unless it is ``always`` asked for.
    """
    here = printed.here
    methods = {line[0] for line in here.lines if not isinstance(line, str)}
    ran = any(system.method in methods for folder in folders for system in folder.results.systems)
    if not (always or ran or methods & set(COUNTS)):
        return None
    if here.by_reader:
        columns, rows = _by_reader(folders, printed)
    else:
        columns = (*printed.columns[here.labels :], "n", "by")
        pairs = zip(printed.rows, here.lines, strict=True)
        rows = [own for row, line in pairs for own in _lines(folders, printed, row, line)]
    notes = ["By gold goals, in rebuilt scenes, with other models: no line repeats the paper's run."]
    if all(isinstance(line, str) or line[0] in COUNTS for line in here.lines):
        notes = []
    packs = dict.fromkeys(pack_named(folder.results) for folder in folders if folder.results.systems)
    if printed.pack and not here.by_reader and set(packs) - {printed.pack} and methods - set(COUNTS):
        notes.append(
            f"Lines here are of runs in {', '.join(packs)}; the simulator of the paper is {printed.pack}."
        )
    of_sets = (line[1] for line in here.lines if not isinstance(line, str))
    notes += [f"{name}: {words}." for name, words in other_sets(of_sets).items()]
    if any("MODEL" in str(row[-1]) for row in rows):
        notes.append(
            "openai:MODEL stands for any reader with a model; each reader that ran has a line or a column. "
            "DIR is a new folder, or one with the same tasks and pack, which grows."
        )
    title = f"Here: {printed.source}. {printed.title}"
    return ReportTable(title, (*printed.columns[: here.labels], *columns), tuple(rows), tuple(notes))


def not_run(method: str, sets: Iterable[str], pack: str) -> str:
    """Return the words for a line without a run: the command that makes the runs of a method on some sets.

    A method whose actions few packs have is run in its own, any other in ``pack``.
    """
    name, _, driver = method.partition(DRIVER)
    of_method = METHODS[name]
    actions = actions_of(of_method)
    pack = actions.pack if actions is not None else pack or "household"
    options = {
        "methods": name,
        **({"driver": driver} if driver else {}),
        "tasks": ",".join(sets),
        "reader": READERS[needs_of(of_method)],
        "pack": pack,
        "out": "DIR",
    }
    return "not run: groundplan bench " + " ".join(f"--{key} {quote(text)}" for key, text in options.items())


def pack_named(results: Results) -> str:
    """Return the name of the pack of a comparison."""
    return str(mapping(results.manifest.get("pack")).get("name", "an unnamed pack"))


def _lines(
    folders: Sequence[Folder], printed: PublishedTable, row: Sequence[str], line: tuple[str, str] | str
) -> Iterator[tuple[Value, ...]]:
    """Yield the own lines of a printed one."""
    here = printed.here
    labels = tuple(row[: here.labels])
    if other_sets(line[1:] if not isinstance(line, str) else ()):
        labels = (f"{line[1]}, another set", *labels[1:])
    nothing: tuple[Value, ...] = (None,) * (len(printed.columns) - here.labels)
    if isinstance(line, str):
        yield (*labels, *nothing, None, f"not run: {line}")
        return
    method, of_line = line
    if method in COUNTS:
        cells, by = COUNTS[method](of_line)
        yield (*labels, *cells, None, by)
        return
    sets = list(dict.fromkeys(name or of_line for name, _ in here.cells))
    made = [(folder, system) for folder in folders for system in _systems(folder.results, method, sets)]
    for folder, system in made:
        made_on = {each: _on(folder.results, system, each) for each in sets}
        values = [
            MEASURES[measure](line_of) if (line_of := made_on[a_set or of_line]).rows else None
            for a_set, measure in here.cells
        ]
        counts = [len(made_on[each].rows) for each in sets]
        count: Value = sum(counts) if len(set(counts)) == 1 else " + ".join(map(str, counts))
        by = folder.titled(", ".join(dict.fromkeys(system)))
        missing = [one for one, number in zip(sets, counts, strict=True) if not number]
        left = f"; {not_run(method, missing, printed.pack)}" if missing else ""
        yield (*labels, *values, count, f"{by}{left}")
    if not made:
        ran = sum(_in_part(folder.results, method, each) for folder in folders for each in sets)
        words = not_run(method, sets, printed.pack)
        yield (*labels, *nothing, ran, f"in part: {ran} runs; {words}" if ran else words)


def _by_reader(
    folders: Sequence[Folder], printed: PublishedTable
) -> tuple[tuple[str, ...], list[tuple[Value, ...]]]:
    """Return the columns of readers, and the rows of a table whose printed columns are models.

    Without a run the columns are those that were printed.
    """
    here = printed.here
    lines = [line for line in here.lines if not isinstance(line, str)]
    made = {
        (folder.name, s): folder.titled(f"{s.reader}, {s.engine}")
        for folder in folders
        for method, a_set in lines
        for s in _systems(folder.results, method, [a_set])
    }
    columns = tuple(dict.fromkeys(made.values())) or printed.columns[here.labels :]
    rows: list[tuple[Value, ...]] = []
    for row, (method, a_set) in zip(printed.rows, lines, strict=True):
        cells = {
            made[folder.name, s]: MEASURES[here.by_reader](_on(folder.results, s, a_set))
            for folder in folders
            for s in _systems(folder.results, method, [a_set])
        }
        by = method if cells else not_run(method, [a_set], printed.pack)
        rows.append((*row[: here.labels], *(cells.get(column) for column in columns), by))
    return (*columns, "by"), rows


def _systems(results: Results, method: str, sets: Iterable[str]) -> list[System]:
    """Return the systems of a method that made runs on one of some sets."""
    return [
        system
        for system in results.systems
        if system.method == method and any(_on(results, system, name).rows for name in sets)
    ]


def _in_part(results: Results, method: str, name: str) -> int:
    """Return the runs of a method on some of the sets of a union."""
    sets = UNIONS.get(name, (name,))
    return sum(row.method == method and row.set in sets for row in judged(results.rows))


def _on(results: Results, system: System, name: str) -> Entrant:
    """Return a system with its runs on a set, or on a union if it made some on each of its sets."""
    sets = UNIONS.get(name, (name,))
    rows = judged(row for row in results.of(system) if row.set in sets)
    return Entrant(system, name, rows if {row.set for row in rows} == set(sets) else ())


# Counts of scenes and tasks that papers print, made anew: no run and no model is needed for them

Count = tuple[tuple[Value, ...], str]
"""The cells of a line, and what they were counted by, or what they need."""


@cache
def _tokens(scene: str) -> Mapping[str, TokenRow]:
    """Return the entities and tokens of a scene, by kind."""
    return {row.kind: row for row in scene_tokens(open_scene(scene))}


def entities_of_kind(scene_and_kind: str) -> Count:
    """Return how many entities of a kind a scene has, their tokens, and the tokens of one on average."""
    scene, _, kind = scene_and_kind.partition(" ")
    row = _tokens(scene)[kind]
    mean = round(row.compact / row.entities, 2)
    return (row.entities, row.compact, mean), f"groundplan scene tokens --scene {scene}"


def tokens_of_scene(name: str) -> Count:
    """Return the tokens of a scene, whole and collapsed, and the share saved, in per cent."""
    rows = _tokens(name)
    saved = round(100 * reductions(tuple(rows.values()))["collapsed"], 1)
    cells = (rows["full"].compact, rows["collapsed"].compact, saved, None)
    return cells, f"groundplan scene tokens --scene {name}"


@cache
def sizes_of_tasks(name: str) -> Count:
    """Return the number of tasks in a set, and means: rooms, nodes without poses, nodes that a task changes.

    Those that change are known of tasks that come with a plan or a goal graph.
    """
    try:
        tasks = load_set(name)
    except InputError as error:  # a set that nobody prepared
        return (None, None, None, None), f"not run: {error.hint}"
    made = sizes_of(tasks)
    return (made.tasks, made.rooms, made.nodes, made.changed), f"groundplan datasets describe {name}"


COUNTS: Mapping[str, Callable[[str], Count]] = {
    "tokens": tokens_of_scene,
    "entities": entities_of_kind,
    "sizes": sizes_of_tasks,
}
"""The counts by the names that ``published.toml`` has."""
