"""The setting of a run of `groundplan plan`: all that is given before anybody reads or plans."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..compiler.goals.goal import Goal
from ..compiler.shown_part import CompileForm
from ..engines.engine import Engine
from ..language.reader import ReaderEvent
from ..pipeline.clarifying import Answerer
from ..pipeline.events import Event
from ..pipeline.record import Record
from ..simulator.belief import Belief
from .case import Case
from .console.story import RunInput
from .readers import ModelOptions

MEGABYTES = 2048

Tell = Callable[[Event | ReaderEvent], None]
Make = Callable[[Goal | None], Record]
"""Makes the run, for a goal where one is given."""


@dataclass(frozen=True)
class PlanSetting:
    """The input, the scene, what is truly there, and who reads and plans, within which memory."""

    run_input: RunInput
    case: Case
    truth: Belief | None
    engine: Engine
    reader: str
    reading: ModelOptions
    memory: int = MEGABYTES
    tidy: bool = True
    compile_form: CompileForm = "scene"
    relax: bool = False
    ask: bool = False
    suggest: bool = False
    answer: Answerer | None = None
