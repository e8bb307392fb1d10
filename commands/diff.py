"""`groundplan diff`: how two goals relate, with a state for each difference, for people and for programs.

The comparison is ``planners.goal_diff``; here are options, exit codes and what is printed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import click

from ..compiler.comparison.laws import Laws
from ..compiler.comparison.relation import changes
from ..datasets.library import find_task
from ..datasets.task import Task
from ..domains.deadline import LimitReached
from ..domains.diagnostic import Diagnostic
from ..domains.errors import InputError, clip
from ..domains.files import decode_lines
from ..domains.formula import GroundAtom
from ..engines.engine import Engine
from ..language.sentences.saying import say
from ..planners.goal_diff import GoalDiff, diff, done_in_words
from .case import Case
from .console.diagnostics import show_diagnostics
from .console.escape import json_text
from .console.losses import losses_json
from .console.terminal import BAD, GOOD, HEAD, NAME, QUIET, UNSURE, Screen, number_of
from .engines import DEFAULT_ENGINE
from .goal_texts import JsonLine, faults_json, rows_of, show_faults
from .options import (
    Given,
    goal_text,
    gold_goal,
    read_named,
    timeout_option,
    well_formed,
    world_options,
)

TASK_ID = re.compile(r"[A-Za-z0-9][\w.:-]*\Z")
MAX_FACTS = 20
"""Most facts of a state that are shown to people."""

RELATIONS = {
    "equal": "A and B ask for the same",
    "stronger": "A is stronger than B: all that makes A true makes B true",
    "weaker": "A is weaker than B: all that makes B true makes A true",
    "overlapping": "A and B overlap: each can hold with the other and without it",
    "disjoint": "A and B exclude each other",
    "unknown": "how A and B relate is not decided",
}
TITLES = {"a_only": "A without B", "b_only": "B without A", "both": "A and B together"}


@dataclass(frozen=True, slots=True)
class _Written:
    """A goal as it was given, and the name of where it comes from."""

    text: str
    where: str


@dataclass(frozen=True, slots=True)
class _Compared:
    """A pair of goals with their comparison, or with the diagnostics for which there is none."""

    id: str
    line: int
    written: tuple[_Written, _Written]
    diagnostics: tuple[tuple[Diagnostic, ...], ...]
    answer: GoalDiff | None
    cut_off: bool = False

    def as_json(self) -> dict[str, object]:
        keys: dict[str, object] = {"relation": None}
        if self.answer is not None:
            keys = self.answer.as_json()
        says = [None, None] if self.answer is None else [say(g.formula, self.answer.belief)
                                                         for g in self.answer.goals]  # fmt: skip
        goals = {
            name: {"goal": one.text, "says": words, "diagnostics": [d.as_json() for d in some]}
            for name, one, words, some in zip("ab", self.written, says, self.diagnostics, strict=True)
        }
        return {**goals, **keys}


@click.command(name="diff")
@click.argument("a", metavar="A")
@click.argument("b", metavar="[B]", required=False)
@timeout_option()
@world_options
@click.option("--reachable", is_flag=True, help="Plan for each difference: what plans reach, too.")
@click.option("--engine", metavar="NAME", default=DEFAULT_ENGINE, help="The planner (pyperplan).")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    a: str,
    b: str | None,
    given: Given,
    reachable: bool,
    engine: str,
    as_json: bool,
) -> None:
    """Say how two goals relate, with a state for each difference, such as

    \b
      groundplan diff "(open fridge)" "(not (closed fridge))" --scene office
      groundplan diff office-planning-simple-01 @mine.pddl --reachable
      groundplan diff @pairs.jsonl --scene office --json

    A and B are goals, @FILE, or ids of tasks for their gold goals. A alone is a file with a JSON line for
    each pair: {"id": .., "a": .., "b": ..}. The relation is over all states that the laws of the scene allow;
    --reachable keeps apart what plans reach. Exit codes: 0 compared, also where the relation is unknown,
    1 cut off at the time limit (of several pairs the others are shown), 2 bad input, also in one line of
    several.
    """
    planner = Engine.named(engine) if reachable else None
    case = replace(given, task=given.task or _task_of(given.scene, a, b)).case()
    if b is None:
        faults: list[InputError] = []
        compared = tuple(_all_compared(_pairs(a, faults), case, planner))
        if as_json:
            rows = [{"id": one.id, "line": one.line} | one.as_json() for one in compared]
            answer = {"pairs": rows, "faults": faults_json(faults)}
            click.echo(json_text(answer | {"losses": losses_json(case.belief.scene)}))
        else:
            _show_all(Screen(), compared)
            show_faults(Screen(error=True), faults)
        if faults or any(one.cut_off for one in compared):
            raise click.exceptions.Exit(2 if faults else 1)
    else:
        compared = (_compared("1", 1, (_written(a, "A"), _written(b, "B")), case, planner),)
        if as_json:
            click.echo(json_text(compared[0].as_json() | {"losses": losses_json(case.belief.scene)}))
        else:
            _show_findings(Screen(error=True), compared[0])
            if compared[0].answer is not None:
                _show(Screen(), compared[0].answer)
    raise click.exceptions.Exit(0 if all(one.answer is not None for one in compared) else 2)


def _task_of(scene: str | None, *goals: str | None) -> str | None:
    """Return the task whose scene is meant where none is named."""
    if scene is not None:
        return None
    named = next((text for text in goals if text is not None and TASK_ID.match(text)), None)
    return _task(named).id if named is not None else None


def _task(text: str) -> Task:
    """Return the task of an id. Raises :class:`InputError` for a text that is no goal either."""
    try:
        return find_task(text)
    except InputError as error:
        hint = f"a goal is in brackets, such as (open fridge); {error.hint}".removesuffix("; ")
        raise InputError("goal", "a goal, @FILE or the id of a task", clip(text), hint) from error


def _written(text: str, name: str) -> _Written:
    """Return a goal as it is given: a formula, a file after an @, or the id of a task."""
    if TASK_ID.match(text):
        return _Written(*gold_goal(_task(text)))
    given, where = goal_text(text)
    return _Written(given, name if where == "goal" else where)


def _pairs(option: str, faults: list[InputError]) -> Iterator[tuple[str, int, tuple[_Written, _Written]]]:
    """Yield the pairs of a file of JSON lines; lines that are none are put to ``faults``.

    Raises :class:`InputError` for a file without a line.
    """
    if not option.startswith("@"):
        raise click.UsageError("give two goals, or @FILE with a JSON line for each pair")
    where = "standard input" if option == "@-" else option[1:]
    rows = tuple(rows_of(decode_lines(read_named(option[1:])), where, "a", "b"))
    if not rows:
        raise InputError(where, 'JSON lines {"id": .., "a": .., "b": ..}', "none", "two goals need no file")
    for line in rows:
        try:
            if line.fault is not None:
                raise line.fault
            first, second = (_of_row(line, where, key) for key in ("a", "b"))
        except InputError as error:
            faults.append(error)
        else:
            yield line.id, line.number, (first, second)


def _of_row(line: JsonLine, where: str, key: str) -> _Written:
    """Return a goal of a pair: a formula, or the gold of a task. Raises :class:`InputError`."""
    text, at = str(line.row[key]), f"{where}:{line.number}: {key}"
    if not TASK_ID.match(text):
        return _Written(text, at)
    try:
        return _Written(*gold_goal(_task(text)))
    except InputError as error:
        raise InputError(at, error.expected, error.got, error.hint) from error


def _all_compared(
    pairs: Iterable[tuple[str, int, tuple[_Written, _Written]]], case: Case, planner: Engine | None
) -> Iterator[_Compared]:
    """Yield the comparison of each pair; those that the time limit ends say so."""
    laws = Laws(case.belief)
    for name, line, written in pairs:
        try:
            yield _compared(name, line, written, case, planner, laws)
        except LimitReached as cut:
            why = (Diagnostic("unchecked", "error", f"the comparison was not finished: {cut}"),)
            yield _Compared(name, line, written, (why, why), None, cut_off=True)


def _compared(
    name: str,
    line: int,
    written: tuple[_Written, _Written],
    case: Case,
    planner: Engine | None,
    laws: Laws | None = None,
) -> _Compared:
    read = [well_formed(one.text, one.where, case) for one in written]
    findings = tuple(diagnostics for diagnostics, _ in read)
    first, second = (goal for _, goal in read)
    answer = None
    if first is not None and second is not None:
        answer = diff(first, second, case.belief, planner, laws=laws)
    return _Compared(name, line, written, findings, answer)


def _show_findings(screen: Screen, one: _Compared) -> None:
    """Show why goals are not compared; of others what the relation does not say."""
    for written, diagnostics in zip(one.written, one.diagnostics, strict=True):
        some = diagnostics if one.answer is None else [d for d in diagnostics if d.code == "place-unknown"]
        show_diagnostics(screen, some, written.text, written.where)


def _show_all(screen: Screen, compared: Sequence[_Compared]) -> None:
    """Print the relation of each pair in a line, and how many there are of each."""
    for one in compared:
        if one.cut_off:
            continue  # one line for all of them
        relation = one.answer.relation if one.answer is not None else "not compared"
        plans = one.answer.reachable if one.answer is not None else None
        screen.line((one.id, HEAD), f": {relation}", f", over plans {plans}" if plans is not None else "")
        if one.answer is None:
            _show_findings(screen, one)
    relations = [one.answer.relation if one.answer is not None else "not compared" for one in compared]
    counts = ", ".join(f"{relations.count(r)} {r}" for r in dict.fromkeys(relations))
    if (cut := next((one for one in compared if one.cut_off), None)) is not None:
        screen.line(
            (f"from {cut.id} on: ", HEAD), cut.diagnostics[0][0].message, "; give more with --timeout"
        )
    screen.line((f"{number_of(len(compared), 'pair')}: {counts}", HEAD))


def _show(screen: Screen, answer: GoalDiff) -> None:
    for name, goal in zip("AB", answer.goals, strict=True):
        screen.line((f"{name}: ", HEAD), str(goal))
        screen.line(("in words: ", QUIET), say(goal.formula, answer.belief), prefix=["   "])
    screen.line()
    laws = answer.laws
    for one in laws.unsatisfiable:
        screen.line((f"{one.upper()} is unsatisfiable: no state that the laws allow makes it true", BAD))
    for one in laws.always:
        screen.line((f"{one.upper()} is always true", UNSURE))
    screen.line((RELATIONS[answer.relation], UNSURE if answer.relation == "unknown" else GOOD))
    if laws.why:
        screen.line(laws.why, prefix=["  "])
    for side in laws.sides.values():
        if side.run is None:
            continue
        screen.line()
        screen.line((f"{TITLES[side.name]}, for instance:", HEAD))
        *before, last = side.run.worlds
        for world, steps in zip(before, side.run.steps, strict=False):
            screen.line(("at some time", QUIET), prefix=["  "])
            _show_facts(screen, answer, changes(world), "    ")
            for fact, words in map(done_in_words, sorted(steps, key=str)):
                screen.line(words, ("  " + fact, NAME), prefix=["    "])
        if before:
            screen.line(("at the end", QUIET), prefix=["  "])
        _show_facts(screen, answer, changes(last), "    " if before else "  ")
    if answer.planned is not None:
        _show_planned(screen, answer)
    else:
        screen.line()
        screen.line(
            ("these are states that the laws allow; --reachable looks which of them plans reach", QUIET)
        )


def _show_facts(
    screen: Screen, answer: GoalDiff, facts: Sequence[tuple[GroundAtom, bool]], indent: str
) -> None:
    """Print what is otherwise than at the start, in words and as PDDL."""
    words = answer.belief.pack.words
    for atom, value in facts[:MAX_FACTS]:
        formula = str(atom) if value else f"(not {atom})"
        screen.line(words(atom.predicate, atom.args, value), ("  " + formula, NAME), prefix=[indent])
    if not facts:
        screen.line("as it is at the start", prefix=[indent])
    elif len(facts) > MAX_FACTS:
        screen.line(f"and {len(facts) - MAX_FACTS} more", prefix=[indent])


def _show_planned(screen: Screen, answer: GoalDiff) -> None:
    screen.line()
    style = UNSURE if answer.reachable == "unknown" else GOOD
    screen.line(("Over what plans reach: ", HEAD), (RELATIONS[answer.reachable or "unknown"], style))
    for goal in answer.unreachable:
        screen.line((f"no plan reaches {goal.upper()}, by proof", BAD), prefix=["  "])
    for name, side in (answer.planned or {}).items():
        if side.empty is False:
            steps = " ".join(map(str, side.steps)) or "nothing has to be done"
            screen.line((f"{TITLES[name]}: ", QUIET), "a verified plan, ", steps, prefix=["  "])
        else:
            verdict = "none, " if side.empty else "unknown, "
            screen.line((f"{TITLES[name]}: ", QUIET), verdict, side.why, prefix=["  "])
