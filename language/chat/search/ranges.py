"""Rooms that an instruction ranges over: those that must be open before it is sure how many, or which most.

An instruction that counts, compares, denies or mentions all is about every room of the kind that it names
("an office without a cabinet"). Where it names no kind, or a thing before it ("a chair that is in no
office"), it is about every room with a thing that it names ("the closest fire extinguisher"), and where it
denies something of any room, about all rooms. The words of the instruction decide, never the model's. What
no name in the scene fits needs no room: an index over all names says that there is none. The words below may
be changed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ....simulator.scene import Scene
from ...english.words import content_words, name_words, singular
from .name_index import NameIndex
from .opening import Opening
from .room_list import RoomList

DENIES = frozenset(
    "no not cannot without never none neither nor except excluding fewest least fewer emptiest lack lacks"
    " lacking".split()
)
COMPARES = frozenset(
    "most more nearest closest farthest furthest nearer closer exactly every each all everything both "
    "many number count amount total only biggest largest smallest highest lowest longest shortest fullest"
    " empty entire missing".split()
)
DISTANCES = frozenset("nearest closest farthest furthest nearer closer".split())
_CHOOSES = "|".join(sorted(DISTANCES))
_BY_DISTANCE = re.compile(
    rf"\b(?:({_CHOOSES})((?:\s+(?!to\b|from\b)[\w'-]+){{1,3}})"
    rf"|((?:[\w'-]+\s+){{1,3}}?)(?:(?:that|which) is )?({_CHOOSES})\s+(?:to|from)\b)",
    re.IGNORECASE,
)
"""A choice by distance before a thing ("nearest chair") or behind it ("chair closest to the door")."""
SPOKEN = re.compile(r"[^\W_]+(?:'t)?")
FORBIDS = re.compile(r"\bdo(?:n't| not)\b", re.IGNORECASE)
"""Words that forbid an act: "don't leave it there" is about no other room."""


def compared(instruction: str, scene: Scene) -> str:
    """Return words that choose one of several things by its distance, such as "nearest chair"; else empty."""
    for match in _BY_DISTANCE.finditer(instruction):
        index = NameIndex(scene)
        names = index.names_in(match[2] or match[3])
        name = names[0 if match[2] else -1] if names else ""
        if name and len(index.called(name).nodes) > 1:
            return f"{match[1] or match[4]} {name}"
    return ""


def ranged_over(instruction: str, search: Opening) -> tuple[str, ...]:
    """Return the rooms that an instruction ranges over, in scene order; none where it asks for one thing.

    In a search without ``by_name`` only kinds of rooms count, and no names of things.
    """
    index, rooms = search.index, search.rooms
    plain = FORBIDS.sub(" ", instruction.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"))
    spoken = {w.lower() for w in SPOKEN.findall(plain)}
    denies = bool(spoken & DENIES) or any(w.endswith("n't") for w in spoken)
    if not denies and not spoken & COMPARES:
        return ()
    words = [singular(w) for part in content_words(instruction) for w in name_words(part)]
    text = _without_single_rooms(" ".join(words), rooms)
    kinds = _kinds(text, rooms)
    names = index.names_in(text) if search.by_name else ()
    of_kinds = {room for kind in kinds for room in rooms.kinds[kind]}
    if kinds and not _before(names, kinds, text):
        return _ordered(rooms, of_kinds)
    if denies and not kinds and any(w in ("room", "place") for w in words):
        return rooms.rooms
    places = of_kinds | {index.place(node) for name in names for node in index.fitting(name).nodes}
    within = [room for _, rooms_behind in index.mentions(instruction) for room in rooms_behind]
    if within and not of_kinds and not denies and not spoken & DISTANCES:  # "all staplers in office 4"
        places = set(within)
    return tuple(place for place in index.scene.nodes if place in places)


def _without_single_rooms(text: str, rooms: RoomList) -> str:
    """Return the words without those that name one room: "the lab" of "the manipulation lab" is no kind."""
    for room in rooms.rooms:
        name = " ".join(singular(w) for w in name_words(room))
        if " " in name and name.replace(" ", "_") not in rooms.kinds:
            text = re.sub(rf"\b{re.escape(name)}\b", " ", text)
    return text


def _kinds(text: str, rooms: RoomList) -> dict[str, int]:
    """Return the classes with several rooms that a text names, each with its place in the text."""
    kinds = {}
    for kind, members in rooms.kinds.items():
        words = [singular(w) for w in name_words(kind)]
        if len(members) > 1 and words:
            pattern = f"{re.escape(' '.join(words))}|{re.escape(''.join(words))}"
            if (place := re.search(rf"\b(?:{pattern})\b", text)) is not None:
                kinds[kind] = place.start()
    return kinds


def _before(names: Sequence[str], kinds: Mapping[str, int], text: str) -> bool:
    """Return whether a thing is named before any kind of rooms: then it is what is sought."""
    first = min(kinds.values())
    return any(0 <= text.find(name) < first for name in names)


def _ordered(rooms: RoomList, chosen: set[str]) -> tuple[str, ...]:
    return tuple(room for room in rooms.rooms if room in chosen)
