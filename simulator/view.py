"""The part of a scene that a reader's search has revealed: the collapsed graph, expanded node by node.

After SayPlan, section 3.2. ``View.collapsed(scene)`` shows the rooms with the storeys they are on, the agent
with the things it holds, and the links; of several buildings or campuses, nothing below is shown. ``expand``
reveals the level below a campus, building or floor, and everything in a room at once: that is how the paper's
searches read, which only ever expand rooms. ``contract`` hides it again, a whole floor too; ``memory`` keeps
every node ever expanded. A view is a value. :data:`MAX_ROOMS` may be changed; counts must stay as the paper
counts, and the order of nodes as it is, for recorded prompts. Choices of the searcher do not belong here.

A pose with a parent is revealed with the rest of its level; one without, with the first room. Poses and
levels above rooms are counted with their edges only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from ..domains.errors import InputError, clip, did_you_mean
from .sayplan_json import edges, node_link
from .scene import CONTAINERS, Node, Scene

LEVELS = ("campus", "building", "floor", "room")
MAX_ROOMS = 200
"""Most rooms shown at the start of a reader's search; about 7000 tokens."""
UNCOUNTED = frozenset({"campus", "building", "floor", "pose"})
"""Types that the paper's tables 4 and 5 count as no entities; their edges are counted."""


class ViewError(InputError):
    """A node that cannot be expanded, contracted or selected in a view."""


@dataclass(frozen=True)
class View:
    """A scene with some of its nodes expanded. ``memory``: every node ever expanded, in order."""

    scene: Scene
    expanded: tuple[str, ...] = ()
    memory: tuple[str, ...] = ()

    @classmethod
    def collapsed(cls, scene: Scene) -> View:
        """A scene down to its rooms; down to its buildings or campuses where there are several."""
        return cls(scene, _open_at_first(scene))

    @classmethod
    def first(cls, scene: Scene) -> View:
        """The start of a reader's search: the collapsed scene, if it has few enough rooms to be read at once.

        Beyond :data:`MAX_ROOMS` its levels above rooms start collapsed, as in the paper's section 3.2.
        """
        higher = any(scene.by_type.get(level) for level in LEVELS[:-1])
        many = len(scene.by_type.get("room", ())) > MAX_ROOMS
        return cls(scene) if higher and many else cls.collapsed(scene)

    def expand(self, node_id: str) -> View:
        """Reveal the level below a visible node; the same view if it is shown already."""
        node = self._visible(node_id, "expand")
        if not self.expandable(node_id):
            expected = f"one of type {', '.join(LEVELS)}"
            hint = "what is in a room is shown with it" if node.type != "pose" else ""
            hint = "; ".join(h for h in (hint, self._offer(self.closed)) if h)
            raise ViewError(f"expand({clip(node_id)})", expected, f"type {node.type}", hint)
        if node_id in self.expanded:
            return self
        memory = self.memory if node_id in self.memory else (*self.memory, node_id)
        return View(self.scene, (*self.expanded, node_id), memory)

    def contract(self, node_id: str) -> View:
        """Hide everything below an expanded node again, with the expansions there."""
        self._visible(node_id, "contract")
        if node_id not in self.expanded:
            hint = self._offer(self.expanded)
            raise ViewError(f"contract({clip(node_id)})", "an expanded node", "one that is not", hint)
        kept = (e for e in self.expanded if e != node_id and node_id not in self.scene.ancestors(e))
        return View(self.scene, tuple(kept), self.memory)

    def expandable(self, node_id: str) -> bool:
        """Return whether a node is of a level that can be expanded: a room or above, empty or not."""
        return self.scene.nodes[node_id].type in CONTAINERS

    @cached_property
    def visible(self) -> tuple[Node, ...]:
        """The nodes shown, parents first; the order does not depend on how they were revealed."""
        return tuple(self.scene.nodes[i] for i in dict.fromkeys(self._walk()))

    @cached_property
    def ids(self) -> frozenset[str]:
        return frozenset(n.id for n in self.visible)

    @property
    def closed(self) -> tuple[str, ...]:
        """The visible nodes that can be expanded next."""
        open_ = frozenset(self.expanded)
        return tuple(n.id for n in self.visible if n.type in CONTAINERS and n.id not in open_)

    @property
    def ever_shown(self) -> tuple[str, ...]:
        """The nodes that the nodes ever expanded have shown, contracted since or not; each once."""
        shown: dict[str, None] = {}
        for opened in self.memory:
            stack = list(reversed(self.scene.children.get(opened, ())))
            while stack:
                current = stack.pop()
                if current in self._with_agents:
                    continue
                shown[current] = None
                if not self.expandable(current):
                    stack += reversed(self.scene.children.get(current, ()))
        return tuple(shown)

    def _walk(self) -> Iterator[str]:
        scene, open_ = self.scene, frozenset(self.expanded)
        roots = [i for t in LEVELS for i in scene.by_type.get(t, ()) if scene.nodes[i].parent is None]
        stack, rooms = list(reversed(roots)), False
        agents = self._with_agents
        while stack:
            current = stack.pop()
            yield current
            rooms = rooms or scene.nodes[current].type == "room"
            # Below a floor the levels stay collapsed; a thing that stands in a corridor shows what it holds.
            shut = scene.nodes[current].type in CONTAINERS and current not in open_
            if not shut:
                stack += [i for i in reversed(scene.children.get(current, ())) if i not in agents]
        for pose in scene.by_type.get("pose", ()):
            if scene.nodes[pose].parent is None and rooms:
                yield pose
        for agent in scene.by_type.get("agent", ()):
            yield agent
            yield from scene.descendants(agent)

    @cached_property
    def _with_agents(self) -> frozenset[str]:
        """The agents and the things they hold: always shown, at the end."""
        agents = self.scene.by_type.get("agent", ())
        return frozenset((*agents, *(i for a in agents for i in self.scene.descendants(a))))

    def subgraph(self, ids: Iterable[str] | None = None) -> Scene:
        """Return the scene of some visible nodes (all, if none are given) with their ancestors.

        The agent, the things it holds and its place are always part of it.
        """
        scene = self.scene
        chosen = self.ids if ids is None else {self._visible(i, "subgraph").id for i in ids}
        keep: set[str] = set()
        starts = [*chosen, *self._with_agents]
        while starts:
            start = starts.pop()
            new = {start, *scene.ancestors(start)}
            at = scene.nodes[start].at
            if at is not None:
                new |= {at, *scene.ancestors(at)}
            # What is said of a node may name another: the stain that a plate is covered with.
            words = (word for name in new - keep for word in scene.nodes[name].state)
            starts += [other for word in words if (other := word.partition(" ")[2]) in scene.nodes]
            keep |= new
        # A way that has a door is a way with it, also where nobody chose the door.
        for (here, there), door in scene.doors.items():
            if here in keep and there in keep:
                keep |= {door, *scene.ancestors(door)}
        nodes = {i: n for i, n in scene.nodes.items() if i in keep}
        links = tuple(x for x in scene.links if x.a in keep and x.b in keep)
        return Scene(scene.name, nodes, links, scene.description)

    def as_json(self) -> dict[str, object]:
        """Write the visible graph in the paper's node-link form, with descriptions, which the paper lacks."""
        return node_link(self.scene, [n.id for n in self.visible], descriptions=True)

    def _visible(self, node_id: str, doing: str) -> Node:
        where = f"{doing}({clip(node_id)})"
        if node_id not in self.scene.nodes:
            hint = did_you_mean(node_id, [n.id for n in self.visible]) or self._offer(self.closed)
            raise ViewError(where, "the id of a visible node", "a name that the scene does not have", hint)
        if node_id not in self.ids:
            hidden = next((a for a in self.scene.ancestors(node_id) if a in self.ids), None)
            hint = f"expand {clip(hidden)} first" if hidden is not None else self._offer(self.closed)
            raise ViewError(where, "the id of a visible node", "a node that is still hidden", hint)
        return self.scene.nodes[node_id]

    def _offer(self, names: tuple[str, ...]) -> str:
        shown = ", ".join(clip(n, 40) for n in names[:5])
        return f"try {shown}{', …' if len(names) > 5 else ''}" if names else ""


