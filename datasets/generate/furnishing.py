"""Kinds of rooms, furniture and objects of generated buildings, from the tables of ``furnishing.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, TypeVar

_Kind = TypeVar("_Kind")


@dataclass(frozen=True, slots=True)
class RoomKind:
    """A type of room: how many of every 20 rooms are of it, and its furniture, the most typical first."""

    share: int
    classes: tuple[str, ...]
    furniture: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FurnitureKind:
    """A kind of furniture or machine, and the kinds of objects found in or on it."""

    classes: tuple[str, ...]
    affordances: tuple[str, ...]
    state: tuple[str, ...] = ()
    objects: tuple[str, ...] = ()

    @property
    def lockable(self) -> bool:
        return (
            "open" in self.affordances
            and "turn_on" not in self.affordances
            and "appliance" not in self.classes
        )


@dataclass(frozen=True, slots=True)
class ObjectKind:
    """A kind of object; ``dirty`` ones are sometimes in need of washing."""

    classes: tuple[str, ...]
    affordances: tuple[str, ...] = ("pickup",)
    state: tuple[str, ...] = ()
    dirty: bool = False


COLOURS = ("red", "green", "blue", "black", "white")
_TABLES = tomllib.loads(files(__package__).joinpath("furnishing.toml").read_text(encoding="utf-8"))


def _kinds(kind: type[_Kind], table: str) -> Mapping[str, _Kind]:
    entries: dict[str, dict[str, Any]] = _TABLES[table]
    rows = {n: {k: tuple(v) if isinstance(v, list) else v for k, v in e.items()} for n, e in entries.items()}
    return {name: kind(**row) for name, row in rows.items()}


ROOMS, FURNITURE = _kinds(RoomKind, "rooms"), _kinds(FurnitureKind, "furniture")
OBJECTS = _kinds(ObjectKind, "objects")
BOXED = ("screwdriver", "tape", "pen", "book")
"""The kinds of objects in boxes and toolboxes."""

LOCKS = ("brass", "steel", "card")
"""Kinds of locks: a ``brass_lock`` is opened by any ``brass_key``."""
