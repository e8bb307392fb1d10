"""Sentence and 3D scene graph in, verified robot plan out.

A reader (a language model or the embedded reader) writes a goal; classical planning finds the plan; the
simulator proves it. The names in `__init__.pyi` are all that most programs need. Each folder lists its own in
the same way (`from groundplan.compiler.query import Query`) and uses only the folders before it: domains,
simulator, compiler, language, planners, robot, datasets, evaluation, commands.

`import groundplan` loads none of them: a module is loaded when one of its names is asked for.
"""

import lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
