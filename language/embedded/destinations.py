"""Destinations of things: the furniture, floors, rooms and people that phrases of places mean.

All places of a destination are equally right. Where the words leave open which is meant, :class:`NoReferent`
must be raised.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ...simulator.scene import Node
from ..english.lexicon import WASTE, WHOLE
from ..english.links import NodeMatch, NoReferent, several
from ..english.phrases import FITTING, Phrase, is_speaker
from ..english.words import alike, content_words, name_words
from .affordances import able, affords, is_container
from .referents import Context, Referents

_SEATS = frozenset({"chair", "sofa", "bed", "stool"})
_BINS = (("trash", "can"), ("garbage", "can"))
_SPECIAL_BINS = {
    "recycling": ("recyclable",),
    "recycle": ("recyclable",),
    "compost": ("organic", "compostable"),
}
"""What a bin for one kind of waste takes; any other bin takes everything."""


def is_bin(node: Node) -> bool:
    return any(name_words(c)[-1:] == ("bin",) or name_words(c)[-2:] in _BINS for c in node.classes)


class Destinations:
    """The places that things may go to in one scene."""

    def __init__(self, referents: Referents) -> None:
        self.referents, self.linker, self.scene = referents, referents.linker, referents.scene

    def of(self, relation: str, phrase: Phrase, context: Context, items: Sequence[Node]) -> list[Node]:
        """The assets (or carrying things) that something may go to; all are equally right."""
        phrase = self.referents.resolve_owner(phrase, context)
        if phrase.kind == "person":
            return self.of_person(phrase, context)
        match = self._named(relation, phrase, context)
        if phrase.text.lower().startswith("another ") and not match.nodes[1:]:
            raise NoReferent(f"there is one in what was seen, and '{phrase}' is asked for", phrase, match.ids)
        context.place = match
        context.rooms = self.referents.rooms(match.nodes)
        nodes = list(match.nodes)
        if FITTING & set(phrase.words):
            nodes = [n for n in nodes if any(_addresses(i, n) for i in items)]
            if not nodes:
                raise NoReferent(f"it is not known which one '{phrase}' is", phrase, match.ids[:3])
        if nodes[0].type == "room":
            if len(nodes) > 1 and phrase.kind != "a":
                raise several(phrase, match.ids, "rooms")
            return self._surfaces(nodes, phrase)
        return self._receiving(phrase, nodes, items)

    def of_person(self, phrase: Phrase, context: Context) -> list[Node]:
        """The place of something that is for a person: the desk in front of them."""
        if is_speaker(phrase):
            return self._of_speaker(phrase, context)
        if phrase.words[0] in ("him", "her"):
            if context.person is None:
                raise NoReferent(f"it is not said who '{phrase}' is")
            name = context.person
        else:
            name = context.person = " ".join(phrase.words)
        rooms = self.linker.names.owner_rooms(name)
        if not rooms:
            raise NoReferent(f"it is not known where {phrase} is", phrase)
        if phrase.places:
            self.linker.place(self.referents.resolve_owner(phrase, context))
        surfaces = self._surfaces([r for r in self.linker.names.rooms if r.id in rooms], phrase)
        return self.linker.names.owned(surfaces, name) or surfaces

    def here(self) -> Node:
        """The place where the request was made."""
        node = self.scene.nodes.get(self.linker.here)
        if node is None:
            raise NoReferent("it is not known where you are")
        return node

    def bins(self, among: Iterable[Node], items: Sequence[Node]) -> list[Node]:
        """The bins that take all of some things, as far as their names say."""
        words = self.linker.names.words

        def takes(node: Node) -> bool:
            lists = [accepted for name, accepted in _SPECIAL_BINS.items() if name in words(node)]
            accepted = [a for each in lists for a in each]
            return not accepted or all(any(alike(a, w) for a in accepted for w in words(i)) for i in items)

        return [node for node in among if takes(node)]

    def _of_speaker(self, phrase: Phrase, context: Context) -> list[Node]:
        """The place of what is for the speaker: where that is, or what things are put on there."""
        if context.speaker is not None:
            return self.of("to", context.speaker, context, ())
        here = self.here()
        if here.type == "asset" and affords(here, "release"):
            return [here]
        room = here if here.type == "room" else self.scene.nodes.get(self.scene.room_of(here.id) or "")
        surfaces = self._surfaces([room], phrase) if room is not None else []
        if not any(n.type == "asset" or affords(n, "release") for n in surfaces):
            raise NoReferent(f"there is nothing at {here.id} to put things on")
        return surfaces

    def _surfaces(self, rooms: Sequence[Node], phrase: Phrase) -> list[Node]:
        """The furniture of some rooms that things are put down on: desks and tables before chairs."""
        inside = {r.id for r in rooms}
        surfaces = [n for n in self.linker.names.things if n.parent in inside and _is_surface(n)]
        if surfaces:
            return [n for n in surfaces if not _SEATS & set(n.classes)] or surfaces
        if self.linker.relaxed and len(rooms) == 1:
            return list(rooms)  # there is no more to see, and nothing there to put things on
        at = tuple(r.id for r in rooms)
        raise NoReferent(f"nothing is known in {at[0]} to put something on", phrase, (), at)

    def _named(self, relation: str, phrase: Phrase, context: Context) -> NodeMatch:
        """The place that a phrase means: "there", "it", or one by its name."""
        if phrase.text == "there":
            if context.place is None:
                raise NoReferent("it is not said where")
            return context.place
        if phrase.kind == "it":
            spoken = replace(context, last=context.before, many=None)
            match = self.referents.items(phrase, spoken, affordance="release")
            if relation == "in" and not any(n.type == "room" or is_container(n) for n in match.nodes):
                # "the bowl on the table, and the spoon in it"
                reason = f"nothing goes in {match.ids[0]}, and it is not said what else '{phrase}' is"
                raise NoReferent(reason)
            return match
        if phrase.head == "one":
            raise NoReferent(f"it is not said what '{phrase}' is")
        return self.referents.near(self._by_name(phrase), context)

    def _receiving(self, phrase: Phrase, nodes: Sequence[Node], items: Sequence[Node]) -> list[Node]:
        """The furniture of some that takes the things, and bins the one for such waste."""
        nodes = able((n for n in nodes if n not in items), "release", phrase, "given anything")
        if all(map(is_bin, nodes)):
            nodes = self.bins(nodes, items) or nodes
        if len(nodes) > 1 and phrase.kind != "a":
            rooms = {self.scene.room_of(n.id) for n in nodes}
            every = phrase.text.lower().split()[0] in WHOLE  # one thing is not in all of them
            if len(rooms) > 1 or (every and not items[1:]):
                raise several(phrase, [n.id for n in nodes])
        return nodes

    def _by_name(self, phrase: Phrase) -> NodeMatch:
        """A place by name; "the rubbish" is where rubbish goes."""
        try:
            match = self.linker.place(phrase)
            if phrase.head not in WASTE or any(affords(n, "release") for n in match.nodes):
                return match
        except NoReferent:
            if phrase.head not in WASTE:
                raise
        return self.linker.place(replace(phrase, words=(*phrase.words, "bin"), kind="a"))


def _is_surface(node: Node) -> bool:
    """Return whether a node is furniture that things are put down on."""
    open_on_top = affords(node, "release") and not is_container(node) and not affords(node, "turn_on")
    return node.type == "asset" and open_on_top


def _addresses(item: Node, place: Node) -> bool:
    """Return whether a thing's description or attributes name a place: a parcel and its address."""
    text = " ".join([item.description, *item.attributes]).replace("_", " ").lower()
    return " ".join(name_words(place.id)) in " ".join(content_words(text))
