"""Tables of the furnishing of generated buildings: room types, furniture by room type, objects by furniture.

A class comes with the classes above it (``mug`` with ``dishware``); the affordances of furniture are
words of the household pack. Machines with a door and a switch are interlocked; furniture with a plain door
can be locked. A new entry changes every generated building, and so the figures that were measured on them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


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


DOOR, SWITCH = ("open", "close", "release"), ("turn_on", "turn_off")
COLOURS = ("red", "green", "blue", "black", "white")

ROOMS: Mapping[str, RoomKind] = {
    "kitchen": RoomKind(
        2,
        ("living_area",),
        (
            "counter",
            "fridge",
            "microwave",
            "dishwasher",
            "table",
            "cupboard",
            "stove",
            "coffee_machine",
            "bin",
        ),
    ),
    "office": RoomKind(
        7, ("workplace",), ("desk", "cabinet", "shelf", "desk_lamp", "drawers", "whiteboard", "desk", "bin")
    ),
    "meeting_room": RoomKind(2, ("workplace",), ("table", "cabinet", "projector", "whiteboard", "shelf")),
    "bathroom": RoomKind(2, ("sanitary",), ("sink", "cupboard", "shelf", "washing_machine", "bin")),
    "storage_room": RoomKind(2, ("store",), ("rack", "cabinet", "shelf", "rack", "locker", "bench")),
    "laboratory": RoomKind(2, ("workplace",), ("bench", "cabinet", "fridge", "rack", "desk_lamp", "locker")),
    "lounge": RoomKind(
        2, ("living_area",), ("sofa", "table", "shelf", "desk_lamp", "cupboard", "coffee_machine")
    ),
    "print_room": RoomKind(1, ("store",), ("printer", "shelf", "bench", "drawers", "bin")),
}

_FOOD = ("apple", "banana", "orange", "milk_carton", "sandwich", "yoghurt")
_DISHES = ("mug", "plate", "bowl", "glass")
_PAPER = ("book", "folder", "notebook", "stapler", "pen")
_TOOLS = ("screwdriver", "hammer", "tape", "torch", "box", "toolbox")

FURNITURE: Mapping[str, FurnitureKind] = {
    "counter": FurnitureKind(("furniture",), ("release",), (), (*_FOOD, *_DISHES)),
    "table": FurnitureKind(("furniture",), ("release",), (), ("mug", "plate", "book", "apple", "newspaper")),
    "desk": FurnitureKind(("furniture",), ("release",), (), (*_PAPER, "mug", "laptop", "phone")),
    "bench": FurnitureKind(("furniture",), ("release",), (), (*_TOOLS, "notebook")),
    "sofa": FurnitureKind(("furniture",), ("release",), (), ("newspaper", "book", "cushion")),
    "shelf": FurnitureKind(("furniture",), ("release",), (), (*_PAPER, "box", "vase")),
    "rack": FurnitureKind(("furniture",), ("release",), (), _TOOLS),
    "sink": FurnitureKind(("fixture",), ("release",), (), ("soap", "sponge", "mug", "towel")),
    "cabinet": FurnitureKind(("storage", "furniture"), DOOR, ("closed",), (*_PAPER, "laptop", "box")),
    "cupboard": FurnitureKind(("storage", "furniture"), DOOR, ("closed",), (*_DISHES, "towel", "soap")),
    "drawers": FurnitureKind(
        ("storage", "furniture"), DOOR, ("closed",), ("pen", "stapler", "tape", "phone")
    ),
    "locker": FurnitureKind(
        ("storage", "furniture"), DOOR, ("closed",), ("torch", "laptop", "toolbox", "towel")
    ),
    "bin": FurnitureKind(("fixture",), ("release", "contain"), (), ("newspaper", "tape")),
    "whiteboard": FurnitureKind(("fixture",), ()),
    "fridge": FurnitureKind(("appliance",), DOOR, ("closed",), _FOOD),
    "microwave": FurnitureKind(
        ("appliance",), (*DOOR, *SWITCH, "interlocked"), ("closed", "off"), ("sandwich",)
    ),
    "dishwasher": FurnitureKind(("appliance",), (*DOOR, *SWITCH, "interlocked"), ("closed", "off"), _DISHES),
    "washing_machine": FurnitureKind(
        ("appliance",), (*DOOR, *SWITCH, "interlocked"), ("closed", "off"), ("towel",)
    ),
    "stove": FurnitureKind(("appliance",), ("release", *SWITCH), ("off",)),
    "coffee_machine": FurnitureKind(("appliance",), ("release", *SWITCH), ("off",)),
    "desk_lamp": FurnitureKind(("appliance",), SWITCH, ("off",)),
    "projector": FurnitureKind(("appliance",), SWITCH, ("off",)),
    "printer": FurnitureKind(("appliance",), (*SWITCH, "release"), ("off",), ("folder",)),
}

OBJECTS: Mapping[str, ObjectKind] = {
    "apple": ObjectKind(("fruit", "food")),
    "banana": ObjectKind(("fruit", "food")),
    "orange": ObjectKind(("fruit", "food")),
    "milk_carton": ObjectKind(("drink", "food")),
    "sandwich": ObjectKind(("meal", "food")),
    "yoghurt": ObjectKind(("meal", "food")),
    "mug": ObjectKind(("dishware",), ("pickup", "fill"), (), True),
    "plate": ObjectKind(("dishware",), dirty=True),
    "bowl": ObjectKind(("dishware",), dirty=True),
    "glass": ObjectKind(("dishware",), dirty=True),
    "book": ObjectKind(("paper",)),
    "folder": ObjectKind(("paper",)),
    "notebook": ObjectKind(("paper",)),
    "newspaper": ObjectKind(("paper",)),
    "stapler": ObjectKind(("stationery",)),
    "pen": ObjectKind(("stationery",)),
    "tape": ObjectKind(("stationery",)),
    "laptop": ObjectKind(("device",)),
    "phone": ObjectKind(("device",)),
    "torch": ObjectKind(("device",)),
    "screwdriver": ObjectKind(("tool",)),
    "hammer": ObjectKind(("tool",)),
    "box": ObjectKind(("carrier_box",), ("pickup", "release", "contain")),
    "toolbox": ObjectKind(("carrier_box",), ("pickup", *DOOR), ("closed",)),
    "cushion": ObjectKind(("textile",)),
    "towel": ObjectKind(("textile",), dirty=True),
    "sponge": ObjectKind(("cleaning",)),
    "soap": ObjectKind(("cleaning",)),
    "vase": ObjectKind(("decoration",)),
}

BOXED = ("screwdriver", "tape", "pen", "book")
"""The kinds of objects in boxes and toolboxes."""

LOCKS = ("brass", "steel", "card")
"""Kinds of locks: a ``brass_lock`` is opened by any ``brass_key``."""
