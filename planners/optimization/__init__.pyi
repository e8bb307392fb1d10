from .model import Arc, BooleanModel, Circuit, Linear, Optimum, SolutionStatus
from .solver import cp_sat_installed, optimize

__all__ = [
    "Arc",
    "BooleanModel",
    "Circuit",
    "Linear",
    "Optimum",
    "SolutionStatus",
    "cp_sat_installed",
    "optimize",
]
