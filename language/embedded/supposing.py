"""Things that an instruction speaks of and nobody has seen yet, supposed to be where it says they are.

A reader writes goals about nodes of a scene. Where a robot knows only the furniture, "put the orange in the
fridge" names a thing that is no node yet. :func:`suppose` adds a node for each such phrase: at
the place that the instruction gives it, or else in a room of its own, :data:`SOMEWHERE`. A goal about that
node is a goal about the phrase; :func:`fitting` says which thing it was as soon as one is seen that every
word of the phrase fits. Only single things are supposed: how many "the oranges" are, nobody knows who has not
seen them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ...domains.formula import Atom
from ...domains.pack import Pack
from ...simulator.belief import Belief, ground
from ...simulator.scene import RELATIONS, Link, Node, Scene
from ..english.linking import Linker
from ..english.phrases import FITTING, MINE, NoReferent, Phrase, is_name
from ..english.words import singular
from .clauses import Clause, read_clauses
from .interpret import phrases

SOMEWHERE = "somewhere"
"""Name of the room in which things are supposed to be whose place is not said."""
UNSEEN = "unseen_"
"""Beginning of the names of supposed things, so that none is the name of a real one."""
_ARTICLE = re.compile(r"\A(?:the|an?|my|your|his|her|our|their|some)\s+", re.IGNORECASE)
MOST_SUPPOSED = 8
"""Most things that are supposed for one instruction."""
_INSIDE, _ON = RELATIONS[:2]


@dataclass(frozen=True)
class Supposition:
    """A belief with things that are supposed, and the phrase of each by the name of its node.

    ``places`` are the rooms and furniture where the instruction says that each of them is.
    """

    belief: Belief
    phrases: Mapping[str, Phrase] = field(default_factory=dict)
    places: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def suppose(instruction: str, belief: Belief) -> Supposition:
    """Return a belief with a node for each single thing that an instruction names and no node is called by.

    An instruction that cannot be parsed supposes nothing: its reader says why it cannot be read.
    """
    scene, linker = belief.scene, Linker(belief.scene, belief.pack)
    if SOMEWHERE in scene.nodes:
        return Supposition(belief)
    supposed: dict[str, Phrase] = {}
    places: dict[str, tuple[str, ...]] = {}
    nodes: list[Node] = []
    for phrase in phrases([_to_be_moved(clause, linker) for clause in read_clauses(instruction)]):
        kind = "_".join(word for word in phrase.words if word not in FITTING)
        name = UNSEEN + kind
        if not kind or name in supposed or name in scene.nodes:
            continue
        if len(supposed) == MOST_SUPPOSED or not _is_of_one_unseen_thing(phrase, linker):
            continue
        supposed[name], places[name] = phrase, _places_said(phrase, linker)
        parent = places[name][0] if places[name] else SOMEWHERE
        kinds = tuple(dict.fromkeys((kind, singular(phrase.head))))
        relation = _relation_to(parent, scene)
        nodes.append(Node(name, "object", parent, relation, kinds, _affordances_of_what_moves(belief.pack)))
    if not supposed:
        return Supposition(belief)
    if any(node.parent == SOMEWHERE for node in nodes):
        scene = _with_somewhere(scene)
    return Supposition(replace(ground(scene.changed(add=nodes), belief.pack)), supposed, places)


def suppose_named(names: str, instruction: str, belief: Belief) -> Supposition:
    """Return what is supposed where a reader misses things by name, commas between; nothing new for none."""
    brought = " ".join(f"Bring the {_ARTICLE.sub('', name.strip())}." for name in re.split(r"[,;]", names))
    both = suppose(f"{instruction.rstrip(' .!')}. {brought}", belief)
    return both if both.phrases else suppose(brought, belief)


def fitting(phrase: Phrase, belief: Belief, relaxed: bool = False) -> tuple[str, ...]:
    """Return the movable things with a place that fit a phrase in every word, in scene order.

    ``relaxed`` matches leave out whose the thing is, and words that tell nothing.
    """
    scene, unplaced = belief.scene, belief.scene.unplaced
    linker = Linker(scene, belief.pack, relaxed)
    things = [scene.nodes[i] for i in scene.by_type.get("object", ()) if i not in unplaced]
    try:
        return linker.link(phrase, things).ids
    except NoReferent:
        return ()


def called(phrase: Phrase, belief: Belief) -> tuple[str, ...]:
    """Return the movable things with a place that are called what a phrase says, wherever they are."""
    return fitting(replace(phrase, places=(), owner=None), belief)


def _to_be_moved(clause: Clause, linker: Linker) -> Clause:
    """Return a clause without a first frame in which a thing would be in its place already.

    "Put the vase on the couch in the lounge" is no request about a vase on a couch that is there.
    """
    if len(clause.frames) < 2 or (to := clause.frames[0].to) is None:
        return clause
    places = (place for item in clause.frames[0].items for place in _places_said(item, linker))
    around = {above for place in places for above in linker.scene.ancestors(place)}
    if around.isdisjoint(n.id for n in linker.places(to)):
        return clause
    return replace(clause, frames=clause.frames[1:])


def _is_of_one_unseen_thing(phrase: Phrase, linker: Linker) -> bool:
    """Return whether a phrase is of one thing, and no node has its name."""
    if phrase.kind not in ("the", "a") or phrase.generic or phrase.number not in (None, 1):
        return False
    if phrase.owner in (MINE, "his") or phrase.head.isdigit():
        return False  # whose it is, or which one: nothing that is seen would say
    if phrase.owner is None and len(phrase.words) == 1 and is_name(phrase.text):
        return False
    nodes = (*linker.names.rooms, *linker.names.things)
    return not any(linker.names.named(node, phrase) for node in nodes)


def _places_said(phrase: Phrase, linker: Linker) -> tuple[str, ...]:
    """Return the known places where a phrase says that its thing is, or where its owner's things are."""
    for _, where in phrase.places:
        return tuple(n.id for n in linker.places(where))
    if phrase.owner is None:
        return ()
    rooms = linker.names.owner_rooms(phrase.owner)
    return tuple(room.id for room in linker.names.rooms if room.id in rooms)


def _relation_to(parent: str, scene: Scene) -> str:
    """Return how a thing would be at a place of a scene."""
    if parent == SOMEWHERE or scene.nodes[parent].type == "room":
        return _ON
    affords = scene.nodes[parent].affordances
    return _INSIDE if "open" in affords or "contain" in affords else _ON


def _affordances_of_what_moves(pack: Pack) -> tuple[str, ...]:
    """Return the affordances without which nothing is picked up."""
    needed = {
        atom.predicate
        for action, _ in pack.adders.get(pack.mapping.robot_held.predicate, ())
        for atom in action.precondition
        if isinstance(atom, Atom)
    }
    words = pack.mapping.affordances.items()
    return tuple(word for word, atoms in words if any(atom.predicate in needed for atom in atoms))


def _with_somewhere(scene: Scene) -> Scene:
    """Return a scene with one more room beside that of the robot."""
    here = scene.agent.at or scene.agent.parent or ""
    room = scene.room_of(here) or here
    above = scene.nodes[room].parent if room in scene.nodes else None
    more = scene.changed(add=[Node(SOMEWHERE, "room", above)])
    links = (*more.links, Link(SOMEWHERE, room, 1.0))
    return Scene(more.name, more.nodes, links, more.description, more.losses)
