"""Sightings of a robot on its way: what was seen, what has happened, and what is not sure yet.

A thing is in one of three states of knowledge. One that was seen is where and as it was seen. One that was
only given is believed, and with ``confirm`` nothing ends with it. One without a place is looked for: of one
that nobody has seen it is open in what state it is, and one that was given at a place and is not there may
not exist at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ....compiler.goals.goal import Goal
from ....domains.evaluate import evaluate
from ....domains.formula import Formula, Sometime, names, walk
from ....simulator.belief import Belief
from ....simulator.sensing.observation import Spot
from ....simulator.sensing.open_state import OpenBelief
from ....simulator.sensing.spots import spots_of
from ....simulator.step import Step
from ....simulator.verification import watched
from ....simulator.world import World
from ..looking import rested_on
from .residue import residue, without_missing


class Sightings:
    """Sightings of an execution for a goal; ``belief`` is the one that it has now."""

    def __init__(self, goal: Goal, belief: Belief, confirm: bool) -> None:
        self.goal, self.belief, self.confirm = goal, belief, confirm
        self._given = belief
        self._world = World(belief)
        self._happened: dict[Formula, None] = {}
        self._seen: set[str] = set()
        """The nodes that were seen on the way."""
        self._spots_at = -1
        self._all_spots: tuple[Spot, ...] = ()

    def _note_happened(self) -> None:
        """Note the watched conditions that are sure to hold now."""
        for literal in self._watched():
            if literal in self._happened or not evaluate(literal, self._world):
                continue
            if not self.confirm or not self._rests_on_unseen(literal):
                self._happened[literal] = None

    def _watched(self) -> tuple[Formula, ...]:
        """Return the conditions that are to hold at some time."""
        goal = self.goal.formula
        watches = any(isinstance(part, Sometime) for part in walk(goal))
        return watched(goal, self.belief) if watches else ()

    def _rests_on_unseen(self, formula: Formula) -> tuple[Spot, ...]:
        """Return the spots of what a formula rests on that holds, and what was only given and never seen.

        Several things may each be enough ("a cup on the table" where two are): then all of their spots.
        """
        belief = self.belief
        unseen = [name for name in rested_on(formula, belief) if name not in self._seen]
        things = [name for name in unseen if belief.scene.nodes[name].type == "object"]
        alone = [name for name in things if not self._sure_without([name], formula)]
        if not alone and not self._sure_without(things, formula):
            alone = things
        states = [name for name in unseen if belief.scene.nodes[name].type != "object"]
        return tuple(dict.fromkeys(self._spot_of(name) for name in (*alone, *states)))

    def _sure_without(self, things: Sequence[str], formula: Formula) -> bool:
        """Return whether a formula is sure to hold wherever and however these things are, if at all."""
        if not things:
            return True
        away, unsure = (*self._missing(), *things), (*self._unsure(), *things)
        elsewhere = OpenBelief(
            self.belief, self._spots(), away, self._happened, self._world, unsure=unsure, doubted=things
        )
        return elsewhere.decide(formula) is True

    def _spot_of(self, name: str) -> Spot:
        """Return the spot at which a thing is believed to be."""
        for below, above in pairwise(self._world.around(name)):
            spot = Spot(above, self.belief.scene.nodes[below].relation)
            if spot in self._spots():
                return spot
        return Spot(self._world.around(name)[-1])

    def _rest(self) -> Formula:
        """Return the goal without what has happened, and without what is sure of things without a place."""
        return without_missing(residue(self.goal.formula, self._happened, self._world), self._open())

    def _unsure_of_what_happened(self) -> tuple[Spot, ...]:
        """Return the spots of what was given and never seen, on which it rests that something was so."""
        if not self.confirm:
            return ()
        waiting = (x for x in self._watched() if x not in self._happened and evaluate(x, self._world))
        return tuple(dict.fromkeys(spot for literal in waiting for spot in self._rests_on_unseen(literal)))

    def _on_the_way(self, steps: Sequence[Step], belief: Belief) -> list[Formula]:
        """Return the watched conditions that hold at some time during steps."""
        literals = self._watched()
        if not literals:
            return []
        world = World(belief, literals)
        for step in steps:
            world.apply(step)
        return [literal for literal in literals if world.happened(literal)]

    def _missing(self) -> tuple[str, ...]:
        """Return the things without a place that are looked for: lost on the way, named, or unseen yet."""
        unplaced, given = self.belief.scene.unplaced, self._given.scene.unplaced
        if not unplaced:
            return ()
        if self.belief.unseen:
            return tuple(unplaced)
        named = frozenset(names(self.goal.formula))
        return tuple(i for i in unplaced if i not in given or i in named)

    def _unsure(self) -> tuple[str, ...]:
        """Return the things without a place of which nobody has seen in what state they are."""
        given = self._given.scene.unplaced
        return tuple(
            name for name in self._missing() if name not in self._seen and (self.confirm or name in given)
        )

    def _doubted(self) -> tuple[str, ...]:
        """Return the things that were given at a place, were never seen, and are not there."""
        given = self._given.scene.unplaced
        return tuple(name for name in self._unsure() if name not in given)

    def _unlooked(self) -> tuple[Spot, ...]:
        return tuple(s for s in self._spots() if s not in self.belief.looked)

    def _spots(self) -> tuple[Spot, ...]:
        """Return all spots that are known; the robot's own steps neither make nor end one."""
        if self._spots_at != len(self.belief.log):
            self._spots_at, self._all_spots = len(self.belief.log), spots_of(self.belief)
        return self._all_spots

    def _open(self, world: World | None = None, happened: dict[Formula, None] | None = None) -> OpenBelief:
        """Return the state of what is believed, in which what may be unseen leaves formulas open."""
        now = self._world if world is None else world
        seen = self._happened if happened is None else happened
        missing, more = self._missing(), {"unsure": self._unsure(), "doubted": self._doubted()}
        return OpenBelief(self.belief, self._unlooked(), missing, seen, now, **more)
