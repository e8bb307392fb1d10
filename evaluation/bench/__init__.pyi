from .account import Account, CountedModel
from .comparison import Cell, Comparison
from .processes import Executor, Inline, LocalProcesses
from .results import Results, RunRow, load_results
from .runner import Progress, run_comparison
from .trial import CellRunner, ToolMaker

__all__ = [
    "Account",
    "Cell",
    "Comparison",
    "CountedModel",
    "Executor",
    "Inline",
    "LocalProcesses",
    "Progress",
    "Results",
    "RunRow",
    "ToolMaker",
    "CellRunner",
    "load_results",
    "run_comparison",
]
