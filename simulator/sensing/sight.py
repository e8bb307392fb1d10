"""Sight: what a robot sees of a world from where it is.

It sees the assets, parts and objects of its room, and what it holds; a thing that is in something only where
the pack shows it (``[sight]``, ``[look]``). In a pose of no room it sees the ways on, and what stands there.
The rules are the pack's tables, evaluated on the world's facts; a camera that misses things would be a filter
on what this returns.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from ...domains.mapping import AROUND
from ..belief import Belief
from ..observations.observation import Observations, Spot
from ..scene import ANCHORS, THINGS, Node
from ..world import World
from .snapshot import node_now
from .spots import at_node, hidden_relations, holds_things, shown


def observations_of(world: World) -> Observations:
    """Return what a robot sees in a world now: nodes, ways, and the spots of which it sees everything."""
    scene, belief = world.scene, world.belief
    here = world.state.here
    chains = {
        name: chain
        for name, node in scene.nodes.items()
        if node.type in THINGS and (chain := _chain_in_sight(name, here, world)) is not None
    }
    visible = sorted(chains, key=lambda name: len(chains[name]))  # stable: scene order within a depth
    stops = {here, *(n for n in scene.built_in(here) if scene.nodes[n].type == "pose")}
    ways = tuple(link for link in scene.links if link.a in stops or link.b in stops)
    ends = dict.fromkeys(end for link in ways for end in (link.a, link.b))
    places = [scene.nodes[name] for name in dict.fromkeys((here, *sorted(stops), *ends))]
    above = [n for place in places for n in _levels_above(place.id, belief)]
    nodes = [*dict.fromkeys((*above, *places)), node_now(scene.agent, world)]
    # A door is seen from both of its sides.
    visible += [link.door for link in ways if link.door and link.door not in chains]
    nodes += [_seen_to_hold(node_now(scene.nodes[name], world), world) for name in visible]
    spots = [Spot(here)] if shown(Spot(here), belief, world.state.facts) else []
    for name in (here, *chains):
        if scene.nodes[name].type == "pose":
            continue
        for relation in hidden_relations(belief):
            spot = Spot(name, relation)
            if holds_things(belief, name, relation) and shown(spot, belief, world.state.facts):
                spots.append(spot)
    return Observations(here, _known_parents(nodes), tuple(ways), tuple(spots))


def _seen_to_hold(node: Node, world: World) -> Node:
    """Return a node that can be seen to hold things where those are out of sight, such as a toolbox.

    What is in sight shows that by itself, and so do a node's own words, of what can be opened. The word is
    the pack's for that fact of a parent.
    """
    belief, mapping = world.belief, world.pack.mapping
    words = list(node.affordances)
    for relation in hidden_relations(belief):
        atom = mapping.parents.get(relation)
        if atom is None or atom.predicate in belief.pack.fluents:
            continue
        holds = belief.facts.holds(atom.predicate, at_node(atom, node.id).args)
        if holds and not shown(Spot(node.id, relation), belief, world.state.facts):
            meant = {w: [a.predicate for a in atoms] for w, atoms in mapping.affordances.items()}
            said = any(atom.predicate in meant.get(word, ()) for word in words)
            if not said and not _follows(atom.predicate, node, belief):
                words += [word for word, predicates in meant.items() if predicates == [atom.predicate]][:1]
    return node if len(words) == len(node.affordances) else replace(node, affordances=tuple(words))


def _follows(predicate: str, node: Node, belief: Belief) -> bool:
    """Return whether a rule of the pack says a fact of a node that is known by its words."""
    return any(
        rule.add.predicate == predicate
        and node.type in rule.types
        and all(belief.facts.holds(a.predicate, at_node(a, node.id).args) for a in rule.when)
        and not any(belief.facts.holds(a.predicate, at_node(a, node.id).args) for a in rule.unless)
        for rule in belief.pack.mapping.rules
    )


def _known_parents(nodes: list[Node]) -> tuple[Node, ...]:
    """Return nodes once each; a node that is seen only as the end of a way stands where it is."""
    return tuple({node.id: node for node in nodes}.values())


def _levels_above(place: str, belief: Belief) -> list[Node]:
    """Return the floors and buildings around a place, outermost first."""
    return [belief.scene.nodes[a] for a in reversed(list(belief.scene.ancestors(place)))]


def _chain_in_sight(name: str, here: str, world: World) -> list[str] | None:
    """Return what a thing is in or on, up to the robot's room, if nothing hides it; else ``None``."""
    chain = world.state.around(name)
    held = world.state.facts.holds(world.pack.mapping.robot_held.predicate, (chain[-1],))
    if chain[-1] != here and not held:
        return None
    fixed = next((n for n in chain if world.scene.nodes[n].type not in ("object", *ANCHORS)), None)
    if not held and fixed is not None and not _noticed(fixed, here, world):
        return None
    for below, above in pairwise(chain):
        for relation, atom in world.pack.mapping.relations.items():
            there = len(atom.args) == 2 and world.state.facts.holds(atom.predicate, (below, above))
            hides = there and holds_things(world.belief, above, relation)
            if hides and not shown(Spot(above, relation), world.belief, world.state.facts):
                return None
    return chain


def _noticed(fixed: str, here: str, world: World) -> bool:
    """Return whether a robot notices a fixed thing: after a look around its room, or at the thing."""
    state = world.state
    if shown(Spot(here, AROUND), world.belief, state.facts) or fixed in state.around(state.stands_at):
        return True
    look = world.pack.mapping.look
    atoms = (at_node(atom, fixed) for relation, atom in look.items() if relation != AROUND)
    return any(state.facts.holds(a.predicate, a.args) for a in atoms)
