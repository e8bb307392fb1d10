"""Steps that keep failing: what a robot stops believing of the things they are done with.

A step that failed time and again without anything new being seen is given up, and another way is planned. The
planner has no list of forbidden steps; instead the scene that it plans with says that the thing does not
afford what was tried (a stuck drawer cannot be opened), or that a way does not exist. The belief itself is
not touched: nothing of that kind was seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from ..domains.action import GroundAction
from ..simulator.belief import Belief
from ..simulator.observations.state_words import of_two
from ..simulator.sensing.snapshot import node_now
from ..simulator.step import Step
from ..simulator.world import Refusal, World


@dataclass(frozen=True)
class Excluded:
    """Affordances and ways that are given up, each with the reason in words."""

    words: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Affordances by node."""
    ways: frozenset[tuple[str, str]] = frozenset()
    reasons: tuple[str, ...] = ()

    def without(self, step: Step, belief: Belief, tries: int) -> tuple[Excluded, bool]:
        """Give up a step; return also whether that leaves another way to look for."""
        reasons, world = (*self.reasons, f"{step} failed {tries} times"), World(belief)
        if step.name == "goto" and len(step.args) == 1:
            here, there = world.state.anchor, step.args[0]
            ways = self.ways | {(here, there), (there, here)}
            return replace(self, ways=ways, reasons=reasons), True
        needed, words = list(_needed(step, world)), dict(self.words)
        for name, word in needed:
            words[name] = words.get(name, frozenset()) | {word}
        return replace(self, words=words, reasons=reasons), bool(needed)

    def applied(self, belief: Belief) -> Belief:
        """Return the belief to plan with."""
        scene, world = belief.scene, World(belief)
        change: dict[str, dict[str, object]] = {}
        for name, words in self.words.items():
            if name not in scene.nodes:
                continue
            node = scene.nodes[name]
            # Its state is written out: rules say of a thing without affordances that it has none.
            change[name] = {
                "affordances": tuple(w for w in node.affordances if w not in words),
                "state": node_now(node, world).state or _state_of(name, world),
            }
        if not change and not self.ways:
            return belief
        changed = scene.changed(change=change) if change else scene
        links = tuple(x for x in changed.links if (x.a, x.b) not in self.ways)
        return belief.on(replace(changed, links=links) if self.ways else changed)


def _needed(step: Step, world: World) -> Iterator[tuple[str, str]]:
    """Yield the affordances of the things of a step without which its action cannot be done."""
    nodes, affordances = world.scene.nodes, world.pack.mapping.affordances
    action = _action_of(step, world)
    for name in (name for name in step.args if name in nodes):
        needed = {
            a.predicate
            for a in (action.precondition if action is not None else ())
            if a.args == (name,) and a.predicate not in world.pack.fluents
        }
        for word in nodes[name].affordances:
            gives = {a.predicate for a in affordances.get(word, ())}
            if gives & needed or (action is None and gives):
                yield name, word


def _action_of(step: Step, world: World) -> GroundAction | None:
    """Return the action of the pack that a step would be, ``None`` for a drive and a refused one."""
    effect = world.fork().apply(step)
    if isinstance(effect, Refusal):
        return None
    schemas = world.pack.domain.actions
    actions = (a for a in effect.actions if not a.event and not world.pack.mapping_of(a.name).navigation)
    return next((schemas[a.name].ground(a.args) for a in actions), None)


def _state_of(name: str, world: World) -> tuple[str, ...]:
    """Return the state words of the pack that hold of a node now."""
    states = world.pack.mapping.states
    return tuple(
        word
        for word, atoms in states.items()
        if atoms and not of_two(atoms) and all(world.state.facts.holds(a.predicate, (name,)) for a in atoms)
    )
