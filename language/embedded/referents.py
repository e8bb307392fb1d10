"""Phrases in the context of a conversation: the nodes that they mean.

Pronouns, owners, "the one" and numbers are resolved here, with what was named before and what the nodes
afford. A new way to refer to something belongs here, and must raise :class:`NoReferent` where it cannot be
resolved. Where things go is in ``destinations``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from ...simulator.scene import Node
from ..english.lexicon import WASTE
from ..english.linking import Linker
from ..english.links import NodeMatch, NoReferent, several
from ..english.phrases import MINE, Phrase, points
from ..english.words import singular
from .affordances import affords
from .frames import Frame

_STATES = frozenset({"open", "close", "turn_on", "turn_off"})
"""Affordances by which a thing and what it is put into may be meant alike."""
_PARTS = frozenset({"door", "lid", "doors"})
"""What one closes of a thing just spoken of."""
_MANY = frozenset("them they both these those".split())


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
        _check_told(phrase, context)
        before = context.last.phrase if context.last is not None else context.mention
        phrase = self._of_kind(phrase, before)
        if points(phrase) and before is None and not context.frames[1:]:
            phrase = replace(phrase, owner=MINE)  # "this pen": the one here
        # "It" for Dimity's buzzer leaves "he" whoever that was.
        speaking = context if phrase is not context.mention else replace(context)
        matching = self.linker.link(self.resolve_owner(phrase, speaking), loose=loose, affordance=affordance)
        match = self.near(matching, context)
        mass = phrase.kind == "the" and phrase.head in WASTE  # "the rubbish" is no one piece of it
        if len(match.nodes) > 1 and (mass or _is_taken_up(phrase, match, context)):
            raise several(phrase, match.ids)
        _check_number(match)
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
    for match in spoken:
        nodes = tuple(n for n in match.nodes if affords(n, affordance) or not affordance) if match else ()
        if match is not None and nodes:
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


def _check_told(phrase: Phrase, context: Context) -> None:
    """Raise :class:`NoReferent` where a describing word does not tell which thing is meant."""
    if {"right", "proper"} & set(phrase.words):
        raise NoReferent(f"it is not said which one '{phrase}' is")
    if context.changed & set(phrase.words):
        raise NoReferent(f"what '{phrase}' is changes on the way")


def _check_number(match: NodeMatch) -> None:
    """Raise :class:`NoReferent` where there are not as many as a phrase says that there are."""
    number = match.phrase.total or (match.phrase.number if match.phrase.kind == "all" else None)
    if number is not None and len(match.nodes) != number:
        reason = f"'{match.phrase}' speaks of {number}, there are {len(match.nodes)} in what was seen"
        raise NoReferent(reason, match.phrase, match.ids[:5])


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
