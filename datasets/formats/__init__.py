"""Scene formats: one module each, found by the content of a file rather than by its name."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
