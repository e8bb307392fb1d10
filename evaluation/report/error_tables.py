"""Tables of what goes wrong in plans, and GRASIF's measures of the graphs that plans lead to."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from ...domains.files import items, mapping, number, objects
from ...pipeline.faults import TRIGGERS
from ..bench.results import Results, RunRow
from ..plan_errors import ERROR_KINDS
from .tables import (
    HEAD,
    INVENTED,
    Cell,
    Entrant,
    ReportTable,
    by_line,
    entrants,
    mean,
    share_that,
    table_of,
    with_unions,
)


def kinds_of_errors(results: Results) -> ReportTable | None:
    """Return the share of runs with each kind of error, as SayPlan counts them and all in all."""
    lines = [line for line in entrants(results, "plan") if any("errors" in r.measures for r in line.rows)]
    lines = with_unions(results, lines)
    if not lines:
        return None
    rows = [
        (
            *line.head,
            counted,
            *(share_that(partial(has_error, kind=kind, key=key), key)(line) for kind in ERROR_KINDS),
        )
        for line in lines
        for counted, key in (("execution", "execution_errors"), ("all", "errors"))
    ]
    columns = (*HEAD, "counted", *(kind.replace("_", " ") for kind in ERROR_KINDS))
    return table_of("Errors in plans", columns, rows)


def faults(results: Results) -> ReportTable | None:
    """Return how often each of the three kinds of failure came, and the nodes that do not belong."""
    cells = {
        "goal fault": share_that(goal_fault),
        "belief fault": share_that(belief_fault),
        "domain fault": share_that(domain_fault),
        "plan refused": share_that(refused_plan),
        "invented node": INVENTED,
        "wrong node": share_that(
            lambda row: items(row.measures.get("wrong_nodes")), "wrong_nodes", exact=True
        ),
    }
    return by_line("Faults, and nodes that do not belong", entrants(results, "plan"), cells)


def repairs(results: Results) -> ReportTable | None:
    """Return how many goals were repaired, and after what."""
    lines = [line for line in entrants(results, "plan") if _triggers(line)]
    cells: dict[str, Cell] = {
        "repairs": lambda line: len(_triggers(line)),
        **{trigger: partial(_count, trigger=trigger) for trigger in TRIGGERS},
        "left out": lambda line: sum(
            bool(items(row.record.get("dropped_as_impossible"))) for row in line.rows
        ),
    }
    return by_line("Repairs of goals", lines, cells)


def _triggers(line: Entrant) -> list[object]:
    """Return what turned down each goal that was repaired then."""
    goals = (one for row in line.rows for one in objects(row.record.get("goals")))
    return [one.get("trigger") for one in goals if one.get("by") == "repair"]


def _count(line: Entrant, trigger: str) -> int:
    return _triggers(line).count(trigger)


def goal_fault(row: RunRow) -> bool:
    """Return whether a goal of a run was turned down."""
    return any(one.get("fault") for one in objects(row.record.get("goals")))


def belief_fault(row: RunRow) -> bool:
    """Return whether the world differed from what the robot believed."""
    return bool(items(row.record.get("observations")))


def domain_fault(row: RunRow) -> bool:
    """Return whether the simulator refused a plan of the planner."""
    return row.outcome == "rejected" and not items(row.record.get("attempts"))


def refused_plan(row: RunRow) -> bool:
    """Return whether the simulator refused a plan that a model wrote."""
    return any(one.get("feedback") for one in objects(row.record.get("attempts")))


def graphs(results: Results) -> ReportTable | None:
    """Return GRASIF's measures of the tasks that come with a goal graph."""
    lines = [
        Entrant(line.system, line.set, tuple(r for r in line.rows if _graph(r)))
        for line in entrants(results, "plan")
    ]
    relevance = partial(graph_number, key="relevance")
    cells: dict[str, Cell] = {
        "SR": share_that(partial(graph_holds, key="whole")),
        "SR (changed)": share_that(partial(graph_holds, key="changed")),
        "APP": mean(partial(graph_number, key="precision")),
        "APL": mean(partial(graph_number, key="actions")),
        "NRR": mean(relevance),
        "left out of NRR": lambda line: sum(relevance(row) is None for row in line.rows),
    }
    return by_line("Goal graphs", [line for line in lines if line.rows], cells)


def has_error(row: RunRow, kind: str, key: str = "execution_errors") -> bool:
    """Return whether a plan has an error of a kind: one for which it was refused, as SayPlan counts them."""
    return kind in items(row.measures.get(key))


def _graph(row: RunRow) -> Mapping[str, Any]:
    return mapping(row.measures.get("graph"))


def graph_holds(row: RunRow, key: str) -> bool:
    """Return whether one of GRASIF's measures of yes and no is true."""
    return _graph(row).get(key) is True


def graph_number(row: RunRow, key: str) -> float | None:
    """Return one of GRASIF's measures that is a number."""
    return number(_graph(row).get(key))
