"""The embedded reader: a shallow reader of plain requests that needs no language model.

``reader`` is the entry and says where verbs and forms are added. A new public name is listed in
``__init__.pyi``.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