def _open_at_first(scene: Scene) -> tuple[str, ...]:
    """Return the floors, and an only building or campus: collapsed, they would give a search no choice."""
    opened: dict[str, None] = {}
    for level in ("campus", "building", "floor"):
        nodes = scene.by_type.get(level, ())
        for node_id in nodes if level == "floor" or len(nodes) == 1 else ():
            if all(a in opened for a in scene.ancestors(node_id)):
                opened[node_id] = None
    return tuple(opened)


def counts(scene: Scene) -> dict[str, int]:
    """Count the nodes and edges of a scene as the paper does: edges are entities, poses are not.

    Nor are floors and levels above them. ``collapsed`` is the number of entities of the collapsed view.
    """
    totals = {t: len(scene.by_type.get(t, ())) for t in ("room", "asset", "object", "agent", "pose")}
    totals |= {t: len(ids) for t, ids in sorted(scene.by_type.items()) if t not in totals}
    totals["edges"] = sum(1 for _ in edges(scene, tuple(scene.nodes)))
    entities = sum(len(i) for t, i in scene.by_type.items() if t not in UNCOUNTED)
    totals["entities"] = entities + totals["edges"]
    visible = View.collapsed(scene).visible
    totals["collapsed"] = sum(n.type not in UNCOUNTED for n in visible)
    totals["collapsed"] += sum(1 for _ in edges(scene, [n.id for n in visible]))
    return totals
