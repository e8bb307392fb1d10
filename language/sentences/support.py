"""Names of a goal and words of an instruction that the other does not support, whoever wrote the goal.

*Unsupported* are things and places that a goal names though the instruction gives no reason to. A language
model that does not know where a thing goes puts it somewhere, most often into a cupboard; such a goal passes
every check and is carried out. So each name of a goal is looked up in the words of the instruction. It has
support where a word describes the node (its id, class, attributes, states, description, or another word for
these), where a verb implies it (a bin for "throw away", whatever heats for "warm"), where something around
it is named ("on Filipe's desk"), and where it is the robot's own place or what it holds ("bring it to me").
Requests that leave the place to the reader ("hide it", "put it away") support any place. Words are compared
as the embedded reader compares them. That a word fits does not make a name right: this finds names without
any reason, and no others.

*Unused* are words of an instruction that a goal says nothing of. A reader that leaves a word out may have
left out what was meant, so the record of a run lists such words beside the goal. Verbs are not compared,
since a goal says what they come to and not how; of nouns and adjectives each has to describe a node that the
goal names, something around that node, a class or a fact. Reasons ("because Niko is hungry") are listed as
well: nothing tells them apart in every sentence. Where a goal has constraints on the run, what an
instruction forbids or orders is compared as the requests that it comes to ("without ever entering the
kitchen": "go to the kitchen"). Nothing is decided here, and a word too many in the list does no harm.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from ...domains.evaluate import evaluate
from ...domains.formula import (
    And,
    Atom,
    Cardinality,
    Count,
    Exists,
    Forall,
    Formula,
    Imply,
    Not,
    Or,
    Sometime,
    constraints,
    is_ground_atom,
    names,
    walk,
)
from ...simulator.belief import Belief
from ...simulator.scene import Node
from ...simulator.world import World
from ..english import lexicon
from ..english.facts import RequestFacts
from ..english.lexicon import STATES, WASTE
from ..english.naming import NodeNames
from ..english.phrases import GENERIC, NUMBERS
from ..english.restrictions import restricted
from ..english.thesaurus import synonyms
from ..english.words import alike, content_words, expanded, name_words, singular, stem, tokens
from ..similarity import TextSimilarity

MAX_WORDS = 200
"""Most words of an instruction that are looked at."""
MAX_COMPARED = 2000
"""Most characters of an instruction that are compared as a whole."""
_SILENT = lexicon.CLOSED | lexicon.POLITE | frozenset((*GENERIC, *NUMBERS, "room", "place"))
_TOOLS = {"heat": ("heat",), "cool": ("cool",), "fridge": ("cool",), "wash": ("wash",),
          "clean": ("clean", "wash"), "make": ("brew", "drink"), "fill": ("brew", "drink")}  # fmt: skip
"""Tools that a verb's sense implies."""
_THROWS = frozenset(("away", "throw"))
_OPEN = frozenset(("store",))
"""Senses of verbs that leave it to the reader where a thing goes."""
_HELD = frozenset("hold holding held carry carrying hand gripper".split())
_HERE = frozenset("me us here i we myself".split())
_BELONGS = frozenset("away belongs belong belonging tidy".split())
"""Words that leave the place to the reader, unless something is to be thrown away."""
_SPOILT = frozenset(map(stem, "rotten rotting stinks smells smelly mouldy moldy spoiled".split()))
"""What is so is waste."""
_NAME = re.compile(r"(?<=[^.!?:] )[A-Z]\w+|\w+(?=['’]s\b)")
"""A name within a sentence, or one with what it owns: "Will" is no auxiliary there."""
ALIKE = 0.4
"""Likeness by sentence embeddings of an instruction as a whole and the name of a node from which that has
support: chosen on instructions that were developed on ("where people eat": cafeteria)."""
MAX_LISTED = 40
"""Most words that are listed."""
_TELLS_NOTHING = (
    lexicon.CLOSED | lexicon.POLITE | lexicon.PARTICLES | frozenset((*GENERIC, *NUMBERS, *STATES, "certain"))
)


def unsupported(
    instruction: str,
    goal: Formula,
    belief: Belief,
    similarity: TextSimilarity | None = None,
    place: str | None = None,
) -> tuple[str, ...]:
    """Return the names that a goal asks something of and the instruction does not mention, in their order.

    What a goal denies and what is so already needs no support, and of alternatives the best supported counts.
    With ``similarity`` a name also has support where it is like the instruction as a whole. ``place`` is
    where the instruction is given, which "me" and "here" mean.

    >>> from groundplan import ground, load_pack, load_scene, parse_goal
    >>> office = ground(load_scene("office"), load_pack())
    >>> goal = parse_goal("(and (inside_of pepsi cupboard2) (clean desk38))").formula
    >>> unsupported("Tobi spilt soda on his desk. Throw the can away.", goal, office)
    ('cupboard2',)
    """
    support = _Support(instruction, belief, similarity, place)
    return tuple(dict.fromkeys(_without(goal, support)))


def _without(goal: Formula, support: _Support) -> tuple[str, ...]:
    """Return the names without support, one for each time that they are asked for."""
    match goal:
        case Not():
            return ()
        case Or(parts) | Cardinality(_, _, parts):
            return min((_without(part, support) for part in parts), key=len, default=())
        case And(parts):
            return tuple(name for part in parts for name in _without(part, support))
        case Imply(_, body) | Sometime(body) | Forall(_, body) | Exists(_, body) | Count(_, _, _, body):
            return _without(body, support)
    if isinstance(goal, Atom) and support.holds(goal):
        return ()
    return tuple(name for name in names(goal) if not support.of(name))


