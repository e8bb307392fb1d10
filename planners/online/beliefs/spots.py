"""Priors of the spots of a scene, whose rooms and furniture are known by name.

:class:`SpotPriors` takes them from any :class:`Likelihood`, such as one that a chat model states.
:class:`SimilarityPriors` compares sentences instead of words, since a scene says more than types: whether a
thing would be on or inside of something. How much nearness counts, :data:`ASSET_SCALE` and
:data:`ROOM_SCALE`, was fitted by likelihood to where the things of the scenes ``office`` and ``home`` are,
and to no house of ProcTHOR. :data:`UNSAID` is the share that is spread evenly, since names say little of many
things.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from ....domains.mapping import AROUND
from ....language.embedded.words import name_words
from ....simulator.belief import Belief
from ....simulator.scene import Scene
from ....simulator.sensing.observation import Spot
from ...methods.method import TextSimilarity
from .likelihood import ANY, Likelihood

ASSET_SCALE = 0.15
"""Cosine by which a piece of furniture becomes e times as likely."""

ROOM_SCALE = 0.15
"""Cosine by which a room becomes e times as likely."""

CENTRE = 4.24
"""Logarithm of the mean weight of all pairs of thing and furniture in those scenes."""

UNSAID = 0.1
"""Share of the probability that does not depend on names."""


@dataclass
class SpotPriors:
    """Priors of an execution from a likelihood: by the words of a spot's furniture and of its room."""

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
        return upon * self.likelihood.within(name, spoken(room, scene)) if room is not None else upon


@dataclass
class SimilarityPriors:
    """Priors by the similarity in meaning of sentences, such as that of sentence embeddings.

    Weights are remembered by the words of thing, place and room.
    """

    similarity: TextSimilarity
    _weights: dict[tuple[str, str], float] = field(default_factory=dict, repr=False)

    def weight(self, thing: str, spot: Spot, belief: Belief) -> float:
        """Return how likely a thing is at a spot, relative to other spots."""
        scene = belief.scene
        room = spot.node if spot.relation == AROUND else room_above(spot.node, scene)
        words = [f"in the {spoken(room, scene)}"] if room is not None else []
        if spot.relation != AROUND:
            words.append(f"{spoken(spot.relation, scene).split()[0]} the {spoken(spot.node, scene)}")
        return self.likelihood(spoken(thing, scene), ", ".join(words), words[0] if words else "")

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


def room_above(name: str, scene: Scene) -> str | None:
    """Return the room that a node is in, ``None`` where nobody knows."""
    return next((a for a in scene.ancestors(name) if scene.nodes[a].type == "room"), None)
