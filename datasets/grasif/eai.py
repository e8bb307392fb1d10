"""EAI's goals in VirtualHome: end states, and actions that must have been done, for the pack virtualhome.

The wheel ``eai-eval`` 1.0.5 (Li et al., Embodied Agent Interface, 2024; MIT) has them for programs of which
it also has the graphs. A goal has states of nodes, edges, and names of actions with alternatives.
EAI's evaluator looks for a state at its node, for an edge in the last graph, and for an action by its name
alone, whatever it was done to. The goals here ask for the same. What an edge says of the character goes with
its place, since driving changes no posture: who sits on a sofa is at it.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from pathlib import Path, PurePosixPath

from ...compiler.goals.goal import parse_goal
from ...domains.errors import SceneError, clip
from ...domains.formula import And, Atom, Exists, Formula, Or, TypedVar, Var
from ...domains.pack import load_pack
from ...simulator.belief import ground
from ...simulator.scene import Scene
from ...simulator.scene_json import parse_json
from ...simulator.step import read_steps
from ...simulator.verification import verify_plan
from ..formats.content import Content
from ..formats.document import as_list, as_name, as_object, as_words, object_lines, objects
from ..formats.registry import read_json
from ..formats.virtualhome.reader import read_graph
from ..formats.virtualhome.writer import node_name
from .records import SceneRecord

GOALS = PurePosixPath("resources/virtualhome/task_state_LTL_formula_accurate.json")
GRAPHS = "init_and_final_graphs"
PACK = "virtualhome"
"""The domain pack of its goals."""
_WORDS = tomllib.loads(resources.files(__package__).joinpath("words.toml").read_text(encoding="utf-8"))
STATES: Mapping[str, str] = _WORDS["states"]
POSTURES: Mapping[str, str] = _WORDS["postures"]
ACTIONS: Mapping[str, Formula] = {
    word: parse_goal(part).formula for part, words in _WORDS["left_done"].items() for word in words.split()
}
"""What an action leaves done, by its name in VirtualHome's programs."""


@dataclass(frozen=True, slots=True)
class CharacterTask(SceneRecord):
    """A goal of EAI's with the scene that it is for; ``title`` is that of the activity.

    ``plan`` are printed steps of ours that reach the goal, none where there is no such plan.
    """

    name: str
    title: str
    goal: str
    lacking: tuple[str, ...]
    plan: tuple[str, ...]
    scene: Scene


def wanted_goals(text: str) -> Mapping[str, tuple[str, Mapping[str, object]]]:
    """Return the goals of EAI's file by the number of their program, each with the activity's title."""
    scenes = as_object(parse_json(text, GOALS.name), GOALS.name)
    return {
        name: (title, as_object(as_object(entry, f"{title}: {name}").get("vh_goal"), f"{title}: {name}"))
        for activities in scenes.values()
        for title, programs in as_object(activities, GOALS.name).items()
        for name, entry in as_object(programs, title).items()
    }


def character_task(name: str, title: str, goal: Mapping[str, object], graphs: str) -> CharacterTask:
    """Return a goal as a task, with the text of its pair of graphs. Raises :class:`SceneError`."""
    where = f"{title}: {name}"
    graph = as_object(parse_json(graphs, where), where).get("init_graph")
    meant = eai_goal(goal, graph, where)
    scene = eai_scene(graph, where, name)
    if meant.lacking:
        return CharacterTask(name, title, "", meant.lacking, (), scene)
    return CharacterTask(name, title, str(meant.formula), (), _plan_of(name, scene, meant.formula), scene)


@cache
def _plans() -> Mapping[str, tuple[str, ...]]:
    """Return the plans by the number of a program: those that EAI's own evaluator confirms."""
    text = resources.files(__package__).joinpath("eai_plans.json").read_text(encoding="utf-8")
    return {name: tuple(plan) for name, plan in json.loads(text).items()}


def _plan_of(name: str, scene: Scene, goal: Formula) -> tuple[str, ...]:
    """Return the plan for a program, if it reaches the goal as it is here."""
    plan = _plans().get(name, ())
    fits = plan and verify_plan(read_steps("\n".join(plan)), ground(scene, load_pack(PACK)), goal).verified
    return plan if fits else ()


def stored_tasks(path: Path) -> Iterator[CharacterTask]:
    """Read tasks from the lines of a prepared file. Raises :class:`SceneError` with the place."""
    for at, raw in object_lines(Content(path)):
        name, title = (as_name(raw.get(key), f"{at}: {key}") for key in ("name", "title"))
        goal, lacking = raw.get("goal"), as_words(raw.get("lacking"), f"{at}: lacking")
        if not isinstance(goal, str):
            raise SceneError(f"{at}: goal", "text", clip(goal))
        steps = as_list(raw.get("plan", []), f"{at}: plan")
        plan = tuple(as_name(step, f"{at}: plan") for step in steps)
        scene = read_json(raw.get("scene"), f"{at}: scene", name)
        yield CharacterTask(name, title, goal, lacking, plan, scene)


@dataclass(frozen=True, slots=True)
class SymbolicGoal:
    """A goal in the pack's words, and what it asks for that the pack does not have."""

    formula: Formula
    lacking: tuple[str, ...]


