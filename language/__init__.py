"""Readers, which turn an instruction into a goal: their interface, and one folder for each kind.

``reader`` is the interface; ``embedded`` works without a language model, ``chat`` asks one. A new public name
is listed in ``__init__.pyi``.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
