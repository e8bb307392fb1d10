"""What the verbs mean: from linked phrases to formulas.

Each verb of a frame has one method that says what holds when it is done, in the pack's predicates, as the
scene's affordances allow. Two habits of tidy work are part of the meaning: a container that was closed is
closed again, and a machine that was off is off again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from ...domains.formula import Atom, Count, Exists, Formula, TypedVar, Var, conjunction, disjunction, rebuild
from ...simulator.scene import Node
from .frames import Frame
from .linking import SPECIAL_BINS, Linker
from .links import Gap, Link
from .phrases import FITTING, Phrase
from .words import alike, content_words, name_words, singular


@dataclass
class Context:
    """What was said so far: who "he" is, what "it" is, where the speaker is."""

    person: str | None = None
    speaker: Phrase | None = None
    last: Link | None = None
    before: Link | None = None
    many: Link | None = None
    place: Link | None = None
    rooms: frozenset[str] = frozenset()
    changed: frozenset[str] = frozenset()
    mention: Phrase | None = None
    frames: tuple[Frame, ...] = ()
    spots: tuple[Phrase, ...] = ()
    pending: tuple[Node, tuple[Node, ...]] | None = None


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a clause asks for, and the nodes that it is about."""

    formula: Formula
    nodes: tuple[str, ...]


def generalise(formula: Formula, name: str, variable: Var) -> Formula:
    """A formula with a variable in the place of a name."""
    if isinstance(formula, Atom):
        return Atom(formula.predicate, tuple(variable if a == name else a for a in formula.args))
    return rebuild(formula, lambda part: generalise(part, name, variable))


MAX_CHOICES = 8
"""More nodes than this that fit "the X" are too many to choose from."""
WASTE = frozenset("rubbish trash garbage recycling compost waste litter".split())
PARTS = frozenset({"door", "lid", "doors"})
"""What one closes of a thing just spoken of."""
SEATS = frozenset({"chair", "sofa", "bed", "stool"})


