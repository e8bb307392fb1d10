"""Sentence and 3D scene graph in, verified robot plan out.

A reader (a language model or the embedded reader) writes a goal; classical planning finds the plan; the
simulator proves it. The names below are all that most programs need. Each folder lists its own in the same
way (`from groundplan.compiler.query import Query`) and uses only the folders before it: domains, simulator,
compiler, language, planners, robot, datasets, evaluation, commands.

`import groundplan` loads none of them: a module is loaded when one of its names is asked for.
"""

import ast
import importlib
import pkgutil
import sys
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

__version__ = "0.1.0"

__all__ = [
    "Budget",
    "Engine",
    "GroundplanError",
    "Record",
    "Request",
    "__version__",
    "check",
    "find",
    "find_task",
    "ground",
    "load_pack",
    "load_scene",
    "open_scene",
    "parse_goal",
    "parse_query",
    "plan_goal",
    "read_steps",
    "run",
    "verify_plan",
]


def on_demand(package: str) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return a package's `__getattr__` and `__dir__` (PEP 562), which load its names when they are asked for.

    The names and where they come from are written once, as imports under `if TYPE_CHECKING`, which editors
    and type checkers follow; here they are read from the package's text, when the first name is asked for.
    """

    @cache
    def modules() -> dict[str, str]:
        """Return the module of each name, relative to the package."""
        text = pkgutil.get_data(package, "__init__.py") or b""
        blocks = [node.body for node in ast.parse(text).body if isinstance(node, ast.If)]
        imports = [node for block in blocks for node in block if isinstance(node, ast.ImportFrom)]
        return {a.name: "." * i.level + (i.module or "") for i in imports for a in i.names}

    def load(name: str) -> object:
        if name.startswith("__") or name not in modules():
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(modules()[name], package), name)
        setattr(sys.modules[package], name, value)
        return value

    return load, lambda: sorted(vars(sys.modules[package])["__all__"])


if TYPE_CHECKING:
    from .compiler.goals.checker import check
    from .compiler.goals.goal import parse_goal
    from .compiler.query.answers import find
    from .compiler.query.query import parse_query
    from .datasets.library import find_task
    from .datasets.scenes import load_scene, open_scene
    from .domains.errors import GroundplanError
    from .domains.pack import load_pack
    from .planners.classical import plan_goal
    from .planners.engines.base import Budget
    from .planners.engines.engine import Engine
    from .planners.hybrid import Request, run
    from .planners.record import Record
    from .simulator.belief import ground
    from .simulator.step import read_steps
    from .simulator.verification import verify_plan
else:
    __getattr__, __dir__ = on_demand(__name__)
