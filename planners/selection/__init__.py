"""Choices before planning: which thing goes where, and which side of a disjunction is brought about.

Public names are listed in ``__init__.pyi``; names may be added there, and callers rely on those that are.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
