"""The initial state of a BDDL activity as a scene.

BDDL names rooms, the furniture in them (``inroom``) and the places of things (``ontop``, ``inside``); it has
no geometry and no affordances. What it states must be kept as it is. What it leaves open is chosen here, the
same way for every activity; another choice changes every scene, and the results measured on them:

- A room is a node named by its kind. Any two rooms are :data:`WAY` metres apart.
- An object with an ``inroom`` is furniture (an asset). It can be moved only where the goal places it
  elsewhere and nothing is, or is to be, inside it: chairs go into a van, a loaded car does not go anywhere.
- Everything else is an object that can be picked up.
- A thing carries others where the file places something on any of its synset, initially or in the goal, and
  where the robot stands on it; it is a container where the file places something ``inside`` one.
- It opens, or has a switch, where the file uses such a state for its synset, or the synset is ``openable`` or
  ``toggleable`` in the package's own annotations (``synsets/behavior.json``). Without a given state it is
  closed and off.
- What is placed nowhere and covers or fills something is a substance. It cannot be picked up, and hangs on
  the first thing that it covers or fills; where it is later is said by the states of things.
- Things can be covered, filled or cooked where the file says so of their synset, as with carrying. Where
  there are substances, what the annotations call ``fillable`` can be filled as well, and takes things inside
  where the file puts nothing on it.
- What is not there yet and is made of one thing (``making``) hangs on that till then. Of what is mixed no
  place is known.
- BEHAVIOR-100 has no substances: what is ``dusty``, ``stained`` or ``soaked`` there is covered with dust or a
  stain, or saturated with water (:data:`IMPLIED`). A sink gives water there.
- The classes of a thing are its synset (``apple.n.01``) and the words of that (``apple``).

Facts that a scene cannot hold are left out, each with its reason in :attr:`Scene.losses`.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files

from ...domains.errors import SceneError, clip
from ...simulator.scene import PLACE_UNKNOWN, Link, Loss, Node, Scene, containers_around
from .making import made_things
from .predicates import ARITY, AT_FIRST, FIRST_USES, IMPLIED, RELATIONS, STATES, SUBSTANCES, USES_OF_PLACES
from .text import AGENT, Activity, Fact, goal_atoms, words_of

WAY = 5.0
"""Metres between any two rooms, since BDDL gives no distances."""
MAX_ROOMS = 100
WATER = "water.n.06"

FRAGMENT = frozenset(("ontop", "inside", "open", "toggled_on", "inroom", "real"))
"""GRASIF's filter of BDDL's predicates: its set has the activities with no others."""


def bddl_scene(activity: Activity) -> Scene:
    """Build the scene of an activity. Raises :class:`SceneError` for facts that are not well-formed."""
    return _Builder(activity, evidence(activity), made_things(activity)).scene()


@cache
def annotated(kind: str) -> frozenset[str]:
    """Return the synsets that BEHAVIOR's annotations call ``openable``, ``toggleable`` or ``fillable``."""
    text = files(__package__).joinpath("synsets", "behavior.json").read_text(encoding="utf-8")
    return frozenset(json.loads(text)[kind])


def _classes(synset: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((synset, words_of(synset))))


@dataclass
class Evidence:
    """The uses of synsets in a file, from which affordances follow, and the objects that its goal places."""

    carry: set[str] = field(default_factory=set)
    contain: set[str] = field(default_factory=set)
    open: set[str] = field(default_factory=set)
    switch: set[str] = field(default_factory=set)
    cover: set[str] = field(default_factory=set)
    hold: set[str] = field(default_factory=set)
    cook: set[str] = field(default_factory=set)
    slice: set[str] = field(default_factory=set)
    fold: set[str] = field(default_factory=set)
    attach: set[str] = field(default_factory=set)
    put_under: set[str] = field(default_factory=set)
    implied: dict[str, str] = field(default_factory=dict)
    """Synsets of substances that only :data:`IMPLIED` predicates speak of, each with the first such thing."""
    substances: set[str] = field(default_factory=set)
    """Objects, not synsets: those that cover or fill something and are placed nowhere."""
    placed_by_goal: set[str] = field(default_factory=set)

    def add_state(self, predicate: str, name: str, synsets: set[str]) -> None:
        """Add a predicate of one thing; ``name`` is the first that it may be about."""
        if predicate in IMPLIED:
            word, kind = IMPLIED[predicate]
            self.implied.setdefault(kind, name)
            if word == "covered":
                self.cover |= synsets
            if predicate == "stained":  # comes off with water
                self.implied.setdefault(WATER, name)
        elif predicate in FIRST_USES and predicate not in SUBSTANCES:
            getattr(self, FIRST_USES[predicate]).update(synsets)


