"""Own lines of printed tables: a line for each printed one, of the runs at hand or of what it needs."""

from __future__ import annotations

from dataclasses import replace

import pytest
from report_rows import results, row

from groundplan.evaluation.report import report_on
from groundplan.evaluation.report.counterparts import MEASURES, counterpart
from groundplan.evaluation.report.forms.formats import FORMATS
from groundplan.evaluation.report.published import PUBLISHED
from groundplan.methods import METHODS

ERRORS = PUBLISHED[3]


@pytest.mark.parametrize("printed", PUBLISHED, ids=lambda one: f"{one.source[:8]} {one.title[:30]}")
def test_every_printed_line_has_one_here_or_says_what_it_needs(printed) -> None:
    here = printed.here
    assert len(here.lines) == len(printed.rows) and all(len(r) == len(printed.columns) for r in printed.rows)
    methods = [line[0] for line in here.lines if not isinstance(line, str)]
    assert set(methods) <= set(METHODS)
    assert {measure for _, measure in here.cells} | ({here.by_reader} - {""}) <= set(MEASURES)
    assert not here.cells or len(here.cells) == len(printed.columns) - here.labels
    own = counterpart(results(row("none-of-theirs", 1)), printed, always=True)
    assert own is not None and [r[: here.labels] for r in own.rows] == [
        r[: here.labels] for r in printed.rows
    ]
    text = FORMATS["md"](report_on(results(row("none-of-theirs", 1)), papers=True))
    assert text.count("not run") >= len(PUBLISHED)


def planned(method: str, reader: str, *right: bool):
    """Return runs of a system on both sets of planning tasks."""
    return [
        row(method, i, one, reader=reader, set=f"office-planning-{kind}", key=f"{method}{reader}{kind}{i}")
        for kind in ("simple", "long")
        for i, one in enumerate(right)
    ]


def test_lines_of_a_table_are_the_runs_of_each_system() -> None:
    parts = (("sayplan", "a", True, False), ("sayplan", "b", False, False), ("hybrid", "a", True))
    made = results(*(one for part in parts for one in planned(*part)))
    own = counterpart(made, PUBLISHED[2])
    assert own is not None
    lines = [(line[0], getattr(line[1], "value", None), line[-2], line[-1]) for line in own.rows]
    assert lines[2:] == [
        ("SayPlan", 0.5, 4, "sayplan, a, pyperplan"), ("SayPlan", 0.0, 4, "sayplan, b, pyperplan"),
    ]  # fmt: skip
    assert [line[1:3] for line in lines[:2]] == [(None, 0), (None, 0)]
    assert "not run: groundplan bench --methods llm-as-planner" in str(lines[1][-1])


def test_errors_are_those_of_refused_plans_over_both_sets() -> None:
    made = results(*planned("sayplan", "a", True, False), *planned("hybrid", "b", True))
    wrong = {"errors": ["wrong_action"], "execution_errors": ["wrong_action"], "success": False}
    erring = replace(made, rows=(replace(made.rows[0], measures=wrong), *made.rows[1:]))
    errors = counterpart(erring, ERRORS)
    assert errors is not None and errors.rows[2][3].value == 1 / 4
    half = counterpart(replace(made, rows=tuple(r for r in made.rows if r.set.endswith("simple"))), ERRORS)
    assert half is not None and "not run" in str(half.rows[2][-1]), "the paper's table is over both sets"
    assert counterpart(results(row("hybrid", 1)), ERRORS) is None


def test_a_table_whose_columns_are_models_has_a_column_for_each_reader() -> None:
    of_set = {"set": "office-search-simple", "kind": "search"}
    rows = [
        row("sayplan", i, i < right, reader=reader, key=f"{reader}{i}", **of_set)
        for reader, right in (("a", 3), ("b", 1))
        for i in range(4)
    ]
    own = counterpart(results(*rows), PUBLISHED[0])
    assert own is not None and own.columns == ("scene", "task", "a, pyperplan", "b, pyperplan")
    assert [cell.value for cell in own.rows[0][2:]] == [0.75, 0.25] and own.rows[1][2:] == (None, None)
