"""The initial state of a BDDL activity as a scene.

BDDL names rooms, what stands in them (``inroom``) and what lies where (``ontop``, ``inside``); it gives no
geometry and no list of what a thing can do. What it states is kept as it is. What it leaves open is chosen
here, the same way for every activity:

- A room is a node named by its kind. Any two rooms are :data:`WAY` metres apart.
- What has an ``inroom`` is furniture (an asset). It can be moved only where the goal wants it elsewhere and
  nothing is, or is to be, inside it: chairs go into a van, a car with its load does not go anywhere.
- Everything else is an object that can be picked up.
- A thing carries others where the file says so of anything of its synset, initially or in the goal, and where
  the robot stands on it; it is a container where the file says ``inside`` of one.
- It opens, or has a switch, where the file says so of one of its synset, or the synset is ``openable`` or
  ``toggleable`` in the package's own annotations (``synsets/behavior.json``). Where no state is given, it is
  closed and off.
- The classes of a thing are its synset (``apple.n.01``) and the words of that (``apple``).
"""

from __future__ import annotations

import itertools
import json
import re
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from ...domains.errors import SceneError, clip
from ...simulator.scene import Link, Node, Scene
from .text import AGENT, Activity, Fact, asked

WAY = 5.0
"""Metres between any two rooms, since BDDL gives no distances."""
MAX_ROOMS = 100

FRAGMENT = frozenset(("ontop", "inside", "open", "toggled_on", "inroom", "real"))
"""What a scene can hold of BDDL, and GRASIF's filter: activities that use other predicates are left out."""

RELATIONS = {"ontop": "ontop_of", "inside": "inside_of"}
_STATES = {("open", True): "open", ("open", False): "closed", ("toggled_on", True): "on"}
_STATES[("toggled_on", False)] = "off"
_WORDS = re.compile(r"(.+)\.[a-z]\.\d+\Z")


def bddl_scene(activity: Activity) -> Scene:
    """The scene of an activity. Raises :class:`SceneError` for what is outside :data:`FRAGMENT`."""
    return _Builder(activity, evidence(activity)).scene()


@cache
def annotated(kind: str) -> frozenset[str]:
    """The synsets that BEHAVIOR's annotations call ``openable`` or ``toggleable``."""
    text = files(__package__).joinpath("synsets", "behavior.json").read_text(encoding="utf-8")
    return frozenset(json.loads(text)[kind])


def words_of(synset: str) -> str:
    """The words of a synset: ``carton__of__milk.n.01`` is ``carton_of_milk``."""
    found = _WORDS.match(synset)
    return (found.group(1) if found else synset).replace("__", "_")


@dataclass
class Evidence:
    """What a file says of synsets, and which objects its goal wants somewhere."""

    carry: set[str] = field(default_factory=set)
    contain: set[str] = field(default_factory=set)
    open: set[str] = field(default_factory=set)
    switch: set[str] = field(default_factory=set)
    wanted: set[str] = field(default_factory=set)


def evidence(activity: Activity) -> Evidence:
    """Collect what the initial state and the goal say of the synsets of an activity."""
    found = Evidence(set(), set(), set(annotated("openable")), set(annotated("toggleable")))
    said: list[tuple[str, tuple[tuple[str, ...], ...], bool, bool]] = [
        (f.predicate, tuple((a,) for a in f.args), f.holds, False) for f in activity.init
    ]
    said += [(p, args, True, positive) for p, args, positive in asked(activity)]
    for predicate, args, stated, wanted in said:
        synsets = [{activity.objects[o] for o in names if o in activity.objects} for names in args]
        if predicate in RELATIONS and len(args) == 2 and stated:
            found.carry |= synsets[1]
            if predicate == "inside":
                found.contain |= synsets[1]
            if wanted:
                found.wanted |= set(args[0])
        elif predicate in ("open", "toggled_on") and len(args) == 1:
            target = found.open if predicate == "open" else found.switch
            target |= synsets[0]
    return found


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
        return Scene(self.activity.name, nodes, links, f"BEHAVIOR-1K: {title.replace('_', ' ')}")

    def sort(
        self, fact: Fact, rooms: dict[str, str], places: dict[str, Fact], states: dict[str, list[str]]
    ) -> None:
        """Put a fact of the initial state where it belongs."""
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
        """Whether what stands in a room is carried elsewhere after all."""
        loaded = self.activity.objects[name] in self.evidence.contain or name in inside
        return name in self.evidence.wanted and not loaded

    def agent(self, name: str, rooms: dict[str, str], places: dict[str, Fact]) -> Node:
        """The robot, in the room around what it stands on, by default in the first."""
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
        can = ["pickup"] if movable else []
        can += ["release"] if opens or synset in self.evidence.carry or stood_on else []
        can += ["open", "close"] if opens else ["contain"] if synset in self.evidence.contain else []
        can += ["turn_on", "turn_off"] if switches else []
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
            affordances=tuple(can),
            state=tuple(dict.fromkeys((*states, *chosen))),
            provenance={"state": f"chosen: {', '.join(chosen)}"} if chosen else {},
        )
