"""Acting for an instruction that names things nobody has seen yet: they are supposed, read about, and found.

A new public name is listed in ``__init__.pyi``.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
