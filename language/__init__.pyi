from .reader import (
    PLAIN,
    Attempt,
    History,
    NotUnderstood,
    Reader,
    ReaderError,
    ReaderTraits,
    SearchResult,
    SearchStep,
    Tried,
    Unreadable,
    Written,
)

__all__ = [
    "Attempt",
    "History",
    "NotUnderstood",
    "PLAIN",
    "Reader",
    "ReaderError",
    "ReaderTraits",
    "SearchResult",
    "SearchStep",
    "Tried",
    "Unreadable",
    "Written",
]
