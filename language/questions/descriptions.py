"""Descriptions of things: a noun with what restricts it, as the class, conditions and options of a query.

A noun is followed by what it has ("with a chair but no table"), by where it is ("that is not in the
kitchen"), by how it is ("that is open"), and by what is there ("where the ball is"). "The nearest" and "the
most" become options of the query. Where two nouns come before such a part, it may be of either one: "a mug on
the desk that is dirty". ``nearest`` says which is taken, and a question is answered if both readings agree.

A restriction is a pattern here and a method that makes conditions of it; nouns are read in ``nouns``.
"""

from __future__ import annotations

import re
from dataclasses import replace

from ...domains.errors import clip
from ...domains.formula import quote_term
from ...simulator.belief import Belief
from ..english.lexicon import base, meanings
from ..english.phrases import NUMBER, RELATIONS, number_of
from ..english.words import content_words, is_plural, name_words
from .nouns import (
    ANYTHING,
    Condition,
    Noun,
    Nouns,
    Relation,
    Unread,
    either,
    holding,
    negated,
    one_of,
    same,
)

_PREPOSITION = r"(?:on top of|inside of|inside|in|on|under|underneath|at)"
_NEAR = r"(?:next to|near to|near|beside|close to)"
_LEFT = (
    r"(?:(?:left|put|kept|placed|stored|forgot|forgotten|dropped|found|located|standing|lying|sitting|hidden"
    r"|seen) )"
)
_WHO = r"(?:someone|somebody|I|we|you|he|she|they|one|people)"
HAVE = r"(?:have|has|contain|contains|hold|holds|had)"
BE = r"(?:is|are|was|were)"
_MARK = re.compile(
    rf",? (?P<mark>(?:that|which|who|whose|where|with|without|containing|holding|having) |{_LEFT}?{_NEAR} "
    rf"|(?:closest|nearest) to |{_LEFT}(?={_PREPOSITION} )|(?:but )?not (?={_PREPOSITION} )"
    rf"|{_WHO} (?:have |has |had )?{_LEFT})",
    re.I,
)
_PLACED = re.compile(rf" {_PREPOSITION} ", re.I)
_DETERMINER = re.compile(
    r"(?:an?|the|any|some|one|all|each|every|both|this|that|my|our|his|her|their) |\S+'s ", re.I
)
_DEFINITE = re.compile(r"(?:the|this|that|these|those|my|our|his|her|their)\b", re.I)
_FIRST = re.compile(
    rf"(?:the )?(?:(?P<n>{NUMBER}) )?(?:closest|nearest) (?P<x>.+?)(?: to (?P<y>.+))?\Z"
    rf"|(?:the )?(?P<x2>.+?) (?:that (?:is|are) (?:the )?)?(?:closest|nearest) to (?P<y2>.+)",
    re.I,
)
_THERE = re.compile(r" (?:in|on|inside|within)(?: of)? (?:it|them|there)\b| (?:inside|in)\Z", re.I)
_QUANTITY = re.compile(
    rf"(?P<how>exactly|precisely|at least|at most|more than|over|fewer than|less than) (?P<n>{NUMBER})"
    r" (?P<x>.+)"
    r"|(?P<several>several|multiple|a couple of) (?P<x2>.+)",
    re.I,
)
_BEST = re.compile(r"the (?P<how>most|fewest|least|(?:highest|largest|greatest) number of) (?P<x>.+)", re.I)
_UNUSUAL = re.compile(
    r"an? (?:unusual|unusually (?:large|high)|surprising|remarkable|extraordinary|odd) (?:amount|number) of"
    r" (?P<x>.+)",
    re.I,
)
_LACKS = re.compile(
    r"(?:(?:does|do|did) not (?:have|contain|hold)|(?:has|have) not got|lacks?|(?:is|are) missing) (.+)", re.I
)
_NO = re.compile(r"(?:no|not an?|not any|without an?|without any|without) (?P<x>.+)", re.I)
_CAN = re.compile(
    rf"{_WHO} (?:can|could) (?P<verb>\w+)(?: up| down)? (?:an?|the|my|our|some|this|it)\b.*", re.I
)


