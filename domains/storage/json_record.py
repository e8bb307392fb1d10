"""Records as JSON: the fields of a dataclass, in their order.

Whatever is written with a key for each field can be a :class:`JsonRecord`. The order of its fields is that of
the keys, so a field that moves changes files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, fields
from typing import Any, ClassVar

KEY = "key"
"""In the metadata of a field: its key in JSON, where that is another than its name."""


class JsonRecord:
    """Base of dataclasses whose JSON has a key for each field; of what it holds, records are written so too.

    Tuples become lists, and what JSON does not have, such as a formula, becomes its text.
    """

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def as_json(self) -> dict[str, object]:
        return {one.metadata.get(KEY, one.name): plain(getattr(self, one.name)) for one in fields(self)}


def plain(value: object) -> object:
    """Return a value as JSON has it."""
    match value:
        case JsonRecord():
            return value.as_json()
        case None | bool() | int() | float() | str():
            return value
        case tuple() | list():
            return list(map(plain, value))
        case Mapping():
            return {str(key): plain(one) for key, one in value.items()}
    return str(value)
