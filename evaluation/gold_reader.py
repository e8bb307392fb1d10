"""Reader ``gold``: it writes the gold goal of its task, and opens what the gold rests on.

With it a method that works through a reader shows what its other parts are worth: what fails then is no
reader's fault. It knows the answer, so its results stand outside of any ranking.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..domains.formula import names
from ..language.reader import PLAIN, History, NotUnderstood, ReaderTraits, SearchResult, SearchStep, Written
from ..simulator.scene import Scene
from ..simulator.view import View
from .judging import JudgedTask
from .searching import SearchGold


@dataclass(frozen=True)
class GoldReader:
    """The reader of one task; whatever it is asked, it answers for that task."""

    case: JudgedTask
    name: str = "gold"
    traits: ReaderTraits = PLAIN
    meter: None = None

    def search(self, instruction: str, view: View, reason: str = "") -> SearchResult:
        """Open the rooms of the nodes that the gold goal names, or those that the gold query needs."""
        scene, task = self.case.belief.scene, self.case.task
        if not self.case.is_search:
            nodes = tuple(n for n in names(self.case.gold.formula) if n in scene.nodes)
            return _found(view, nodes, filter(None, map(scene.room_of, nodes)))
        gold = SearchGold(task, self.case.belief)
        answers = task.gold.answers[: gold.enough]
        result = _found(view, answers, gold.rooms_of(answers) if answers else gold.ranged)
        if answers:
            return result
        return SearchResult("search-exhausted", (), result.view, result.trace, "the scene has none")

    def write(self, instruction: str, subgraph: Scene) -> Written:
        return self.case.gold

    def repair(self, history: History, feedback: Sequence[str]) -> Written:
        return NotUnderstood("the gold goal is the only one that this reader knows")


def _found(view: View, nodes: Sequence[str], rooms: Iterable[str]) -> SearchResult:
    """Open rooms; choose nodes that are shown then."""
    opened = open_rooms(view, rooms)
    shown = tuple(n for n in nodes if n in opened.view.ids)
    return SearchResult("found", shown, opened.view, opened.trace)


def open_rooms(view: View, rooms: Iterable[str]) -> SearchResult:
    """Expand rooms, and what they are in, from the top; choose nothing."""
    trace = []
    for room in dict.fromkeys(rooms):
        for level in (*reversed(tuple(view.scene.ancestors(room))), room):
            if level in view.ids and level in view.closed:
                view = view.expand(level)
                trace.append(SearchStep("expand", level))
    return SearchResult("found", (), view, tuple(trace))
