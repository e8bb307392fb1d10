"""Constrained decoding of sentences: what a model may ask for about a subgraph, as GBNF, Lark or JSON schema.

An answer is one to ``MAX_SENTENCES`` sentences of the pack, or ``Look for "words".`` where the scene does not
show enough. Names stand where they fit: only what opens is opened, and nothing is put where it is already. So
a grammar is a twentieth of that of whole goals. Any change of its text makes recorded answers unusable.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from ...compiler.decoding.arguments import FittingArguments
from ...compiler.decoding.dialects import Dialect, GbnfDialect, LarkDialect, literal
from ...compiler.decoding.json_schema import Json, list_of, object_schema, one_of
from ...simulator.belief import Belief
from .reading import LOOK_FOR, MAX_LOOK, MAX_SENTENCES
from .saying import name_of


@dataclass(frozen=True, slots=True)
class SentenceForm:
    """A sentence of the pack with the names that may stand in each of its holes."""

    text: str
    names: tuple[tuple[str, ...], ...]


def sentence_forms(belief: Belief, without: Collection[str] = ()) -> tuple[SentenceForm, ...]:
    """Return the sentences that can ask for a change of a scene, in the order of the pack.

    Things that are in the same places now share a form, which leaves these places out. Names ``without`` are
    in none.
    """
    pack, scene = belief.pack, belief.scene
    fitting = FittingArguments(belief)
    fits: dict[tuple[str, int], list[str]] = defaultdict(list)
    for node in scene.nodes.values():
        if node.type in pack.mapping.types and node.type != "pose" and node.id not in without:
            for argument in sorted(fitting.of(node)):
                fits[argument].append(node.id)
    arity = pack.public_predicates()
    moved = frozenset(thing for place in pack.locations for thing in fits[place, 0])
    forms: list[SentenceForm] = []
    for sentence in pack.language.patterns if pack.language is not None else ():
        predicate, text = sentence.predicate, sentence.text
        if arity[predicate] < 2:
            holes = [tuple(map(name_of, fits[predicate, i])) for i in range(arity[predicate])]
            forms += [SentenceForm(text, tuple(holes))] if all(holes) else []
        else:
            things = [thing for thing in fits[predicate, 0] if thing in moved]
            forms += _forms_of_places(belief, predicate, text, things, fits[predicate, 1])
    return tuple(forms)


def _forms_of_places(
    belief: Belief, predicate: str, text: str, things: Sequence[str], places: Sequence[str]
) -> Iterator[SentenceForm]:
    """Yield a form for the things that are in the same places now: they may be asked into all others."""
    inside: dict[str, set[str]] = defaultdict(set)
    if predicate in belief.pack.mapping.derived:
        for thing in things:
            inside[thing] = set(belief.scene.ancestors(thing))
    else:
        for thing, place, *_ in belief.facts.all(predicate):
            inside[thing].add(place)
    alike: dict[tuple[str, ...], list[str]] = defaultdict(list)
    fitting = frozenset(places)
    for thing in things:
        without = {thing} & fitting | inside[thing] & fitting
        alike[tuple(p for p in places if p in without)].append(thing)
    for left_out, group in alike.items():
        rest = tuple(name_of(p) for p in places if p not in left_out)
        if rest:
            yield SentenceForm(text, (tuple(map(name_of, group)), rest))


def sentence_grammar(
    belief: Belief, form: Literal["lark", "gbnf"], may_look: bool = True, without: Collection[str] = ()
) -> str:
    """Write the grammar of answers in sentences over a scene; the same input gives the same text.

    Without ``may_look`` they have to ask for something, where the scene has something to ask for; the names
    in ``without`` cannot be said.

    >>> from groundplan import ground, load_pack, load_scene
    >>> office = ground(load_scene("office"), load_pack())
    >>> '"Heat "' in sentence_grammar(office, "gbnf")
    True
    """
    dialect: Dialect = LarkDialect() if form == "lark" else GbnfDialect()
    lists: dict[tuple[str, ...], str] = {}
    rows: list[str] = []
    for one in sentence_forms(belief, without):
        row: list[str] = []
        piece = ""
        for word in one.text.removesuffix(".").split():
            if word.startswith("{"):
                names = one.names[int(word[1:-1])]
                symbol = lists.setdefault(names, dialect.words(f"n{len(lists)}"))
                row += [literal(piece), symbol]
                piece = " "
            else:
                piece += f"{word} "
        rows.append(" ".join([*row, literal(piece.strip() + ".")]))
    start, sentence = dialect.start, dialect.rule("s")
    quote = literal('"')
    look = f"{literal(LOOK_FOR + ' ')} {quote} {dialect.free(MAX_LOOK)} {quote} {literal('.')}"
    answers = [dialect.some(sentence, MAX_SENTENCES)] if rows else []
    answers += [look] if may_look or not rows else []
    lines = [dialect.definition(dialect.rule(start), answers)]
    lines += [dialect.definition(sentence, rows)] if rows else []
    lines += [dialect.definition(symbol, map(literal, names)) for names, symbol in lists.items()]
    return "\n".join(lines) + "\n"


def sentence_schema(belief: Belief, may_look: bool = True, without: Collection[str] = ()) -> Json:
    """Build the JSON schema of the same answers, for strict structured outputs."""
    kinds = [
        object_schema(
            {"say": one_of([one.text])} | {f"name{i}": one_of(names) for i, names in enumerate(one.names)}
        )
        for one in sentence_forms(belief, without)
    ]
    if may_look or not kinds:
        kinds.append(object_schema({"say": one_of([LOOK_FOR]), "words": {"type": "string"}}))
    items: Json = {"anyOf": kinds}
    return object_schema(sentences=list_of(items, MAX_SENTENCES))
