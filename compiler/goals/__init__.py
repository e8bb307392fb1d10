"""Goals: PDDL goal syntax with exact spans, types, and diagnostics against a scene."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
