"""The tables of a report and their order; one that has nothing to say is left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..bench.results import Results
from .error_tables import faults, graphs, kinds_of_errors
from .search_tables import rooms_explored, searching, tokens_by_step, walking
from .tables import (
    ReportTable,
    budgets,
    clusters,
    detectable,
    endings,
    engines,
    pairs,
    planning,
    seconds,
    spending,
)

TABLES: Sequence[Callable[[Results], ReportTable | None]] = (
    budgets,
    planning,
    searching,
    walking,
    rooms_explored,
    tokens_by_step,
    clusters,
    pairs,
    detectable,
    graphs,
    kinds_of_errors,
    faults,
    endings,
    spending,
    engines,
    seconds,
)
