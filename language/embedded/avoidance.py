"""Restrictions of an instruction as constraints on the run.

What ``english.restrictions`` cuts off is read as requests, so that things are linked as ever. The goal of
what is denied is forbidden: a fact of the robot's place in every state, others as the step that brings them
about. What comes first is a fact before another.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ...domains.formula import (
    TRUE,
    Atom,
    Exists,
    Forall,
    Formula,
    Not,
    Sometime,
    TrajectoryConstraint,
    Var,
    conjunction,
    conjuncts,
    step_atom,
)
from ...domains.pack import Pack
from ..english.facts import RequestFacts
from ..english.phrases import NoReferent
from ..english.restrictions import Forbidden, Restricted


class Restrictions(NamedTuple):
    """Readings of what is restricted beside the goal of all requests, ``whole``, which is about some nodes.

    ``read`` gives the goal of a request, ``None`` where it has several, and ``holds`` says what is so at the
    start. :class:`NoReferent` is raised for what no constraint says.
    """

    read: Callable[[str], Formula | None]
    whole: Formula
    nodes: tuple[str, ...]
    holds: Callable[[Formula], bool]
    pack: Pack

    def constraints(self, limits: Restricted) -> Iterator[Formula]:
        """Yield the constraints of an instruction."""
        yield from (self._denied(one) for one in limits.forbidden)
        if limits.alone:
            one, whole = self._changed(self.read(limits.alone)), self._changed(self.whole)
            other = [part for part in whole if part not in one]
            first, later = (one, other) if limits.begins else (other, one)
            yield self._ordered(first if set(one) <= set(whole) else (), later)
        yield from self._in_sequence(limits.sequence)

    def _in_sequence(self, sequence: Sequence[str]) -> Iterator[Formula]:
        """Yield that what each request adds to the goal comes after what the one before it added."""
        whole, before, first = self._changed(self.whole), list[Formula](), list[Formula]()
        for requests in sequence if whole[1:] else ():
            if (goal_so_far := self.read(requests)) is None:
                raise NoReferent("it is not said which thing is meant by what is done first")
            parts = self._changed(goal_so_far)
            goal = [part.body if isinstance(part, Sometime) else part for part in parts]
            later = [p for p in goal if p not in before and (p in whole or Sometime(p) in whole)]
            later = [part for part in later if not self.holds(part)]
            if first and later:
                yield self._ordered(first, later, any(Sometime(part) in whole for part in first))
            before, first = goal, later or first

    def _changed(self, goal: Formula | None) -> list[Formula]:
        """Return the parts of a goal, but for what is closed or turned off again."""
        again = {RequestFacts(self.pack).predicate(sense) for sense in ("close", "off")}
        parts = conjuncts(goal) if goal is not None else ()
        return [p for p in parts if not (isinstance(p, Atom) and p.predicate in again and self.holds(p))]

    def _ordered(self, first: Sequence[Formula], later: Sequence[Formula], passed: bool = False) -> Formula:
        """Return that a fact comes before another: an order of several would bind a part of them.

        What comes first is to be so in the end, too, and the robot is at one place then: not if ``passed``.
        """
        facts = (*first, *later)
        stops = isinstance(facts[0], Atom) and facts[0].predicate == self.pack.standing if first else True
        runs = any(isinstance(part, Sometime | TrajectoryConstraint) for part in facts)
        if len(first) != 1 or len(later) != 1 or first == later or (stops and not passed) or runs:
            raise NoReferent("an order is read of one thing that is done first, and one after it")
        if (already := next(filter(self.holds, facts), None)) is not None:
            raise NoReferent(f"of an order this is so already: {already}")
        return TrajectoryConstraint("sometime-before", (later[0], first[0]))

    def _denied(self, one: Forbidden) -> Formula:
        """Return the constraint of a clause that denies something."""
        goals = self._readable(one.requests)
        if one.until:
            return self._ordered(self._changed(self.read(one.until)), goals)
        when = self.read(one.during) if one.during else TRUE
        if not isinstance(when, Atom) and when != TRUE:
            raise NoReferent(f"it is not read when it is forbidden to {one.requests[0]}")
        held = self.pack.mapping.robot_held.predicate
        for goal in goals if when == TRUE else ():  # "put the pillows on the couch without touching pillow 1"
            moved = isinstance(goal, Atom) and goal.predicate == held and goal.args[0] in self.nodes
            if moved or (goal in conjuncts(self.whole) and not self.holds(goal)):
                raise NoReferent(f"what is asked for is forbidden, too: {goal}")
        never = [self._never(part, when, one.once) for goal in goals for part in conjuncts(goal)]
        if not never or None in never:
            act = re.sub(r"\Afind ", "touch ", one.requests[-1]).rstrip(".")
            raise NoReferent(f"no step is known that is to {act}")
        return conjunction([part for part in never if part is not None])

    def _readable(self, requests: Sequence[str]) -> list[Formula]:
        """Return the goals of all that can be done to a thing, or of the last where that is nothing."""
        goals: list[Formula] = []
        for request in requests:
            try:
                goal = None if goals and request.startswith("go to ") else self.read(request)
            except NoReferent:
                if request == requests[-1]:
                    raise
                continue
            goals += [goal] if goal not in (None, TRUE) else []
        return goals

    def _never(self, goal: Formula, when: Formula, once: bool) -> Formula | None:
        """Return that the robot is never at a place, or there once, or that it never does a step."""
        variables, fact = (goal.variables, goal.body) if isinstance(goal, Exists | Forall) else ((), goal)
        never: Formula | None = None
        if not isinstance(fact, Atom):
            return None
        if fact.predicate != self.pack.standing:
            if not once and (not variables or fact.args == (Var(variables[0].name),)):
                never = self._no_step(fact, when)
        elif once:
            if self.holds(goal):
                raise NoReferent(f"it is not said whether that counts which is so now: {goal}")
            if when == TRUE and not variables:
                never = TrajectoryConstraint("at-most-once", (fact,))
        elif not (isinstance(goal, Forall) or self._is_there(when, fact)):
            never = TrajectoryConstraint("always", (Not(conjunction([fact, when])),))
        return Forall(variables, never) if variables and never is not None else never

    def _is_there(self, held: Formula, place: Atom) -> bool:
        """Return whether a thing that is not to be held at a place is there now."""
        names = (*held.args, *place.args) if isinstance(held, Atom) else ()
        if len(names) != 2 or not all(isinstance(name, str) for name in names):
            return False
        return self.holds(RequestFacts(self.pack).fact("room", *map(str, names)))

    def _no_step(self, fact: Atom, when: Formula) -> Formula | None:
        """Return that the printed step of one thing is never done that makes a fact true."""
        pack = self.pack
        steps = {
            step.predicate
            for action in pack.manipulations
            if (step := pack.mapping_of(action.name).step) is not None and len(step.args) == 1
            for effect in action.add
            if effect.predicate == fact.predicate and effect.args == step.args and len(fact.args) == 1
        }
        if len(steps) != 1:
            return None
        return TrajectoryConstraint("never-do", (step_atom(steps.pop(), fact.args), when))
