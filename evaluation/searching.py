"""Judgement of a search: did it show what its question is about, and how much else did it open.

A question is answered in a collapsed scene when its answers, and every room that has to be looked into to
know them, were shown. Which rooms those are follows from the gold query:

- the rooms of the answers, and an answer that is a room itself, unless distances alone decide it;
- where answers are compared with others (``:most``, ``:fewest``, ``:nearest-to`` over things), also the rooms
  of the others;
- where there is no answer, every room that the question ranges over: the rooms that it names, and all of a
  class of rooms in it; the whole scene where it has neither.

The rules stay, since rows hold what follows from them. SayPlan's search tasks (appendix C) were judged by
hand, by whether the subgraph was suitable.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from ..compiler.query.answers import find
from ..compiler.query.query import Query, parse_query
from ..datasets.task import Task
from ..domains.formula import TRUE, Count, Exists, Forall, TypedVar, names, walk
from ..pipeline.record import Record
from ..simulator.belief import Belief

OPENING = ("expand", "expand_node")
"""Commands of a search that open a node."""


@dataclass(frozen=True, slots=True)
class SearchJudgement:
    """Judgement of a search.

    ``success``: it came to an answer (or said that there is none, where that is so) with all shown that the
    question needs. ``answered``: what it chose has the answers in it, as many as the question wants;
    ``answer_right``: and nothing else of the kind that is asked for. ``repeated`` counts the commands that
    opened what had been opened before, at which a search stagnates (SayPlan, section 5.1). ``precision`` is
    the share of the rooms opened that had to be; ``None`` where none was opened. ``opened`` and ``needed``
    are numbers of rooms, of ``rooms`` in the scene.
    """

    success: bool = False
    answered: bool = False
    precision: float | None = None
    opened: int = 0
    needed: int = 0
    rooms: int = 0
    answer_right: bool = False
    repeated: int = 0


@dataclass(frozen=True)
class SearchGold:
    """A search task's query, its answers, and the rooms that have to be looked into."""

    task: Task
    belief: Belief

    @cached_property
    def query(self) -> Query:
        return parse_query(self.task.gold.query, f"gold query of {self.task.id}")

    @property
    def enough(self) -> int:
        """The number of answers that suffices."""
        return self.task.gold.any or len(self.task.gold.answers)

    @cached_property
    def compared(self) -> tuple[str, ...]:
        """The rooms to be looked into where answers are compared with others; none where they are not."""
        query = self.query
        if query.measure is None and (query.nearest_to is None or self._of_rooms):
            return ()
        others = find(replace(query, measure=None, nearest_to=None, limit=None), self.belief)
        return self._rooms([name for answer in others.answers for name in answer.nodes])

    @cached_property
    def ranged(self) -> tuple[str, ...]:
        """The rooms that the question ranges over, in scene order."""
        rooms = set(self.belief.scene.by_type.get("room", ()))
        meant = {
            r for v in self._variables for r in self.belief.members(v.type) if r in rooms and v.type != "room"
        }
        meant |= {name for name in names(self.query.condition) if name in rooms}
        meant |= {
            room
            for name in names(self.query.condition)
            if name not in rooms and (room := self.belief.scene.room_of(name)) is not None
        }
        return self._rooms(sorted(meant or rooms))

    def rooms_of(self, answers: tuple[str, ...]) -> tuple[str, ...]:
        """Return the rooms to be looked into to know some answers, in scene order."""
        inside = [a for a in answers if not (self._by_distance and self.belief.scene.nodes[a].type == "room")]
        return self._rooms([*inside, *self.compared])

    @property
    def _by_distance(self) -> bool:
        """True if the distance between rooms decides, which the collapsed scene shows."""
        return self._of_rooms and self.query.condition == TRUE and self.query.measure is None

    @property
    def _of_rooms(self) -> bool:
        scene = self.belief.scene
        members = self.belief.members(self.query.variables[0].type)
        return bool(members) and all(scene.nodes[m].type == "room" for m in members)

    @property
    def _variables(self) -> tuple[TypedVar, ...]:
        query = self.query
        parts = [query.condition, *((query.measure.body,) if query.measure is not None else ())]
        inner = [
            v for p in parts for n in walk(p) if isinstance(n, Exists | Forall | Count) for v in n.variables
        ]
        return (*query.variables, *(query.measure.variables if query.measure is not None else ()), *inner)

    def _rooms(self, nodes: list[str]) -> tuple[str, ...]:
        scene = self.belief.scene
        rooms = {scene.room_of(n) if scene.nodes[n].type != "room" else n for n in nodes}
        return tuple(r for r in scene.by_type.get("room", ()) if r in rooms)


def judge_search(record: Record, task: Task, belief: Belief) -> SearchJudgement:
    """Judge the search of a record against the gold query of its task."""
    gold = SearchGold(task, belief)
    judged = _shown_and_chosen(record, task, gold)
    asked_for = set(belief.members(gold.query.variables[0].type))
    beside = asked_for & set(record.subgraph) - set(task.gold.answers)
    return replace(judged, answer_right=judged.answered and not beside, repeated=repeated_openings(record))


def repeated_openings(record: Record) -> int:
    """Return how many commands of a search opened what an earlier one had opened."""
    opened = [step.get("node") for step in record.trace if step.get("command") in OPENING]
    return len(opened) - len(set(opened))


def _shown_and_chosen(record: Record, task: Task, gold: SearchGold) -> SearchJudgement:
    belief = gold.belief
    shown, scene = set(record.shown), belief.scene
    rooms = scene.by_type.get("room", ())
    opened = [r for r in rooms if r in record.opened]
    if not task.gold.answers:
        needed = gold.ranged
        none = record.outcome == "search-exhausted" or (record.outcome == "answered" and not record.subgraph)
        return _judged(none and set(needed) <= set(opened), none, opened, needed, len(rooms))
    seen = tuple(a for a in task.gold.answers if a in shown or scene.nodes[a].type == "room")
    enough = tuple(a for a in seen if set(gold.rooms_of((a,))) <= set(opened))
    needed = gold.rooms_of(enough[: gold.enough] if len(enough) >= gold.enough else task.gold.answers)
    chosen = sum(a in record.subgraph for a in task.gold.answers) >= gold.enough
    ended = record.outcome == "answered"
    return _judged(ended and len(enough) >= gold.enough, ended and chosen, opened, needed, len(rooms))


def _judged(
    success: bool, answered: bool, opened: list[str], needed: tuple[str, ...], rooms: int
) -> SearchJudgement:
    precision = len(set(opened) & set(needed)) / len(opened) if opened else None
    return SearchJudgement(success, answered, precision, len(opened), len(needed), rooms)
