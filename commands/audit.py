"""`groundplan audit`: what is wrong with the gold goals of sets and files, a line for each finding.

The audit is ``evaluation.golds.goal_audit``; here are options, exit codes and what is printed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import click

from ..compiler.comparison.laws import Laws
from ..datasets.library import find_scene, find_task, load_set, names_task
from ..datasets.own_tasks import ENDING, read_own_tasks
from ..datasets.prepared import set_in
from ..datasets.task import Task
from ..domains.deadline import LimitReached, limited
from ..domains.errors import InputError, clip, counted
from ..domains.files import read_json, read_lines
from ..domains.pack import Pack, load_pack
from ..evaluation.golds.goal_audit import (
    AuditedGold,
    AuditFinding,
    GoldText,
    audited,
    counted_by_code,
    of_fault,
)
from ..evaluation.golds.goal_lists import ListedGoal, audited_line, is_goal_list, listed_goals
from ..evaluation.golds.pddl_goals import PddlGold, audited_problem, has_kairos, pddl_golds, reader_name
from ..evaluation.journal import Journal, RowJson
from ..simulator.belief import Belief, ground
from .console.annotations import annotation
from .console.escape import json_text
from .console.terminal import BAD, GOOD, HEAD, QUIET, UNSURE, Screen
from .engines import DEFAULT_ENGINE
from .goal_texts import goals_of
from .options import MAX_GOALS_BYTES, NumberRange

MAX_BASELINE = 64 * 2**20
BEGINS = b'{"findings":'
"""How every row of --out begins."""


PATH = click.Path(path_type=Path)


@dataclass(frozen=True, slots=True)
class _Options:
    """Options that say how sources are read: those of sets and scenes, and those of PDDL."""

    scene: str | None
    item: str
    folder: Path | None
    pack: Pack
    sealed: bool
    domain: Path | None
    engine: str


@dataclass(frozen=True, slots=True)
class _Source:
    """Golds to audit: how many, the golds, each read when it is asked for, and what is no gold."""

    count: int
    golds: Iterator[GoldText | ListedGoal | PddlGold]
    faults: tuple[AuditFinding, ...] = ()
    pddl: bool = False


@click.command(name="audit")
@click.argument("sources", metavar="SET|DIR|FILE..", nargs=-1, required=True)
@click.option("--scene", metavar="NAME_OR_FILE", help="The scene of files of goals.")
@click.option("--item", metavar="ID", default="", help="One scene of a file that holds several.")
@click.option("--from", "folder", type=PATH, metavar="DIR", help="Where a prepared set is.")
@click.option("--pack", metavar="NAME_OR_DIR", default="household", help="Domain pack (household).")
@click.option("--sealed", is_flag=True, help="Allow a sealed task set.")
@click.option("--domain", type=PATH, metavar="FILE", help="The domain of PDDL problems (found by its name).")
@click.option("--engine", metavar="NAME", help="The planner of PDDL problems (kairos, else pyperplan).")
@click.option("--prove", is_flag=True, help="Search longer for proofs that no plan reaches a goal.")
@click.option(
    "--timeout", metavar="S", type=NumberRange(min=0.1), default=30.0, help="Seconds of a goal (30)."
)
@click.option("--baseline", type=PATH, metavar="FILE", help="Show only what an earlier --json has not.")
@click.option("--out", type=PATH, metavar="FILE", help="Keep a line a goal, and go on there.")
@click.option(
    "--format", "form", type=click.Choice(["text", "json", "github"]), default="text", help="How to print."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, as --format json does.")
def command(
    sources: tuple[str, ...],
    scene: str | None,
    item: str,
    folder: Path | None,
    pack: str,
    sealed: bool,
    domain: Path | None,
    engine: str | None,
    prove: bool,
    timeout: float,
    baseline: Path | None,
    out: Path | None,
    form: str,
    as_json: bool,
) -> None:
    """Audit the gold goals of task sets and files: what is wrong with each, such as

    \b
      groundplan audit sayplan grasif-office
      groundplan audit mine.jsonl --baseline audit.json
      groundplan audit goals.pddl --scene office --format github

    A SET is a task set, a union, a prepared set, or the id of a task; FILE.jsonl has tasks of yours, and any
    other file, with --scene, goals as `check` takes them. A DIR has PDDL problems with their domains, or a
    prepared set; FILE may be one problem, or a list with lines `Goals: a & b`. A finding is proved, decided
    by a solver or planner, or suspected where a person has to decide. Exit codes: 1 with errors among the
    findings, 0 with warnings or none, 2 bad input.
    """
    earlier, screen = _known(baseline), Screen(error=True)
    planner = engine or ("kairos" if has_kairos() else DEFAULT_ENGINE)
    options = _Options(scene, item, folder, load_pack(pack), sealed, domain, planner)
    taken: set[tuple[str, str]] = set()
    read = [_source(one, options, taken) for one in _different(sources)]
    findings = list(chain.from_iterable(one.faults for one in read))
    unchecked: dict[str, Sequence[str]] = {}
    total = sum(one.count for one in read)
    with screen.busy("starting ..."), _kept(out) as kept:
        for number, gold in enumerate(chain.from_iterable(one.golds for one in read), 1):
            screen.progress(f"{min(number, total)} of {counted(total, 'gold')}: {gold.id}")
            made, open_parts = kept.audited(gold, prove, timeout)
            findings += made
            unchecked |= {gold.id: open_parts} if open_parts else {}
    new = [one for one in findings if _identity(one) not in earlier]
    if as_json or form == "json":
        with_pddl = reader_name() if any(one.pddl for one in read) else None
        click.echo(json_text(_json(total, new, unchecked) | {"reader": with_pddl}))
    elif form == "github":
        for one in new:
            click.echo(annotation(one.diagnostic, one.file or None, max(one.line, 1), placed=False))
    else:
        _show(Screen(), total, new, len(findings) - len(new), unchecked)
        if any(one.pddl for one in read):
            Screen().line((f"PDDL was read with {reader_name()}", QUIET))
    raise click.exceptions.Exit(1 if any(one.diagnostic.severity == "error" for one in new) else 0)


# Golds


def _different(sources: Sequence[str]) -> Iterator[str]:
    """Yield each source once, a file also where it has two names."""
    places = {Path(one).resolve() if Path(one).is_file() else one: one for one in reversed(sources)}
    return reversed(places.values())


def _source(source: str, options: _Options, taken: set[tuple[str, str]]) -> _Source:
    """Return the golds of a set or a file but for tasks that are ``taken``, to which these are added.

    Raises :class:`InputError` for what is neither.
    """
    if not source:
        raise click.UsageError("name a set, a folder or a file; . is the folder that you are in")
    path, faults = Path(source), list[InputError]()
    if source.endswith(ENDING):
        tasks = read_own_tasks(path, faults)
        return _of_tasks(tasks, options.pack, taken, tuple(of_fault(one, path.stem) for one in faults))
    if path.is_file() and options.scene is not None:
        return _of_file(path, ground(find_scene(options.scene, options.item), options.pack))
    if path.is_file() and path.suffix != ".pddl":
        text = read_lines(path, MAX_GOALS_BYTES)
        if not is_goal_list(text):
            raise click.UsageError(f"{source} is a file of goals: name its scene with --scene")
        listed = list(listed_goals(text, path))
        return _Source(len(listed), iter(listed))
    if path.is_file() or (path.is_dir() and set_in(path) is None):
        golds, no_golds = pddl_golds(path, options.domain, options.engine)
        problems = sum(one.path != one.domain for one in golds)  # a domain is audited too, and is no gold
        return _Source(problems, iter(golds), no_golds, pddl=True)
    if path.is_dir():
        return _of_tasks(load_set(set_in(path) or "", path), options.pack, taken)
    one = names_task(source)
    tasks = (find_task(source),) if one else load_set(source, options.folder, options.sealed)
    return _of_tasks(tasks, options.pack, taken)


def _of_tasks(
    tasks: Sequence[Task], pack: Pack, taken: set[tuple[str, str]], faults: tuple[AuditFinding, ...] = ()
) -> _Source:
    """Return the golds of tasks that have one, and are not taken."""
    graded = [task for task in tasks if task.graded and (task.id, task.place) not in taken]
    taken |= {(task.id, task.place) for task in graded}
    return _Source(len(graded), _texts(graded, pack), faults)


def _texts(tasks: Sequence[Task], pack: Pack) -> Iterator[GoldText]:
    """Yield the golds of tasks; those with one scene after another share what is known of it."""
    belief: Belief | None = None
    for task in tasks:
        scene = task.load()
        if belief is None or belief.scene.hash != scene.hash:
            belief = ground(scene, pack)
        yield GoldText.of(task, belief)


def _of_file(path: Path, belief: Belief) -> _Source:
    """Return the goals of a text: one, several formulas, or JSON lines."""
    name = clip(str(path), 200)
    texts = goals_of(read_lines(path, MAX_GOALS_BYTES), name)
    goals = [goal for goal in texts.goals if goal.fault is None]
    faults = tuple(
        AuditFinding(
            f"{name}:{goal.line}", path.stem, f"{name}:{goal.line}", "proved", goal.fault, name, goal.line
        )
        for goal in texts.goals
        if goal.fault is not None
    )
    golds = (
        GoldText(
            f"{name}:{goal.id}" if len(texts.goals) > 1 else name,
            path.stem,
            f"{name}:{goal.line}: goal" if goal.row else name,
            belief,
            name,
            goal.line,
            0 if goal.row else goal.column,
            goal=goal.text,
        )
        for goal in goals
    )
    return _Source(len(goals), golds, faults)


# Rows that were kept


@dataclass
class _Kept:
    """Audits that are kept in a file, a row each; without a file none is."""

    journal: Journal | None
    rows: dict[str, RowJson]
    laws: Laws | None = None
    """Those of the last gold's belief."""

    def audited(
        self, gold: GoldText | ListedGoal | PddlGold, prove: bool, seconds: float
    ) -> tuple[Sequence[AuditFinding], Sequence[str]]:
        """Return the findings on a gold and what was not decided: those that are kept, or made now."""
        key = f"{gold.key(prove)}-{seconds:g}"
        if (row := self.rows.get(key)) is not None:
            return [AuditFinding.from_json(one) for one in row["findings"]], row["unchecked"]
        try:
            with limited(seconds):
                made = self._made(gold, prove, seconds)
        except LimitReached as cut:
            made = AuditedGold((), (f"stopped at the time limit: {cut}",))
        if self.journal is not None:
            findings = [one.as_json() for one in made.findings]
            self.journal.append({"findings": findings, "gold": key, "unchecked": list(made.unchecked)})
        return made.findings, made.unchecked

    def _made(self, gold: GoldText | ListedGoal | PddlGold, prove: bool, seconds: float) -> AuditedGold:
        if isinstance(gold, GoldText):
            if self.laws is None or self.laws.belief is not gold.belief:
                self.laws = Laws(gold.belief)
            return audited(gold, prove, self.laws)
        return audited_line(gold) if isinstance(gold, ListedGoal) else audited_problem(gold, prove, seconds)


