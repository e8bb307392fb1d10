"""A small interpreter of behavior trees, as BehaviorTree.CPP 4.10 ticks them, over the simulated world.

Written from `src/controls/` and `include/behaviortree_cpp/decorators/` of the library, for the nodes that
exported trees use. Every leaf ends with its tick, so that nothing is running but what keeps running by
itself; what a node remembers from one tick to the next is kept here as the library keeps it.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable

from groundplan.compiler.goals.goal import parse_goal
from groundplan.domains.evaluate import evaluate
from groundplan.domains.formula import Sometime, walk
from groundplan.simulator.sensing.environment import Environment
from groundplan.simulator.step import read_step
from groundplan.simulator.world import World

SUCCESS, FAILURE, RUNNING, SKIPPED = "SUCCESS", "FAILURE", "RUNNING", "SKIPPED"


class SimulatedRobot:
    """A robot in a hidden world: its skills do printed steps, some of which fail, and it sees every fact."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.done: list[str] = []
        self.replans = 0

    @property
    def world(self) -> World:
        """The true world, which a robot with perfect senses sees."""
        world: World = self.environment._Environment__world  # type: ignore[attr-defined]
        return world

    def act(self, printed: str) -> str:
        """Try a step."""
        outcome = self.environment.act(read_step(printed, printed))
        self.done += [printed] if outcome.done else []
        return SUCCESS if outcome.done else FAILURE

    def holds(self, fact: str) -> bool:
        formula = parse_goal(fact).formula
        if any(isinstance(part, Sometime) for part in walk(formula)):
            return self.environment.judge(formula).reached
        return evaluate(formula, self.world)


class Tree:
    """A tree that is ticked; ``replan`` stands for the tree's node of that name."""

    def __init__(
        self,
        xml: str,
        robot: SimulatedRobot,
        replan: Callable[[SimulatedRobot, Tree], str] = lambda robot, tree: FAILURE,
    ) -> None:
        root = ET.fromstring(xml)
        trees = {tree.get("ID"): tree for tree in root.iter("BehaviorTree")}
        self.root = trees[root.get("main_tree_to_execute")][0]
        self.robot, self.replan = robot, replan
        self.at: dict[ET.Element, int] = {}
        self.ran: set[ET.Element] = set()
        self.blackboard: dict[str, int] = {}

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
                return next((s for c in node if (s := self._tick(c)) not in (SUCCESS, SKIPPED)), SUCCESS)
            case "RunOnce":
                if node in self.ran:
                    return SKIPPED
                self.ran.add(node)
                return self._tick(node[0])
            case "Fallback":
                return next((s for child in node if (s := self._tick(child)) != FAILURE), FAILURE)
            case "ReactiveFallback":
                return next((s for child in node if (s := self._tick(child)) != FAILURE), FAILURE)
            case "KeepRunningUntilFailure":
                return FAILURE if self._tick(node[0]) == FAILURE else RUNNING
            case "RetryUntilSuccessful":
                attempts = int(node.attrib["num_attempts"])
                return next((s for _ in range(attempts) if (s := self._tick(node[0])) != FAILURE), FAILURE)
            case "AlwaysSuccess":
                return SUCCESS
            case "AlwaysFailure":
                return FAILURE
            case "Script":
                for statement in node.attrib["code"].split(";"):
                    name, sets, value = statement.partition(":=" if ":=" in statement else "=")
                    assert sets == ":=" or name.strip() in self.blackboard, "= is of an entry that is there"
                    self.blackboard[name.strip()] = int(value)
                return SUCCESS
            case "ScriptCondition":
                tests = (one.partition("==") for one in node.attrib["code"].split("||"))
                holds = any(self.blackboard[name.strip()] == int(value) for name, _, value in tests)
                return SUCCESS if holds else FAILURE
            case "Holds":
                return SUCCESS if self.robot.holds(node.attrib["fact"]) else FAILURE
            case "WaitFor":
                return SUCCESS if self.robot.holds(node.attrib["fact"]) else RUNNING
            case "Replan":
                self.robot.replans += 1
                return self.replan(self.robot, self)
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
