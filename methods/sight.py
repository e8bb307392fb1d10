"""Sight of a method that acts: the true world of a request, or what an eye says of it.

An eye is a parameter of a method, so that it is in the name of a row, in the manifest and in a replay. One
that never errs is the simulator's truth, and changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

from ..domains.errors import InputError
from ..language.vision.described_world import DescribedWorld, words_of
from ..language.vision.eye import TrueEye
from ..planners.request import Request
from ..simulator.belief import Belief
from ..simulator.sensing.environment import Environment, TrueWorld
from .method import Method
from .scene_texts import with_fields

SEES = " with eye "
"""What stands between the name of a method and that of its eye."""


def world_of(request: Request, eye: TrueEye | None, believed: Callable[[], Belief]) -> TrueWorld:
    """Return what a method acts in; ``believed`` returns what it believes now."""
    truth = request.world or request.belief
    environment = Environment(truth)
    if eye is None:
        return environment
    seeing = replace(eye, words=words_of(truth.scene))
    return DescribedWorld(environment, seeing, request.belief, believed, episode=request.task or "")


def eye_of(world: TrueWorld, eye: TrueEye | None) -> dict[str, object]:
    """Return what a record says of an eye; nothing where the robot saw the truth."""
    return {"eye": str(eye), **world.counts.as_json()} if isinstance(world, DescribedWorld) else {}


def with_eyes(methods: Sequence[Method], texts: Sequence[str]) -> tuple[Method, ...]:
    """Return each method that acts by what it sees once for each eye; others stay as they are.

    One with an eye that errs has it in its name. Raises :class:`InputError` for what is no eye, and where no
    method sees.
    """
    eyes = [TrueEye.read(text) for text in texts]
    if eyes and not any(_sees(method) for method in methods):
        hint = "such as lookplangraph, hybrid-looking or expected-cost"
        raise InputError("eye", "a method that acts by what it sees", "none", hint)
    rows: dict[str, Method] = {}
    for method in methods:
        for eye in eyes or (TrueEye(),):
            row = _seeing(method, eye) if _sees(method) and eye.errs else method
            rows[row.name] = row
    return tuple(rows.values())


def _sees(method: Any) -> bool:
    return is_dataclass(method) and any(field.name == "eye" for field in fields(method))


def _seeing(method: Any, eye: TrueEye) -> Method:
    seeing: Method = replace(method, eye=eye)
    name = named_with(method.name, eye)
    return seeing if seeing.name == name else with_fields(seeing, name=name)


def named_with(name: str, eye: TrueEye | None) -> str:
    """Return the name of a method with an eye."""
    return name if eye is None or not eye.errs else f"{name}{SEES}{eye}"