@contextmanager
def _kept(out: Path | None) -> Iterator[_Kept]:
    """Open the file of rows. Raises :class:`InputError` for one that holds something else."""
    if out is None:
        yield _Kept(None, {})
        return
    with Journal(out, _row_key, BEGINS) as journal:
        yield _Kept(journal, {row["gold"]: row for row in journal.rows()})


def _row_key(row: Mapping[str, Any], where: str) -> str:
    findings, gold, unchecked = (row.get(key) for key in ("findings", "gold", "unchecked"))
    if not isinstance(gold, str) or not isinstance(findings, list) or not isinstance(unchecked, list):
        raise InputError(where, "a row of groundplan audit", clip(row))
    try:
        for one in findings:
            AuditFinding.from_json(one)
    except (KeyError, TypeError) as error:
        raise InputError(where, "findings of groundplan audit", clip(row)) from error
    return gold


# Answers


def _identity(one: AuditFinding) -> tuple[str, str, str]:
    """Return what tells a finding from another: it may stand in another line than before."""
    message = re.sub(r":\d+", "", one.diagnostic.message)
    return re.sub(r":\d+", "", one.gold), one.diagnostic.code, message


def _known(baseline: Path | None) -> frozenset[tuple[str, str, str]]:
    """Return the findings of an earlier audit. Raises :class:`InputError` for another file."""
    if baseline is None:
        return frozenset()
    raw: Any = read_json(baseline, MAX_BASELINE)
    try:
        return frozenset(_identity(AuditFinding.from_json(one)) for one in raw["findings"])
    except (TypeError, KeyError):
        hint = "make one with groundplan audit --json"
        raise InputError(str(baseline), "what an audit printed as JSON", "another file", hint) from None


