from .compiler.goals.checker import check
from .compiler.goals.goal import parse_goal
from .compiler.query.answers import find
from .compiler.query.query import parse_query
from .datasets.library import find_task
from .datasets.scenes import load_scene, open_scene
from .domains.errors import GroundplanError
from .domains.pack import load_pack
from .engines.base import Budget
from .engines.engine import Engine
from .engines.unified_problem import compile_problem
from .evaluation.golds.goal_audit import audit
from .pipeline.hybrid import run
from .pipeline.record import Record
from .planners.classical import plan_goal
from .planners.goal_diff import diff
from .planners.request import Request
from .planners.why_not import why_not
from .simulator.belief import ground
from .simulator.step import read_steps
from .simulator.verification import verify_plan

__version__: str

__all__ = [
    "Budget",
    "Engine",
    "GroundplanError",
    "Record",
    "Request",
    "audit",
    "check",
    "compile_problem",
    "diff",
    "find",
    "find_task",
    "ground",
    "load_pack",
    "load_scene",
    "open_scene",
    "parse_goal",
    "parse_query",
    "plan_goal",
    "read_steps",
    "run",
    "verify_plan",
    "why_not",
]
