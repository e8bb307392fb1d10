"""Reader ``gold``: it writes the gold goal of its task, and opens what the gold rests on.

With it a method that works through a reader shows what its other parts are worth: what fails then is no
reader's fault. It knows the answer, so its results stand outside of any ranking.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..domains.formula import Count, Exists, Forall, names, walk
from ..language.chat.search.name_index import NameIndex
from ..language.reader import (
    PLAIN,
    History,
    NotUnderstood,
    ReaderTraits,
    SearchResult,
    SearchStep,
    Written,
    name_in,
)
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
        """Open the rooms of what the gold goal names or ranges over, or those that the gold query needs.

        For a planning task also the nearest room with what a reason names.
        """
        scene, task = self.case.belief.scene, self.case.task
        if self.lack is not None:
            return _found(view, (), ())
        if not self.case.is_search:
            formula = self.case.gold.formula
            quantified = (n for n in walk(formula) if isinstance(n, Exists | Forall | Count))
            classes = dict.fromkeys(v.type for one in quantified for v in one.variables)
            members = (n for name in classes for n in self.case.belief.members(name))
            nodes = (*(n for n in names(formula) if n in scene.nodes), *members)
            also = self._nearest(name_in(reason), view) if reason else ()
            return _found(view, nodes, filter(None, map(scene.room_of, (*nodes, *also))))
        gold = SearchGold(task, self.case.belief)
        answers = task.gold.answers[: gold.enough]
        result = _found(view, answers, gold.rooms_of(answers) if answers else gold.ranged)
        if answers:
            return result
        return SearchResult("search-exhausted", (), result.view, result.trace, "the scene has none")

    def _nearest(self, words: str, view: View) -> tuple[str, ...]:
        """Return the thing nearest to the robot that words name and a view does not show, if there is one."""
        belief = self.case.belief
        nodes = NameIndex(belief.scene).fitting(words).nodes
        there = [n for n in nodes if n not in view.ids and belief.routes.connected(belief.start, n)]
        return tuple(sorted(there, key=lambda n: belief.routes.distance(belief.start, n))[:1])

    @property
    def lack(self) -> NotUnderstood | None:
        """The reason why there is no goal to write: a task is to be declined, or has no gold."""
        gold = self.case.task.gold
        if gold.goal or self.case.is_search:
            return None
        return NotUnderstood(gold.unsolvable or "the task has no gold", declined=bool(gold.unsolvable))

    def write(self, instruction: str, subgraph: Scene) -> Written:
        return self.lack or self.case.gold

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
