"""Observed facts: which nodes a robot has seen, whole or in part, and which facts about them are sure.

A fact is sure that was seen, or that a step of the robot brought about on sure conditions. What events make
(washed, chilled) is sure if what makes it is; where something unobserved might make it, nobody
knows. What was given is not sure, but where it is trusted.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import product

from ...domains.action import Action, GroundAction, PlanAction
from ...domains.formula import Atom, GroundAtom, Var
from ...domains.pack import Pack
from ...simulator.belief import Belief
from ...simulator.facts import match
from ...simulator.observations.in_part import shown_by
from ...simulator.observations.observation import Observations
from ...simulator.observations.state_words import facts_said
from ...simulator.scene import Node


@dataclass(frozen=True, slots=True)
class AllBut(Container[str]):
    """All predicates but some."""

    others: frozenset[str]

    def __contains__(self, predicate: object) -> bool:
        return predicate not in self.others


class ObservedFacts:
    """Facts observed of the nodes of a world; with ``trusts_given`` what was given counts as observed.

    It is a value: :meth:`after` returns another one.
    """

    def __init__(self, given: Belief, trusts_given: bool) -> None:
        scene = given.scene
        trusted = (name for name in scene.nodes if trusts_given and name not in scene.unplaced)
        self._whole: set[str] = set(trusted)
        self.seen: set[str] = set(self._whole)
        """The nodes that were seen, whole or in part: where they are is sure."""
        self._sure: dict[str, frozenset[str]] = {}
        """Of nodes that were not seen whole, the predicates of which it is sure whether they hold."""
        self.in_part: Mapping[str, Container[str]] = {}
        """The nodes of which not all states are sure though they were seen, each with what is sure of it."""
        self._open: dict[str, frozenset[str]] = {}
        """Of nodes that were seen whole, the predicates of which that is not sure any more."""

    def after(
        self, actions: Sequence[PlanAction], observations: Observations, belief: Belief
    ) -> ObservedFacts:
        """Return what is observed after actions of the robot and a sight, of which ``belief`` came."""
        later = copy(self)
        later._whole, later.seen = set(self._whole), set(self.seen)
        later._sure, later._open = dict(self._sure), dict(self._open)
        later._note(actions, observations, belief)
        return later

    def _seen_in_part(self) -> Mapping[str, Container[str]]:
        half = {name: self._sure.get(name, frozenset()) for name in sorted(self.seen - self._whole)}
        return half | {name: AllBut(others) for name, others in sorted(self._open.items()) if others}

    def is_sure(self, fact: GroundAtom, belief: Belief) -> bool:
        """Return whether it is sure that a ground fact holds, or that it does not."""
        pack, args = belief.pack, fact.args
        if fact.predicate in pack.locations:
            return args[0] in self.seen
        is_state = fact.predicate in pack.state_predicates
        return not is_state or all(self._is_sure_of(name, fact.predicate) for name in args)

    def _is_sure_of(self, name: str, predicate: str) -> bool:
        if name in self._whole:
            return predicate not in self._open.get(name, ())
        return predicate in self._sure.get(name, ())

    def _note(self, actions: Sequence[PlanAction], observations: Observations, belief: Belief) -> None:
        for action in actions:
            self._note_action(action, belief)
        for fact, sure in self._made_by_events(belief):
            self._mark(fact, sure, belief)
        self._note_seen(observations, belief)
        for name in self._sure.keys() & belief.scene.unplaced:
            self._sure[name] = frozenset()  # what the robot did was done with something else
        self.in_part = self._seen_in_part()

    def _note_action(self, action: PlanAction, belief: Belief) -> None:
        schema = belief.pack.domain.actions[action.name]
        ground = schema.ground(action.args)
        sure = all(self.is_sure(fact, belief) for fact in ground.precondition)
        if not action.event:  # it was done, so that some action of its name could be
            sure = sure or _same_effects(schema, belief.pack)
        for fact in _effects(ground, belief.pack):
            self._mark(fact, sure, belief)

    def _mark(self, fact: GroundAtom, sure: bool, belief: Belief) -> None:
        """Note that a fact was brought about, or is no longer true, or that nobody knows which."""
        pack, args = belief.pack, fact.args
        if fact.predicate in pack.locations and not sure:  # it has to be seen where it is now
            self.seen.discard(args[0])
            self._whole.discard(args[0])
            self._open.pop(args[0], None)
        one = frozenset((fact.predicate,))
        for name in args if fact.predicate in pack.state_predicates else ():
            if name in self._whole:
                others = self._open.get(name, frozenset())
                self._open[name] = others - one if sure else others | one
            else:
                others = self._sure.get(name, frozenset())
                self._sure[name] = others | one if sure else others - one

    def _made_by_events(self, belief: Belief) -> Iterator[tuple[GroundAtom, bool]]:
        """Yield what events made or may have made, and whether that is sure; things are where believed."""
        holds = belief.facts.holds
        for event in belief.pack.events:
            for args in self._possible(event, belief):
                ground = event.ground(args)
                conditions = [(c, self.is_sure(c, belief)) for c in ground.precondition]
                if all(not sure or holds(c.predicate, c.args) for c, sure in conditions):
                    all_sure = all(sure for _, sure in conditions)
                    yield from ((f, all_sure) for f in ground.add if not self._is_surely_so(f, belief))

    def _possible(self, event: Action, belief: Belief) -> Iterator[tuple[str, ...]]:
        """Yield the arguments with which an event can happen in some state of what was seen."""
        states = belief.pack.state_predicates
        placed = [c for c in event.precondition if c.predicate not in states]
        for binding in match(placed, belief.facts):
            choices = (
                [binding[v.name]] if v.name in binding else sorted(self.seen) for v in event.parameters
            )
            for args in product(*choices):
                fits = all(map(belief.has_type, args, (v.type for v in event.parameters)))
                if fits and event.allows(args):
                    yield args

    def _is_surely_so(self, fact: GroundAtom, belief: Belief) -> bool:
        return self.is_sure(fact, belief) and belief.facts.holds(fact.predicate, fact.args)

    def _note_seen(self, observations: Observations, belief: Belief) -> None:
        in_part = {part.node: part.words for part in observations.in_part}
        for node in observations.nodes:
            words = in_part.get(node.id)
            if words is None:
                self._whole.add(node.id)
                self._sure.pop(node.id, None)
                self._open[node.id] = frozenset(_concluded_against(node, belief))
                continue
            shown = shown_by(words, belief.scene.nodes[node.id], belief.pack)
            if node.id in self._whole:
                self._open[node.id] = self._open.get(node.id, frozenset()) - shown
            else:
                self._sure[node.id] = self._sure.get(node.id, frozenset()) | shown
        self.seen.update(node.id for node in observations.nodes)


def _effects(action: GroundAction, pack: Pack) -> Iterator[GroundAtom]:
    """Yield what an action makes true or false, but for the place that a thing is taken from."""
    yield from action.add
    yield from (fact for fact in action.delete if fact.predicate not in pack.locations)


def _same_effects(schema: Action, pack: Pack) -> bool:
    """Return whether all actions that are printed as the same step have the same effects."""
    step = pack.mapping_of(schema.name).step
    if step is None:
        return True
    alike = (a for a in pack.manipulations if (s := pack.mapping_of(a.name).step) is not None and s == step)
    return len({frozenset(_patterns(action, step, pack)) for action in alike}) == 1


def _patterns(schema: Action, step: Atom, pack: Pack) -> Iterator[tuple[str, ...]]:
    """Yield the effects of an action with the arguments of its step by position."""
    position = {arg.name: str(i) for i, arg in enumerate(step.args) if isinstance(arg, Var)}

    def pattern(kind: str, atom: Atom) -> tuple[str, ...]:
        args = (position.get(a.name, "?") if isinstance(a, Var) else a for a in atom.args)
        return (kind, atom.predicate, *args)

    yield from (pattern("add", atom) for atom in schema.add)
    yield from (pattern("delete", a) for a in schema.delete if a.predicate not in pack.locations)


def _concluded_against(node: Node, belief: Belief) -> Iterator[str]:
    """Yield the predicates that events make true of a node as believed, though it was just seen without."""
    pack = belief.pack
    words = pack.mapping.states
    in_words = {atom.predicate for word in node.state for atom in facts_said(word, node, pack.mapping)}
    sayable = {atom.predicate for atoms in words.values() for atom in atoms}
    for predicate in pack.event_facts & sayable:
        if predicate not in in_words and belief.facts.holds(predicate, (node.id,)):
            yield predicate
