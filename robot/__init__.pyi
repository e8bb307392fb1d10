from .comparison import Difference, differences
from .fact_groups import FactGroup
from .kernels import Kernel, Kernels, kernels_of
from .monitor import Deviation, deviations
from .program import Program, program_schema, translate
from .reading import read_program
from .skill import Expectation, Grounds, Moment, Skill, Target, Waiting, Waypoint
from .trace import Replay, SavedTrace, Trace, TraceDiffers, TraceFile, read_trace, replay

__all__ = [
    "Deviation",
    "Difference",
    "Expectation",
    "FactGroup",
    "Grounds",
    "Kernel",
    "Kernels",
    "Moment",
    "Program",
    "Replay",
    "SavedTrace",
    "Skill",
    "Target",
    "Trace",
    "TraceDiffers",
    "TraceFile",
    "Waiting",
    "Waypoint",
    "deviations",
    "differences",
    "kernels_of",
    "program_schema",
    "read_program",
    "read_trace",
    "replay",
    "translate",
]
