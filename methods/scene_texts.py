"""Ways in which a method tells a model of its scene: a form, and descriptions of nodes or none.

Both are axes of a comparison (``--scene-text``), and a way may set both. Without descriptions a method gets a
scene that has none, so that neither its model nor its own search and checks can know any.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

from ..domains.errors import InputError, clip, did_you_mean
from ..pipeline.record import Record
from ..planners.request import Request
from ..simulator.scene import undescribed
from .method import Method

FORMS = ("own", "sayplan", "listing")
"""Forms of a scene in prompts; ``own`` is that of the method."""
DESCRIBED: Mapping[str, bool] = {"described": True, "undescribed": False}
"""Whether descriptions of nodes are told of, whatever the form; without a word it is as the method has it."""
SHOWN: Mapping[str, str] = {
    "listing": "a listing of rooms, things, states, attributes",
    "sayplan": "SayPlan's JSON of rooms, poses, links, things, affordances, states, attributes",
    "sayplan without poses": "SayPlan's JSON of rooms, things, affordances, states, attributes",
    "memory graph": "LookPlanGraph's JSON of rooms, things, states, attributes",
    "sentences": "sentences on types, rooms, facts of the domain, attributes",
    "item graph": "DELTA's JSON of rooms, things, facts of the domain, attributes",
}
"""What a model is shown of a scene in each form: in the request for a goal, and by baselines in all."""
SEARCHED: Mapping[str, str] = {
    "": "what its reader's search shows",
    "words": "a list of rooms, if asked",
    "naming": "a list of rooms",
    "query": "a list of rooms, words for things",
    "dialogue": "SayPlan's JSON",
    "dialogue+": "SayPlan's JSON",
}
"""What the model of a hybrid is shown in its search, by protocol; without one, by that of its reader."""
TELLS = " with scene text "
"""Begins the end of the name of a method that tells of its scene in a way that is not its own."""


def way_of(text: str) -> Mapping[str, object]:
    """Read a form, ``described`` or ``undescribed``, or both with a ``+`` between, as parameters of a method.

    Raises :class:`InputError`.
    """
    words = text.split("+")
    check_names(words, (*FORMS, *DESCRIBED), "scene text", "a form of the scene, described or undescribed")
    forms, described = ([w for w in words if w in group] for group in (FORMS, DESCRIBED))
    if len(forms) > 1 or len(described) > 1:
        raise InputError("scene text", "one form, and described or undescribed once", clip(text))
    way: dict[str, object] = {"scene_text": forms[0]} if forms else {}
    return way | ({"descriptions": DESCRIBED[described[0]]} if described else {})


def parameters_of(method: Any) -> Sequence[str]:
    """Return the names of a method's own parameters."""
    return [field.name for field in fields(method)] if is_dataclass(method) else []


def has_way(method: Any, way: Mapping[str, object]) -> bool:
    """Return whether a method can tell of its scene in a way, or does so by itself."""
    forms = ("own", getattr(method, "tells_as", ""), *getattr(method, "scene_texts", ()))
    described = "descriptions" not in way or "descriptions" in parameters_of(method)
    return described and way.get("scene_text", "own") in forms


def telling(method: Any, way: Mapping[str, object]) -> Method:
    """Return a method that tells of its scene in a way, as far as it has that and it is not its own."""
    changes: dict[str, object] = {}
    if (form := way.get("scene_text")) in getattr(method, "scene_texts", ()):
        changes["scene_text"] = form
    if "descriptions" in way and getattr(method, "descriptions", None) == (not way["descriptions"]):
        changes["descriptions"] = way["descriptions"]
    spelt: dict[object, str] = {tells: word for word, tells in DESCRIBED.items()}
    words = "+".join(spelt.get(value, str(value)) for value in changes.values())
    as_it_is: Method = method
    return with_fields(method, name=f"{method.name}{TELLS}{words}", **changes) if changes else as_it_is


def with_fields(method: Any, **changes: object) -> Method:
    """Return a method with other values of some parameters."""
    changed: Method = replace(method, **changes)
    return changed


def shown(method: object, to_model: bool = True) -> str:
    """Return what a method shows a model of the scene, in words; empty where it shows it none.

    Another reader than a model gets the same part as data.
    """
    own, form = getattr(method, "tells_as", ""), getattr(method, "scene_text", "own")
    words = SHOWN.get(own if form == "own" else form, "")
    if not words:
        return ""
    protocol, without = getattr(method, "protocol", None), getattr(method, "without", "")
    if not to_model:
        words = "no text: the scene as data"
    elif protocol is not None and without != "search":
        words = f"{SEARCHED[protocol]}; then {words}"
    described = getattr(method, "descriptions", False)
    memory = "; not what was opened before" if without == "memory" else ""
    return f"{words}; {'with' if described else 'no'} descriptions{memory}"


def check_names(names: Sequence[str], there: Sequence[str], where: str, expected: str) -> None:
    """Raise :class:`InputError` for a name that is not there."""
    for name in names:
        if name not in there:
            raise InputError(
                where, expected, clip(name), did_you_mean(name, there) or f"there are {', '.join(there)}"
            )


def as_told(request: Request, descriptions: bool) -> Request:
    """Return a request whose scenes have descriptions of nodes, or none: no fact rests on them."""
    if descriptions:
        return request
    world = request.world
    belief = replace(request.belief, scene=undescribed(request.belief.scene))
    there = None if world is None else replace(world, scene=undescribed(world.scene))
    return replace(request, belief=belief, world=there)


def record_of(name: str, request: Request, record: Record) -> Record:
    """Return a method's record with the hash of the scene that the request has, as it was told or not."""
    own = request.belief.scene.hash
    if own in record.hashes.values():
        return replace(record, method=name)
    bare = undescribed(request.belief.scene).hash
    return replace(record, method=name, hashes={k: own if v == bare else v for k, v in record.hashes.items()})
