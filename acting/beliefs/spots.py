"""Priors of the spots of a scene, whose rooms and furniture are known by name.

:class:`SpotPriors` takes them from any :class:`Likelihood`, such as one that a chat model states.
:class:`SimilarityPriors` compares sentences instead of words, since a scene says more than types: whether a
thing would be on or inside of something. How much nearness counts, :data:`ASSET_SCALE` and
:data:`ROOM_SCALE`, was fitted by likelihood to where the things of the scenes ``office`` and ``home`` are,
and to no house of ProcTHOR. :data:`UNSAID` is the share that is spread evenly, since names say little of many
things. In both, spots that seldom have a thing count less (:data:`RARE`, :data:`LID`, :data:`FLOOR`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import dropwhile

from ...domains.mapping import AROUND
from ...language.english.chunks import sentences
from ...language.english.lexicon import DETERMINERS
from ...language.english.words import name_words, singular, tokens
from ...language.similarity import TextSimilarity
from ...simulator.belief import Belief
from ...simulator.observations.observation import Spot
from ...simulator.scene import RELATIONS, Scene
from ...simulator.sensing.spots import hidden_relations, holds_things
from .likelihood import ANY, Likelihood

ASSET_SCALE = 0.15
"""Cosine by which a piece of furniture becomes e times as likely."""

ROOM_SCALE = 0.15
"""Cosine by which a room becomes e times as likely."""

CENTRE = 4.24
"""Logarithm of the mean weight of all pairs of thing and furniture in those scenes."""

UNSAID = 0.1
"""Share of the probability that does not depend on names."""

RARE = 0.003
"""Weight of a spot under or attached to something, and of one on or in a thing that is itself movable, where
other spots have 1. In ``home`` and the eight houses of this package 360 things are at something other than a
room: none under or attached to it, one in a movable thing (``tools/measure_placements.py``). For each of the
69 insides of movable things that is 0.014 things, for each top of furniture 1.3."""

LID = 0.25
"""Weight of the top of furniture that has an inside, too. In ``home`` none of 7 such tops has a thing, and
others have 0.93 on the average; in the houses it is 0.45, all of it on toilets, and 1.84."""

INSIDE, ON_TOP, RARE_RELATIONS = RELATIONS[0], RELATIONS[1], RELATIONS[2:4]
"""The relations to what holds a thing, to what carries it from below, and those of things under or attached
to something."""

FLOOR = 0.5
"""Weight of the floor of a room. In ``home`` a floor has 0.54 things and the top of furniture without inside
0.93, in the houses 0.46 and 1.84."""


@dataclass
class SpotPriors:
    """Priors of an episode from a likelihood: by the words of a spot's furniture and of its room."""

    likelihood: Likelihood
    _prepared: dict[str, int] = field(default_factory=dict, repr=False)
    """Things that were prepared for, with the number of nodes that the scene had then."""

    def weight(self, thing: str, spot: Spot, belief: Belief) -> float:
        """Return how likely a thing is at a spot, relative to other spots."""
        scene = belief.scene
        room = spot.node if spot.relation == AROUND else room_above(spot.node, scene)
        name = spoken(thing, scene)
        if self._prepared.get(name) != len(scene.nodes):
            self._prepared[name] = len(scene.nodes)
            self.likelihood.prepare([name], _words("room", scene), _words("asset", scene))
        # A look around a room is for what is on its floor, or on furniture of any kind.
        furniture = ANY if spot.relation == AROUND else spoken(spot.node, scene)
        upon = self.likelihood.upon(name, furniture)
        within = self.likelihood.within(name, spoken(room, scene)) if room is not None else 1.0
        return _usual(spot, belief) * upon * within


