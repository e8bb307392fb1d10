"""Comparison of goals: entailment, and drift of a repaired goal."""

from typing import TYPE_CHECKING

from ... import on_demand

if TYPE_CHECKING:
    from .drift import drifted
    from .entailment import Entailment, entails
else:
    __getattr__, __dir__ = on_demand(__name__)

__all__ = ["Entailment", "drifted", "entails"]
