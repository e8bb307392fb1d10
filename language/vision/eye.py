"""Eyes: what looks at a place and describes the movable things there, a vision model or the simulator.

A :class:`Sighting` is one look: the picture, the node that is looked at, and the names that are known. The
vision model gets picture and names, and knows nothing of the scene; :class:`TrueEye` gets what is truly
there, makes errors of three kinds with given probabilities from a seed, and is for simulation.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, Protocol

from ...compiler.decoding.json_schema import object_schema
from ...domains.errors import InputError, clip, did_you_mean
from ...simulator.scene import Node
from ..chat.prompt import as_data
from ..chat.prompt_form import OwnPrompt, fill, forms_of, placeholders
from ..chat.servers.model import ChatModel, ChatRequest, Constraint, Message, Picture
from .description import MAX_OBJECTS, RELATIONS, Described, Named, read_description

MAX_TOKENS = 2000
"""Most tokens of a description."""
MAX_BYTES = 20_000_000
"""Most bytes of a picture."""
UNNAMED = "thing"
"""The word for a thing that is called by no other."""
FAULTS = ("missed", "renamed", "relation")
"""The errors of an eye of the simulator, each a probability."""
NUMBERS = (*FAULTS, "seed")
"""The numbers of :meth:`TrueEye.read`."""
_KINDS = ((b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"GIF8", "image/gif"))
_NUMBER = re.compile(r"[_ ]?(\d+)\Z")


@dataclass(frozen=True, slots=True)
class Sighting:
    """One look: at a node, in a relation to which things are, with the names that are known already.

    An eye of the simulator is told the ``things`` that are truly there, parents first, how those and what
    they are in are called (``names``), and which ``look`` it is.
    """

    node: str = ""
    relation: str = "ontop_of"
    picture: Picture | None = None
    known_names: tuple[str, ...] = ()
    things: tuple[Node, ...] = ()
    names: Mapping[str, Named] = field(default_factory=dict)
    look: str = ""


class Eye(Protocol):
    """Describes the movable things of a sighting that are not known.

    One that ``errs`` may say what is not so. Of a thing that one sees ``whole``, a state that it does not say
    is not there.
    """

    @property
    def errs(self) -> bool: ...
    @property
    def whole(self) -> bool: ...

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


DESCRIBE = forms_of(__package__ or "")["describe"]


@dataclass(frozen=True, slots=True)
class VisionModel:
    """An eye that is a vision model behind a chat model's interface.

    ``constrained`` asks for the list as an object under a JSON schema, since strict schemas have no lists at
    the top. ``own`` is a prompt of a user.
    """

    errs: ClassVar[bool] = True
    whole: ClassVar[bool] = False
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


@dataclass(frozen=True, slots=True)
class TrueEye:
    """An eye that is told what is truly there: the ``things`` of a sighting, each after what it is in or on.

    ``missed`` is the probability that an object is not seen, and what is in or on it with it; ``renamed``
    that it is called by another of some ``words``; ``relation`` that it is said to be inside of what it is
    on, or on what it is in. All are drawn from ``seed``, the ``look`` of the sighting and the object, so that
    one look says the same whatever was looked at before. Raises ``ValueError`` for what is no probability.
    """

    whole: ClassVar[bool] = True
    missed: float = 0.0
    renamed: float = 0.0
    relation: float = 0.0
    seed: int = 0
    words: tuple[str, ...] = (UNNAMED,)

    def __post_init__(self) -> None:
        for name in FAULTS:
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} is a probability, from 0 to 1, got {getattr(self, name)}")

    @classmethod
    def read(cls, text: str) -> TrueEye:
        """Read ``true:`` or ``true:missed=..,renamed=..,relation=..,seed=..``; what is not named is 0.

        Raises :class:`InputError` for anything else.
        """
        kind, colon, settings = text.strip().partition(":")
        if kind != "true" or not colon:
            raise InputError("eye", f"true:{','.join(f'{name}=..' for name in NUMBERS)}", clip(text))
        given: dict[str, float] = {}
        for part in settings.split(",") if settings else ():
            name, equals, number = (one.strip() for one in part.partition("="))
            if not equals or name not in NUMBERS or name in given:
                expected = f"{', '.join(NUMBERS)}, each once, as NAME=NUMBER"
                raise InputError("eye", expected, clip(part), did_you_mean(name, NUMBERS))
            try:
                given[name] = int(number) if name == "seed" else float(number)
            except ValueError as error:
                expected = "a whole number" if name == "seed" else "a probability, from 0 to 1"
                raise InputError(f"eye: {name}", expected, clip(number)) from error
        try:
            return cls(**given)  # type: ignore[arg-type]
        except ValueError as error:
            raise InputError("eye", str(error), clip(text)) from error

    def __str__(self) -> str:
        given = {name: getattr(self, name) for name in NUMBERS if getattr(self, name)}
        return f"true:{','.join(f'{name}={number:g}' for name, number in given.items())}"

    @property
    def errs(self) -> bool:
        """True if what it says may be wrong."""
        return any(getattr(self, name) for name in FAULTS)

    def describe(self, sighting: Sighting) -> tuple[Described, ...]:
        """Return the objects there each after what it is in or on, without those that are known."""
        names = sighting.names or names_of(dict.fromkeys(i for n in sighting.things for i in _ends(n)))
        called, free = dict(names), _Numbers({*names.values()})
        unseen: set[str] = set()
        described: list[Described] = []
        for node in sighting.things:
            drawn = random.Random(f"{self.seed} {sighting.look} {node.id}")
            missed, renamed, wrong = (drawn.random() for _ in FAULTS)
            if node.id in sighting.known_names:
                continue
            if node.parent in unseen or missed < self.missed:
                unseen.add(node.id)
                continue
            name = names[node.id]
            if renamed < self.renamed:
                others = [word for word in self.words if word != name[0]]
                name = free.named(drawn.choice(others) if others else UNNAMED)
            called[node.id] = name
            one = as_described(node, called)
            opposite = RELATIONS[one.relation == RELATIONS[0]]
            described.append(replace(one, relation=opposite) if wrong < self.relation else one)
        return tuple(described)


def as_described(node: Node, names: Mapping[str, Named]) -> Described:
    """Return a node in the form of a description, by the names of it and of what it is in or on."""
    related = names.get(node.parent) if node.parent is not None else None
    relation = node.relation if related is not None else None
    return Described(names[node.id], relation, related, node.state, node.attributes)


def _ends(node: Node) -> tuple[str, ...]:
    return (node.parent, node.id) if node.parent is not None else (node.id,)


@dataclass
class _Numbers:
    """Numbers that tell things of one name apart, of which some are taken."""

    taken: set[Named] = field(default_factory=set)

    def named(self, word: str, number: int = 1) -> Named:
        """Take the first free name of a word, from a number on."""
        while (word, number) in self.taken:
            number += 1
        self.taken.add((word, number))
        return word, number


def names_of(ids: Iterable[str]) -> dict[str, Named]:
    """Return names and numbers of nodes, each once: those of :func:`named_of`, or with the next number."""
    numbers = _Numbers()
    return {i: numbers.named(*named_of(i)) for i in ids}


def named_of(node: str) -> Named:
    """Return name and number of a node's id: ``apple2`` is ``("apple", 2)``; without a number it is 1."""
    number = _NUMBER.search(node)
    if number is None or int(number.group(1)[:6]) > MAX_OBJECTS:
        return node.lower(), 1
    return node[: number.start()].lower(), int(number.group(1))
