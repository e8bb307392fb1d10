"""Results of linking: the nodes that a phrase means, or the reason why there are none.

In a module of its own, because linking and the facts of a pack both need it. Users read the reasons, which
may be reworded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...simulator.scene import Node
from .phrases import Phrase


@dataclass(frozen=True, slots=True)
class NodeMatch:
    """The nodes that fit a phrase, in scene order."""

    phrase: Phrase
    nodes: tuple[Node, ...]

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(n.id for n in self.nodes)


LISTED = 5
"""Most nodes that a reason lists."""


class NoReferent(Exception):
    """A phrase that fits no node, or too many. Raised inside this package only; readers report it.

    ``rooms`` are those that must be looked into before it is sure. ``final`` says that everything in the
    reading is there and only what is asked for cannot be done, so that no other reading takes its place.
    """

    def __init__(
        self,
        reason: str,
        phrase: Phrase | None = None,
        near: tuple[str, ...] = (),
        rooms: tuple[str, ...] = (),
        final: bool = False,
    ) -> None:
        super().__init__(reason)
        self.reason, self.phrase = reason, phrase
        self.near, self.rooms, self.final = near, rooms, final
        self.others: tuple[NoReferent, ...] = ()


def several(phrase: Phrase, ids: Sequence[str], what: str = "things") -> NoReferent:
    """The gap of a phrase that fits more than one node, with a list of these."""
    more = f" and {len(ids) - LISTED} more" if len(ids) > LISTED else ""
    return NoReferent(
        f"several {what} fit '{phrase}': {', '.join(ids[:LISTED])}{more}", phrase, tuple(ids[:LISTED])
    )
