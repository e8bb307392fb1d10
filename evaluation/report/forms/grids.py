"""Tables of Markdown within the width of a terminal.

A table that is wider comes in several, each with as many columns as have room. Each begins with the columns
that tell its rows apart, or, where these are wide themselves, with a number for each row. A column that has
no room beside those is a list. No cell is cut.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

Cells = Sequence[Sequence[str]]
"""A table by lines, the first one with the names of its columns."""

KEY_SHARE = 0.5
"""The share of the width that the columns which tell rows apart may take in each table."""


def words_within(text: str, width: int | None, indent: str = "") -> str:
    """Wrap one line of text, with words kept whole; ``indent`` begins the lines after the first."""
    if width is None or len(text) <= width:
        return text
    return textwrap.fill(
        text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def grids(cells: Cells, width: int | None = None) -> Iterator[list[str]]:
    """Yield a table as lines of Markdown, or several with some of its columns each.

    >>> table = [["method", "success", "cost"], ["a", "100.0", "1.25"], ["b", "50.0", "2"]]
    >>> for grid in grids(table, width=22):
    ...     print("\\n".join(grid))
    | method | success |
    | ------ | ------- |
    | a      | 100.0   |
    | b      | 50.0    |
    | method | cost |
    | ------ | ---- |
    | a      | 1.25 |
    | b      | 2    |
    """
    columns = [list(column) for column in zip(*cells, strict=True)]
    if width is None or _wide(columns) <= width:
        yield _grid(columns)
        return
    telling = _telling(columns)
    key = [columns[number] for number in telling]
    rest = [column for number, column in enumerate(columns) if number not in telling]
    if _wide(key) > KEY_SHARE * width:
        key, rest = [["#", *map(str, range(1, len(cells)))]], columns
    some: list[list[str]] = []
    listed: list[list[str]] = []
    for column in rest:
        if _wide([*key, column]) > width:
            listed.append(_list(key, column, width))
            continue
        if some and _wide([*key, *some, column]) > width:
            yield _grid([*key, *some])
            some = []
        some.append(column)
    yield from ([_grid([*key, *some])] if some or not listed else [])
    yield from listed


def _telling(columns: Cells) -> list[int]:
    """Return few columns, from the left, that tell as many rows apart as all of them do; one at least."""
    telling: list[int] = []
    for number in range(len(columns)):
        key = [columns[n] for n in telling]
        if _different([*key, columns[number]]) > _different(key):
            telling.append(number)
    return telling or [0]


def _different(columns: Cells) -> int:
    return len(set(list(zip(*columns, strict=True))[1:])) if columns else 1


def _wide(columns: Cells) -> int:
    return sum(max(map(len, column)) + len(" | ") for column in columns) + 1


def _grid(columns: Cells) -> list[str]:
    ruled = [[column[0], "-" * max(map(len, column)), *column[1:]] for column in columns]
    padded = [[cell.ljust(max(map(len, column))) for cell in column] for column in ruled]
    return ["| " + " | ".join(line) + " |" for line in zip(*padded, strict=True)]


def _list(key: Cells, column: Sequence[str], width: int) -> list[str]:
    """Return a column as a list, each cell behind those that tell its row apart."""
    rows = zip(*(cells[1:] for cells in key), column[1:], strict=True)
    items = (words_within(f"- {', '.join(row[:-1])}: {row[-1]}", width, "  ") for row in rows)
    return [f"{column[0]}:", "", *items]
