"""The ground initial state: a scene graph as facts, by the mapping of a domain pack.

:class:`Belief` is the scene as the robot knows it: that state, closed under events, with its scene and pack.
It is the planner's initial state and the start of every simulated world, shared and never written to. Nodes
become facts as the pack's mapping says, so a change of that belongs into the pack; only its evaluation is
here. It may be made faster, but the order of the facts must stay: plans depend on it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from ..domains.action import Action, bind, ground_atom, unify
from ..domains.checks.induction import Invariants, about_robot, show_invariants, whereabouts
from ..domains.checks.riding import rides
from ..domains.deadline import check_time
from ..domains.errors import SceneError, clip
from ..domains.exclusive import Groups, clash
from ..domains.formula import ANYTHING, Atom, Formula, GroundAtom, Term, Var, is_ground_atom, step_atom
from ..domains.mapping import Rule
from ..domains.pack import Pack
from .facts import Facts, match
from .observations.believed import check_seen_names, missing_from_view, ways_now
from .observations.in_part import seen_in_part
from .observations.observation import Change, Observations, Spot, describe, differ
from .observations.state_words import args_of, facts_between, facts_said, of_two
from .routes import Routes
from .scene import PLACE_UNKNOWN, Node, Scene, place
from .unused_names import Unused, check_names, unused_names

X = "x"


@dataclass(frozen=True)
class Belief:
    """Ground initial state of a scene under a pack; ``facts`` are closed under events and read-only.

    What the robot sees on its way makes another belief of it (:meth:`observe`).
    """

    scene: Scene
    pack: Pack
    facts: Facts
    unseen: tuple[str, ...] = ()
    """Types of nodes of which there may be more than the scene has; none where the scene is complete."""
    looked: frozenset[Spot] = frozenset()
    """Spots of which everything was seen: nothing is there but what the scene has."""
    log: tuple[Change, ...] = field(default=(), compare=False)
    """What observations have changed, in order."""
    made: frozenset[GroundAtom] = field(default=frozenset(), compare=False, repr=False)
    """Facts that events of the pack made when the scene was grounded; its words may not say them."""
    inferred: Mapping[str, tuple[str, ...]] = field(default_factory=dict, compare=False, repr=False)
    """State words as last seen or given, of the things whose state only steps of the robot say since then."""
    whole: Belief | None = field(default=None, compare=False, repr=False)
    """The belief that this one is a part of; plans for a part are verified on it."""
    barred: frozenset[tuple[str, str]] = field(default=frozenset(), compare=False, repr=False)
    """Ends of links, in both orders, that no route goes for the sake of what a goal or a rule forbids."""
    forbidden: tuple[Atom, ...] = field(default=(), compare=False, repr=False)
    """Patterns of printed steps that are never done, for the same sake."""
    rules: tuple[Formula, ...] = ()
    """Constraints that every run keeps, whatever its goal."""

    def observe(self, observations: Observations) -> Belief:
        """Return the belief of a robot that sees something: only what it touches is different, and is logged.

        A thing that is seen for the first time is added, one that is seen otherwise is changed, and one that
        is not where it was believed, though all of that place is in sight, keeps its node without a place.
        Of what was seen in part the states that were not seen stay as they are believed.
        Raises :class:`SceneError` for observations that form no scene with what is believed, or name what is
        neither believed nor seen.

        >>> from groundplan import ground, load_pack, load_scene
        >>> from groundplan.simulator.observation import Observations, Spot
        >>> office = ground(load_scene("office"), load_pack())
        >>> kitchen = office.scene.nodes["kitchen"], office.scene.nodes["kitchen_bench"]
        >>> bare = Observations("kitchen", kitchen, (), (Spot("kitchen"),))
        >>> after = office.observe(bare)
        >>> after.log[-1]
        Change(node='orange1', believed='ontop_of kitchen_bench [pickup]', seen=None)
        """
        nodes, changes = dict(self.scene.nodes), []
        check_seen_names(observations, self.scene)
        gone = set(missing_from_view(observations, self.scene, self.pack.mapping))
        in_part = {part.node: part.words for part in observations.in_part}
        for seen in observations.nodes:
            believed = nodes.get(seen.id)
            if believed is not None and seen.id in in_part:
                seen = seen_in_part(with_made(believed, self), seen, in_part[seen.id], self.pack)
            if believed is None:
                changes.append(Change(seen.id, "unknown", describe(seen)))
            elif differ(believed := with_made(believed, self), seen):
                changes.append(Change(seen.id, describe(believed, seen), describe(seen, believed)))
            nodes[seen.id] = seen
        for name in gone:
            changes.append(Change(name, describe(nodes[name]), None))
            # What was concluded of it since it was seen rests on where it was believed to be.
            state = self.inferred.get(name, nodes[name].state)
            nodes[name] = replace(nodes[name], parent=None, relation=PLACE_UNKNOWN, state=state)
        links, looked = ways_now(observations, nodes, self.scene.links), self.looked.union(observations.spots)
        witnessed = gone.union(node.id for node in observations.nodes).difference(in_part)
        inferred = {name: state for name, state in self.inferred.items() if name not in witnessed}
        for name in inferred.keys() & in_part.keys():
            both, state = (*inferred[name], *in_part[name]), nodes[name].state
            inferred[name] = tuple(dict.fromkeys(word for word in both if word in state))
        if not changes and links == self.scene.links:
            same = looked == self.looked and inferred == self.inferred
            return self if same else self._with(looked=looked, inferred=inferred)
        order = {name: number for number, name in enumerate(nodes)}
        changes.sort(key=lambda change: order[change.node])
        scene = Scene(self.scene.name, nodes, links, self.scene.description, self.scene.losses)
        after = self._without_conclusions(gone).on(scene)
        return replace(after, looked=looked, log=(*self.log, *changes), inferred=inferred)

    def _without_conclusions(self, gone: set[str]) -> Belief:
        """Return the belief without what events made true of things, where no word of a scene says it."""
        predicates = self.pack.event_facts.intersection(self.pack.unsaid)
        doubted = [(p, args) for p in predicates for args in self.facts.all(p) if not gone.isdisjoint(args)]
        if not doubted:
            return self
        facts = self.facts.copy()
        for predicate, args in doubted:
            facts.discard(predicate, args)
        return self._with(facts=facts)

    def _with(self, **fields: Any) -> Belief:
        """Return a belief with other fields, and the routes that were found between the same places."""
        other = replace(self, **fields)
        same_ways = other.scene.links == self.scene.links and other.shut_ways == self.shut_ways
        if "routes" in self.__dict__ and same_ways:
            same = other.scene is self.scene
            other.__dict__["routes"] = self.routes if same else self.routes.on(other.scene)
        return other

    def after(self, scene: Scene, facts: Facts) -> Belief:
        """Return the belief after a step: ``facts`` as they are then, and the scene that says the same."""
        before = self.scene.nodes
        changed = {i: before[i].state for i, n in scene.nodes.items() if n.state != before[i].state}
        return self._with(scene=scene, facts=facts, inferred={**changed, **self.inferred})

    def on(self, scene: Scene) -> Belief:
        """Return the belief with another scene; facts that no word of a scene says stay as they are."""
        ground_again = ground(scene, self.pack)
        facts, at = ground_again.facts, self.pack.at
        for predicate in self.pack.unsaid:
            for args in self.facts.all(predicate):
                if all(name in scene.nodes for name in args):
                    facts.add(predicate, args)
        reached = self.start
        reaches = scene.nodes.get(reached, scene.agent).type in ("object", "part")
        if reaches and scene.agent == self.scene.agent:
            facts.discard(at, (ground_again.start,))  # a scene does not say what the robot reaches into
            facts.add(at, (reached,))
        return self._with(scene=scene, facts=facts, made=ground_again.made)

    @cached_property
    def routes(self) -> Routes:
        """The routes that the robot can take, through doors that it can open, too."""
        return Routes(self.scene, self.shut_ways)

    @cached_property
    def shut_ways(self) -> frozenset[tuple[str, str]]:
        """The ends of links that are barred, or whose door is shut and could be opened in no state."""
        shut = (ends for ends, door in self.scene.doors.items() if not _can_be_passed(door, self))
        return self.barred.union(shut)

    def members(self, type_or_class: str) -> Sequence[str]:
        """Return the nodes that a type or class of a goal ranges over, in scene order; none when unknown.

        A name that is both (a class ``object``) means the type. Things whose place is not known are left out:
        :meth:`unplaced_members` are those.
        """
        named = self._named(type_or_class)
        unplaced = self.scene.unplaced
        return [i for i in named if i not in unplaced] if unplaced else named

    def may_have_unseen(self, type_or_class: str, unseen: Collection[str] | None = None) -> bool:
        """Return whether there may be more of a type or class than the scene has.

        A class of which there are only nodes of types that are all known (desks) has no unseen ones.
        ``unseen`` are the types of which there may be more, where these are others than the belief's own.
        """
        more = self.unseen if unseen is None else unseen
        if self.is_type(type_or_class):
            return any(t in more for t in self._types(type_or_class))
        types = {self.scene.nodes[i].type for i in self.scene.by_class.get(type_or_class, ())}
        return bool(more) and (not types or any(t in more for t in types))

    def unplaced_members(self, type_or_class: str) -> Sequence[str]:
        """Return the nodes of a type or class whose place is not known, in scene order."""
        unplaced = self.scene.unplaced
        return [i for i in self._named(type_or_class) if i in unplaced] if unplaced else ()

    def _named(self, type_or_class: str) -> Sequence[str]:
        """Return all nodes of a type or class, in scene order."""
        if self.is_type(type_or_class):
            return [i for t in self._types(type_or_class) for i in self.scene.by_type.get(t, ())]
        if type_or_class in ("floor", "building", "campus"):
            return self.scene.by_type.get(type_or_class, ())
        return self.scene.by_class.get(type_or_class, ())

    def _types(self, name: str) -> Sequence[str]:
        """Return the types of nodes that a type of a goal stands for."""
        mapping = self.pack.mapping
        return tuple(mapping.types) if name == ANYTHING else mapping.supertypes.get(name, (name,))

    def is_type(self, name: str) -> bool:
        """Return whether a word names a type of nodes rather than a class."""
        return name == ANYTHING or name in self.pack.mapping.supertypes or name in self.pack.mapping.types

    def classified(self, word: str, args: tuple[str, ...]) -> bool:
        """Return whether a word that is no predicate is true of a node: a type, a class or an attribute."""
        node = self.scene.nodes.get(args[0]) if len(args) == 1 else None
        if node is None:
            return False
        if self.is_type(word):
            return args[0] in self.members(word)
        return word in node.classes or word in node.attributes

    def has_type(self, name: str, type_name: str) -> bool:
        """Return whether a name is a node of a PDDL type of the domain."""
        node = self.scene.nodes.get(name)
        pddl_type = self.pack.mapping.types.get(node.type) if node is not None else None
        return pddl_type is not None and self.pack.domain.is_a(pddl_type, type_name)

    @cached_property
    def invariants(self) -> Invariants:
        """The invariants that this initial state has and that the pack's actions are shown to keep.

        Where a thing or the robot is in two places at the start, nothing is known of containment.
        """
        shown, mapping = self.pack.invariants, self.pack.mapping
        true = {name: group for name, group in shown.groups.items() if breach_of(group, self.facts) is None}
        once = all(breach_of(group, self.facts) is None for group in whereabouts(mapping).values())
        if len(true) == len(shown.groups) and once:
            return shown
        # The proof of one group may rest on another, and on containment.
        return show_invariants(self.pack.domain, replace(mapping, exclusive=true), once)

    @property
    def exclusive(self) -> Groups:
        """The pack's groups of facts that exclude each other in every state that plans can reach.

        They are those that hold in this initial state and that the actions are shown to keep.
        """
        return self.invariants.groups

    @cached_property
    def unused(self) -> Unused:
        """The names of the pack that nothing in this scene has, on which no proof rests."""
        return unused_names(self.pack, self.scene)

    @cached_property
    def rides(self) -> tuple[str, ...]:
        """The actions besides driving that may take the robot elsewhere: routes know nothing of them."""
        return rides(self.pack.domain, self.pack.mapping, self.invariants.contained)

    @cached_property
    def start(self) -> str:
        """The place of the robot in the initial state."""
        return self.facts.all(self.pack.at)[0][0]


def with_made(node: Node, belief: Belief) -> Node:
    """Return a node with the words for what events made true of it at the start, and is so still."""
    if not belief.made:
        return node
    words = [
        word
        for word in belief.pack.mapping.states
        if word not in node.state
        and not belief.made.isdisjoint(facts := facts_said(word, node, belief.pack.mapping))
        and all(belief.facts.holds(fact.predicate, fact.args) for fact in facts)
    ]
    return replace(node, state=(*node.state, *words)) if words else node


def _can_be_passed(door: str, belief: Belief) -> bool:
    """Return whether a door is open, or some action could open it."""
    passable = belief.pack.mapping.passable
    if passable is None or belief.facts.holds(passable.predicate, (door,)):
        return True
    fact = Atom(passable.predicate, (door,))
    for action in belief.pack.domain.actions.values():
        for effect in action.add:
            binding = unify(effect, fact)
            if binding is None:
                continue
            static = (a for a in action.precondition if a.predicate not in belief.pack.fluents)
            bound = (bind(a, binding) for a in static)
            if all(not is_ground_atom(a) or belief.facts.holds(a.predicate, a.args) for a in bound):
                return True
    return False


def may_be_of(name: str, type_name: str, belief: Belief) -> bool:
    """Return whether a node is of a type, or may be meant to be of one that no node has."""
    return belief.has_type(name, type_name) or type_name in belief.unused.types


def misfits(action: Action, binding: Mapping[str, str], belief: Belief) -> bool:
    """Return whether a bound node is of another type, and not meant to be of it either; or forbidden."""
    bound = (p for p in action.parameters if p.name in binding)
    fits = all(may_be_of(binding[p.name], p.type, belief) for p in bound)
    return not fits or forbids(action, binding, belief)


def forbids(action: Action, binding: Mapping[str, str], belief: Belief) -> bool:
    """Return whether the printed step of every completion of a binding is a forbidden one."""
    step = belief.pack.mapping_of(action.name).step
    if step is None or not belief.forbidden:
        return False
    values = tuple(binding.get(a.name) if isinstance(a, Var) else a for a in step.args)
    predicate = step_atom(step.predicate, ()).predicate
    return any(p.predicate == predicate and _matches(p.args, values) for p in belief.forbidden)


def _matches(pattern: Sequence[Term], values: Sequence[str | None]) -> bool:
    """Return whether a pattern is sure to match values, of which some are open."""
    variables = [a for a in pattern if isinstance(a, Var)]
    if len(pattern) != len(values) or len(set(variables)) < len(variables):
        return False
    return all(isinstance(a, Var) or a == value for a, value in zip(pattern, values, strict=True))


def ground(scene: Scene, pack: Pack) -> Belief:
    """Compute the ground initial state of a scene: facts of nodes, of rules, of the robot, then of events.

    Raises :class:`SceneError` for a state or relation that the pack does not have, with the nearest names,
    for states that exclude each other, and for a robot without a place, at two, or with two things in hand;
    :class:`PackError` for a node type or relation that no scene has.

    >>> from groundplan import ground, load_pack, load_scene
    >>> belief = ground(load_scene("office"), load_pack())
    >>> belief.facts.holds("closed", ("fridge",)), belief.start
    (True, 'pose8')
    >>> belief.routes.distance(belief.start, "kitchen")  # millimetres
    32841
    """
    check_names(pack)
    if scene.doors and pack.mapping.passable is None:
        hint = "driving.passable in mapping.toml is the fact of a door that lets the robot through"
        raise SceneError(scene.name, f"no doors on links, of which the pack {pack.name} says nothing",
                         clip(next(iter(scene.doors.values()))), hint)  # fmt: skip
    facts = Facts()
    nodes, mapping = scene.nodes, pack.mapping
    for node in nodes.values():
        check_time("computing the initial state")
        if node.type in mapping.types and node.type != "agent":
            _node(node, scene, pack, facts)
    for node in nodes.values():
        if node.type != "agent" and node.parent is not None:
            above = mapping.parents.get(node.relation)
            if above is not None and nodes[node.parent].type in mapping.types:
                facts.add(above.predicate, args_of(above, node))
    rules = {t: [_Rule(r, facts) for r in mapping.rules if t in r.types] for t in mapping.types}
    for node in nodes.values():
        check_time("computing the initial state")
        own = (node.id,)
        for rule in rules.get(node.type, ()):
            if rule.holds_for(node, own):
                facts.add(rule.add.predicate, args_of(rule.add, node))
    _robot(scene, pack, facts)
    if len(stands := facts.all(pack.at)) > 1:
        got = ", ".join(str(Atom(pack.at, args)) for args in stands[:3])
        hint = f"no state, class or rule of the pack may give a node {Atom(pack.at, (Var(X),))}"
        raise SceneError(place(scene, scene.agent), "the robot at one place", got, hint)
    belief = Belief(scene, pack, facts)
    fired = close_under_events(facts, belief)
    made = frozenset(fact for event, args in fired for fact in event.ground(args).add)
    return replace(belief, made=made) if made else belief


def breach_of(group: Sequence[Atom], facts: Facts) -> tuple[GroundAtom, GroundAtom] | None:
    """Return two facts that hold though a group lets only one of them, or ``None``."""
    shared = [Atom(p.predicate, args) for p in group if about_robot(p) for args in facts.all(p.predicate)]
    if len(shared) > 1:
        return shared[0], shared[1]
    first: dict[str, GroundAtom] = {}
    for pattern in group:
        if about_robot(pattern):
            continue
        for args in facts.all(pattern.predicate):
            fact = Atom(pattern.predicate, args)
            if shared:
                return shared[0], fact
            before = first.setdefault(args[0], fact)
            if before is not fact:
                return before, fact
    return None


class _Rule:
    """A rule of the mapping, prepared to be evaluated for every node of a large scene.

    It looks straight into the growing sets of facts: a million calls would cost more than the look-ups.
    Nearly all of its atoms are over ``?x`` alone.
    """

    __slots__ = ("_unless", "_when", "add")

    def __init__(self, rule: Rule, facts: Facts) -> None:
        self.add = rule.add
        self._when, self._unless = (
            [(facts.own(a.predicate), None if a.args == (Var(X),) else a) for a in atoms]
            for atoms in (rule.when, rule.unless)
        )

    def holds_for(self, node: Node, own: tuple[str, ...]) -> bool:
        """Return whether the rule adds its fact for a node; ``own`` is the tuple of its id."""
        for true_facts, atom in self._when:
            if (own if atom is None else args_of(atom, node)) not in true_facts:
                return False
        for true_facts, atom in self._unless:
            if (own if atom is None else args_of(atom, node)) in true_facts:
                return False
        return True


def _node(node: Node, scene: Scene, pack: Pack, facts: Facts) -> None:
    mapping = pack.mapping
    for word in node.state:
        atoms = mapping.states.get(word)
        if atoms is None or of_two(atoms):
            for fact in facts_between(word, node, scene, mapping):
                facts.add(fact.predicate, fact.args)
            continue
        for atom in atoms:
            facts.add(atom.predicate, args_of(atom, node))
    if len(node.state) > 1:
        _check_states(node, scene, pack)
    for table, words in ((mapping.affordances, node.affordances), (mapping.classes, node.classes)):
        for word in words:
            for atom in table.get(word, ()):
                facts.add(atom.predicate, args_of(atom, node))
    if node.type == "object" and node.relation != PLACE_UNKNOWN:
        relation = mapping.relations.get(node.relation)
        if relation is None:
            hint = f"relations of objects are {', '.join(mapping.relations)}"
            raise SceneError(place(scene, node), "a relation to the parent", node.relation, hint)
        facts.add(relation.predicate, args_of(relation, node))


def _check_states(node: Node, scene: Scene, pack: Pack) -> None:
    """Refuse states of one node that exclude each other."""
    seen: dict[GroundAtom, str] = {}
    for word in node.state:
        for fact in facts_said(word, node, pack.mapping):
            # Groups are shown, which takes a while, only where a declared one is broken.
            declared = clash(fact, list(seen), pack.mapping.exclusive)
            if declared and (contradiction := clash(fact, list(seen), pack.invariants.groups)):
                got = f"{seen[contradiction.first]} and {word}"
                raise SceneError(place(scene, node), "states that go together", got, "leave one of them out")
            seen.setdefault(fact, word)


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
        facts.add(pack.mapping.robot_free.predicate, ())


def close_under_events(
    facts: Facts, belief: Belief, new: Iterable[GroundAtom] | None = None, undone: Sequence[GroundAtom] = ()
) -> list[tuple[Action, tuple[str, ...]]]:
    """Fire every event of the pack whose condition holds until nothing changes; return them in a fixed order.

    With ``new``, only events that one of these facts can trigger are tried, and those that add one of the
    facts ``undone``, which were true before. Events only add facts, so the result does not depend on the
    order.
    """
    fired: list[tuple[Action, tuple[str, ...]]] = []
    queue = list(new) if new is not None else None
    events, triggers = belief.pack.events, belief.pack.event_triggers
    while True:
        ready: dict[tuple[int, tuple[str, ...]], None] = {}
        came_true = {a.predicate for a in queue or ()}
        became_false = {a.predicate for a in undone}
        for number, event in enumerate(events):
            conditions, effects = triggers[number]
            if queue is not None and came_true.isdisjoint(conditions) and became_false.isdisjoint(effects):
                continue
            for binding in _triggered(event, facts, queue, undone):
                args = tuple(binding[p.name] for p in event.parameters)
                if (
                    any(not facts.holds(a.predicate, ground_atom(a, binding).args) for a in event.add)
                    and event.allows(args)
                    and all(map(belief.has_type, args, (p.type for p in event.parameters)))
                ):
                    ready[number, args] = None
        if not ready:
            return fired
        queue, undone = [], ()
        for number, args in sorted(ready):
            event = events[number]
            fired.append((event, args))
            for atom in event.ground(args).add:
                if facts.add(atom.predicate, atom.args):
                    queue.append(atom)


def _triggered(
    event: Action, facts: Facts, new: list[GroundAtom] | None, undone: Sequence[GroundAtom]
) -> Iterable[dict[str, str]]:
    if new is None:
        yield from match(event.precondition, facts)
        return
    for fact in undone:
        for effect in event.add:
            binding = unify(effect, fact)
            if binding is not None:
                yield from match(event.precondition, facts, binding)
    for fact in new:
        for atom in event.precondition:
            binding = unify(atom, fact)
            if binding is not None:
                yield from match(event.precondition, facts, binding)
