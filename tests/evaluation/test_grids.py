"""Reports on a terminal: within its width, with every cell, and rows that can be told apart in each table."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundplan.evaluation.bench.results import load_results
from groundplan.evaluation.report import report_on
from groundplan.evaluation.report.forms.formats import markdown
from groundplan.evaluation.report.forms.grids import grids, words_within

STORED = sorted(path.parent for path in Path(__file__).parent.glob("*/**/manifest.json"))
CELL = st.text("abc 0123", min_size=1, max_size=15).map(str.strip)


def read(grid: list[str]) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in grid if "---" not in line]


@pytest.mark.parametrize("folder", STORED, ids=lambda folder: folder.name)
def test_stored_results_are_read_at_80_columns(folder: Path) -> None:
    report = report_on(load_results(folder), timed=False)
    narrow, wide = markdown(report, 80), markdown(report)
    assert max(len(line) for line in narrow.splitlines() if " " in line.strip("> -")) <= 80
    assert markdown(report, 10_000) == wide
    cells = [line for line in wide.splitlines() if line.startswith("|")]
    assert {cell.strip() for line in cells for cell in line.split(" | ")} - {"|"} and len(narrow) > len(
        wide
    ) / 2


@given(st.integers(2, 5).flatmap(lambda n: st.lists(st.lists(CELL, min_size=n, max_size=n), min_size=2)))
def test_tables_are_cut_between_columns_and_lose_no_cell(rows: list[list[str]]) -> None:
    table = [[f"name{n}" for n in range(len(rows[0]))], *rows]
    (whole,) = grids(table)
    parts = [read(grid) for grid in grids(table, 40)]
    assert [read(whole)] == parts or all(len(part) == len(table) for part in parts)
    assert {name for part in parts for name in part[0]} >= {*table[0]}
    for part in parts:
        for number, name in enumerate(part[0]):
            if name != "#":
                at = table[0].index(name)
                assert [line[number] for line in part[1:]] == [row[at] for row in rows]
    assert all(len(line) <= 40 for grid in grids(table, 40) for line in grid)


def test_a_column_without_room_is_a_list() -> None:
    table = [["method", "gets"], ["a", "one word " * 8], ["b", "two words"]]
    (listed,) = grids(table, 40)
    assert (
        listed[:2] == ["gets:", ""]
        and listed[2].startswith("- a: one word one")
        and listed[3] == "- b: two words"
    )
    assert max(len(line) for item in listed for line in item.splitlines()) <= 40


def test_a_line_of_one_long_word_stays_whole() -> None:
    assert words_within("a" * 100, 80) == "a" * 100
    assert words_within("- " + "word " * 30, 40, "  ").splitlines()[1].startswith("  word")
