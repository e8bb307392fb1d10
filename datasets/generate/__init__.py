"""Buildings made from sizes and a seed.

The public names are listed in ``__init__.pyi`` and loaded when they are asked for; add one there.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
