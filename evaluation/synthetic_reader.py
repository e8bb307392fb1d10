"""Reader ``synthetic``: the gold answer with errors put in at given rates, for studies of the loop itself.

It is no model and stands for none: it says what search, check, planning and repair make of errors whose kinds
and rates are known. Kinds are those of SayPlan (``plan_errors``), as far as a goal can have them:

- ``missing_action``: a conjunct of the goal is left out; where there is one alone, the robot only goes there;
- ``wrong_action``: a node is replaced by another of its type that no plan for the gold needs;
- ``incomplete_search``: one of the rooms that have to be opened stays closed;
- ``hallucinated_nodes``: a node gets a name that the scene does not have.

``missing_pose`` is none of them: goals have no way, and Dijkstra leaves none out. For a question the answer
is changed instead: nothing is chosen, or another node, and no name can be made up. Every answer, a repair
too, draws its errors anew from the seed, the task and its number: the same run gives the same answers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from ..compiler.goals.goal import Goal
from ..domains.errors import InputError, clip, did_you_mean
from ..domains.formula import Atom, Formula, conjunction, conjuncts, names, rebuild
from ..language.reader import PLAIN, History, ReaderTraits, SearchResult, Written
from ..simulator.scene import Scene
from ..simulator.view import View
from .gold_reader import GoldReader, open_rooms
from .judging import JudgedTask
from .plan_errors import ErrorKind

SYNTHETIC = "synthetic"
KINDS: tuple[ErrorKind, ...] = ("missing_action", "wrong_action", "incomplete_search", "hallucinated_nodes")
USUAL_RATE = 0.1
"""Rate of every kind where none is given."""
MAX_TEXT = 500


Rates = Mapping[ErrorKind, float]
"""Probability of each kind of error in one answer (``incomplete_search``: in one search); 0 for any other."""


def read_rates(text: str) -> Rates:
    """Read ``KIND=RATE,..``, with 0 for what is not named; an empty text is the usual rate for all.

    Raises :class:`InputError` for anything else, naming what is wrong.
    """
    if not text:
        return dict.fromkeys(KINDS, USUAL_RATE)
    if len(text) > MAX_TEXT:
        raise InputError("rates", f"at most {MAX_TEXT} characters", str(len(text)))
    rates: dict[ErrorKind, float] = {}
    for part in text.split(","):
        name, sign, number = part.strip().partition("=")
        if name == "missing_pose":
            hint = "goals have no poses, so a reader cannot leave one out"
            raise InputError("rates", f"kinds {', '.join(KINDS)}", name, hint)
        kind = next((one for one in KINDS if one == name), None)
        if kind is None or not sign:
            hint = did_you_mean(name, KINDS) or f"kinds are {', '.join(KINDS)}"
            raise InputError("rates", "KIND=RATE with commas between", repr(clip(part)), hint)
        if kind in rates:
            raise InputError("rates", "each kind once", f"{kind} twice")
        rates[kind] = _rate(kind, number)
    return rates


def _rate(kind: str, text: str) -> float:
    try:
        rate = float(text) if text.isascii() and "_" not in text else math.nan
    except ValueError:
        rate = math.nan
    if not 0 <= rate <= 1:
        raise InputError(f"rate of {kind}", "a number from 0 to 1", repr(clip(text)))
    return rate


@dataclass
class SyntheticReader:
    """The reader of one run. ``injected`` are the kinds that it has put in so far, one after the other."""

    case: JudgedTask
    rates: Rates
    seed: int = 0
    name: str = SYNTHETIC
    traits: ReaderTraits = PLAIN
    meter: None = None
    injected: list[ErrorKind] = field(default_factory=list)
    _answers: int = 0

    def search(self, instruction: str, view: View, reason: str = "") -> SearchResult:
        """Open the rooms that the gold rests on, but for one where the search is to be incomplete."""
        random, gold = self._draw(), GoldReader(self.case)
        right = gold.search(instruction, view, reason)
        rooms = [step.node for step in right.trace if step.command == "expand"]
        if rooms and self._strikes("incomplete_search", random):
            rooms.remove(random.choice(rooms))
        opened = open_rooms(view, rooms)
        if not self.case.is_search:
            return SearchResult("found", tuple(n.id for n in opened.view.visible), opened.view, opened.trace)
        chosen = tuple(n for n in right.subgraph if n in opened.view.ids)
        if self._strikes("missing_action", random):
            chosen = ()
        elif chosen and self._strikes("wrong_action", random):
            node_type = view.scene.nodes[chosen[0]].type
            others = [n.id for n in opened.view.visible if n.type == node_type and n.id not in right.subgraph]
            chosen = (random.choice(others),) if others else ()
        if right.outcome != "found" and not chosen:
            return SearchResult("search-exhausted", (), opened.view, opened.trace, right.reason)
        return SearchResult("found", chosen, opened.view, opened.trace)

    def write(self, instruction: str, subgraph: Scene) -> Written:
        """Return the gold goal with the errors that are drawn; without a gold goal there are none."""
        if (lack := GoldReader(self.case).lack) is not None:
            return lack
        random, formula = self._draw(), self.case.gold.formula
        if self._strikes("missing_action", random):
            formula = self._left_out(formula, random)
        if self._strikes("wrong_action", random):
            formula = self._mistaken(formula, subgraph, random)
        if self._strikes("hallucinated_nodes", random):
            formula = self._made_up(formula, random)
        return Goal.of(formula)

    def repair(self, history: History, feedback: Sequence[str]) -> Written:
        """Answer once more, whatever the feedback says."""
        return self.write(history.instruction, history.subgraph)

    def _draw(self) -> Random:
        self._answers += 1
        return Random(f"{self.seed}/{self.case.task.id}/{self._answers}")

    def _strikes(self, kind: ErrorKind, random: Random) -> bool:
        struck = random.random() < self.rates.get(kind, 0.0)
        if struck:
            self.injected.append(kind)
        return struck

    def _left_out(self, formula: Formula, random: Random) -> Formula:
        parts = list(conjuncts(formula))
        if len(parts) > 1:
            parts.pop(random.randrange(len(parts)))
            return conjunction(parts)
        scene = self.case.belief.scene
        rooms = (scene.room_of(name) for name in names(formula) if name in scene.nodes)
        room = next(filter(None, rooms), scene.by_type["room"][0])
        return Atom("robot_at", (room,))

    def _mistaken(self, formula: Formula, subgraph: Scene, random: Random) -> Formula:
        nodes = self.case.belief.scene.nodes
        of_goal = [n for n in dict.fromkeys(names(formula)) if n in nodes and nodes[n].type != "room"]
        random.shuffle(of_goal)
        for name in of_goal:
            alike = [
                other
                for other in subgraph.nodes
                if other in nodes and nodes[other].type == nodes[name].type and other not in self.case.needed
            ]
            if alike:
                return _renamed(formula, name, random.choice(alike))
        others = [n for n in nodes if nodes[n].type == "object" and n not in self.case.needed]
        held = self.case.belief.pack.mapping.robot_held.predicate
        return conjunction((formula, Atom(held, (random.choice(others),)))) if others else formula

    def _made_up(self, formula: Formula, random: Random) -> Formula:
        nodes = self.case.belief.scene.nodes
        of_goal = [n for n in dict.fromkeys(names(formula)) if n in nodes] or [next(iter(nodes))]
        name = random.choice(of_goal)
        made_up = f"{name}_{random.randrange(100, 1000)}"
        while made_up in nodes:
            made_up += "_"
        if name in names(formula):
            return _renamed(formula, name, made_up)
        held = self.case.belief.pack.mapping.robot_held.predicate
        return conjunction((formula, Atom(held, (made_up,))))


def _renamed(formula: Formula, name: str, other: str) -> Formula:
    """Return a formula with another name in the place of one."""
    if isinstance(formula, Atom):
        return Atom(formula.predicate, tuple(other if a == name else a for a in formula.args))
    return rebuild(formula, lambda part: _renamed(part, name, other))
