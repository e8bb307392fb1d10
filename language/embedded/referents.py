"""Phrases in the context of a conversation: the things that they mean, and the places where things go.

Pronouns, owners, "the one" and numbers are resolved here, with what was named before and what the nodes
afford. All places of a destination are equally right. A new way to refer to something belongs here, and must
raise :class:`NoReferent` where it cannot be resolved, or the words leave open which is meant.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ...simulator.scene import Node
from ..english.lexicon import WASTE, WHOLE
from ..english.linking import Linker
from ..english.phrases import FITTING, MINE, NodeMatch, NoReferent, Phrase, is_speaker, points, several
from ..english.words import alike, content_words, name_words, singular
from .frames import Frame

_STATES = frozenset({"open", "close", "turn_on", "turn_off"})
"""Affordances by which a thing and what it is put into may be meant alike."""
_PARTS = frozenset({"door", "lid", "doors"})
"""What one closes of a thing just spoken of."""
_MANY = frozenset("them they both these those".split())
FLOORS = frozenset({"floor", "ground"})
_SEATS = frozenset({"chair", "sofa", "bed", "stool"})
_BINS = (("trash", "can"), ("garbage", "can"))
_SPECIAL_BINS = {
    "recycling": ("recyclable",),
    "recycle": ("recyclable",),
    "compost": ("organic", "compostable"),
}
"""What a bin for one kind of waste takes; any other bin takes everything."""


def is_movable(node: Node) -> bool:
    return "pickup" in node.affordances


def is_container(node: Node) -> bool:
    return not {"open", "close", "contain"}.isdisjoint(node.affordances)


def is_closed(node: Node) -> bool:
    return "close" in node.affordances and "open" not in node.state


def is_running(node: Node) -> bool:
    return "turn_off" in node.affordances and "on" in node.state


def able(nodes: Iterable[Node], affordance: str, phrase: Phrase, what: str) -> list[Node]:
    """The nodes that afford something. Raises :class:`NoReferent` where none does."""
    nodes = list(nodes)
    fitting = [n for n in nodes if affordance in n.affordances]
    if not fitting:
        raise NoReferent(f"{nodes[0].id} cannot be {what}" if nodes else f"nothing fits '{phrase}'", phrase)
    return fitting


@dataclass
class Context:
    """The conversation so far: who "he" is, what "it" is, where the speaker is."""

    person: str | None = None
    speaker: Phrase | None = None
    last: NodeMatch | None = None
    before: NodeMatch | None = None
    many: NodeMatch | None = None
    place: NodeMatch | None = None
    rooms: frozenset[str] = frozenset()
    changed: frozenset[str] = frozenset()
    mention: Phrase | None = None
    frames: tuple[Frame, ...] = ()
    went: frozenset[str] = frozenset()
    """The room that was gone to for what is asked next."""
    returns: bool = False
    """Whether what is held in the end is brought to where the request was made."""
    spots: tuple[Phrase, ...] = ()
    """What sentences that ask for nothing tell of."""


class Referents:
    """Meanings of phrases in one scene."""

    def __init__(self, linker: Linker) -> None:
        self.linker, self.scene = linker, linker.scene

    def items(self, phrase: Phrase, context: Context, loose: bool = False, affordance: str = "") -> NodeMatch:
        """The nodes that a phrase of things means here, pronouns and owners included.

        A pronoun means what was spoken of last and affords what is to be done with it.
        """
        spoken_of = self._spoken_of(phrase, context, affordance)
        if spoken_of is not None:
            return spoken_of
        if phrase.kind == "it":
            if context.mention is None:
                raise NoReferent(f"it is not said what '{phrase}' is")
            phrase = context.mention
        if {"right", "proper"} & set(phrase.words):
            raise NoReferent(f"it is not said which one '{phrase}' is")
        if context.changed & set(phrase.words):
            raise NoReferent(f"what '{phrase}' is changes on the way")
        before = context.last.phrase if context.last is not None else context.mention
        phrase = self._of_kind(phrase, before)
        if points(phrase) and before is None and not context.spots and not context.frames[1:]:
            phrase = replace(phrase, owner=MINE)  # "this pen": the one here
        # "It" for Dimity's buzzer leaves "he" whoever that was.
        speaking = context if phrase is not context.mention else replace(context)
        matching = self.linker.link(self.resolve_owner(phrase, speaking), loose=loose, affordance=affordance)
        match = self.near(matching, context)
        mass = phrase.kind == "the" and phrase.head in WASTE  # "the rubbish" is no one piece of it
        if len(match.nodes) > 1 and (mass or _is_taken_up(phrase, match, context)):
            raise several(phrase, match.ids)
        number = match.phrase.total or (match.phrase.number if match.phrase.kind == "all" else None)
        if number is not None and len(match.nodes) != number:
            reason = f"'{match.phrase}' speaks of {number}, there are {len(match.nodes)} in what was seen"
            raise NoReferent(reason, match.phrase, match.ids[:5])
        context.rooms = self.rooms(match.nodes)
        return match

    def rooms(self, nodes: Iterable[Node]) -> frozenset[str]:
        """The rooms of some nodes; a room is its own."""
        rooms = (n.id if n.type == "room" else self.scene.room_of(n.id) for n in nodes)
        return frozenset(r for r in rooms if r is not None)

    def near(self, match: NodeMatch, context: Context) -> NodeMatch:
        """Furniture in a room just spoken of, before that elsewhere: "the cabinet" there."""
        phrase = match.phrase
        there = self.rooms(match.nodes) & context.went
        if there and phrase.kind == "all" and phrase.text.lower().startswith("the ") and not phrase.places:
            return replace(match, nodes=self._in_rooms(match.nodes, there))  # "and turn on the lights"
        bare = len(phrase.words) == 1 and not phrase.places and not phrase.owner
        if not (bare and phrase.kind == "the" and context.rooms and match.nodes[0].type == "asset"):
            return match
        return replace(match, nodes=self._in_rooms(match.nodes, context.rooms) or match.nodes)

    def _in_rooms(self, nodes: Iterable[Node], rooms: frozenset[str]) -> tuple[Node, ...]:
        return tuple(n for n in nodes if self.scene.room_of(n.id) in rooms)

    def resolve_owner(self, phrase: Phrase, context: Context) -> Phrase:
        """The phrase with "his" replaced by a name, everywhere in it."""
        owner = phrase.owner
        if owner == "his":
            if context.person is None:
                raise NoReferent(f"it is not said whose '{phrase}' is")
            owner = context.person
        elif owner is not None and owner != MINE and not owner.islower():
            context.person = owner
        it = context.last.phrase if context.last is not None else None
        if owner is not None and phrase.text.endswith("'s"):
            phrase = _with_noun(phrase, context)
        places_before = [(r, it if p.kind == "it" and it is not None else p) for r, p in phrase.places]
        places = tuple((r, self.resolve_owner(p, context)) for r, p in places_before)
        return replace(phrase, owner=owner, places=places)

    def is_somebody(self, phrase: Phrase) -> bool:
        """Return whether a phrase is the name of somebody with a room, so that "it" is something else."""
        name = phrase.text[:1].isupper() and phrase.text.lower() == phrase.head
        return name and bool(self.linker.names.owner_rooms(phrase.head))

    # What was spoken of before

    def _spoken_of(self, phrase: Phrase, context: Context, affordance: str) -> NodeMatch | None:
        """Resolve a pronoun or the part of a thing ("the door") to what was spoken of before."""
        if phrase.kind == "it":
            return _pronoun(phrase, context, affordance)
        if phrase.head not in _PARTS or phrase.places or phrase.owner:
            return None
        whole = _able((context.place, context.last, context.before), affordance or "close")
        return NodeMatch(phrase, whole[0][1]) if whole else None

    def _of_kind(self, phrase: Phrase, before: Phrase | None) -> Phrase:
        """The phrase with the noun before it in place of "one", or where it has none ("the clean").

        Raises :class:`NoReferent` where there is no such noun.
        """
        if phrase.head not in ("one", "ones"):
            return phrase
        narrowed = phrase.words[1:] or phrase.places or phrase.owner or phrase.kind != "the"
        if before is None or not before.words or not narrowed:
            which = "which one" if phrase.words == ("one",) else f"what '{phrase}' is"
            raise NoReferent(f"it is not said {which}")
        kind = singular(before.head) if phrase.kind != "all" else before.head
        return replace(phrase, words=(*phrase.words[:-1], kind))


_Able = list[tuple[NodeMatch, tuple[Node, ...]]]


def _able(spoken: Iterable[NodeMatch | None], affordance: str) -> _Able:
    """Matches spoken of with nodes that afford something, and these nodes."""
    fitting = []
    for match in filter(None, spoken):
        nodes = tuple(n for n in match.nodes if affordance in ("", *n.affordances))
        if nodes:
            fitting.append((match, nodes))
    return fitting


def _pronoun(phrase: Phrase, context: Context, affordance: str) -> NodeMatch | None:
    """The match that a pronoun means; ``None`` for what a statement spoke of.

    Raises :class:`NoReferent` where "it" may be either of two.
    """
    pronoun = phrase.text.lower().split()[0]
    if pronoun in _MANY and context.many is not None:
        return context.many
    if pronoun == "both":
        raise NoReferent("it is not said what 'both' are")
    ables = _able((context.last, context.place), affordance)
    if pronoun == "it":
        if context.many is not None and ables and ables[0][0] is context.last:
            raise several(phrase, context.many.ids)  # "the fork and the knife, and wash it"
        # which is one thing: "put the pens in the box and close it"
        ables = [(m, nodes) for m, nodes in ables if m.phrase.kind not in ("all", "count") or len(nodes) == 1]
        if affordance in _STATES and ables and {*ables[0][1]}.isdisjoint(ables[-1][1]):
            raise several(phrase, [n.id for _, nodes in ables for n in nodes])  # the book, or its box
    if ables:
        return ables[0][0]
    return context.last if context.mention is None else None


def _is_taken_up(phrase: Phrase, match: NodeMatch, context: Context) -> bool:
    """Return whether a definite phrase may mean what only a part of a phrase before it was about.

    "The pen" after "the box with the pen", and "the bowls" after "the dirty bowls".
    """
    definite = phrase.kind in ("the", "all") and phrase.text.startswith("the ")
    if not definite or phrase.places or phrase.owner:
        return False
    before = context.last
    if (
        before is not None
        and set(before.ids) < set(match.ids)
        and set(phrase.words) < set(before.phrase.words)
    ):
        return True
    inner = (p for frame in context.frames for item in frame.items for _, p in item.places)
    return any(p.words == phrase.words for p in inner)


def _with_noun(phrase: Phrase, context: Context) -> Phrase:
    """Return "Niko's" with the noun that was owned before it: "from Peter's cabinet to Niko's"."""
    mentioned = [p for f in reversed(context.frames) for p in (f.to, *reversed(f.items)) if p is not None]
    owned = [p for m in mentioned for p in (*(q for _, q in m.places), m) if p.owner and p.words]
    before = next((p for p in owned if not p.text.endswith("'s")), None)
    return phrase if before is None else replace(phrase, words=before.words)


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
        if (room := self._floor(phrase, context)) is not None:
            return [room]
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
        if here.type == "asset" and "release" in here.affordances:
            return [here]
        room = here if here.type == "room" else self.scene.nodes.get(self.scene.room_of(here.id) or "")
        surfaces = self._surfaces([room], phrase) if room is not None else []
        if not any(n.type == "asset" or "release" in n.affordances for n in surfaces):
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
            return self._there(context)
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

    def _floor(self, phrase: Phrase, context: Context) -> Node | None:
        """The room whose floor a phrase means; ``None`` where it means no floor, or a thing of that name."""
        names = self.linker.names  # a storey is no floor to put things on
        if phrase.head not in FLOORS or any(names.named(n, phrase) for n in (*names.rooms, *names.things)):
            return None
        around = tuple(p for p in phrase.places if p[0] in ("of", "in"))
        where = around[0][1] if around else None
        if phrase.words[:-1] or phrase.owner:
            words = phrase.words[:-1] or ("room",)
            where = Phrase(" ".join(words), words, "the", owner=phrase.owner, places=around)
        nodes = self.linker.place(where).nodes if where is not None else names.rooms
        rooms = [n for n in nodes if n.type == "room" and (where is not None or n.id in context.rooms)]
        if len(rooms) != 1:
            raise NoReferent(f"it is not said which room's floor '{phrase}' is")
        if "release" not in rooms[0].affordances:
            raise NoReferent(f"nothing can be put on the floor of {rooms[0].id}")
        return rooms[0]

    def _there(self, context: Context) -> NodeMatch:
        """The place that was spoken of last."""
        if context.place is not None:
            return context.place
        within = {w.text for q in context.spots for _, w in q.places}
        spots = [q for q in context.spots if q.text not in within]  # the desk, not the room that it is in
        spoken = [p for q in reversed(spots) for p in (q, *(w for _, w in q.places), q)]
        for at, phrase in enumerate(spoken):
            try:
                match = self.linker.place(phrase)
            except NoReferent:
                continue
            if phrase in spoken[at + 1 :] and match.nodes[0].type == "object":
                continue  # where a thing is comes before the thing itself
            if any(n.type == "room" or "release" in n.affordances for n in match.nodes):
                return match
        raise NoReferent("it is not said where", spoken[0] if spoken else None)

    def _by_name(self, phrase: Phrase) -> NodeMatch:
        """A place by name; "the rubbish" is where rubbish goes."""
        try:
            match = self.linker.place(phrase)
            if phrase.head not in WASTE or any("release" in n.affordances for n in match.nodes):
                return match
        except NoReferent:
            if phrase.head not in WASTE:
                raise
        return self.linker.place(replace(phrase, words=(*phrase.words, "bin"), kind="a"))


def _is_surface(node: Node) -> bool:
    """Return whether a node is furniture that things are put down on."""
    runs = "turn_on" in node.affordances
    return node.type == "asset" and "release" in node.affordances and not (runs or is_container(node))


def _addresses(item: Node, place: Node) -> bool:
    """Return whether a thing's description or attributes name a place: a parcel and its address."""
    text = " ".join([item.description, *item.attributes]).replace("_", " ").lower()
    return " ".join(name_words(place.id)) in " ".join(content_words(text))
