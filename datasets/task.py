"""One entry of a task set: a scene, an overlay, an instruction and its gold goal or gold query.

The overlay holds what one instruction adds to the scene, removes from it or changes in it, so that the base
scenes stay as published. Sets of tasks are loaded by ``library``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..domains.errors import SceneError, clip
from ..simulator.scene import Scene
from ..simulator.scene_json import node_fields, node_from_json
from .scenes import load_scene


@dataclass(frozen=True)
class Gold:
    """What an instruction means, and why: the goal of a planning task, the query of a search task.

    ``accepted`` and ``rejected`` are example outcomes of a plan. ``answers`` are the nodes that the query
    finds on the full scene, in its order; ``any`` says how many of them will do, 0 that all are wanted.
    ``published`` are the rooms that the paper's answer comes to: none where it says that there is none.
    ``plan`` are the actions that come with a task of GRASIF; its goal graph is what they lead to.
    """

    goal: str
    rationale: str
    source: str
    alternatives: tuple[str, ...] = ()
    accepted: tuple[Mapping[str, object], ...] = ()
    rejected: tuple[Mapping[str, object], ...] = ()
    query: str = ""
    answers: tuple[str, ...] = ()
    any: int = 0
    published: tuple[str, ...] = ()
    plan: tuple[str, ...] = ()


@dataclass(frozen=True)
class Task:
    """One entry of a task set. ``base`` is the scene itself where it is none that comes with the package."""

    id: str
    set: str
    scene: str
    instruction: str
    gold: Gold
    overlay: Mapping[str, object] = field(default_factory=dict)
    base: Scene | None = None

    def load(self) -> Scene:
        """The task's scene: the base scene with the overlay applied. Raises :class:`SceneError`."""
        base = self.base if self.base is not None else load_scene(self.scene)
        return apply_overlay(base, self.overlay, self.id)


def apply_overlay(scene: Scene, overlay: Mapping[str, object], where: str) -> Scene:
    """A scene with nodes added, removed and changed as an overlay says."""
    for key in overlay:
        if key not in ("add", "remove", "change"):
            raise SceneError(f"{where}: overlay", "add, remove and change", clip(key))
    add, remove, change = overlay.get("add", []), overlay.get("remove", []), overlay.get("change", {})
    if not isinstance(add, list) or not isinstance(remove, list) or not isinstance(change, dict):
        raise SceneError(
            f"{where}: overlay", "lists to add and remove, an object to change", "something else"
        )
    return scene.changed(
        [node_from_json(n, f"{where}: overlay.add[{i}]") for i, n in enumerate(add)],
        [str(r) for r in remove],
        {k: node_fields(v, f"{where}: overlay.change.{clip(k)}") for k, v in change.items()},
    )
