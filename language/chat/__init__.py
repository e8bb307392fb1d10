"""Readers that ask a chat model: semantic search, prompts, goal writing and repair.

Whatever changes a request or its grammar makes recorded answers (cassettes) unusable. A new public name is
listed in ``__init__.pyi``.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
