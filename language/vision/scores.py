"""F1 of described pictures against annotations, by the definition of LookPlanGraph (section 6.2).

Nodes are names, which have to match exactly; numbers only tell things of one name apart, so that the best
assignment of numbers is the one that matches as many names as both have. Edges are (name, relation, name),
also with no relation. An answer that cannot be read, and none at all, count 0. A picture is exact where both
are 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from ...domains.errors import InputError, clip
from ...domains.files import read_bytes, read_json
from ..chat.servers.model import ServiceError
from .description import (
    Described,
    UnreadableDescription,
    checked_description,
    read_description,
)
from .eye import MAX_BYTES, Sighting, VisionModel, picture_of

ENDINGS = (".png", ".jpg", ".jpeg", ".gif", ".webp")
"""Endings of the names of pictures."""
MAX_ANNOTATION = 1_000_000
"""Most bytes of an annotation."""
NO_DESCRIPTION = ("empty", "refusal", "too-large")
"""Kinds of :class:`ServiceError` that are about one picture: the model answers, and describes nothing."""


@dataclass(frozen=True, slots=True)
class PictureScore:
    """Score of one picture; both F1 from 0 to 1. ``reason`` says why an answer could not be read."""

    node_f1: float = 0.0
    edge_f1: float = 0.0
    reason: str = ""

    @property
    def exact(self) -> bool:
        """Test whether every node and every edge is right, and none is missing."""
        return self.node_f1 == self.edge_f1 == 1


def score_picture(described: Sequence[Described], annotated: Sequence[Described]) -> PictureScore:
    """Score a description against an annotation.

    >>> from groundplan.language.vision import Described
    >>> apple, bowl = Described(("apple", 1), "inside_of", ("bowl", 1)), Described(("bowl", 1))
    >>> score_picture([apple], [apple, bowl]).node_f1
    0.6666666666666666
    """
    counts = counts_of(described, annotated)
    return PictureScore(counts.f1(counts.nodes), counts.f1(counts.edges))


@dataclass(frozen=True, slots=True)
class AnnotatedPicture:
    """A picture on disk with its annotation: the objects in it, and the names that are known before."""

    path: Path
    objects: tuple[Described, ...]
    known_names: tuple[str, ...] = ()


def annotated_pictures(folder: Path) -> tuple[AnnotatedPicture, ...]:
    """Return the pictures of a folder by name, each with the annotation ``NAME.json`` beside it.

    An annotation is a list of objects in the form of LookPlanGraph's appendix B, or an object with
    ``objects`` and ``known``, a list of names. Raises :class:`InputError` for a folder without pictures, a
    picture without an annotation, two pictures of one name, and a malformed annotation.
    """
    try:
        paths = sorted(path for path in folder.iterdir() if path.suffix.lower() in ENDINGS)
    except OSError as error:
        raise InputError(clip(str(folder)), "a folder of pictures", error.strerror or "none") from error
    if not paths:
        raise InputError(clip(str(folder)), f"pictures ({', '.join(ENDINGS)})", "none")
    stems = Counter(path.stem for path in paths)
    if twice := [stem for stem, count in stems.items() if count > 1]:
        raise InputError(
            clip(str(folder)), "one picture for each annotation", f"several named {clip(twice[0])}"
        )
    return tuple(_annotated(path) for path in paths)


def _annotated(path: Path) -> AnnotatedPicture:
    beside = path.with_suffix(".json")
    where = clip(str(beside), 200)
    if not beside.exists():
        raise InputError(where, f"the annotation of {clip(path.name)}", "no such file")
    raw = read_json(beside, MAX_ANNOTATION)
    known_names: object = []
    if isinstance(raw, dict):
        known_names, raw = raw.get("known", []), raw.get("objects")
    if not isinstance(known_names, list) or not all(isinstance(name, str) for name in known_names):
        raise InputError(f"{where}: known", "a list of names", clip(str(known_names)))
    return AnnotatedPicture(path, checked_description(raw, where), tuple(known_names))


def score_pictures(
    pictures: Iterable[AnnotatedPicture], model: VisionModel
) -> Iterator[tuple[AnnotatedPicture, PictureScore]]:
    """Ask a vision model about pictures one after the other, and score each answer as it comes.

    An answer that is empty, a refusal or too long counts 0, as one that cannot be read. Raises every other
    :class:`ServiceError` of the model, and :class:`InputError` for a file that is no picture.
    """
    for one in pictures:
        where = clip(str(one.path), 200)
        picture = picture_of(read_bytes(one.path, MAX_BYTES), where)
        try:
            answer = model.answer(Sighting(picture=picture, known_names=one.known_names))
            described = read_description(answer)
        except ServiceError as error:
            if error.kind not in NO_DESCRIPTION:
                raise
            yield one, PictureScore(reason=str(error))
        except UnreadableDescription as error:
            yield one, PictureScore(reason=str(error))
        else:
            yield one, score_picture(described, one.objects)


@dataclass(frozen=True, slots=True)
class DescriptionCounts:
    """Counts of descriptions and of what was there, over all looks of a run.

    ``looks`` are those that were answered. ``not_asked`` are looks without a picture, ``unanswered`` those at
    which the service failed; nothing else counts them. ``described`` and ``there`` count objects, ``nodes``
    those of both with the same name, and ``edges`` those with the same relation to the same, too. A
    description that was ``unreadable`` has none.
    """

    looks: int = 0
    not_asked: int = 0
    unanswered: int = 0
    described: int = 0
    there: int = 0
    nodes: int = 0
    edges: int = 0
    unreadable: int = 0

    def __add__(self, other: DescriptionCounts) -> DescriptionCounts:
        return DescriptionCounts(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    def as_json(self) -> dict[str, object]:
        """Return the counts, and the F1 over them where anything was answered: 1 where that was nothing."""
        if not self.looks:
            return asdict(self)
        return asdict(self) | {"node_f1": self.f1(self.nodes), "edge_f1": self.f1(self.edges)}

    def f1(self, both: int) -> float:
        """Return F1 = 2 TP / (2 TP + FP + FN), where so many are in both; 1 where neither has any."""
        total = self.described + self.there
        return 2 * both / total if total else 1.0


def counts_of(
    described: Sequence[Described], there: Sequence[Described], unreadable: bool = False
) -> DescriptionCounts:
    """Compare the description of one look with what was there."""
    nodes = _in_both((one.name[0] for one in described), (one.name[0] for one in there))
    edges = _in_both(map(_edge, described), map(_edge, there))
    sizes = {"described": len(described), "there": len(there)}
    return DescriptionCounts(1, **sizes, nodes=nodes, edges=edges, unreadable=int(unreadable))


def _in_both(answered: Iterable[Hashable], annotated: Iterable[Hashable]) -> int:
    return (Counter(answered) & Counter(annotated)).total()


def _edge(one: Described) -> tuple[str, str, str]:
    return one.name[0], one.relation or "", one.related_to[0] if one.related_to is not None else ""
