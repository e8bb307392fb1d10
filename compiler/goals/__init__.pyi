from .checker import CheckReport, check
from .goal import Goal, Missing, parse_answer, parse_goal, parse_wrapped
from .spelling import known_facts, spelled
from .syntax import GoalSyntaxError, grammar_text

__all__ = [
    "CheckReport",
    "Goal",
    "GoalSyntaxError",
    "Missing",
    "check",
    "grammar_text",
    "known_facts",
    "parse_answer",
    "parse_goal",
    "parse_wrapped",
    "spelled",
]
