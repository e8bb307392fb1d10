from .monitor import Deviation, deviations
from .program import Program, program_schema, translate
from .reading import read_program
from .skill import Expectation, Skill, Target, Waiting, Waypoint

__all__ = [
    "Deviation",
    "Expectation",
    "Program",
    "Skill",
    "Target",
    "Waiting",
    "Waypoint",
    "deviations",
    "program_schema",
    "read_program",
    "translate",
]
