"""Scene as DELTA writes it for a model: rooms, in them items with what they are, and the robot.

A dictionary after ``data/scene_graph.py`` of Liu et al. (2024): rooms with ``items``, items with
``affordance``, ``state`` and the items on or in them with their ``relation``, and the robot's position. The
words are the predicates of the domain, so that an initial state can be read off it, and the names are the
symbols of the problem. Ours are attributes, descriptions, and a sentence for what holds of every thing where
nothing else is stated. ``accessible`` and ``neighbor`` are left out: a drive here is one action between any
two places.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import Any

from ...compiler.symbols import SymbolTable
from ...language.chat.listing import qualities
from ...simulator.belief import Belief
from .problem_text import defaults
from .scene_sentences import otherwise


def item_graph(belief: Belief, table: SymbolTable, kept: Collection[str] | None = None) -> dict[str, object]:
    """Return a scene as a dictionary; with ``kept`` only those items, and what they are in or on.

    Every room stays, as in the paper's pruning. Items without a known place are left out.
    """
    scene, symbols, types = belief.scene, table.objects, belief.pack.mapping.types
    above = _holders(belief)
    shown = above.keys() if kept is None else shown_items(belief, kept)
    words = _words(belief)
    rooms: dict[str, dict[str, Any]] = {r: {**words[r]} for r in scene.by_type.get("room", ())}
    entries = {**rooms}
    for name in above:
        if name in shown:
            entries[name] = {"type": types[scene.nodes[name].type], **words[name]}
    for name, (holder, relation) in above.items():
        if name in shown and holder in entries:
            if relation:
                entries[name]["relation"] = relation
            entries[holder].setdefault("items", {})[symbols[name]] = entries[name]
    place = scene.nodes[belief.start]
    robot: dict[str, object] = {"position": symbols[place.id], "type": types[place.type]}
    robot["state"] = [p for p in belief.facts.predicates() if belief.facts.holds(p, ())]
    held = belief.facts.all(belief.pack.mapping.robot_held.predicate)
    if held:
        robot["holding"] = {symbols[i]: {"type": types[scene.nodes[i].type], **words[i]} for (i,) in held}
    usual = list(otherwise(belief.pack))
    return {
        "name": scene.name,
        "rooms": {symbols[r]: entry for r, entry in rooms.items()},
        "robot": robot,
        **({"otherwise": usual} if usual else {}),
    }


def _holders(belief: Belief) -> dict[str, tuple[str, str]]:
    """Return where each item is: the node that holds it, and the predicate that says so, in scene order."""
    scene, facts = belief.scene, belief.facts
    places = {args[0]: (args[1], p) for p in belief.pack.locations for args in facts.all(p)}
    holders: dict[str, tuple[str, str]] = {}
    for node in scene.nodes.values():
        if node.id in places:
            holders[node.id] = places[node.id]
        elif node.type in ("asset", "part") and (holder := scene.above(node.id)) is not None:
            holders[node.id] = (holder, "")
    return holders


def shown_items(belief: Belief, kept: Collection[str]) -> Collection[str]:
    """Return the items that stand in a graph of those that are kept: what these are in or on, too."""
    above = _holders(belief)
    shown: dict[str, None] = {}
    for start in kept:
        name = start
        while name in above and name not in shown:
            shown[name] = None
            name = above[name][0]
    held = (args[0] for args in belief.facts.all(belief.pack.mapping.robot_held.predicate))
    return shown | dict.fromkeys(held)


def _words(belief: Belief) -> Mapping[str, dict[str, Any]]:
    """Return what is true of each node alone: what never changes, what does, and what it is like."""
    changing = belief.pack.domain.fluents()
    left_out = {belief.pack.at, *(rule.add.predicate for rule in defaults(belief.pack))}
    words: defaultdict[str, dict[str, Any]] = defaultdict(dict)
    for fact in belief.facts:
        if len(fact.args) == 1 and fact.predicate not in left_out:
            key = "state" if fact.predicate in changing else "affordance"
            words[str(fact.args[0])].setdefault(key, []).append(fact.predicate)
    for node in belief.scene.nodes.values():
        if attributes := qualities(node):
            words[node.id]["attributes"] = list(attributes)
        if node.description:
            words[node.id]["description"] = node.description
    return words
