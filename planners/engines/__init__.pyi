from .base import Budget, PddlText, TextEngine, TextResult
from .engine import Engine
from .registry import EngineInfo, available_engines, get_engine

__all__ = [
    "Budget",
    "Engine",
    "EngineInfo",
    "PddlText",
    "TextEngine",
    "TextResult",
    "available_engines",
    "get_engine",
]
