"""One entry of a task set: a scene, an overlay, an instruction and its gold goal or gold query.

The overlay lists the nodes that one instruction adds to the scene, removes from it or changes in it, so that
the base scenes stay as published. Sets of tasks are loaded by ``library``, which fills the fields of
:class:`Gold` from the keys of ``tasks/*.json``: a new field has a default, and an old one keeps its name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ..domains.errors import SceneError, clip
from ..simulator.scene import Scene
from ..simulator.scene_json import node_fields, node_from_json
from .scenes import load_scene

if TYPE_CHECKING:
    from .episodes.episode import HouseEpisode

POSSIBLE, RELAXED, IMPOSSIBLE = "possible", "relaxed", "impossible"
LABELS: Mapping[str, str] = {
    POSSIBLE: "can be done as it is asked for",
    RELAXED: "can be done in a weaker form, or with other things",
    IMPOSSIBLE: "cannot be done",
}
"""What the authors of a set say of a task."""
REWORDED = "~"
"""What stands between the id of a task and the number of a paraphrase of it."""


def original_id(task_id: str) -> str:
    """Return the id of the task that a paraphrase rewords, and that of any other task as it is.

    >>> original_id("office-planning-simple-01~2")
    'office-planning-simple-01'
    """
    return task_id.partition(REWORDED)[0]


@dataclass(frozen=True)
class Gold:
    """The gold goal of a planning task or the gold query of a search task, with the reason for it.

    ``requested`` is the goal without the doors and switches that the instruction does not name, empty where
    that is the goal itself. ``accepted`` and ``rejected`` are example outcomes of a plan. ``answers`` are the
    nodes that the query finds on the full scene, in its order; ``any`` is the number of them that suffices, 0
    for all.
    ``published`` are the rooms of the paper's answer; none where the paper gives none. ``plan`` are the
    actions that come with a task of GRASIF; they lead to its goal graph. ``unsolvable`` says why no plan can
    be right, for a task that is to be declined: it has neither goal nor query.
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
    requested: str = ""
    unsolvable: str = ""
    lacking: tuple[str, ...] = ()
    """What a goal that cannot be written asks for: predicates of its source that no pack has."""
    label: str = ""
    """One of :data:`LABELS`, empty where the authors of the set say nothing."""


@dataclass(frozen=True)
class Task:
    """One entry of a task set; ``base`` is its scene, if that does not come with the package.

    ``paraphrases`` ask for the same in other words. Each is a task of its own in :attr:`reworded`, with a
    number behind the id (``office-planning-simple-01~2``). ``house`` is a search to be made in a house that
    the robot does not know, where the task is one. With ``hidden`` the robot has seen no movable thing of the
    scene yet.
    """

    id: str
    set: str
    scene: str
    instruction: str
    gold: Gold
    overlay: Mapping[str, object] = field(default_factory=dict)
    base: Scene | None = None
    paraphrases: tuple[str, ...] = ()
    house: HouseEpisode | None = None
    hidden: bool = False
    place: str = ""
    """The file and the line of a user's task."""
    goal_scene: Scene | None = None
    """The goal graph, where the task comes with one."""
    pack: str = "household"
    """The domain pack in which its gold is written."""

    @property
    def foreign(self) -> bool:
        """True for a task of a set that others made: what is wrong in its gold is part of the set."""
        return self.base is not None and not self.place

    @property
    def graded(self) -> bool:
        """False without a gold: nothing says what would be right."""
        gold = self.gold
        return bool(gold.goal or gold.query or gold.unsolvable) or self.house is not None

    def gold_at(self, key: str) -> str:
        """Return how messages name the ``goal``, ``requested`` goal or ``query`` of its gold."""
        kinds = {"goal": "gold goal", "requested": "requested goal", "query": "gold query"}
        return f"{self.place}: {key}" if self.place else f"{kinds[key]} of {self.id}"

    @property
    def reworded(self) -> tuple[Task, ...]:
        """The paraphrases as tasks, with the same scene and gold."""
        return tuple(
            replace(self, id=f"{self.id}{REWORDED}{number}", instruction=text, paraphrases=())
            for number, text in enumerate(self.paraphrases, 1)
        )

    def load(self) -> Scene:
        """Return the base scene with the overlay applied. Raises :class:`SceneError`."""
        base = self.base if self.base is not None else load_scene(self.scene)
        return apply_overlay(base, self.overlay, self.id)


def apply_overlay(scene: Scene, overlay: Mapping[str, object], where: str) -> Scene:
    """Return a scene with the nodes of an overlay added, removed and changed.

    Raises :class:`SceneError` for another overlay, naming ``where`` it comes from.
    """
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
