"""A ROS 2 node around the monitor: reports of the robot come in on a topic, advice goes out on another.

    python monitor_node.py --ros-args -p program:=run/program.json -p log:=run/supervision.jsonl

A log that is there already is gone on from only with `-p resume:=true`, and only where it is of this program.
`~/report` and `~/advice` carry `std_msgs/String` with the JSON that `groundplan monitor` reads and prints.
What executes commands (a behavior tree, action clients of your skills) subscribes to the advice, carries out
the command of its `command` index, and publishes how it went, with the facts that were observed.
"""

import json
from pathlib import Path

import rclpy
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import String

from groundplan.domains.errors import InputError
from groundplan.domains.files import parse_json
from groundplan.robot import read_program
from groundplan.robot.supervision import Advice, SupervisionLog, read_report


class MonitorNode(Node):
    """Answer each report with advice; the log lets the node be killed and started again."""

    def __init__(self) -> None:
        super().__init__("groundplan_monitor")
        path = str(self.declare_parameter("program", "program.json").value)
        log = Path(str(self.declare_parameter("log", "supervision.jsonl").value))
        program = read_program(Path(path).read_text(encoding="utf-8"), path)
        resume = bool(self.declare_parameter("resume", False).value) and log.exists()
        self.supervision = SupervisionLog(log, program, resume)
        gone_on = f", after {self.supervision.count} reports" if resume else ""
        self.get_logger().info(f"a program of {len(program.commands)} commands in {program.scene}{gone_on}")
        # Whoever subscribes later still gets the last advice.
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.publisher = self.create_publisher(String, "~/advice", latched)
        self.create_subscription(String, "~/report", self.take, 10)
        if self.supervision.last is not None:
            self.publish(self.supervision.last)
        else:
            self.take(String(data="{}"))

    def take(self, message: String) -> None:
        """Take a report; what is none is said in the node's log and changes nothing."""
        try:
            report = read_report(parse_json(message.data, "report", unique=True), "report")
            self.publish(self.supervision.take(report))
        except InputError as error:
            self.get_logger().error(str(error))

    def publish(self, advice: Advice) -> None:
        """Publish what is to be done next."""
        answer = {"report": self.supervision.count, **advice.as_json()}
        self.publisher.publish(String(data=json.dumps(answer)))
        self.get_logger().info(f"{advice.word}: {advice.reason}")


def main() -> None:
    """Run the node until it is shut down."""
    rclpy.init()
    node = MonitorNode()
    try:
        rclpy.spin(node)
    finally:
        node.supervision.close()
        node.destroy_node()


if __name__ == "__main__":
    main()
