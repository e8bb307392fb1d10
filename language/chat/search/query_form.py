"""Form of the questions that a model asks in a search: what may be written, and how it is read.

An answer is one to six questions, a line each, in a part of the question language of ``compiler.query``::

    (find (?x - banana) (and (ripe ?x) (not (in_room ?x kitchen))))
    (find (?x - office) (not (exists (?y - cabinet) (in_room ?y ?x))) :nearest-to lobby :limit 2)

``?x`` is a thing or a room, with up to four conditions; ``?y`` is what is in it, on it or around it. Lark and
GBNF constrain this text, and name only words that are shown; any change makes recorded answers (cassettes)
unusable. The JSON schema says only that questions are texts, as for goals: one with every word is longer than
the whole prompt. An answer that nothing else constrained may use all of the question language: it is parsed
and checked like any question, and bounded here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ....compiler.decoding.dialects import Dialect, GbnfDialect, LarkDialect, literal
from ....compiler.decoding.json_schema import list_of, object_schema
from ....compiler.query.query import Query, parse_query
from ....domains.errors import GoalError, clip
from ....domains.formula import quote
from ..servers.model import Constraint
from ..thoughts import json_object, without_thought
from .query_words import QueryWords

MAX_QUESTIONS = 6
MAX_CONDITIONS = 4
MAX_NUMBER = 20
MAX_TEXT = 4000
"""Most characters of an answer that are read."""
COUNTS = ("exactly", "at-least", "at-most")
MEASURES = (":most", ":fewest")
_OPEN, _SPACE, _CLOSE, _DASH = map(literal, ("(", " ", ")", "-"))


class BadQuestion(ValueError):
    """An answer without a question; the text is feedback for the model."""


def constraint(words: QueryWords, rooms: Sequence[str]) -> Constraint:
    """Return the questions that some words and rooms allow, as Lark and GBNF; as JSON they are any texts."""
    form = _Form.of(words, rooms)
    return Constraint(
        "questions",
        lambda: object_schema(questions=list_of({"type": "string"}, MAX_QUESTIONS)),
        lambda: _Grammar(form, LarkDialect()).text(),
        lambda: _Grammar(form, GbnfDialect()).text(),
        json_mode=False,
    )


@dataclass(frozen=True, slots=True)
class _Sort:
    """Words for a variable of one sort, a room or a thing; texts are spelt as in a formula."""

    name: str
    classes: tuple[str, ...]
    properties: tuple[str, ...]
    places: tuple[str, ...] = ()
    """Rooms that it may be in."""


@dataclass(frozen=True, slots=True)
class _Form:
    """Words of the questions as they are spelt, and how two variables may be linked."""

    sorts: tuple[_Sort, ...]
    relations: tuple[str, ...]
    within: str
    rooms: tuple[str, ...]

    @classmethod
    def of(cls, words: QueryWords, rooms: Sequence[str]) -> _Form:
        def spelt(names: Iterable[str]) -> tuple[str, ...]:
            return tuple(dict.fromkeys(map(quote, names)))

        places = spelt(rooms)
        within = quote(words.within) if words.within else ""
        sorts = (
            _Sort("room", spelt(words.rooms.words), spelt(words.room_properties.words)),
            _Sort(
                "thing", spelt(words.things.words), spelt(words.properties.words), places if within else ()
            ),
        )
        return cls(tuple(s for s in sorts if s.classes), spelt(words.relations), within, places)

    def links(self, one: _Sort, other: _Sort) -> list[tuple[str, str, str]]:
        """Return the facts that link ``?x`` of a sort with ``?y`` of another: predicate and arguments."""
        if one.name == other.name == "room":
            return []
        if one.name != other.name:
            pair = ("?x", "?y") if one.name == "thing" else ("?y", "?x")
            return [(self.within, *pair)] if self.within else []
        return [(relation, *pair) for relation in self.relations for pair in (("?x", "?y"), ("?y", "?x"))]


class _Grammar:
    """The text of questions in a grammar language. Methods return the symbol of a rule, or rows of one."""

    def __init__(self, form: _Form, dialect: Dialect) -> None:
        self.form, self.dialect = form, dialect
        self.definitions: dict[str, list[str]] = {}

    def text(self) -> str:
        question = self.rule("question", (row for sort in self.form.sorts for row in self.questions(sort)))
        line = r'"\n"'
        row = question
        for _ in range(MAX_QUESTIONS - 1):
            row = f"{question} ({line} {row})?"
        lines = [self.dialect.definition(self.dialect.start, [row])]
        lines += [self.dialect.definition(symbol, rows) for symbol, rows in self.definitions.items()]
        return "\n".join(lines) + "\n"

    def rule(self, name: str, rows: Iterable[str]) -> str:
        """Define a rule, once; no symbol for one without rows."""
        symbol = self.dialect.rule(name)
        if symbol not in self.definitions:
            self.definitions[symbol] = []  # keeps its place before what it refers to
            self.definitions[symbol] = list(rows)
            if not self.definitions[symbol]:
                del self.definitions[symbol]
                return ""
        return symbol

    def words(self, name: str, texts: Sequence[str]) -> str:
        """Define a list of fixed texts, once; no symbol for an empty one."""
        symbol = self.dialect.words(name)
        if texts and symbol not in self.definitions:
            self.definitions[symbol] = [literal(text) for text in texts]
        return symbol if texts else ""

    def questions(self, sort: _Sort) -> Iterator[str]:
        kind = self.words(f"{sort.name}_class", sort.classes)
        variable = f"{_OPEN} {literal('?x')} {_SPACE} {_DASH} {_SPACE} {kind} {_CLOSE}"
        head = f"{_OPEN} {literal('find')} {_SPACE} {variable}"
        number = self.words("number", [str(n) for n in range(1, MAX_NUMBER + 1)])
        parts = [self.body(sort), self.order(sort), f"{literal(':limit')} {_SPACE} {number}"]
        yield " ".join([head, *(f"({_SPACE} {part})?" for part in parts if part), _CLOSE])

    def body(self, sort: _Sort) -> str:
        """Conditions on ``?x``: one, or some of them in ``and``."""

        def rows() -> Iterator[str]:
            condition = self.condition(sort)
            if condition:
                yield condition
                yield self.joined(condition, condition, MAX_CONDITIONS - 1)

        return self.rule(f"{sort.name}_body", rows())

    def joined(self, first: str, other: str, most: int) -> str:
        row = f"{_SPACE} {other}"
        for _ in range(most - 1):
            row = f"{_SPACE} {other} ({row})?"
        return f"{_OPEN} {literal('and')} {_SPACE} {first} {row} {_CLOSE}"

    def condition(self, sort: _Sort) -> str:
        def positive() -> Iterator[str]:
            yield from self.facts(sort, "?x")
            for other in self.form.sorts:
                if linked := self.linked(sort, other):
                    yield f"{_OPEN} {self.words('quantifier', ['exists'])} {_SPACE} {linked} {_CLOSE}"
                    number = self.words("number", [str(n) for n in range(1, MAX_NUMBER + 1)])
                    counts = self.words("count", COUNTS)
                    yield f"{_OPEN} {counts} {_SPACE} {number} {_SPACE} {linked} {_CLOSE}"

        return self.either(f"{sort.name}_condition", f"{sort.name}_said", positive())

    def either(self, name: str, positive: str, rows: Iterable[str]) -> str:
        """Define what is said and what is denied, as one rule."""
        fact = self.rule(positive, rows)
        return self.rule(name, [fact, f"{_OPEN} {literal('not')} {_SPACE} {fact} {_CLOSE}"] if fact else [])

    def facts(self, sort: _Sort, variable: str) -> Iterator[str]:
        if properties := self.words(f"{sort.name}_word", sort.properties):
            yield f"{_OPEN} {properties} {_SPACE} {literal(variable)} {_CLOSE}"
        if sort.places:
            place = self.words("place", sort.places)
            within = literal(self.form.within)
            yield f"{_OPEN} {within} {_SPACE} {literal(variable)} {_SPACE} {place} {_CLOSE}"

    def linked(self, one: _Sort, other: _Sort) -> str:
        """``?y`` with its class and the fact that links it with ``?x``, with up to two facts of its own."""

        def rows() -> Iterator[str]:
            link = self.rule(
                f"{one.name}_{other.name}_link",
                (
                    f"{_OPEN} {literal(p)} {_SPACE} {literal(a)} {_SPACE} {literal(b)} {_CLOSE}"
                    for p, a, b in self.form.links(one, other)
                ),
            )
            if not link:
                return
            kind = self.words(f"{other.name}_class", other.classes)
            head = f"{_OPEN} {literal('?y')} {_SPACE} {_DASH} {_SPACE} {kind} {_CLOSE} {_SPACE}"
            yield f"{head} {link}"
            own = self.either(f"{other.name}_own", f"{other.name}_own_said", self.facts(other, "?y"))
            if own:
                yield f"{head} {self.joined(link, own, 2)}"

        return self.rule(f"{one.name}_{other.name}", rows())

    def order(self, sort: _Sort) -> str:
        def rows() -> Iterator[str]:
            if place := self.words("place", self.form.rooms):
                yield f"{literal(':nearest-to')} {_SPACE} {place}"
            for other in self.form.sorts:
                if linked := self.linked(sort, other):
                    yield f"{self.words('measure', MEASURES)} {_SPACE} {linked}"

        return self.rule(f"{sort.name}_order", rows())


def read_questions(text: str) -> list[Query]:
    """Read an answer: questions as text or in the JSON of the schema, in a fence or after a thought.

    Raises :class:`BadQuestion` with feedback where no question can be read; others beside one that can, and
    more than ``MAX_QUESTIONS``, are dropped.
    """
    texts = list(_brackets(without_thought(text)[:MAX_TEXT]))
    listed = (json_object(text) or {}).get("questions")
    if isinstance(listed, list):
        texts = [one[:MAX_TEXT] for one in listed if isinstance(one, str)][:MAX_QUESTIONS]
    if not texts:
        raise BadQuestion("answer with questions such as (find (?x - cup)), one to six, a line each")
    queries: dict[str, Query] = {}
    faults: list[GoalError] = []
    for one in texts:
        try:
            query = parse_query(one)
        except GoalError as error:
            faults.append(error)
        else:
            queries.setdefault(str(query), query)
    if not queries:
        raise BadQuestion(clip(str(faults[0]), 300)) from faults[0]
    return list(queries.values())[:MAX_QUESTIONS]


def _brackets(text: str) -> Iterator[str]:
    """Yield the outermost brackets of a text that begin a question; quoted names may hold brackets."""
    depth, start, quoted, position = 0, 0, False, 0
    while position < len(text):
        character = text[position]
        if quoted:
            position += character == "\\"
            quoted = character != '"'
        elif character == '"' and depth:
            quoted = True
        elif character == "(":
            start = position if depth == 0 else start
            depth += 1
        elif character == ")" and depth:
            depth -= 1
            if depth == 0 and text[start + 1 : position].lstrip().lower().startswith("find"):
                yield text[start : position + 1]
        position += 1
