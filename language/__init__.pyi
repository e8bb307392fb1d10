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
