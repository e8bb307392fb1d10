"""Errands that an instruction spells out, and the things in them of which a goal asks nothing.

A verb that brings a state about ("wash", "switch on") or moves things ("put", "empty") is followed by noun
phrases. Of each a goal has to ask what the verb says, of as many things as the phrase is about. A phrase
counts where every word of it is linked to nodes of the scene. One that can be read in several ways ("the
bananas on the counter") is missing where it is in each of them. What is so already needs no part, and a
second phrase for all of a kind may be about those that were spoken of before. The words are those of English.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from ...domains.evaluate import evaluate
from ...domains.formula import (
    Atom,
    Count,
    Exists,
    Forall,
    Formula,
    Imply,
    Not,
    TypedVar,
    Var,
    children,
    conjuncts,
    free_variables,
    names,
    with_names,
)
from ...simulator.belief import Belief
from ...simulator.world import World
from ..embedded.clauses import folded
from ..english import lexicon
from ..english.chunks import Chunk, kinds, sentences
from ..english.facts import RequestFacts
from ..english.linking import Linker
from ..english.phrases import NoReferent, Phrase, read_phrase
from .search.name_index import LONGEST_TEXT_READ

STATED = ("heat", "cool", "wash", "clean", "fill", "close", "on", "off")
"""Senses of verbs that bring about a state of a thing."""
MOVED = ("put", "give", "get", "store", "away", "throw", "empty")
"""Senses of verbs after which a thing is somewhere else, or held."""
PLACES = ("inside", "ontop", "room", "hold")
"""Senses of facts that say where a thing is."""
_APART = lexicon.NEGATIVES | {"or", "but", "between", "through"}
"""What stands between things of which not each is meant, or none is moved: "through the dishwasher"."""
_WITHIN = "npejorc,"
"""Kinds of chunks that go on with the noun phrases after a verb."""
_STATES = "adg"
"""Kinds of chunks that say how a thing is, behind it."""

Thing = tuple[str, tuple[tuple[str, str], ...]]
"""A noun phrase, and the prepositions and phrases of place behind it."""


@dataclass(frozen=True)
class VerbPhrase:
    """An errand: a verb in its base form, its senses, and the noun phrases of what it is done to."""

    verb: str
    senses: frozenset[str]
    things: tuple[Thing, ...]

    @property
    def moves(self) -> bool:
        """True if things are somewhere else after it, or held."""
        return not self.senses.isdisjoint(MOVED)

    @property
    def empties(self) -> bool:
        """True if it is what is in the thing that is moved."""
        return "empty" in self.senses

    def readings(self, thing: Thing) -> Iterator[Phrase]:
        """Yield what a noun phrase may mean: with all the places that tell it apart, with fewer, by its kind.

        Of what is moved, the last place is where it goes, unless it is where it comes from. What is called
        clean may be so only by then.
        """
        text, places = thing
        goes = self.moves and not self.empties
        most = len(places) - (goes and places[-1:] != () and places[-1][0] != "from")
        for size in range(most + 1):
            phrase = read_phrase(" ".join((text, *(word for place in places[:size] for word in place))))
            if phrase is None or (phrase.generic and phrase.kind != "all"):
                continue
            yield phrase
            lasting = tuple(word for word in phrase.words if word not in lexicon.STATES)
            if lasting and lasting != phrase.words:
                yield replace(phrase, words=lasting)

    def predicates(self, belief: Belief) -> tuple[str, ...]:
        """Return the predicates that say of a thing that this was done; none where the pack has none."""
        moved = self.senses.intersection(MOVED)
        placed = ("inside",) if "away" in moved else PLACES if moved else ()
        return predicates_of((*placed, *sorted(self.senses - moved)), belief)


def errands(instruction: str) -> Iterator[VerbPhrase]:
    """Yield the errands of an instruction, in their order; not those that it denies or makes conditional."""
    for row in map(folded, sentences(instruction[:LONGEST_TEXT_READ])):
        starts = [at for at, chunk in enumerate(row) if chunk.kind == "v"]
        for at, end in pairwise((*starts, len(row))):
            senses = senses_of(row[at].base, {chunk.base for chunk in row[at + 1 : end]})
            kept = "i" not in kinds(row[:at]) and "x" not in kinds(row[max(0, at - 2) : at])
            if senses and kept:
                yield VerbPhrase(row[at].base, senses, _things(row[at + 1 : end]))


def senses_of(verb: str, words: Collection[str]) -> frozenset[str]:
    """Return the senses of a verb in its base form with the words behind it, of those listed above."""
    if verb in lexicon.VERBS["turn"]:
        return frozenset({"on", "off"}.intersection(words) or ({"close"} if verb == "shut" else ()))
    senses = frozenset(lexicon.meanings(verb)) & {*STATED, *MOVED}
    return senses | ({"away"}.intersection(words) if "throw" in senses else frozenset())


def predicates_of(senses: Iterable[str], belief: Belief) -> tuple[str, ...]:
    """Return the predicates of the facts that senses ask for, as far as the pack has them."""
    predicate = RequestFacts(belief.pack).predicate
    return tuple(filter(None, map(predicate, senses)))


def _things(row: Sequence[Chunk]) -> tuple[Thing, ...]:
    """Return the noun phrases after a verb, each with the places behind it.

    None where they are alternatives, or a state follows: "get the radio going".
    """
    things: list[Thing] = []
    joined = {chunk.base for chunk in row}
    for before, chunk in pairwise((Chunk("v", ""), *row)):
        if chunk.base in _APART or (chunk.kind in _STATES and before.kind == "n"):
            return ()
        if chunk.kind not in _WITHIN:
            break
        if chunk.kind != "n":
            continue
        if before.kind == "p" or (before.kind == "e" and things):
            things[-1:] = [(text, (*places, (before.base, chunk.text))) for text, places in things[-1:]]
        elif before.kind == "n":
            things[-1:] = [(chunk.text, ())]  # "Make Niko a coffee"
        elif before.kind != "," or "and" in joined:
            things.append((chunk.text, ()))
    return tuple(things)


@dataclass(frozen=True)
class Unasked:
    """The errands of which a goal asks nothing, or of too few things."""

    formula: Formula
    belief: Belief

    def of(self, instruction: str, left_out: Collection[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield the words of an instruction for things of which it asks too little, with these things.

        What is done by the verbs of ``left_out``, in their base forms, is passed over: all of it is missing.
        """
        again = False
        for errand in errands(instruction):
            things = self._asked(errand.predicates(self.belief))
            for thing in errand.things if errand.verb not in left_out else ():
                missing = self._missing(errand, thing, things, again)
                again = True
                if missing:
                    yield thing[0], missing

    def _missing(
        self, errand: VerbPhrase, thing: Thing, things: Collection[str], again: bool
    ) -> tuple[str, ...]:
        """Return the things of a phrase of which the goal asks too little; none where one reading has all.

        ``again`` says that other things were spoken of before.
        """
        missing: tuple[str, ...] = ()
        for phrase in errand.readings(thing):
            nodes = self._meant(errand, phrase)
            shown = [n for n in nodes if n in things]
            rest = [n for n in nodes if n not in things and not self._is_so(n, shown)]
            needed = len(nodes) if errand.empties else _number(phrase, again)
            if nodes and len(shown) >= min(needed or len(nodes), len(shown) + len(rest)):
                return ()
            missing = tuple(rest) or missing
        return missing

    def _meant(self, errand: VerbPhrase, phrase: Phrase) -> tuple[str, ...]:
        """Return the nodes that an errand is about: what is in or on the one thing that is emptied."""
        scene = self.belief.scene
        try:
            nodes = self._linker.link(replace(phrase, kind="a") if phrase.kind == "the" else phrase).nodes
        except NoReferent:
            return ()
        if errand.empties:
            return tuple(scene.children.get(nodes[0].id, ())) if len(nodes) == 1 else ()
        return tuple(n.id for n in nodes if not errand.moves or n.type == "object")

    def _is_so(self, node: str, shown: Sequence[str]) -> bool:
        """Return whether what is asked of another thing is so of this one already."""
        parts = [part for part in conjuncts(self.formula) if not free_variables(part)]
        alike = (with_names(part, {n: node}) for part in parts for n in shown if n in names(part))
        return any(evaluate(part, self._world) for part in alike)

    def _asked(self, predicates: Collection[str]) -> frozenset[str]:
        """Return the things of which the goal says a predicate; all that a variable may stand for."""
        return frozenset(n for predicate in predicates for n in self._things.get(predicate, ()))

    @cached_property
    def _things(self) -> Mapping[str, set[str]]:
        """The things that stand first in the facts of the goal, by predicate."""
        things: dict[str, set[str]] = {}
        for predicate, first, holds in _facts(self.formula, {}):
            # What is not held may be anywhere; what is not in its place was moved.
            if holds or predicate != self._held:
                ranged = self.belief.members(first.type) if isinstance(first, TypedVar) else (first,)
                things.setdefault(predicate, set()).update(ranged)
        return things

    @cached_property
    def _held(self) -> str | None:
        return RequestFacts(self.belief.pack).predicate("hold")

    @cached_property
    def _linker(self) -> Linker:
        return Linker(self.belief.scene, self.belief.pack)

    @cached_property
    def _world(self) -> World:
        return World(self.belief)


def _number(phrase: Phrase, again: bool) -> int | None:
    """Return how many things a phrase asks something of; ``None`` for all."""
    if phrase.kind == "count":
        return phrase.number
    if phrase.kind != "all" or phrase.text.lower().split()[0] not in lexicon.DETERMINERS:
        return 1  # "snacks" are some
    return 2 if again and not phrase.places else None


def _facts(
    formula: Formula, bound: Mapping[str, TypedVar], holds: bool = True
) -> Iterator[tuple[str, str | TypedVar, bool]]:
    """Yield the facts that a formula asks for or denies: predicate, first term, whether it asks for it."""
    match formula:
        case Atom(predicate, (Var(name), *_)):
            if name in bound:  # goals with errors come here as well
                yield predicate, bound[name], holds
        case Atom(predicate, (str() as name, *_)):
            yield predicate, name, holds
        case Not(part):
            yield from _facts(part, bound, not holds)
        case Imply(_, right):
            yield from _facts(right, bound, holds)
        case Exists(variables, body) | Forall(variables, body) | Count(_, _, variables, body):
            yield from _facts(body, {**bound, **{v.name: v for v in variables}}, holds)
        case _:
            for part in children(formula):
                yield from _facts(part, bound, holds)
