"""Chat models and how they are reached: servers, cassettes, budgets and the token meter.

``model`` is the interface; another server is another class with ``name`` and ``ask``. A new public name is
listed in ``__init__.pyi``.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
