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

import re
from collections.abc import Iterator, Mapping, Sequence

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
LINKS: Mapping[str, tuple[str, ...]] = {
    "room_thing": ("(<within> ?y ?x)",),
    "thing_room": ("(<within> ?x ?y)",),
    "thing_thing": ("(<relation> ?x ?y)", "(<relation> ?y ?x)"),
}
"""The facts that link ``?x`` of one sort with ``?y`` of another, by both sorts."""
_PIECE = re.compile(r"<(\w+)>|(\[|\])|[()]| |\n|[^\s()<>\[\]]+")
_SYMBOL = re.compile(r"<(\w+)>")


def _rules() -> dict[str, tuple[str, ...]]:
    """Return the rows of each rule: ``<symbol>`` is a rule or a list of words, ``[..]`` may be left out."""
    more = "[\n<question>" * (MAX_QUESTIONS - 1) + "]" * (MAX_QUESTIONS - 1)
    rules = {"start": (f"<question>{more}",), "question": ("<room_question>", "<thing_question>")}
    for sort in ("room", "thing"):
        linked = [f"<{pair}>" for pair in LINKS if pair.startswith(sort)]
        facts = (f"(<{sort}_word> ?x)", *(["(<within> ?x <place>)"] if sort == "thing" else []))
        one = f" <{sort}_condition>"
        conditions = f"[{one}" * (MAX_CONDITIONS - 2) + "]" * (MAX_CONDITIONS - 2)
        head = f"(find (?x - <{sort}_class>)[ <{sort}_body>][ <{sort}_order>]"
        rules |= {
            f"{sort}_question": (f"{head}[ :limit <number>])",),
            f"{sort}_body": (one.strip(), f"(and{one}{one}{conditions})"),
            f"{sort}_condition": (f"<{sort}_said>", f"(not <{sort}_said>)"),
            f"{sort}_said": (
                *facts,
                *(f"({how} {link})" for link in linked for how in ("exists", "<count> <number>")),
            ),
            f"{sort}_own": (f"<{sort}_own_said>", f"(not <{sort}_own_said>)"),
            f"{sort}_own_said": tuple(fact.replace("?x", "?y") for fact in facts),
            f"{sort}_order": (":nearest-to <place>", *(f"<measure> {link}" for link in linked)),
        }
    for pair, links in LINKS.items():
        other = pair.partition("_")[2]
        both = f"(and <{pair}_link> <{other}_own>[ <{other}_own>])"
        rules[f"{pair}_link"] = links
        rules[pair] = tuple(f"(?y - <{other}_class>) {where}" for where in (f"<{pair}_link>", both))
    return rules


class BadQuestion(ValueError):
    """An answer without a question; the text is feedback for the model."""


def constraint(words: QueryWords, rooms: Sequence[str]) -> Constraint:
    """Return the questions that some words and rooms allow, as Lark and GBNF; as JSON they are any texts."""
    within = (words.within,) if words.within else ()
    shown = {
        "room_class": words.rooms.words,
        "room_word": words.room_properties.words,
        "thing_class": words.things.words,
        "thing_word": words.properties.words,
        "relation": words.relations,
        "within": within,
        "place": rooms,
    }
    lists = {name: tuple(dict.fromkeys(map(quote, some))) for name, some in shown.items()}
    lists |= {"number": tuple(map(str, range(1, MAX_NUMBER + 1))), "count": COUNTS, "measure": MEASURES}
    return Constraint(
        "questions",
        lambda: object_schema(questions=list_of({"type": "string"}, MAX_QUESTIONS)),
        lambda: _grammar(lists, LarkDialect()),
        lambda: _grammar(lists, GbnfDialect()),
        json_mode=False,
    )


def _possible(lists: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Return the rules without what needs a list that is empty, or a rule of which nothing is left."""
    rules = _rules()
    while True:
        mentioned = {name for rows in rules.values() for row in rows for name in _SYMBOL.findall(row)}
        gone = "|".join(name for name in sorted(mentioned) if not lists.get(name) and not rules.get(name))
        if not gone:
            return rules
        left_out = re.compile(rf"\[[^\[\]]*<(?:{gone})>[^\[\]]*\]")
        needed = re.compile(rf"<(?:{gone})>")
        for name, rows in rules.items():
            shorter = [left_out.sub("", row) for row in rows]
            rules[name] = tuple(row for row in shorter if not needed.search(row))


def _grammar(lists: Mapping[str, Sequence[str]], dialect: Dialect) -> str:
    """Return the rules in a grammar language, each after the one that it is first needed in."""
    rules = _possible(lists)

    def symbol(name: str) -> str:
        return dialect.start if name == "start" else (dialect.words if name in lists else dialect.rule)(name)

    def piece(match: re.Match[str]) -> str:
        name, bracket = match.groups()
        if name is None:
            return {"[": "(", "]": ")?"}.get(bracket) or literal(match[0]).replace("\n", "\\n")
        if name not in names:
            names.append(name)
        return symbol(name)

    names, lines = ["start"], list[str]()
    for name in names:
        rows = [" ".join(map(piece, _PIECE.finditer(row))) for row in rules.get(name, ())]
        lines.append(dialect.definition(symbol(name), rows or map(literal, lists[name])))
    return "\n".join(lines) + "\n"


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
