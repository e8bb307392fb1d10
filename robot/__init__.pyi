from .comparison import Difference, differences
from .monitor import Deviation, deviations
from .program import Program, program_schema, translate
from .reading import read_program
from .skill import Expectation, Skill, Target, Waiting, Waypoint

__all__ = [
    "Deviation",
    "Difference",
    "Expectation",
    "Program",
    "Skill",
    "Target",
    "Waiting",
    "Waypoint",
    "deviations",
    "differences",
    "program_schema",
    "read_program",
    "translate",
]