def eai_scene(raw: object, where: str, name: str) -> Scene:
    """Read an initial graph, with its plugs as states. Raises :class:`SceneError`."""
    scene = read_graph(raw, where, name)
    plugs = ("plugged_in", "plugged_out")
    changed = {
        node.id: replace(
            node,
            state=(*node.state, *(word for word in plugs if word in node.attributes)),
            attributes=tuple(word for word in node.attributes if word not in plugs),
        )
        for node in scene.nodes.values()
        if any(word in node.attributes for word in plugs)
    }
    nodes = {name: changed.get(name, node) for name, node in scene.nodes.items()}
    return Scene(scene.name, nodes, scene.links, scene.description, scene.losses)


def eai_goal(raw: Mapping[str, object], graph: object, where: str) -> SymbolicGoal:
    """Translate a goal over the nodes of a graph. Raises :class:`SceneError` for another form."""
    entries = objects(as_object(graph, where).get("nodes"), where)
    nodes = {as_name(entry.get("id"), at): (at, entry) for at, entry in entries}
    names = {key: node_name(as_name(n.get("class_name"), at), key) for key, (at, n) in nodes.items()}
    rooms = {key for key, (_, node) in nodes.items() if str(node.get("category")).lower() == "rooms"}
    who = {key for key, (_, node) in nodes.items() if node.get("class_name") == "character"}
    return _Translation(names, rooms, who, where).read(raw)


class _Translation:
    def __init__(self, names: Mapping[str, str], rooms: set[str], who: set[str], where: str) -> None:
        self.names, self.rooms, self.who, self.where = names, rooms, who, where
        self.lacking: list[str] = []
        self.places: dict[str, None] = {}
        self.faced: dict[str, None] = {}
        self.seats: dict[str, None] = {}
        self.postures: dict[str, None] = {}

    def read(self, raw: Mapping[str, object]) -> SymbolicGoal:
        """Translate states, edges and actions, then where the character is."""
        entries = [as_object(e, self.where) for e in as_list(raw.get("goal", []), self.where)]
        parts = [part for entry in entries for part in self.entry(entry)]
        parts += [
            part for name in as_list(raw.get("actions", []), self.where) for part in self.action(str(name))
        ]
        parts += self.whereabouts()
        return SymbolicGoal(And(tuple(dict.fromkeys(parts))), tuple(dict.fromkeys(self.lacking)))

    def entry(self, entry: Mapping[str, object]) -> Iterator[Formula]:
        if "state" in entry:
            key, state = as_name(entry.get("id"), self.where), str(entry["state"])
            if key in self.who and state in POSTURES:
                self.postures[POSTURES[state]] = None
            elif key in self.names and state in STATES:
                yield Atom(STATES[state], (self.names[key],))
            else:
                self.lacking.append(state)
            return
        ends = [as_name(entry.get(end), self.where) for end in ("from_id", "to_id")]
        relation = str(entry.get("relation_type"))
        if not all(end in self.names for end in ends):
            self.lacking.append("a node that the graph lacks")
        elif ends[0] in self.who:
            yield from self.of_character(relation, ends[1])
        elif relation in ("ON", "INSIDE"):
            predicate = {"ON": "ontop_of", "INSIDE": "inside_of"}[relation]
            predicate = "in_room" if ends[1] in self.rooms else predicate
            yield Atom(predicate, tuple(self.names[end] for end in ends))
        else:
            self.lacking.append(f"{relation} of things")

    def of_character(self, relation: str, target: str) -> Iterator[Formula]:
        """Translate an edge of the character."""
        name = self.names[target]
        match relation:
            case "HOLDS_RH":
                yield Atom("holding", (name,))
            case "HOLDS_LH":
                yield Atom("held_left", (name,))
            case "FACING":
                self.faced[name] = None
            case "ON":
                self.seats[name] = None
            case "CLOSE" | "INSIDE":
                self.places[name] = None
            case _:
                self.lacking.append(f"{relation} of the character")

    def action(self, name: str) -> Iterator[Formula]:
        """Translate an action with its alternatives."""
        ways = [ACTIONS[word] for word in name.split("|") if word in ACTIONS]
        if ways:
            yield Or(tuple(dict.fromkeys(ways))) if len(set(ways)) > 1 else ways[0]
        else:
            self.lacking.append(f"the action {name}")

    def whereabouts(self) -> Sequence[Formula]:
        """Return the parts on posture and place: at the seat, beside what is near, or at what it faces."""
        postures = tuple(self.postures) or (tuple(POSTURES.values()) if self.seats else ())
        parts: list[Formula] = []
        for seat in self.seats:
            ways = tuple(Atom(posture, (seat,)) for posture in postures)
            parts.append(Or(ways) if len(ways) > 1 else ways[0])
            parts += [Atom("facing_from", (name, seat)) for name in self.faced]
        if not self.seats:
            parts += [Atom("facing", (name,)) for name in self.faced]
            parts += [Exists((TypedVar("x", "asset"),), Atom(p, (Var("x"),))) for p in self.postures]
        faced = tuple(self.faced) if len(self.faced) == 1 else ()
        places = tuple(self.seats) or tuple(self.places) or faced
        return [*parts, *(Atom("robot_at", (place,)) for place in places)]
