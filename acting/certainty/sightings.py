"""Sightings of a robot on its way: what was seen, what has happened, and what is not sure yet.

A thing is in one of four states of knowledge. One that was seen is where and as it was seen. One that was
seen in part, as by a picture's description, is where it was seen, and its states are those that were seen or
brought about on conditions that are sure; nothing ends with its others. One that was only given is believed,
and with ``confirm`` nothing ends with it; nor is the scene taken for complete then. One without a place is
looked for: of one that nobody has seen it is open in what state it is, and one that was given at a place and
is not there may not exist at all.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping, Sequence
from itertools import pairwise

from ...compiler.goals.goal import Goal
from ...domains.evaluate import evaluate
from ...domains.formula import Formula, Sometime, names, walk
from ...simulator.belief import Belief
from ...simulator.observations.observation import Spot
from ...simulator.scene import THINGS, Node
from ...simulator.sensing.open_state import OpenBelief
from ...simulator.sensing.spots import SEEN_WHOLE, spots_of
from ...simulator.step import Step
from ...simulator.verification import watched
from ...simulator.world import World
from ..finish import WAYS
from ..looking import needed_kinds, quantified, rested_on
from .evidence import SightEvidence
from .residue import residue, without_missing

ELSEWHERE = "\0"
"""The name of a room that there may be; no node of a scene that was read has it."""


class Sightings:
    """Sightings of an execution for a goal; ``belief`` is the one that it has now."""

    def __init__(self, goal: Goal, belief: Belief, confirm: bool, still: bool) -> None:
        self.goal, self.belief, self.confirm, self.still = goal, belief, confirm, still
        self._given = belief
        self.unseen = belief.unseen or (THINGS if confirm else ())
        """Types of nodes of which there may be more than is known. Where what was given is not taken for
        true, it is not taken for complete; a belief that is marked open says itself what it may lack."""
        self._world = World(belief)
        self._happened: dict[Formula, None] = {}
        self._evidence = SightEvidence(belief, trusts_given=not confirm)
        self._spots_at: tuple[int | str, ...] = ()
        self._all_spots: tuple[Spot, ...] = ()

    def _note_happened(self) -> None:
        """Note the watched conditions that are sure to hold now."""
        for literal in self._watched():
            if literal in self._happened or not self._is_sure(literal, self._world):
                continue
            if not self._rests_on_unseen(literal):
                self._happened[literal] = None

    def _is_sure(self, literal: Formula, world: World) -> bool:
        """Return whether a watched condition is sure to hold in a state of what is believed."""
        return evaluate(literal, world) and self._open(world).decide(literal) is True

    def _watched(self) -> tuple[Formula, ...]:
        """Return the conditions that are to hold at some time."""
        goal = self.goal.formula
        watches = any(isinstance(part, Sometime) for part in walk(goal))
        return watched(goal, self.belief) if watches else ()

    def _rests_on_unseen(self, formula: Formula) -> tuple[Spot, ...]:
        """Return the spots of what a formula rests on that holds, and what was never seen, or in part alone.

        Several things may each be enough ("a cup on the table" where two are): then all of their spots.
        """
        belief, evidence = self.belief, self._evidence
        in_part, rested = evidence.in_part, rested_on(formula, belief)
        unseen = [name for name in rested if name not in evidence.seen]
        things = [name for name in unseen if belief.scene.nodes[name].type == "object"]
        fixed = [name for name in unseen if belief.scene.nodes[name].type != "object"]
        half = {name: in_part[name] for name in in_part if name in rested}
        alone = [name for name in things if not self._sure_without([name], formula)]
        alone += [x for x in half if x not in alone and not self._sure_without((), formula, {x: half[x]})]
        if not alone and not self._sure_without(things, formula, half):
            alone = [*things, *half]
        return tuple(dict.fromkeys(self._spot_of(name) for name in (*alone, *fixed)))

    def _sure_without(
        self, things: Sequence[str], formula: Formula, in_part: Mapping[str, Container[str]] = SEEN_WHOLE
    ) -> bool:
        """Return whether a formula is sure to hold wherever and however these things are, if at all.

        Of nodes that are ``in_part`` it is open in what state they are, but for some predicates.
        """
        if not things and not in_part:
            return True
        away, unsure = (*self._missing(), *things), (*self._unsure(), *things)
        elsewhere = OpenBelief(
            self.belief,
            self._spots(),
            away,
            self._happened,
            self._world,
            unsure=unsure,
            doubted=things,
            in_part=in_part,
            unseen=(),
        )
        return elsewhere.decide(formula) is True

    def _spot_of(self, name: str) -> Spot:
        """Return the spot at which a thing is believed to be."""
        for below, above in pairwise(self._world.around(name)):
            spot = Spot(above, self.belief.scene.nodes[below].relation)
            if spot in self._spots():
                return spot
        nodes, around = self.belief.scene.nodes, self._world.around
        top = around(name)[-1]
        return Spot(top if nodes[top].type in ("room", "pose") else around(self._world.stands_at)[-1])

    def _rest(self) -> Formula:
        """Return the goal without what has happened, and without what is sure of things without a place."""
        return without_missing(residue(self.goal.formula, self._happened, self._world), self._open())

    def _unsure_of_what_happened(self) -> tuple[Spot, ...]:
        """Return the spots of what was given and never seen, on which it rests that something was so."""
        waiting = (x for x in self._watched() if x not in self._happened and evaluate(x, self._world))
        return tuple(dict.fromkeys(spot for literal in waiting for spot in self._rests_on_unseen(literal)))

    def _on_the_way(self, steps: Sequence[Step], belief: Belief) -> list[Formula]:
        """Return the watched conditions that hold at some time during steps."""
        literals = self._watched()
        if not literals:
            return []
        world, happened = World(belief, literals), dict[Formula, None]()
        for step in (None, *steps):
            if step is not None:
                world.apply(step)
            waiting = [x for x in literals if x not in happened and world.happened(x)]
            happened |= dict.fromkeys(x for x in waiting if self._is_sure(x, world))
        return list(happened)

    def _missing(self) -> tuple[str, ...]:
        """Return the things without a place that are looked for: lost on the way, named, or unseen yet."""
        unplaced, given = self.belief.scene.unplaced, self._given.scene.unplaced
        if not unplaced:
            return ()
        if self.belief.unseen:
            return tuple(unplaced)
        goal, belief = self.goal.formula, self.belief
        named = {*names(goal), *(i for kind in quantified(goal) for i in belief.unplaced_members(kind))}
        return tuple(i for i in unplaced if i not in given or i in named)

    def _unsure(self) -> tuple[str, ...]:
        """Return the things without a place of which nobody has seen in what state they are."""
        return tuple(name for name in self._missing() if name not in self._evidence.seen)

    def _doubted(self) -> tuple[str, ...]:
        """Return the things that may not be there at all.

        They are those that were given at a place, were never seen, and are not there, those that a scene
        which is said to be whole has without a place, and in the end those that are at none of all places.
        """
        unsure, given = self._unsure(), self._given.scene.unplaced
        by_name_is_there = self.belief.unseen or not self.confirm
        if by_name_is_there and unsure and (self._unlooked() or not self.still):
            return tuple(name for name in unsure if name not in given)
        return unsure

    def _unlooked(self) -> tuple[Spot, ...]:
        return tuple(s for s in self._spots() if s not in self.belief.looked)

    def _spots(self) -> tuple[Spot, ...]:
        """Return all spots that are known; the robot's own steps neither make nor end one."""
        half = self._evidence.in_part
        if self._spots_at != (len(self.belief.log), *half):
            self._spots_at = (len(self.belief.log), *half)
            self._all_spots = spots_of(self.belief, half, after_looks=True)
        return self._all_spots

    def _taken_for_granted(self, outcome: str) -> tuple[str, ...]:
        """Return what an end rests on beyond what was looked at, a sentence each."""
        if outcome == "unsolvable":
            here = self._world.around(self._world.stands_at)[-1]
            rooms, routes = self.belief.scene.by_type.get("room", ()), self.belief.routes
            apart = self.confirm and not all(routes.connected(here, room) for room in rooms)
            return (WAYS,) if apart else ()
        return self._rests_on_the_scene() if outcome == "verified" else ()

    def _rests_on_the_scene(self) -> tuple[str, ...]:
        goal = self.goal.formula
        counted = dict.fromkeys(needed_kinds(goal, False))
        kinds = [kind for kind in counted if self.belief.may_have_unseen(kind, THINGS)]
        sentences = []
        if kinds and self._open(unseen=(*self.unseen, *THINGS)).decide(goal) is not True:
            sentences = [f"the robot was told of every {kind} that there is" for kind in kinds]
        if "room" in self.unseen and counted:
            beyond = self.belief.on(self.belief.scene.changed(add=(Node(ELSEWHERE, "room"),)))
            missing, unsure = self._missing(), self._unsure()
            there = OpenBelief(
                beyond, (Spot(ELSEWHERE),), missing, self._happened, unsure=unsure, unseen=self.unseen
            )
            if there.decide(goal) is not True:
                sentences.append("there are no rooms but those to which the robot has seen a way")
        return tuple(sentences)

    def _open(
        self,
        world: World | None = None,
        happened: dict[Formula, None] | None = None,
        unseen: Collection[str] | None = None,
    ) -> OpenBelief:
        """Return the state of what is believed, in which what may be unseen leaves formulas open."""
        now = self._world if world is None else world
        seen = self._happened if happened is None else happened
        missing, unsure, doubted = self._missing(), self._unsure(), self._doubted()
        return OpenBelief(
            self.belief,
            self._unlooked(),
            missing,
            seen,
            now,
            unsure=unsure,
            doubted=doubted,
            unseen=self.unseen if unseen is None else unseen,
        )
