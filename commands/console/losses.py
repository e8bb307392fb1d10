"""Lines for people about losses in reading a scene, and about things whose place is not known.

`plan` and `scene show` print one line, `scene validate` one for each kind; JSON has the whole list. Texts may
be changed; the list itself is ``Scene.losses``, made by the readers of ``datasets/formats``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from ...domains.errors import clip
from ...simulator.scene import DOUBT, Loss, Scene
from .terminal import number_of

PLACE = "place"
"""The kind of loss of which only the place is lost: the thing is in the scene."""
NAMED = 3
"""Names in a line, at most."""


def losses_json(scene: Scene) -> list[dict[str, object]]:
    """Return the losses of a scene for ``--json``."""
    return [loss.as_json() for loss in scene.losses]


def reading_note(scene: Scene) -> str:
    """Say in one line what reading a scene lost, and what has no known place; empty where that is nothing."""
    counts = Counter[str]()
    for loss in scene.losses:
        counts[loss.kind] += loss.count
    lost = ", ".join(number_of(n, kind) for kind, n in counts.items() if kind not in (PLACE, DOUBT))
    parts = [f"not in the scene, of its file: {lost}"] if lost else []
    parts += [f"doubtful in its file: {counts[DOUBT]}"] if counts[DOUBT] else []
    if unplaced := len(scene.unplaced):
        parts.append(f"place not known: {number_of(unplaced, 'thing')}")
    return "; ".join(parts) + " (`groundplan scene validate` lists them)" if parts else ""


def losses_by_kind(losses: Sequence[Loss]) -> Iterator[str]:
    """Yield a line for each kind of loss: the number, and the first names or those of most."""
    for kind in dict.fromkeys(loss.kind for loss in losses if loss.kind not in (PLACE, DOUBT)):
        alike = [loss for loss in losses if loss.kind == kind]
        number = number_of(sum(loss.count for loss in alike), kind)
        yield f"{number}: {few((loss.id, loss.count) for loss in alike)}"


def doubts(losses: Sequence[Loss]) -> Iterator[str]:
    """Yield a line for each doubt: what it is about, how often, and which reading was taken."""
    for loss in losses:
        if loss.kind == DOUBT:
            number = f" ({loss.count})" if loss.count > 1 else ""
            yield f"{loss.id}{number}: {loss.reason}"


def few(numbered: Iterable[tuple[str, int]]) -> str:
    """List names with their numbers, the greatest first: ``CLOSE (4794), FACING (448) and 3 more``."""
    ordered = sorted(numbered, key=lambda pair: -pair[1])
    named = ", ".join(f"{clip(name, 60)} ({n})" if n > 1 else clip(name, 60) for name, n in ordered[:NAMED])
    return f"{named} and {len(ordered) - NAMED} more" if len(ordered) > NAMED else named
