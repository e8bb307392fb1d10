"""A world seen through an eye: what a robot is told of movable things is a description, and may be wrong.

This stands between the true world and what a robot knows (LookPlanGraph's Algorithm 1, lines 10 to 13). Each
time that a place comes in sight, the eye describes the things there that are not known, and the description
is matched with what the robot believes (``additions``). Rooms, furniture and the ways are known, as in the
paper's starting graph. A thing that the robot handles is known from then on, and so is one that was rightly
described, as long as it is in sight: the robot keeps track of it.

The steps are those of the true world. One with a thing that is not where it was said to be fails, and the
robot sees that. A place that was described counts as looked at, since a robot cannot look for ever; that
nothing else is there is no proof, so nothing is called unsolvable. A goal that names a thing which nothing
but a description has is not reached, whatever it says of that thing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ...domains.formula import Formula, names
from ...domains.mapping import AROUND
from ...simulator.belief import Belief
from ...simulator.observations.observation import Observations, SeenInPart, Spot, StepOutcome
from ...simulator.scene import MOVABLE, PLACE_UNKNOWN, Node, Scene
from ...simulator.sensing.environment import Judgement, TrueWorld
from ...simulator.sensing.hiding import as_carrier
from ...simulator.step import Step
from ..chat.servers.model import Picture, ServiceError
from .additions import added_nodes
from .description import Described, Named, UnreadableDescription
from .eye import Eye, Sighting, as_described, named_of, names_of
from .scores import DescriptionCounts, counts_of

FIXED = ("asset", "part")
FLOOR = "floor"
"""The word for what things stand on that are in or on nothing else in a room."""
WHOLE = None
"""In place of the words that were seen of a thing: all of it was seen."""


class DescribedWorld:
    """A true world of which a robot gets descriptions: the same steps, and what an eye says of each place.

    ``start`` is what the robot knows at first, and ``belief`` returns what it believes before it is told of a
    look. ``pictures`` are those of spots, for an eye that needs them: a spot without one is not seen.
    ``episode`` names what the errors of an eye are drawn for, beside the spot and how often it was looked at.
    ``counts`` compare all descriptions with what was there.
    """

    def __init__(
        self,
        world: TrueWorld,
        eye: Eye,
        start: Belief,
        belief: Callable[[], Belief],
        pictures: Callable[[Spot], Picture | None] | None = None,
        episode: str = "",
    ) -> None:
        self._world, self._eye, self._belief = world, eye, belief
        self._pictures, self._episode = pictures, episode
        self._named: set[str] = set(start.scene.nodes)
        """The nodes that the robot knew, and those that it was told of."""
        self._in_sight: frozenset[Spot] = frozenset()
        self._looks: Counter[Spot] = Counter()
        self._blind: set[Spot] = set()
        """The spots of which the last look showed nothing that could be read."""
        self._tracked: dict[str, tuple[str, ...] | None] = {}
        """The things that are known, each with the words that were seen of it, or :data:`WHOLE`."""
        self._said: dict[str, tuple[Spot, Node]] = {}
        """The things that were described and are not known, each as it was said at a spot."""
        self._misplaced: set[str] = set()
        """Those of them that are there, and not where they were said to be."""
        self._invented: set[str] = set()
        self.counts = DescriptionCounts()

    def look(self) -> Observations:
        """Return what the eye says of what is in sight."""
        return self._seen(self._world.look())

    def act(self, step: Step) -> StepOutcome:
        """Try a step in the true world, and return what came of it and what the eye says then."""
        scene = self._belief().scene
        before = scene.children.get(scene.agent.id, ())
        outcome = self._world.act(step)
        there = {node.id: node for node in outcome.observations.nodes}
        refuted = self._handled((*step.args, *before), there, outcome.done)
        seen = self._seen(outcome.observations, step if outcome.done else None, refuted)
        if refuted:
            return replace(outcome, observations=seen, message=f"nothing here is {' or '.join(refuted)}")
        return replace(outcome, observations=seen)

    def judge(self, goal: Formula) -> Judgement:
        """Return whether a goal holds in the true world; not where it names what was only described."""
        only_described = [name for name in names(goal) if name in self._invented]
        if only_described:
            reasons = (f"{name} was described, and was never found to be there" for name in only_described)
            return Judgement(False, tuple(reasons))
        return self._world.judge(goal)

    # What was handled

    def _handled(self, things: Sequence[str], there: Mapping[str, Node], done: bool) -> tuple[str, ...]:
        """Note what a step has shown of the things that it handles; return those that are not there."""
        refuted: list[str] = []
        for name in things:
            node = there.get(name)
            if node is not None and node.type in MOVABLE and (done or name in self._misplaced):
                self._track(name, WHOLE)
            elif not done and self._said.pop(name, None) is not None:
                refuted.append(name)
        return tuple(refuted)

    def _track(self, name: str, words: tuple[str, ...] | None) -> None:
        if self._tracked.get(name, ()) is not WHOLE:
            self._tracked[name] = words
        self._said.pop(name, None)
        self._misplaced.discard(name)
        self._invented.discard(name)

    # What is seen

    def _seen(
        self, truth: Observations, step: Step | None = None, refuted: Sequence[str] = ()
    ) -> Observations:
        """Return observations in which movable things are as they were described."""
        belief = self._belief()
        there = {node.id: node for node in truth.nodes}
        held = {node.id for node in truth.nodes if node.type == "agent"}
        for node in truth.nodes:
            if node.parent in held:
                held.add(node.id)
                self._track(node.id, WHOLE)
        at, in_sight = _by_spot(truth), set[Spot]()
        # What is in a thing can be looked at once that thing is known, which a look may bring about.
        while now := [s for s in truth.spots if s not in in_sight and self._is_known(there[s.node])]:
            for spot in now:
                if spot not in self._in_sight or _looks_at(step, spot, belief):
                    self._describe(spot, at.get(spot, []), truth, belief)
            in_sight.update(now)
        self._in_sight = frozenset(in_sight)
        return self._reported(truth, there, belief, refuted)

    def _is_known(self, node: Node) -> bool:
        return node.type not in MOVABLE or node.id in self._tracked

    def _describe(self, spot: Spot, things: Sequence[Node], truth: Observations, belief: Belief) -> None:
        """Have a spot described, and note what of that is so, and what is only said."""
        self._looks[spot] += 1
        self._said = {name: entry for name, entry in self._said.items() if entry[0] != spot}
        self._blind.discard(spot)
        picture = self._pictures(spot) if self._pictures is not None else None
        if self._pictures is not None and picture is None:
            self._blind.add(spot)
            self.counts += DescriptionCounts(not_asked=1)
            return
        called = names_of({node.id: node for node in truth.nodes})
        new = [node for node in things if not self._is_known(node)]
        fixed = [node.id for node in truth.nodes if spot.relation == AROUND and node.type in FIXED]
        known_names = (spot.node, *fixed, *(node.id for node in things if self._is_known(node)))
        look = f"{self._episode} {spot} {self._looks[spot]}"
        sighting = Sighting(spot.node, spot.relation, picture, known_names, tuple(things), called, look)
        true = [as_described(node, called) for node in new]
        try:
            described = self._eye.describe(sighting)
        except UnreadableDescription:
            self._blind.add(spot)
            self.counts += counts_of((), true, unreadable=True)
            return
        except ServiceError:
            self.counts += DescriptionCounts(unanswered=1)
            raise
        described = _at_fixed_things(described, truth, called, spot)
        self.counts += counts_of(described, true)
        self._note(spot, described, new, truth, belief)

    def _note(
        self,
        spot: Spot,
        described: Sequence[Described],
        new: Sequence[Node],
        truth: Observations,
        belief: Belief,
    ) -> None:
        """Note which things that were described at a spot are there, and which are only said to be."""
        there = {node.id: node for node in truth.nodes}
        called = names_of(there)
        identified = {called[i]: node for i, node in there.items() if self._is_known(node)}
        matched = _identified(described, new, called)
        identified |= matched
        self._misplaced |= {node.id for node in matched.values()}
        additions = added_nodes(described, belief, truth.here, identified)
        words = {part.node: part.words for part in additions.in_part}
        supposed = belief.scene.unplaced.keys() - self._named
        for node in additions.nodes:
            here = there.get(node.id)
            if node.id in self._tracked or node.id in supposed:
                continue
            if here is not None and (here.parent, here.relation) == (node.parent, node.relation):
                self._track(node.id, WHOLE if self._eye.whole else words[node.id])
                continue
            self._said[node.id] = spot, node
            if here is None and node.id not in self._named:
                self._invented.add(node.id)

    def _reported(
        self, truth: Observations, there: Mapping[str, Node], belief: Belief, refuted: Sequence[str]
    ) -> Observations:
        """Return the observations of things that are known, and of those that are only said to be there."""
        spots = tuple(s for s in truth.spots if s in self._in_sight and s not in self._blind)
        candidates = [node for node in truth.nodes if self._is_known(node)]
        described = {name: node for name, (spot, node) in self._said.items() if spot in self._in_sight}
        in_part = {i: w for i, w in self._tracked.items() if w is not WHOLE and i in there}
        if not self._eye.whole:
            in_part |= {i: _words_of(node) for i, node in described.items()}
        candidates += described.values()
        candidates += [_without_place(belief.scene, i) for i in refuted if i in belief.scene.nodes]
        in_part |= dict.fromkeys(refuted, ())
        nodes: dict[str, Node] = {}
        for node in candidates:  # what is in a thing that nobody has described is not seen
            if node.id not in nodes and (
                node.parent is None or node.parent in nodes or node.parent in belief.scene.nodes
            ):
                nodes[node.id] = node
        # What holds things can be seen to, whether those are described or not.
        for node in truth.nodes:
            if node.parent in nodes and nodes.get(node.id) is not node:
                nodes[node.parent] = as_carrier(nodes[node.parent], (node.relation,), belief.pack)
        self._named |= nodes.keys()
        seen_in_part = tuple(SeenInPart(i, words) for i, words in in_part.items() if i in nodes)
        return replace(truth, nodes=tuple(nodes.values()), spots=spots, in_part=seen_in_part)


def _by_spot(truth: Observations) -> dict[Spot, list[Node]]:
    """Return the movable things in sight by the spots that show them."""
    there = {node.id: node for node in truth.nodes}
    at: dict[Spot, list[Node]] = {}
    for node in truth.nodes:
        spot, below = Spot(truth.here), node
        while node.type in MOVABLE and below.parent in there:
            if (around := Spot(below.parent, below.relation)) in truth.spots:
                spot = around
                break
            below = there[below.parent]
        if node.type in MOVABLE:
            at.setdefault(spot, []).append(node)
    return at


def _words_of(node: Node) -> tuple[str, ...]:
    return (*node.state, *node.attributes)


def _without_place(scene: Scene, name: str) -> Node:
    return replace(scene.nodes[name], parent=None, relation=PLACE_UNKNOWN, position=None)


def _looks_at(step: Step | None, spot: Spot, belief: Belief) -> bool:
    """Return whether a step is the pack's look at a spot."""
    pack = belief.pack
    fact = pack.mapping.look.get(spot.relation)
    if step is None or fact is None or spot.node not in step.args:
        return False
    looks = (pack.mapping_of(action.name).step for action, _ in pack.adders.get(fact.predicate, ()))
    return any(look is not None and look.predicate == step.name for look in looks)