def _json(
    total: int, findings: Sequence[AuditFinding], unchecked: Mapping[str, Sequence[str]]
) -> dict[str, object]:
    return {
        "golds": total,
        "findings": [one.as_json() for one in findings],
        "unchecked": {gold: list(parts) for gold, parts in unchecked.items()},
        "summary": [
            {"set": name, "code": code, "severity": severity, "golds": count}
            for (name, code, severity), count in counted_by_code(findings).items()
        ],
    }


def _show(
    screen: Screen,
    total: int,
    findings: Sequence[AuditFinding],
    earlier: int,
    unchecked: Mapping[str, Sequence[str]],
) -> None:
    """Print a line for each finding, and how many golds of each set have each."""
    for one in findings:
        bad = one.diagnostic.severity == "error"
        code = (f"{one.diagnostic.severity}[{one.diagnostic.code}]", BAD if bad else UNSURE)
        screen.line(f"{one.place}: ", code, f": {one.diagnostic.message} ({one.basis})")
    if findings:
        screen.heading("Golds with a finding")
        head = [(name, HEAD) for name in ("set", "code", "severity", "golds")]
        rows = [(*key, str(count)) for key, count in counted_by_code(findings).items()]
        screen.rows([head, *rows])
        screen.line()
    for gold, parts in unchecked.items():
        screen.line((f"not decided of {gold}: {'; '.join(parts)}", QUIET))
    words = f"{counted(total, 'gold')}: {counted(len(findings), 'finding')}"
    screen.line((words + (f", {earlier} known before" if earlier else ""), BAD if findings else GOOD))
