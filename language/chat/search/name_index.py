"""Index of the things of a scene by name: which nodes a free name such as "the ripe banana" may mean.

A name fits a node when its last word ends the node's id or one of its classes, or is another word for that,
and every other word is explained by the node's class, attributes, states and description, or by the names of
what it is in or on. Where no node has the last word, objects fit that are described by every word ("purple"),
and things with the words in their ids ("coffee": the coffee machine). Nodes that share all their words are
looked at once, so that a look-up takes as long as there are kinds of things, not things. How words are
compared is in ``embedded.naming``; what counts as a fit is here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ....simulator.scene import CONTAINERS, Node, Scene
from ...english.naming import NodeNames
from ...english.phrases import GENERIC, Phrase
from ...english.thesaurus import corrected, is_english, synonyms
from ...english.words import alike, content_words, name_words, singular

MOST_WORDS = 8
"""Most words of a name that are looked at, the last ones."""
LONGEST_NAME = 3
"""Most words of a text that are looked up together, such as "complimentary T-shirt"."""
LONGEST_ROOM = 4
"""Most words of a room's name that are looked up together."""
LONGEST_TEXT_READ = 4000
"""Most characters of a text in which things are looked for beside rooms."""
_APART = re.compile(
    r"[.,;:!?]|\b(?:and|or|in|into|on|onto|at|from|to|inside|under|with|for|then|by)\b", re.IGNORECASE
)
"""What no name reaches across."""
LONGEST_TEXT = 400
"""Most content words of a text that are looked up."""


def looks_for_shown(words: str, shown: Scene) -> bool:
    """Return whether words that ask for something missing fit, in every one, what is shown."""
    fits = NameIndex(shown).fitting(words)
    return bool(fits.nodes) and fits.whole


@dataclass(frozen=True, slots=True)
class Fits:
    """Nodes that a name may mean, in scene order; ``whole`` where they fit in every word of it.

    ``named`` is false where they are only described by it ("purple", "Peter's").
    """

    nodes: tuple[str, ...] = ()
    whole: bool = False
    named: bool = True


def _words(text: str) -> list[str]:
    return [w for part in content_words(text) for w in name_words(part)][:LONGEST_TEXT]


def _parts(node: Node) -> Iterator[list[str]]:
    """Yield the words of a node's id and classes, numbers left out."""
    for name in (node.id, *node.classes):
        if parts := [w for w in name_words(name) if not w.isdigit()]:
            yield parts


def _in_id(words: Sequence[str], node: Node) -> bool:
    """Return whether a thing has words in its id, such as "coffee" in ``coffee_machine``."""
    return {singular(w) for w in words} <= {singular(w) for w in name_words(node.id)}


