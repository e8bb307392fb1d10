"""Words for the nodes of a scene: from name, class, synonym, description, state, owner and surroundings.

Linking asks here whether a word names or describes a node. Synonyms belong in ``thesaurus.py``; another
source of words for a node belongs here. A name matches a phrase where its last word is the head of the phrase
and all that is known of the node explains the other words. ``relaxed`` leaves out words that tell nothing;
nothing matches that is merely alike in meaning.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property

from ...simulator.scene import Node, Scene
from .phrases import FITTING, PEOPLE, NoReferent, Phrase
from .thesaurus import SAME, corrected, is_english, one_slip_apart, synonyms
from .words import alike, content_words, name_words, singular

_PETS = frozenset({"dog", "cat", "pet", "doll"})
_OF_PETS = frozenset({"bed", "bowl", "basket", "house"})
TELLING_NOTHING = frozenset("new entire whole".split())
"""Describing words that do not say which thing is meant; any other word that fits nothing is a gap."""
_ROBOT = (("robot",), ("agent",))
_VESSELS = frozenset("bottle can mug cup glass carton jar bag pack".split())


class NodeNames:
    """The words for the nodes of one scene."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self._words: dict[str, frozenset[str]] = {}

    @cached_property
    def things(self) -> tuple[Node, ...]:
        return tuple(n for n in self.scene.nodes.values() if n.type in ("asset", "object", "part"))

    @cached_property
    def rooms(self) -> tuple[Node, ...]:
        return tuple(n for n in self.scene.nodes.values() if n.type == "room")

    def words(self, node: Node) -> frozenset[str]:
        """Every word that may describe a node, without its surroundings."""
        words = self._words.get(node.id)
        if words is None:
            names = [node.id, *node.classes, *node.attributes, *node.state]
            words = frozenset([w for n in names for w in name_words(n)] + content_words(node.description))
            self._words[node.id] = words
        return words

    def around(self, node: Node) -> frozenset[str]:
        """The words of what a node is in or on."""
        return frozenset(w for a in self.scene.ancestors(node.id) for w in name_words(a))

    def named(self, node: Node, phrase: Phrase, same: bool = True) -> bool:
        """Return whether the phrase's head is the last word of the node's id or of one of its classes.

        With ``same`` another word for the same thing or a slip of the keyboard will do.
        """
        words = phrase.words
        if not words:
            return False
        if phrase.head == "room" and node.type == "room":
            return phrase.owner is not None or len(words) > 1 or bool(phrase.places)
        own = name_words(node.id)
        if "".join(words) == "".join(own):
            return True
        if words[-1].isdigit() and len(words) > 1:
            if own[-1:] != words[-1:]:
                return False
            words = words[:-1]
        return any(_is_name(name, words, same) for name in (node.id, *node.classes))

    def is_of_kinds(self, head: str, nodes: Sequence[Node]) -> bool:
        """Return whether a head is a word for several kinds of things: "food" for an apple and a bread.

        Such a node has a class of the head's, and is called by another one.
        """
        word = singular(head)

        def is_called(node: Node) -> bool:
            own = [singular(w) for w in name_words(node.id)]
            classes = [[singular(w) for w in name_words(c)] for c in node.classes]
            return (
                word in own
                or not any(c[-1:] == [word] for c in classes)
                or not any(set(c) <= set(own) for c in classes)
            )

        return not all(map(is_called, nodes))

    def synonymous(self, words: Sequence[str], node: Node) -> bool:
        """Return whether all of the words are another name for a class of a node: "coffee maker"."""
        names = [_in_singular(name_words(c)) for c in node.classes]
        groups = [group for group in SAME if _in_singular(words) in group] if len(words) > 1 else []
        return any(name in group for group in groups for name in names)

    def explained(self, word: str, node: Node) -> bool:
        """Return whether something known about a node says what a describing word says."""
        if word == "empty" and node.type == "asset":
            return not self.scene.children.get(node.id)
        around = self.around(node)
        if word in around or f"{word}s" in around:
            return True
        own = self.words(node)
        if any(alike(word, w) for w in own):
            return True
        others = synonyms((word,))
        if others and any(
            " ".join(name_words(n)) in others or singular(w) in others for n in node.classes for w in own
        ):
            return True
        return not is_english(word) and bool(
            {corrected(word, sorted(own)), corrected(word, sorted(around))} - {word}
        )

    def owner_rooms(self, owner: str) -> frozenset[str]:
        """The rooms of a person or a group: ``jasons_office`` for Jason, the PhD bays for PhD students."""
        names = [w for w in content_words(owner) if singular(w) not in PEOPLE]
        matching = []
        for room in self.rooms:
            words = {*name_words(room.id), *(w for w in content_words(room.description))}
            if names and all(n in words or n + "s" in words or _misspelt(n, words) for n in names):
                matching.append(room.id)
        return frozenset(matching)

    def belongs(self, owner: str) -> bool:
        """Return whether a room is an owner's, or a description says that a thing is."""
        return bool(self.owner_rooms(owner)) or any(
            self._labelled(n, owner) for n in self.scene.nodes.values()
        )

    def _labelled(self, node: Node, owner: str) -> bool:
        description = node.description.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").lower()
        return f"{owner.lower()}'s " in f"{description} "

    def is_somebodys(self, node: Node) -> bool:
        """Return whether a description says whose a thing is, or the place where it is."""
        around = (node, *(self.scene.nodes[a] for a in self.scene.ancestors(node.id)))
        return any(re.search(r"\w['\N{RIGHT SINGLE QUOTATION MARK}]s\b", n.description) for n in around)

    def owned(self, nodes: Iterable[Node], owner: str) -> list[Node]:
        """Those that are said to be somebody's, else those in that person's rooms."""
        nodes = list(nodes)
        labelled = [n for n in nodes if self._labelled(n, owner)]
        rooms = self.owner_rooms(owner)
        here = [n for n in nodes if n.id in rooms or self.scene.room_of(n.id) in rooms]
        in_room = [n for n in labelled if n in here]
        return in_room or labelled or here

    def text(self, node: Node) -> str:
        """A node in words, for comparing meanings."""
        names = [" ".join(w for w in name_words(node.id) if not w.isdigit())]
        names += [" ".join(name_words(c)) for c in node.classes]
        return ", ".join(dict.fromkeys([*names, *(" ".join(name_words(a)) for a in node.attributes)]))


def _is_name(name: str, words: tuple[str, ...], same: bool) -> bool:
    """Return whether a name ends in the last of some words; with ``same`` in a synonym, or a slip of it."""
    parts = [w for w in name_words(name) if not w.isdigit()]
    pets = len(parts) > 1 and parts[0] in _PETS and parts[-1] in _OF_PETS
    if not parts or (pets and parts[0] not in map(singular, words)):  # nobody calls a dog's bed "the bed"
        return False
    last, head = parts[-1], words[-1]
    if singular(last) == singular(head):
        return True
    if not same:
        return False
    misspelt = not is_english(head) and corrected(head, parts[-1:]) == last
    names = {" ".join([*parts[:-1], singular(last)]), singular(last)}
    return misspelt or not synonyms(words).isdisjoint(names)


def _in_singular(words: Sequence[str]) -> str:
    return " ".join((*words[:-1], singular(words[-1]))) if words else ""


def _misspelt(name: str, words: Iterable[str]) -> bool:
    return not is_english(name) and any(
        one_slip_apart(n, w.removesuffix(e))
        for n in (name, name.removesuffix("s"))
        for w in words
        for e in ("", "s")
        if len(w) > 3
    )


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
