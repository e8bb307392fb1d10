"""The methods of comparison by name, ours and those of users.

A new method is a module beside this one with a class that has a ``name`` and a ``run`` (``method.Method``),
and an entry in ``groups``. Names stay: results are kept under them. Presets are entries, not code. Methods of
users are found by ``own_method``.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..domains.errors import InputError, clip, did_you_mean
from .groups import GROUPS, SCENE, MethodGroup
from .method import Method
from .own_method import offered, own_method
from .scene_texts import TELLS, telling, way_of, with_fields
from .sight import SEES

METHODS: Mapping[str, Method] = {m.name: m for group in GROUPS for m in group.methods}


def method_named(name: str) -> Method:
    """Return the method of a name, or of a user's ``module:Class`` or entry point.

    Raises :class:`InputError` with the nearest names, and for a user's method under the name of one of ours.

    >>> from groundplan.methods import method_named
    >>> method_named("gold").name
    'gold'
    """
    if name in METHODS:
        return METHODS[name]
    method = own_method(name)
    if method is None:
        close = did_you_mean(name, (*METHODS, *offered()))
        hint = "; ".join(filter(None, (close, "`groundplan methods` lists them")))
        raise InputError("method", "the name of a method, or module:Class", clip(name), hint)
    if method.name in METHODS:
        raise InputError(f"method {clip(name)}", "a name that no method has", method.name)
    return method


def group_of(method: Method) -> MethodGroup | None:
    """Return the group that a method of ours is listed in; ``None`` for one of a user."""
    return next((group for group in GROUPS if method in group.methods), None)


def variant_named(name: str) -> tuple[Method, MethodGroup] | None:
    """Return the variant of one of our methods by its name, and the group of those that get what it gets."""
    base, _, way = name.partition(SEES)[0].partition(TELLS)
    base, _, part = base.partition(" without ")
    method = METHODS.get(base) or METHODS.get(base.removesuffix(SCENE))
    if method is None:
        return None
    like = {"search": "full-scene"}.get(part) or (base if base in METHODS else f"hybrid{SCENE}")
    group = next(group for group in GROUPS if any(one.name == like for one in group.methods))
    if part in getattr(method, "parts", ()):
        method = with_fields(method, name=name, without=part)
    try:
        return telling(method, way_of(way)) if way else method, group
    except InputError:
        return None
