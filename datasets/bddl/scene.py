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
- The classes of a thing are its synset (``apple.n.01``) and the words of that (``apple``).
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from ...domains.errors import SceneError, clip
from ...simulator.scene import Link, Loss, Node, Scene, containers_around
from .text import AGENT, Activity, Fact, goal_atoms

WAY = 5.0
"""Metres between any two rooms, since BDDL gives no distances."""
MAX_ROOMS = 100

FRAGMENT = frozenset(("ontop", "inside", "open", "toggled_on", "inroom", "real"))
"""The predicates of BDDL that a scene can hold, and GRASIF's filter: activities with others are left out."""

RELATIONS = {"ontop": "ontop_of", "inside": "inside_of"}
_STATES = {
    ("open", True): "open",
    ("open", False): "closed",
    ("toggled_on", True): "on",
    ("toggled_on", False): "off",
}
_WORDS = re.compile(r"(.+)\.[a-z]\.\d+\Z")


def bddl_scene(activity: Activity) -> Scene:
    """Build the scene of an activity. Raises :class:`SceneError` for predicates outside :data:`FRAGMENT`."""
    return _Builder(activity, evidence(activity)).scene()


@cache
def annotated(kind: str) -> frozenset[str]:
    """Return the synsets that BEHAVIOR's annotations call ``openable`` or ``toggleable``."""
    text = files(__package__).joinpath("synsets", "behavior.json").read_text(encoding="utf-8")
    return frozenset(json.loads(text)[kind])


def words_of(synset: str) -> str:
    """Return the words of a synset: ``carton__of__milk.n.01`` is ``carton_of_milk``."""
    match = _WORDS.match(synset)
    return (match.group(1) if match else synset).replace("__", "_")


@dataclass
class Evidence:
    """The uses of synsets in a file, from which affordances follow, and the objects that its goal places."""

    carry: set[str] = field(default_factory=set)
    contain: set[str] = field(default_factory=set)
    open: set[str] = field(default_factory=set)
    switch: set[str] = field(default_factory=set)
    placed_by_goal: set[str] = field(default_factory=set)


def evidence(activity: Activity) -> Evidence:
    """Collect the uses of synsets in the initial state and the goal of an activity."""
    uses = Evidence(open=set(annotated("openable")), switch=set(annotated("toggleable")))
    atoms: list[tuple[str, tuple[tuple[str, ...], ...], bool, bool]] = [
        (f.predicate, tuple((a,) for a in f.args), f.holds, False) for f in activity.init
    ]
    atoms += [(p, args, True, positive) for p, args, positive in goal_atoms(activity)]
    for predicate, args, stated, is_goal in atoms:
        synsets = [{activity.objects[o] for o in names if o in activity.objects} for names in args]
        if predicate in RELATIONS and len(args) == 2 and stated:
            uses.carry |= synsets[1]
            if predicate == "inside":
                uses.contain |= synsets[1]
            if is_goal:
                uses.placed_by_goal |= set(args[0])
        elif predicate in ("open", "toggled_on") and len(args) == 1:
            target = uses.open if predicate == "open" else uses.switch
            target |= synsets[0]
    return uses


@dataclass
class _Builder:
    activity: Activity
    evidence: Evidence

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
            if synset == AGENT:
                nodes[name] = self.agent(name, rooms, places)
            else:
                nodes[name] = self.thing(name, movable, rooms, places, tuple(states.get(name, ())))
        links = tuple(Link(a, b, WAY) for a, b in itertools.combinations(kinds, 2))
        title = self.activity.name.rpartition("-")[0] or self.activity.name
        description = f"BEHAVIOR-1K: {title.replace('_', ' ')}"
        return Scene(self.activity.name, nodes, links, description, tuple(self.losses(nodes)))

    def losses(self, nodes: Mapping[str, Node]) -> Iterator[Loss]:
        """Yield the facts that the nodes do not have: a second place, and what the robot stands on."""
        room_of = containers_around(nodes)
        for fact in self.activity.init:
            if fact.holds and (fact.predicate == "inroom" or fact.predicate in RELATIONS):
                name, place = fact.args
                kept = room_of[name] if fact.predicate == "inroom" else nodes[name].parent
                if kept != place:
                    words = " ".join((fact.predicate, *fact.args))
                    yield Loss("fact", words, "a thing is in one place, and the robot in a room")

    def sort(
        self, fact: Fact, rooms: dict[str, str], places: dict[str, Fact], states: dict[str, list[str]]
    ) -> None:
        """Sort a fact of the initial state into rooms, places or states."""
        at = f"{self.activity.where}:{fact.line}"
        arity = {"ontop": 2, "inside": 2, "inroom": 2, "open": 1, "toggled_on": 1, "real": 1}
        if fact.predicate not in FRAGMENT:
            hint = f"what a scene can hold is {', '.join(sorted(FRAGMENT))}"
            raise SceneError(at, "a fact that a scene can hold", clip(fact.predicate), hint)
        if len(fact.args) != arity[fact.predicate]:
            raise SceneError(at, f"{arity[fact.predicate]} arguments", str(len(fact.args)))
        for name in fact.args[:1] if fact.predicate == "inroom" else fact.args:
            if name not in self.activity.objects:
                raise SceneError(at, "a declared object", clip(name))
        first = fact.args[0]
        if (fact.predicate, fact.holds) in _STATES:
            states.setdefault(first, []).append(_STATES[fact.predicate, fact.holds])
        elif fact.predicate == "real" and not fact.holds:
            raise SceneError(at, "things that exist", f"(not (real {clip(first)}))")
        elif fact.predicate == "inroom" and fact.holds:
            if rooms.setdefault(first, fact.args[1]) != fact.args[1]:
                raise SceneError(at, f"one room for {clip(first)}", f"{fact.args[1]} and {rooms[first]}")
        elif fact.predicate in RELATIONS and fact.holds and places.setdefault(first, fact).args != fact.args:
            raise SceneError(at, f"one place for {clip(first)}", "two")

    def is_moved(self, name: str, inside: set[str]) -> bool:
        """Return whether the goal moves a piece of furniture, so that it must be movable."""
        loaded = self.activity.objects[name] in self.evidence.contain or name in inside
        return name in self.evidence.placed_by_goal and not loaded

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
        chosen = ["closed"] if opens and not {"open", "closed"} & set(states) else []
        chosen += ["off"] if switches and not {"on", "off"} & set(states) else []
        place = places.get(name)
        if place is not None:
            parent, relation = place.args[1], RELATIONS[place.predicate]
        elif name in rooms:
            parent, relation = rooms[name], "ontop_of" if movable else "in"
        else:
            where = f"{self.activity.where}: :init"
            raise SceneError(where, f"a place for {clip(name)} (ontop, inside or inroom)", "none")
        return Node(
            id=name,
            type="object" if movable else "asset",
            parent=parent,
            relation=relation,
            classes=tuple(dict.fromkeys((synset, words_of(synset)))),
            affordances=tuple(affordances),
            state=tuple(dict.fromkeys((*states, *chosen))),
            provenance={"state": f"chosen: {', '.join(chosen)}"} if chosen else {},
        )
