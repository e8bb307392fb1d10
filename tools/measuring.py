"""Measurement of readers with language models: one row a task, appended to a file, resumed where it ended.

A model on a small machine takes minutes a task, and such a run is interrupted. So every reply is kept on disk
with the processor seconds that it cost (:class:`KeptModel`): a request that was answered once is never paid
for again, and the sum of these seconds is what a budget bounds. A row is written when its task is done
(``journal``, by :func:`measured_key`), and a task that has a row is not begun again.

Verdicts are those of ``reading``: where a plan ends, not how a goal is worded. ``verified`` and not ``right``
is what a user would be misled by. Rows hold no wall-clock times: a loaded machine has none worth keeping.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from reading_sets import PACK, Instruction, belief_of, gold_of

from groundplan.compiler.goals.goal import Goal, parse_goal
from groundplan.datasets.task import Task
from groundplan.domains.errors import InputError, clip
from groundplan.domains.formula import names
from groundplan.domains.pack import load_pack
from groundplan.engines.base import Budget
from groundplan.engines.engine import Engine
from groundplan.evaluation.journal import Journal
from groundplan.evaluation.report.statistics import wilson
from groundplan.language.chat.servers.model import (
    FORMS,
    ChatModel,
    ChatRequest,
    Reply,
    ServiceError,
    Usage,
    digest,
)
from groundplan.language.reader import Reader, SearchResult, Tried
from groundplan.pipeline.hybrid import run
from groundplan.pipeline.record import Record, Round
from groundplan.planners.classical import plan_goal
from groundplan.planners.request import Request
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.step import Step
from groundplan.simulator.verification import verify_plan
from groundplan.simulator.view import View

ROW = "groundplan-measured-1"
"""Format of a row; rows of another are refused."""
ROW_BEGINS, REPLY_BEGINS = b'{"added":[', b'{"cpu":'
"""How every row begins, and every reply that is kept: by the first of its keys."""
PLAN_SECONDS = 120.0
"""Seconds that planning for one task may take."""


class BudgetSpent(Exception):
    """The processor seconds of a measurement are used up; what is done is on disk."""


@dataclass(frozen=True)
class Item:
    """One task to measure: an instruction with its golds, or a search with its answers.

    ``golds`` are the goals of which one should hold in the end, none where a reader should decline.
    ``answers`` are the nodes that a search should reveal; ``enough`` of them do, and all for 0.
    """

    id: str
    set: str
    text: str
    belief: Callable[[], Belief]
    golds: Callable[[Belief], tuple[Goal, ...]]
    answers: tuple[str, ...] = ()
    enough: int = 0
    search_only: bool = False

    @classmethod
    def of_task(cls, task: Task) -> Item:
        """Return a task of a set: to be planned for, or searched for where its gold is a query."""
        texts = () if task.gold.query else (task.gold.goal,)

        def belief() -> Belief:
            return ground(task.load(), load_pack(PACK))

        def golds(belief: Belief) -> tuple[Goal, ...]:
            return tuple(parse_goal(text, task.id) for text in texts)

        gold = task.gold
        return cls(task.id, task.set, task.instruction, belief, golds, gold.answers, gold.any, not texts)

    @classmethod
    def of_instruction(cls, instruction: Instruction, set_name: str) -> Item:
        """Return an instruction of a reading set."""

        def golds(belief: Belief) -> tuple[Goal, ...]:
            gold = gold_of(instruction, belief)
            return (gold,) if gold is not None else ()

        return cls(instruction.id, set_name, instruction.text, lambda: belief_of(instruction), golds)


def drawn(items: Sequence[Item], number: int, seed: int) -> list[Item]:
    """Return a sample of items, drawn by a seed, in their order; all of them where there are no more."""
    if number >= len(items):
        return list(items)
    chosen = set(random.Random(seed).sample(range(len(items)), number))
    return [item for index, item in enumerate(items) if index in chosen]


@dataclass(frozen=True, slots=True)
class MeasuredRow:
    """Verdict on one task under one arm, and what it took.

    ``shown`` says whether the gold's names, or the answers, were in the part of the scene that the search
    handed on; ``None`` for a gold without names. ``right`` is judged where the plan ends, ``right_untidied``
    where the plan for the goal as it was written does, without what was ``added`` to put things back. ``cpu``
    are processor seconds of the model, ``None`` where it runs elsewhere. ``goals`` are all that were tried;
    ``opened`` counts rooms.
    """

    id: str
    set: str
    arm: str
    text: str
    outcome: str
    shown: bool | None
    verified: bool
    right: bool
    right_untidied: bool
    goals: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    opened: int = 0
    calls: int = 0
    prompt: int = 0
    completion: int = 0
    cpu: float | None = None
    reason: str = ""
    gold: bool = True
    """False where a reader should decline."""
    rounds: tuple[Mapping[str, object], ...] = ()
    """The goals as records have them: how each came about, and for what fault it was turned down."""

    def as_json(self) -> dict[str, object]:
        return {"format": ROW, **asdict(self)}


@dataclass
class KeptModel:
    """A model whose replies are kept in a file with what they cost; ``open_model`` loads it when needed.

    ``budget`` bounds the processor seconds of all replies in the file together. ``begin`` sets the limits of
    one run: its calls, and its processor seconds, those of replies that were kept included, so that a run
    that is resumed is cut off where one at a stretch would be.
    """

    path: Path
    name: str
    settings: Mapping[str, object]
    open_model: Callable[[], ChatModel]
    budget: float
    cpu_clock: Callable[[], float] = time.process_time
    spent: float = 0.0
    run_cpu: float = 0.0
    run_calls: int = 0
    _limits: tuple[int, float] = (100, float("inf"))
    _model: ChatModel | None = None
    _journal: Journal = field(init=False, repr=False)
    _kept: dict[str, tuple[Reply, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._journal = Journal(self.path, _reply_key, REPLY_BEGINS)
        for line in self._journal.rows():
            self._kept[str(line["key"])] = _reply_of(line), float(str(line["cpu"]))
        self.spent = sum(cpu for _, cpu in self._kept.values())

    def close(self) -> None:
        """Give up the file of replies, and the lock on it."""
        self._journal.close()

    def begin(self, calls: int, seconds: float) -> None:
        """Begin a run with limits of its own."""
        self.run_calls, self.run_cpu, self._limits = 0, 0.0, (calls, seconds)

    def ask(self, request: ChatRequest) -> Reply:
        """Answer from the file, or ask the model and keep the reply.

        Raises :class:`BudgetSpent`, and :class:`ServiceError` of the model and at a limit of the run.
        """
        calls, seconds = self._limits
        if self.run_calls >= calls or self.run_cpu >= seconds:
            raise ServiceError("budget", f"the run used its {calls} calls or {seconds:g} processor seconds")
        self.run_calls += 1
        text = request.canonical(self.name, self.settings)
        key = digest(text + request.constrained("gbnf"))
        if key not in self._kept:
            if self.spent >= self.budget:
                raise BudgetSpent(f"{self.spent:.0f} of {self.budget:.0f} processor seconds are spent")
            self._model = self._model or self.open_model()
            started = self.cpu_clock()
            reply = self._model.ask(request)
            cpu = round(self.cpu_clock() - started, 2)
            self.spent += cpu
            self._kept[key] = reply, cpu
            self._journal.append({"key": key, "purpose": request.purpose, "cpu": cpu, **_json_of(reply)})
        reply, cpu = self._kept[key]
        self.run_cpu += cpu
        return reply


def _reply_key(row: Mapping[str, object], where: str) -> str:
    if not isinstance(key := row.get("key"), str):
        raise InputError(where, "a reply with its key", clip(row))
    return key


def _json_of(reply: Reply) -> dict[str, object]:
    usage = reply.usage
    tokens = [usage.prompt, usage.completion, usage.source]
    return {"text": reply.text, "form": reply.form, "finish": reply.finish, "usage": tokens}


def _reply_of(line: Mapping[str, object]) -> Reply:
    """Return a reply that was kept. Raises :class:`InputError`."""
    usage, form = line.get("usage"), next((f for f in FORMS if f == line.get("form")), None)
    if not isinstance(usage, list) or len(usage) != 3 or form is None:
        raise InputError("kept replies", "text, form and usage", clip(line))
    source = "server" if usage[2] == "server" else "counted"
    return Reply(str(line["text"]), form, Usage(usage[0], usage[1], source), str(line["finish"]))  # type: ignore[arg-type]


def measured_key(row: Mapping[str, object], where: str) -> str:
    """Return the task and the arm of a row of a measurement. Raises :class:`InputError` for another row."""
    if row.get("format") != ROW:
        raise InputError(where, f"rows of format {ROW}", clip(row))
    return row_name(str(row.get("id")), str(row.get("arm")))


def row_name(item: str, arm: str) -> str:
    """Return what the row of a task under an arm is called."""
    return f"{item} of {arm}"


def measured(
    item: Item, arm: str, reader: Reader, engine: Engine, cpu: Callable[[], float | None]
) -> MeasuredRow:
    """Let a reader do one task, and judge what came of it; ``cpu`` returns the model's seconds for it."""
    belief = item.belief()
    before = _used(reader)
    added: tuple[str, ...] = ()
    untidied = False
    goals: tuple[Round, ...] = ()
    golds: tuple[Goal, ...] = ()
    if item.search_only:
        result = reader.search(item.text, View.first(belief.scene))
        steps: Sequence[Mapping[str, object]] = [step.as_json() for step in result.trace]
        outcome, reason = str(result.outcome), result.reason
        shown: bool | None = _found(item, result)
        verified, right = False, bool(shown)
        untidied = right
    else:
        golds = item.golds(belief)
        record = run(Request(belief, item.text, task=item.id), engine, reader, Budget(PLAN_SECONDS))
        steps, outcome, reason = record.trace, record.outcome, "; ".join(record.reasons)
        shown, verified = _named_shown(record, golds), record.verified
        right, goals = verified and holds(record.plan, belief, golds), record.goals
        added = tuple(map(str, record.added))
        untidied = right if not added else _right_untidied(goals[-1].goal, belief, golds, engine)
    calls, prompt, completion = (now - then for now, then in zip(_used(reader), before, strict=True))
    return MeasuredRow(
        item.id,
        item.set,
        arm,
        item.text,
        outcome,
        shown,
        verified,
        right,
        untidied,
        goals=tuple(clip(str(r.goal), 400) for r in goals),
        added=added,
        named=tuple(str(s["thought"]) for s in steps if s["command"] == "name"),
        opened=_rooms(belief, (str(s["node"]) for s in steps if s["command"] == "expand")),
        calls=calls,
        prompt=prompt,
        completion=completion,
        cpu=cpu(),
        reason=clip(reason, 300),
        gold=bool(golds) or item.search_only,
        rounds=tuple(_round(one) for one in goals),
    )


