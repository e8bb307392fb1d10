"""GRASIF's measures (LookPlanGraph, Onishchenko et al. 2025, section 6.3): graphs compared node by node.

They are for tasks that come with a goal graph, or with a plan, whose last state it is, as in the paper. A
node is as in the goal graph when all facts about it are (its place, door, switch, what happened to it); where
the robot stands does not matter. A plan counts up to the first step that is refused.

- ``whole``: every node is as in the goal graph: success as the paper says it, so side effects count;
- ``changed``: the nodes that the task changes are, whatever else was changed;
- ``precision``, for APP: of the nodes that the plan changed, the share that is as in the goal graph; with
  nothing changed 0, and 1 where the goal graph is the initial one;
- ``actions``, for APL: the length of a plan in GRASIF's actions: drives from room to room count once, however
  many poses lie between, and ``access`` not at all; ``None`` unless ``whole``;
- ``relevance``, for NRR: nodes observed, for each node that the task changes; ``None`` where it changes none,
  and for a goal that was given. Observed are rooms and what a search has shown, and all of the scene without
  a search; poses are no nodes of GRASIF.

The paper averages precision over all tasks, length over the successful ones, relevance over tasks (here those
that change something). These definitions stay, since rows hold their values.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from ..datasets.grasif.goal_graphs import wrong_nodes
from ..datasets.task import Task
from ..domains.pack import load_pack
from ..pipeline.record import Record
from ..simulator.belief import Belief, ground
from ..simulator.sensing.snapshot import scene_now
from ..simulator.step import DONE, Step, read_steps
from ..simulator.world import Refusal, World
from .plan_errors import seen_nodes

UNCOUNTED = ("pose", "agent")
"""Types of nodes that are not observed: GRASIF's graphs have no poses, and everybody sees the robot."""


@dataclass(frozen=True, slots=True)
class GraphJudgement:
    """GRASIF's measures of one plan; the module says what each is."""

    whole: bool
    changed: bool
    precision: float
    actions: int | None
    relevance: float | None


def goal_graph(task: Task, belief: Belief) -> Belief | None:
    """Return the goal graph of a task, or the state that its own plan leads to; ``None`` without either.

    The plan is in the steps of the run's pack or of the task's, and counts if it can be carried out.
    """
    if task.goal_scene is not None:
        return ground(task.goal_scene, belief.pack)
    if not task.gold.plan:
        return None
    steps = [step for step in read_steps("\n".join(task.gold.plan), f"plan of {task.id}") if step != DONE]
    for pack in dict.fromkeys((belief.pack.name, task.pack)):
        start = belief if pack == belief.pack.name else ground(task.load(), load_pack(pack))
        world = World(start)
        if any(isinstance(world.apply(step), Refusal) for step in steps):
            continue
        # Not all facts of a pack are words of a scene, such as on what the robot sits.
        if start is belief:
            return replace(belief, facts=world.state.facts)
        return ground(scene_now(world), belief.pack)
    return None


def judge_graph(record: Record, belief: Belief, goal: Belief) -> GraphJudgement:
    """Judge the graph that a record's plan leads to, without a plan the initial one."""
    world = World(belief)
    done: list[Step] = []
    for step in record.plan:
        if step == DONE or isinstance(world.apply(step), Refusal):
            break
        done.append(step)
    important = set(wrong_nodes(World(belief), goal))
    wrong = set(wrong_nodes(world, goal))
    modified = wrong_nodes(world, belief)
    right = sum(node not in wrong for node in modified)
    precision = right / len(modified) if modified else float(not important)
    whole = record.planned and not wrong
    given = record.reader is None and not record.attempts  # nobody read the scene
    observed = observed_nodes(record, belief)
    return GraphJudgement(
        whole,
        record.planned and not important & wrong,
        precision if record.planned else 0.0,
        graph_actions(done, belief) if whole else None,
        len(observed) / len(important) if important and not given else None,
    )


def observed_nodes(record: Record, belief: Belief) -> tuple[str, ...]:
    """Return the nodes that a run's search has shown, in scene order; all where it had no search."""
    seen = seen_nodes(record, belief)
    nodes = belief.scene.nodes.values()
    return tuple(n.id for n in nodes if n.type not in UNCOUNTED and (seen is None or n.id in seen))


def graph_actions(steps: Iterable[Step], belief: Belief) -> int:
    """Return the length of a plan in GRASIF's actions."""
    drives = ("goto", belief.pack.mapping.room_step)
    count, driving = 0, False
    for step in steps:
        if step.name in drives:
            count += not driving
        else:
            count += step.name != "access"
        driving = step.name in drives
    return count
