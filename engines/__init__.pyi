from .base import Budget, PddlText, TextEngine, TextResult
from .engine import Engine
from .registry import EngineInfo, EngineOptions, available_engines, get_engine
from .result import Assembly, PlanResult

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
    "available_engines",
    "get_engine",
]
