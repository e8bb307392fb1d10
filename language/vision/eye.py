"""Eyes: what looks at a place and describes the movable things there, a vision model or the simulator.

A :class:`Sighting` is one look: the picture, the node that is looked at, and the names that are known. The
vision model gets picture and names, and knows nothing of the scene; :class:`TrueEye` has the true scene,
makes errors of three kinds with given probabilities from a seed, and is for simulation.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from typing import Protocol

from ...compiler.decoding.json_schema import object_schema
from ...domains.errors import InputError, clip
from ...simulator.scene import Scene
from ..chat.prompt import as_data
from ..chat.prompt_form import OwnPrompt, PromptForm, fill, placeholders
from ..chat.servers.model import ChatModel, ChatRequest, Constraint, Message, Picture
from .description import MAX_OBJECTS, RELATIONS, Described, Named, read_description

MAX_TOKENS = 2000
"""Most tokens of a description."""
MAX_BYTES = 20_000_000
"""Most bytes of a picture."""
_KINDS = ((b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"GIF8", "image/gif"))
_NUMBER = re.compile(r"[_ ]?(\d+)\Z")


@dataclass(frozen=True, slots=True)
class Sighting:
    """One look: at a node, in a relation to which things are, with the names that are known already."""

    node: str = ""
    relation: str = "ontop_of"
    picture: Picture | None = None
    known_names: tuple[str, ...] = ()


class Eye(Protocol):
    """Describes the movable things of a sighting that are not known."""

    def describe(self, sighting: Sighting) -> tuple[Described, ...]:
        """Return what is seen. Raises :class:`ServiceError`, :class:`UnreadableDescription` of a model."""
        ...


def picture_of(data: bytes, where: str) -> Picture:
    """Return bytes as a picture, by what they begin with: PNG, JPEG, GIF or WebP.

    Raises :class:`InputError` for something else, and for more than :data:`MAX_BYTES`.
    """
    if len(data) > MAX_BYTES:
        raise InputError(where, f"a picture of at most {MAX_BYTES} bytes", str(len(data)))
    for start, media_type in _KINDS:
        if data.startswith(start):
            return Picture(media_type, data)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return Picture("image/webp", data)
    raise InputError(where, "a PNG, JPEG, GIF or WebP picture", clip(repr(data[:12])))


DESCRIBE = PromptForm(
    "describe", __package__ or "", "the things in a picture (`groundplan vision`)", fields=("known",)
)


@dataclass(frozen=True, slots=True)
class VisionModel:
    """An eye that is a vision model behind a chat model's interface.

    ``constrained`` asks for the list as an object under a JSON schema, since strict schemas have no lists at
    the top. ``own`` is a prompt of a user.
    """

    model: ChatModel
    constrained: bool = True
    own: tuple[OwnPrompt, ...] = ()

    def describe(self, sighting: Sighting) -> tuple[Described, ...]:
        """Ask for a description. Raises :class:`ServiceError`, :class:`UnreadableDescription`.

        Raises ``ValueError`` for a sighting without a picture.
        """
        return read_description(self.answer(sighting))

    def answer(self, sighting: Sighting) -> str:
        """Return the model's own words on a picture. Raises :class:`ServiceError`, ``ValueError``."""
        if sighting.picture is None:
            raise ValueError("a vision model needs a picture")
        names = "\n".join(f"- {as_data(name)}" for name in sighting.known_names) or "- nothing"
        text = DESCRIBE.text(self.own)
        shown = fill(text, {"known": names}) if placeholders(text) else f"{text}{names}"
        message = Message("user", shown, (sighting.picture,))
        constraint = Constraint("description", _schema) if self.constrained else None
        return self.model.ask(ChatRequest((message,), constraint, MAX_TOKENS, "vision")).text


def _schema() -> dict[str, object]:
    named = {"type": "array", "items": {"type": ["string", "integer"]}}
    entry = object_schema(
        name=named,
        relation={"enum": [*RELATIONS, None]},
        related_to={"anyOf": [named, {"type": "null"}]},
        states={"type": "string"},
        properties={"type": "string"},
    )
    return object_schema(objects={"type": "array", "items": entry})


@dataclass
class TrueEye:
    """An eye that knows the truth: what is on or in the node of a sighting, and on or in that in turn.

    ``missed`` is the probability that an object is not seen, ``renamed`` that it is called something else,
    ``loose`` that its relation is not seen. All are drawn from ``seed``. Raises ``ValueError`` for what is no
    probability.
    """

    scene: Scene
    missed: float = 0.0
    renamed: float = 0.0
    loose: float = 0.0
    seed: int = 0
    _drawn: random.Random = field(init=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("missed", "renamed", "loose"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} is a probability, from 0 to 1, got {getattr(self, name)}")
        self._drawn = random.Random(self.seed)

    def describe(self, sighting: Sighting) -> tuple[Described, ...]:
        """Return the objects there each after what it is in or on, without those that are known."""
        scene = self.scene
        places = {sighting.node: sighting.relation}
        seen: list[Described] = []
        for node in (scene.nodes[i] for i in scene.descendants(sighting.node)):
            parent = node.parent
            if node.type != "object" or parent not in places or len(seen) == MAX_OBJECTS:
                continue
            if places[parent] not in ("", node.relation) or node.relation not in RELATIONS:
                continue
            chances = [self._drawn.random() for _ in range(3)]
            if chances[0] < self.missed:
                continue
            places[node.id] = ""  # what is on or in it is in sight with it
            if node.id in sighting.known_names:
                continue
            name = named_of(node.id) if chances[1] >= self.renamed else ("thing", len(seen) + 1)
            tied = chances[2] >= self.loose
            related = named_of(parent) if tied and parent is not None else None
            relation = node.relation if tied else None
            seen.append(Described(name, relation, related, node.state, node.attributes))
        return tuple(seen)


def named_of(node: str) -> Named:
    """Return name and number of a node's id: ``apple2`` is ``("apple", 2)``; without a number it is 1."""
    number = _NUMBER.search(node)
    if number is None or not 0 < int(number.group(1)[:6]) <= MAX_OBJECTS:
        return node.lower(), 1
    return node[: number.start()].lower(), int(number.group(1))
