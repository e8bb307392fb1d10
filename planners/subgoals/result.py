"""Errands and what becomes of them: the ways to do one part of a goal, and a plan for all of it."""

from __future__ import annotations

from dataclasses import dataclass

from ...domains.action import PlanAction
from ...domains.formula import Formula
from .execution import Essence
from .order import Order, Way


@dataclass(frozen=True)
class Errand:
    """One part of the goal and the ways to do it that were found."""

    part: Formula
    ways: tuple[tuple[Way, Essence], ...]


@dataclass(frozen=True)
class Joined:
    """A plan for the whole goal. ``mode`` is ``split`` or ``joint``, ``why`` says why."""

    actions: tuple[PlanAction, ...]
    cost: int
    mode: str
    why: str
    parts: tuple[str, ...]
    bound: int | None = None
    optimal: bool = False
    reproducible: bool = True


def why(chosen: Order, parts: int) -> str:
    """Why a plan is split, and how good its order is."""
    said = "one part is left" if parts == 1 else f"{parts} parts share no changing fact"
    if chosen.exact:
        return f"{said}; their order is exact" if parts > 1 else said
    over = chosen.cost / chosen.bound if chosen.bound else 1.0
    return f"{said}; their order is at most {over:.2f} times the best"
