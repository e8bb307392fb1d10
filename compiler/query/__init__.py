"""Questions about a scene and their answers, the modules in the order of the work.

1. ``query``: the text of a question parsed, and checked against a scene
2. ``lookup``: indexed facts, classes and attributes of the scene as it is
3. ``conjunctive``: quantified formulas as typed variables with conditions that must all hold
4. ``solutions``: the bindings that fulfil the conditions, by backtracking
5. ``answers``: :func:`~groundplan.compiler.query.answers.find`, the entry: bindings counted, ranked and cut

The method (2 to 4) may be changed; answers must stay those of ``domains.evaluate``, which tests compare.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
