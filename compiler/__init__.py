"""Goals and planning problems: parse, check, expand, prune, name, and write as PDDL."""

from typing import TYPE_CHECKING

from .. import on_demand

if TYPE_CHECKING:
    from .normal import Expanded, expanded, normal_form
    from .pddl import RenderedProblem, compile_goal, render
    from .problem import Problem, Unsupported, build
    from .relevance import Closure, closure
    from .symbols import SymbolTable
    from .unified import UnifiedProblem
else:
    __getattr__, __dir__ = on_demand(__name__)

__all__ = [
    "Closure",
    "Expanded",
    "Problem",
    "RenderedProblem",
    "SymbolTable",
    "UnifiedProblem",
    "Unsupported",
    "build",
    "closure",
    "compile_goal",
    "expanded",
    "normal_form",
    "render",
]
