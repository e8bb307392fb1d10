"""EAI's own evaluator on a final state in VirtualHome: the code of the wheel ``eai-eval`` 1.0.5.

Nothing is installed: its modules and tables are unpacked into a folder and imported from there. It gets the
graph in which a plan ends, and the names of the actions that were done. Of several edges its function counts
one at most and then stops, so each edge of a goal is asked for in a call of its own.
"""

from __future__ import annotations

import copy
import importlib
import sys
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from groundplan.simulator.world import World

STATES: Mapping[str, tuple[str, str]] = {
    "open": ("OPEN", "CLOSED"),
    "closed": ("CLOSED", "OPEN"),
    "turned_on": ("ON", "OFF"),
    "turned_off": ("OFF", "ON"),
    "plugged_in": ("PLUGGED_IN", "PLUGGED_OUT"),
    "plugged_out": ("PLUGGED_OUT", "PLUGGED_IN"),
}
"""The state for a fact, and the one that it ends."""
ACTIONS: Mapping[str, str] = {
    "look_at": "LOOKAT", "touch": "TOUCH", "rinse": "RINSE", "type": "TYPE", "drink": "DRINK",
    "drink_from": "DRINK", "read": "READ", "sleep": "SLEEP", "pour": "POUR", "pickup": "GRAB",
}  # fmt: skip


class EaiEvaluator:
    """The package, unpacked into a folder."""

    def __init__(self, wheel: Path, folder: Path) -> None:
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                top, _, rest = name.partition("/")
                if top == "virtualhome_eval" and rest and not rest.startswith("dataset/"):
                    archive.extract(name, folder)
        sys.path.insert(0, str(folder))
        try:
            module = importlib.import_module("virtualhome_eval.simulation.evolving_graph.eval_utils")
        finally:
            sys.path.remove(str(folder))
        self.evaluate = module.scene_evaluate_wID

    def satisfied(self, goal: Mapping[str, Any], graph: Mapping[str, Any], steps: Sequence[str]) -> bool:
        """Whether a goal of EAI's holds in a graph, after printed steps of the pack virtualhome."""
        nodes = [entry for entry in goal["goal"] if "state" in entry]
        edges = [entry for entry in goal["goal"] if "state" not in entry]
        done = [
            f"[{ACTIONS[name]}]" for name in (step.partition("(")[0] for step in steps) if name in ACTIONS
        ]
        parts: list[tuple[list[Any], list[Any], list[str]]] = [(nodes, [], [])]
        parts += [([], [edge], []) for edge in edges]
        parts += [([], [], [action]) for action in dict.fromkeys(goal["actions"])]
        return all(
            self.evaluate(graph, some, other, 65, action_seq=done, action_goals=actions)[3]
            for some, other, actions in parts
        )


def final_graph(initial: Mapping[str, Any], world: World) -> dict[str, Any]:
    """The graph of a world that began with a graph: states, moved things, and the character's edges."""
    graph = copy.deepcopy(dict(initial))
    ids = {f"{n['class_name']}{n['id']}": n["id"] for n in graph["nodes"]}
    ids |= {f"{n['class_name']}_{n['id']}": n["id"] for n in graph["nodes"]}
    facts, by_id = world.state.facts, {n["id"]: n for n in graph["nodes"]}
    who = next(n["id"] for n in graph["nodes"] if n["class_name"] == "character")
    for predicate, (state, other) in STATES.items():
        for (name,) in facts.all(predicate):
            node = by_id.get(ids.get(name))
            if node is not None and other in node["states"]:
                node["states"] = [state if s == other else s for s in node["states"]]
    begun = world.scene.nodes
    moved = {
        ids[n] for n in begun if n in ids and begun[n].type == "object" and not _is_where_it_was(n, world)
    }
    edges = [
        edge for edge in graph["edges"]
        if edge["from_id"] != who
        and not (edge["from_id"] in moved and edge["relation_type"] in ("ON", "INSIDE"))
    ]  # fmt: skip
    for predicate, relation in (("ontop_of", "ON"), ("inside_of", "INSIDE")):
        for thing, place in facts.all(predicate):
            if ids.get(thing) in moved:
                edges.append({"from_id": ids[thing], "relation_type": relation, "to_id": ids[place]})
    for predicate, state in (("sitting_on", "SITTING"), ("lying_on", "LYING")):
        for (seat,) in facts.all(predicate):
            by_id[who]["states"] = [state]
            edges.append({"from_id": who, "relation_type": "ON", "to_id": ids[seat]})
    for predicate, relation in (("holding", "HOLDS_RH"), ("held_left", "HOLDS_LH"), ("facing", "FACING")):
        edges += [
            {"from_id": who, "relation_type": relation, "to_id": ids[name]}
            for (name,) in facts.all(predicate)
        ]
    for place in world.state.around(world.state.stands_at):
        room = begun[place].type == "room"
        edges.append({"from_id": who, "relation_type": "INSIDE" if room else "CLOSE", "to_id": ids[place]})
    return {**graph, "edges": edges}


def _is_where_it_was(name: str, world: World) -> bool:
    node = world.scene.nodes[name]
    relation = world.pack.mapping.relations.get(node.relation)
    if relation is None or node.parent is None:
        return True
    return world.state.facts.holds(relation.predicate, (name, node.parent)[: len(relation.args)])
