"""Phrases in the context of a conversation: the nodes that they mean, and conditions on these nodes.

Pronouns, owners, "the one", "there" and numbers are resolved here, with what was named before and what the
nodes afford; one of several nodes becomes ``or``, ``exists`` or ``exactly``. The verbs are in ``verbs.py``;
a new way to refer to something belongs here, and must raise :class:`NoReferent` where it cannot be resolved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from ...domains.formula import (
    Atom,
    Count,
    Exists,
    Formula,
    TypedVar,
    Var,
    conjunction,
    disjunction,
    rebuild,
    walk,
)
from ...simulator.scene import Node
from ..english.lexicon import WASTE, WHOLE
from ..english.linking import Linker
from ..english.links import NodeMatch, NoReferent, several
from ..english.phrases import FITTING, MINE, PEOPLE, Phrase, is_speaker, points
from ..english.words import alike, content_words, name_words, singular
from .frames import Frame


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
    pending: tuple[Node, tuple[Node, ...]] | None = None
    stays: frozenset[str] = frozenset()
    """What was to be left where it is."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """The goal condition that a clause asks for, and the nodes that it is about.

    ``again`` is one of several things that a clause before was about as well: "fill a mug and bring *it*";
    ``lasts`` is "stay" where it is to be so on the way, too, and "brief" where it is to be so for a while.
    """

    formula: Formula
    nodes: tuple[str, ...]
    again: NodeMatch | None = None
    lasts: str = ""


def generalise(formula: Formula, name: str, variable: Var) -> Formula:
    """A formula with a variable in the place of a name."""
    if isinstance(formula, Atom):
        return Atom(formula.predicate, tuple(variable if a == name else a for a in formula.args))
    return rebuild(formula, lambda part: generalise(part, name, variable))


MAX_CHOICES = 8
"""More nodes than this that fit "the X" are too many to choose from."""
_BINS = (("trash", "can"), ("garbage", "can"))
_SPECIAL_BINS = {
    "recycling": ("recyclable",),
    "recycle": ("recyclable",),
    "compost": ("organic", "compostable"),
}
"""What a bin for one kind of waste takes; any other bin takes everything."""
FLOORS = frozenset({"floor", "ground"})
_STATES = frozenset({"open", "close", "turn_on", "turn_off"})
"""Affordances by which a thing and what it is put into may be meant alike."""
PARTS = frozenset({"door", "lid", "doors"})
"""What one closes of a thing just spoken of."""
SEATS = frozenset({"chair", "sofa", "bed", "stool"})


class Meanings:
    """The meanings of verbs in one scene."""

    def __init__(self, linker: Linker) -> None:
        self.linker, self.scene, self.facts = linker, linker.scene, linker.facts
        self.fact = linker.facts.fact
        self.touched: frozenset[str] = frozenset()
        self.opened: frozenset[str] = frozenset()
        """What a request before asks to be opened."""
        self.placed: frozenset[str] = frozenset()
        """What requests before put somewhere."""

    def can(self, node: Node, affordance: str) -> bool:
        return affordance in node.affordances

    def container(self, node: Node) -> bool:
        return self.can(node, "open") or self.can(node, "close") or self.can(node, "contain")

    def closed(self, node: Node) -> bool:
        return self.can(node, "close") and "open" not in node.state

    def running(self, node: Node) -> bool:
        return self.can(node, "turn_off") and "on" in node.state

    def each(
        self, match: NodeMatch, say: Callable[[Node], Formula], fits: Callable[[Node], bool] | None = None
    ) -> Formula:
        """A condition on all of the nodes, or on one of them, as the determiner of the phrase says."""
        nodes = [n for n in match.nodes if fits is None or fits(n)]
        if not nodes:
            raise NoReferent(
                f"nothing that fits '{match.phrase}' can be used so", match.phrase, match.ids[:3]
            )
        if match.phrase.kind == "count":
            return self._number(match, nodes, say)
        if match.phrase.kind in ("all", "held") or len(nodes) == 1:
            return conjunction([say(n) for n in nodes])
        kinds = self.linker.names.is_of_kinds(match.phrase.head, nodes) if match.phrase.words else False
        if match.phrase.kind != "a" and (nodes[0].type != "object" or kinds):
            gap = several(match.phrase, [n.id for n in nodes])
            gap.final = kinds
            raise gap
        if len(nodes) == len(match.nodes):
            some = self._some(match.phrase, nodes, say)
            if some is not None:
                return some
        if len(nodes) > MAX_CHOICES:
            raise NoReferent(f"{len(nodes)} things fit '{match.phrase}'", match.phrase, match.ids[:5])
        return disjunction([say(n) for n in nodes])

    def _some(self, phrase: Phrase, nodes: Sequence[Node], say: Callable[[Node], Formula]) -> Formula | None:
        """``exists`` over a class with attributes, where these describe exactly what the phrase says."""
        described = self._described(phrase, nodes, say)
        return None if described is None else Exists(*described)

    def _number(self, match: NodeMatch, nodes: Sequence[Node], say: Callable[[Node], Formula]) -> Formula:
        """So many of a kind, whichever."""
        number = match.phrase.number or 0
        if len(nodes) == number == len(match.nodes):
            return conjunction([say(n) for n in nodes])
        described = self._described(match.phrase, nodes, say)
        if described is None and len(nodes) >= number and match.phrase.places:
            return conjunction([say(n) for n in nodes[:number]])  # "two bottles from the cupboard": any two
        if described is None or len(nodes) < len(match.nodes) or number > len(nodes):
            reason = f"'{match.phrase}' asks for {number}, there are {len(nodes)} in what was seen"
            raise NoReferent(reason, match.phrase, match.ids[:5])
        return Count("exactly", number, *described)

    def _described(
        self, phrase: Phrase, nodes: Sequence[Node], say: Callable[[Node], Formula]
    ) -> tuple[tuple[TypedVar, ...], Formula] | None:
        """A class and its attributes in place of nodes; ``None`` where the phrase says more than these."""
        if phrase.places or phrase.owner or not phrase.words:
            return None
        shared = [c for c in nodes[0].classes if all(c in n.classes for n in nodes)]
        head, rest = singular(phrase.head), phrase.words[:-1]
        named = [c for c in shared if head in map(singular, name_words(c))]
        # The class that says most: bottle_water before bottle for "a bottle of water".
        named.sort(key=lambda c: -sum(w in name_words(c) for w in rest))
        if not named:
            return None
        adjectives: list[Formula] = []
        for word in (w for w in rest if w not in name_words(named[0])):
            if not all(word in n.attributes for n in nodes):
                return None
            adjectives.append(Atom(word, (Var("x"),)))
        stand_in = Node("?x", nodes[0].type, nodes[0].parent, affordances=nodes[0].affordances)
        body = generalise(say(stand_in), "?x", Var("x"))
        return (TypedVar("x", named[0]),), conjunction([*adjectives, body])

    def laid(self, item: Node, relation: str, places: Sequence[Node]) -> Formula:
        """A thing in or on one of some places, doors left as they were or as they were asked for."""
        choices: list[Formula] = []
        for place in places:
            if place.type == "room" and relation == "floor":
                choices.append(self.fact("ontop", item.id, place.id))
            elif place.type == "room":
                choices.append(self.fact("room", item.id, place.id))
            elif self.container(place) and relation != "on":
                parts: list[Formula] = [self.fact("inside", item.id, place.id)]
                if self.closed(place) and place.id not in self.opened:
                    parts.append(self.fact("close", place.id))
                choices.append(conjunction(parts))
            else:
                choices.append(self.fact("ontop", item.id, place.id))
        return disjunction(choices)

    def need(self, nodes: Iterable[Node], affordance: str, phrase: Phrase, what: str) -> list[Node]:
        """The nodes that afford something. Raises :class:`NoReferent` where none does."""
        nodes = list(nodes)
        able = [n for n in nodes if self.can(n, affordance)]
        if not able:
            raise NoReferent(
                f"{nodes[0].id} cannot be {what}" if nodes else f"nothing fits '{phrase}'", phrase
            )
        return able

    # Phrases in context

    def items(self, phrase: Phrase, context: Context, loose: bool = False, affordance: str = "") -> NodeMatch:
        """The nodes that a phrase of things means here, pronouns and owners included.

        A pronoun means what was spoken of last and affords what is to be done with it.
        """
        spoken_of = self._spoken_of(phrase, context, affordance)
        if spoken_of is not None:
            return spoken_of
        if phrase.kind == "it":
            if context.mention is None:
                raise NoReferent(f"it is not said what '{phrase}' is", None)
            phrase = context.mention
        if {"right", "proper"} & set(phrase.words):
            raise NoReferent(f"it is not said which one '{phrase}' is", None)
        if context.changed & set(phrase.words):
            raise NoReferent(f"what '{phrase}' is changes on the way", None)
        before = context.last.phrase if context.last is not None else context.mention
        phrase = self._of_kind(phrase, before)
        if points(phrase) and before is None and not context.spots and not context.frames[1:]:
            phrase = replace(phrase, owner=MINE)  # "this pen": the one here
        # "It" for Dimity's buzzer leaves "he" whoever that was.
        speaking = context if phrase is not context.mention else replace(context)
        matching = self.linker.link(self.resolve_owner(phrase, speaking), loose=loose, affordance=affordance)
        match = self._near(matching, context)
        previous = context.last
        if previous is not None and phrase.kind == "the" and set(previous.ids) < set(match.ids):
            match = NodeMatch(phrase, previous.nodes)  # "the mug" is the one just spoken of
        mass = phrase.kind == "the" and phrase.head in WASTE  # "the rubbish" is no one piece of it
        if len(match.nodes) > 1 and (mass or self._is_taken_up(phrase, match, context)):
            raise several(phrase, match.ids)
        self._counted(match)
        context.rooms = self._rooms(match.nodes)
        return match

    def _is_taken_up(self, phrase: Phrase, match: NodeMatch, context: Context) -> bool:
        """Return whether a definite phrase may mean what only a part of a phrase before it was about.

        "The pen" after "the box with the pen", and "the bowls" after "the dirty bowls".
        """
        if (
            phrase.kind not in ("the", "all")
            or phrase.places
            or phrase.owner
            or not phrase.text.startswith("the ")
        ):
            return False
        inner = (p for frame in context.frames for item in frame.items for _, p in item.places)
        before = context.last
        narrower = (
            before is not None
            and set(before.ids) < set(match.ids)
            and set(phrase.words) < set(before.phrase.words)
        )
        return narrower or any(p.words == phrase.words for p in inner)

    def _spoken_of(self, phrase: Phrase, context: Context, affordance: str) -> NodeMatch | None:
        """Resolve a pronoun or the part of a thing ("the door") to what was spoken of before.

        Raises :class:`NoReferent` where "it" may be either of two.
        """
        pronoun = phrase.text.lower().split()[0] if phrase.kind == "it" else phrase.text.lower()
        if pronoun in ("them", "they", "both", "these", "those") and context.many is not None:
            return context.many
        if pronoun == "both":
            raise NoReferent("it is not said what 'both' are", None)
        is_part = phrase.head in PARTS and not phrase.places and not phrase.owner
        if phrase.kind != "it" and not is_part:
            return None
        needs = affordance or ("close" if is_part else "")
        spoken = (context.place, context.last, context.before) if is_part else (context.last, context.place)
        each = ((m, tuple(n for n in m.nodes if not needs or self.can(n, needs))) for m in spoken if m)
        ables = [(match, able) for match, able in each if able]
        if pronoun == "it" and context.many is not None and ables[:1] and ables[0][0] is context.last:
            raise several(phrase, context.many.ids)  # "the fork and the knife, and wash it"
        if pronoun == "it":  # which is one thing: "put the pens in the box and close it"
            ables = [one for one in ables if one[0].phrase.kind not in ("all", "count") or not one[1][1:]]
            if needs in _STATES and {*ables[0][1]}.isdisjoint(ables[-1][1]) if ables else False:
                raise several(phrase, [n.id for _, able in ables for n in able])  # the book, or its box
        for match, able in ables:
            return NodeMatch(phrase, able) if is_part else match
        return context.last if context.mention is None and not is_part else None

    def _of_kind(self, phrase: Phrase, before: Phrase | None) -> Phrase:
        """The phrase with the noun before it in place of "one", or where it has none ("the clean").

        Raises :class:`NoReferent` where there is no such noun.
        """
        if self._is_headless(phrase):
            phrase = replace(phrase, words=(*phrase.words, "one"))
        if phrase.head not in ("one", "ones"):
            return phrase
        narrowed = phrase.words[1:] or phrase.places or phrase.owner or phrase.kind != "the"
        if before is None or not before.words or not narrowed:
            which = "which one" if phrase.words == ("one",) else f"what '{phrase}' is"
            raise NoReferent(f"it is not said {which}", None)
        kind = singular(before.head) if phrase.kind != "all" else before.head
        # "The one in Will's office" may be otherwise; "another one" is described as the one before.
        more = before.words[:-1] if phrase.text.lower() == "another one" else ()
        return replace(phrase, words=(*phrase.words[:-1], *more, kind))

    def _is_headless(self, phrase: Phrase) -> bool:
        """Return whether a phrase has an adjective for its head: "the dirty in the dishwasher"."""
        things = self.linker.names.things
        adjectives = {w for n in things for w in (*n.attributes, *n.state)}
        named = any(self.linker.names.named(n, phrase) for n in things)
        return bool(phrase.words) and adjectives.issuperset(phrase.words) and not named

    def _rooms(self, nodes: Iterable[Node]) -> frozenset[str]:
        rooms = (n.id if n.type == "room" else self.scene.room_of(n.id) for n in nodes)
        return frozenset(r for r in rooms if r is not None)

    def _near(self, match: NodeMatch, context: Context) -> NodeMatch:
        """Furniture in a room just spoken of, before that elsewhere: "the cabinet" there."""
        phrase = match.phrase
        there = frozenset(self._rooms(match.nodes) & context.went)
        if phrase.kind == "all" and phrase.text.lower().startswith("the ") and not phrase.places and there:
            here = tuple(n for n in match.nodes if self.scene.room_of(n.id) in there)
            return replace(match, nodes=here)  # "go to the kitchen and turn on the lights"
        if phrase.places or phrase.owner or phrase.kind != "the" or not context.rooms or not phrase.words:
            return match
        if match.nodes[0].type != "asset" or len(phrase.words) > 1:
            return match
        try:
            everywhere = self.linker.link(replace(phrase, kind="a"), self.linker.names.things)
        except NoReferent:
            return match
        near = tuple(n for n in everywhere.nodes if self.scene.room_of(n.id) in context.rooms)
        return replace(match, nodes=near) if near else match

    def resolve_owner(self, phrase: Phrase, context: Context) -> Phrase:
        """The phrase with "his" replaced by a name, everywhere in it."""
        owner = phrase.owner
        if owner == "his":
            if context.person is None:
                raise NoReferent(f"it is not said whose '{phrase}' is", None)
            owner = context.person
        elif owner is not None and owner != MINE and not owner.islower():
            context.person = owner
        it = context.last.phrase if context.last is not None else None
        if owner is not None and phrase.text.endswith("'s"):
            phrase = self._with_noun(phrase, context)
        places_before = [(r, it if p.kind == "it" and it is not None else p) for r, p in phrase.places]
        places = tuple((r, self.resolve_owner(p, context)) for r, p in places_before)
        return replace(phrase, owner=owner, places=places)

    def _with_noun(self, phrase: Phrase, context: Context) -> Phrase:
        """Return "Niko's" with the noun that was owned before it: "from Peter's cabinet to Niko's"."""
        mentioned = [p for f in reversed(context.frames) for p in (f.to, *reversed(f.items)) if p is not None]
        owned = [p for m in mentioned for p in (*(q for _, q in m.places), m) if p.owner and p.words]
        before = next((p for p in owned if not p.text.endswith("'s")), None)
        return phrase if before is None else replace(phrase, words=before.words)

    def _counted(self, match: NodeMatch) -> None:
        number = match.phrase.total
        if number is None and match.phrase.kind == "all":
            number = match.phrase.number
        if number is not None and len(match.nodes) != number:
            reason = f"'{match.phrase}' speaks of {number}, there are {len(match.nodes)} in what was seen"
            raise NoReferent(reason, match.phrase, match.ids[:5])

    def person(self, phrase: Phrase, context: Context) -> list[Node]:
        """The place of something that is for a person: the desk in front of them."""
        word = phrase.words[0] if phrase.words else phrase.text.lower()
        if is_speaker(phrase):
            if context.speaker is not None:
                return self.destination("to", context.speaker, context, ())
            here = self.here()
            if here.type == "asset" and self.can(here, "release"):
                return [here]
            room = here if here.type == "room" else self.scene.nodes.get(self.scene.room_of(here.id) or "")
            surfaces = self.surfaces([room], phrase) if room is not None else []
            if not any(n.type == "asset" or self.can(n, "release") for n in surfaces):
                raise NoReferent(f"there is nothing at {here.id} to put things on", None)
            return surfaces
        if word == "them" and (group := self._people(context)) is not None:
            if group.places:
                return self.destination("to", group.places[0][1], context, ())  # those in meeting room 1
            name = " ".join(group.words)
        elif word in ("him", "her", "them"):
            if context.person is None:
                raise NoReferent(f"it is not said who '{phrase}' is", None)
            name = context.person
        else:
            name = " ".join(phrase.words)
            context.person = name
        rooms = self.linker.names.owner_rooms(name)
        if not rooms:
            raise NoReferent(f"it is not known where {phrase} is", phrase)
        if phrase.places:
            self.linker.place(self.resolve_owner(phrase, context))
        surfaces = self.surfaces([r for r in self.linker.names.rooms if r.id in rooms], phrase)
        return self.linker.names.owned(surfaces, name) or surfaces

    def is_somebody(self, phrase: Phrase) -> bool:
        """Return whether a phrase is the name of somebody with a room, so that "it" is something else."""
        name = phrase.text[:1].isupper() and phrase.text.lower() == phrase.head
        return name and bool(self.linker.names.owner_rooms(phrase.head))

    def means_people(self, phrase: Phrase, context: Context) -> bool:
        """Return whether "them" is people who were spoken of."""
        return phrase.text.lower() == "them" and self._people(context) is not None

    def _people(self, context: Context) -> Phrase | None:
        """The people who were spoken of last: "the three visitors in the lobby"."""
        spoken = (p for p in reversed(context.spots) if singular(p.head) in PEOPLE and p.kind != "person")
        return next(spoken, None)

    def nodes_in(self, sense: str, formulas: Iterable[Formula]) -> frozenset[str]:
        """The nodes of which some formulas ask for the fact of a sense."""
        fact = self.facts.predicate(sense)
        atoms = (a for f in formulas for a in walk(f))
        return frozenset(str(a.args[0]) for a in atoms if isinstance(a, Atom) and a.predicate == fact)

    def placed_by(self, parts: Iterable[Meaning]) -> frozenset[str]:
        """The movable things that some parts put somewhere."""
        places = {self.facts.predicate(s) for s in ("inside", "ontop", "room")}

        def places_things(part: Meaning) -> bool:
            return any(isinstance(a, Atom) and a.predicate in places for a in walk(part.formula))

        ids = (i for p in parts if places_things(p) for i in p.nodes)
        return frozenset(i for i in ids if self.scene.nodes[i].type == "object")

    def here(self) -> Node:
        """The place where the request was made."""
        node = self.scene.nodes.get(self.linker.here)
        if node is None:
            raise NoReferent("it is not known where you are", None)
        return node

    def surfaces(self, rooms: Sequence[Node], phrase: Phrase) -> list[Node]:
        """The furniture of some rooms that things are put down on: desks and tables before chairs."""
        inside = {r.id for r in rooms}
        surfaces = [
            n
            for n in self.linker.names.things
            if n.type == "asset" and n.parent in inside and self.can(n, "release")
            and not self.container(n) and not self.can(n, "turn_on")
        ]  # fmt: skip
        better = [n for n in surfaces if not SEATS & set(n.classes)]
        if not surfaces and self.linker.relaxed and len(rooms) == 1:
            return list(rooms)  # there is no more to see, and nothing there to put things on
        if not surfaces:
            at = tuple(r.id for r in rooms)
            raise NoReferent(f"nothing is known in {at[0]} to put something on", phrase, (), at)
        return better or surfaces

    def destination(
        self, relation: str, phrase: Phrase, context: Context, items: Sequence[Node]
    ) -> list[Node]:
        """The assets (or carrying things) that something may go to; all are equally right."""
        phrase = self.resolve_owner(phrase, context)
        if phrase.kind == "person" or self.means_people(phrase, context):
            return self.person(phrase, context)
        if (room := self._floor(phrase, context)) is not None:
            return [room]
        match = self._named_place(relation, phrase, context)
        if phrase.text.lower().startswith("another ") and not match.nodes[1:]:
            raise NoReferent(f"there is one in what was seen, and '{phrase}' is asked for", phrase, match.ids)
        context.place = match
        context.rooms = self._rooms(match.nodes)
        nodes = list(match.nodes)
        if FITTING & set(phrase.words):
            nodes = [n for n in nodes if any(self._says(i, n) for i in items)]
            if not nodes:
                raise NoReferent(f"it is not known which one '{phrase}' is", phrase, match.ids[:3])
        if nodes[0].type == "room":
            if len(nodes) > 1 and phrase.kind != "a":
                raise several(phrase, match.ids, "rooms")
            return self.surfaces(nodes, phrase)
        return self._receiving(relation, phrase, nodes, items)

    def _named_place(self, relation: str, phrase: Phrase, context: Context) -> NodeMatch:
        """The place that a phrase means: "there", "it", or one by its name."""
        if phrase.text == "there":
            return self._there(context)
        if phrase.kind == "it":
            match = self.items(phrase, replace(context, last=context.before, many=None), affordance="release")
            holds = [n for n in match.nodes if n.type == "room" or self.container(n)]
            if relation == "in" and not holds:  # "the bowl on the table, and the spoon in it"
                raise NoReferent(
                    f"nothing goes in {match.ids[0]}, and it is not said what else '{phrase}' is", None
                )
            return match
        if phrase.head == "one":  # of the kind of the place before: "and the tape in the one on the rack"
            before = context.place.phrase.head if context.place is not None else ""
            if not before or before.isdigit():
                raise NoReferent("it is not said which one", None)
            phrase = replace(phrase, words=(*phrase.words[:-1], before))
        return self._near(self._place(phrase), context)

    def _receiving(
        self, relation: str, phrase: Phrase, nodes: Sequence[Node], items: Sequence[Node]
    ) -> list[Node]:
        """The furniture of some that takes the things, and bins the one for such waste."""
        nodes = self.need((n for n in nodes if n not in items), "release", phrase, "given anything")
        if len(nodes) > 1 and relation == "on":
            nodes = [n for n in nodes if not self.container(n)] or nodes
        if all(self.is_bin(n) for n in nodes):
            nodes = self.fitting_bins(nodes, items) or nodes
        rooms = {self.scene.room_of(n.id) for n in nodes}
        every = phrase.text.lower().split()[0] in WHOLE  # one thing is not in all of them
        if len(nodes) > 1 and phrase.kind != "a" and (len(rooms) > 1 or (every and not items[1:])):
            raise several(phrase, [n.id for n in nodes])
        return nodes

    def _floor(self, phrase: Phrase, context: Context) -> Node | None:
        """The room whose floor a phrase means; ``None`` where it means no floor, or a thing of that name."""
        named = (*self.linker.names.rooms, *self.linker.names.things)  # a storey is no floor to put things on
        if phrase.head not in FLOORS or any(self.linker.names.named(n, phrase) for n in named):
            return None
        around = tuple(p for p in phrase.places if p[0] in ("of", "in"))
        if phrase.words[:-1] or phrase.owner:
            words = phrase.words[:-1] or ("room",)
            name = Phrase(" ".join(words), words, "the", owner=phrase.owner, places=around)
            rooms = [n for n in self.linker.place(name).nodes if n.type == "room"]
        elif around:
            rooms = [n for n in self.linker.place(around[0][1]).nodes if n.type == "room"]
        else:
            rooms = [r for r in self.linker.names.rooms if r.id in context.rooms]
        if len(rooms) != 1:
            raise NoReferent(f"it is not said which room's floor '{phrase}' is", None)
        if not self.can(rooms[0], "release"):
            raise NoReferent(f"nothing can be put on the floor of {rooms[0].id}", None)
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
            if any(n.type == "room" or self.can(n, "release") for n in match.nodes):
                return match
        raise NoReferent("it is not said where", spoken[0] if spoken else None)

    def _place(self, phrase: Phrase) -> NodeMatch:
        """A place by name; "the rubbish" is where rubbish goes."""
        try:
            match = self.linker.place(phrase)
            if phrase.head not in WASTE or any(self.can(n, "release") for n in match.nodes):
                return match
        except NoReferent:
            if phrase.head not in WASTE:
                raise
        return self.linker.place(replace(phrase, words=(*phrase.words, "bin"), kind="a"))

    def _says(self, item: Node, place: Node) -> bool:
        """Return whether a thing's description or attributes name a place: a parcel and its address."""
        text = " ".join([item.description, *item.attributes]).replace("_", " ").lower()
        return " ".join(name_words(place.id)) in " ".join(content_words(text))

    def is_bin(self, node: Node) -> bool:
        return any(name_words(c)[-1:] == ("bin",) or name_words(c)[-2:] in _BINS for c in node.classes)

    def fitting_bins(self, bins: Iterable[Node], items: Sequence[Node]) -> list[Node]:
        """The bins that take all of the things, as far as their names say."""
        good = []
        for node in bins:
            accepted_lists = [w for name, w in _SPECIAL_BINS.items() if name in self.linker.names.words(node)]
            accepted = [w for words in accepted_lists for w in words]
            if not accepted or all(
                any(alike(a, w) for a in accepted for w in self.linker.names.words(i)) for i in items
            ):
                good.append(node)
        return good
