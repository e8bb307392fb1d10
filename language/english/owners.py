"""Whose things are: owners named in phrases, and the things in the rooms of a person."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ...simulator.scene import Node
from .links import NoReferent
from .naming import NodeNames
from .phrases import MINE, PEOPLE, Phrase
from .words import content_words, singular


class Owners:
    """The owners of the things of one scene; what is in the room ``mine`` is the speaker's."""

    def __init__(self, names: NodeNames, relaxed: bool, mine: str | None) -> None:
        self.names, self.scene, self.relaxed, self.mine = names, names.scene, relaxed, mine

    def possessed(self, phrase: Phrase) -> Phrase:
        """The phrase with an owner that is a place as that place: "the rack's toolbox" is within the rack."""
        owner = phrase.owner
        if owner is None or owner in (MINE, "his") or not owner.islower():
            return phrase
        words = tuple(content_words(owner))
        if not words or singular(words[-1]) in PEOPLE or self.names.belongs(owner):
            return phrase
        where = Phrase(f"the {owner}", words)
        if self.relaxed and not any(
            self.names.named(n, where) for n in (*self.names.rooms, *self.names.things)
        ):
            raise NoReferent(f"nothing known is {owner}'s", where)  # not what is merely like it
        return replace(phrase, owner=None, places=(("of", where), *phrase.places))

    def owned(self, nodes: Iterable[Node], phrase: Phrase) -> list[Node]:
        """Those that are the owner's, where the phrase names one."""
        nodes = list(nodes)
        if phrase.owner == MINE:
            return self._mine(nodes, phrase)
        owned = nodes if phrase.owner is None else self.names.owned(nodes, phrase.owner)
        alone = self.relaxed and len(nodes) == 1 and nodes[0].type == "object"
        room = phrase.owner is not None and phrase.owner.islower() and self.names.owner_rooms(phrase.owner)
        if not owned and alone and not room and not self.names.is_somebodys(nodes[0]):
            return nodes  # "his printout": what is meant for him need not be known as his; "the lab's bread"
        if not owned:
            whose = f"{phrase.owner}'s" if phrase.owner is not None else f"called '{phrase}'"
            raise NoReferent(f"nothing known is {whose}", phrase)
        return owned

    def _mine(self, nodes: Sequence[Node], phrase: Phrase) -> list[Node]:
        """The speaker's: what is in the speaker's room, else the only one of its kind."""
        near = [n for n in nodes if self.mine in (n.id, self.scene.room_of(n.id))] if self.mine else []
        if near or len(nodes) == 1:
            return near or list(nodes)
        ids = tuple(n.id for n in nodes[:5])
        raise NoReferent(f"several things could be '{phrase}': say whose is meant, or where", phrase, ids)