def evidence(activity: Activity) -> Evidence:
    """Collect the uses of synsets in the initial state and the goal of an activity."""
    uses = Evidence(open=set(annotated("openable")), switch=set(annotated("toggleable")))
    atoms: list[tuple[str, tuple[tuple[str, ...], ...], bool, bool]] = [
        (f.predicate, tuple((a,) for a in f.args), f.holds, False) for f in activity.init
    ]
    atoms += [(p, args, True, positive) for p, args, positive in goal_atoms(activity)]
    for predicate, args, stated, is_goal in atoms:
        synsets = [{activity.objects[o] for o in names if o in activity.objects} for names in args]
        if len(args) == 2:
            for use in USES_OF_PLACES.get(predicate, ()) if stated or predicate not in RELATIONS else ():
                getattr(uses, use).update(synsets[1])
            if is_goal and predicate in USES_OF_PLACES:
                uses.placed_by_goal |= set(args[0])
            if predicate in SUBSTANCES:
                uses.substances |= set(args[1])
            if predicate in FIRST_USES and predicate in SUBSTANCES:
                getattr(uses, FIRST_USES[predicate]).update(synsets[0])
        elif len(args) == 1:
            uses.add_state(predicate, next(iter(args[0]), ""), synsets[0])
    cooked_first = (source for source, how in made_things(activity).values() if how == "dice_cooked")
    uses.cook |= {activity.objects[source] for source in cooked_first}
    if uses.substances:
        uses.hold |= annotated("fillable")
        vessels = annotated("fillable") - uses.carry  # what only carries things on top stays as it is
        uses.carry, uses.contain = uses.carry | vessels, uses.contain | vessels
    uses.substances -= {f.args[0] for f in activity.init if f.args and f.predicate in (*AT_FIRST, "inroom")}
    return uses