class Kinds:
    """The things of a scene by all their words: a look-up takes as long as there are kinds of them."""

    def __init__(self, names: NodeNames) -> None:
        self._names = names
        self._forms: dict[str, frozenset[int]] = {}

    def sharing_a_key(self, words: tuple[str, ...]) -> list[list[Node]]:
        """Return the kinds that words may name: those that share a key with them, in scene order."""
        numbered = len(words) > 1 and words[-1].isdigit()
        head = words[-2] if numbered else words[-1]
        keys = {"".join(words), singular(head), *synonyms(words[:-1] if numbered else words)}
        if not is_english(head):
            keys |= {singular(last) for last in self._heads if corrected(head, (last,)) == last}
        numbers = {number for key in keys for number in self._by_key.get(key, ())}
        return [self.all[number] for number in sorted(numbers)]

    def described(self, words: Sequence[str]) -> list[list[Node]]:
        """Return the kinds that are described by every word, in scene order."""
        numbers = frozenset.intersection(*(self._with_form_of(singular(word)) for word in words))
        return [self.all[number] for number in sorted(numbers)]

    def _with_form_of(self, word: str) -> frozenset[int]:
        """Return the numbers of the kinds with a word that is a form of this one."""
        if word not in self._forms:
            near = [own for own in self._by_own if alike(word, own)]
            self._forms[word] = frozenset(number for own in near for number in self._by_own[own])
        return self._forms[word]

    @cached_property
    def all(self) -> list[list[Node]]:
        """Things with the same words, but for the number in the id."""
        kinds: dict[tuple[object, ...], list[Node]] = {}
        for node in self._names.things:
            name = tuple(w for w in name_words(node.id) if not w.isdigit())
            key = (name, node.type, node.classes, node.attributes, node.state, node.description)
            kinds.setdefault(key, []).append(node)
        return list(kinds.values())

    @cached_property
    def _by_key(self) -> dict[str, list[int]]:
        """Numbers of kinds by what may name them: the last word of an id or class, all its words, the id."""
        keys: dict[str, dict[int, None]] = {}
        for number, (node, *_) in enumerate(self.all):
            keys.setdefault("".join(name_words(node.id)), {})[number] = None
            for parts in _parts(node):
                last = singular(parts[-1])
                for key in (last, " ".join([*parts[:-1], last])):
                    keys.setdefault(key, {})[number] = None
        return {key: list(numbers) for key, numbers in keys.items()}

    @cached_property
    def _heads(self) -> tuple[str, ...]:
        """The last words of ids and classes, each once."""
        return tuple(dict.fromkeys(p[-1] for kind in self.all for p in _parts(kind[0])))

    @cached_property
    def _by_own(self) -> dict[str, list[int]]:
        """Numbers of kinds by every word that describes them."""
        kinds: dict[str, list[int]] = {}
        for number, (node, *_) in enumerate(self.all):
            for word in sorted(self._names.words(node)):
                kinds.setdefault(word, []).append(number)
        return kinds


