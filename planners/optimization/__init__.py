"""Boolean models with costs, and the solvers that find their cheapest assignments.

Public names are listed in ``__init__.pyi``; names may be added there, and callers rely on those that are.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
