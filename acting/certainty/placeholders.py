"""Placeholders in a goal: names for unobserved things that an instruction names.

A placeholder is a node without a place, and looked for. A thing that was seen and fits the phrase in every
word takes its place in the goal, for good. When every place was looked at, a thing of another owner counts as
well; then the end is *not-found*: that nothing fits a phrase proves nothing about a goal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ...domains.errors import SceneError, clip
from ...domains.formula import Formula, names
from ...language.embedded.supposing import Supposition, called, fitting
from ...language.english.phrases import Phrase
from ...simulator.belief import Belief
from ...simulator.observations.observation import Observations
from ...simulator.scene import PLACE_UNKNOWN, Node


@dataclass(frozen=True)
class Placeholders:
    """The placeholders of an instruction, and what was taken for them so far.

    ``phrases`` are their words; ``nodes`` are those that the goal names. ``things`` are, by name, the
    things that were seen and taken for placeholders.
    """

    phrases: Mapping[str, Phrase] = field(default_factory=dict)
    nodes: tuple[Node, ...] = ()
    things: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, supposition: Supposition, goal: Formula) -> Placeholders:
        """Return the placeholders that a goal about a supposition has."""
        nodes = (supposition.belief.scene.nodes[name] for name in names(goal) if name in supposition.phrases)
        lost = (replace(node, parent=None, relation=PLACE_UNKNOWN) for node in nodes)
        return cls(supposition.phrases, tuple(lost))

    @property
    def unbound(self) -> Mapping[str, Phrase]:
        """The phrases of the placeholders in the goal for which nothing was seen, by name."""
        return {node.id: self.phrases[node.id] for node in self.nodes if node.id not in self.things}

    @property
    def taken(self) -> Mapping[str, str | None]:
        """All names, each with the thing that was taken for it."""
        return {name: self.things.get(name) for name in self.phrases}

    def added_to(self, belief: Belief) -> Belief:
        """Return a belief with the placeholders of the goal as nodes without a place."""
        return belief.on(belief.scene.changed(add=self.nodes)) if self.nodes else belief

    def refuse_names(self, observations: Observations) -> None:
        """Raise :class:`SceneError` for a thing that is called like a placeholder."""
        unbound = self.unbound
        for node in observations.nodes:
            if node.id in unbound:
                raise SceneError("observations", "a name that no placeholder has", clip(node.id))

    def fits(self, belief: Belief, relaxed: bool) -> Mapping[str, str]:
        """Return things that were seen and fit, by the name of the placeholder, each for one alone."""
        taken, new = set(self.things.values()), dict[str, str]()
        for name, phrase in self.unbound.items():
            thing = next((i for i in fitting(phrase, belief, relaxed) if i not in taken), None)
            if thing is not None:
                new[name] = thing
                taken.add(thing)
        return new

    def bound_to(self, things: Mapping[str, str]) -> Placeholders:
        """Return the placeholders where more things were taken for some."""
        return replace(self, things={**self.things, **things})

    def reasons(self, reasons: Sequence[str], belief: Belief) -> tuple[str, ...]:
        """Return the reasons of an end, in the words of the instruction: nothing seen fits its phrases."""
        unbound = self.unbound
        not_seen = [_not_seen(phrase, belief) for phrase in unbound.values()]
        return (*not_seen, *(r for r in reasons if not any(name in r for name in unbound)))


NO_PLACEHOLDERS = Placeholders()
"""The placeholders of a goal about things that are known."""


def _not_seen(phrase: Phrase, belief: Belief) -> str:
    """Say that nothing seen fits a phrase, and what is called so and lies elsewhere."""
    near = called(phrase, belief)
    elsewhere = f"; called so, but elsewhere: {', '.join(near[:3])}" if near else ""
    return f"nothing that was seen is '{phrase}'{elsewhere}"
