"""Noun phrases as parts of queries: a class, and a condition under which a node of it is meant.

Which nodes a phrase means is for the linker of the embedded reader to say, by names alone: a question must
not be answered about something that is merely alike. Here the nodes become a class and a condition that fit
them and nothing else, as short as can be; where no words of the phrase do, they are named one by one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from ...compiler.query.answers import find
from ...compiler.query.query import parse_query
from ...domains.formula import quote_term
from ...simulator.belief import Belief
from ...simulator.scene import Node
from ..english.facts import RequestFacts
from ..english.lexicon import STATES
from ..english.linking import Linker
from ..english.phrases import NoReferent, Phrase, read_phrase
from ..english.words import name_words, singular

MAX_LISTED = 60
"""Most nodes that a query names one by one."""
_TYPES = {"room": "room", "asset": "asset", "part": "asset", "object": "item"}
_POINTS = re.compile(
    r"(?:(?:all|any|one|some|each|both|none) (?:of )?)?(my|our|your|his|her|their|another|other)\b", re.I
)
"""Words that point to who speaks or to what was mentioned before, of which a scene says nothing."""
_LIMITS = re.compile(r"(exactly|precisely|only|just|at (?:least|most)|(?:more|fewer|less) than)\b", re.I)
_DEFINITE = re.compile(r"(?:the|this|that)\b", re.I)
_EACH = re.compile(r"(?:each|every|all|both)\b", re.I)
ANYTHING = frozenset("anything something things everything items objects stuff".split())


class Unread(Exception):
    """A part of a question that cannot be read; ``near`` are the nodes that it may be about."""

    def __init__(self, reason: str, near: Sequence[str] = ()) -> None:
        super().__init__(reason)
        self.reason, self.near = reason, tuple(near)


Condition = Callable[[str, int], str]
"""The text of a formula over a node, by its name or variable, with so many variables in use."""
Relation = Callable[[str, str, int], str]
"""The text of a formula over two nodes, the one that is spoken of first."""
VARIABLES = tuple(f"?{letter}" for letter in "xyzuvwabcdefghijklmnopqrst")


def conjoined(parts: Sequence[str]) -> str:
    """Join formulas by "and"; the empty text for none."""
    return parts[0] if len(parts) == 1 else f"(and {' '.join(parts)})" if parts else ""


def negated(condition: Condition) -> Condition:
    """The condition that another one does not hold."""
    return lambda of, used: f"(not {condition(of, used)})"


def either(conditions: Sequence[Condition]) -> Condition:
    """The condition that one of some holds."""
    if len(conditions) == 1:
        return conditions[0]
    return lambda of, used: f"(or {' '.join(c(of, used) for c in conditions)})"


def holding(predicate: str) -> Condition:
    """The condition of a predicate."""
    return lambda of, used: f"({quote_term(predicate)} {of})"


@dataclass(frozen=True, slots=True)
class Noun:
    """A noun phrase of a query: nodes of the class ``kind`` under ``conditions``.

    ``nodes`` are all that are called so, which ``conditions`` say. ``restrictions`` are what is said of them
    besides; ``options`` are those of the query, where the phrase compares.
    """

    phrase: Phrase
    nodes: tuple[str, ...]
    kind: str
    conditions: tuple[Condition, ...] = ()
    restrictions: tuple[Condition, ...] = ()
    options: tuple[str, ...] = ()

    def where(self, of: str = VARIABLES[0], used: int = 1) -> tuple[str, ...]:
        """The conditions of a node, as texts."""
        return tuple(condition(of, used) for condition in (*self.conditions, *self.restrictions))

    def under(self, *conditions: Condition) -> Noun:
        """The noun under more restrictions."""
        return replace(self, restrictions=(*self.restrictions, *conditions))

    def some(self, relation: Relation, quantifier: str = "exists") -> Condition:
        """The condition that such a node stands in a relation to another, or so many of them do."""
        if len(self.nodes) == 1 and quantifier == "exists" and not self.restrictions:
            return lambda of, used: relation(quote_term(self.nodes[0]), of, used)
        return lambda of, used: f"({quantifier} {self.declared(relation, of, used)})"

    def declared(self, relation: Relation, of: str, used: int) -> str:
        """A variable for such a node, and the formula that it stands in a relation to another."""
        own = VARIABLES[used]
        body = conjoined((*self.where(own, used + 1), relation(own, of, used + 1)))
        return f"({own} - {quote_term(self.kind)}) {body}"


UNMEASURED = "nothing was measured, and the scene does not say which of all"
"""The reason to decline what is the largest of more than the scene says it of."""


class Nouns:
    """Noun phrases about one scene."""

    def __init__(self, belief: Belief) -> None:
        self.belief, self.facts = belief, RequestFacts(belief.pack)
        self.linker = Linker(belief.scene, belief.pack)
        self.besides: dict[str, None] = {}
        """What the noun phrases that were read may mean too, and does not count."""
        self.taken: dict[str, str] = {}
        """The node that each phrase is taken for which is its id and the class of others."""

    def noun(self, text: str, every: bool = False) -> Noun:
        """The class and condition of a noun phrase. Raises :class:`Unread` where nothing is called so.

        "Cabinet" is each thing of that class. "The cabinet" is the one with just that id, if there is one,
        which is noted in ``taken``; with ``every`` it is each thing of that name, too.
        """
        phrase = _named(text)
        if not phrase.owner and not phrase.places and [singular(w) for w in phrase.words] == ["room"]:
            return Noun(phrase, tuple(self.belief.members("room")), "room")
        called, meant = self._linked(text, phrase, one=not every and _DEFINITE.match(text) is not None)
        _check_superlatives(phrase, meant)
        exact = [n for n in meant if _called(n, phrase)] if phrase.kind != "person" else []
        ids = tuple(n.id for n in exact or meant)
        self._note(phrase, called, meant, ids)
        placed = tuple(i for i in ids if i not in self.belief.scene.unplaced)
        if placed:
            return Noun(phrase, placed, *self._described(phrase, placed))
        kind = meant[0].classes[0] if meant[0].classes else _TYPES.get(meant[0].type, "item")
        return Noun(phrase, (), kind, (one_of(ids),))

    def _note(
        self, phrase: Phrase, called: Sequence[Node], meant: Sequence[Node], ids: Sequence[str]
    ) -> None:
        """Note what a phrase may mean, too, and what it is taken for where it is the id of one of several."""
        if len(called) > len(meant) == 1 and any(_called(n, phrase) for n in called if n not in meant):
            self.taken[phrase.text] = ids[0]
        self.besides |= dict.fromkeys(n.id for n in called if n.id not in ids)

    def _linked(self, text: str, phrase: Phrase, one: bool) -> tuple[Sequence[Node], Sequence[Node]]:
        """The nodes that are called so, and those that are meant: with ``one`` that of just that name."""
        among = (*self.linker.names.rooms, *self.linker.names.things)
        kind = replace(phrase, kind="a") if phrase.kind == "the" else phrase
        try:
            called = self.linker.link(kind, among).nodes
            own = tuple(n for n in called if one and name_words(n.id) == phrase.words)
            return called, own or (self.linker.link(phrase, among).nodes if one else called)
        except NoReferent as gap:
            if phrase.kind == "person" or re.fullmatch(r"[A-Z]\w*", text):
                raise Unread(f"nothing known is called '{text}'") from gap
            raise Unread(gap.reason) from gap

    def anything(self, kind: str = "item") -> Noun:
        """All that can be carried, or all of another kind."""
        return Noun(Phrase("anything", ("anything",), "a"), tuple(self.belief.members(kind)), kind)

    # Conditions

    def stated(self, word: str) -> str | None:
        """The unary predicate that a describing word stands for; ``None`` where it stands for none."""
        sense = STATES.get(word)
        if sense is not None and (predicate := self.facts.predicate(sense)) is not None:
            return predicate
        if self.belief.pack.public_predicates().get(word) == 1:
            return word
        return word if any(word in n.attributes for n in self.belief.scene.nodes.values()) else None

    def is_state(self, word: str) -> bool:
        """Return whether a word is of a state that actions of the pack change."""
        predicate = self.stated(word)
        return predicate is not None and predicate in self.belief.pack.fluents

    def check_superlative(self, noun: Noun, word: str) -> None:
        """Raise :class:`Unread` where a thing is the largest of its kind, and a noun speaks of others."""
        nodes = [self.belief.scene.nodes[i] for i in noun.nodes]
        kinds = [n.classes[0] for n in nodes if word.endswith("est") and word in n.attributes and n.classes]
        if not all(kind in n.classes for kind in kinds for n in nodes):
            raise Unread(f"{UNMEASURED} '{noun.phrase}' is the {word}")

    def empty(self, noun: Noun) -> Condition:
        """The condition that nothing is in a node. Raises :class:`Unread` for what holds nothing anyway."""
        scene, facts = self.belief.scene, self.facts

        def without(kind: str, predicate: str) -> Condition:
            return negated(
                self.anything(kind).some(lambda inner, outer, used: f"({predicate} {inner} {outer})")
            )

        if all(scene.nodes[i].type == "room" for i in noun.nodes):
            room = facts.fact("room", "x", "y").predicate
            things, assets = without("item", room), without("asset", room)
            return lambda of, used: conjoined((things(of, used), assets(of, used)))
        opens = self.belief.pack.mapping.parents.get("inside_of")
        if opens is None or not all(self.belief.facts.holds(opens.predicate, (i,)) for i in noun.nodes):
            raise Unread(f"a scene need not say whether '{noun.phrase}' is empty", noun.nodes)
        return without("item", facts.fact("inside", "x", "y").predicate)

    def located(self, preposition: str, place: Noun) -> Condition:
        """The condition that a node is in, on or under a place."""
        if len(place.nodes) > 1 and _EACH.match(place.phrase.text):
            raise Unread(f"it is not read whether it is so in '{place.phrase}'", place.nodes)
        predicate = self.relation(preposition, place)
        return place.some(lambda at, of, used: f"({predicate} {of} {at})")

    def has(self, place: Noun) -> Relation:
        """The relation of a node to the room that it is in, or to the thing that it is in or on."""
        predicates = [self.relation("in", place)]
        if any(self.belief.scene.nodes[i].type != "room" for i in place.nodes):
            predicates.append(self.relation("on", place))

        def written(inner: str, outer: str, used: int) -> str:
            parts = [f"({predicate} {inner} {outer})" for predicate in dict.fromkeys(predicates)]
            return parts[0] if len(parts) == 1 else f"(or {' '.join(parts)})"

        return written

    def relation(self, preposition: str, place: Noun) -> str:
        """The predicate of a preposition and a place: in a room, in a container, on anything else."""
        scene, facts = self.belief.scene, self.facts
        rooms = [scene.nodes[i].type == "room" for i in place.nodes]
        if any(rooms) and not all(rooms):
            raise Unread(f"'{place.phrase}' may be a room or a thing", place.nodes)
        if all(rooms) and preposition in ("in", "at", "from"):
            return facts.fact("room", "x", "y").predicate
        if preposition in ("in", "from"):
            opens = self.belief.pack.mapping.parents.get("inside_of")
            held = self.belief.facts
            inside = opens is None or any(held.holds(opens.predicate, (i,)) for i in place.nodes)
            return facts.fact("inside" if inside else "ontop", "x", "y").predicate
        if preposition == "on":
            return facts.fact("ontop", "x", "y").predicate
        under = self.belief.pack.mapping.relations.get("under")
        if preposition == "under" and under is not None:
            return under.predicate
        raise Unread(f"'{preposition} {place.phrase}' is not read in a question")

    def beside(self, place: Noun) -> Relation:
        """The relation of things on, or in, the same thing; to what stays in its place, on its floor."""
        scene, facts = self.belief.scene, self.facts
        inside, on, room = (facts.fact(sense, "x", "y").predicate for sense in ("inside", "ontop", "room"))
        stays = {scene.nodes[i].type for i in place.nodes}
        if len(stays) > 1 or "room" in stays:
            raise Unread(f"it is not read what is near '{place.phrase}'", place.nodes)
        pairs = (("room", on, room),) if "asset" in stays else (("asset", on, on), ("asset", inside, inside))

        def written(inner: str, outer: str, used: int) -> str:
            of = VARIABLES[used]
            parts = [
                f"(exists ({of} - {kind}) (and ({own} {outer} {of}) ({other} {inner} {of})))"
                for kind, own, other in pairs
            ]
            return parts[0] if len(parts) == 1 else f"(or {' '.join(parts)})"

        return written

    # Classes

    def _described(self, phrase: Phrase, nodes: tuple[str, ...]) -> tuple[str, tuple[Condition, ...]]:
        """The class and conditions that are true of some nodes and of no other."""
        kinds = list(self._kinds(phrase, nodes))
        if not kinds:
            raise Unread(f"'{phrase}' may mean things of different kinds", nodes)
        conditions = tuple(self._conditions(phrase))
        for kind in kinds:
            for tried in ((), conditions) if conditions else ((),):
                if set(self.members(kind, tried)) == set(nodes):
                    return kind, tried
        if len(nodes) > MAX_LISTED:
            raise Unread(f"'{phrase}' fits {len(nodes)} things")
        return kinds[0], (one_of(nodes),)

    def _kinds(self, phrase: Phrase, nodes: tuple[str, ...]) -> Iterator[str]:
        """The classes that all of some nodes have, those that the phrase names first, then their type."""
        of = [self.belief.scene.nodes[i] for i in nodes]
        shared = [c for c in of[0].classes if all(c in n.classes for n in of)]
        yield from sorted(shared, key=lambda c: c.split("_")[-1] not in phrase.head)
        types = {_TYPES.get(n.type) for n in of}
        if len(types) == 1 and (only := next(iter(types))) is not None:
            yield only

    def _conditions(self, phrase: Phrase) -> Iterator[Condition]:
        for word in phrase.words[:-1]:
            if (predicate := self.stated(word)) is not None:
                yield holding(predicate)
        owned = [phrase.owner] if phrase.owner is not None else []
        rooms = list(chain.from_iterable(sorted(self.linker.names.owner_rooms(o)) for o in owned))
        if len(rooms) == 1:
            inside = self.facts.fact("room", "x", "y").predicate
            yield lambda of, used: f"({inside} {of} {quote_term(rooms[0])})"
        for relation, where in phrase.places:
            try:
                yield self.located(relation, self.noun(where.text))
            except Unread:
                continue

    def members(self, kind: str, conditions: Sequence[Condition]) -> tuple[str, ...]:
        """The nodes of a class under some conditions, in the order of the scene."""
        texts = [condition(VARIABLES[0], 1) for condition in conditions]
        query = parse_query(f"(find ({VARIABLES[0]} - {quote_term(kind)}) {conjoined(texts)})")
        return tuple(a.nodes[0] for a in find(query, self.belief).answers)

    def fitting(self, noun: Noun) -> tuple[str, ...]:
        """The nodes that a description fits."""
        if not noun.restrictions:
            return noun.nodes
        return self.members(noun.kind, (*noun.conditions, *noun.restrictions))

    def are_rooms(self, noun: Noun) -> bool:
        """Return whether a noun is a name of rooms."""
        return all(self.belief.scene.nodes[i].type == "room" for i in noun.nodes)


def _named(text: str) -> Phrase:
    """The phrase of a text that names things. Raises :class:`Unread` for a text that does not."""
    if (word := _LIMITS.match(text)) is not None:
        raise Unread(f"'{word[1].lower()}' is not read in a question: '{text}'")
    if (word := _POINTS.match(text)) is not None:
        raise Unread(f"a scene does not say which '{word[1].lower()}' means: '{text}'")
    phrase = read_phrase(text)
    if phrase is not None and phrase.kind == "person":
        phrase = read_phrase(f"the {text}")
    if phrase is None or phrase.kind in ("it", "held", "tool"):
        raise Unread(f"this is no name of a thing: '{text}'")
    return phrase


def _check_superlatives(phrase: Phrase, nodes: Sequence[Node]) -> None:
    """Raise :class:`Unread` for the largest of other things than the scene says it of."""
    words = {singular(word) for word in phrase.words}
    if any(word.endswith("est") for word in phrase.words) and not all(
        words.issuperset(n.classes[0].split("_")) for n in nodes if n.classes
    ):
        raise Unread(f"{UNMEASURED} '{phrase}' is")


def one_of(nodes: Sequence[str]) -> Condition:
    """The condition to be one of some nodes."""
    return either([same(i) for i in nodes])


def same(node: str) -> Condition:
    """The condition to be a node."""
    return lambda of, used: f"(= {of} {quote_term(node)})"


def _called(node: Node, phrase: Phrase) -> bool:
    """Return whether the head of a phrase is the whole name of a class of a node."""
    head = singular(phrase.head)
    return any([singular(w) for w in name_words(c)] == [head] for c in node.classes)