@dataclass
class _Builder:
    activity: Activity
    evidence: Evidence
    making: Mapping[str, tuple[str, str]]

    def scene(self) -> Scene:
        where, objects = self.activity.where, self.activity.objects
        rooms: dict[str, str] = {}
        places: dict[str, Fact] = {}
        states: dict[str, list[str]] = {}
        for fact in self.activity.init:
            self.sort(fact, rooms, places, states)
        kinds = list(dict.fromkeys(rooms.values()))
        if not 1 <= len(kinds) <= MAX_ROOMS:
            raise SceneError(f"{where}: :init", f"1 to {MAX_ROOMS} rooms (inroom)", str(len(kinds)))
        for room in kinds:
            if room in objects:
                raise SceneError(f"{where}: :init", "rooms that are no objects", clip(room))
        robots = self.activity.members(AGENT)
        if len(robots) != 1:
            raise SceneError(f"{where}: :objects", f"one robot ({AGENT})", str(len(robots)))
        nodes = {r: Node(r, "room", classes=(r,)) for r in kinds}
        inside = {f.args[1] for f in places.values() if f.predicate == "inside"}
        for name, synset in objects.items():
            movable = name not in rooms or self.is_moved(name, inside)
            words = tuple(states.get(name, ()))
            if synset == "sink.n.01" and WATER in self.evidence.implied:
                words = (*words, f"gives {WATER}")
            if synset == AGENT:
                nodes[name] = self.agent(name, rooms, places)
            elif name in self.evidence.substances:
                nodes[name] = self.made_of(name, self.substance(name, words))
            else:
                nodes[name] = self.made_of(name, self.thing(name, movable, rooms, places, words))
        for kind, above in self.evidence.implied.items():
            nodes[kind] = Node(kind, "object", above, "attached_to", _classes(kind), ("substance",))
        links = tuple(Link(a, b, WAY) for a, b in itertools.combinations(kinds, 2))
        title = self.activity.name.rpartition("-")[0] or self.activity.name
        description = f"BEHAVIOR-1K: {title.replace('_', ' ')}"
        return Scene(self.activity.name, nodes, links, description, tuple(self.losses(nodes)))

    def losses(self, nodes: Mapping[str, Node]) -> Iterator[Loss]:
        """Yield what the nodes do not have: a second place, what the robot stands on, what has no word."""
        room_of = containers_around(nodes)
        for fact in self.activity.init:
            words = " ".join((fact.predicate, *fact.args))
            if fact.predicate not in ARITY:
                yield Loss("fact", words if fact.holds else f"not {words}", "a scene has no such fact")
            elif fact.holds and (fact.predicate == "inroom" or fact.predicate in AT_FIRST):
                name, place = fact.args
                kept = room_of[name] if fact.predicate == "inroom" else nodes[name].parent
                if kept != place:
                    yield Loss("fact", words, "a thing is in one place, and the robot in a room")
                elif fact.predicate in ("draped", "overlaid"):
                    yield Loss("fact", words, "kept as ontop")
            elif fact.predicate == "future" and fact.args[0] not in self.making:
                yield Loss("fact", words, "what does not exist yet has no place")
        for node in nodes.values():
            if node.relation == PLACE_UNKNOWN and "substance" not in node.affordances:
                yield Loss("place", node.id, "the file does not say where it is")

    def sort(
        self, fact: Fact, rooms: dict[str, str], places: dict[str, Fact], states: dict[str, list[str]]
    ) -> None:
        """Sort a fact of the initial state into rooms, places or states."""
        at = f"{self.activity.where}:{fact.line}"
        if fact.predicate not in ARITY:
            return
        if len(fact.args) != ARITY[fact.predicate]:
            raise SceneError(at, f"{ARITY[fact.predicate]} arguments", str(len(fact.args)))
        for name in fact.args[:1] if fact.predicate == "inroom" else fact.args:
            if name not in self.activity.objects:
                raise SceneError(at, "a declared object", clip(name))
        first = fact.args[0]
        if (fact.predicate, fact.holds) in STATES:
            states.setdefault(first, []).append(STATES[fact.predicate, fact.holds])
        elif fact.predicate == "real" and not fact.holds:
            raise SceneError(at, "things that exist", f"(not (real {clip(first)}))")
        elif fact.predicate == "inroom" and fact.holds:
            if rooms.setdefault(first, fact.args[1]) != fact.args[1]:
                raise SceneError(at, f"one room for {clip(first)}", f"{fact.args[1]} and {rooms[first]}")
        elif fact.predicate in IMPLIED and fact.holds:
            states.setdefault(first, []).append(" ".join(IMPLIED[fact.predicate]))
        elif fact.predicate in SUBSTANCES and fact.holds:
            words = (SUBSTANCES[fact.predicate], *(("contains",) if fact.predicate == "filled" else ()))
            states.setdefault(first, []).extend(f"{word} {fact.args[1]}" for word in words)
        elif fact.predicate in AT_FIRST and fact.holds:
            places.setdefault(first, fact)

    def is_moved(self, name: str, inside: set[str]) -> bool:
        """Return whether the goal moves a piece of furniture, so that it must be movable."""
        loaded = self.activity.objects[name] in self.evidence.contain or name in inside
        return name in self.evidence.placed_by_goal and not loaded

    def made_of(self, name: str, node: Node) -> Node:
        """Return a node that is not there yet; what is made of one other thing hangs on that till then."""
        if name not in self.making:
            return node
        source, how = self.making[name]
        affordances = (*node.affordances, how)
        return replace(node, parent=source, relation="attached_to", affordances=affordances)

    def substance(self, name: str, words: tuple[str, ...]) -> Node:
        """Return a substance, which hangs on the first thing that it covers or fills."""
        of_things = (f for f in self.activity.init if f.holds and f.predicate in SUBSTANCES)
        above = next((f.args[0] for f in of_things if f.args[1] == name), None)
        relation = PLACE_UNKNOWN if above is None else "attached_to"
        classes = _classes(self.activity.objects[name])
        return Node(name, "object", above, relation, classes, ("substance",), words)

    def agent(self, name: str, rooms: dict[str, str], places: dict[str, Fact]) -> Node:
        """Return the robot in the room around the thing that it stands on, by default in the first."""
        here, passed = name, set()
        while here not in rooms and here in places and here not in passed:
            passed.add(here)
            here = places[here].args[1]
        room = rooms.get(here, next(iter(rooms.values())))
        return Node(name, "agent", room, at=room, classes=(AGENT, "agent"))

    def thing(
        self,
        name: str,
        movable: bool,
        rooms: dict[str, str],
        places: dict[str, Fact],
        states: tuple[str, ...],
    ) -> Node:
        synset = self.activity.objects[name]
        opens, switches = synset in self.evidence.open, synset in self.evidence.switch
        stood_on = any(self.activity.objects[o] == AGENT and f.args[1] == name for o, f in places.items())
        affordances = ["pickup"] if movable else []
        affordances += ["release"] if opens or synset in self.evidence.carry or stood_on else []
        affordances += ["open", "close"] if opens else ["contain"] if synset in self.evidence.contain else []
        affordances += ["turn_on", "turn_off"] if switches else []
        for word in ("cover", "hold", "cook", "slice", "fold", "attach", "put_under"):
            affordances += [word] if synset in getattr(self.evidence, word) else []
        chosen = ["closed"] if opens and not {"open", "closed"} & set(states) else []
        chosen += ["off"] if switches and not {"on", "off"} & set(states) else []
        place = places.get(name)
        if place is not None:
            parent, relation = place.args[1], AT_FIRST[place.predicate]
        elif name in rooms:
            parent, relation = rooms[name], "ontop_of" if movable else "in"
        else:
            parent, relation = None, PLACE_UNKNOWN
        return Node(
            id=name,
            type="object" if movable else "asset",
            parent=parent,
            relation=relation,
            classes=_classes(synset),
            affordances=tuple(affordances),
            state=tuple(dict.fromkeys((*states, *chosen))),
            provenance={"state": f"chosen: {', '.join(chosen)}"} if chosen else {},
        )
