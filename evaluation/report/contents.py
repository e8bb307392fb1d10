"""The tables of a report and their order; one that has nothing to say is left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..bench.results import Results
from .error_tables import faults, graphs, kinds_of_errors
from .tables import (
    ReportTable,
    budgets,
    clusters,
    detectable,
    endings,
    engines,
    pairs,
    planning,
    searching,
    seconds,
    spending,
    walking,
)

TABLES: Sequence[Callable[[Results], ReportTable | None]] = (
    budgets,
    planning,
    searching,
    walking,
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
