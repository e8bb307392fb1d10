"""Instructions with several readings: which things "the book" or "it" may be, with the goal for each.

Without a question "the book" of two is read as any of them, or declined. Here each thing that the phrase fits
is taken for the only one, and the instruction read again. Readings whose goals differ, and say no less than
the goal of all of them, are what a question splits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Protocol

from ...compiler.certificates.constraints import without_constraints
from ...compiler.comparison.entailment import entails
from ...compiler.goals.goal import Goal
from ...domains.formula import Formula
from ...simulator.belief import Belief
from ...simulator.scene import Scene
from ..english.linking import Linker
from ..english.links import NoReferent
from ..english.phrases import Phrase
from ..english.restrictions import restricted
from ..reader import Ambiguity, GoalReading
from .clauses import read_clauses

MAX_CHOICES = 8
"""Most readings that a question offers."""


class RuleReader(Protocol):
    """Reader that reads an instruction over all nodes of a scene but some."""

    def linker(self, scene: Scene) -> Linker: ...

    def understood(
        self, instruction: str, scene: Scene, excluded: frozenset[str] = frozenset()
    ) -> tuple[Goal | None, NoReferent | None]:
        """Return the goal, or the gap for which there is none."""
        ...


def ambiguity(reader: RuleReader, instruction: str, belief: Belief) -> Ambiguity | None:
    """Return the first phrase that may mean several things of a scene, with the goal for each."""
    scene = belief.scene
    whole, gap = reader.understood(instruction, scene)
    limits, requests = restricted(instruction), [instruction]
    if limits is not None:  # what is cut off leaves the rest as ambiguous as it is alone
        requests.append(limits.rest)
    for one in (gap, *gap.others) if gap is not None else ():
        if one.phrase is not None and one.phrase.kind == "it" and one.near:
            readings = _in_place_of(one.phrase, one.near, instruction, reader, belief)
            return Ambiguity(one.phrase.text, readings) if len(readings) > 1 else None
    fitting = dict.fromkeys(one for text in requests for one in _fitting(text, reader.linker(scene)))
    for phrase, nodes in fitting:
        choices: dict[Formula, GoalReading] = {}
        for node in nodes:
            goal, _ = reader.understood(instruction, scene, frozenset(nodes) - {node})
            if goal is not None and (whole is None or _says_no_less(goal, whole, belief)):
                choices.setdefault(goal.formula, GoalReading(node, goal))
        if len(choices) > 1:
            return Ambiguity(phrase.text, tuple(choices.values()))
    return None


def _says_no_less(goal: Goal, whole: Goal, belief: Belief) -> bool:
    """Return whether a goal entails another in the end, whatever both ask of the run."""
    return bool(entails(without_constraints(goal.formula), without_constraints(whole.formula), belief))


def _in_place_of(
    phrase: Phrase, nodes: tuple[str, ...], instruction: str, reader: RuleReader, belief: Belief
) -> tuple[GoalReading, ...]:
    """Return the readings of an instruction with the name of a node where it has a pronoun once."""
    spots = list(re.finditer(rf"\b{re.escape(phrase.text)}\b", instruction, re.I))
    readings: dict[Formula, GoalReading] = {}
    for node in nodes if len(spots) == 1 else ():
        text = f"{instruction[: spots[0].start()]}the {node}{instruction[spots[0].end() :]}"
        goal, _ = reader.understood(text, belief.scene)
        if goal is not None:
            readings.setdefault(goal.formula, GoalReading(node, goal))
    return tuple(readings.values())


def _fitting(instruction: str, linker: Linker) -> Iterator[tuple[Phrase, tuple[str, ...]]]:
    """Yield the definite phrases of one thing that fit several nodes, and a question can list."""
    mentioned = [p for clause in read_clauses(instruction) for f in clause.frames for p in f.mentioned]
    for phrase in dict.fromkeys((*mentioned, *(where for p in mentioned for _, where in p.places))):
        if phrase.kind != "the" or not phrase.text.lower().startswith("the "):
            continue
        for link in (linker.link, linker.place):
            try:
                nodes = link(phrase).ids
            except NoReferent as gap:
                nodes = gap.near
            if 1 < len(nodes) <= MAX_CHOICES:
                yield phrase, tuple(nodes)
                break
