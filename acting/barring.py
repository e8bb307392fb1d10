"""Steps that keep failing: what a robot stops believing of the things they are done with.

A step that failed time and again without anything new being seen is given up, and another way is planned. The
planner has no list of forbidden steps; instead the scene that it plans with says that the thing does not
afford what was tried (a stuck drawer cannot be opened), or that a way does not exist. The belief itself is
not touched: nothing of that kind was seen.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ..domains.action import GroundAction
from ..simulator.belief import Belief
from ..simulator.sensing.snapshot import node_now
from ..simulator.step import Step
from ..simulator.world import Refusal, World


@dataclass
class Barred:
    """Affordances and ways that are given up, each with the reason in words."""

    words: dict[str, dict[str, None]] = field(default_factory=dict)
    """Affordances by node."""
    ways: dict[tuple[str, str], None] = field(default_factory=dict)
    reasons: list[str] = field(default_factory=list)

    def give_up(self, step: Step, belief: Belief, tries: int) -> bool:
        """Give up a step; return whether that leaves another way to look for."""
        self.reasons.append(f"{step} failed {tries} times")
        world = World(belief)
        if step.name == "goto" and len(step.args) == 1:
            here, there = world.around(world.stands_at)[-1], step.args[0]
            self.ways |= {(here, there): None, (there, here): None}
            return True
        return self._give_up_affordances(step, world)

    def _give_up_affordances(self, step: Step, world: World) -> bool:
        """Take from the things of a step the affordances without which its action cannot be done."""
        nodes, affordances = world.scene.nodes, world.pack.mapping.affordances
        action = _action_of(step, world)
        given_up = False
        for name in step.args:
            if name not in nodes:
                continue
            needed = {
                a.predicate
                for a in (action.precondition if action is not None else ())
                if a.args == (name,) and a.predicate not in world.pack.fluents
            }
            for word in nodes[name].affordances:
                gives = {a.predicate for a in affordances.get(word, ())}
                if gives & needed or (action is None and gives):
                    self.words.setdefault(name, {})[word] = None
                    given_up = True
        return given_up

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
        if atoms and all(world.facts.holds(a.predicate, (name,)) for a in atoms)
    )
