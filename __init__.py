"""Sentence and 3D scene graph in, verified robot plan out.

A language model (or the embedded reader) writes a goal; classical planning finds the plan; the simulator
proves it. This module holds the version and nothing else, so that `import groundplan` costs nothing: import
what you need from the subpackages, each of which may use only the ones before it: domains, simulator,
compiler, language, planners, robot, datasets, evaluation, commands.
"""

__all__ = ["__version__"]

__version__ = "0.1.0"
