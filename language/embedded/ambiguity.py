"""Instructions with several readings: which things "the book" or "it" may be, with the goal for each.

Without a question "the book" of two is read as any of them, or declined. Here each thing that the phrase fits
is taken for the only one, and the instruction read again. Readings whose goals differ, and say no less than
the goal of all of them, are what a question splits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice, product
from math import prod

from ...compiler.certificates.constraints import without_constraints
from ...compiler.comparison.entailment import entails
from ...compiler.goals.goal import Goal
from ...domains.formula import TRUE, Formula, names
from ...simulator.belief import Belief
from ...simulator.scene import Scene
from ..english.linking import Linker
from ..english.phrases import NoReferent, Phrase
from ..english.restrictions import restricted
from ..reader import Ambiguity, GoalReading, NotUnderstood
from .clauses import read_clauses

MAX_CHOICES = 16
"""Most readings that a question offers."""
_Read = tuple[Goal | None, NoReferent | None]
"""A goal, or the gap for which there is none."""
_Tried = dict[tuple[str, ...], _Read]
_Fitting = Mapping[Phrase, tuple[str, ...]]
_Over = Callable[[frozenset[str]], _Read]
Understand = Callable[[str, Scene, frozenset[str]], _Read]
"""Reads an instruction over all nodes of a scene but some."""


def ambiguity(
    understand: Understand, linker: Linker, instruction: str, belief: Belief
) -> Ambiguity | NotUnderstood | None:
    """Return the phrases left open, with the goal for each combination, or why these are too many."""
    scene = belief.scene
    whole, gap = understand(instruction, scene, frozenset())
    for one in (gap, *gap.others) if gap is not None else ():
        if one.phrase is not None and one.phrase.kind == "it" and one.near:
            return _question(
                (one.phrase,), _in_place_of(one.phrase, one.near, instruction, understand, scene)
            )
    least = TRUE if whole is None else without_constraints(whole.formula)
    limits = restricted(instruction)  # what is cut off leaves the rest as ambiguous as it is alone
    requests = [instruction, *([limits.rest] if limits is not None else ())]
    fitting = dict(one for text in requests for one in _fitting(text, linker))
    for phrase in fitting:
        phrases, tried = _left_open([phrase], fitting, partial(understand, instruction, scene), scene)
        if not tried:
            several = " and ".join(f'"{p.text}" ({len(fitting[p])})' for p in phrases)
            reason = f"{several} may mean several things each: more than {MAX_CHOICES} combinations"
            return NotUnderstood(f"{reason}, which is too many for a question; say which is meant")
        few = tried if len(fitting[phrase]) <= MAX_CHOICES else {}
        written = ((nodes, goal) for nodes, (goal, _) in few.items() if goal is not None)
        readings = (
            GoalReading(nodes, goal)
            for nodes, goal in written
            if phrases[1:] or entails(without_constraints(goal.formula), least, belief)
        )
        if (question := _question(phrases, readings)) is not None:
            return question
    return None


def _question(phrases: Sequence[Phrase], readings: Iterable[GoalReading]) -> Ambiguity | None:
    """Return the readings that differ in their goals; ``None`` for fewer than two."""
    choices: dict[Formula, GoalReading] = {}
    for reading in readings:
        choices.setdefault(reading.goal.formula, reading)
    return Ambiguity(tuple(p.text for p in phrases), tuple(choices.values())) if len(choices) > 1 else None


def _left_open(
    phrases: list[Phrase], fitting: _Fitting, read: _Over, scene: Scene, out: frozenset[str] = frozenset()
) -> tuple[list[Phrase], _Tried]:
    """Return phrases with all they leave open, and their combinations as read: none where too many."""
    if phrases[1:] and prod(len(fitting[p]) for p in phrases) > MAX_CHOICES:
        return phrases, {}
    meant = frozenset(i for p in phrases for i in fitting[p])
    combinations = islice(product(*(fitting[p] for p in phrases)), MAX_CHOICES)
    tried = {c: read(out | meant.difference(c)) for c in combinations}
    left = {p: ids for p, ids in fitting.items() if meant.isdisjoint(ids)}
    by_room = any(scene.nodes[i].type == "room" for i in meant)  # which then settles what in it is meant
    seen = [] if by_room else [read(out), *tried.values()]
    more = [p for p, ids in left.items() if _varies(ids, seen)][:1]
    first = next((c for c, (goal, _) in tried.items() if goal is not None), None)
    if not more and phrases[1:] and first is not None:  # two others may be left open once these are settled
        each = (_left_open([p], left, read, scene, out | meant.difference(first))[0] for p in left)
        more = next((others for others in each if others[1:]), [])
    return _left_open([*phrases, *more], fitting, read, scene, out) if more else (phrases, tried)


def _varies(nodes: tuple[str, ...], read: Sequence[_Read]) -> bool:
    """Return whether readings take different ones of some nodes, or one leaves open which is meant."""
    named = {frozenset(names(goal.formula)) & {*nodes} for goal, _ in read if goal is not None}
    return len(named) > 1 or any(gap and len(gap.near) > 1 and {*gap.near} <= {*nodes} for _, gap in read)


def _in_place_of(
    phrase: Phrase, nodes: tuple[str, ...], instruction: str, understand: Understand, scene: Scene
) -> Iterator[GoalReading]:
    """Yield the readings of an instruction with the name of a node where it has a pronoun once."""
    spots = list(re.finditer(rf"\b{re.escape(phrase.text)}\b", instruction, re.I))
    for node in nodes if len(spots) == 1 else ():
        text = f"{instruction[: spots[0].start()]}the {node}{instruction[spots[0].end() :]}"
        goal, _ = understand(text, scene, frozenset())
        if goal is not None:
            yield GoalReading((node,), goal)


def _fitting(instruction: str, linker: Linker) -> Iterator[tuple[Phrase, tuple[str, ...]]]:
    """Yield the definite phrases of one thing that fit several nodes."""
    mentioned = [p for clause in read_clauses(instruction) for f in clause.frames for p in f.mentioned]
    phrases = dict.fromkeys((*mentioned, *(where for p in mentioned for _, where in p.places)))
    for phrase in (p for p in phrases if p.kind == "the" and p.text.lower().startswith("the ")):
        for link in (linker.link, linker.place):
            try:
                nodes = link(phrase).ids
            except NoReferent as gap:
                nodes = gap.near
            if len(nodes) > 1:
                yield phrase, tuple(nodes)
                break