def _at_fixed_things(
    described: Sequence[Described], truth: Observations, called: Mapping[str, Named], spot: Spot
) -> tuple[Described, ...]:
    """Return a description in which furniture is called by its name, and the floor by that of the room.

    No picture shows the number of a table: a word is the thing of that kind which is looked at, or the only
    one in sight.
    """
    fixed = [node for node in truth.nodes if node.type in (*FIXED, "room") and node.id in called]
    names_used = {*(called[node.id] for node in fixed), *(one.name for one in described)}
    at: list[Described] = []
    for one in described:
        target = one.related_to
        if target is not None and target not in names_used:
            word = target[0]
            alike = [node.id for node in fixed if word in _words_for(node, called)]
            alike = [truth.here] if word == FLOOR and not alike else alike
            same = spot.node if spot.node in alike else alike[0] if len(alike) == 1 else None
            one = replace(one, related_to=called[same]) if same is not None else one
        at.append(one)
    return tuple(at)


def _words_for(node: Node, called: Mapping[str, Named]) -> tuple[str, ...]:
    return (called[node.id][0], node.id.lower(), *(text.lower() for text in node.classes))


def _identified(
    described: Sequence[Described], things: Sequence[Node], called: Mapping[str, Named]
) -> dict[Named, Node]:
    """Return which things the objects of a description are, by name: each thing once.

    Numbers only tell things of one name apart, so a thing in the same place is more likely than one with the
    same number elsewhere.
    """
    matched: dict[Named, Node] = {}
    left = list(things)
    for same_place, same_number in ((True, True), (True, False), (False, True), (False, False)):
        for one in described:
            if one.name in matched:
                continue
            for node in left:
                number = called[node.id][1]
                is_word = one.name[0] in _words_for(node, called)
                true = as_described(node, called)
                place = (true.relation, true.related_to and true.related_to[0])
                is_place = place == (one.relation, one.related_to and one.related_to[0])
                if is_word and is_place >= same_place and (number == one.name[1]) >= same_number:
                    matched[one.name] = node
                    left.remove(node)
                    break
    return matched


def words_of(scene: Scene) -> tuple[str, ...]:
    """Return what the movable things of a scene are called, each word once."""
    things = (node for node in scene.nodes.values() if node.type in MOVABLE)
    return tuple(dict.fromkeys(named_of(node.id)[0] for node in things))
