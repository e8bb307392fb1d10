"""Questions in context: what is told before or after one, put in the place of the words that point to it.

"There is a meeting room with a chair but no table. Locate it." asks for a meeting room with a chair but no
table. A statement of a form in :data:`_TOLD` tells of a thing, to which a pronoun points, or its noun with
"the". Any other statement that speaks of what is asked for may narrow it. Then an answer is given only where
one thing is left, and says what was not read. What shares no word with the question is background. A text
with a sentence that is no statement asks for more, and is for a reader of requests.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..english.lexicon import POLITE
from ..english.words import content_words, singular, tokens
from .descriptions import HAVE as HAS
from .nouns import Unread

SEARCH = (
    r"(?:(?:(?:help (?:me|us)|try)(?: to)? |go (?:and )?|let us )?(?:find|locate|identify|pinpoint|spot|seek"
    r"|track down)|(?:look|search) for|show|list|(?:have you|has any(?:one|body)) seen|(?:I|we) can not find"
    r"|point (?:me|us|out)(?: (?:to|at|towards?))?|(?:I am|we are) (?:looking|searching) for"
    r"|(?:(?:I am|we are) trying|(?:I|we) (?:want|need|have|would like)) to (?:find|locate))(?: (?:me|us))?"
)
"""Words that open a search."""
_SEARCHED = rf"(?:{SEARCH}|where (?:is|are))"
_PRONOUN = r"(?:it|them|this|that|these|those|one)"
_SENTENCE = re.compile(r"(?<=[.?!;])\s+")
_FIRST = frozenset(
    "there i we he she they it this that these those the a an one my our his her their its some someone"
    " somebody either each every all both most two three".split()
)
"""Words with which a statement begins."""
_AT = r"(?P<at>(?:either |somewhere )?(?:on top of|inside|in|on|under|at|near|next to|beside) .+)"
_PUT = r"(?:left|forgot|forgotten|dropped|put|placed|misplaced|lost|hid|hidden|kept|saw|seen|stored|spilled)"
_TOLD = tuple(
    re.compile(rf"\A{pattern}\Z", re.I)
    for pattern in (
        r"there (?:is|are|was|were|must be) (?P<x>.+)",
        rf"one of (?P<group>(?:the|my|our) .+?) {HAS} (?P<y>.+)",
        r"(?:either )?(?P<owners>[A-Z]\w+(?:,? or [A-Z]\w+)*) (?:has|have) (?P<x>.+)",
        rf"(?P<x>(?:the|my|our|his|her|their|an?) .+?) (?:is|are|was|were|must be) (?:{_PUT} )?{_AT}",
        rf"(?:\w+ ){{1,3}}?(?:(?:have|has|had) )?(?:just |accidentally |again )?{_PUT} (?P<x>.+?)(?: {_AT})?",
    )
)
"""Forms of statements that tell of a thing: what it is, or whose, or where."""
_GIVEN = re.compile(
    r"one of (?P<group>.+?) (?:was given|were given|was handed|has|have|got|received|owns|keeps|collected)"
    r" (?P<y>.+)",
    re.I,
)
_UNUSABLE = re.compile(
    r"(?P<x>(?:the|our|my) .+?) (?:is|are) (?:currently |still )?(?:flooded|locked|occupied|blocked|on fire"
    r"|off limits|out of (?:order|use|bounds)|in use|being (?:cleaned|painted|renovated|used))",
    re.I,
)
_DENIED = re.compile(r"\b(?:not|never|no longer|used to|moved|removed|took)\b", re.I)
"""Words with which a statement says where a thing is not, or not any more."""
_PARITY = re.compile(
    r"the (?P<x>[\w -]+?)(?:'s)? (?:name|number|label) (?:is|has|contains|ends (?:in|with)) (?:an )?"
    r"(?P<parity>even|odd)(?: number| digit)?",
    re.I,
)
_HEDGED = re.compile(
    r"\b(?:likely|probably|maybe|perhaps|might|not sure|think|believe|could be|usually)\b", re.I
)
_NAMED = re.compile(
    r"[A-Z]\w+(?:(?:,| and| or) [A-Z]\w+)*(?:'s \w+)? (?:has|had|is|are|was|were|will|gave|took|left|put|lost"
    r"|forgot|brought|bought|should|must|\w+ed)\b"
)
"""A statement that begins with names."""
_OWN = re.compile(r"\b(?:my|our|your|his|her|their|its)(?: own)? ", re.I)


@dataclass(frozen=True, slots=True)
class QuestionInContext:
    """A question with all that it points to in its words.

    ``single`` says that it is about one thing; ``unread`` are statements that may narrow what it asks for,
    and ``unusable`` is a place that is not meant.
    """

    question: str
    asks: bool = True
    """The form of the sentence makes it a question."""
    single: bool = False
    unread: tuple[str, ...] = ()
    unusable: str = ""


_Introduced = tuple[str, str]
"""Descriptions of a thing that a statement tells of, and of what has it: empty where that is not said."""


def sentences(text: str) -> list[str]:
    """The sentences of a text, in plain marks, each with its own at its end."""
    plain = " ".join(text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").split())
    return [s for s in _SENTENCE.split(plain) if s.strip(" .?!;")]


def in_context(question: str, statements: Sequence[str]) -> QuestionInContext | None:
    """A question together with statements; ``None`` where one of them is no statement.

    Raises :class:`~groundplan.language.questions.nouns.Unread` for a pronoun that points to nothing told.
    """
    if not all(map(_is_statement, statements)):
        return None
    question, statements = _numbered(question, statements)
    things = {s: introduced for s in statements if (introduced := _introduced(s)) is not None}
    sentence, used = _pointed(question, things, statements)
    unusable = next((m["x"] for s in statements if (m := _UNUSABLE.fullmatch(s)) is not None), "")
    left = tuple(
        s for s in statements if s != used and not _UNUSABLE.fullmatch(s) and _may_narrow(s, sentence)
    )
    one = bool(left) or sentence != question or re.match(rf"{_SEARCHED} (?:the|that|this) ", question, re.I)
    return QuestionInContext(sentence, single=bool(one), unread=left, unusable=unusable)


def _numbered(question: str, statements: Sequence[str]) -> tuple[str, Sequence[str]]:
    """A context with a statement on the number in a name put before that name: "an even-numbered cabinet"."""
    for s in statements:
        if (parity := _PARITY.fullmatch(s)) is not None:
            of = re.compile(rf"\b(?:an?|the) (?={re.escape(parity['x'])}\b)", re.I)
            named = f"an {parity['parity'].lower()}-numbered "
            others = [of.sub(named, other) for other in statements if other != s]
            return of.sub(named, question), others
    return question, statements


def _is_statement(sentence: str) -> bool:
    """Return whether a sentence states something, and asks nothing of who is spoken to."""
    words = tokens(sentence)
    if set(words) <= POLITE | {"excuse", "me"}:
        return True
    if {"you", "your", "please"} & set(words):
        return False
    return words[0] in _FIRST or words[0].isdigit() or _NAMED.match(sentence) is not None


def _introduced(statement: str) -> _Introduced | None:
    for form in _TOLD:
        match = form.match(statement)
        if match is None:
            continue
        parts = match.groupdict()
        if (group := parts.get("group")) is not None:
            return f"{_plain(parts['y'])} that is in one of {group}", f"{group} that have {parts['y']}"
        thing = _plain(parts["x"])
        if (owners := parts.get("owners")) is not None:
            names = re.split(r",? or ", owners)
            if len(names) == 1:
                return f"{owners}'s {re.sub(r'^(?:the|an?) ', '', thing)}", ""
            return f"{thing} that is {' or '.join(f'in {name}{chr(39)}s room' for name in names)}", ""
        if _DENIED.search(statement) and "there" not in statement[:5].lower():
            return None
        if (at := parts.get("at")) is not None:
            where = re.sub(r"\A(?:somewhere )?(?:either )?", "", at, flags=re.I)
            return f"{thing} that is {where}", ""
        return thing, ""
    return None


def _plain(text: str) -> str:
    """A noun phrase with "the" in place of whose it is said to be: "my suitcase"."""
    return _OWN.sub("the ", text)


def _pointed(question: str, things: dict[str, _Introduced], statements: Sequence[str]) -> tuple[str, str]:
    """The question with what it points to in its words, and the statement that tells of that."""
    statement, last = next(reversed(things.items()), ("", None))
    for pattern, wording in _POINTING:
        if (match := re.fullmatch(pattern, question, re.I)) is None:
            continue
        if last is None:
            raise Unread(f"it is not said before what '{question}' points to")
        thing = last[1] or last[0] if "{owner}" in wording else last[0]
        return wording.format(*match.groups(), thing=thing, owner=thing), statement
    named = re.fullmatch(rf"({SEARCH}) (the|that|this|my|our|his|her|their) ([\w -]+)", question, re.I)
    if named is None:
        return question, ""
    lead, word, noun = named.groups()
    if word.lower() in ("his", "her", "their"):
        for s in statements:
            if (given := _GIVEN.fullmatch(s)) is not None:
                return f"{lead} {noun} of {given['group']} that has {given['y']}", s
    for s, one in reversed(things.items()):
        for description in one:
            if _begins_with(description, noun):
                return f"{lead} {description}", s
    return question, ""


_POINTING = (
    (rf"({SEARCH}) {_PRONOUN}", "{0} {thing}"),
    (r"which (?:one|of them|one of them)(?: (?:is|was) (?:it|that))?", "find {owner}"),
    (rf"(?:in |on )?which (\w+) (?:is|are) {_PRONOUN}(?: in| on)?", "which {0} is {thing} in"),
    (rf"where (?:is|are) {_PRONOUN}", "where is {thing}"),
)
"""Forms of questions that point to what was told, and the same with its words in them."""


def _begins_with(description: str, noun: str) -> bool:
    """Return whether a description begins with a noun, whatever its article."""
    words, of = ([singular(w) for w in tokens(text)] for text in (noun, description))
    first = int(of[:1] in (["a"], ["an"], ["the"]))
    return of[first : first + len(words)] == words


def _may_narrow(statement: str, sentence: str) -> bool:
    """Return whether a statement speaks of what a question asks for, and is sure of it."""
    if _HEDGED.search(statement):
        return False
    words = {singular(w) for w in content_words(statement)}
    points = tokens(statement)[0] in {"it", "they", "this", "that", "these", "those"}
    return points or bool(words & {singular(w) for w in content_words(sentence)})