class NameIndex:
    """The things of one scene, by their words."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self._names = NodeNames(scene)
        self._kinds = Kinds(self._names)
        self._cache: dict[tuple[str, ...], Fits] = {}

    def fitting(self, name: str) -> Fits:
        """Return the things that a name fits, those that fit in every word if there are any."""
        exact = self._ids.get("".join(name_words(name)))
        if exact:
            return Fits(exact, True)
        return self.called(name)

    def called(self, name: str) -> Fits:
        """Return the things that a name fits, one among others whose id it is: "plate" is any plate."""
        words = tuple(w for part in content_words(name) for w in name_words(part))[-MOST_WORDS:]
        while words and singular(words[-1]) in GENERIC:
            words = words[:-1]  # "a purple thing"
        if words not in self._cache:
            self._cache[words] = self._fitting(words) if words else Fits()
        return self._cache[words]

    def names_in(self, text: str) -> tuple[str, ...]:
        """Return the runs of a text's words that name things in every word, the longest first choice."""
        words = _words(text)
        names: dict[str, None] = {}
        start = 0
        while start < len(words):
            name = self._name_at(words, start)
            names |= {name: None} if name else {}
            start += len(name.split()) or 1
        return tuple(names)

    def mentions(self, text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield the names of things in a text, each with the rooms that are named behind it, before the next.

        Rooms before any thing stand behind an empty name. A room is called by its whole name, each number in
        "meeting rooms 1 and 3".
        """
        name, rooms, stem = "", list[str](), list[str]()
        for words in map(_words, _APART.split(text[:LONGEST_TEXT_READ])):
            start = 0
            while start < len(words):
                next_name = self._name_at(words, start)
                called, size = self._room_at(words, start, stem)
                if called and size >= len(next_name.split()):
                    rooms += called
                    stem = [singular(word) for word in words[start : start + size - 1]] or stem
                elif next_name:
                    yield name, tuple(rooms)
                    name, rooms, stem = next_name, [], []
                    size = len(next_name.split())
                start += size
        yield name, tuple(rooms)

    def _name_at(self, words: Sequence[str], start: int) -> str:
        """Return the longest name that begins at a word; empty for none."""
        for size in range(min(LONGEST_NAME, len(words) - start), 0, -1):
            name = " ".join(words[start : start + size])
            if self.fitting(name).whole:
                return name
        return ""

    def _room_at(self, words: Sequence[str], start: int, stem: Sequence[str]) -> tuple[list[str], int]:
        """Return the rooms that are called at a word, and the number of their words.

        A number alone goes with the ``stem``, the words of the room before.
        """
        if words[start].isdigit():
            return self._rooms_called.get((*stem, words[start]), []), 1
        for size in range(min(LONGEST_ROOM, len(words) - start), 0, -1):
            rooms = self._rooms_called.get(tuple(map(singular, words[start : start + size])))
            if rooms:
                return rooms, size
        return [], 1

    @cached_property
    def _rooms_called(self) -> dict[tuple[str, ...], list[str]]:
        """Rooms by the words of their id, and by those of a short description."""
        rooms: dict[tuple[str, ...], list[str]] = {}
        for room in self._names.rooms:
            own = content_words(room.description)
            for words in dict.fromkeys((name_words(room.id), tuple(own))):
                if 0 < len(words) <= LONGEST_ROOM:
                    rooms.setdefault(tuple(map(singular, words)), []).append(room.id)
        return rooms

    def nearer(self, nodes: Sequence[str], text: str) -> tuple[str, ...]:
        """Return those of some things that a text places: "apple" with "from Peter" is one in Peter's office.

        All of them where it places none, or different ones by different words.
        """
        words = _words(text)
        things = [self.scene.nodes[n] for n in nodes]
        placed = {tuple(t.id for t in things if self._around(word, t)) for word in words} - {()}
        narrow = [some for some in placed if len(some) < len(nodes)]
        return narrow[0] if len(narrow) == 1 else tuple(nodes)

    def _fitting(self, words: tuple[str, ...]) -> Fits:
        phrase = Phrase(" ".join(words), words)
        named = [kind for kind in self._kinds.sharing_a_key(words) if self._names.named(kind[0], phrase)]
        whole = [n for kind in named for n in kind if self._explained(words[:-1], n)]
        if whole:
            return Fits(self._ordered(whole), True)
        if named:
            return Fits(self._ordered([n for kind in named for n in kind]))
        kinds = self._kinds.described(words)
        fit = [k for k in kinds if k[0].type == "object" or _in_id(words, k[0])]
        return Fits(self._ordered([n for kind in fit for n in kind]), bool(fit), False)

    def _explained(self, words: Sequence[str], node: Node) -> bool:
        own = self._names.words(node)
        return all(
            word.isdigit() or any(alike(word, w) for w in own) or self._around(word, node) for word in words
        )

    def _around(self, word: str, node: Node) -> bool:
        around = self._names.around(node)
        others = synonyms((word,))
        return word in around or f"{word}s" in around or bool(others & around)

    def _ordered(self, nodes: Sequence[Node]) -> tuple[str, ...]:
        return tuple(sorted({n.id for n in nodes}, key=self._order.__getitem__))

    @cached_property
    def _order(self) -> dict[str, int]:
        return {node_id: number for number, node_id in enumerate(self.scene.nodes)}

    @cached_property
    def _ids(self) -> dict[str, tuple[str, ...]]:
        """Things by their id without case, spaces and underscores."""
        ids: dict[str, tuple[str, ...]] = {}
        for node in self._names.things:
            key = "".join(name_words(node.id))
            ids[key] = (*ids.get(key, ()), node.id)
        return ids

    def place(self, node_id: str) -> str | None:
        """Return the room that a thing is in, or the level above where it is in none."""
        room = self.scene.room_of(node_id)
        above = (a for a in self.scene.ancestors(node_id) if self.scene.nodes[a].type in CONTAINERS)
        return room if room is not None else next(above, None)
