"""Questions read: a sentence as a query over the scene, or why it is none.

Read are: where things are, also as a search ("find me ..", "locate .."); what is in, on or under something;
which things of a kind are so, are there or have another thing; how many; and whether. The sentence is matched
by its first words. In its gaps are descriptions, which ``descriptions`` turns into classes and conditions;
what was told before it is read in ``context``. A sentence that is not of such a form, or mentions a thing
that the scene has not, or of one of several that it does not tell apart, must not be answered. A request in
the form of a question ("could you ..?") is no question, nor is a search with more to do ("find the mug and
bring it"). A new form is a pattern in :data:`_FORMS` and a method of that name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ...compiler.query.answers import find
from ...compiler.query.query import Query, parse_query
from ...domains.errors import clip
from ...domains.formula import quote_term
from ...simulator.belief import Belief
from ..english.facts import readable
from ..english.lexicon import DETERMINERS, OBJECTS, PERSONS, base
from ..english.phrases import NUMBER
from ..english.words import content_words, expanded, is_plural, tokens
from ..reader import NotUnderstood
from .context import SEARCH, QuestionInContext, in_context, sentences
from .descriptions import BE, HAVE, Descriptions
from .nouns import ANYTHING, Condition, Noun, Unread, conjoined, negated, one_of

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
    states: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Predicates of states that it rests on, each with the nodes of which the scene may be silent."""
    single: bool = False
    """One thing is meant, so that several that fit are no answer."""
    unread: tuple[str, ...] = ()
    """What was told of it and not read."""