def _round(one: Round) -> Mapping[str, object]:
    """Return what a row keeps of one goal; its feedback and its changes stay in the record."""
    kept = one.as_json()
    return {"goal": clip(str(one.goal), 400)} | {
        name: kept[name] for name in ("by", "fault", "reopened", "tokens")
    }


def holds(steps: Sequence[Step], belief: Belief, golds: Iterable[Goal]) -> bool:
    """Return whether one of the golds holds where a plan ends."""
    return any(verify_plan(steps, belief, gold.formula).verified for gold in golds)


def _right_untidied(written: Tried, belief: Belief, golds: Iterable[Goal], engine: Engine) -> bool:
    """Return whether a goal as it was written leads to a gold, with nothing put back."""
    assert isinstance(written, Goal), "something was put back after it"
    planned = plan_goal(written, belief, engine, Budget(PLAN_SECONDS))
    return planned.verified and holds(planned.steps, belief, golds)


def _found(item: Item, result: SearchResult) -> bool:
    """Return whether a search opened what its question is about: the answers, and rooms among them."""
    shown, opened = set(result.subgraph), set(result.view.expanded)
    scene = result.view.scene
    opened_answers = [a in shown and (scene.nodes[a].type != "room" or a in opened) for a in item.answers]
    return result.outcome == "found" and sum(opened_answers) >= (item.enough or len(opened_answers))


