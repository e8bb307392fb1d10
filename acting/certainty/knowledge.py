"""Knowledge of a robot on its way, as a value: what was seen, what is only given, what decides its goal.

A thing is in one of four states of knowledge. One that was seen is where and as it was seen. One that was
seen in part, as by a picture's description, is where it was seen, and its states are those that were seen or
brought about on conditions that are sure; nothing ends with its others. One that was only given is believed,
and with ``confirm`` nothing ends with it; nor is the scene taken for complete then. One without a place is
looked for: of one that is unobserved it is open in what state it is, and one that was given at a place and
is not there may not exist at all. A placeholder stands for a thing that is known by words only.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise

from ...compiler.certificates.constraints import avoiding
from ...compiler.goals.goal import Goal
from ...domains.action import PlanAction
from ...domains.evaluate import evaluate
from ...domains.formula import (
    Formula,
    Sometime,
    TrajectoryConstraint,
    names,
    walk,
    with_names,
)
from ...simulator.belief import Belief
from ...simulator.observations.observation import Spot, StepOutcome
from ...simulator.scene import THINGS
from ...simulator.sensing.open_state import OpenBelief
from ...simulator.sensing.snapshot import believed_after
from ...simulator.sensing.spots import SEEN_WHOLE, spots_of
from ...simulator.step import Step
from ...simulator.verification import Breaker, watched
from ...simulator.world import Refusal, World
from ..looking import in_sight, quantified, rested_on
from .mendable import mendable_errors
from .observed_facts import ObservedFacts
from .placeholders import NO_PLACEHOLDERS, Placeholders
from .remaining import without_happened, without_missing
from .run_constraints import RunConstraints


@dataclass(frozen=True, eq=False)
class Knowledge:
    """Knowledge about a goal: ``belief`` is the one that the robot has now, ``given`` the one at the start.

    With ``still`` nobody else moves things. ``spots`` are all that are known, ``happened`` the watched
    conditions of the goal that were sure to hold at some time, and ``actions`` are those of the pack that
    the robot did, as far as it believed them possible.
    """

    goal: Goal
    belief: Belief
    given: Belief
    confirm: bool
    still: bool
    observed: ObservedFacts
    spots: tuple[Spot, ...]
    placeholders: Placeholders = NO_PLACEHOLDERS
    happened: tuple[Formula, ...] = ()
    actions: tuple[PlanAction, ...] = ()
    memory: Mapping[Formula, int] = field(default_factory=dict)
    """What the run so far did to the constraints of the goal and the rules, as far as it is believed."""
    breakers: Mapping[Formula, Breaker] = field(default_factory=dict)
    """What broke those of them that are broken."""

    @classmethod
    def at_start(
        cls,
        goal: Goal,
        belief: Belief,
        confirm: bool = True,
        still: bool = True,
        placeholders: Placeholders = NO_PLACEHOLDERS,
        earlier: Knowledge | None = None,
    ) -> Knowledge:
        """Return what is known before anything was seen; of the run so far, what was ``earlier`` known.

        Ways that the goal bars are gone on no look either. Raises :class:`GoalError` for a goal with errors
        that seeing more cannot mend.
        """
        belief = placeholders.added_to(belief)
        mendable_errors(goal, belief, belief.unseen or (THINGS if confirm else ()))
        belief = avoiding(goal.formula, belief)
        observed = ObservedFacts(belief, trusts_given=not confirm)
        spots = spots_of(belief, after_looks=True)
        start = cls(goal, belief, belief, confirm, still, observed, spots, placeholders)
        if earlier is not None:
            start = replace(start, memory=earlier.run.world.memory.states, breakers=earlier.breakers)
        return start._noting_breakers("start")._noting_what_happened()

    # New knowledge

    def after(self, step: Step | None, outcome: StepOutcome) -> Knowledge:
        """Return the knowledge after a step, or after looking around where there is none.

        Raises :class:`SceneError` for observations that form no scene with what is believed, or name what is
        neither believed nor seen, or a placeholder.
        """
        self.placeholders.refuse_names(outcome.observations)
        belief, actions, memory = self.belief, tuple[PlanAction, ...](), self.run.world.memory.states
        if step is not None and outcome.done:
            world = self.run.world.fork()
            effect = world.apply(step)
            if not isinstance(effect, Refusal):  # else it was done all the same: what is seen says what is so
                belief, actions = believed_after(belief, world, effect), effect.actions
                memory = world.memory.states
        belief = belief.observe(outcome.observations)
        observed = self.observed.after(actions, outcome.observations, belief)
        # The robot's own steps neither make nor end a spot.
        in_part, before = observed.in_part, self.observed.in_part
        same = len(belief.log) == len(self.belief.log) and list(in_part) == list(before)
        spots = self.spots if same else spots_of(belief, in_part, after_looks=True)
        actions = (*self.actions, *actions)
        later = replace(self, belief=belief, observed=observed, spots=spots, actions=actions, memory=memory)
        return later._noting_breakers("others")._noting_what_happened()

    def looked_again(self) -> Knowledge:
        """Return the knowledge where only what is in sight now counts as looked at."""
        seen_now = frozenset(spot for spot in self.belief.looked if in_sight(spot, self.run.world))
        return replace(self, belief=replace(self.belief, looked=seen_now))

    def bound(self, relaxed: bool = False) -> Knowledge | None:
        """Return the knowledge where things that were seen replace placeholders, ``None`` where none fits.

        ``relaxed`` lets a thing of another owner fit.
        """
        new = self.placeholders.fits(self.belief, relaxed)
        if not new:
            return None
        goal = Goal.of(with_names(self.goal.formula, new))
        belief = self.belief.on(self.belief.scene.changed(remove=tuple(new)))
        spots = spots_of(belief, self.observed.in_part, after_looks=True)
        placeholders = self.placeholders.bound_to(new)
        later = replace(self, goal=goal, belief=belief, spots=spots, placeholders=placeholders)
        return later._noting_what_happened()

    def _noting_what_happened(self) -> Knowledge:
        """Return the knowledge with the watched conditions that are sure to hold now."""
        waiting = (x for x in self.watched if x not in self.happened and self.is_sure(x, self.run.world))
        new = tuple(literal for literal in waiting if not self.rests_on_unseen(literal))
        return replace(self, happened=(*self.happened, *new)) if new else self

    def _noting_breakers(self, otherwise: Breaker) -> Knowledge:
        """Return the knowledge with what broke each constraint: a step that was done or what was seen."""
        breakers = self.run.breakers_now(otherwise)
        return self if breakers is self.breakers else replace(self, breakers=breakers)

    # Parts of the world

    @cached_property
    def run(self) -> RunConstraints:
        """The constraints on the run, in the world that is believed now."""
        return RunConstraints(self.goal.formula, self.belief, self.memory, self.breakers)

    @property
    def unseen(self) -> tuple[str, ...]:
        """Types of nodes of which there may be more than is known.

        Where what was given is not taken for true, it is not taken for complete; a belief that is marked open
        says itself what it may lack.
        """
        return self.belief.unseen or (THINGS if self.confirm else ())

    @cached_property
    def unlooked(self) -> tuple[Spot, ...]:
        return tuple(spot for spot in self.spots if spot not in self.belief.looked)

    @cached_property
    def missing(self) -> tuple[str, ...]:
        """The things without a place that are looked for: lost on the way, named, or unseen yet."""
        unplaced, given = self.belief.scene.unplaced, self.given.scene.unplaced
        if not unplaced or self.belief.unseen:
            return tuple(unplaced)
        goal, belief = self.goal.formula, self.belief
        named = {*names(goal), *(i for kind in quantified(goal) for i in belief.unplaced_members(kind))}
        return tuple(i for i in unplaced if i not in given or i in named)

    @cached_property
    def unsure(self) -> tuple[str, ...]:
        """The things without a place of which nobody has seen in what state they are."""
        return tuple(name for name in self.missing if name not in self.observed.seen)

    @cached_property
    def doubted(self) -> tuple[str, ...]:
        """The things that may not be there at all.

        They are those that were given at a place, were never seen, and are not there, those that a scene
        which is said to be whole has without a place, and in the end those that are at none of all places.
        """
        by_name_is_there = self.belief.unseen or not self.confirm
        if by_name_is_there and self.unsure and (self.unlooked or not self.still):
            return tuple(name for name in self.unsure if name not in self.given.scene.unplaced)
        return self.unsure

    def spot_of(self, name: str) -> Spot:
        """Return the spot at which a thing is believed to be."""
        nodes, around = self.belief.scene.nodes, self.run.world.state.around
        for below, above in pairwise(around(name)):
            spot = Spot(above, nodes[below].relation)
            if spot in self.spots:
                return spot
        top = around(name)[-1]
        return Spot(top if nodes[top].type in ("room", "pose") else self.run.world.state.here)

    # Truth

    @cached_property
    def value(self) -> bool | None:
        """The truth of goal and rules now, ``None`` where something is to be seen before."""
        return self.open().decide(self.run.end)

    @cached_property
    def remaining(self) -> Formula:
        """The goal without what has happened, and without what is sure of things without a place."""
        goal = self.run.remaining(self.goal.formula) if self.run.watched else self.goal.formula
        left = without_happened(goal, self.happened, self.run.world)
        return without_missing(left, self.open())

    @cached_property
    def watched(self) -> tuple[Formula, ...]:
        """The conditions that are to hold at some time."""
        goal = self.goal.formula
        if not any(isinstance(part, Sometime) for part in walk(goal)):
            return ()
        return tuple(c for c in watched(goal, self.belief) if not isinstance(c, TrajectoryConstraint))

    def open(
        self,
        world: World | None = None,
        happened: Collection[Formula] | None = None,
        unseen: Collection[str] | None = None,
    ) -> OpenBelief:
        """Return the state of what is believed, in which what may be unseen leaves formulas open."""
        return OpenBelief(
            self.belief,
            self.unlooked,
            self.missing,
            self.happened if happened is None else happened,
            self.run.world if world is None else world,
            unsure=self.unsure,
            doubted=self.doubted,
            unseen=self.unseen if unseen is None else unseen,
        )

    def is_sure(self, literal: Formula, world: World) -> bool:
        """Return whether a watched condition is sure to hold in a state of what is believed."""
        return evaluate(literal, world) and self.open(world).decide(literal) is True

    def rests_on_unseen(self, formula: Formula) -> tuple[Spot, ...]:
        """Return the spots of what a formula rests on that holds, and what was never seen, or in part alone.

        Several things may each be enough ("a cup on the table" where two are): then all of their spots.
        """
        belief, in_part = self.belief, self.observed.in_part
        rested = rested_on(formula, belief)
        unseen = [name for name in rested if name not in self.observed.seen]
        things = [name for name in unseen if belief.scene.nodes[name].type == "object"]
        half = {name: in_part[name] for name in in_part if name in rested}
        alone = [name for name in things if not self._sure_without([name], formula)]
        alone += [x for x in half if x not in alone and not self._sure_without((), formula, {x: half[x]})]
        if not alone and not self._sure_without(things, formula, half):
            alone = [*things, *half]
        fixed = [name for name in unseen if name not in things]
        return tuple(dict.fromkeys(map(self.spot_of, (*alone, *fixed))))

    def _sure_without(
        self, things: Sequence[str], formula: Formula, in_part: Mapping[str, Container[str]] = SEEN_WHOLE
    ) -> bool:
        """Return whether a formula is sure to hold wherever and however these things are, if at all.

        Of nodes that are ``in_part`` it is open in what state they are, but for some predicates.
        """
        if not things and not in_part:
            return True
        elsewhere = OpenBelief(
            self.belief,
            self.spots,
            (*self.missing, *things),
            self.happened,
            self.run.world,
            unsure=(*self.unsure, *things),
            doubted=things,
            in_part=in_part,
            unseen=(),
        )
        return elsewhere.decide(formula) is True
