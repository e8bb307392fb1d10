"""Conditions on nodes: what is asked for of all of them, of one or of so many, as the words say.

One of several nodes becomes ``or``, ``exists`` or ``exactly``. Which nodes a phrase means is said by
``referents``, where things go by ``destinations``; the verbs are in ``verbs.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ...domains.formula import (
    TRUE,
    Atom,
    Count,
    Exists,
    Formula,
    TypedVar,
    Var,
    conjunction,
    disjunction,
    rebuild,
    walk,
)
from ...simulator.scene import Node
from ..english.linking import Linker
from ..english.links import NodeMatch, NoReferent, several
from ..english.phrases import Phrase
from ..english.words import name_words, singular
from .affordances import is_closed, is_container
from .destinations import Destinations
from .referents import Referents

MAX_CHOICES = 8
"""More nodes than this that fit "the X" are too many to choose from."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """The goal condition that a clause asks for, and the nodes that it is about.

    ``again`` is one of several things that a clause before was about as well: "fill a mug and bring *it*";
    ``lasts`` is "stay" where it is to be so on the way, too.
    """

    formula: Formula
    nodes: tuple[str, ...]
    again: NodeMatch | None = None
    lasts: str = ""


def generalise(formula: Formula, name: str, variable: Var) -> Formula:
    """A formula with a variable in the place of a name."""
    if isinstance(formula, Atom):
        return Atom(formula.predicate, tuple(variable if a == name else a for a in formula.args))
    return rebuild(formula, lambda part: generalise(part, name, variable))


class Meanings:
    """The conditions of requests in one scene, after the requests before."""

    def __init__(self, linker: Linker) -> None:
        self.linker, self.scene, self.facts = linker, linker.scene, linker.facts
        self.fact = linker.facts.fact
        self.referents = Referents(linker)
        self.destinations = Destinations(self.referents)
        self.touched: frozenset[str] = frozenset()
        self.opened: frozenset[str] = frozenset()
        """What a request before asks to be opened."""
        self.placed: frozenset[str] = frozenset()
        """What requests before put somewhere."""

    def follow(self, parts: Sequence[Meaning]) -> None:
        """Note what requests before the next one are about."""
        self.touched = frozenset(i for p in parts for i in p.nodes if p.formula != TRUE)
        opened = self._atoms("open", [p.formula for p in parts])
        self.opened = frozenset(str(a.args[0]) for a in opened)
        served = {a.args[0] for a in self._atoms("fill", [p.formula for p in parts])}
        moved = (p for p in parts if any(self._atoms(s, [p.formula]) for s in ("inside", "ontop", "room")))
        movable = (i for p in moved for i in p.nodes if self.scene.nodes[i].type == "object")
        self.placed = frozenset(movable) - served

    def _atoms(self, sense: str, formulas: Iterable[Formula]) -> list[Atom]:
        """The facts of a sense in some formulas."""
        fact = self.facts.predicate(sense)
        return [a for f in formulas for a in walk(f) if isinstance(a, Atom) and a.predicate == fact]

    def each(
        self, match: NodeMatch, say: Callable[[Node], Formula], fits: Callable[[Node], bool] | None = None
    ) -> Formula:
        """A condition on all of the nodes, or on one of them, as the determiner of the phrase says."""
        phrase = match.phrase
        nodes = [n for n in match.nodes if fits is None or fits(n)]
        if not nodes:
            raise NoReferent(f"nothing that fits '{phrase}' can be used so", phrase, match.ids[:3])
        if phrase.kind == "count":
            return self._number(match, nodes, say)
        if phrase.kind in ("all", "held") or len(nodes) == 1:
            return conjunction([say(n) for n in nodes])
        self._check_alike(phrase, nodes)
        described = self._described(phrase, nodes, say) if len(nodes) == len(match.nodes) else None
        if described is not None:
            return Exists(*described)
        if len(nodes) > MAX_CHOICES:
            raise NoReferent(f"{len(nodes)} things fit '{phrase}'", phrase, match.ids[:5])
        return disjunction([say(n) for n in nodes])

    def _check_alike(self, phrase: Phrase, nodes: Sequence[Node]) -> None:
        """Raise :class:`NoReferent` where it matters which "the X" is: furniture, or of several kinds."""
        kinds = bool(phrase.words) and self.linker.names.is_of_kinds(phrase.head, nodes)
        if phrase.kind != "a" and (kinds or nodes[0].type != "object"):
            gap = several(phrase, [n.id for n in nodes])
            gap.final = kinds
            raise gap

    def _number(self, match: NodeMatch, nodes: Sequence[Node], say: Callable[[Node], Formula]) -> Formula:
        """So many of a kind, whichever."""
        number = match.phrase.number or 0
        if len(nodes) == number == len(match.nodes):
            return conjunction([say(n) for n in nodes])
        described = self._described(match.phrase, nodes, say)
        if described is None or len(nodes) < len(match.nodes) or number > len(nodes):
            reason = f"'{match.phrase}' asks for {number}, there are {len(nodes)} in what was seen"
            raise NoReferent(reason, match.phrase, match.ids[:5])
        return Count("exactly", number, *described)

    def _described(
        self, phrase: Phrase, nodes: Sequence[Node], say: Callable[[Node], Formula]
    ) -> tuple[tuple[TypedVar, ...], Formula] | None:
        """A class and its attributes in place of nodes; ``None`` where the phrase says more than these."""
        kind = _kind_said(phrase, nodes)
        if kind is None or phrase.places or phrase.owner:
            return None
        adjectives = [w for w in phrase.words[:-1] if w not in name_words(kind)]
        if not all(word in n.attributes for word in adjectives for n in nodes):
            return None
        stand_in = Node("?x", nodes[0].type, nodes[0].parent, affordances=nodes[0].affordances)
        body = generalise(say(stand_in), "?x", Var("x"))
        return (TypedVar("x", kind),), conjunction([*(Atom(w, (Var("x"),)) for w in adjectives), body])

    def laid(self, item: Node, relation: str, places: Sequence[Node]) -> Formula:
        """A thing in or on one of some places, doors left as they were or as they were asked for."""
        return disjunction([self._laid(item, relation, place) for place in places])

    def _laid(self, item: Node, relation: str, place: Node) -> Formula:
        if place.type == "room":
            return self.fact("room", item.id, place.id)
        if relation == "on" or not is_container(place):
            return self.fact("ontop", item.id, place.id)
        inside = self.fact("inside", item.id, place.id)
        if is_closed(place) and place.id not in self.opened:
            return conjunction([inside, self.fact("close", place.id)])
        return inside


def _kind_said(phrase: Phrase, nodes: Sequence[Node]) -> str | None:
    """The class of some nodes that a phrase names, the one that says most: bottle_water before bottle."""
    head, rest = singular(phrase.head), phrase.words[:-1]
    shared = [c for c in nodes[0].classes if all(c in n.classes for n in nodes)]
    named = [c for c in shared if phrase.words and head in map(singular, name_words(c))]
    return max(named, key=lambda c: sum(w in name_words(c) for w in rest), default=None)
