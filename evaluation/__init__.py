"""Evaluation of readers: how many of their goals are right, judged by outcomes."""

from typing import TYPE_CHECKING

from .. import on_demand

if TYPE_CHECKING:
    from .reading import Instruction, ReadingReport, Row, evaluate, load_instructions
else:
    __getattr__, __dir__ = on_demand(__name__)

__all__ = ["Instruction", "ReadingReport", "Row", "evaluate", "load_instructions"]
