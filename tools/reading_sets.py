"""Evaluation of readers: instructions turned into goals, judged by outcomes and not by the text of goals.

Every instruction of a set has a gold goal, or none where nothing sensible can be asked. The reader searches
and writes once, without repairs; its goal is planned for, and the gold is evaluated where that plan ends. So
a goal counts that is worded otherwise, or asks for more, as long as the outcome is one that was meant. The
table may be changed; the verdicts and the JSON keys must stay, so that reports can be compared:

- *right*: a goal was written, it has a verified plan, and the gold holds at the end of it;
- *declined*: the reader did not understand, or its search found nothing;
- *wrong*: everything else, and any answer to an instruction without a gold.

Precision is what to expect of an answer, right / (right + wrong). Coverage is how often there is one, counted
over the instructions with a gold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from groundplan.compiler.goals.checker import check
from groundplan.compiler.goals.goal import Goal, parse_goal
from groundplan.datasets.library import find_task
from groundplan.datasets.scenes import open_scene
from groundplan.domains.errors import GoalError, InputError, clip
from groundplan.domains.pack import load_pack
from groundplan.engines.engine import Engine
from groundplan.language.reader import NotUnderstood, Reader
from groundplan.planners.classical import plan_goal
from groundplan.planners.tidy import put_back
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.scene_json import load_json
from groundplan.simulator.verification import verify_plan
from groundplan.simulator.view import View

Verdict = Literal["right", "wrong", "declined"]
VERDICTS: tuple[Verdict, ...] = ("right", "wrong", "declined")

PACK = "household"
FIELDS = ("id", "scene", "task", "text", "gold", "kind")


@dataclass(frozen=True, slots=True)
class Instruction:
    """A sentence and the goal that it means; no gold where a reader should decline.

    ``scene`` is the name of a built-in scene or a scene file; ``task`` names a task whose overlay is applied
    to the scene.
    """

    id: str
    scene: str
    text: str
    gold: str | None
    kind: str
    task: str | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """The outcome of one instruction: the verdict, the reader's goal if it wrote one, and why not right."""

    instruction: Instruction
    verdict: Verdict
    goal: str | None = None
    reason: str = ""

    def as_json(self) -> dict[str, object]:
        instruction = self.instruction
        return {
            "id": instruction.id,
            "kind": instruction.kind,
            "text": instruction.text,
            "gold": instruction.gold,
            "verdict": self.verdict,
            "goal": self.goal,
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True)
class ReadingReport:
    """The rows of one reader over a set, in the order of the set."""

    reader: str
    engine: str
    rows: tuple[Row, ...]

    def count(self, verdict: Verdict) -> int:
        return sum(r.verdict == verdict for r in self.rows)

    @property
    def precision(self) -> float | None:
        """The share of answers that are right; ``None`` when everything was declined."""
        return _share(self.count("right"), self.count("right") + self.count("wrong"))

    @property
    def coverage(self) -> float | None:
        """The share of instructions with a gold that were answered; ``None`` when there are none."""
        meant = [r for r in self.rows if r.instruction.gold is not None]
        return _share(sum(r.verdict != "declined" for r in meant), len(meant))

    def kinds(self) -> dict[str, dict[str, int]]:
        """Count each verdict, by kind of instruction in the order of the set."""
        counts = Counter((r.instruction.kind, r.verdict) for r in self.rows)
        names = dict.fromkeys(r.instruction.kind for r in self.rows)
        return {k: {v: counts[k, v] for v in VERDICTS} for k in names}

    def as_json(self) -> dict[str, object]:
        """The whole report; the shares are rounded to four places."""
        return {
            "reader": self.reader,
            "engine": self.engine,
            "instructions": len(self.rows),
            **{v: self.count(v) for v in VERDICTS},
            "precision": self.precision,
            "coverage": self.coverage,
            "kinds": self.kinds(),
            "rows": [r.as_json() for r in self.rows],
        }

    def table(self) -> str:
        """A line an instruction; where it is not right, the goal and the reason follow."""
        lines = []
        for row in self.rows:
            instruction = row.instruction
            lines.append(
                f"{row.verdict:<9} {instruction.id}  {instruction.kind:<10}  {clip(instruction.text, 200)}"
            )
            if row.verdict != "right":
                more = filter(None, (row.goal, row.reason))
                lines += [f"{'':<9} {clip(line, 200)}" for line in more]
        return "\n".join(lines)


