from .base import Budget, PddlText, TextEngine, TextResult
from .engine import Engine
from .registry import EngineInfo, EngineOptions, available_engines, get_engine
from .result import Assembly, PlanResult
from .unified_problem import UnifiedProblem, as_unified, compile_problem

__all__ = [
    "Assembly",
    "Budget",
    "Engine",
    "EngineInfo",
    "EngineOptions",
    "PddlText",
    "PlanResult",
    "TextEngine",
    "TextResult",
    "UnifiedProblem",
    "as_unified",
    "available_engines",
    "compile_problem",
    "get_engine",
]
