"""A question back, where an instruction has several readings: what each would be, and what it costs.

It is asked only where whoever made the request allows it; without an answer the run ends as ``ambiguous``.
The answer picks a goal that was said in words, so it is settled as it is, and no reader writes another one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ..compiler.comparison.entailment import equivalent
from ..compiler.goals.goal import Goal
from ..domains.deadline import time_left
from ..domains.storage.json_record import JsonRecord
from ..engines.base import Budget
from ..engines.engine import Engine
from ..engines.result import PlanResult
from ..language.reader import Ambiguity, GoalReading, Readings, Written
from ..language.sentences.saying import say
from ..planners.classical import plan_goal
from ..simulator.belief import Belief
from .understanding import place_in_words

PRICES = 0.5
"""The part of the time left that planning for all readings may take."""


@dataclass(frozen=True)
class Clarification(JsonRecord):
    """A question about an instruction, its readings with a plan for each, and which one was answered."""

    ambiguity: Ambiguity
    belief: Belief
    plans: tuple[PlanResult, ...]
    answer: int | None = None

    @property
    def question(self) -> str:
        return "Which is meant by {}?".format(" and ".join(f'"{p}"' for p in self.ambiguity.phrases))

    @property
    def chosen(self) -> GoalReading | None:
        """The reading that was answered."""
        return None if self.answer is None else self.ambiguity.readings[self.answer]

    def choice(self, number: int) -> str:
        """Return one of the choices in words: the things with their places, and what the goal would be."""
        reading = self.ambiguity.readings[number]
        places = ", ".join(map(self._place, reading.nodes))
        return f"{places}: {self._says(reading)}" if places else self._says(reading)

    def _says(self, reading: GoalReading) -> str:
        return say(reading.goal.formula, self.belief)

    def _place(self, node: str) -> str:
        scene = self.belief.scene
        room = scene.room_of(node)
        where = f" in {room}" if room not in (None, node, scene.nodes[node].parent) else ""
        return f"{place_in_words(node, self.belief)}{where}"

    def as_json(self) -> dict[str, object]:
        readings = [
            {
                "node": reading.node,
                "goal": str(reading.goal),
                "says": self._says(reading),
                "outcome": result.outcome,
                "cost": result.cost,
                "reasons": list(result.reasons),
            }
            for reading, result in zip(self.ambiguity.readings, self.plans, strict=True)
        ]
        return {"question": self.question, "readings": readings, "answer": self.answer}


Answerer = Callable[[Clarification], int | None]
"""Answers a question by the number of a reading, from 0; ``None`` for no answer."""


def in_several_ways(
    readings: Readings, belief: Belief, is_a_choice: Callable[[Goal], bool]
) -> Ambiguity | Written:
    """Return the choices among readings, whose goals differ; where there is one, that, else the first."""
    goals: list[Goal] = []
    for one in readings.written:
        if not isinstance(one, Goal) or not is_a_choice(one):
            continue
        if not any(equivalent(one.formula, other.formula, belief) for other in goals):
            goals.append(one)
    if len(goals) > 1:
        return Ambiguity((readings.phrase,), tuple(GoalReading((), goal) for goal in goals))
    return goals[0] if goals else readings.written[0]


def clarification(ambiguity: Ambiguity, belief: Belief, engine: Engine, limits: Budget) -> Clarification:
    """Plan for each reading, within a share of the time."""
    seconds = (time_left() or limits.seconds) * PRICES / len(ambiguity.readings)
    each = replace(limits, seconds=min(limits.seconds, seconds))
    plans = tuple(plan_goal(one.goal, belief, engine, each) for one in ambiguity.readings)
    return Clarification(ambiguity, belief, plans)