def _named_shown(record: Record, golds: Iterable[Goal]) -> bool | None:
    """Return whether the names of one gold were all handed on; ``None`` where no gold has a name."""
    shown = set(record.subgraph)
    named = [set(names(gold.formula)) for gold in golds]
    return any(nodes <= shown for nodes in named if nodes) if any(named) else None


def _rooms(belief: Belief, nodes: Iterable[str]) -> int:
    return len({n for n in nodes if belief.scene.nodes[n].type == "room"})


def _used(reader: Reader) -> tuple[int, int, int]:
    """Return the calls of a reader's model until now, and the tokens of prompts and answers."""
    sums = reader.meter.as_json() if reader.meter is not None else {}
    calls, prompt, completion = (int(str(sums.get(k, 0))) for k in ("calls", "prompt", "completion"))
    return calls, prompt, completion


# Tables


@dataclass(frozen=True, slots=True)
class Summary:
    """Sums over the rows of one arm and one set; ``calls``, ``tokens`` and ``cpu`` are means of a task."""

    arm: str
    set: str
    tasks: int
    shown: int
    with_names: int
    right: int
    right_untidied: int
    misled: int
    """Verified, and not right."""
    answered: int
    calls: float
    tokens: float
    cpu: float


def summaries(rows: Iterable[Mapping[str, object]], together: str = "") -> list[Summary]:
    """Sum rows up by arm and set, in the order in which they first come; ``together`` is one set of all."""
    groups: dict[tuple[str, str], list[Mapping[str, object]]] = {}
    for row in rows:
        groups.setdefault((str(row["arm"]), together or str(row["set"])), []).append(row)
    return [_summary(arm, name, group) for (arm, name), group in groups.items()]


