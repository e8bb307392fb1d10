"""Drivers: low levels that take a robot to a cell of a house, by what they know or saw of it.

Public names are listed in ``__init__.pyi``; names may be added there, and users rely on those that are.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
