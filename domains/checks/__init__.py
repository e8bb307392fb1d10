"""Checks of a pack by its schemas alone: invariants that its actions keep, and findings about its files.

Public names are listed in ``__init__.pyi``. What is shown here holds for every scene, so proofs may rest on
it; a new kind of invariant is a module here and must be proved by induction over all actions.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
