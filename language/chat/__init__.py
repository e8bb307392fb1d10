"""Readers that ask a chat model: semantic search, prompts, goal writing and repair."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