def _summary(arm: str, name: str, rows: Sequence[Mapping[str, object]]) -> Summary:
    def total(key: str) -> float:
        return sum(float(str(row[key] or 0)) for row in rows)

    def number(truth: Callable[[Mapping[str, object]], object]) -> int:
        return sum(bool(truth(row)) for row in rows)

    return Summary(
        arm,
        name,
        len(rows),
        number(lambda r: r["shown"]),
        number(lambda r: r["shown"] is not None),
        number(lambda r: r["right"]),
        number(lambda r: r["right_untidied"]),
        number(lambda r: r["verified"] and not r["right"]),
        number(lambda r: r["verified"]),
        total("calls") / len(rows),
        (total("prompt") + total("completion")) / len(rows),
        total("cpu") / len(rows),
    )


def table(lines: Iterable[Summary]) -> str:
    """Return a Markdown table, with the intervals of the two shares."""
    head = "| arm | set | n | gold shown | right | as written | wrong but verified | calls | tokens | CPU s |"
    rows = [head, "|---|---|---|---|---|---|---|---|---|---|"]
    for s in lines:
        shown = f"{s.shown}/{s.with_names}{_interval(s.shown, s.with_names)}"
        right = f"{s.right}{_interval(s.right, s.tasks)}"
        misled = f"{s.misled} of {s.answered}"
        rows.append(
            f"| {s.arm} | {s.set} | {s.tasks} | {shown} | {right} | {s.right_untidied} | {misled} "
            f"| {s.calls:.1f} | {s.tokens:.0f} | {s.cpu:.0f} |"
        )
    return "\n".join(rows)


def _interval(part: int, whole: int) -> str:
    if not whole:
        return ""
    interval = wilson(part, whole)
    return f" ({interval.low:.2f}–{interval.high:.2f})"
