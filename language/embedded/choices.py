"""From nodes that fit a phrase to formulas: all of them, one of them, so many of them, or of a kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...domains.formula import Atom, Count, Exists, Formula, TypedVar, Var, conjunction, disjunction
from ...simulator.scene import Node
from .context import generalise
from .linking import Linker
from .links import Gap, Link
from .phrases import Phrase
from .words import name_words, singular

MAX_CHOICES = 8
"""More nodes than this that fit "the X" are too many to choose from."""


class Choices:
    """What is said of nodes of one scene."""

    def __init__(self, linker: Linker) -> None:
        self.linker, self.scene = linker, linker.scene
        self.touched: frozenset[str] = frozenset()

    def can(self, node: Node, affordance: str) -> bool:
        return affordance in node.affordances

    def container(self, node: Node) -> bool:
        return self.can(node, "open") or self.can(node, "close") or self.can(node, "contain")

    def closed(self, node: Node) -> bool:
        return self.can(node, "close") and "open" not in node.state

    def running(self, node: Node) -> bool:
        return self.can(node, "turn_off") and "on" in node.state

    def each(
        self, link: Link, say: Callable[[Node], Formula], fits: Callable[[Node], bool] | None = None
    ) -> Formula:
        """What is said of all of the nodes, or of one of them, as the phrase's determiner wants it."""
        nodes = [n for n in link.nodes if fits is None or fits(n)]
        if not nodes:
            raise Gap(f"nothing that fits '{link.phrase}' can be used so", link.phrase, 0.5, link.ids[:3])
        if link.phrase.kind == "count":
            return self._number(link, nodes, say)
        if link.phrase.kind in ("all", "held") or len(nodes) == 1:
            return conjunction([say(n) for n in nodes])
        if nodes[0].type != "object" and link.phrase.kind != "a":
            ids = tuple(n.id for n in nodes[:5])
            raise Gap(f"several things fit '{link.phrase}'", link.phrase, 0.5, ids)
        if len(nodes) == len(link.nodes):
            some = self._some(link.phrase, nodes, say)
            if some is not None:
                return some
        if len(nodes) > MAX_CHOICES:
            raise Gap(f"{len(nodes)} things fit '{link.phrase}'", link.phrase, 0.5, link.ids[:5])
        return disjunction([say(n) for n in nodes])

    def _some(self, phrase: Phrase, nodes: Sequence[Node], say: Callable[[Node], Formula]) -> Formula | None:
        """``exists`` over a class with attributes, where these describe exactly what the phrase says."""
        described = self._described(phrase, nodes, say)
        return None if described is None else Exists(*described)

    def _number(self, link: Link, nodes: Sequence[Node], say: Callable[[Node], Formula]) -> Formula:
        """So many of a kind, whichever."""
        number = link.phrase.number or 0
        if len(nodes) == number == len(link.nodes):
            return conjunction([say(n) for n in nodes])
        described = self._described(link.phrase, nodes, say)
        if described is None and len(nodes) >= number and link.phrase.places:
            return conjunction([say(n) for n in nodes[:number]])  # "two bottles from the cupboard": any two
        if described is None or len(nodes) < len(link.nodes) or number > len(nodes):
            reason = f"'{link.phrase}' names {number}, known are {len(nodes)}"
            raise Gap(reason, link.phrase, 0.5, link.ids[:5])
        return Count("exactly", number, *described)

    def _described(
        self, phrase: Phrase, nodes: Sequence[Node], say: Callable[[Node], Formula]
    ) -> tuple[tuple[TypedVar, ...], Formula] | None:
        """A class and its attributes in place of nodes; ``None`` where the phrase says more than these."""
        if phrase.places or phrase.owner or not phrase.words:
            return None
        shared = [c for c in nodes[0].classes if all(c in n.classes for n in nodes)]
        head, rest = singular(phrase.head), phrase.words[:-1]
        named = [c for c in shared if head in map(singular, name_words(c))]
        # The class that says most: bottle_water before bottle for "a bottle of water".
        named.sort(key=lambda c: -sum(w in name_words(c) for w in rest))
        if not named:
            return None
        adjectives: list[Formula] = []
        for word in (w for w in rest if w not in name_words(named[0])):
            if not all(word in n.attributes for n in nodes):
                return None
            adjectives.append(Atom(word, (Var("x"),)))
        stand_in = Node("?x", nodes[0].type, nodes[0].parent, affordances=nodes[0].affordances)
        body = generalise(say(stand_in), "?x", Var("x"))
        return (TypedVar("x", named[0]),), conjunction([*adjectives, body])

    def laid(self, item: Node, relation: str, places: Sequence[Node]) -> Formula:
        """A thing in or on one of some places, doors left as they were."""
        choices: list[Formula] = []
        for place in places:
            if place.type == "room":
                choices.append(Atom("in_room", (item.id, place.id)))
            elif self.container(place) and relation != "on":
                parts: list[Formula] = [Atom("inside_of", (item.id, place.id))]
                if self.closed(place):
                    parts.append(Atom("closed", (place.id,)))
                choices.append(conjunction(parts))
            else:
                choices.append(Atom("ontop_of", (item.id, place.id)))
        return disjunction(choices)
