"""One run of a comparison: the task becomes a request, the method runs, and its record is judged.

This is the one place where a task meets a method. The gold goal goes to the method ``gold`` and to those that
act for a given goal, and to nobody else; the gold reader gets it from whoever makes the tools. What a method
cannot do, and every failure that has a name, is a row with its ending.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from ...domains.pack import Pack
from ...methods.houses.errand import HouseErrand
from ...methods.houses.house_method import HouseMethod
from ...methods.method import Method, Tools, acts, takes_goal, unsupported
from ...pipeline.record import Record
from ...planners.request import Request
from ..judging import JudgedTask, invented_names, judge_run
from .account import Account
from .comparison import Cell, Comparison
from .results import NO_ENGINE, Kind, RunRow

ToolMaker = Callable[[JudgedTask, int | None, Account, ExitStack], Tools]
"""Maker of the reader and the model of a run, from its task and the seed of sampling; a value that other
processes can be sent.

Its engine is added by the comparison. Requests to a model are to go through a :class:`CountedModel` with the
account; the stack closes what is opened when the run ends. Raises :class:`InputError`.
"""


@dataclass
class CellRunner:
    """The runs of a comparison, one at a time, in whatever process."""

    comparison: Comparison
    make_tools: ToolMaker
    _pack: Pack | None = field(default=None, repr=False)
    _case: JudgedTask | None = field(default=None, repr=False)

    def __call__(self, cell: Cell) -> RunRow:
        """Run a cell. Raises :class:`InputError` for tools that cannot be made."""
        started = time.perf_counter()
        case, account = self.case(cell.task), Account(self.comparison.limits_of(cell), cell)
        method = next(m for m in self.comparison.methods if m.name == cell.method)
        with ExitStack() as keep:
            tools = self.make_tools(case, self.comparison.seed_of(cell), account, keep)
            engine = None
            if cell.engine != NO_ENGINE:
                engine = self.comparison.engine(cell.engine)
                engine.limited_to(account.limits.expansions)
            request = request_of(case, takes_goal(method))
            if case.no_goal and takes_goal(method):
                reason = f"{method.name} plans for gold goals, and this task has none: {case.no_goal}"
                record = unsupported(request, reason)
            else:
                record = run_method(method, request, replace(tools, engine=engine), account)
        measures = asdict(judge_run(record, case, account.limits.seconds))
        timings = {**record.timings, "run": time.perf_counter() - started + account.kept_seconds}
        if "search" in timings:  # what is kept are answers of searches
            timings["search"] += account.kept_seconds
        return replace(
            row_of(cell, case, record),
            measures=measures,
            invented=invented_names(record, case.belief),
            tokens=account.as_json(),
            replies=account.replies.as_json(),
            reproducible=record.planning.reproducible and not measures.get("unchecked"),
            timings={name: round(seconds, 6) for name, seconds in timings.items()},
        )

    def failed(self, cell: Cell, outcome: str, reason: str, seconds: float) -> RunRow:
        """Return the row of a run whose process ended without an answer."""
        record = Record(outcome, task=cell.task, failures=(reason,), method=cell.method)
        if cell.engine != NO_ENGINE:
            record = replace(record, engine=cell.engine)
        case = self.case(cell.task)
        row = row_of(cell, case, record)
        measures = asdict(judge_run(record, case, self.comparison.limits_of(cell).seconds))
        return replace(row, measures=measures, reproducible=False, timings={"run": round(seconds, 6)})

    def case(self, task_id: str) -> JudgedTask:
        """Return the scene of a task, grounded; the last one is kept, since runs are task by task."""
        if self._case is None or self._case.task.id != task_id:
            if self._pack is None:
                self._pack = self.comparison.domain()
            task = next(t for t in self.comparison.tasks if t.id == task_id)
            self._case = JudgedTask.of(task, self._pack, self.comparison.rules)
        return self._case

    def check(self, task_id: str) -> None:
        """Load a task. Raises :class:`InputError` for a fault of its scene or gold."""
        case = self.case(task_id)
        if case.task.gold.goal:
            case.gold, case.requested  # noqa: B018

    def __getstate__(self) -> dict[str, object]:
        """Leave out what is loaded: another process loads its own."""
        return {"comparison": self.comparison, "make_tools": self.make_tools}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__init__(state["comparison"], state["make_tools"])  # type: ignore[misc]


def request_of(case: JudgedTask, with_gold: bool) -> Request:
    """Return what a method gets of a task, with the gold goal where that is asked for."""
    task = case.task
    goal = case.gold if with_gold and task.gold.goal else None
    house = task.house.search() if task.house is not None else None
    world = case.belief if task.hidden else None
    return Request(
        case.known, task.instruction, goal, task.id, world, search_only=case.is_search, house=house
    )


def run_method(method: Method, request: Request, tools: Tools, account: Account) -> Record:
    """Run a method within the limits of an account, unless it would get what it is not to know.

    A run that used up its calls, tokens or expanded states ends as ``out-of-budget``.
    """
    if request.house is not None and not isinstance(method, HouseMethod | HouseErrand):
        return unsupported(request, f"{method.name} searches no house that it does not know")
    if request.world is not None and not acts(method):
        return unsupported(
            request, f"{method.name} plans for the scene that it is given, and looks for nothing"
        )
    record = method.run(request, tools, account.limits)
    if account.unstored:
        return unsupported(request, account.unstored)
    if record.method is None and record.outcome != "unsupported":
        record = replace(record, method=method.name)
    engine = tools.engine
    spent = {
        "service-failed": account.exhausted,
        "not-found": engine is not None and engine.exhausted,
    }
    return replace(record, outcome="out-of-budget") if spent.get(record.outcome, False) else record


def kind_of(case: JudgedTask) -> Kind:
    """Return what is right for a task: a plan, an answer, to decline it, or what nobody can judge."""
    if not case.task.graded:
        return "open"
    if case.task.gold.unsolvable:
        return "decline"
    return "search" if case.is_search else "plan"


def row_of(cell: Cell, case: JudgedTask, record: Record) -> RunRow:
    """Return the row of a record, without the judgement of it."""
    kept = record.as_json()
    for large in ("timings", "certificate"):
        del kept[large]
    kept["house"] = {key: value for key, value in record.house.items() if key not in ("graph", "pddl")}
    return RunRow(
        cell.key,
        cell.method,
        cell.engine,
        cell.task,
        case.task.set,
        kind_of(case),
        cell.repeat,
        record.outcome,
        record.reasons,
        record=kept,
        reproducible=record.planning.reproducible,
        reader=cell.reader,
    )
