"""Tables of what goes wrong in plans, and GRASIF's measures of the graphs that plans lead to."""

from __future__ import annotations

from functools import partial

from ...pipeline.faults import TRIGGERS
from ..bench.results import Results, RunRow
from ..plan_errors import ERROR_KINDS
from .statistics import share_of
from .tables import HEAD, Entrant, ReportTable, Value, by_task, entrants, with_unions


def kinds_of_errors(results: Results) -> ReportTable | None:
    """Return the share of runs with each kind of error, as SayPlan counts them and all in all."""
    lines = [line for line in entrants(results, "plan") if any("errors" in r.measures for r in line.rows)]
    lines = with_unions(results, lines)
    if not lines:
        return None
    rows: list[tuple[Value, ...]] = []
    for line in lines:
        for counted, key in (("execution", "execution_errors"), ("all", "errors")):
            shares = [line.share_of(key, partial(has_error, kind=kind, key=key)) for kind in ERROR_KINDS]
            rows.append((*line.head, counted, *shares))
    notes = (
        "A plan may have several kinds. execution: of plans that the simulator refuses, as SayPlan counts "
        "them. all: also what keeps the gold goal from holding after a plan that it accepts. The rules: "
        "docs/bench.md.",
    )
    columns = (*HEAD, "counted", *(kind.replace("_", " ") for kind in ERROR_KINDS))
    return ReportTable("Errors in plans", columns, tuple(rows), notes)


def faults(results: Results) -> ReportTable | None:
    """Return how often each of the three kinds of failure came, and the nodes that do not belong."""
    lines = entrants(results, "plan")
    if not lines:
        return None
    rows: list[tuple[Value, ...]] = []
    for line in lines:
        groups = by_task(line.rows).values()
        shares = [
            share_of([[holds(row) for row in group] for group in groups])
            for holds in (goal_fault, belief_fault, domain_fault, refused_plan)
        ]
        invented = share_of([[bool(row.invented) for row in group] for group in groups], exact=True)
        wrong = line.share_of("wrong_nodes", lambda row: bool(_texts(row, "wrong_nodes")), exact=True)
        rows.append((*line.head, *shares, invented, wrong))
    notes = (
        "Shares of runs in which it came at least once. goal fault: a goal was turned down and went back to "
        "the reader. belief fault: the world differed from what the robot believed. domain fault: planner "
        "and simulator disagreed though belief and world are the same, an error of ours. plan refused: the "
        "simulator refused a plan that a model wrote.",
        "invented node: the run used a name that the scene does not have. wrong node: its last goal or plan "
        "is about a node of the scene that no plan for the gold goal needs. Both with the exact interval.",
    )
    columns = (
        *HEAD, "goal fault", "belief fault", "domain fault", "plan refused", "invented node", "wrong node",
    )  # fmt: skip
    return ReportTable("Faults, and nodes that do not belong", columns, tuple(rows), notes)


def repairs(results: Results) -> ReportTable | None:
    """Return how many goals were repaired, and after what."""
    rows: list[tuple[Value, ...]] = []
    for line in entrants(results, "plan"):
        goals = [one for row in line.rows for one in _list(row, "goals") if isinstance(one, dict)]
        triggers = [one.get("trigger") for one in goals if one.get("by") == "repair"]
        if triggers:
            left_out = sum(bool(_list(row, "dropped_as_impossible")) for row in line.rows)
            rows.append((*line.head, len(triggers), *(triggers.count(one) for one in TRIGGERS), left_out))
    if not rows:
        return None
    notes = (
        "Repairs of a goal over all runs, by what had turned the goal before it down. check: its names, what "
        "things can do, what the instruction says. search: what nobody had been shown. planner: no plan, "
        "proved or not. simulator: steps in the true world. left out: runs whose last goal leaves out what "
        "an earlier one asked for, since it is impossible, or says nothing of the scene.",
    )
    return ReportTable("Repairs of goals", (*HEAD, "repairs", *TRIGGERS, "left out"), tuple(rows), notes)


def goal_fault(row: RunRow) -> bool:
    """Return whether a goal of a run was turned down."""
    return any(isinstance(one, dict) and one.get("fault") for one in _list(row, "goals"))


def belief_fault(row: RunRow) -> bool:
    """Return whether the world differed from what the robot believed."""
    return bool(_list(row, "observations"))


def domain_fault(row: RunRow) -> bool:
    """Return whether the simulator refused a plan of the planner."""
    return row.outcome == "rejected" and not _list(row, "attempts")


def refused_plan(row: RunRow) -> bool:
    """Return whether the simulator refused a plan that a model wrote."""
    return any(isinstance(one, dict) and one.get("feedback") for one in _list(row, "attempts"))


def graphs(results: Results) -> ReportTable | None:
    """Return GRASIF's measures of the tasks that come with a goal graph."""
    lines = [
        Entrant(line.system, line.set, tuple(r for r in line.rows if _graph(r)))
        for line in entrants(results, "plan")
    ]
    rows: list[tuple[Value, ...]] = []
    for line in lines:
        if not line.rows:
            continue
        groups = by_task(line.rows).values()
        whole, changed = (
            share_of([[_graph(row).get(key) is True for row in group] for group in groups])
            for key in ("whole", "changed")
        )
        precision = line.mean(lambda row: graph_number(row, "precision"))
        length = line.mean(lambda row: graph_number(row, "actions"))
        relevance = line.mean(lambda row: graph_number(row, "relevance"))
        unchanged = sum(graph_number(row, "relevance") is None for row in line.rows)
        rows.append((*line.head, whole, changed, precision, length, relevance, unchanged))
    if not rows:
        return None
    notes = (
        "SR: every node as in the goal graph, so side effects count (LookPlanGraph, section 6.3). "
        "SR (changed): the nodes that the task changes are. APP: the share of the nodes changed by the plan "
        "that are as in the goal graph, 0 where it changed none. APL: actions of GRASIF, without poses and "
        "access, over the plans that count in SR. NRR: nodes observed for each node that the task changes, "
        "lower is better; the runs of tasks that change none are left out of it, and counted.",
    )
    columns = (*HEAD, "SR", "SR (changed)", "APP", "APL", "NRR", "left out of NRR")
    return ReportTable("Goal graphs", columns, tuple(rows), notes)


def graph_measure(row: RunRow, key: str) -> object:
    """Return one of GRASIF's measures of a run; ``None`` where its task has no goal graph."""
    return _graph(row).get(key)


def has_error(row: RunRow, kind: str, key: str = "execution_errors") -> bool:
    """Return whether a plan has an error of a kind: one for which it was refused, as SayPlan counts them."""
    return kind in _texts(row, key)


def _graph(row: RunRow) -> dict[str, object]:
    value = row.measures.get("graph")
    return value if isinstance(value, dict) else {}


def graph_number(row: RunRow, key: str) -> float | None:
    """Return one of GRASIF's measures that is a number."""
    value = _graph(row).get(key)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _texts(row: RunRow, key: str) -> list[str]:
    value = row.measures.get(key)
    return [str(one) for one in value] if isinstance(value, list | tuple) else []


def _list(row: RunRow, key: str) -> list[object]:
    value = row.record.get(key)
    return value if isinstance(value, list) else []
