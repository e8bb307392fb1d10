from .comparison import Difference, differences
from .monitor import Deviation, deviations
from .program import Program, program_schema, translate
from .reading import read_program
from .skill import Expectation, Skill, Target, Waiting, Waypoint
from .trace import Replay, SavedTrace, Trace, TraceDiffers, TraceFile, read_trace, replay

__all__ = [
    "Deviation",
    "Difference",
    "Expectation",
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
    "program_schema",
    "read_program",
    "read_trace",
    "replay",
    "translate",
]
