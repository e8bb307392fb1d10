"""From a scene graph to ground facts, as the mapping of a domain pack says.

:class:`Belief` is the scene as facts, closed under events: what a planner starts from and what a world
is made of. It is built once per scene and pack and then shared, never written to.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from ..domains.action import Action, bind, unify
from ..domains.errors import SceneError, clip, did_you_mean
from ..domains.exclusive import clash
from ..domains.formula import Atom, Var
from ..domains.pack import Pack
from .facts import Facts, ground_args, match
from .routes import Routes
from .scene import Node, Scene, place

X, Y = "x", "y"


@dataclass(frozen=True)
class Belief:
    """A scene under a pack. ``facts`` are closed under events and must not be changed."""

    scene: Scene
    pack: Pack
    facts: Facts

    @cached_property
    def routes(self) -> Routes:
        return Routes(self.scene)

    @cached_property
    def hash(self) -> str:
        """SHA-256 over the canonical scene: what the model must not change."""
        return self.scene.hash

    @cached_property
    def facts_hash(self) -> str:
        text = "\n".join(sorted(map(str, self.facts)))
        return hashlib.sha256(text.encode()).hexdigest()

    def members(self, type_or_class: str) -> Sequence[str]:
        """The nodes that a type or class of a goal ranges over, in scene order; empty when unknown.

        A name that is both (a class ``object``) means the type.
        """
        types = self.pack.mapped.supertypes.get(type_or_class)
        if types is not None:
            return [i for t in types for i in self.scene.by_type.get(t, ())]
        if type_or_class in self.pack.mapped.types or type_or_class in ("floor", "building", "campus"):
            return self.scene.by_type.get(type_or_class, ())
        return self.scene.by_class.get(type_or_class, ())

    def is_type(self, name: str) -> bool:
        """Whether a word names a type of nodes rather than a class."""
        return name in self.pack.mapped.supertypes or name in self.pack.mapped.types

    @cached_property
    def start(self) -> str:
        """Where the robot stands in the beginning."""
        return self.facts.all(self.pack.at)[0][0]


def ground(scene: Scene, pack: Pack) -> Belief:
    """Compute the facts of a scene.

    Raises :class:`SceneError` for a state or relation that the pack does not know, with the nearest known,
    and for states that exclude each other.
    """
    facts = Facts()
    for node in scene.nodes.values():
        if node.type == "agent":
            continue
        _node(node, scene, pack, facts)
    for node in scene.nodes.values():
        if node.type != "agent" and node.parent is not None:
            above = pack.mapped.parents.get(node.relation)
            if above is not None and scene.nodes[node.parent].type in pack.mapped.types:
                facts.add(above.predicate, _args(above, node))
    for node in scene.nodes.values():
        _rules(node, pack, facts)
    _robot(scene, pack, facts)
    close_under_events(facts, pack.events)
    return Belief(scene, pack, facts)


def _args(atom: Atom, node: Node) -> tuple[str, ...]:
    if len(atom.args) == 1 and isinstance(only := atom.args[0], Var) and only.name == X:
        return (node.id,)  # nearly always, and this is called for every node and rule
    values = {X: node.id, Y: node.parent or ""}
    return tuple(values[a.name] if isinstance(a, Var) else a for a in atom.args)


def _node(node: Node, scene: Scene, pack: Pack, facts: Facts) -> None:
    mapped = pack.mapped
    if node.type not in mapped.types:
        return
    for word in node.state:
        known = mapped.states.get(word)
        if known is None:
            hint = did_you_mean(word, mapped.states) or f"states are {', '.join(mapped.states)}"
            raise SceneError(place(scene, node), "a state that the pack knows", clip(word), hint)
        for atom in known:
            facts.add(atom.predicate, _args(atom, node))
    if len(node.state) > 1:
        _check_states(node, scene, pack)
    for word in node.affordances:
        for atom in mapped.affordances.get(word, ()):
            facts.add(atom.predicate, _args(atom, node))
    for word in node.classes:
        for atom in mapped.classes.get(word, ()):
            facts.add(atom.predicate, _args(atom, node))
    if node.type == "object":
        relation = mapped.relations.get(node.relation)
        if relation is None:
            hint = f"relations of objects are {', '.join(mapped.relations)}"
            raise SceneError(place(scene, node), "a relation to the parent", node.relation, hint)
        facts.add(relation.predicate, _args(relation, node))


def _check_states(node: Node, scene: Scene, pack: Pack) -> None:
    """Refuse states of one node that exclude each other."""
    seen: dict[Atom, str] = {}
    for word in node.state:
        for atom in pack.mapped.states[word]:
            fact = Atom(atom.predicate, _args(atom, node))
            if found := clash(fact, list(seen), pack):
                got = f"{seen[found.first]} and {word}"
                raise SceneError(place(scene, node), "states that go together", got, "leave one of them out")
            seen.setdefault(fact, word)


def _rules(node: Node, pack: Pack, facts: Facts) -> None:
    if node.type not in pack.mapped.types:
        return
    for rule in pack.mapped.rules:
        if node.type not in rule.types:
            continue
        if all(facts.holds(a.predicate, _args(a, node)) for a in rule.when) and not any(
            facts.holds(a.predicate, _args(a, node)) for a in rule.unless
        ):
            facts.add(rule.add.predicate, _args(rule.add, node))


def _robot(scene: Scene, pack: Pack, facts: Facts) -> None:
    agent = scene.agent
    where = agent.at or agent.parent
    if where is None or scene.nodes[where].type not in ("pose", "room", "asset"):
        raise SceneError(place(scene, agent), "a pose, room or asset where the agent is", clip(where))
    facts.add(pack.at, (where,))
    held = scene.children.get(agent.id, ())
    if len(held) > 1:
        raise SceneError(place(scene, agent), "at most one held object", ", ".join(held[:5]))
    if not held:
        facts.add(pack.mapped.robot_free.predicate, ())


def close_under_events(
    facts: Facts, events: Sequence[Action], new: Iterable[Atom] | None = None
) -> list[tuple[Action, tuple[str, ...]]]:
    """Fire every event whose condition holds until nothing changes; what fired, in a fixed order.

    With ``new``, only events that one of these facts can trigger are looked at. Events only add
    facts, so the result does not depend on the order.
    """
    fired: list[tuple[Action, tuple[str, ...]]] = []
    queue = list(new) if new is not None else None
    while True:
        ready: dict[tuple[int, tuple[str, ...]], None] = {}
        for number, event in enumerate(events):
            for binding in _triggered(event, facts, queue):
                args = tuple(binding[p.name] for p in event.parameters)
                if any(not facts.holds(a.predicate, ground_args(bind(a, binding))) for a in event.add):
                    ready[number, args] = None
        if not ready:
            return fired
        queue = []
        for number, args in sorted(ready):
            event = events[number]
            fired.append((event, args))
            for atom in event.ground(args).add:
                if facts.add(atom.predicate, ground_args(atom)):
                    queue.append(atom)


def _triggered(event: Action, facts: Facts, new: list[Atom] | None) -> Iterable[dict[str, str]]:
    if new is None:
        yield from match(event.precondition, facts)
        return
    for fact in new:
        for atom in event.precondition:
            binding = unify(atom, fact)
            if binding is not None:
                yield from match(event.precondition, facts, binding)