def load_instructions(path: Path) -> tuple[Instruction, ...]:
    """Read a set from a JSON file; scene files are named relative to it.

    Raises :class:`InputError` for what is no such set.
    """
    raw = load_json(path)
    entries = raw.get("instructions") if isinstance(raw, dict) else None
    if not isinstance(entries, list):
        raise InputError(str(path), "an object with a list of instructions", clip(raw))
    instructions = tuple(
        _instruction(e, f"{path}: instructions[{i}]", path.parent) for i, e in enumerate(entries)
    )
    twice = [name for name, n in Counter(i.id for i in instructions).items() if n > 1]
    if twice:
        raise InputError(str(path), "an id of its own for every instruction", f"{clip(twice[0])} twice")
    return instructions


def evaluate(
    reader: Reader, instructions: Iterable[Instruction], engine: Engine, tidy: bool = True
) -> ReadingReport:
    """Let a reader read every instruction, and judge what comes of it.

    With ``tidy`` the plan puts back what it left otherwise and the goal says nothing of, as in a run.

    Raises :class:`InputError` for a set that is at fault: a scene or task that does not exist, or a gold that
    does not fit its scene or holds before anything is done. A service that fails is not caught.
    """
    beliefs: dict[tuple[str, str | None], Belief] = {}
    rows = []
    for instruction in instructions:
        place = (instruction.scene, instruction.task)
        if place not in beliefs:
            beliefs[place] = belief_of(instruction)
        rows.append(judge(reader, instruction, beliefs[place], engine, tidy))
    return ReadingReport(reader.name, engine.name, tuple(rows))


def judge(reader: Reader, instruction: Instruction, belief: Belief, engine: Engine, tidy: bool = True) -> Row:
    """Read one instruction, plan for the goal, and compare the outcome with the gold."""
    gold = gold_of(instruction, belief)
    search = reader.search(instruction.text, View.first(belief.scene))
    if search.outcome != "found":
        return Row(instruction, "declined", reason=search.reason or search.outcome)
    written = reader.write(instruction.text, search.scene)
    if isinstance(written, NotUnderstood):
        return Row(instruction, "declined", reason=written.reason)
    if not isinstance(written, Goal):
        return Row(instruction, "wrong", reason=f"not a goal: {written}")
    goal = str(written)
    if gold is None:
        return Row(instruction, "wrong", goal, "a goal although nothing sensible was asked")
    try:
        report = check(written, belief)
        report.raise_errors()
        planned = plan_goal(written, belief, engine, normal=report.normal)
        if tidy:
            planned = put_back(written, planned, belief, engine, normal=report.normal).result
    except GoalError as error:
        return Row(instruction, "wrong", goal, str(error))
    if not planned.verified:
        return Row(instruction, "wrong", goal, "; ".join((planned.ending.value, *planned.reasons)))
    outcome = verify_plan(planned.steps, belief, gold.formula)
    if not outcome.verified:
        return Row(instruction, "wrong", goal, "; ".join(outcome.feedback()))
    return Row(instruction, "right", goal)


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def belief_of(instruction: Instruction) -> Belief:
    """The scene of an instruction, with its task's overlay. Raises :class:`InputError`."""
    if instruction.task is None:
        return ground(open_scene(instruction.scene), load_pack(PACK))
    task = find_task(instruction.task)
    if task.scene != instruction.scene:
        raise InputError(instruction.id, f"the scene of {task.id}, {task.scene}", clip(instruction.scene))
    return ground(task.load(), load_pack(PACK))


def gold_of(instruction: Instruction, belief: Belief) -> Goal | None:
    """The gold goal, checked against the scene; ``None`` where a reader should decline."""
    if instruction.gold is None:
        return None
    where = f"gold of {instruction.id}"
    gold = parse_goal(instruction.gold, where)
    check(gold, belief).raise_errors(where)
    if verify_plan((), belief, gold.formula).verified:
        raise InputError(where, "a goal that something must be done for", "one that holds at first")
    return gold


def _instruction(raw: object, where: str, folder: Path) -> Instruction:
    if not isinstance(raw, Mapping) or sorted(raw) != sorted(FIELDS):
        raise InputError(where, f"an object with {', '.join(FIELDS)}", clip(raw))
    scene, text = _text(raw, "scene", where), _text(raw, "text", where)
    if scene.endswith(".json"):
        scene = str(folder / scene)
    gold, task = _optional(raw, "gold", where), _optional(raw, "task", where)
    return Instruction(_text(raw, "id", where), scene, text, gold, _text(raw, "kind", where), task)


def _optional(raw: Mapping[str, object], key: str, where: str) -> str | None:
    return None if raw[key] is None else _text(raw, key, where)


def _text(raw: Mapping[str, object], key: str, where: str) -> str:
    value = raw[key]
    if not isinstance(value, str) or not value:
        raise InputError(f"{where}.{key}", "a text", clip(value))
    return value
