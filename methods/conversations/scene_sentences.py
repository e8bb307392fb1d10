"""Scene in sentences, as problems of LLM+P are given: what there is, where it is, what it is like.

Sentences are the pack's words for facts, said once for all things of which one holds. What holds of every
thing unless another fact is stated, such as that a thing without a door is not closed, is said once for all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from ...compiler.symbols import SymbolTable
from ...domains.mapping import ROOM
from ...domains.pack import Pack
from ...language.chat.listing import name, qualities
from ...language.chat.prompt import as_data
from ...simulator.belief import Belief
from .problem_text import defaults


def scene_sentences(belief: Belief, table: SymbolTable) -> str:
    """Return what a belief says of the nodes of a table as sentences, with their descriptions."""
    scene, pack, symbols = belief.scene, belief.pack, table.objects
    nodes = [scene.nodes[n] for n in symbols]
    subjects: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for node in nodes:
        subjects["", f"is of type {pack.mapping.types[node.type]}"].append(symbols[node.id])
    within = next((p for p, what in pack.mapping.derived.items() if what == ROOM), "in")
    for node in nodes:
        if (holder := scene.above(node.id)) is not None and holder in symbols:
            subjects[within, symbols[holder]].append(symbols[node.id])
    usual = {rule.add.predicate for rule in defaults(pack)}
    for fact in belief.facts:
        if fact.predicate not in usual:
            first, *rest = (symbols[str(x)] for x in fact.args) if fact.args else ("",)
            subjects[fact.predicate, *rest].append(first)
    for node in nodes:
        for word in qualities(node):
            subjects["", f"is described as {name(word)}"].append(symbols[node.id])
        if node.description:
            subjects["", f"is described as {as_data(node.description)}"].append(symbols[node.id])
    return (
        ". ".join([*(_sentence(pack, key, names) for key, names in subjects.items()), *otherwise(pack)]) + "."
    )


def otherwise(pack: Pack) -> Iterator[str]:
    """Yield a sentence for each fact that holds where none is stated that it excludes."""
    for rule in defaults(pack):
        kinds = dict.fromkeys(t for n, t in pack.mapping.types.items() if n in rule.types)
        words = pack.words(rule.add.predicate, (f"every other {_listed(tuple(kinds), 'or')}",), True)
        yield f"{words}, which need not be stated"


def _sentence(pack: Pack, key: Sequence[str], names: Sequence[str]) -> str:
    """Return what a key says of some names; without a predicate the words of the key follow the names."""
    predicate, *rest = key
    subject = names[0] if len(names) == 1 else f"each of {_listed(names, 'and')}"
    if not predicate:
        return " ".join((subject, *rest))
    return pack.words(predicate, (subject, *rest) if subject else (), True)


def _listed(names: Iterable[str], last: str) -> str:
    *first, end = names
    return f"{', '.join(first)} {last} {end}" if first else end
