"""Words for the nodes of a scene: from name, class, synonym, description, state, owner and surroundings.

Linking asks here whether a word names or describes a node. Synonyms belong in ``thesaurus.py``; another
source of words for a node belongs here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from ...simulator.scene import Node, Scene
from .phrases import PEOPLE, Phrase
from .thesaurus import corrected, is_english, one_slip_apart, same_name, synonyms
from .words import alike, content_words, name_words, singular


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

    @property
    def all(self) -> tuple[Node, ...]:
        return tuple(self.scene.nodes.values())

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
        return len(words) > 1 and any(same_name(words, name_words(c)) for c in node.classes)

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
        return bool(self.owner_rooms(owner)) or any(self._labelled(n, owner) for n in self.all)

    def _labelled(self, node: Node, owner: str) -> bool:
        description = node.description.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").lower()
        return f"{owner.lower()}'s " in f"{description} "

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
    if not parts or _is_for_a_pet(parts, words):
        return False
    last, head = parts[-1], words[-1]
    if singular(last) == singular(head):
        return True
    if not same:
        return False
    misspelt = not is_english(head) and corrected(head, parts[-1:]) == last
    names = {" ".join([*parts[:-1], singular(last)]), singular(last)}
    return misspelt or not synonyms(words).isdisjoint(names)


_PETS = frozenset({"dog", "cat", "pet", "doll"})
_OF_PETS = frozenset({"bed", "bowl", "basket", "house"})


def _is_for_a_pet(name: Sequence[str], words: Sequence[str]) -> bool:
    """Return whether a name is of a thing that nobody means without saying for whom it is: a dog's bed."""
    return len(name) > 1 and name[0] in _PETS and name[-1] in _OF_PETS and name[0] not in map(singular, words)


def _misspelt(name: str, words: Iterable[str]) -> bool:
    return not is_english(name) and any(
        one_slip_apart(n, w.removesuffix(e))
        for n in (name, name.removesuffix("s"))
        for w in words
        for e in ("", "s")
        if len(w) > 3
    )