class Meanings:
    """The meanings of verbs in one scene."""

    def __init__(self, linker: Linker) -> None:
        self.linker, self.scene, self.facts = linker, linker.scene, linker.facts
        self.fact = linker.facts.fact
        self.touched: frozenset[str] = frozenset()

    def can(self, node: Node, affordance: str) -> bool:
        return affordance in node.affordances

    def container(self, node: Node) -> bool:
        return self.can(node, "open") or self.can(node, "close") or self.can(node, "contain")

    def closed(self, node: Node) -> bool:
        return self.can(node, "close") and "open" not in node.state

    def running(self, node: Node) -> bool:
        return self.can(node, "turn_off") and "on" in node.state

    def each(
        self, link: Link, say: Callable[[Node], Formula], fits: Callable[[Node], bool] | None = None
    ) -> Formula:
        """What is said of all of the nodes, or of one of them, as the phrase's determiner wants it."""
        nodes = [n for n in link.nodes if fits is None or fits(n)]
        if not nodes:
            raise Gap(f"nothing that fits '{link.phrase}' can be used so", link.phrase, link.ids[:3])
        if link.phrase.kind == "count":
            return self._number(link, nodes, say)
        if link.phrase.kind in ("all", "held") or len(nodes) == 1:
            return conjunction([say(n) for n in nodes])
        if nodes[0].type != "object" and link.phrase.kind != "a":
            ids = tuple(n.id for n in nodes[:5])
            raise Gap(f"several things fit '{link.phrase}'", link.phrase, ids)
        if len(nodes) == len(link.nodes):
            some = self._some(link.phrase, nodes, say)
            if some is not None:
                return some
        if len(nodes) > MAX_CHOICES:
            raise Gap(f"{len(nodes)} things fit '{link.phrase}'", link.phrase, link.ids[:5])
        return disjunction([say(n) for n in nodes])

    def _some(self, phrase: Phrase, nodes: Sequence[Node], say: Callable[[Node], Formula]) -> Formula | None:
        """``exists`` over a class with attributes, where these describe exactly what the phrase says."""
        described = self._described(phrase, nodes, say)
        return None if described is None else Exists(*described)

    def _number(self, link: Link, nodes: Sequence[Node], say: Callable[[Node], Formula]) -> Formula:
        """So many of a kind, whichever."""
        number = link.phrase.number or 0
        if len(nodes) == number == len(link.nodes):
            return conjunction([say(n) for n in nodes])
        described = self._described(link.phrase, nodes, say)
        if described is None and len(nodes) >= number and link.phrase.places:
            return conjunction([say(n) for n in nodes[:number]])  # "two bottles from the cupboard": any two
        if described is None or len(nodes) < len(link.nodes) or number > len(nodes):
            reason = f"'{link.phrase}' names {number}, known are {len(nodes)}"
            raise Gap(reason, link.phrase, link.ids[:5])
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
        """A thing in or on one of some places, doors left as they were."""
        choices: list[Formula] = []
        for place in places:
            if place.type == "room":
                choices.append(self.fact("room", item.id, place.id))
            elif self.container(place) and relation != "on":
                parts: list[Formula] = [self.fact("inside", item.id, place.id)]
                if self.closed(place):
                    parts.append(self.fact("close", place.id))
                choices.append(conjunction(parts))
            else:
                choices.append(self.fact("ontop", item.id, place.id))
        return disjunction(choices)

    def need(self, nodes: Iterable[Node], affordance: str, phrase: Phrase, what: str) -> list[Node]:
        """The nodes that afford something. Raises :class:`Gap` where none does."""
        nodes = list(nodes)
        found = [n for n in nodes if self.can(n, affordance)]
        if not found:
            raise Gap(f"{nodes[0].id} cannot be {what}" if nodes else f"nothing fits '{phrase}'", phrase)
        return found

    # Phrases in context

    def items(self, phrase: Phrase, context: Context, loose: bool = False, affordance: str = "") -> Link:
        """What a phrase of things means here, pronouns and owners included.

        A pronoun means what was spoken of last and affords what is to be done with it.
        """
        if phrase.text.lower() in ("them", "they", "both", "these", "those") and context.many is not None:
            return context.many
        if phrase.kind == "it":
            for link in (context.last, context.place):
                if link is not None and (not affordance or any(self.can(n, affordance) for n in link.nodes)):
                    return link
            if context.last is not None and context.mention is None:
                return context.last
            if context.mention is None:
                raise Gap(f"it is not said what '{phrase}' is", None)
            phrase = context.mention
        if phrase.head in PARTS and not phrase.places and not phrase.owner:
            for link in (context.place, context.last, context.before):
                if link is not None and any(self.can(n, affordance or "close") for n in link.nodes):
                    return Link(phrase, tuple(n for n in link.nodes if self.can(n, affordance or "close")))
        if context.changed & set(phrase.words):
            raise Gap(f"what '{phrase}' is changes on the way", None)
        before = context.last.phrase if context.last is not None else context.mention
        if phrase.head == "one" and before is not None and before.words:
            kind = before.head
            kind = singular(kind) if phrase.kind != "all" else kind
            phrase = replace(phrase, words=(*phrase.words[:-1], kind))  # "the one in Will's office"
        found = self.linker.link(self.said(phrase, context), loose=loose, affordance=affordance)
        link = self._near(found, context)
        said = context.last
        if said is not None and phrase.kind == "the" and set(said.ids) < set(link.ids):
            link = Link(phrase, said.nodes)  # "the mug" is the one just spoken of
        self._counted(link)
        context.rooms = self._rooms(link.nodes)
        return link

    def _rooms(self, nodes: Iterable[Node]) -> frozenset[str]:
        found = (n.id if n.type == "room" else self.scene.room_of(n.id) for n in nodes)
        return frozenset(r for r in found if r is not None)

    def _near(self, link: Link, context: Context) -> Link:
        """Furniture in a room just spoken of, before that elsewhere: "the cabinet" there."""
        phrase = link.phrase
        if phrase.places or phrase.owner or phrase.kind != "the" or not context.rooms or not phrase.words:
            return link
        if link.nodes[0].type != "asset" or len(phrase.words) > 1:
            return link
        try:
            found = self.linker.link(replace(phrase, kind="a"), self.linker.names.things)
        except Gap:
            return link
        near = tuple(n for n in found.nodes if self.scene.room_of(n.id) in context.rooms)
        return replace(link, nodes=near) if near else link

    def said(self, phrase: Phrase, context: Context) -> Phrase:
        """The phrase with "his" replaced by a name, everywhere in it."""
        owner = phrase.owner
        if owner == "his":
            if context.person is None:
                raise Gap(f"it is not said whose '{phrase}' is", None)
            owner = context.person
        elif owner is not None:
            context.person = owner
        it = context.last.phrase if context.last is not None else None
        known = [(r, it if p.kind == "it" and it is not None else p) for r, p in phrase.places]
        places = tuple((r, self.said(p, context)) for r, p in known)
        return Phrase(phrase.text, phrase.words, phrase.kind, phrase.number, owner, places)

    def _counted(self, link: Link) -> None:
        number = link.phrase.number
        if number is not None and link.phrase.kind == "all" and len(link.nodes) != number:
            near = link.ids[:5]
            raise Gap(f"'{link.phrase}' names {number}, known are {len(link.nodes)}", link.phrase, near)

    def person(self, phrase: Phrase, context: Context) -> list[Node]:
        """Where something goes that is for a person: the desk in front of them."""
        word = phrase.words[0] if phrase.words else ""
        if word in ("me", "us"):
            if context.speaker is None:
                raise Gap("it is not known where you are", None)
            return self.destination("to", context.speaker, context, ())
        if word in ("him", "her", "them"):
            if context.person is None:
                raise Gap(f"it is not said who '{phrase}' is", None)
            name = context.person
        else:
            name = " ".join(phrase.words)
            context.person = name
        rooms = self.linker.names.owner_rooms(name)
        if not rooms:
            raise Gap(f"it is not known where {name} is", phrase)
        found = self.surfaces([r for r in self.linker.names.rooms if r.id in rooms], phrase)
        return self.linker.names.owned(found, name) or found

    def surfaces(self, rooms: Sequence[Node], phrase: Phrase) -> list[Node]:
        """What things are put down on in some rooms: desks and tables before chairs."""
        inside = {r.id for r in rooms}
        found = [
            n
            for n in self.linker.names.things
            if n.type == "asset" and n.parent in inside and self.can(n, "release")
            and not self.container(n) and not self.can(n, "turn_on")
        ]  # fmt: skip
        better = [n for n in found if not SEATS & set(n.classes)]
        if not found and self.linker.relaxed and len(rooms) == 1:
            return list(rooms)  # there is no more to see, and nothing there to put things on
        if not found:
            at = tuple(r.id for r in rooms)
            raise Gap(f"nothing is known in {at[0]} to put something on", phrase, (), at)
        return better or found

    def destination(
        self, relation: str, phrase: Phrase, context: Context, items: Sequence[Node]
    ) -> list[Node]:
        """The assets (or carrying things) that something may go to; all are equally right."""
        phrase = self.said(phrase, context)
        if phrase.kind == "person":
            return self.person(phrase, context)
        if phrase.text == "there":
            link = self._there(context)
        elif phrase.kind == "it":
            link = self.items(phrase, replace(context, last=context.before), affordance="release")
        else:
            link = self._near(self._place(phrase), context)
        context.place = link
        context.rooms = self._rooms(link.nodes)
        nodes = list(link.nodes)
        if FITTING & set(phrase.words):
            nodes = [n for n in nodes if any(self._says(i, n) for i in items)]
            if not nodes:
                raise Gap(f"it is not known which one '{phrase}' is", phrase, link.ids[:3])
        if nodes[0].type == "room":
            if len(nodes) > 1 and phrase.kind != "a":
                raise Gap(f"several rooms fit '{phrase}'", phrase, link.ids[:5])
            return self.surfaces(nodes, phrase)
        nodes = self.need((n for n in nodes if n not in items), "release", phrase, "given anything")
        if len(nodes) > 1 and relation == "on":
            nodes = [n for n in nodes if not self.container(n)] or nodes
        if all(self.is_bin(n) for n in nodes):
            nodes = self.fitting_bins(nodes, items) or nodes
        rooms = {self.scene.room_of(n.id) for n in nodes}
        if len(nodes) > 1 and phrase.kind not in ("a",) and len(rooms) > 1:
            raise Gap(f"several things fit '{phrase}'", phrase, tuple(n.id for n in nodes[:5]))
        return nodes

    def _there(self, context: Context) -> Link:
        """The place that was spoken of last."""
        if context.place is not None:
            return context.place
        spoken = [p for q in reversed(context.spots) for p in (*(w for _, w in q.places), q)]
        for phrase in spoken:
            try:
                link = self.linker.place(phrase)
            except Gap:
                continue
            if any(n.type == "room" or self.can(n, "release") for n in link.nodes):
                return link
        raise Gap("it is not said where", spoken[0] if spoken else None)

    def _place(self, phrase: Phrase) -> Link:
        """A place by name; "the rubbish" is where rubbish goes."""
        try:
            found = self.linker.place(phrase)
            if phrase.head not in WASTE or any(self.can(n, "release") for n in found.nodes):
                return found
        except Gap:
            if phrase.head not in WASTE:
                raise
        return self.linker.place(replace(phrase, words=(*phrase.words, "bin"), kind="a"))

    def _says(self, item: Node, place: Node) -> bool:
        """Whether a thing's description or attributes name a place: a parcel and its address."""
        text = " ".join([item.description, *item.attributes]).replace("_", " ").lower()
        return " ".join(name_words(place.id)) in " ".join(content_words(text))

    def is_bin(self, node: Node) -> bool:
        return any(
            name_words(c)[-1:] == ("bin",) or name_words(c)[-2:] == ("trash", "can") for c in node.classes
        )

    def fitting_bins(self, bins: Iterable[Node], items: Sequence[Node]) -> list[Node]:
        """The bins that take all of the things, as far as their names say."""
        good = []
        for node in bins:
            wanted = [w for name, w in SPECIAL_BINS.items() if name in self.linker.names.words(node)]
            accepted = [w for words in wanted for w in words]
            if not accepted or all(
                any(alike(a, w) for a in accepted for w in self.linker.names.words(i)) for i in items
            ):
                good.append(node)
        return good
