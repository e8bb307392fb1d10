from .normal import Expanded, expanded, normal_form
from .pddl import RenderedProblem, compile_goal, render
from .problem import Problem, Unsupported, build
from .relevance import Closure, closure
from .symbols import SymbolTable

__all__ = [
    "Closure",
    "Expanded",
    "Problem",
    "RenderedProblem",
    "SymbolTable",
    "Unsupported",
    "build",
    "closure",
    "compile_goal",
    "expanded",
    "normal_form",
    "render",
]
