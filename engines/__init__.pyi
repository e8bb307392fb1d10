from .base import Budget, PddlText, TextEngine, TextResult
from .engine import Engine
from .registry import EngineInfo, EngineOptions, available_engines, get_engine

__all__ = [
    "Budget",
    "Engine",
    "EngineInfo",
    "EngineOptions",
    "PddlText",
    "TextEngine",
    "TextResult",
    "available_engines",
    "get_engine",
]
