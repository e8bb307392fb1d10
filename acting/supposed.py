"""Execution of a goal about things that are only supposed: each is bound to the first thing seen that fits.

Until then a supposed thing is one without a place, and looked for; where the instruction says that it is, it
is believed to be likely. A thing that was seen and fits the phrase in every word takes its place in the goal,
for good. When every place was looked at, a thing of another owner counts as well; then the end is
*not-found*: that nothing fits a phrase proves nothing about a goal.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..compiler.goals.goal import Goal
from ..domains.errors import SceneError, clip
from ..domains.formula import names, with_names
from ..domains.mapping import AROUND
from ..language.embedded.supposing import Supposition, called, fitting
from ..language.english.phrases import Phrase
from ..planners.request import Request
from ..simulator.belief import Belief
from ..simulator.observations.observation import Change, Spot, StepOutcome
from ..simulator.scene import PLACE_UNKNOWN, Node
from ..simulator.world import World
from .certainty.mendable import mendable_errors
from .execution import Execution
from .policy import Priors, Uniform

SAID = 50.0
"""Times by which a place is likelier for a thing where the instruction says that it is there."""


@dataclass(frozen=True)
class SaidPlaces:
    """Priors by which things are where the instruction says, and otherwise where others believe them.

    ``places`` are rooms and furniture by the name of a thing.
    """

    places: Mapping[str, tuple[str, ...]]
    others: Priors

    def weight(self, thing: str, spot: Spot, belief: Belief) -> float:
        """Return the weight of the others, times :data:`SAID` at a place that was said."""
        scene, weight = belief.scene, self.others.weight(thing, spot, belief)
        around = (spot.node, *scene.ancestors(spot.node))
        for place in self.places.get(thing, ()):
            # A look around a room shows what is on its furniture, too.
            if place in around or (spot.relation == AROUND and spot.node == scene.room_of(place)):
                return weight * SAID
        return weight


class SupposedExecution(Execution):
    """An execution for the goal of an instruction about a supposition.

    ``belief`` is what the robot knows, without what is supposed; ``goal`` may name that. ``bound`` are, by
    name, the things that were seen and taken for supposed ones. With ``tidy`` doors and switches of which the
    goal says nothing are put back in the end, too, those that were opened to look inside among them. It has
    no log that could be gone on from: a goal that changes is in none. Further options are those of
    :class:`Execution`.
    """

    def __init__(
        self,
        belief: Belief,
        goal: Goal,
        supposition: Supposition,
        *args: Any,
        priors: Priors | None = None,
        tidy: bool = True,
        **options: Any,
    ) -> None:
        mentioned = [name for name in names(goal.formula) if name in supposition.phrases]
        self.bound: dict[str, str] = {}
        self._given_names = tuple(supposition.phrases)
        self._phrases: dict[str, Phrase] = {name: supposition.phrases[name] for name in mentioned}
        missing = (
            replace(supposition.belief.scene.nodes[name], parent=None, relation=PLACE_UNKNOWN)
            for name in mentioned
        )
        request = Request(_with(belief, tuple(missing)), goal=goal, tidy=tidy)
        likely = SaidPlaces(supposition.places, priors or Uniform())
        super().__init__(request, *args, priors=likely, **options)
        self.tidying.doors = True

    def report(self, outcome: StepOutcome) -> tuple[Change, ...]:
        """Take what came of a step, and bind what is supposed to what was seen.

        Raises :class:`SceneError` for a thing that is called like a supposed one.
        """
        for node in outcome.observations.nodes:
            if node.id in self.unbound:
                raise SceneError("observations", "a name that no supposed thing has", clip(node.id))
        changes = super().report(outcome)
        if changes:
            self._bind(relaxed=False)
        return changes

    @property
    def unbound(self) -> Mapping[str, Phrase]:
        """The phrases of the supposed things of which none was seen, by name."""
        return {name: phrase for name, phrase in self._phrases.items() if name not in self.bound}

    @property
    def taken(self) -> Mapping[str, str | None]:
        """The names of all supposed things, each with the thing that was taken for it."""
        return {name: self.bound.get(name) for name in self._given_names}

    def _bind(self, relaxed: bool) -> bool:
        """Put things that were seen in the place of supposed ones; return whether there was one."""
        taken = set(self.bound.values())
        new: dict[str, str] = {}
        for name, phrase in self.unbound.items():
            fit = [i for i in fitting(phrase, self.belief, relaxed) if i not in taken]
            if fit:
                new[name] = fit[0]
                taken.add(fit[0])
        if not new:
            return False
        self.bound |= new
        self.goal = Goal.of(with_names(self.goal.formula, new))
        self.belief = _without(self.belief, tuple(new))
        self._world = World(self.belief, (), self.belief.facts.copy())
        self._errors = mendable_errors(self.goal, self.belief, self.unseen)
        self._queue.clear()
        self._purpose, self._pending, self._due, self._spots_at = None, None, True, ()
        self._note_happened()
        return True

    def _end(self, outcome: str, reasons: tuple[str, ...], places: tuple[str, ...] = ()) -> None:
        if outcome == "verified" or not self.unbound:
            return super()._end(outcome, reasons, places)
        if self._bind(relaxed=True):
            return None
        not_seen = tuple(map(self._not_seen, self.unbound))
        others = (r for r in reasons if not any(name in r for name in self.unbound))
        return super()._end("not-found" if outcome == "unsolvable" else outcome, (*not_seen, *others), places)

    def _not_seen(self, name: str) -> str:
        """Say that nothing seen fits a phrase, and what is called so and lies elsewhere."""
        phrase = self._phrases[name]
        near = called(phrase, self.belief)
        elsewhere = f"; called so, but elsewhere: {', '.join(near[:3])}" if near else ""
        return f"nothing that was seen is '{phrase}'{elsewhere}"


def _with(belief: Belief, nodes: tuple[Node, ...]) -> Belief:
    return belief.on(belief.scene.changed(add=nodes)) if nodes else belief


def _without(belief: Belief, gone: tuple[str, ...]) -> Belief:
    return belief.on(belief.scene.changed(remove=gone))
