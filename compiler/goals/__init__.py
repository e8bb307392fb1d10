"""Goals: PDDL goal syntax with exact spans, types, and diagnostics against a scene."""

from typing import TYPE_CHECKING

from ... import on_demand

if TYPE_CHECKING:
    from .checker import CheckReport, check
    from .goal import Goal, Missing, parse_answer, parse_goal
    from .syntax import GoalSyntaxError, grammar_text
else:
    __getattr__, __dir__ = on_demand(__name__)

__all__ = [
    "CheckReport",
    "Goal",
    "GoalSyntaxError",
    "Missing",
    "check",
    "grammar_text",
    "parse_answer",
    "parse_goal",
]
