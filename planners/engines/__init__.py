"""Classical planners behind PDDL text, in processes with limits that hold."""

from typing import TYPE_CHECKING

from ... import on_demand

if TYPE_CHECKING:
    from .base import Budget, PddlText, TextEngine, TextResult
    from .engine import Engine
    from .registry import EngineInfo, available_engines, get_engine
else:
    __getattr__, __dir__ = on_demand(__name__)

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
