"""The state of a world as a scene, and the belief of a robot after a step of its own.

A world changes facts; observations and beliefs are about nodes. Here each node gets the place and the state
words that the facts say: words that hold as before stay, one that came true is added, and so is one that an
event made true at the start. What has no word in the pack stays a fact (``Belief.on``). Where nothing
changed, the scene is the one that it was.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ...domains.formula import GroundAtom
from ..belief import Belief
from ..facts import Facts
from ..observations.state_words import args_of, facts_said, of_two, words_over_two
from ..scene import PLACE_UNKNOWN, Node, Scene
from ..world import Effect, World


def scene_now(world: World, names: Iterable[str] | None = None) -> Scene:
    """Return the scene as a world is now; with ``names``, only these nodes and the robot may differ."""
    scene = world.scene
    agent = scene.agent.id
    changed: dict[str, Node] = {}
    for name in dict.fromkeys((*(scene.nodes if names is None else names), agent)):
        node = scene.nodes.get(name)
        if node is not None and (now := node_now(node, world)) != node:
            changed[name] = now
    if not changed:
        return scene
    nodes = {i: changed.get(i, n) for i, n in scene.nodes.items()}
    return Scene(scene.name, nodes, scene.links, scene.description, scene.losses)


def node_now(node: Node, world: World) -> Node:
    """Return a node with the place and the state that it has now."""
    if node.type == "agent":
        return _robot_now(node, world)
    state = _state_now(node, world)
    if node.type == "object":
        relation, parent = _place_now(node, world)
        if (relation, parent) != (node.relation, node.parent):
            return replace(node, parent=parent, relation=relation, state=state, position=None)
    return node if state == node.state else replace(node, state=state)


def _robot_now(node: Node, world: World) -> Node:
    """Return the robot at the fixed place where it is; what it reaches into is a fact alone."""
    nodes, around = world.scene.nodes, world.state.around(world.state.stands_at)
    place = next(n for n in around if nodes[n].type not in ("object", "part"))
    if place == (node.at or node.parent):
        return node
    parent = world.scene.room_of(place)
    return replace(node, at=place, parent=parent if parent is not None else node.parent, position=None)


def _place_now(node: Node, world: World) -> tuple[str, str | None]:
    """Return relation and parent of a thing; the words of the node itself where they say the same."""
    mapping, facts = world.pack.mapping, world.state.facts
    words = mapping.relations
    own = words.get(node.relation)
    if own is not None and node.parent is not None and facts.holds(own.predicate, args_of(own, node)):
        return node.relation, node.parent
    for word, atom in words.items():
        if len(atom.args) == 1:
            if facts.holds(atom.predicate, (node.id,)):
                return word, world.scene.agent.id
        elif places := facts.with_argument(atom.predicate, 0, node.id):
            return word, places[0][1]
    return PLACE_UNKNOWN, None


def _state_now(node: Node, world: World) -> tuple[str, ...]:
    mapping, start, made = world.pack.mapping, world.belief.facts, world.belief.made
    kept = [w for w in node.state if _all_hold(facts_said(w, node, mapping), world.state.facts)]
    stated = {facts_said(w, node, mapping) for w in kept}
    words = [w for w, atoms in mapping.states.items() if atoms and not of_two(atoms)]
    for word, predicate in words_over_two(mapping):
        words += [f"{word} {args[1]}" for args in world.state.facts.with_argument(predicate, 0, node.id)]
    for word in words:
        facts = facts_said(word, node, mapping)
        if facts in stated or not _all_hold(facts, world.state.facts):
            continue
        if not (_all_hold(facts, start) and made.isdisjoint(facts)):
            kept.append(word)
            stated.add(facts)
    return node.state if tuple(kept) == node.state else tuple(kept)


def _all_hold(atoms: Iterable[GroundAtom], facts: Facts) -> bool:
    return all(facts.holds(atom.predicate, atom.args) for atom in atoms)


def believed_after(belief: Belief, world: World, effect: Effect) -> Belief:
    """Return what a robot believes after a step that it did: the effects of the pack's actions, no more.

    ``world`` began with the belief and has done that step, with ``effect``.
    """
    names: dict[str, None] = {}
    for action in effect.actions:
        ground = belief.pack.domain.actions[action.name].ground(action.args)
        for atom in (*ground.add, *ground.delete):
            names |= dict.fromkeys(atom.args)
    return belief.after(scene_now(world, names), world.state.facts.copy())
