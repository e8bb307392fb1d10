"""The model edge: readers that turn an instruction into a goal."""

from typing import TYPE_CHECKING

from .. import on_demand

if TYPE_CHECKING:
    from .reader import (
        Attempt,
        History,
        NotUnderstood,
        Reader,
        ReaderError,
        SearchResult,
        SearchStep,
        Unreadable,
        Written,
    )
else:
    __getattr__, __dir__ = on_demand(__name__)

__all__ = [
    "Attempt",
    "History",
    "NotUnderstood",
    "Reader",
    "ReaderError",
    "SearchResult",
    "SearchStep",
    "Unreadable",
    "Written",
]