class Descriptions(Nouns):
    """Descriptions of things in one scene.

    ``nearest`` takes a restriction for one of the noun just before it, not of the first one; with ``single``
    one thing is looked for, and "the desk" where it was put may be any.
    """

    def __init__(self, belief: Belief, nearest: bool = True, single: bool = False) -> None:
        super().__init__(belief)
        self.nearest, self.single = nearest, single
        self.restricted = False
        """A noun was restricted, so that there may be another reading."""
        self.states: dict[str, tuple[str, ...]] = {}
        """The states that conditions ask for, each with what may be in it."""

    def described(self, text: str, every: bool = False) -> Noun:
        """The noun of a text under all that restricts it. Raises :class:`Unread`, as :meth:`noun` does."""
        text = re.sub(rf"\b(?:in|on) which there {BE} ", "that has ", text, flags=re.I)
        if (first := _FIRST.fullmatch(text)) is not None:
            of, to = first["x"] or first["x2"], first["y"] or first["y2"]
            return self._first(of, to, number_of(first["n"] or "1") or 1)
        mark, placed = _MARK.search(text), _PLACED.search(text)
        if placed is not None and (_DEFINITE.match(text) if mark is None else mark.start() < placed.start()):
            placed = None  # "the cup on the table" is one that is known, "a cup on the table" any
        if mark is None and placed is None:
            return self._head(text, every)
        if (
            placed is not None
            and mark is not None
            and _disagrees(text[: mark.start()], text[mark.start("mark") :])
        ):
            placed = None  # "the cup on the shelves that is blue"
        if placed is not None and (mark is None or self.nearest):
            return self._being(self._head(text[: placed.start()], every=True), text[placed.start() + 1 :])
        assert mark is not None
        self.restricted = True
        head = self.described(text[: mark.start()], every=True)
        rest = text[mark.start("mark") :]
        parts = (
            [rest] if self.nearest else [p for p in re.split(r",? and (?=that |which |where )", rest) if p]
        )
        for part in parts:
            head = self._restricted(head, part.strip())
        return head

    def one(self, text: str) -> Noun:
        """As :meth:`described`, but "the cup" must be one, also where just one of several is called "cup".

        Raises :class:`Unread` where several are.
        """
        noun = self.described(text, every=True)
        if noun.phrase.kind == "the" and len(noun.nodes) > 1 and len(nodes := self.fitting(noun)) > 1:
            raise Unread(f"several things fit '{noun.phrase}': which one?", nodes)
        return noun

    # Nouns

    def _head(self, text: str, every: bool) -> Noun:
        if text.lower() in ANYTHING:
            return self.anything()
        if re.search(r"\bones?\Z", text, re.I):
            raise Unread(f"it is not said what '{clip(text)}' is")
        if (numbered := re.fullmatch(r"((?:an?|the) )?(even|odd)[- ]numbered (.+)", text, re.I)) is not None:
            noun = self.noun(f"{numbered[1] or ''}{numbered[3]}", every=True)
            parity = int(numbered[2].lower() == "odd")
            chosen = [i for i in noun.nodes if (n := re.search(r"\d+\Z", i)) and int(n[0]) % 2 == parity]
            return noun.under(one_of(chosen or [""]))
        state = re.fullmatch(rf"(?P<a>(?:an?|the|any|some|{NUMBER}) )?(?P<word>\w+) (?P<x>.+)", text, re.I)
        if state is not None and self.is_state(word := state["word"].lower()):
            return self._in_state(self.noun(f"{state['a'] or ''}{state['x']}", every=True), word)
        bare = re.sub(r"\A(?:object|item|thing) (?=\S*\d)", "", text, flags=re.I)
        try:
            return self.noun(bare, every)
        except Unread:  # "a poster of the Terminator" is a Terminator poster
            of = re.fullmatch(r"((?:an?|the|\w+) )?(\w+) of (?:an? |the )?(\w+)", bare, re.I)
            if of is None:
                raise
            return self.noun(f"{of[1] or ''}{of[3]} {of[2]}", every)

    def _first(self, text: str, place: str | None, number: int) -> Noun:
        """The nearest of a kind to a place, or to the robot."""
        noun = self.described(text, every=True)
        if noun.options or (number == 1 and noun.phrase.kind == "all"):
            raise Unread(f"it is not said how many of the nearest are meant: '{clip(text)}'")
        near = self.belief.scene.agent.id
        if place is not None:
            to = self.one(place)
            nodes = self.fitting(to)
            if len(nodes) != 1:
                raise Unread(f"several things fit '{to.phrase}': which one?", nodes)
            near = nodes[0]
        if near in noun.nodes:  # it is not the nearest to itself
            noun = noun.under(negated(same(near)))
        return replace(noun, options=(f":nearest-to {quote_term(near)}", f":limit {number}"))

    # Restrictions

    def _restricted(self, head: Noun, text: str) -> Noun:
        """A noun under one more restriction."""
        word, _, rest = text.partition(" ")
        match word.lower():
            case "that" | "which" | "who":
                return self._clause(head, rest)
            case "where" if (there := re.fullmatch(rf"there {BE} (.+)", rest, re.I)) is not None:
                return self._having(head, there[1])
            case "where":
                return head.under(self._scene_of(rest, head))
            case "with" | "containing" | "holding" | "having":
                return self._having(head, rest)
            case "without":
                return self._having(head, f"no {rest}")
            case _ if re.match(rf"{_WHO} ", text, re.I):
                return self._clause(head, text)
            case _:
                return self._being(head, text)

    def _clause(self, head: Noun, text: str) -> Noun:
        """A noun under a relative clause, without its pronoun."""
        lacks = _LACKS.fullmatch(text)
        if lacks is not None:
            return self._having(head, f"no {re.sub(r'^(?:an?|any) ', '', lacks[1])}")
        if (has := re.fullmatch(rf"(?:both )?{HAVE}(?: got)? (.+)", text, re.I)) is not None:
            return self._having(head, has[1])
        if (left := re.fullmatch(rf"{_WHO} (?:have |has |had )?{_LEFT}(.+)", text, re.I)) is not None:
            return self._being(head, left[1])
        if (be := re.fullmatch(rf"(?:{BE}|has been|have been) (.+)", text, re.I)) is not None:
            return self._being(head, be[1])
        return head.under(self._attribute(head, text))

    def _attribute(self, head: Noun, text: str) -> Condition:
        """The condition of an attribute that says in so many words what a clause says: "needs watering"."""
        words = tuple(content_words(text))
        for node in head.nodes:
            for name in self.belief.scene.nodes[node].attributes:
                if words and name_words(name) == words:
                    self.check_superlative(head, name)
                    return holding(name)
        raise Unread(f"nothing in the scene says of what it is so that it '{clip(text)}'", head.nodes[:3])

    def _being(self, head: Noun, text: str) -> Noun:
        """A noun under where or how it is."""
        first, *others = re.split(rf",? (?:and|but) (?=(?:not )?{_PREPOSITION} )", text, flags=re.I)
        if others:
            for part in (first, *others):
                head = self._being(head, part)
            return head
        text = re.sub(r"\Abut ", "", text, flags=re.I)
        at = re.fullmatch(rf"(?P<no>not )?{_LEFT}?(?P<p>{_PREPOSITION}|{_NEAR}) (?P<y>.+)", text, re.I)
        if at is not None:
            condition = self._at(head, at["p"].lower(), at["y"])
            return head.under(negated(condition) if at["no"] else condition)
        state = re.fullmatch(r"(?P<no>not )?(?P<word>\w+)", text, re.I)
        if state is None:
            return head.under(self._attribute(head, text))
        if state["no"]:  # what a scene is silent about is not denied by it
            raise Unread(f"a scene need not say what is not {state['word']}", head.nodes[:3])
        return self._in_state(head, state["word"])

    def _in_state(self, head: Noun, word: str) -> Noun:
        condition, predicate = self.state(head, word)
        if predicate is not None:
            self.states[predicate] = (*self.states.get(predicate, ()), *head.nodes)
        return head.under(condition)

    def state(self, noun: Noun, word: str) -> tuple[Condition, str | None]:
        """The condition that a noun is in a state, and its predicate where the scene may be silent of it."""
        scene = self.belief.scene
        given = any(word.lower() in scene.nodes[i].attributes for i in noun.nodes)
        if word.lower() == "empty" and not given:
            return self.empty(noun), None
        predicate = self.stated(word.lower())
        if predicate is None:
            raise Unread(f"nothing in the scene is called '{word}'")
        self.check_superlative(noun, word.lower())
        return holding(predicate), predicate

    def _at(self, head: Noun, preposition: str, text: str) -> Condition:
        """The condition to be at, or near, one of the places of a text: "in Jim's office or the kitchen"."""
        bare = re.sub(r"\Aeither ", "", text, flags=re.I)
        places = [bare] if self.nearest and _MARK.search(bare) else re.split(r",? or (?:in |on |at )?", bare)
        return either([self._at_one(head, preposition, p) for p in places])

    def _at_one(self, head: Noun, preposition: str, text: str) -> Condition:
        any_of = self.single or not _DETERMINER.match(text)  # "in the bedroom", of a house with several
        place = self.described(text, every=True) if any_of else self.one(text)
        if place.options:
            raise Unread(f"it is not read what is so in '{clip(text)}'")
        if not re.fullmatch(_NEAR, preposition, re.I):
            return self.located(RELATIONS.get(preposition, preposition), place)
        nodes = self.belief.scene.nodes
        if any(nodes[i].type != "object" for i in head.nodes):
            raise Unread(f"a scene does not say which of several is {preposition} '{place.phrase}'")
        return place.some(self.beside(place))

    def _scene_of(self, text: str, head: Noun) -> Condition:
        """The condition that in a room it is as a clause says: "where there is a ball"."""
        if not self.are_rooms(head):
            raise Unread(f"it is not read what is so at '{head.phrase}'")
        has = self.has(head)
        if (can := _CAN.fullmatch(text)) is not None:
            return self._serving(can["verb"].lower(), has)
        there = re.fullmatch(rf"(.+?) {BE}", text, re.I)
        left = re.fullmatch(rf"{_WHO} (?:have |has |had )?{_LEFT}(.+)", text, re.I)
        if (simple := there or left) is not None:
            return self.described(re.sub(r"\A(?:my|our) ", "the ", simple[1], flags=re.I)).some(has)
        full = re.fullmatch(rf"(?P<x>.+?) {BE} (?P<rest>.+)", text, re.I)
        if full is None:
            raise Unread(f"it is not read where '{clip(text)}'")
        return self._being(self.described(full["x"], every=True), full["rest"]).some(has)

    def _serving(self, verb: str, has: Relation) -> Condition:
        """The condition that there is a machine for what one can do with a thing there."""
        sense = next((s for s in meanings(base(verb) or verb) if s in ("heat", "cool")), None)
        if sense is None:
            raise Unread(f"no scene says where one can {verb}")
        machines = [n.id for n in self.linker.names.things if self.facts.capable(n, sense)]
        if not machines:
            raise Unread(f"nothing in the scene is there to {verb} with")
        noun = replace(self.anything("asset"), nodes=tuple(machines), conditions=(one_of(machines),))
        return noun.some(has)

    # What a thing has

    def _having(self, head: Noun, text: str) -> Noun:
        """A noun that has things in or on it, or attributes that say so."""
        bare = re.sub(r"\A(?:both|either) ", "", _THERE.sub("", text), flags=re.I)
        bare = re.sub(r"\Aneither (.+?) nor ", r"no \1 or ", bare, flags=re.I)
        for pattern, least in ((_BEST, 0), (_UNUSUAL, 2)):
            if (best := pattern.fullmatch(bare)) is not None:
                return self._most(head, best["x"], best.groupdict().get("how", "most"), least)
        cut = _MARK.search(bare) if self.nearest else None
        first, last = (bare, "") if cut is None else (bare[: cut.start()], bare[cut.start() :])
        any_of = " or " in first and not re.search(r" (?:and|but) ", first)
        items = [i for i in re.split(r",? or |, " if any_of else r",? (?:and|but) |, ", first) if i]
        items[-1] += last
        if any_of and _NO.match(bare):  # "no table or chair" has neither
            return head.under(*(self._item(head, i if _NO.match(i) else f"no {i}") for i in items))
        conditions = [self._item(head, i) for i in items]
        return head.under(*([either(conditions)] if any_of else conditions))

    def _item(self, head: Noun, text: str) -> Condition:
        """The condition to have one item of a list: "no table", "exactly 5 chairs"."""
        if text.lower() in ("nothing", "no nothing"):
            return self.empty(head)
        if (no := _NO.fullmatch(text)) is not None:
            if _QUANTITY.match(no["x"]):
                return negated(self._item(head, no["x"]))
            noun = self._stated_of_all(no["x"])
            return negated(noun.some(self.has(head), _at_least(noun)))
        if (quantity := _QUANTITY.fullmatch(text)) is None:
            return self._had(head, text)
        how, number = (quantity["how"] or "at least").lower(), number_of(quantity["n"] or "2") or 2
        (word, off), counted = _COUNTS[how], quantity["x"] or quantity["x2"]
        noun = self.described(counted, every=True) if word == "at-least" else self._stated_of_all(counted)
        return noun.some(self.has(head), f"{word} {number + off}")

    def _stated_of_all(self, text: str) -> Noun:
        """As :meth:`described`, for what must not be there, of which a scene must say all."""
        before = dict(self.states)
        noun = self.described(text, every=True)
        if self.states != before or any(self.stated(word) for word in noun.phrase.words[:-1]):
            raise Unread(
                f"a scene need not say of what it is not so that it is '{noun.phrase}'", noun.nodes[:3]
            )
        return noun

    def _had(self, head: Noun, text: str) -> Condition:
        words = content_words(text)
        for node in head.nodes:
            for name in self.belief.scene.nodes[node].attributes:
                if words and list(name_words(name)) in (words, ["holds", *words], ["has", *words]):
                    return holding(name)
        noun = self.described(text)
        if noun.options:
            raise Unread(f"it is not read what has '{clip(text)}'")
        return noun.some(self.has(head), _at_least(noun))

    def _most(self, head: Noun, text: str, how: str, least: int) -> Noun:
        """The nouns that have the most, or the fewest, of some things."""
        measure = ":fewest" if how.lower() in ("fewest", "least") else ":most"
        noun, has = (self._stated_of_all if measure == ":fewest" else self.described)(text), self.has(head)
        many = is_plural(noun.phrase.head) or text.lower() in ANYTHING  # not "the most valuable phone"
        if noun.options or head.options or not many:
            raise Unread(f"it is not read what has the most of '{clip(text)}'")
        counted = replace(noun, nodes=())  # one by one, also where there is only one
        option = f"{measure} {counted.declared(has, '?x', 1)}"
        under = head.under(noun.some(has, f"at-least {least}")) if least else head
        return replace(under, options=(option,))


def _at_least(noun: Noun) -> str:
    """The quantifier of a noun: so many as it says, or one."""
    number = noun.phrase.number or 1
    return "exists" if number == 1 else f"at-least {number}"


_COUNTS = {
    "exactly": ("exactly", 0), "precisely": ("exactly", 0), "at least": ("at-least", 0),
    "at most": ("at-most", 0), "more than": ("at-least", 1), "over": ("at-least", 1),
    "fewer than": ("at-most", -1), "less than": ("at-most", -1),
}  # fmt: skip


def _disagrees(before: str, clause: str) -> bool:
    """Return whether a relative clause is not about the noun just before it, by its verb's number."""
    verb, noun = clause.split()[1:2], before.split()[-1]
    singular, plural = ("has", "is", "was", "contains", "holds"), ("have", "are", "were", "contain", "hold")
    return verb[:1] != [] and verb[0].lower() in (singular if is_plural(noun.lower()) else plural)
