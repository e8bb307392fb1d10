"""Engines by the measures of planning competitions, the line for each run, and the summary of a report."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from math import log

import pytest
from report_rows import results, row

from groundplan.evaluation.bench import RunRow
from groundplan.evaluation.report import report_on
from groundplan.evaluation.report.engine_tables import engine_seconds, engines, runs_table
from groundplan.evaluation.report.forms.formats import FORMATS
from groundplan.evaluation.report.pairs import pairs
from groundplan.evaluation.report.statistics import paired_difference
from groundplan.evaluation.report.summary import summary


def solved(engine: str, task: int, cost: float | None, seconds: float, **record: object):
    measures = {"success": cost is not None, "executable": cost is not None, "cost": cost}
    return row(
        "gold", task, measures=measures, engine=engine, key=f"{engine}{task}",
        record={"engine": engine, **record}, timings={"engine": seconds, "run": seconds + 1},
        outcome="not-found" if cost is None else "verified",
    )  # fmt: skip


ROWS = (
    solved("a", 1, 10.0, 0.5, statistics={"expanded": 4}),
    solved("b", 1, 20.0, 10.0, statistics={"expanded": 6}, optimal=False),
    solved("a", 2, None, 3.0),
    solved("b", 2, 30.0, 30.0, bound=15.0),
)


def of_rows():
    made = results(*ROWS, reader="none")
    return replace(made, manifest={**made.manifest, "limits": {"seconds": 100.0}})


def cells(table, *names: str) -> list[tuple[object, ...]]:
    places = [table.columns.index(name) for name in names]
    return [tuple(line[place] for place in places) for line in table.rows]


def test_scores_are_those_of_the_competitions() -> None:
    made = of_rows()
    assert cells(engines(made), "engine", "solved", "satisficing") == [("a", 1, 1.0), ("b", 2, 0.5 + 0.5)]
    scored = cells(engine_seconds(made), "engine", "agile", "PAR10 s")
    agile = (1 - log(10) / log(100)) + (1 - log(30) / log(100))
    assert scored == [
        ("a", 1.0, pytest.approx((0.5 + 1000) / 2)), ("b", pytest.approx(agile), pytest.approx(20.0)),
    ]  # fmt: skip


def test_a_comparison_of_engines_begins_with_them() -> None:
    titles = [table.title for table in report_on(of_rows()).tables]
    assert titles[:2] == ["Engines on the gold goals", "Seconds of engines on the gold goals"]
    assert titles.count("Engines on the gold goals") == 1
    other = results(*ROWS, row("hybrid", 1, engine="a"))
    assert report_on(other).tables[0].title != "Engines on the gold goals"


def test_there_is_a_line_for_each_run_without_times_where_they_are_left_out() -> None:
    report = report_on(of_rows(), timed=False)
    lines = list(csv.DictReader(io.StringIO(FORMATS["runs-csv"](report))))
    assert [(line["task"], line["engine"], line["cost"], line["bound"]) for line in lines] == [
        ("t1", "a", "10", ""), ("t1", "b", "20", ""), ("t2", "a", "", ""), ("t2", "b", "30", "15"),
    ]  # fmt: skip
    assert lines[1]["optimal"] == "0" and lines[0]["expanded"] == "4" and "seconds" not in lines[0]
    assert runs_table(of_rows()).columns[-1] == "seconds"


def test_the_summary_says_who_is_ahead_by_how_much_at_what_n() -> None:
    rows = [row("hybrid", i, i < 9) for i in range(10)] + [row("sayplan", i, i < 6) for i in range(10)]
    (sentence,) = summary(results(*rows))
    led = "Planning, 10 tasks: hybrid leads 2 methods with 9 of 10 runs"
    assert sentence.startswith(f"{led} (90.0 %, ") and "p = 0.25" in sentence
    ends = paired_difference(6, 3, 0, 1)
    assert ends.low < 0 < ends.value == 0.3, "as the exact test, which sees nothing in three tasks"
    lead = f"by 30.0 points ({100 * ends.low:.1f} to {100 * ends.high:.1f}) before sayplan"
    assert f"{lead} with 6 of 10 runs (60.0 %" in sentence
    assert FORMATS["md"](report_on(results(*rows))).splitlines()[2].startswith(led)


def test_the_summary_sets_the_leading_method_before_the_next_one_and_not_before_itself() -> None:
    """With several readers a method stands by its best one, and only the tasks of the kind count."""

    def of(method: str, reader: str, right: int):
        return [row(method, i, i < right, reader=reader, key=f"{method}{reader}{i}") for i in range(10)]

    def found(method: str, reader: str):
        return [row(method, 20 + i, method != "hybrid", reader=reader, kind="search") for i in range(9)]

    made = results(
        *of("hybrid", "good", 9), *of("hybrid", "mid", 8),
        *of("sayplan", "good", 2), *of("sayplan", "mid", 4),
        *found("hybrid", "good"), *found("sayplan", "mid"),
    )  # fmt: skip
    planning, search = summary(made)
    assert "hybrid (good) leads 2 methods, each by its best reader and engine, with" in planning
    assert "before sayplan (mid) with 4 of 10" in planning
    assert "p = 0.062" in planning, "the searches, which the other wins, are no part of it"
    assert "sayplan (mid) leads" in search and "by 100.0 points (57.7 to 100.0)" in search
    alone = results(*of("hybrid", "good", 9), *of("hybrid", "mid", 6))
    assert "hybrid (good) leads with 9 of 10" in summary(alone)[0]
    pair = {line[:2]: line[-1] for line in pairs(made).rows}
    assert pair["hybrid (good)", "sayplan (mid)"] == "exploratory" and len(pair) == 5


def test_the_summary_has_tasks_without_a_solution_and_the_scores_of_engines() -> None:
    rows = [row("hybrid", i, True, kind="decline") for i in range(6)]
    rows += [row("llm+p", i, i < 3, kind="decline") for i in range(6)]
    (sentence,) = summary(results(*rows))
    assert sentence.startswith("Tasks without a solution, 6 tasks: hybrid leads 2 methods with 6 of 6 runs")
    told = "Scores of planning competitions, of 2 at most: satisficing a 1.00, b 1.00"
    assert [one for one in summary(of_rows()) if "Scores" in one] == [f"{told}; agile a 1.00, b 0.76."]
    assert [one for one in summary(of_rows(), timed=False) if "Scores" in one] == [f"{told}."]


def test_the_summary_compares_only_those_that_ran_every_task_and_know_nothing() -> None:
    rows = [row("hybrid", i, True) for i in range(3)] + [row("gold", i, True) for i in range(3)]
    alone = "Planning, 3 tasks: hybrid succeeds in 3 of 3 runs (100.0 %, 43.9 to 100.0)."
    assert summary(results(*rows)) == (alone,)
    part = [row("sayplan", i, True) for i in range(2)]
    assert summary(results(*rows, *part)) == (f"{alone} 1 other system ran fewer tasks.",)
    made_up = [row("hybrid", i, False, reader="synthetic:", key=f"s{i}") for i in range(3)]
    (sentence,) = summary(results(*rows, *made_up))
    assert " succeeds in 3 of 3 runs" in sentence and "synthetic" not in sentence
    level = [row("llm+p", i, True) for i in range(3)]
    (sentence,) = summary(results(*rows, *part, *level))
    assert "hybrid and llm+p are level at 3 of 3 runs" in sentence and "sayplan" not in sentence
    assert summary(results(*(replace(one, reader="gold") for one in (*rows, *level)))) == ()


def test_of_searches_that_find_as_much_the_one_that_drives_less_leads() -> None:
    def walk(method: str, task: int, spl: float) -> RunRow:
        return row(method, task, kind="search", measures={"success": True, "spl": spl})

    ways = {"nearest-door": 0.5, "least-cost": 0.75}
    rows = [walk(method, n, spl) for method, spl in ways.items() for n in (1, 2)]
    (sentence,) = summary(results(*rows))
    assert "least-cost leads by path efficiency, SPL 0.750 before nearest-door with 0.500" in sentence
    level = [walk(method, n, 0.5) for method in ways for n in (1, 2)]
    assert "are level at 2 of 2 runs" in summary(results(*level))[0]


def test_an_engine_that_solves_nothing_hides_no_seconds_of_others() -> None:
    rows = [row("gold", n, engine="a", timings={"engine": 2.0}) for n in (1, 2)]
    rows += [row("gold", n, False, engine="b", outcome="not-found") for n in (1, 2)]
    table = engine_seconds(results(*rows))
    assert table is not None and [line[1] for line in table.rows] == ["a", "b"]
