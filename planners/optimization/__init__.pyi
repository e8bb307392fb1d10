from .cp_sat import cp_sat_installed, optimize
from .model import Arc, BooleanModel, Linear, Optimum, SolutionStatus

__all__ = [
    "Arc",
    "BooleanModel",
    "Linear",
    "Optimum",
    "SolutionStatus",
    "cp_sat_installed",
    "optimize",
]
