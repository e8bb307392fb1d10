"""The ROS 2 node of the examples, run with stand-ins for what it uses of rclpy."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar

import pytest
from golds import TASKS, belief_of, gold_plan

from groundplan import parse_goal
from groundplan.domains.errors import InputError
from groundplan.robot import translate

NODE = Path(__file__).parents[2] / "examples" / "ros2" / "monitor_node.py"


class String(SimpleNamespace):
    """A message with a text."""

    data: str


class Node:
    """As much of a node as the example uses; ``sent`` are the texts that were published."""

    parameters: ClassVar[dict[str, object]] = {}

    def __init__(self, name: str) -> None:
        self.sent: list[dict[str, Any]] = []
        self.errors: list[str] = []

    def declare_parameter(self, name: str, default: object) -> Any:
        return SimpleNamespace(value=self.parameters.get(name, default))

    def create_publisher(self, kind: type, topic: str, qos: object) -> Any:
        return SimpleNamespace(publish=lambda message: self.sent.append(json.loads(message.data)))

    def create_subscription(self, kind: type, topic: str, call: Any, qos: int) -> None:
        self.report = lambda raw: call(String(data=raw if isinstance(raw, str) else json.dumps(raw)))

    def get_logger(self) -> Any:
        return SimpleNamespace(info=lambda text: None, error=self.errors.append)


@pytest.fixture
def node(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Return the class of the example's node."""
    fakes = {
        "rclpy": {},
        "rclpy.node": {"Node": Node},
        "rclpy.qos": {
            "DurabilityPolicy": SimpleNamespace(TRANSIENT_LOCAL=1),
            "QoSProfile": lambda **settings: settings,
        },
        "std_msgs": {},
        "std_msgs.msg": {"String": String},
    }
    for name, members in fakes.items():
        module = ModuleType(name)
        module.__dict__.update(members)
        monkeypatch.setitem(sys.modules, name, module)
    task = TASKS[0]
    program = translate(gold_plan(task.id), belief_of(task.id), parse_goal(task.gold.goal))
    file = tmp_path / "program.json"
    file.write_text(json.dumps(program.as_json()), encoding="utf-8")
    parameters = {"program": str(file), "log": str(tmp_path / "log.jsonl")}
    monkeypatch.setattr(Node, "parameters", parameters)
    spec = importlib.util.spec_from_file_location("monitor_node", NODE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.MonitorNode


def test_the_node_answers_reports_and_goes_on_after_a_restart(node: Any) -> None:
    assert len(NODE.read_text(encoding="utf-8").splitlines()) <= 80
    first = node()
    assert first.sent[0]["answer"] == "continue" and first.sent[0]["command"] == 0
    first.report({"command": 0, "status": "done"})
    first.report("nonsense")
    assert [m["command"] for m in first.sent] == [0, 1] and len(first.errors) == 1
    first.supervision.close()
    with pytest.raises(InputError, match="a new file, got one that exists"):
        node()
    Node.parameters["resume"] = True
    again = node()
    assert again.sent == first.sent[-1:]
    again.supervision.close()
    other = TASKS[1]
    program = translate(gold_plan(other.id), belief_of(other.id), parse_goal(other.gold.goal))
    Path(str(Node.parameters["program"])).write_text(json.dumps(program.as_json()), encoding="utf-8")
    with pytest.raises(InputError, match="the log of this program"):
        node()
