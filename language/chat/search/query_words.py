"""Words that questions about a scene may use: classes, attributes, states, relations, as lists of a prompt.

They are read from the scene and the pack. Rooms and what is in them have lists of their own, since other
words hold of them. A list that is too long is cut to the words nearest to the task, and counts those that
were left out: so the prompt is about as long for any scene. The limits may be changed with new recordings.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from ....domains.mapping import ROOM
from ....simulator.belief import Belief
from ....simulator.scene import CONTAINERS, THINGS
from ...english.lexical import Lexical
from ...english.words import name_words
from ...similarity import TextSimilarity
from ..listing import name
from ..servers.meter import count_tokens

MAX_CLASSES = 450
"""Most tokens of the classes of things; the office's 104 take about 370."""
MAX_PROPERTIES = 150
"""Most tokens of the attributes and states of things."""
MAX_OF_ROOMS = 60
"""Most tokens of the classes of rooms, and of the attributes of rooms."""
MAX_WORD = 60
"""Most characters of a word; longer ones are left out."""
MOST_COMPARED = 2000
"""Most words of one list that are compared by embeddings; of more the nearest by their letters are."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Words of one list that are shown, in scene order, and the number of those that are not."""

    words: tuple[str, ...]
    left_out: int = 0

    def __str__(self) -> str:
        shown = [name(word) for word in self.words]
        return ", ".join([*shown, *([f"({self.left_out} more)"] if self.left_out else [])])


@dataclass(frozen=True, slots=True)
class QueryWords:
    """The words of one request. Types such as ``item`` stand among the classes, which they are the widest of.

    ``relations`` are predicates of two things, ``within`` is that of a thing and the room that it is in.
    """

    things: Choice
    properties: Choice
    rooms: Choice
    room_properties: Choice
    relations: tuple[str, ...]
    within: str

    def lines(self) -> list[str]:
        """Return the lists as lines of a request."""
        named = (
            ("Classes of rooms", self.rooms),
            ("Words for rooms", self.room_properties),
            ("Classes of things", self.things),
            ("Words for things", self.properties),
        )
        lines = [f"{head}: {choice}" for head, choice in named if choice.words or choice.left_out]
        relations = [*self.relations, self.within] if self.within else [*self.relations]
        return [*lines, f"Relations: {', '.join(map(name, relations))}"] if relations else lines


@dataclass(frozen=True)
class AllWords:
    """The words of a scene, before any are left out."""

    belief: Belief

    @cached_property
    def _room_ids(self) -> frozenset[str]:
        return frozenset(self.belief.scene.by_type.get("room", ()))

    @cached_property
    def _thing_ids(self) -> frozenset[str]:
        return frozenset(i for t in THINGS for i in self.belief.scene.by_type.get(t, ()))

    @cached_property
    def room_types(self) -> tuple[str, ...]:
        return ("room",) if self._room_ids and self.belief.is_type("room") else ()

    @cached_property
    def thing_types(self) -> tuple[str, ...]:
        """The types of things under the names that goals use; of two with the same things one."""
        mapping = self.belief.pack.mapping
        types: dict[tuple[str, ...], str] = {}
        for word in (*mapping.types.values(), *mapping.types, *mapping.supertypes):
            members = tuple(self.belief.members(word))
            if members and self._thing_ids.issuperset(members):
                types.setdefault(members, word)
        return tuple(types.values())

    @cached_property
    def _classes(self) -> tuple[list[str], list[str]]:
        """Classes of rooms, and those of things."""
        plain = [c for c in self.belief.scene.by_class if not self._is_type(c)]
        return self._of(plain, self.belief.scene.by_class)

    @cached_property
    def _properties(self) -> tuple[list[str], list[str]]:
        """Attributes and states of rooms, and those of things."""
        public = self.belief.pack.public_predicates()
        scene = self.belief.scene
        attributes = [a for a in scene.by_attribute if a not in public and not self._is_type(a)]
        rooms, things = self._of(attributes, scene.by_attribute)
        derived = self.belief.pack.mapping.derived
        states = [p for p, arity in public.items() if arity == 1 and p not in derived]
        holders = {p: [args[0] for args in self.belief.facts.all(p)] for p in states}
        more_rooms, more_things = self._of([p for p in states if holders[p]], holders)
        return [*more_rooms, *rooms], [*more_things, *things]

    @cached_property
    def relations(self) -> tuple[str, ...]:
        pack = self.belief.pack
        public = pack.public_predicates()
        return tuple(p for p, arity in public.items() if arity == 2 and p not in pack.mapping.derived)

    @cached_property
    def within(self) -> str:
        derived = self.belief.pack.mapping.derived
        return next((p for p in self.belief.pack.public_predicates() if derived.get(p) == ROOM), "")

    def chosen(self, task: str, similarity: TextSimilarity | None) -> QueryWords:
        """Return the words to show: all that fit, those nearest to the task otherwise."""
        rooms, things = self._classes
        room_properties, properties = self._properties
        return QueryWords(
            _nearest(things, MAX_CLASSES, task, similarity, self.thing_types),
            _nearest(properties, MAX_PROPERTIES, task, similarity),
            _nearest(rooms, MAX_OF_ROOMS, task, similarity, self.room_types),
            _nearest(room_properties, MAX_OF_ROOMS, task, similarity),
            self.relations,
            self.within,
        )

    def _is_type(self, word: str) -> bool:
        return self.belief.is_type(word) or word in CONTAINERS - {"room"}

    def _of(self, words: Iterable[str], index: Mapping[str, Iterable[str]]) -> tuple[list[str], list[str]]:
        """Return the words of which some members are rooms, and those of which some are things."""
        of_rooms, of_things = [], []
        for word in words:
            members = index[word]
            if any(m in self._room_ids for m in members):
                of_rooms.append(word)
            if any(m in self._thing_ids for m in members):
                of_things.append(word)
        return of_rooms, of_things


def _nearest(
    words: Sequence[str],
    most: int,
    task: str,
    similarity: TextSimilarity | None,
    always: Sequence[str] = (),
) -> Choice:
    """Return the words that fit into a number of tokens; ``always`` come first and are never left out."""
    short = [w for w in words if len(w) <= MAX_WORD and w.isprintable()]
    spent = sum(_cost(w) for w in always)
    if spent + sum(_cost(w) for w in short[:most]) <= most and len(short) <= most:
        return Choice((*always, *short), len(words) - len(short))
    kept: set[str] = set()
    for word in _ranked(short, task, similarity):
        spent += _cost(word)
        if spent > most:
            break
        kept.add(word)
    return Choice((*always, *(w for w in short if w in kept)), len(words) - len(kept))


def _ranked(words: Sequence[str], task: str, similarity: TextSimilarity | None) -> list[str]:
    """Return words by their likeness to a task, nearest first; equal ones in scene order."""
    measures = [Lexical()] if similarity is None or len(words) > MOST_COMPARED else []
    for measure in (*measures, similarity):
        if measure is not None:
            texts = [" ".join(name_words(word)) or word for word in words]
            scores = dict(zip(words, measure.scores(task, texts), strict=True))
            words = sorted(words, key=lambda word: -scores[word])[:MOST_COMPARED]
    return list(words)


@lru_cache(maxsize=20_000)
def _cost(word: str) -> int:
    return count_tokens(name(word)) + 1