_ASKED = re.compile(
    r"\A(?:(?:please|hey|hello|robot)[, ]+)*"
    r"(?:(?:can|could|would|will) you (?:please )?(?:tell|show) (?:me|us)"
    r"|(?:please )?tell (?:me|us)|do you know|I (?:would like|want|need) to know|I wonder"
    r"|(?:(?:find|find out|see|check|show me|any idea),? ?)(?=(?:where|which|how many)\b))[, ]*",
    re.I,
)
_FOR_SEARCH = re.compile(
    r"\A(?:(?:please|hey|hello|robot|now)[, ]+)*(?:(?:can|could|would|will) you (?:please |kindly )?)?"
    rf"(?:please )?(?P<search>{SEARCH} \S.*)",
    re.I,
)
_OTHERWISE = re.compile(
    rf"{SEARCH} (?:out|your|my way|our way|around|how|whether|if"
    r"|(?:an? |some |the )?(?:right |good |better |new |free )?"
    r"(?:place|home|spot|room|space|way|use|time|replacement) (?:for|to|of))\b",
    re.I,
)
"""Searches for what no scene has: "find out", "find a place for it"."""
_OBJECT = "|".join(sorted(DETERMINERS | OBJECTS | PERSONS))
_MORE = re.compile(
    r"(?:,|\band\b|\bthen\b) (?:(?:and|then|so|please|kindly|also|now) )*(?P<verb>[a-z]+)"
    rf"(?: (?:up|down|on|off|out|away|back))? (?:{_OBJECT})\b",
    re.I,
)
"""What is to be done with a thing that was found: "and bring it"."""
_TAIL = re.compile(
    r"(?:[, ]+(?:please|now|right now|at the moment|currently|at present|today|again|for me|for us))+\Z", re.I
)
_SOMEWHERE = re.compile(
    r"\b(?:somewhere|anywhere|(?:a|some|any) place)(?: where| that)? (?:(?:I|we|you|one|people) can |to )",
    re.I,
)
_PREPOSITION = r"(?:in|on|under|at)"
_FORMS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(rf"\A{pattern}\Z", re.I))
    for name, pattern in (
        ("where", rf"{SEARCH} where (?P<x>.+?) {BE}(?: (?:kept|stored|located))?"),
        ("search", rf"(?:{SEARCH}|(?:which|what) {BE}) (?P<x>(?:the )?(?:{NUMBER} )?(?:closest|nearest) .+)"),
        ("search", rf"{SEARCH} (?P<x>.+)"),
        ("where", rf"where {BE} (?:there )?(?P<x>.+)"),
        ("where", r"where (?:can|could|may|do|would|will|should) (?:I|we|you|one)"
                  r" (?:find|see|get|keep|have|store|look for) (?P<x>.+)"),
        ("where", rf"where (?P<x>.+) {BE}(?: (?:kept|stored|located))?"),
        ("many", rf"how many (?P<x>.+?) {BE} there(?: (?P<rest>{_PREPOSITION} .+))?"),
        ("many", rf"how many (?P<x>.+?) (?P<rest>{BE} .+)"),
        ("many", r"how many (?P<x>.+?) (?:does|do) (?P<y>.+?) (?:have|contain|hold)"),
        ("many", rf"how many (?P<x>.+?) do (?:we|you|I) have(?: (?P<rest>{_PREPOSITION} .+))?"),
        ("many", rf"how many (?P<x>.+?) (?P<rest>(?:(?:do|does) not )?{HAVE} .+)"),
        ("what", rf"(?:what|what (?:things|objects|items|else)|which (?:things|objects|items)) {BE}"
                 rf"(?: there)?(?: lying| standing| kept| stored)? (?P<p>{_PREPOSITION}) (?P<y>.+)"),
        ("what", r"what (?:does|do) (?P<y>.+?) (?:have|contain|hold)(?: (?:in|on) it)?"),
        ("room", rf"(?:in|at|on) (?:which|what) (?P<r>[\w -]+?) {BE} (?P<x>.+)"),
        ("room", rf"(?:which|what) (?P<r>[\w -]+?) {BE} (?P<x>.+?) (?:in|on)"),
        ("room", rf"(?:which|what) (?P<r>room) {BE} (?P<x>(?:the|my|our|an?) .+?)"),
        ("room", rf"(?:(?:in|at) )?(?:which|what) (?P<r>room) (?P<x>.+?) {BE}(?: in)?"),
        ("which", rf"(?:which|what) (?P<x>.+?) (?P<rest>(?:{BE}|{HAVE}|does|do|lacks?) .+)"),
        ("there", rf"{BE} there (?P<x>.+)"),
        ("there", r"(?:do|have) (?:we|you) (?:have|got) (?P<x>.+)"),
        ("there", r"(?:does|do) (?P<y>.+?) (?:have|contain|hold) (?P<x>.+)"),
        ("so", rf"(?:(?:if|whether) (?P<x1>.+?) {BE}|{BE} (?P<x2>.+)) (?P<state>\w+)"),
        ("so", rf"(?:(?:if|whether) (?P<x1>.+?) {BE}|{BE} (?P<x2>.+?)) (?P<state>\w+)"
               rf" (?P<q>{_PREPOSITION}) (?P<z>.+)"),
        ("at", rf"(?:(?:if|whether) (?P<x1>.+?) {BE}|{BE} (?P<x2>.+?)) (?P<p>{_PREPOSITION}) (?P<y>.+)"),
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
    >>> str(read_question("Find me an office with a drone.", office).query)
    '(find (?x - office) (exists (?y - drone) (in_room ?y ?x)))'
    >>> read_question("Bring me the banana.", office) is None
    True
    """
    if len(text) > MAX_CHARACTERS or not readable(belief.pack):
        return None
    try:
        context = _in_context(text)
    except Unread as gap:
        return NotUnderstood(gap.reason)
    if context is None:
        return None
    gaps: list[Unread] = []
    for name, pattern in _FORMS:
        if (match := pattern.match(context.question)) is None:
            continue
        parts = {k: v.strip() for k, v in match.groupdict().items() if v is not None}
        try:
            return _agreed(name, parts, context, belief)
        except Unread as gap:
            gaps.append(gap)
    if not context.asks or (_REQUESTS.search(context.question) and not gaps):
        return None
    first = max(
        gaps,
        key=lambda g: bool(g.near),
        default=Unread(f"this question is not read: '{clip(context.question)}'"),
    )
    return NotUnderstood(first.reason, first.near[:MAX_NEAR])


def is_question(text: str) -> bool:
    """Return whether a text has the form of a question or a search, whatever the scene.

    >>> is_question("Find me a carrot."), is_question("Find me a carrot and wash it.")
    (True, False)
    """
    try:
        context = _in_context(text)
    except Unread:
        return False
    return context is not None and context.asks


def _in_context(text: str) -> QuestionInContext | None:
    """A text as one question, with what is told beside it; ``None`` for a text that is none."""
    parts = sentences(text)
    questions = [(i, sentence) for i, part in enumerate(parts) if (sentence := _sentence(part)) is not None]
    if len(questions) != 1:
        return None
    index, (question, asks) = questions[0]
    if len(parts) == 1:
        return QuestionInContext(question, asks)
    others = [expanded(p.rstrip(" ?!.;")) for i, p in enumerate(parts) if i != index]
    return in_context(question, others)


def _sentence(text: str) -> tuple[str, bool] | None:
    """A question without courtesies, and whether its form makes it one; ``None`` for none."""
    roomy = _SOMEWHERE.sub("a room where one can ", text.rstrip(" ?!.;"))
    bare = re.sub(r"\s+", " ", expanded(_TAIL.sub("", roomy))).strip(" ,")
    lead, search = _ASKED.match(bare), _FOR_SEARCH.match(bare)
    plain = lead is None and search is None and text.endswith("?")  # "is there a desk and a chair?"
    if not plain and any(base(m["verb"].lower()) for m in _MORE.finditer(bare)):
        return None
    if search is not None and lead is None:
        statement = (
            re.match(r"(?:I|we) ", search["search"], re.I) is not None
        )  # where it is not read, a request
        return None if _OTHERWISE.match(search["search"]) else (search["search"], not statement)
    sentence = bare[lead.end() :] if lead is not None else bare
    opens = _OPENS.match(sentence) or (lead is not None and re.match(r"(?:if|whether)\b", sentence, re.I))
    if not opens:
        return None
    which = re.match(r"(?:(?:in|at|on) )?which\b", sentence, re.I) is not None
    return sentence, text.endswith("?") or which or lead is not None


def _agreed(name: str, parts: dict[str, str], context: QuestionInContext, belief: Belief) -> Question:
    """The question of a form. Raises :class:`Unread` where it may be read in two ways that differ."""
    read: dict[str, Question] = {}
    gaps: list[Unread] = []
    for nearest in (True, False):
        forms = _Forms(Descriptions(belief, nearest, context.single), context)
        try:
            question = forms.read(name, parts)
            read.setdefault(str(question.query), question)
        except Unread as gap:
            gaps.append(gap)
        if not forms.nouns.restricted:
            break
    if not read:
        raise gaps[0]
    if len(read) > 1:
        answers = {query: find(question.query, belief).answers for query, question in read.items()}
        some = [query for query, fitting in answers.items() if fitting]
        if len(some) > 1 and len({str(answers[query]) for query in some}) > 1:
            raise Unread(f"this may be read in two ways: {' or '.join(some)}")
        return read[(some or list(read))[0]]
    return next(iter(read.values()))


def _query(kind: str, conditions: Sequence[str], options: Sequence[str] = ()) -> Query:
    parts = [f"(find (?x - {quote_term(kind)})", conjoined(conditions), *options]
    return parse_query(f"{' '.join(filter(None, parts))})")


def _about(noun: Noun, *more: Condition, options: Sequence[str] = ()) -> Query:
    conditions = [*noun.where(), *(condition("?x", 1) for condition in more)]
    return _query(noun.kind, conditions, (*noun.options, *options))


class _Forms:
    """One method for each form of a question; all raise :class:`Unread`."""

    def __init__(self, nouns: Descriptions, context: QuestionInContext) -> None:
        self.nouns, self.context = nouns, context

    def read(self, name: str, parts: dict[str, str]) -> Question:
        form: Callable[[dict[str, str]], Question] = getattr(self, f"_{name}")
        question = form(parts)
        return replace(
            question,
            besides=tuple(i for i in self.nouns.besides if i not in question.about),
            taken=tuple(self.nouns.taken.items()),
            states=tuple(self.nouns.states.items()),
            single=self.context.single,
            unread=self.context.unread,
        )

    # Where, what, which

    def _search(self, parts: dict[str, str]) -> Question:
        """A search: things are found where they are, rooms by name, as many as are asked for."""
        bare = re.sub(r"\A(?:all (?:of )?|every |each )(?=the |\w)", "", parts["x"], flags=re.I)
        noun = self.nouns.described(bare, every=True)
        more, rooms = self._usable(noun), noun.kind == "room" or self.nouns.are_rooms(noun)
        number = noun.phrase.number
        limit: tuple[str, ...] = ()
        if number is not None and not noun.options and number != len(fitting := self.nouns.fitting(noun)):
            if number > len(fitting):
                raise Unread(f"'{clip(parts['x'])}' asks for {number}, there are {len(fitting)}", fitting[:3])
            limit = (f":limit {number}",)
        about = noun.nodes if self.context.single else ()
        restricted = rooms and bool(noun.conditions or noun.restrictions or noun.options)
        return Question("which" if restricted else "where", _about(noun, *more, options=limit), about=about)

    def _usable(self, noun: Noun) -> list[Condition]:
        """The condition that a room is not the one which is said to be of no use now."""
        if not self.context.unusable:
            return []
        if not self.nouns.are_rooms(noun):
            raise Unread(f"'{self.context.unusable}' is of no use now, which is not read for this")
        return [negated(one_of(self.nouns.noun(self.context.unusable, every=True).nodes))]

    def _where(self, parts: dict[str, str]) -> Question:
        noun = self.nouns.described(parts["x"], every=True)
        if (number := noun.phrase.number) is not None and number != len(noun.nodes):
            raise Unread(f"'{noun.phrase}' asks for {number}, there are {len(noun.nodes)}", noun.nodes)
        return Question("where", _about(noun), about=noun.nodes)

    def _what(self, parts: dict[str, str]) -> Question:
        place = self.nouns.one(parts["y"])
        condition = self.nouns.located(parts.get("p", "in").lower(), place)
        return Question("which", _query("item", [condition("?x", 1)]), about=place.nodes)

    def _room(self, parts: dict[str, str]) -> Question:
        room = self.nouns.described(parts["r"], every=True)
        noun = self.nouns.described(parts["x"])
        condition = noun.some(self.nouns.has(room))
        return Question("which", _about(room, condition), about=noun.nodes)

    def _kind(self, text: str) -> str:
        """The words for things that are asked about. Raises :class:`Unread` where so many are asked for."""
        bare = _of_kind(text)
        if (number := self.nouns.described(bare).phrase.number) is not None:
            raise Unread(f"it is not read which {number} of several things: '{clip(text)}'")
        return bare

    def _which(self, parts: dict[str, str]) -> Question:
        kind = self._kind(parts["x"])
        noun = self.nouns.described(f"{kind} that {parts['rest']}")
        return Question("which", _about(noun, *self._usable(noun)), about=self._in_question(noun))

    def _in_question(self, noun: Noun) -> tuple[str, ...]:
        return noun.nodes if self.nouns.states else ()

    # How many, whether

    def _many(self, parts: dict[str, str]) -> Question:
        clause = f"are in {parts['y']}" if "y" in parts else parts.get("rest", "")
        verb = "" if re.match(rf"(?:{BE}|{HAVE}|do|does) ", clause, re.I) else "are "
        rest = f" that {verb}{clause}" if clause else ""
        if rest and parts["x"].lower() in ANYTHING:
            place = re.fullmatch(rf"(?:are |is )?{_PREPOSITION} (.+)", clause, re.I)
            about = self.nouns.one(place[1]).nodes if place is not None else ()
            return Question("how-many", _about(self.nouns.described(f"anything{rest}")), about=about)
        noun = self._counted(f"{_any(parts['x'])}{rest}")
        return Question("how-many", _about(noun), about=self._in_question(noun))

    def _counted(self, text: str) -> Noun:
        return self.nouns.described(_of_kind(_any(text)))

    def _there(self, parts: dict[str, str]) -> Question:
        noun = self._counted(f"{parts['x']} in {parts['y']}" if "y" in parts else parts["x"])
        least = noun.phrase.number or (
            2 if is_plural(noun.phrase.head) and noun.phrase.kind == "count" else 1
        )
        return Question("whether", _about(noun), least)

    def _so(self, parts: dict[str, str]) -> Question:
        text = parts.get("x1") or parts["x2"]
        noun = self.nouns.one(f"{text} {parts['q']} {parts['z']}" if "q" in parts else text)
        return self._all_or_one(noun, *self.nouns.state(noun, parts["state"]))

    def _at(self, parts: dict[str, str]) -> Question:
        text = parts.get("x1") or parts["x2"]
        if text.lower() in ANYTHING:
            return self._there({"x": f"{text} {parts['p']} {parts['y']}"})
        place = self.nouns.one(parts["y"])
        condition = self.nouns.located(parts["p"].lower(), place)
        return self._all_or_one(self.nouns.one(text), condition, None, placed=True)

    def _all_or_one(
        self, noun: Noun, condition: Condition, predicate: str | None, placed: bool = False
    ) -> Question:
        """A statement about the thing of a name, about one of a kind, or about all."""
        nodes = self.nouns.fitting(noun)
        every = noun.phrase.kind in ("the", "all") and not noun.phrase.text.lower().startswith("any ")
        least = len(nodes) if every else noun.phrase.number or 1
        return Question("whether", _about(noun, condition), least, nodes, predicate, placed)


def _any(text: str) -> str:
    return re.sub(r"\Aany (?=\S)", "", text, flags=re.I)


def _of_kind(text: str) -> str:
    """A noun phrase that says which things are asked about, without "of the" and the like."""
    bare = re.sub(r"\A(?:one |ones |many )?of (?:the |our |these |those )?", "", text, flags=re.I)
    if not tokens(bare) or not content_words(bare):
        raise Unread(f"this is no name of a kind of thing: '{clip(text)}'")
    return bare
