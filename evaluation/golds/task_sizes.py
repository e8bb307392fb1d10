"""Sizes of a task set: what LookPlanGraph's table 1 counts of GRASIF's sets, and what tasks are there.

Nodes are those of a scene without poses, which GRASIF's graphs have not. A task changes the nodes that differ
between its initial and its goal graph; this is known of tasks that come with a goal graph or a plan.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from statistics import fmean

from ...datasets.grasif.goal_graphs import wrong_nodes
from ...datasets.task import LABELS, Task
from ...domains.deadline import check_time
from ...domains.pack import load_pack
from ...simulator.belief import ground
from ...simulator.scene import Loss
from ...simulator.world import World
from ..graphs import goal_graph
from ..judging import misfit

SIZES: Mapping[str, str] = {
    "tasks": "tasks",
    "goals": "with a gold goal",
    "queries": "with a gold query",
    "graphs": "with a goal graph or a plan",
    "rooms": "rooms of a scene",
    "nodes": "nodes of a scene, without poses",
    "changed": "nodes that a task changes",
    "words": "words of an instruction",
}
"""What each number of :class:`SetSizes` is, for people."""


@dataclass(frozen=True, slots=True)
class SetSizes:
    """Counts of tasks, and means over them; ``changed`` is ``None`` where no goal graph is known."""

    tasks: int
    goals: int
    queries: int
    graphs: int
    rooms: float
    nodes: float
    changed: float | None
    words: float
    lacking: Mapping[str, int]
    """Predicates that goals ask for and no pack has, each with the tasks that have no goal for it."""
    misfits: Mapping[str, int]
    """Codes of what is wrong in goals that do not fit their scenes, each with the number of its tasks."""
    labels: Mapping[str, int]
    """Tasks by what the authors of the set say of them; empty where they say it of none."""
    losses: tuple[Loss, ...]
    """What the scenes have not of their files, over all tasks."""

    def as_json(self) -> dict[str, object]:
        return asdict(self)


def sizes_of(tasks: Iterable[Task]) -> SetSizes:
    """Count some tasks, at least one, and what their scenes have."""
    every = tuple(tasks)
    rooms: list[int] = []
    nodes: list[int] = []
    changed: list[int] = []
    labels = Counter(task.gold.label for task in every)
    losses = Counter[tuple[str, str, str]]()
    misfits = Counter[str]()
    for task in every:
        check_time("the tasks of a set")
        belief = ground(task.load(), load_pack(task.pack))
        scene, goal = belief.scene, goal_graph(task, belief)
        misfits.update([finding.code] if (finding := misfit(task, belief)) is not None else [])
        for loss in scene.losses:
            losses[loss.kind, loss.id, loss.reason] += loss.count
        rooms.append(len(scene.by_type.get("room", ())))
        nodes.append(len(scene.nodes) - len(scene.by_type.get("pose", ())))
        if goal is not None:
            changed.append(len(wrong_nodes(World(belief), goal)))
    return SetSizes(
        len(every),
        sum(bool(task.gold.goal) for task in every),
        sum(bool(task.gold.query) for task in every),
        len(changed),
        fmean(rooms),
        fmean(nodes),
        fmean(changed) if changed else None,
        fmean(len(task.instruction.split()) for task in every),
        dict(sorted(Counter(name for task in every for name in task.gold.lacking).items())),
        dict(sorted(misfits.items())),
        {label: labels[label] for label in (*LABELS, "") if labels[label]} if any(labels) else {},
        tuple(Loss(*lost, count) for lost, count in losses.items()),
    )
