from .checker import CheckReport, check
from .goal import Goal, Missing, parse_answer, parse_goal
from .syntax import GoalSyntaxError, grammar_text

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