@dataclass
class SimilarityPriors:
    """Priors by the similarity in meaning of sentences, such as that of sentence embeddings.

    A place is likelier where its words are like the question where the thing is. There the thing is called as
    the ``instruction`` calls it, if it does: a "printed document" is likelier on a printer than a document.
    Weights are remembered by the words of thing, place and room.
    """

    similarity: TextSimilarity
    instruction: str = ""
    _weights: dict[tuple[str, str], float] = field(default_factory=dict, repr=False)

    def weight(self, thing: str, spot: Spot, belief: Belief) -> float:
        """Return how likely a thing is at a spot, relative to other spots."""
        scene = belief.scene
        room = spot.node if spot.relation == AROUND else room_above(spot.node, scene)
        words = [f"in the {spoken(room, scene)}"] if room is not None else []
        if spot.relation != AROUND:
            words.append(f"{spoken(spot.relation, scene).split()[0]} the {spoken(spot.node, scene)}")
        place, around = ", ".join(words), words[0] if words else ""
        called = described(spoken(thing, scene), self.instruction)
        return _usual(spot, belief) * self.likelihood(called, place, around)

    def likelihood(self, thing: str, place: str, room: str) -> float:
        """Return the weight of a place in a room, in words such as "in the kitchen, on the table".

        It is positive, and near 1 on the average.
        """
        if (thing, place) not in self._weights:
            question = f"where is the {thing}?"
            near, around = self.similarity.scores(question, [place, room.removeprefix("in the ") or place])
            exponent = near / ASSET_SCALE + around / ROOM_SCALE - CENTRE
            self._weights[thing, place] = (1 - UNSAID) * math.exp(exponent) + UNSAID
        return self._weights[thing, place]


def _usual(spot: Spot, belief: Belief) -> float:
    """Return how usual it is that anything is at a spot of this kind, relative to others.

    A look around a room is for its floor alone where its furniture has spots of its own.
    """
    if spot.relation == AROUND:
        return FLOOR if furniture_has_spots(belief) else 1.0
    if spot.relation in RARE_RELATIONS or belief.scene.nodes[spot.node].type == "object":
        return RARE
    return LID if spot.relation == ON_TOP and _has_inside(spot.node, belief) else 1.0


def _has_inside(name: str, belief: Belief) -> bool:
    """Return whether a pack says of a node that it has an inside, in which things may be out of sight."""
    hidden = INSIDE in belief.pack.mapping.parents and INSIDE in hidden_relations(belief)
    return hidden and holds_things(belief, name, INSIDE)


def furniture_has_spots(belief: Belief) -> bool:
    """Return whether what is on furniture is seen only by a look at it, and all furniture is known."""
    return ON_TOP in hidden_relations(belief) and not {"room", "asset"} & set(belief.unseen)


def _words(kind: str, scene: Scene) -> tuple[str, ...]:
    """Return the words for all nodes of a type, in order."""
    return tuple(sorted({spoken(name, scene) for name in scene.by_type.get(kind, ())}))


def spoken(name: str, scene: Scene) -> str:
    """Return the words for a node or a class, without numbers: of its name, or else of a class."""
    node = scene.nodes.get(name)
    classes = sorted(node.classes) if node is not None else []
    for text in (name, *classes):
        words = [word for word in name_words(text) if not word.isdigit()]
        if words:
            return " ".join(words)
    return name


@lru_cache(maxsize=1024)
def described(called: str, instruction: str) -> str:
    """Return what a text calls a thing, without article: its first noun phrase that a name is the end of.

    >>> described("document", "File the freshly printed document, please."), described("cup", "Tidy up.")
    ('freshly printed document', 'cup')
    """
    words = called.split()
    for chunk in (chunk for sentence in sentences(instruction) for chunk in sentence if chunk.kind == "n"):
        row = tokens(chunk.text)
        *first, last = row[-len(words) :] or [""]
        if [*first, singular(last)] == words or [*first, last] == words:
            return " ".join(dropwhile(DETERMINERS.__contains__, row)) or called
    return called


def room_above(name: str, scene: Scene) -> str | None:
    """Return the room that a node is in, ``None`` where nobody knows."""
    return next((a for a in scene.ancestors(name) if scene.nodes[a].type == "room"), None)
