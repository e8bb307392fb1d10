"""Rooms that an instruction ranges over: those that must be open before it is sure how many, or which most.

An instruction that counts, compares, denies or speaks of all is about every room of the kind that it names
("an office without a cabinet"), else about every room with a thing that it names ("the closest fire
extinguisher", "how many apples"), else, where it denies or asks for the fewest of any room, about all rooms.
The words of the instruction decide, never the model's. What no name in the scene fits needs no room: an index
over all names says that there is none. The words below may be changed.
"""

from __future__ import annotations

import re

from ...embedded.words import content_words, name_words, singular
from .name_index import NameIndex
from .room_list import RoomList

DENIES = frozenset("no not without never none neither nor except fewest least fewer lacks lacking".split())
COMPARES = frozenset(
    "most more nearest closest farthest furthest nearer closer exactly every each all everything both "
    "many number count only biggest largest smallest empty".split()
)
SPOKEN = re.compile(r"[^\W_]+(?:n't)?")


def ranged_over(instruction: str, index: NameIndex, rooms: RoomList) -> tuple[str, ...]:
    """Return the rooms that an instruction ranges over, in scene order; none where it asks for one thing."""
    said = {w.lower() for w in SPOKEN.findall(instruction.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"))}
    denies = bool(said & DENIES) or any(w.endswith("n't") for w in said)
    if not denies and not said & COMPARES:
        return ()
    words = [w for part in content_words(instruction) for w in name_words(part)]
    kinds = _kinds(words, rooms)
    if kinds:
        return _ordered(rooms, {room for kind in kinds for room in rooms.kinds[kind]})
    generic = any(singular(w) in ("room", "place") for w in words)
    if denies and generic:
        return rooms.rooms
    places = {index.place(n) for name in index.names_in(instruction) for n in index.fitting(name).nodes}
    return tuple(place for place in index.scene.nodes if place in places)


def _kinds(words: list[str], rooms: RoomList) -> list[str]:
    """Return the classes of rooms that the words name; a longer one before one that is part of it."""
    text = " ".join(singular(w) for w in words)
    several = {kind for kind, members in rooms.kinds.items() if len(members) > 1}
    named = []
    for kind in several:
        pattern = " ".join(singular(w) for w in name_words(kind))
        if pattern and re.search(rf"\b{re.escape(pattern)}\b", text):
            named.append(kind)
    return sorted(named)


def _ordered(rooms: RoomList, chosen: set[str]) -> tuple[str, ...]:
    return tuple(room for room in rooms.rooms if room in chosen)