class _Support:
    """Reasons that one instruction gives to mention the nodes of a scene."""

    def __init__(
        self, instruction: str, belief: Belief, similarity: TextSimilarity | None, place: str | None
    ) -> None:
        self.instruction, self.similarity, self.place = instruction, similarity, place
        self.belief, self.scene, self.pack = belief, belief.scene, belief.pack
        self.described = NodeNames(belief.scene)
        self.spoken = tuple(dict.fromkeys((*tokens(instruction), *tokens(expanded(instruction)))))[:MAX_WORDS]
        words = [w for part in content_words(expanded(instruction)) for w in (part, *name_words(part))]
        words = [w for w in words if not (w.isdigit() or {w, singular(w)} & _SILENT)]
        persons = [match.group().lower() for match in _NAME.finditer(instruction)]
        persons = [p for p in persons if p in lexicon.MODALS]
        self.words = tuple(dict.fromkeys((*words, *persons)))[:MAX_WORDS]

    def holds(self, fact: Atom) -> bool:
        """Return whether a fact without variables holds now, so that it asks for nothing."""
        return is_ground_atom(fact) and evaluate(fact, self._world)

    def of(self, name: str) -> bool:
        """Return whether there is a reason to mention a node; of a name of none the check tells."""
        node = self.scene.nodes.get(name)
        if node is None:
            return True
        described = self._described(node) or self._implied(node) or self._own(node)
        return described or any(map(self._described, self._above(node))) or self._like(node)

    def _described(self, node: Node) -> bool:
        return any(self.described.explained(word, node) for word in self.words)

    def _above(self, node: Node) -> Iterator[Node]:
        return (self.scene.nodes[a] for a in self.scene.ancestors(node.id))

    def _like(self, node: Node) -> bool:
        if self.similarity is None:
            return False
        name = " ".join(w for w in name_words(node.id) if not w.isdigit())
        return self.similarity.scores(self.instruction[:MAX_COMPARED], [name])[0] >= ALIKE

    def _implied(self, node: Node) -> bool:
        senses = self._senses
        spoken = frozenset(self.spoken)
        thrown = bool(_THROWS & senses)
        if node.type != "object" and (_OPEN & senses or (_BELONGS & spoken and not thrown)):
            return True
        own = {singular(w) for w in self.described.words(node)}
        if (thrown or _SPOILT & set(map(stem, spoken))) and own & (WASTE | {"bin"}):
            return True
        tools = {tool for sense in senses for tool in _TOOLS.get(sense, ())}
        facts = RequestFacts(self.pack)
        return any(facts.capable(node, tool) for tool in sorted(tools))

    def _own(self, node: Node) -> bool:
        agents = self.scene.by_type.get("agent", ())
        spoken = set(self.spoken)
        if spoken & _HERE and self.place in (node.id, *self.scene.ancestors(node.id)):
            return True
        for agent in agents:
            if node.id in self.scene.descendants(agent) and (_HELD | lexicon.OBJECTS) & spoken:
                return True
            at = self.scene.nodes[agent].at
            here = {at, self.scene.room_of(agent), *(self.scene.ancestors(at) if at else ())}
            if spoken & _HERE and node.id in here:
                return True
        return False

    @cached_property
    def _world(self) -> World:
        return World(self.belief)

    @cached_property
    def _senses(self) -> frozenset[str]:
        verbs = (lexicon.base(word) for word in self.spoken)
        return frozenset(sense for verb in verbs if verb for sense in lexicon.meanings(verb))


def unused(instruction: str, goal: Formula, belief: Belief) -> tuple[str, ...]:
    """Return the words of an instruction that a goal says nothing of, in their order, each once.

    >>> from groundplan import ground, load_pack, load_scene, parse_goal
    >>> office = ground(load_scene("office"), load_pack())
    >>> goal = parse_goal("(inside_of orange1 fridge)").formula
    >>> unused("Put the orange in the fridge, next to the purple lizard.", goal, office)
    ('purple', 'lizard')
    """
    scene = belief.scene
    described = NodeNames(scene)
    named = [i for i in names(goal) if i in scene.nodes]
    # "The book from the bedroom": where a thing comes from describes it.
    nodes = [scene.nodes[a] for a in dict.fromkeys(a for i in named for a in (i, *scene.ancestors(i)))]
    words = {word for name in _said(goal) for word in name_words(name)}
    # An id as it stands: "table1" is one word of the instruction, and two of a name.
    words |= {word for node in nodes for word in content_words(node.id)}
    left: dict[str, None] = {}
    limits = restricted(instruction) if constraints(goal) else None
    text = instruction if limits is None else " ".join(limits.requests)
    for word in content_words(expanded(text)):
        if len(left) == MAX_LISTED:
            break
        if word in _TELLS_NOTHING or singular(word) in _TELLS_NOTHING or lexicon.base(word) is not None:
            continue
        others = {singular(word), *synonyms((word,))}
        if any(alike(word, w) or singular(w) in others for w in words):
            continue
        if not any(described.explained(word, n) or others & set(name_words(n.id)) for n in nodes):
            left[word] = None
    return tuple(left)


def _said(goal: Formula) -> Iterator[str]:
    """The classes, predicates and counts of a goal."""
    for part in walk(goal):
        match part:
            case Exists(variables, _) | Forall(variables, _):
                yield from (v.type for v in variables)
            case Count(kind, number, variables, _):
                yield from (kind, str(number), *(v.type for v in variables))
            case Cardinality(kind, number, _):
                yield from (kind, str(number))
            case Atom(predicate, _):
                yield predicate
