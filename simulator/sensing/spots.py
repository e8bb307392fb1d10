"""Spots: the places of a scene where things may be that are out of sight.

A room, and a pose where rooms may be unknown, is one as a whole; a node is one in each relation that the pack
hides (``[sight]``: inside a fridge that is closed) or that it sees only after a look (``[look]``). Whether a
node can have things in a relation is what the pack says of parents (``[parents]``), where no action changes
it.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from itertools import pairwise
from types import MappingProxyType

from ...domains.formula import Atom, GroundAtom, Var
from ...domains.mapping import AROUND
from ..belief import Belief
from ..facts import Facts
from ..observations.observation import Spot
from ..scene import ANCHORS, Scene
from ..world import World

SEEN_WHOLE: Mapping[str, Container[str]] = MappingProxyType({})
PLACES = ("room", "asset", "part", "object")
"""The types of nodes in or on which things can be."""


def spots_of(
    belief: Belief, in_part: Mapping[str, Container[str]] = SEEN_WHOLE, *, after_looks: bool = False
) -> tuple[Spot, ...]:
    """Return all spots that a belief knows of, in scene order; those looked at already too.

    Of nodes that are ``in_part`` only some predicates are sure: nobody knows whether they hide something.
    With ``after_looks`` a spot that needs a look is one also when that was done, since not every look shows
    all that is there.

    >>> from groundplan import ground, load_pack, load_scene
    >>> office = ground(load_scene("office"), load_pack())
    >>> [str(s) for s in spots_of(office) if s.node in ("kitchen", "fridge")]
    ['kitchen', 'inside_of fridge']
    """
    scene, unplaced = belief.scene, belief.scene.unplaced
    ways_too = "room" in belief.unseen
    listed: list[Spot] = []
    for name, node in scene.nodes.items():
        if node.type == "room" or (ways_too and node.type == "pose"):
            listed.append(Spot(name))
        if node.type in PLACES and name not in unplaced:
            listed += [Spot(name, r) for r in hidden_relations(belief) if holds_things(belief, name, r)]
    # In a room that is looked around in, nothing on its floor is hidden.
    looks = belief.pack.mapping.look if after_looks else ()
    return tuple(
        spot
        for spot in listed
        if spot.relation in (AROUND, *looks) or not _always_shown(spot, belief, in_part)
    )


def hidden_relations(belief: Belief) -> tuple[str, ...]:
    """Return the relations in which a thing may be out of sight, in the order of the pack."""
    mapping = belief.pack.mapping
    return tuple(r for r in mapping.relations if r in mapping.sight or r in mapping.look)


def holds_things(belief: Belief, name: str, relation: str) -> bool:
    """Return whether a thing may be in a relation to a node, by what the pack says of parents.

    Nothing is in a door between rooms. What is shut may hold things although nothing opens it. What lies on
    the floor of a room is seen by whoever is there: the room as a whole is the spot of that.
    """
    if name in belief.scene.door_ends or belief.scene.nodes[name].type in ANCHORS:
        return False
    atom = belief.pack.mapping.parents.get(relation)
    if len(belief.pack.mapping.relations[relation].args) < 2:
        return False
    if atom is None or atom.predicate in belief.pack.fluents:
        return True
    if belief.facts.holds(atom.predicate, at_node(atom, name).args):
        return True
    sight = belief.pack.mapping.sight.get(relation)
    return sight is not None and not belief.facts.holds(sight.predicate, at_node(sight, name).args)


def conditions(spot: Spot, belief: Belief) -> tuple[GroundAtom, ...]:
    """Return the facts without which nobody in the room of a spot sees what is there."""
    mapping = belief.pack.mapping
    tables = (mapping.sight, mapping.look)
    return tuple(at_node(t[spot.relation], spot.node) for t in tables if spot.relation in t)


def conditions_around(spot: Spot, world: World) -> tuple[GroundAtom, ...]:
    """Return the facts that a spot needs, and those of all that hides what it is in, outermost first."""
    belief, needed = world.belief, [conditions(spot, world.belief)]
    for below_it, above in pairwise(world.state.around(spot.node)):
        for relation in hidden_relations(belief):
            atom = belief.pack.mapping.relations[relation]
            there = len(atom.args) == 2 and world.state.facts.holds(atom.predicate, (below_it, above))
            if there and holds_things(belief, above, relation):
                needed.append(conditions(Spot(above, relation), belief))
    return tuple(dict.fromkeys(atom for atoms in reversed(needed) for atom in atoms))


def shown(spot: Spot, belief: Belief, facts: Facts) -> bool:
    """Return whether what is at a spot can be seen by a robot in its room."""
    return all(facts.holds(atom.predicate, atom.args) for atom in conditions(spot, belief))


def room_of_spot(spot: Spot, world: World) -> str | None:
    """Return the room or pose that a spot is in; ``None`` for what is in no room."""
    if world.scene.nodes[spot.node].type == "pose":
        return spot.node
    return world.state.room_of(spot.node)


def at_node(atom: Atom, name: str) -> GroundAtom:
    """Return a pattern of ``?y``, the parent, for a node."""
    return Atom(atom.predicate, tuple(name if isinstance(a, Var) else a for a in atom.args))


def _always_shown(spot: Spot, belief: Belief, in_part: Mapping[str, Container[str]]) -> bool:
    """Return whether a spot is shown whatever happens: it holds now, and no action changes that."""
    atoms, sure = conditions(spot, belief), in_part.get(spot.node)
    if sure is not None and any(atom.predicate not in sure for atom in atoms):
        return False
    static = all(a.predicate not in belief.pack.fluents or _never_changes(a, belief) for a in atoms)
    return static and shown(spot, belief, belief.facts)


def _never_changes(atom: GroundAtom, belief: Belief) -> bool:
    """Return whether no action can delete a fact of a node: each needs a fact of it that nothing adds."""
    (name,) = atom.args
    for action, effect in belief.pack.deleters.get(atom.predicate, ()):
        needs = [a for a in action.precondition if a.args == effect.args]
        static = [a for a in needs if a.predicate not in belief.pack.fluents]
        if all(belief.facts.holds(a.predicate, (name,)) for a in static):
            return False
    return True


def below(scene: Scene, room: str) -> frozenset[str]:
    """Return a room or pose and all that is fixed in it."""
    return frozenset((room, *scene.built_in(room)))
