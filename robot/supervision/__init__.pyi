from .log import SupervisionLog
from .reports import Advice, RobotReport, read_report
from .supervisor import Supervisor

__all__ = ["Advice", "RobotReport", "SupervisionLog", "Supervisor", "read_report"]
