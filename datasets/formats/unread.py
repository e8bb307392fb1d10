"""Losses in reading: what a file has and the scene made from it has not, with the reason.

Every reader gives its losses to the scene (``Scene.losses``), so that what is kept and what is lost add up to
what the file holds: tests count both with a program of their own. What is alike is counted, what a user may
look for by its name is listed one by one. :func:`fields_left` takes the keys that a reader reads: name a new
one there when it is read. For losses in writing see ``losses``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping

from ...domains.errors import clip
from ...simulator.scene import CONTAINERS, NOT_READ, PLACE_UNKNOWN, Loss, Node

NO_PLACE = "the file gives it no place: it is kept, and its place is not known"
MAX_KEYS = 10_000
"""Different keys that are counted apart; a file can have millions."""
MAX_NAME = 60
"""Characters of a name from a file, at most."""


def fields_left(entries: Iterable[object], read: Container[str], of: str = "") -> Iterator[Loss]:
    """Yield a loss for each key that some entries have beyond those that are read, with their number.

    ``of`` names the entries (``nodes``). Keys whose value is empty say nothing and are no losses. Where
    there are more than :data:`MAX_KEYS` different keys, later ones are counted together.
    """
    left: Counter[str] = Counter()
    others = 0
    for entry in entries:
        if isinstance(entry, Mapping):
            for name in (k for k, v in entry.items() if k not in read and v not in (None, "", [], {})):
                key = str(name)[: 2 * MAX_NAME]
                if key in left or len(left) < MAX_KEYS:
                    left[key] += 1
                else:
                    others += 1
    for key, number in left.items():
        yield Loss("field", clip(f"{of}.{key}" if of else key, MAX_NAME), NOT_READ, number)
    if others:
        yield Loss("field", f"{of}, other keys" if of else "other keys", NOT_READ, others)


def parts_left(document: Mapping[str, object], read: Container[str]) -> Iterator[Loss]:
    """Yield a loss for each part of a document that is not read, with the number of its entries if a list.

    Of more than :data:`MAX_KEYS` parts, later ones are counted together.
    """
    left = others = 0
    for key, value in document.items():
        if key not in read and value not in (None, "", [], {}):
            number = len(value) if isinstance(value, list) else 1
            left += 1
            if left > MAX_KEYS:
                others += number
            else:
                yield Loss("field", clip(str(key), MAX_NAME), NOT_READ, number)
    if others:
        yield Loss("field", "other keys", NOT_READ, others)


def counted(kind: str, sorts: Mapping[str, int], reason: str) -> Iterator[Loss]:
    """Yield a loss for each sort of what was left out, with its number."""
    for sort, number in sorts.items():
        yield Loss(kind, clip(sort, MAX_NAME), reason, number)


def places_unknown(nodes: Iterable[Node], reason: str = NO_PLACE) -> Iterator[Loss]:
    """Yield a loss for each thing that the file gives no place."""
    for node in nodes:
        if node.relation == PLACE_UNKNOWN:
            yield Loss("place", clip(node.id, MAX_NAME), reason)


def keeps(
    nodes: Mapping[str, Node], room_of: Mapping[str, str | None], child: str, parent: str, relation: str = ""
) -> bool:
    """Return whether a scene has a node in the place that a file states: its own, or a room around that.

    ``room_of`` are the rooms, floors or buildings around nodes; any ``relation`` does where none is named.
    """
    node = nodes[child]
    if parent in (node.parent, node.at):
        return relation in ("", node.relation) or nodes[parent].type in CONTAINERS
    around = room_of[child]
    while around is not None and around != parent:
        around = nodes[around].parent
    return around is not None and parent != child


OTHER_PLACE = "a node has one place, and this is another one"
