"""Rooms as the naming protocol shows them: at most 40, those nearest to the task by their words, a line each.

So the prompt of a large building is about as long as the office's. Likeness is that of sentence embeddings
where they are installed, and of shared words otherwise; the vectors of room names are kept for as long as the
process lives. ``MAX_SHOWN``, ``MAX_TOKENS`` and what a line says of a room may be changed with new
recordings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ....simulator.scene import Node, Scene
from ...english.lexical import Lexical
from ...english.words import content_words, name_words, singular
from ...similarity import TextSimilarity
from ..listing import label, name
from ..servers.meter import count_tokens

MAX_SHOWN = 40
"""Most rooms that are shown."""
MAX_TOKENS = 620
"""Most tokens of the rooms that are shown; the office's 37 take about 400."""
MAX_KINDS = 12
"""Most kinds of rooms that are offered; one has at least two rooms and at most ``MAX_SHOWN``."""
MOST_WORDS = 60
"""Most characters of a description."""
MOST_COMPARED = 5000
"""Most different names that are compared by meaning; of more, those nearest to the task by their letters."""


@dataclass(frozen=True)
class RoomList:
    """The rooms of a scene."""

    scene: Scene

    @cached_property
    def rooms(self) -> tuple[str, ...]:
        return self.scene.by_type.get("room", ())

    @cached_property
    def kinds(self) -> dict[str, tuple[str, ...]]:
        """Rooms by class, without the class that all rooms have."""
        kinds: dict[str, list[str]] = {}
        for room in self.rooms:
            for kind in self.scene.nodes[room].classes:
                kinds.setdefault(kind, []).append(room)
        return {k: tuple(r) for k, r in kinds.items() if k != "room"}

    def ranked(self, task: str, similarity: TextSimilarity, among: Sequence[str]) -> list[str]:
        """Return rooms by their likeness to a task, nearest first; equal ones in scene order."""
        texts = {room: self._text(self.scene.nodes[room]) for room in among}
        different = list(dict.fromkeys(texts.values()))
        if len(different) > MOST_COMPARED:
            letters = dict(zip(different, Lexical().scores(task, different), strict=True))
            different = sorted(different, key=lambda text: -letters[text])[:MOST_COMPARED]
        scores = dict(zip(different, similarity.scores(task, different), strict=True))
        spoken = frozenset(singular(w) for part in content_words(task) for w in name_words(part))

        def key(room: str) -> tuple[bool, float]:
            """A room whose whole name the task says is nearest of all."""
            words = {singular(w) for w in name_words(room)}
            return not (words and words <= spoken), -scores.get(texts[room], -1.0)

        return sorted(among, key=key)

    def shown(self, ranked: Sequence[str]) -> tuple[list[str], list[str]]:
        """Return the rooms to show, in scene order, and a line for each."""
        chosen: dict[str, str] = {}
        spent = 0
        for room in ranked[:MAX_SHOWN]:
            line = self._line(self.scene.nodes[room])
            cost = count_tokens(line) + 1
            if spent + cost <= MAX_TOKENS:  # one very long name keeps no other from being shown
                spent += cost
                chosen[room] = line
        order = [room for room in self.rooms if room in chosen]
        lines = [chosen[room] for room in order]
        hidden = len(ranked) - len(order)
        return order, [*lines, *([f"({hidden} more rooms)"] if hidden else [])]

    def offered(self, among: Sequence[str]) -> list[str]:
        """Return the kinds of rooms that can be opened as a whole and of which one at least is shown."""
        shown = frozenset(among)
        several = [k for k, r in self.kinds.items() if 2 <= len(r) <= MAX_SHOWN and shown & set(r)]
        return [k for k in several if len(k) <= MOST_WORDS][:MAX_KINDS]

    def _line(self, room: Node) -> str:
        short = replace(room, description=room.description[:MOST_WORDS], state=())
        floors = self.scene.by_type.get("floor", ())
        above = next((a for a in self.scene.ancestors(room.id) if a in set(floors)), None)
        where = f" on {name(above)}" if above is not None and len(floors) > 1 else ""
        return label(short) + where

    def _text(self, room: Node) -> str:
        words = " ".join(w for w in name_words(room.id) if not w.isdigit())
        return f"{words}, {room.description[:MOST_WORDS]}" if room.description else words
