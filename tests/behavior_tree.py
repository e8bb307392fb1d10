"""A small interpreter of behavior trees, as BehaviorTree.CPP 4.10 ticks them, over the simulated world.

Written from `src/controls/` and `include/behaviortree_cpp/decorators/` of the library, for the nodes that
exported trees use. Every leaf ends with its tick, so that nothing is running but what keeps running by
itself; what a node remembers from one tick to the next is kept here as the library keeps it.
"""

from __future__ import annotations

import random
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import dataclass, field

from groundplan.compiler.goals.goal import Goal, parse_goal
from groundplan.domains.evaluate import evaluate
from groundplan.domains.formula import Sometime, walk
from groundplan.simulator.belief import Belief
from groundplan.simulator.step import read_step
from groundplan.simulator.verification import watched
from groundplan.simulator.world import Refusal, World

SUCCESS, FAILURE, RUNNING = "SUCCESS", "FAILURE", "RUNNING"


@dataclass
class SimulatedRobot:
    """A robot in a world: its skills do printed steps and fail by chance, and it sees every fact.

    ``moves`` are carried out on the world after so many tries: what somebody else does meanwhile.
    """

    world: World
    failure: float = 0.0
    draw: random.Random = field(default_factory=lambda: random.Random(0))
    moves: list[tuple[int, Callable[[World], None]]] = field(default_factory=list)
    tried: int = 0
    done: list[str] = field(default_factory=list)
    replans: int = 0

    def act(self, printed: str) -> str:
        """Try a step; one that cannot be done, or that fails by chance, changes nothing."""
        trial, chance = self.world.fork(), self.draw.random()
        outcome = trial.apply(read_step(printed, printed))
        failed = isinstance(outcome, Refusal) or chance < self.failure
        if not failed:
            self.world = trial
            self.done.append(printed)
        self.tried += 1
        while self.moves and self.moves[0][0] <= self.tried:
            self.moves.pop(0)[1](self.world)
        return FAILURE if failed else SUCCESS

    def holds(self, fact: str) -> bool:
        formula = parse_goal(fact).formula
        return evaluate(formula, self.world)


def world_for(goal: Goal, belief: Belief) -> World:
    """Return the world at the start, which remembers what a goal asks of its past."""
    return World(belief, watched(goal.formula, belief))


def looks_back(goal: Goal) -> bool:
    return any(isinstance(part, Sometime) for part in walk(goal.formula))


class Tree:
    """A tree that is ticked; ``replan`` stands for the tree's node of that name."""

    def __init__(
        self, xml: str, robot: SimulatedRobot, replan: Callable[[SimulatedRobot], str] = lambda robot: FAILURE
    ) -> None:
        root = ET.fromstring(xml)
        trees = {tree.get("ID"): tree for tree in root.iter("BehaviorTree")}
        self.root = trees[root.get("main_tree_to_execute")][0]
        self.robot, self.replan = robot, replan
        self.at: dict[ET.Element, int] = {}

    def tick(self) -> str:
        return self._tick(self.root)

    def run(self, ticks: int = 100_000) -> str:
        """Tick until the tree succeeds or fails; ``RUNNING`` where it does neither within the ticks."""
        for _ in range(ticks):
            status = self.tick()
            if status != RUNNING:
                return status
        return RUNNING

    def _tick(self, node: ET.Element) -> str:
        match node.tag:
            case "SequenceWithMemory" | "Sequence":
                return self._sequence(node, keeps=node.tag == "SequenceWithMemory")
            case "ReactiveSequence":
                return next((s for child in node if (s := self._tick(child)) != SUCCESS), SUCCESS)
            case "ReactiveFallback":
                return next((s for child in node if (s := self._tick(child)) != FAILURE), FAILURE)
            case "KeepRunningUntilFailure":
                return FAILURE if self._tick(node[0]) == FAILURE else RUNNING
            case "RetryUntilSuccessful":
                attempts = int(node.attrib["num_attempts"])
                return next((s for _ in range(attempts) if (s := self._tick(node[0])) != FAILURE), FAILURE)
            case "AlwaysSuccess":
                return SUCCESS
            case "Holds":
                return SUCCESS if self.robot.holds(node.attrib["fact"]) else FAILURE
            case "WaitFor":
                return SUCCESS if self.robot.holds(node.attrib["fact"]) else RUNNING
            case "Replan":
                self.robot.replans += 1
                return self.replan(self.robot)
        return self.robot.act(node.attrib["name"])

    def _sequence(self, node: ET.Element, keeps: bool) -> str:
        children = list(node)
        while (index := self.at.get(node, 0)) < len(children):
            status = self._tick(children[index])
            if status == SUCCESS:
                self.at[node] = index + 1
                continue
            if status == FAILURE and not keeps:
                self.at.pop(node, None)
            return status
        self.at.pop(node, None)
        return SUCCESS
