"""The embedded reader's search of a scene: which room to expand next, and when enough was seen.

The instruction is read on what is visible; a phrase without a node says what to look for. Rooms are expanded
in the order of how likely they hold it (sentence embeddings) and contracted again when nothing in them has to
do with the instruction. No language model is asked. ``PATIENCE`` may be changed; what a view has
not shown must not be looked at, but for the contents of rooms that were expanded before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from ...simulator.scene import Node, Scene
from ...simulator.view import View
from ..english.linking import Linker
from ..english.naming import NodeNames
from ..english.phrases import MINE, PEOPLE, SAID, NoReferent, Phrase, points, says_all
from ..english.words import is_plural, name_words, singular
from ..reader import SearchResult, SearchStep
from ..similarity import TextSimilarity
from .clauses import Clause, read_clauses
from .frames import Frame
from .interpret import Reading, interpret, phrases, unread
from .verbs import tool_for

PATIENCE = 16
"""Rooms that are expanded one by one; after that ever more between two readings."""


MACHINES = ("heat", "cool", "wash")
LIKE = 0.75
"""Least cosine at which a room is kept in view for a thing that may be what a phrase means."""


def nearest(phrase: Phrase, scene: Scene, similarity: TextSimilarity) -> tuple[str, ...]:
    """The nodes whose names are likest to a phrase, for a message: a goal is never written about them."""
    names = NodeNames(scene)
    texts = {n.id: names.text(n) for n in (*names.rooms, *names.things)}
    kinds = list(dict.fromkeys(texts.values()))
    if not kinds or not phrase.words:
        return ()
    scores = dict(zip(kinds, similarity.scores(" ".join(phrase.words), kinds), strict=True))
    return tuple(sorted(texts, key=lambda name: -scores[texts[name]])[:3])


class RoomSearch:
    """One search: the view as it grows and shrinks, and what was done to it."""

    def __init__(
        self, linker: Callable[..., Linker], similarity: TextSimilarity, instruction: str, view: View
    ) -> None:
        self.linker, self.similarity = linker, similarity
        self.instruction, self.view = instruction, view
        self.trace: list[SearchStep] = []
        self.patience = PATIENCE
        self.clauses: tuple[Clause, ...] = read_clauses(instruction)
        self.phrases = list(phrases(self.clauses))
        # Asked only about nodes that the view has shown.
        self.judge = self.linker(view.scene)
        self.matched = {p for p in self.phrases if any(self.judge.related(p, n) for n in view.visible)}

    def run(self) -> SearchResult:
        if (reason := unread(self.clauses, self.instruction)) is not None:
            return self.result("not-understood", (), reason)
        if self.judge.here not in self.view.ids:
            self.open_all(reversed(tuple(self.view.scene.ancestors(self.judge.here))))
        for name in self.named_rooms():
            self.open(name)
        for phrase in self.phrases:  # what an earlier search saw and contracted
            self.recall(phrase)
        result = None
        while result is None:
            linker = self.linker(self.view.subgraph())
            try:
                readings = self.tried(linker)
            except NoReferent as gap:
                result = self.widened(gap)
            else:
                result = self.read(readings[0], linker)
        return result

    def read(self, reading: Reading, linker: Linker) -> SearchResult | None:
        """End with a reading; ``None`` where more of what it is about had to be opened first."""
        # The goal is that of the best of all readings, which the likeliest frames need not have.
        try:
            frames = (*reading.frames, *interpret(self.instruction, linker)[0].frames)
        except NoReferent as gap:
            return self.last(gap.reason)
        spoken_of = dict.fromkeys([*self.phrases, *(p for f in frames for p in f.items)])
        if alike := self.alike(spoken_of, frames, linker):
            self.open_all(alike)
            return None
        more = _is_displaced(reading, linker) or any(_may_be_more(p, linker) for p in spoken_of)
        if more and (closed := self.closed()):
            for name in closed:
                self.open(name)
            return None
        return self.result("found", [*reading.nodes, *linker.used])

    def widened(self, gap: NoReferent) -> SearchResult | None:
        """Open what an attempt misses; end where there is nothing to open."""
        if gap.rooms:
            self.open_all(gap.rooms)
            return None
        missing = gap.phrase
        if missing is not None and missing not in self.phrases:
            self.phrases.append(missing)
            if self.recall(missing):
                return None
        ranked = self.ranked(missing) if missing is not None else []
        if not ranked:
            return self.last(gap.reason)
        self.patience -= 1
        for name in ranked[: 1 if self.patience > 0 else 2 - self.patience]:
            self.open(name)
        return None

    def tried(self, linker: Linker) -> list[Reading]:
        """Read what is visible by the likeliest frames, and then by all.

        Raises :class:`NoReferent` with the phrase or the rooms to look for next, and why.
        """
        reason, first = "", None
        for likeliest in (True, False):
            try:
                return interpret(self.instruction, linker, likeliest)
            except NoReferent as gap:
                # What is not found says more than who asks for it.
                reason = gap.reason if first is None and gap.phrase is not None else reason or gap.reason
                first = first or gap.phrase
                for each in (gap, *gap.others):
                    if hidden := tuple(r for r in each.rooms if r in self.view.closed):
                        raise NoReferent(reason, rooms=hidden) from gap
                    if each.phrase is not None and _is_unseen(each.phrase, linker):
                        raise NoReferent(reason, each.phrase) from gap
                    if likeliest and each.phrase is None:
                        break
        raise NoReferent(reason, first)

    def last(self, reason: str) -> SearchResult:
        """End after everything was looked at: now the less likely readings count, too."""
        relaxed, outcome = False, "search-exhausted"
        while True:
            linker = self.linker(self.view.subgraph(), relaxed)
            try:
                reading = interpret(self.instruction, linker)[0]
            except NoReferent as gap:
                gaps = (gap, *gap.others)
                if not any(g.phrase is not None and _is_unseen(g.phrase, linker) for g in gaps):
                    outcome = "not-understood"  # all that it names is there
                hidden = [r for g in gaps for r in g.rooms if r in self.view.closed]
                if relaxed and not hidden:
                    return self.result(outcome, (), reason)
                relaxed = relaxed or not hidden
            else:
                hidden = [n for n in reading.nodes if n in self.view.closed] if relaxed else []
                if not hidden:
                    return self.result("found", [*reading.nodes, *linker.used])
                relaxed = False
            self.open_all(hidden)

    def result(self, outcome: str, nodes: Sequence[str], reason: str = "") -> SearchResult:
        node_ids = set(nodes)
        ids = tuple(n.id for n in self.view.visible if n.id in node_ids)
        return SearchResult(outcome, ids, self.view, tuple(self.trace), reason)  # type: ignore[arg-type]

    # The view

    def closed(self) -> list[str]:
        """The nodes that can be expanded and never were."""
        expanded_before = set(self.view.memory)
        return [i for i in self.view.closed if i not in expanded_before]

    def open(self, name: str, keep: bool = False) -> None:
        """Expand a node; contract it again if nothing in it has to do with the instruction."""
        if name not in (self.view.closed if keep else self.closed()):
            return
        before = self.view.ids
        self.view = self.view.expand(name)
        self.trace.append(SearchStep("expand", name))
        new = [n for n in self.view.visible if n.id not in before]
        if keep or any(n.type in ("building", "floor", "room") for n in new):
            return
        if not [p for p in self.phrases if self.matters(p, new)]:
            self.view = self.view.contract(name)
            self.trace.append(SearchStep("contract", name))

    def open_all(self, names: Iterable[str]) -> None:
        """Expand nodes, and keep them in view whatever they hold."""
        for name in dict.fromkeys(names):
            self.open(name, keep=True)

    def recall(self, phrase: Phrase) -> bool:
        """Expand again what was seen and contracted before it mattered."""
        scene = self.view.scene
        hidden = [i for i in self.view.closed if i in self.view.memory]
        contents = {i: [scene.nodes[n] for n in scene.descendants(i)] for i in hidden}
        relevant = [i for i in hidden if any(self.judge.related(phrase, n) for n in contents[i])]
        self.open_all(relevant)
        return bool(relevant)

    def matters(self, phrase: Phrase, new: list[Node]) -> bool:
        """Return whether a phrase may mean a new node; by likeness only while no word fits any."""
        if any(self.judge.related(phrase, n) for n in new):
            self.matched.add(phrase)
            return True
        if phrase in self.matched or not phrase.words or phrase.head.isdigit():
            return False
        texts = [self.judge.names.text(n) for n in new]
        return max(self.similarity.scores(" ".join(phrase.words), texts), default=0.0) >= LIKE

    def named_rooms(self) -> list[str]:
        """The rooms that the instruction names, by name or by owner."""
        linker = self.linker(self.view.subgraph())
        names = (n for n in re.findall(r"\b[^\W\d_]{3,}", self.instruction) if n[0].isupper())
        rooms = [room for name in names for room in sorted(linker.names.owner_rooms(name))]
        rooms += [room for phrase in self.phrases for room in _rooms_named(phrase, linker)]
        return [name for name in dict.fromkeys(rooms) if name in self.view.ids]

    def ranked(self, phrase: Phrase) -> list[str]:
        """The nodes to expand next for a phrase, the likeliest first."""
        closed = self.closed()
        words_of = {i: " ".join(w for w in name_words(i) if not w.isdigit()) for i in closed}
        texts = {i: f"This can be found in the {text}." for i, text in words_of.items()}  # better than names
        kinds = list(dict.fromkeys(texts.values()))
        query = str(phrase) if phrase.kind == "tool" else " ".join(phrase.words)
        scores = dict(zip(kinds, self.similarity.scores(query, kinds), strict=True))
        words = set(phrase.words)
        order = {name: index for index, name in enumerate(closed)}

        def key(name: str) -> tuple[float, int]:
            named = len(words & set(name_words(name)))
            return -(scores[texts[name]] + named), order[name]

        return sorted(closed, key=key)

    def alike(self, spoken_of: Iterable[Phrase], frames: Sequence[Frame], linker: Linker) -> list[str]:
        """The closed rooms with furniture that "the X" may mean as well, or that does what a machine does.

        Of what was not shown names and kinds are looked up, as in an index: neither states nor contents.
        """
        where = [f.to for f in frames if f.to is not None]
        bare = [p for p in (*spoken_of, *where) if p.kind == "the" and p.words and not (p.owner or p.places)]
        furniture = (p for p in bare if [n.type for n in linker.places(p)[:1]] == ["asset"])
        kinds = [replace(p, words=p.words[-1:], kind="a") for p in furniture]
        kinds += [tool_for(f.verb) for f in frames if f.relation == "with" and f.to and f.verb in MACHINES]
        nodes: list[Node] = []
        for kind in kinds:
            with suppress(NoReferent):
                nodes += self.judge.link(kind).nodes
        rooms = dict.fromkeys(self.view.scene.room_of(n.id) for n in nodes if n.id not in self.view.ids)
        return [name for name in rooms if name in self.view.closed]


def _rooms_named(phrase: Phrase, linker: Linker) -> Iterator[str]:
    """The rooms of the owner of a phrase, of the people that it means, or of that name."""
    names = linker.names
    if phrase.owner is not None and phrase.owner not in ("his", MINE):
        yield from sorted(names.owner_rooms(phrase.owner))
    if phrase.kind == "person" or (phrase.words and singular(phrase.head) in PEOPLE):
        yield from sorted(names.owner_rooms(" ".join(phrase.words)))
    if phrase.words and phrase.owner is None:
        named = (r for r in names.rooms if names.named(r, phrase))
        yield from (r.id for r in named if linker.matching.fits(phrase.words, r))


def _is_unseen(phrase: Phrase, linker: Linker) -> bool:
    """Return whether no visible node is meant by a phrase."""
    with_room = phrase.kind == "person" and linker.names.owner_rooms(phrase.text)
    return not (with_room or linker.places(phrase))


def _may_be_more(phrase: Phrase, linker: Linker) -> bool:
    """Return whether more of what was found may lie elsewhere, so that the whole scene must be seen."""
    if (phrase.owner == MINE and not phrase.places) or points(phrase) or SAID in phrase.words:
        return True  # the only one, as far as is seen
    if phrase.places:
        return all(relation == "with" for relation, _ in phrase.places)  # "every cabinet with an apple"
    if phrase.owner or not phrase.words:
        return False
    if phrase.generic:
        return phrase.kind == "all" and bool(phrase.words[1:])  # "everything dirty"
    if phrase.number is not None or phrase.total is not None:
        return phrase.kind == "all" or phrase.total is not None  # "all three lamps" of how many
    try:
        nodes = linker.link(phrase).nodes
    except NoReferent:
        return False
    if phrase.kind in ("the", "all") and linker.names.is_of_kinds(phrase.head, nodes):
        return True
    if phrase.kind in ("all", "count"):
        # "The scissors" may be one thing, "all the drawers" are not.
        names = {w for n in nodes for c in n.classes for w in name_words(c)[-1:]}
        return says_all(phrase) or not (is_plural(phrase.head) and phrase.head in names)
    numbered = all(n.type != "object" and "".join(name_words(n.id)[-1:]).isdigit() for n in nodes)
    return phrase.kind == "the" and numbered and not phrase.head.isdigit()


def _is_displaced(reading: Reading, linker: Linker) -> bool:
    """Return whether a thing that is to be left somewhere was not seen there: another may be meant."""
    for frame in reading.frames:
        if frame.mood not in ("stay", "keep", "be") or frame.to is None:
            continue
        try:
            places = set(linker.place(frame.to).ids)
            things = [linker.link(p).nodes for p in frame.items if p.kind == "the"]
        except NoReferent:  # "on it": a place that only the clauses before tell
            continue
        if any(all(places.isdisjoint(linker.scene.ancestors(n.id)) for n in nodes) for nodes in things):
            return True
    return False
