"""Matching of phrases with names of nodes: by name, by another word for it, by what describes a node.

A name matches where its last word is the head of the phrase and all that is known of the node explains the
other words. ``relaxed`` leaves out words that tell nothing; nothing matches that is merely alike in meaning.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...simulator.scene import Node
from .links import NoReferent
from .naming import NodeNames
from .phrases import FITTING, Phrase
from .words import alike, name_words, singular

TELLING_NOTHING = frozenset("new entire whole".split())
"""Describing words that do not say which thing is meant; any other word that fits nothing is a gap."""
_ROBOT = (("robot",), ("agent",))
_VESSELS = frozenset("bottle can mug cup glass carton jar bag pack".split())


def quoted(words: Sequence[str]) -> str:
    """Words of an instruction as a message shows them."""
    return ", ".join(f"'{w}'" for w in words)


def _named_before(phrase: Phrase) -> bool:
    """Return whether a proper name stands before the head, which then says what kind of thing it is."""
    return len(phrase.words) > 1 and any(
        t[:1].isupper() and t.lower() in phrase.words[:-1] for t in phrase.text.split()
    )


class NameMatching:
    """The matching of phrases with the names of the nodes of one scene."""

    def __init__(self, names: NodeNames, relaxed: bool) -> None:
        self.names, self.relaxed = names, relaxed

    def called(self, phrase: Phrase, candidates: Sequence[Node]) -> list[Node]:
        """Those whose name ends in the head of a phrase; else in another word for it, or described by it."""
        named = [n for n in candidates if self.names.named(n, phrase, same=False)]
        if named:
            return named
        if phrase.words in _ROBOT:
            raise NoReferent(f"'{phrase}' is who is asked, and no thing")
        others = [] if self._numbered_otherwise(phrase) else candidates
        return [n for n in others if self.names.named(n, phrase)] or self._described(phrase, candidates)

    def by_proper_name(self, phrase: Phrase, candidates: Sequence[Node]) -> list[Node]:
        """Those called by the proper name before the head: "the Monopoly game"."""
        if not self.relaxed or not _named_before(phrase):
            return []
        short = replace(phrase, words=phrase.words[:-1])
        named = [n for n in candidates if self.names.named(n, short)]
        return named if all(self.fits(short.words, n) for n in named) else []

    def in_every_word(self, phrase: Phrase, heads: Sequence[Node]) -> list[Node]:
        """Those that every word of a phrase describes."""
        words = [w for w in phrase.words if w not in FITTING]
        fitting = [n for n in heads if self.fits(words, n)]
        if not fitting and self.relaxed:
            words = [w for w in words if w not in TELLING_NOTHING]
            fitting = [n for n in heads if self.fits(words, n)]
        if not fitting:
            left = [w for w in words if not any(self.names.explained(w, n) for n in heads)]
            which = f": {quoted(left)} {'are' if left[1:] else 'is'} left over" if left else ""
            near = tuple(n.id for n in heads[:3])
            raise NoReferent(f"nothing known fits '{phrase}' in every word{which}", phrase, near)
        return fitting

    def just_so(self, phrase: Phrase, fitting: list[Node]) -> list[Node]:
        """Those with just the name of "the X", where there are any: "the bottle" is no soap_bottle2.

        Of furniture the class goes before the id: "the cabinet" is none of several in particular.
        """
        if phrase.kind != "the":
            return fitting
        whole = "".join(phrase.words)
        called = {n.id: "".join(name_words(n.id)) for n in fitting}
        exact = [n for n in fitting if whole == called[n.id] and n.type == "object"]
        exact = exact or [n for n in fitting if whole in (called[n.id], called[n.id].rstrip("0123456789"))]
        fitting = exact or fitting
        if len(fitting) > 1 and any(relation == "near" for relation, _ in phrase.places):
            # "the desk next to desk 12": any other desk of the room would do for "near".
            near = tuple(n.id for n in fitting[:5])
            raise NoReferent(f"several things could be '{phrase}': say which is meant", phrase, near)
        return fitting

    def shares_head(self, phrase: Phrase, node: Node) -> bool:
        return any(alike(phrase.head, w) for w in self.names.words(node))

    def _numbered_otherwise(self, phrase: Phrase) -> bool:
        """Return whether another word for a thing may not be taken: "bench 2" is no counter2.

        A bench may still be found; and where there are benches, none of another name is the second.
        """
        if not phrase.head.isdigit() or len(phrase.words) < 2:
            return False
        kind = replace(phrase, words=phrase.words[:-1])
        return not self.relaxed or any(self.names.named(n, kind, same=False) for n in self.names.things)

    def runs_on(self, phrase: Phrase) -> str:
        """Name the last words in a reason, where the first name a thing: "the radio overnight"."""
        words, nodes = phrase.words, (*self.names.rooms, *self.names.things)
        for end in reversed(range(1, len(words))):
            if any(self.names.named(n, replace(phrase, words=words[:end])) for n in nodes):
                return f": {quoted(words[end:])} {'are' if words[end + 1 :] else 'is'} left over"
        return ""

    def _described(self, phrase: Phrase, candidates: Sequence[Node]) -> list[Node]:
        """Objects that are called by what describes them: "Peter's valuables", "the husky picture"."""
        describing = [w for w in phrase.words if w not in FITTING]

        def describes(node: Node, word: str) -> bool:
            attribute_words = [w for name in (*node.attributes, *node.state) for w in name_words(name)]
            # What is in a vessel names it: "the wine". An apple core is no apple, a baby monitor no baby.
            parts = [name_words(name) for name in node.classes]
            filled = self.relaxed and any(words[-1] in _VESSELS for words in parts if words)
            kinds = [singular(w) for words in parts for w in (words if filled else words[-1:])]
            return singular(word) in kinds or any(alike(word, w) for w in attribute_words)

        return [
            n
            for n in candidates
            if n.type == "object" and describing and all(describes(n, w) for w in describing)
        ]

    def fits(self, words: Sequence[str], node: Node) -> bool:
        if "".join(words) == "".join(name_words(node.id)) or self.names.synonymous(words, node):
            return True
        room = node.type == "room"
        return all((room and w == "room") or self.names.explained(w, node) for w in words)
