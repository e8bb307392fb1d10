"""Questions read: a sentence as a query over the scene, or why it is none.

Read are: where things are; what is in, on or under something; which things of a kind are so, are there or
have another thing; how many; and whether. The sentence is matched by its first words, and what stands in the
gaps are noun phrases, which ``nouns`` turns into classes and conditions. A sentence that is not of such a
form, or mentions a thing that the scene has not, or of one of several that it does not tell apart, must not
be answered. A request in the form of a question ("could you ..?") is no question. A new form is a pattern in
:data:`_FORMS` and a method of that name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from ...compiler.query.query import Query, parse_query
from ...domains.errors import clip
from ...domains.formula import quote_term
from ...simulator.belief import Belief
from ..english.facts import readable
from ..english.words import content_words, expanded, is_plural, tokens
from ..reader import NotUnderstood
from .nouns import ANYTHING, Noun, Nouns, Unread, conjoined

Kind = Literal["which", "where", "how-many", "whether"]
"""What a question asks for: the things that fit, their places, their number, or whether there are any."""

MAX_CHARACTERS = 300
"""Most characters of a question."""
MAX_NEAR = 5
"""Most nodes that a refusal lists."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question that was read. ``whether`` is answered by yes if at least ``least`` nodes fit.

    ``about`` are the nodes that the question is about and of which the query says something; ``predicate`` is
    what it says, where that is a state; ``placed`` is true where it says where they are.
    """

    kind: Kind
    query: Query
    least: int = 1
    about: tuple[str, ...] = ()
    predicate: str | None = None
    placed: bool = False
    besides: tuple[str, ...] = ()
    """What the words may mean too, and what the query leaves out."""
    taken: tuple[tuple[str, str], ...] = ()
    """Phrases that fit several things, each with the one that it is taken for: it is called just so."""


_ASKED = re.compile(
    r"\A(?:(?:please|hey|hello|robot)[, ]+)*"
    r"(?:(?:can|could|would|will) you (?:please )?(?:tell|show) (?:me|us)"
    r"|(?:please )?tell (?:me|us)|do you know|I (?:would like|want|need) to know|I wonder)[, ]+",
    re.I,
)
_TAIL = re.compile(
    r"(?:[, ]+(?:please|now|right now|at the moment|currently|at present|today|again))+\Z", re.I
)
_PREPOSITION = r"(?:in|on|under|at)"
_BE = r"(?:is|are)"
_HAVE = r"(?:have|has|contain|contains|hold|holds)"
_FORMS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(rf"\A{pattern}\Z", re.I))
    for name, pattern in (
        ("where", rf"where {_BE} (?P<x>.+)"),
        ("where", r"where (?:can|could|may|do) (?:I|we|you|one) (?:find|see|get|keep|have|store) (?P<x>.+)"),
        ("where", rf"where (?P<x>.+) {_BE}(?: (?:kept|stored|located))?"),
        ("many", rf"how many (?P<x>.+?) {_BE} there(?: (?P<p>{_PREPOSITION}) (?P<y>.+))?"),
        ("many", rf"how many (?P<x>.+?) {_BE} (?P<p>{_PREPOSITION}) (?P<y>.+)"),
        ("many", rf"how many (?P<x>.+?) {_BE} (?P<state>\w+)"),
        ("many_had", r"how many (?P<x>.+?) (?:does|do) (?P<y>.+?) (?:have|contain|hold)"),
        ("many", r"how many (?P<x>.+?) do (?:we|you|I) have(?: (?P<p>in|on|under|at) (?P<y>.+))?"),
        ("what", rf"(?:what|what (?:things|objects|items|else)|which (?:things|objects|items)) {_BE}"
                 rf"(?: there)?(?: lying| standing| kept| stored)? (?P<p>{_PREPOSITION}) (?P<y>.+)"),
        ("what_had", r"what (?:does|do) (?P<y>.+?) (?:have|contain|hold)(?: (?:in|on) it)?"),
        ("room", rf"(?:(?:in|at) )?(?:which|what) room {_BE} (?P<x>.+?)(?: in)?"),
        ("room", rf"(?:(?:in|at) )?(?:which|what) room (?P<x>.+?) {_BE}(?: in)?"),
        ("having", r"(?:which|what) (?P<x>.+?) (?P<no>do not have|does not have|have no|has no) (?P<y>.+)"),
        ("having", rf"(?:which|what) (?P<x>.+?) {_HAVE} (?:got )?(?P<y>.+)"),
        ("those", rf"(?:which|what) (?P<x>.+?) {_BE} (?:there )?(?P<p>{_PREPOSITION}) (?P<y>.+)"),
        ("those", rf"(?:which|what) (?P<x>.+?) {_BE} (?P<no>not )?(?P<state>\w+)"),
        ("there", rf"{_BE} there (?P<x>.+?)(?: (?P<p>{_PREPOSITION}) (?P<y>.+))?"),
        ("there", r"(?:do|have) (?:we|you) (?:have|got) (?P<x>.+?)(?: (?P<p>in|on|under|at) (?P<y>.+))?"),
        ("had", r"(?:does|do) (?P<y>.+?) (?:have|contain|hold) (?P<x>.+)"),
        ("so", rf"(?:(?:if|whether) (?P<x1>.+?) {_BE}|{_BE} (?P<x2>.+)) (?P<state>\w+)"),
        ("so", rf"(?:(?:if|whether) (?P<x1>.+?) {_BE}|{_BE} (?P<x2>.+?)) (?P<state>\w+)"
               rf" (?P<q>{_PREPOSITION}) (?P<z>.+)"),
        ("at", rf"(?:(?:if|whether) (?P<x1>.+?) {_BE}|{_BE} (?P<x2>.+?)) (?P<p>{_PREPOSITION}) (?P<y>.+)"),
    )
)  # fmt: skip
"""The forms of questions, in the order in which they are tried."""

_OPENS = re.compile(
    r"\A(?:(?:in|at|on) (?:which|what)|where|how|which|what|who|whose|when|why"
    r"|is|are|was|were|does|do|did|has)\b",
    re.I,
)
_REQUESTS = re.compile(r"\b(?:you|your|we|about|if|possible|ok|okay|mind|time to|able)\b", re.I)
"""Words of requests, suggestions and complaints in the form of a question, which are for a reader."""


def read_question(text: str, belief: Belief) -> Question | NotUnderstood | None:
    """Read a question about a scene; ``None`` for a text that is none, and is for a reader of requests.

    Nothing is asked of a model. Raises :class:`~groundplan.domains.deadline.LimitReached` where the time is
    over.

    >>> from groundplan import ground, load_pack, load_scene
    >>> office = ground(load_scene("office"), load_pack())
    >>> str(read_question("How many bananas are in the fridge?", office).query)
    '(find (?x - banana) (inside_of ?x fridge))'
    >>> read_question("Bring me the banana.", office) is None
    True
    """
    if len(text) > MAX_CHARACTERS or not readable(belief.pack):
        return None
    sentence, certain = _sentence(text)
    if sentence is None:
        return None
    gaps: list[Unread] = []
    for name, pattern in _FORMS:
        match = pattern.match(sentence)
        if match is None:
            continue
        try:
            forms = _Forms(Nouns(belief), belief)
            return forms.read(name, {k: v.strip() for k, v in match.groupdict().items() if v is not None})
        except Unread as gap:
            gaps.append(gap)
    if not certain or (_REQUESTS.search(sentence) and not gaps):
        return None
    first = max(
        gaps, key=lambda g: bool(g.near), default=Unread(f"this question is not read: '{clip(sentence)}'")
    )
    return NotUnderstood(first.reason, first.near[:MAX_NEAR])


def _sentence(text: str) -> tuple[str | None, bool]:
    """Return a question without courtesies, and whether its form makes it one; ``None`` for none."""
    plain = " ".join(text.split())
    bare = plain.rstrip(" ?!.")
    if re.search(r"[.?!;](?:\s|\Z)", bare):
        return None, False  # several sentences: a request with its background
    lead = _ASKED.match(bare)
    bare = bare[lead.end() :] if lead is not None else bare
    sentence = re.sub(r"\s+", " ", expanded(_TAIL.sub("", bare))).strip(" ,")
    opens = _OPENS.match(sentence) or (lead is not None and re.match(r"(?:if|whether)\b", sentence, re.I))
    if not opens:
        return None, False
    return sentence, plain.endswith("?") or lead is not None


class _Forms:
    """One method for each form of a question; all raise :class:`Unread`."""

    def __init__(self, nouns: Nouns, belief: Belief) -> None:
        self.nouns, self.belief = nouns, belief

    def read(self, name: str, parts: dict[str, str]) -> Question:
        form: Callable[[dict[str, str]], Question] = getattr(self, f"_{name}")
        question = form(parts)
        besides = tuple(i for i in self.nouns.besides if i not in question.about)
        return replace(question, besides=besides, taken=tuple(self.nouns.taken.items()))

    def _query(self, kind: str, conditions: list[str]) -> Query:
        text = conjoined(conditions)
        return parse_query(f"(find (?x - {quote_term(kind)}){' ' + text if text else ''})")

    def _about(self, noun: Noun, *more: str) -> Query:
        return self._query(noun.kind, [*noun.where("?x"), *more])

    def _stated(self, word: str, noun: Noun) -> tuple[str, str | None]:
        """The condition that a noun is in a state, and its predicate where the scene may be silent of it."""
        scene = self.belief.scene
        given = any(word.lower() in scene.nodes[i].attributes for i in noun.nodes)
        if word.lower() == "empty" and not given:
            return self.nouns.empty(noun).replace("{x}", "?x"), None
        predicate = self._state(word)
        return f"({quote_term(predicate)} ?x)", predicate

    def _in_state(self, kind: Kind, noun: Noun, word: str) -> Question:
        condition, predicate = self._stated(word, noun)
        query = self._about(noun, condition)
        return Question(kind, query, about=noun.nodes, predicate=predicate)

    def _narrowed(self, parts: dict[str, str]) -> list[str]:
        """The condition of a place, where a form has one."""
        if "p" in parts:
            return [self.nouns.located(parts["p"].lower(), self.nouns.one(parts["y"]), "?x")]
        return []

    def _state(self, word: str) -> str:
        predicate = self.nouns.stated(word.lower())
        if predicate is None:
            raise Unread(f"nothing in the scene is called '{word}'")
        return predicate

    # Where, what, which

    def _where(self, parts: dict[str, str]) -> Question:
        noun = self.nouns.noun(parts["x"], every=True)
        if (number := noun.phrase.number) is not None and number != len(noun.nodes):
            raise Unread(f"'{noun.phrase}' asks for {number}, there are {len(noun.nodes)}", noun.nodes)
        return Question("where", self._about(noun), about=noun.nodes)

    def _what(self, parts: dict[str, str]) -> Question:
        place = self.nouns.one(parts["y"])
        condition = self.nouns.located(parts["p"].lower(), place, "?x")
        return Question("which", self._query("item", [condition]), about=place.nodes)

    def _what_had(self, parts: dict[str, str]) -> Question:
        place = self.nouns.one(parts["y"])
        return Question("which", self._query("item", [self._has(place, "?x")]), about=place.nodes)

    def _room(self, parts: dict[str, str]) -> Question:
        noun = self.nouns.noun(parts["x"])
        inside = self.nouns.facts.fact("room", "x", "y").predicate
        return Question(
            "which", self._query("room", [self._some(noun, f"({inside} ?y ?x)")]), about=noun.nodes
        )

    def _kind(self, text: str) -> Noun:
        """The things of a kind that are asked about. Raises :class:`Unread` where so many are asked for."""
        noun = self.nouns.noun(_of_kind(text))
        if noun.phrase.number is not None:
            raise Unread(f"it is not read which {noun.phrase.number} of several things: '{clip(text)}'")
        return noun

    def _having(self, parts: dict[str, str]) -> Question:
        owner = self._kind(parts["x"])
        no = parts.get("no") is not None
        had = []
        for text in re.split(r",? and |, ", parts["y"]):
            if re.search(r"\b(?:or|no|not)\b", text):
                raise Unread(f"this is not read in a question: '{text}'")
            had.append(self._some(self.nouns.noun(text, every=no), self._in_or_on(owner)))
        if no and len(had) > 1:
            raise Unread("it is not read which of several things are missing")
        return Question("which", self._about(owner, *(f"(not {h})" if no else h for h in had)))

    def _those(self, parts: dict[str, str]) -> Question:
        noun = self._kind(parts["x"])
        if "no" in parts:  # what a scene is silent about is not denied by it
            raise Unread(f"a scene need not say what is not {parts['state']}", noun.nodes[:3])
        if "state" in parts:
            return self._in_state("which", noun, parts["state"])
        return Question("which", self._about(noun, *self._narrowed(parts)))

    # How many, whether

    def _many(self, parts: dict[str, str]) -> Question:
        noun = self._counted(parts["x"])
        if "state" in parts:
            return self._in_state("how-many", noun, parts["state"])
        anything = parts["x"].lower() in ANYTHING and "p" in parts
        place = self.nouns.one(parts["y"]).nodes if anything else ()
        query = self._about(noun, *self._narrowed(parts))
        return Question("how-many", query, about=place)

    def _many_had(self, parts: dict[str, str]) -> Question:
        noun, place = self._counted(parts["x"]), self.nouns.one(parts["y"])
        return Question("how-many", self._about(noun, self._has(place, "?x")))

    def _counted(self, text: str) -> Noun:
        if text.lower() in ANYTHING:
            return self.nouns.anything()
        return self.nouns.noun(_of_kind(re.sub(r"\Aany (?=\S)", "", text, flags=re.I)))

    def _there(self, parts: dict[str, str]) -> Question:
        noun = self._counted(parts["x"])
        least = noun.phrase.number or (
            2 if is_plural(noun.phrase.head) and noun.phrase.kind == "count" else 1
        )
        return Question("whether", self._about(noun, *self._narrowed(parts)), least)

    def _had(self, parts: dict[str, str]) -> Question:
        noun, place = self._counted(parts["x"]), self.nouns.one(parts["y"])
        if len(place.nodes) > 1:
            raise Unread(f"several things fit '{place.phrase}': which one?", place.nodes)
        return Question("whether", self._about(noun, self._has(place, "?x")), noun.phrase.number or 1)

    def _so(self, parts: dict[str, str]) -> Question:
        text = parts.get("x1") or parts["x2"]
        noun = self.nouns.one(f"{text} {parts['q']} {parts['z']}" if "q" in parts else text)
        return self._all_or_one(noun, *self._stated(parts["state"], noun))

    def _at(self, parts: dict[str, str]) -> Question:
        text = parts.get("x1") or parts["x2"]
        if text.lower() in ANYTHING:
            return self._there({**parts, "x": text})
        place = self.nouns.one(parts["y"])
        condition = self.nouns.located(parts["p"].lower(), place, "?x")
        return self._all_or_one(self.nouns.one(text), condition, None, placed=True)

    def _all_or_one(
        self, noun: Noun, condition: str, predicate: str | None, placed: bool = False
    ) -> Question:
        """A statement about the thing of a name, about one of a kind, or about all."""
        every = noun.phrase.kind in ("the", "all") and not noun.phrase.text.lower().startswith("any ")
        least = len(noun.nodes) if every else noun.phrase.number or 1
        return Question("whether", self._about(noun, condition), least, noun.nodes, predicate, placed)

    # Conditions

    def _some(self, noun: Noun, condition: str) -> str:
        """Some node of a noun phrase, ``?y``, under a condition; at least so many where it has a number."""
        number = noun.phrase.number or 1
        if number > 1:
            body = conjoined((*noun.where("?y"), condition))
            return f"(at-least {number} (?y - {quote_term(noun.kind)}) {body})"
        if len(noun.nodes) == 1:
            return condition.replace("?y", quote_term(noun.nodes[0]))
        return f"(exists (?y - {quote_term(noun.kind)}) {conjoined((*noun.where('?y'), condition))})"

    def _in_or_on(self, owner: Noun) -> str:
        """The condition that ``?y`` is in the room ``?x``, or in or on the thing."""
        relations = dict.fromkeys(self._relations(owner))
        parts = [f"({r} ?y ?x)" for r in relations]
        return parts[0] if len(parts) == 1 else f"(or {' '.join(parts)})"

    def _has(self, place: Noun, variable: str) -> str:
        parts = [
            self.nouns.located(p, place, variable)
            for p in (("in",) if len(dict.fromkeys(self._relations(place))) == 1 else ("in", "on"))
        ]
        return parts[0] if len(parts) == 1 else f"(or {' '.join(parts)})"

    def _relations(self, place: Noun) -> Iterator[str]:
        yield self.nouns.relation("in", place)
        if any(self.belief.scene.nodes[i].type != "room" for i in place.nodes):
            yield self.nouns.relation("on", place)


def _of_kind(text: str) -> str:
    """A noun phrase that says which things are asked about, without "of the" and the like."""
    bare = re.sub(r"\A(?:one |ones |many )?of (?:the |our |these |those )?", "", text, flags=re.I)
    words = tokens(bare)
    if not words or not content_words(bare):
        raise Unread(f"this is no name of a kind of thing: '{clip(text)}'")
    return bare
