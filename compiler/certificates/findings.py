"""The result of rechecking a field of a record, as a value and as JSON; lengths of records as numbers.

Three statuses and no more: programs compare them. Whatever was shown in part is *not checked*, and the
detail says how far.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Status = Literal["rechecked", "not checked", "refused"]


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of rechecking one field of a record, and the reason in words."""

    status: Status
    detail: str = ""

    def as_json(self) -> dict[str, str]:
        return {"status": self.status, "detail": self.detail}


NOT_CHECKED = Finding("not checked")


def millimetres(metres: object) -> int | None:
    """Return a length of a record in whole millimetres, ``None`` for what is no finite length."""
    if not isinstance(metres, int | float) or isinstance(metres, bool) or not abs(metres) < 1e9:
        return None
    return round(metres * 1000)
