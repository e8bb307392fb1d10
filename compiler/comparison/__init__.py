"""Comparison of goals: entailment, and drift of a repaired goal.

``drift`` decides by entailment if a repair asks for less; ``conjuncts`` says what counts as one requirement.
A new public name is listed in ``__init__.pyi``.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
